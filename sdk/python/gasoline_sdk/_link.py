"""The connection to the daemon: what is sent by it, and to whom.

Only the sender's thread loads this: a program that says nothing need not load http.client and ssl.
"""

from __future__ import annotations

import gzip
import hashlib
import hmac
import http.client
import json
import secrets
from typing import Any, Callable, Dict, Optional, Tuple
from urllib.parse import SplitResult

from . import _pairing

PACK_ABOVE = 4 << 10
DIAL_WITHIN = 2.0
SEND_WITHIN = 5.0
LONGEST_WAIT = 60.0  # that a Retry-After is followed
MAX_ANSWER = 64 << 10

Token = Callable[[], Tuple[str, bool]]


class Foreign(Exception):
    """There is no token, or who listens did not prove that it knows it; nothing was sent."""


FAULTS = (OSError, http.client.HTTPException, Foreign, _pairing.OtherKey, ValueError)


def pack(body: bytes) -> Tuple[bytes, bool]:
    """Return a body as it is sent, and whether it is packed."""
    return (gzip.compress(body, 1), True) if len(body) > PACK_ABOVE else (body, False)


class Link:
    """At most one open connection."""

    def __init__(self, paired: _pairing.Pairing, token: Token, tls: Any, ready: Callable[[], None]) -> None:
        self.base, self.pin, self.token, self.tls = paired.base, paired.pin, token, tls
        self._ready = ready  # called when it is connected to who may hear what is posted
        self._connection: Optional[http.client.HTTPConnection] = None

    def hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def post(self, path: str, body: bytes, packed: bool) -> Tuple[int, float, bytes]:
        """Post a body. Returns the status, how long to wait, in seconds, and the answer. Raises one of FAULTS."""
        token, _ = self.token()
        if not token:
            raise Foreign("there is no token: start the daemon once, or set GASOLINE_TOKEN")
        headers = {
            "Content-Type": "application/json", "User-Agent": "gasoline-python", "Authorization": "Bearer " + token,
        }
        if packed:
            headers["Content-Encoding"] = "gzip"
        fresh = self._connection is None
        connection = self._connection or self._connect()
        self._ready()
        try:
            return self._exchange(connection, path, body, headers)
        except (ConnectionError, http.client.RemoteDisconnected):
            self.hang_up()
            if fresh:
                raise
        # The kept connection was closed meanwhile. The daemon knows a repeated request by its bytes.
        return self._exchange(self._connect(), path, body, headers)

    def _exchange(
        self, connection: http.client.HTTPConnection, path: str, body: bytes, headers: Dict[str, str]
    ) -> Tuple[int, float, bytes]:
        connection.request("POST", self.base.path.rstrip("/") + path, body, headers)
        response = connection.getresponse()
        answer = response.read(MAX_ANSWER)
        if response.read(1):
            self.hang_up()
        try:
            after = min(LONGEST_WAIT, float(response.headers.get("Retry-After", 0)))
        except ValueError:
            after = 0.0
        return response.status, max(0.0, after), answer

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self.base.hostname or "127.0.0.1", self.base.port
        connection: http.client.HTTPConnection
        if self.base.scheme == "https":
            tls = _pairing.context() if self.pin else self.tls
            connection = http.client.HTTPSConnection(host, port, timeout=DIAL_WITHIN, context=tls)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=DIAL_WITHIN)
        connection._gasoline_own = True  # type: ignore[attr-defined]
        connection.connect()
        try:
            if self.pin:
                _pairing.check(connection.sock.getpeercert(True), self.pin)
            token, prove = self.token()
            if prove and self.base.scheme == "http":
                _challenge(connection, token)
            connection.sock.settimeout(SEND_WITHIN)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection


def _challenge(connection: http.client.HTTPConnection, token: str) -> None:
    """Have the daemon prove that it knows the token, before anything is sent to it."""
    nonce = secrets.token_hex(32)
    key, key_id = token, ""
    parts = token.split("_")
    if len(parts) == 4 and parts[0] == "gasoline":  # of a token that "gasoline run" gave, the daemon knows the hash
        key, key_id = hashlib.sha256(parts[3].encode()).hexdigest(), "token-" + parts[2]
    try:
        body = json.dumps({"nonce": nonce, "key_id": key_id})
        connection.request("POST", "/prove", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = json.loads(response.read(4096))
        fields = (nonce, str(connection.sock.getpeername()[1]), answer["server"]["run"], answer["boot"], key_id)
    except (KeyError, TypeError, ValueError, AttributeError, http.client.HTTPException) as error:
        raise Foreign("who listens did not prove to be the daemon of this user") from error
    message = "gasoline 1 daemon\n" + "\n".join(fields)
    proof = hmac.new(key.encode(), message.encode(), hashlib.sha256).hexdigest()
    if response.status != 200 or not hmac.compare_digest(proof.encode(), str(answer.get("proof")).encode()):
        raise Foreign("who listens did not prove to be the daemon of this user")


def refused(answer: bytes) -> int:
    if answer in (b"", b"{}"):
        return 0
    try:
        partial = json.loads(answer).get("partialSuccess", {})
        return int(partial.get("rejectedLogRecords") or partial.get("rejectedSpans") or 0)
    except (ValueError, AttributeError, TypeError):
        return 0
