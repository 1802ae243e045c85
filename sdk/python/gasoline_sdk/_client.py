"""The client of a process: what captures hands over to it, it hands to the sender."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from typing import Any, Dict, Mapping, NamedTuple, Optional
from urllib.parse import unquote

from . import _pairing, _sender, _trace
from ._queue import ERROR, Queue, Record
from ._sender import Sender, tokens

FLUSH_WITHIN = 0.5  # seconds
BEGIN_WITHIN = 2.0  # seconds until it is connected to this machine's daemon, when the program ends
OFF = frozenset(("off", "0", "false", "no"))
PRODUCTION_NAMES = ("GASOLINE_ENV", "APP_ENV", "PYTHON_ENV", "ENV", "ENVIRONMENT", "FLASK_ENV", "DJANGO_ENV")
PRODUCTION_VALUES = frozenset(("production", "prod", "live"))


class Stats(NamedTuple):
    """Counts since the start."""

    sent: int  # records that the daemon took
    refused: int  # of these, records that it said were not usable or too many
    dropped: int  # records that never left
    waiting: int
    problem: str  # why the newest request failed; "" when it did not


def in_production(environ: Mapping[str, str]) -> bool:
    """Say whether a variable of the environment says production, or the module of Django's settings is named so."""
    if any(environ.get(name, "").lower() in PRODUCTION_VALUES for name in PRODUCTION_NAMES):
        return True
    return environ.get("DJANGO_SETTINGS_MODULE", "").rpartition(".")[2].lower() in PRODUCTION_VALUES


def _resource(service: str, version: str) -> Dict[str, Any]:
    given: Dict[str, str] = {}
    for pair in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "").split(","):
        name, equals, value = pair.strip().partition("=")
        if equals and name:
            given[name] = unquote(value)
    try:
        host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    except OSError:
        host = ""
    program = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] not in ("", "-c", "-m") else "python"
    attributes: Dict[str, Any] = {
        "service.name": service or os.environ.get("OTEL_SERVICE_NAME") or given.get("service.name") or program,
        "service.instance.id": given.get("service.instance.id") or "%s:%d" % (host, os.getpid()),
        "process.pid": os.getpid(),
        "telemetry.sdk.name": "gasoline",
        "telemetry.sdk.language": "python",
    }
    environment = given.get("deployment.environment.name") or given.get("deployment.environment")
    for name, value in (
        ("host.name", host),
        ("service.version", version or given.get("service.version")),
        ("deployment.environment.name", environment),
    ):
        if value:
            attributes[name] = value
    return attributes


class Client:
    """Captures and sends. Its methods may be called by many threads, and never raise."""

    def __init__(
        self, service: str = "", version: str = "", url: str = "", token: str = "", interval: float = 0.0,
        max_records: int = 5000, max_bytes: int = 4 << 20, tls: Any = None, off: bool = False,
    ) -> None:
        self.production = in_production(os.environ)
        self.queue = Queue(max_records, max_bytes)
        self._last_error = 0.0
        self.on = False
        self.sender: Optional[Sender] = None
        if off or os.environ.get("GASOLINE", "").lower() in OFF:
            return
        try:
            paired = _pairing.read(url or os.environ.get("GASOLINE_URL") or "http://127.0.0.1:7890")
        except _pairing.Unusable as error:
            _pairing.complain(error)
            return
        base = paired.base
        given = token or os.environ.get("GASOLINE_TOKEN", "").strip() or paired.token
        if self.production and not given:
            return
        self.address = (base.hostname or "", base.port or (443 if base.scheme == "https" else 80))
        self.token = tokens(given, base)
        wait = interval or (0.5 if self.production else 0.1)
        self.sender = Sender(self.queue, lambda: _resource(service, version), paired, self.token, wait, tls)
        self.on = True

    def push(self, record: Record) -> None:
        """Hand a record to the sender. It does not block on anything but a short lock."""
        if not self.on or self.sender is None or self.sender.ident == threading.get_ident():
            return
        whole = self.queue.push(record)
        self.sender.tell(whole or record.rank == ERROR)

    def admits(self, context: Optional[_trace.Context]) -> bool:
        """Say whether what happens in a context is captured: in production only what the developer caused."""
        return not self.production or (context is not None and context.own)

    def error_passes(self) -> bool:
        """Let one error a second pass in production."""
        now = time.monotonic()
        if self._last_error and now - self._last_error < 1:
            return False
        self._last_error = now
        return True

    def begin(
        self, name: str, kind: int, attributes: Dict[str, Any], parent: Optional[_trace.Context] = None
    ) -> Optional[_trace.Span]:
        """Begin a span inside of parent, else of what runs now. None when it is not captured."""
        if not self.on or _trace.elsewhere:
            return None
        above = parent or _trace.current.get()
        if not self.admits(above) or (above is not None and above.trace and not above.sampled):
            return None
        return _trace.Span(self, name, kind, above, attributes)

    def flush(self, timeout: float = FLUSH_WITHIN) -> bool:
        """Send what waits. False when that took longer than timeout, in seconds."""
        return self.sender.flush(timeout) if self.on and self.sender else True

    def flush_at_end(self) -> None:
        """Send what waits before the program ends. The half second for that begins once it is connected."""
        if self.on and self.sender:
            self.sender.flush(FLUSH_WITHIN, BEGIN_WITHIN)

    def close(self, timeout: float = FLUSH_WITHIN) -> None:
        """Flush and end the client. Later records are left out."""
        if self.sender is None:
            return
        self.flush(timeout)
        self.on = False
        self.sender.stop()

    def stats(self) -> Stats:
        """Return the counts."""
        s = self.sender
        sent, refused, problem = (s.sent, s.refused, s.problem) if s else (0, 0, "")
        return Stats(sent, refused, self.queue.dropped_in_all, self.queue.count, problem)

    def after_fork(self) -> None:
        """Begin anew in a child process: what waited is the parent's."""
        self.queue.forget()
        if self.sender:
            self.sender.forget()


_client: Optional[Client] = None
_hooked = False


def active() -> Optional[Client]:
    """Return the client when it captures."""
    return _client if _client is not None and _client.on else None


def client() -> Optional[Client]:
    """Return the client that start made last."""
    return _client


def start(
    service: str = "", *, version: str = "", url: str = "", token: str = "", interval: float = 0.0,
    max_records: int = 5000, max_bytes: int = 4 << 20, tls: Any = None, off: bool = False, instrument: bool = True,
    sigterm: bool = True,
) -> Client:
    """Start capturing; a second call replaces the client.

    What is "" comes from the environment: OTEL_SERVICE_NAME, GASOLINE_URL (http://127.0.0.1:7890), GASOLINE_TOKEN, the
    token in the URL or, on this machine, the file that GASOLINE_TOKEN_FILE names or token in GASOLINE_STATE_DIR or
    ~/.gasoline. The URL may be the whole string that "gasoline token create" prints, with a token and the pin of the daemon's
    key: then that key alone decides, and tls is not looked at. interval is how long records wait for others, in seconds:
    0.1, in production 0.5; errors do not wait. tls is an ssl.SSLContext.
    instrument: patch logging, http.client, httpx, sqlite3, psycopg, psycopg2, Django, Flask and Starlette. sigterm: where nothing
    handles SIGTERM, flush on it, at most 500 ms once it is connected, and end as before.

    The client is off when GASOLINE is off, and in production unless there is a token in token, GASOLINE_TOKEN or the URL.
    With one it captures there only requests with a valid gasoline-session header, see sign, and one error a second besides.
    """
    global _client, _hooked
    if _client is not None:
        _client.close()
    made = Client(service, version, url, token, interval, max_records, max_bytes, tls, off)
    _client = made
    if not made.on:
        return made
    if not _hooked:
        _hooked = True
        atexit.register(_at_exit)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=_sender.before_fork, after_in_parent=_sender.after_fork_in_parent, after_in_child=_after_fork)
    if instrument:
        from . import _patch

        _patch.install()
    if sigterm:
        _on_sigterm()
    return made


def flush(timeout: float = FLUSH_WITHIN) -> bool:
    """Send what waits. False when that took longer than timeout, in seconds."""
    return _client.flush(timeout) if _client else True


def close(timeout: float = FLUSH_WITHIN) -> None:
    """Flush and stop capturing."""
    if _client:
        _client.close(timeout)


def stats() -> Stats:
    """Return the client's counts."""
    return _client.stats() if _client else Stats(0, 0, 0, 0, "")


def flush_at_end() -> None:
    if _client:
        _client.flush_at_end()


def _at_exit() -> None:
    flush_at_end()
    close(0)


def _after_fork() -> None:
    _sender.after_fork_in_child()
    if _client:
        _client.after_fork()


def _on_sigterm() -> None:
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        return

    def end(number: int, _frame: Any) -> None:
        flush_at_end()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    try:
        signal.signal(signal.SIGTERM, end)
    except (ValueError, OSError):
        pass  # not in the main interpreter
