"""The header by which a developer's own requests are known in production."""

from __future__ import annotations

import time
from typing import Optional

HEADER = "gasoline-session"
LASTS = 3600  # seconds


def sign(token: str, now: Optional[float] = None) -> str:
    """Return the header's value for the next hour: "1.<end>.<mac>".

    end is a Unix time in seconds, mac the hex HMAC-SHA256 of "gasoline-session 1\\n<end>" by the token.
    """
    end = str(int(now if now is not None else time.time()) + LASTS)
    return "1." + end + "." + _mac(token, end)


def _mac(token: str, end: str) -> str:
    import hmac

    return hmac.new(token.encode(), ("gasoline-session 1\n" + end).encode(), "sha256").hexdigest()


def signed(value: Optional[str], token: str, now: Optional[float] = None) -> bool:
    """Say whether a value was made by who knows the token, and is valid now."""
    if not value or not token or len(value) > 128:
        return False
    parts = value.split(".")
    if len(parts) != 3 or parts[0] != "1" or not parts[1].isascii() or not parts[1].isdigit() or len(parts[1]) > 12:
        return False
    at = int(now if now is not None else time.time())
    if not at <= int(parts[1]) <= at + LASTS + 60:
        return False
    import hmac

    return hmac.compare_digest(parts[2].encode(), _mac(token, parts[1]).encode())
