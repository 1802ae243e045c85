"""What an address says: where the daemon is, and maybe who sends and which key the other side must have.

As one string it is what ``gasoline token create`` prints: ``https://TOKEN@127.0.0.1:7890/?pin=BASE64URL``.
"""

from __future__ import annotations

import re
import sys
from typing import Any, NamedTuple, Optional, Tuple
from urllib.parse import SplitResult, unquote, urlsplit

_pin = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


class Unusable(ValueError):
    """The address says nothing that can be followed. Its text never shows the address, which may hold a token."""


class OtherKey(Exception):
    """Who listens has another key than the pin says; nothing was sent to it."""


class Pairing(NamedTuple):
    """A parsed address. base has no token and no pin; token is "" and pin None where there is none."""

    base: SplitResult
    token: str
    pin: Optional[bytes]  # SHA-256 of the leaf's SubjectPublicKeyInfo


def read(address: str) -> Pairing:
    """Parse an address. Raises Unusable."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise Unusable('GASOLINE_URL is not an address: it should be http://HOST:PORT, or what "gasoline token create" prints')
    pins = [unquote(value) for name, _, value in (pair.partition("=") for pair in parts.query.split("&")) if name == "pin"]
    pin = None
    if pins:
        import base64

        # The last digit has two bits that count for nothing: they have to be zero, so that there is one way to write a pin.
        if len(pins) == 1 and _pin.fullmatch(pins[0]):
            pin = base64.urlsafe_b64decode(pins[0] + "=")
        if pin is None or base64.urlsafe_b64encode(pin).decode().rstrip("=") != pins[0]:
            raise Unusable(
                'the pin of GASOLINE_URL is not 32 bytes in base64url: copy the whole line that "gasoline token create" prints')
        if parts.scheme != "https":
            raise Unusable("GASOLINE_URL has a pin and begins with http://: a pin needs https://")
    token = unquote(parts.username or "")
    base = SplitResult(parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")
    return Pairing(base, token, pin)


def context() -> Any:
    """Return an ssl.SSLContext under which a connection is made with whoever listens: the pin is compared next."""
    import ssl

    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    return made


def check(certificate: Optional[bytes], pin: bytes) -> None:
    """Compare the key of a leaf, in DER, with a pin. Raises OtherKey."""
    import hashlib
    import hmac

    try:
        same = hmac.compare_digest(hashlib.sha256(public_key(certificate or b"")).digest(), pin)
    except ValueError:
        same = False
    if not same:
        raise OtherKey("who listens has another key than the pin of GASOLINE_URL says; nothing was sent to it")


SEQUENCE, INTEGER, VERSION = 0x30, 0x02, 0xA0


def public_key(certificate: bytes) -> bytes:
    """Return the SubjectPublicKeyInfo of a certificate, both in DER. Raises ValueError.

    It takes DER only, so that what it finds is what OpenSSL took the key of the connection from.
    """
    body, end = _inside(certificate, 0, SEQUENCE)
    if end != len(certificate):
        raise ValueError("something follows the certificate")
    at, end = _inside(certificate, body, SEQUENCE)
    if certificate[at : at + 1] == bytes((VERSION,)):
        at = _inside(certificate, at, VERSION)[1]
    for tag in (INTEGER, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE):  # number, algorithm, issuer, validity, subject
        at = _inside(certificate, at, tag)[1]
    after = _inside(certificate, at, SEQUENCE)[1]
    if after > end:
        raise ValueError("the key ends after what it is in")
    return certificate[at:after]


def _inside(data: bytes, at: int, tag: int) -> Tuple[int, int]:
    """Return where an element's content begins and ends. Only the shortest form of a length is taken."""
    if len(data) < at + 2 or data[at] != tag:
        raise ValueError("not a certificate")
    size, begin = data[at + 1], at + 2
    if size >= 0x80:
        digits = size & 0x7F
        if not 1 <= digits <= 3 or len(data) < begin + digits or data[begin] == 0:
            raise ValueError("not DER")
        size, begin = int.from_bytes(data[begin : begin + digits], "big"), begin + digits
        if size < 0x80:
            raise ValueError("not DER")
    if begin + size > len(data):
        raise ValueError("the certificate is cut")
    return begin, begin + size


def complain(error: Exception) -> None:
    """Say on stderr why nothing is sent, in one line."""
    try:
        sys.stderr.write("gasoline: %s\n" % error)
        sys.stderr.flush()
    except Exception:
        pass  # it is closed
