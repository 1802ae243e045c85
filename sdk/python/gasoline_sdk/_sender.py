"""The thread that posts batches, one request at a time."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple
from urllib.parse import SplitResult

from . import _pairing
from ._queue import BATCH_BYTES, BATCH_COUNT, Log, Queue, Record, Span

if TYPE_CHECKING:
    from ._link import Link

LONGEST = 30.0  # seconds between two tries
IDLE = 19  # how much longer the thread rests than it works, unless somebody waits: the interpreter is the program's
OPEN_AFTER = 5  # failures in a row

Token = Callable[[], Tuple[str, bool]]


# Held while the thread loads modules. A child that is made meanwhile would wait for these modules for ever: nobody loads
# them there.
_loading = threading.Lock()
_holds = False


def before_fork() -> None:
    """Wait until the thread has loaded what it needs, at most 5 seconds."""
    global _holds
    _holds = _loading.acquire(timeout=5)


def after_fork_in_parent() -> None:
    if _holds:
        _loading.release()


def after_fork_in_child() -> None:
    global _loading
    _loading = threading.Lock()


def _load() -> None:
    with _loading:
        from . import _encode, _link  # noqa: F401

        "localhost".encode("idna")  # which names of hosts are looked up by


class _Asked:
    """A flush that is waited for."""

    __slots__ = ("begun", "done")

    def __init__(self) -> None:
        self.begun, self.done = threading.Event(), threading.Event()


class _Request:
    __slots__ = ("body", "dropped", "packed", "path", "records")

    def __init__(self, path: str, body: bytes, records: Sequence[Record], dropped: List[int]) -> None:
        self.path, self.records, self.dropped = path, records, dropped
        from ._link import pack

        self.body, self.packed = pack(body)


class Sender:
    """Takes batches from a queue and posts them. Its thread starts with the first record, and again in a child."""

    def __init__(
        self, queue: Queue, resource: Callable[[], Dict[str, Any]], paired: _pairing.Pairing, token: Token, interval: float, tls: Any
    ) -> None:
        self.queue, self.token, self.interval, self.tls = queue, token, interval, tls
        self._describe = resource  # asked when there is something to send: a program's name is not known before it runs
        self._paired = paired
        self.here = is_here(paired.base)
        self._told = False  # stderr has a line on the wrong key
        self.sent = self.refused = 0
        self.problem = ""
        self.forget()

    def forget(self) -> None:
        """Begin anew, also in a child process."""
        self._lock = threading.RLock()  # a signal may come while the main thread has it
        self.wake = threading.Event()
        self.hurry = threading.Event()
        self._wanted = threading.Event()  # a flush or the end; what is said meanwhile does not wake the thread
        self._asked: List[_Asked] = []
        self._served: List[_Asked] = []
        self._linked = False
        self._todo: List[_Request] = []
        self._failures = 0
        self._resource: Optional[Dict[str, Any]] = None
        self._link: Optional["Link"] = None
        self._thread: Optional[threading.Thread] = None
        self._stopped = False
        self.ident: Optional[int] = None

    def tell(self, urgent: bool) -> None:
        """Say that there is something, after a push."""
        if self._thread is None:
            self._start()
        if urgent and not self.hurry.is_set():
            self.hurry.set()
        if not self.wake.is_set():
            self.wake.set()

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None or self._stopped:
                return
            thread = threading.Thread(target=self._run, name="gasoline", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                return  # the interpreter ends, or has no more threads: the next record tries again
            self._thread = thread

    def flush(self, timeout: float, begin: float = 0) -> bool:
        """Send what waits. False when that took longer than timeout, in seconds.

        The time begins when it is connected, at the latest after begin: what is far away, or failed before, gets no more.
        """
        if self._thread is None:
            if not self.queue.count:
                return True
            self._start()
        try:
            _load()  # what it takes on a busy machine is not of timeout
        except Exception:
            pass  # the thread tells
        asked = _Asked()
        with self._lock:
            self._asked.append(asked)
            if self._linked:
                asked.begun.set()
        self._wanted.set()
        self.hurry.set()
        self.wake.set()
        if self.here and not self._failures:
            asked.begun.wait(begin)
        return asked.done.wait(timeout)

    def stop(self) -> None:
        """End the thread."""
        self._stopped = True
        self._wanted.set()
        self.hurry.set()
        self.wake.set()

    def _run(self) -> None:
        self.ident = threading.get_ident()
        try:
            _load()
        except Exception as error:
            self.problem = repr(error)
            return  # records wait within their bounds
        while not self._stopped:
            self.wake.wait()
            self.hurry.wait(self.interval)
            self.wake.clear()
            self.hurry.clear()
            self._serve()
            try:
                while not self._stopped:
                    began = time.thread_time()
                    if not self._next():
                        break
                    wait = self._send()
                    if wait <= 0 and not self._served:
                        self._pause((time.thread_time() - began) * IDLE)
                    if wait > 0:
                        self._answer()
                        self._pause(wait)
                        self._serve()
            except Exception as error:  # a fault of ours costs the batch, not the thread
                self.problem = repr(error)
                for request in self._todo:
                    self.queue.lose(request.records)
                self._todo = []
            self._answer()
        if self._link is not None:
            self._link.hang_up()

    def _serve(self) -> None:
        with self._lock:
            self._served, self._asked = self._served + self._asked, []

    def _answer(self) -> None:
        for asked in self._served:
            asked.begun.set()
            asked.done.set()
        self._served = []

    def _begin(self) -> None:
        """Say that it is connected."""
        with self._lock:
            self._linked = True
            for asked in self._served + self._asked:
                asked.begun.set()

    def _pause(self, seconds: float) -> None:
        """Wait, unless somebody asks for a flush."""
        self._wanted.clear()
        if not self._stopped and not self._asked:
            self._wanted.wait(seconds)

    def _next(self) -> bool:
        if self._todo:
            return True
        records, dropped = self.queue.take(BATCH_COUNT, BATCH_BYTES)
        if not records and not sum(dropped):
            return False
        self._add(records, dropped)
        return True

    def _add(self, records: List[Record], dropped: List[int]) -> None:
        from . import _encode

        if self._resource is None:
            self._resource = self._describe()
        resource = self._resource
        spans = [r for r in records if isinstance(r, Span)]
        logs = [r for r in records if isinstance(r, Log)]
        if spans:
            self._todo.append(_Request("/v1/traces", _encode.spans(resource, spans), spans, [0, 0, 0, 0]))
        if logs or sum(dropped):
            self._todo.append(_Request("/v1/logs", _encode.logs(resource, logs, dropped), logs, dropped))

    def _send(self) -> float:
        """Post the first request. Returns how long to wait before the next one; 0 when it is done with."""
        from . import _link

        request = self._todo[0]
        if self._link is None:
            self._link = _link.Link(self._paired, self.token, self.tls, self._begin)
        try:
            status, after, answer = self._link.post(request.path, request.body, request.packed)
        except _link.FAULTS as error:
            self._linked = False
            self._link.hang_up()
            if isinstance(error, _pairing.OtherKey) and not self._told:
                self._told = True
                _pairing.complain(error)
            return self._failed(str(error) or repr(error))
        if 200 <= status < 300:
            self.sent += len(request.records)
            self.refused += _link.refused(answer)
            self._todo.pop(0)
            self._worked()
            return 0
        if status == 413 and len(request.records) > 1:
            self._todo.pop(0)
            self._worked()
            rest, self._todo = self._todo, []
            half = len(request.records) // 2
            self._add(request.records[:half], request.dropped)
            self._add(request.records[half:], [0, 0, 0, 0])
            self._todo += rest
            return 0
        if status == 429:
            self.problem = "429 for " + request.path
            return after or self._back_off()
        if 400 <= status < 500 and status not in (401, 403, 408):
            self.problem = "%d for %s" % (status, request.path)
            self._todo.pop(0)
            self.queue.give_back(request.dropped)
            self.queue.lose(request.records)
            if self._failures:
                return self._failed(self.problem)
            self._failures = 1
            return 0  # the next one may be better; the report of the loss is one
        return self._failed("%d for %s" % (status, request.path))

    def _worked(self) -> None:
        self._failures = 0
        self.queue.keep_only_errors(False)
        self.problem = ""

    def _failed(self, problem: str) -> float:
        self.problem = problem
        self._failures += 1
        if self._failures >= OPEN_AFTER:
            self.queue.keep_only_errors(True)
            return LONGEST
        return self._back_off()

    def _back_off(self) -> float:
        bound: float = min(LONGEST, 0.5 * 2**self._failures)
        return 0.001 + int.from_bytes(os.urandom(4), "big") / 2**32 * bound


def is_here(base: SplitResult) -> bool:
    """Say whether an address is of this machine."""
    host = base.hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def tokens(given: str, base: SplitResult) -> Token:
    """Return the function that finds the token, and says whether its holder has to prove itself.

    given is what was set; without it, for this machine only, it is in a file of the user's.
    """
    if given:
        return lambda: (given, False)
    if not is_here(base):
        return lambda: ("", False)
    path = os.environ.get("GASOLINE_TOKEN_FILE", "")
    if not path:
        folder = os.environ.get("GASOLINE_STATE_DIR") or os.path.join(os.path.expanduser("~"), ".gasoline")
        path = os.path.join(folder, "token")

    def read() -> Tuple[str, bool]:
        try:
            with open(path, encoding="ascii") as file:
                token = file.read(4096).strip()
        except (OSError, ValueError):
            return "", False
        return token, token != ""

    return read
