"""What was not sent yet, within bounds."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from typing import Any, Deque, Dict, List, NamedTuple, Optional, Tuple, Union

DEBUG, INFO, WARN, ERROR = 0, 1, 2, 3
BATCH_COUNT = 200
BATCH_BYTES = 256 << 10
RANKS = ("debug", "info", "warn", "error")


class Log(NamedTuple):
    """A record of logging. attributes are plain values, which nobody changes any more.

    It is made for each line of the program, of which most may be dropped: what can wait is done when it is sent.
    """

    rank: int
    time: float  # seconds since 1970
    levelno: int
    level: str
    scope: str
    text: str
    path: str  # of the code; "" when unknown
    line: int
    attributes: Optional[Dict[str, Any]]
    left: int  # attributes that were left out
    trace: str
    span: str

    def measure(self) -> int:
        """Return about how many bytes it takes."""
        n = 700 + len(self[5])  # its text; a position takes half of what a name does
        return n + _measure(self.attributes) if self[8] else n


class Span:
    """An operation that has ended. attributes and events are plain values, which nobody changes any more."""

    __slots__ = (
        "attributes", "end", "events", "failed", "kind", "left", "name", "parent", "rank", "span", "state", "text", "time",
        "trace",
    )

    def __init__(self) -> None:
        self.rank = WARN
        self.trace = ""
        self.span = ""
        self.parent = ""
        self.state = ""
        self.time = 0  # nanoseconds since 1970
        self.end = 0
        self.kind = 0
        self.name = ""
        self.text = ""  # why it failed
        self.failed = False
        self.left = 0
        self.attributes: Dict[str, Any] = {}
        self.events: List[Tuple[int, str, Dict[str, Any]]] = []

    def measure(self) -> int:
        """Return about how many bytes it takes."""
        n = 700 + len(self.text) + len(self.name) + len(self.state) + _measure(self.attributes)
        for _, _, attributes in self.events:
            n += _measure(attributes)
        return n


Record = Union[Log, Span]


def _measure(attributes: Dict[str, Any]) -> int:
    n = 100 * len(attributes)
    for key, value in attributes.items():
        kind = type(value)
        n += len(key) + (len(value) if kind is str else 16 if kind is int else 16 * _count(value))
    return n


def _count(value: Any) -> int:
    if isinstance(value, (list, tuple, dict, bytes)):
        return 1 + len(value)
    return 1


class _Counter:
    """Counts without a lock."""

    def __init__(self) -> None:
        numbers = itertools.count()
        self.add = numbers.__next__
        self._looks = 0

    def total(self) -> int:
        """Return how often add was called. For one thread at a time."""
        n = self.add() - self._looks
        self._looks += 1
        return n


_BESIDE = 256  # records that wait while another thread has the lock


class Queue:
    """At most max_count records and max_bytes bytes, dropped by rank, oldest first, and counted.

    What belongs to a trace with an error counts as a warning. While it is full, little is spent on what would be dropped
    anyway: once as many were dropped as a batch has, others that say no more than these are dropped as they come, see skips,
    until a batch was taken. A push does not wait for another one: a thread that lost the
    interpreter while it has the lock would hold up all others.
    """

    def __init__(self, max_count: int = 5000, max_bytes: int = 4 << 20) -> None:
        self.max_count, self.max_bytes = max_count, max_bytes
        self.only_errors = False  # nobody is there
        self._dropped_in_all = 0
        self.forget()

    def forget(self) -> None:
        """Empty it, also in a child process, where another thread's lock is held for ever."""
        self._lock = threading.Lock()
        self._beside: Deque[Tuple[Record, int]] = deque()  # came while the lock was held
        self._lines: Tuple[Deque[Tuple[int, int, Record]], ...] = (deque(), deque(), deque(), deque())  # number, size
        self._count = 0
        self.bytes = 0
        self._next = 0
        self._dropped = [0, 0, 0, 0]
        self._failing: Dict[str, None] = {}
        self.full = False  # some are dropped as they come:
        self._skips_below = 0  # of which ranks
        self._displaced = 0  # since a batch was taken
        self._skipped = (_Counter(), _Counter())
        self._told = [0, 0]  # of these, by rank

    @property
    def dropped_in_all(self) -> int:
        """How many records were dropped since the start."""
        with self._lock:
            self._count_skipped()
            return self._dropped_in_all

    def keep_only_errors(self, only: bool) -> None:
        """Say whether nobody is there who takes anything."""
        self.only_errors = only
        if only:
            self.full, self._skips_below = True, WARN

    def skips(self, rank: int, trace: str) -> bool:
        """Say whether a record need not be made, below WARN and while the queue is full, and count it."""
        if not self.full or rank >= self._skips_below or trace in self._failing:
            return False
        self._skipped[rank].add()
        return True

    def _count_skipped(self) -> None:
        for rank, counter in enumerate(self._skipped):
            total = counter.total()
            self._drop(rank, total - self._told[rank])
            self._told[rank] = total

    @property
    def count(self) -> int:
        """How many records wait."""
        return self._count + len(self._beside)

    def push(self, record: Record) -> bool:
        """Add a record. True when there is a whole batch."""
        size = record.measure()
        lock = self._lock
        if not lock.acquire(False):
            self._beside.append((record, size))
            if len(self._beside) < _BESIDE or not lock.acquire(timeout=0.1):
                return False
            size = 0
        try:
            if self._beside:
                self._catch_up()
            if size:
                self._add(record, size)
        finally:
            lock.release()
        return self._count >= BATCH_COUNT or self.bytes >= BATCH_BYTES

    def _catch_up(self) -> None:
        """Add what came while the lock was held. The lock is held."""
        beside = self._beside
        while beside:
            self._add(*beside.popleft())

    def _add(self, record: Record, size: int) -> None:
        rank = record.rank
        if rank == ERROR and record.trace:
            self._failing[record.trace] = None
            if len(self._failing) > 64:
                del self._failing[next(iter(self._failing))]
        if size > self.max_bytes or (self.only_errors and rank < ERROR and record.trace not in self._failing):
            self._drop(rank)
            return
        while self._count >= self.max_count or self.bytes + size > self.max_bytes:
            if not self._make_room(rank):
                self._drop(rank)
                return
        self._lines[rank].append((self._next, size, record))
        self._next += 1
        self._count += 1
        self.bytes += size

    def _drop(self, rank: int, n: int = 1) -> None:
        self._dropped[rank] += n
        self._dropped_in_all += n

    def _make_room(self, most: int) -> bool:
        for rank in range(most + 1):
            line = self._lines[rank]
            while line:
                oldest = line.popleft()
                if rank < WARN and oldest[2].trace in self._failing:
                    self._lines[WARN].append(oldest)
                    continue
                self._count -= 1
                self.bytes -= oldest[1]
                self._drop(rank)
                self._displaced += 1
                if rank < WARN and self._displaced >= BATCH_COUNT:
                    self.full, self._skips_below = True, rank + 1
                return True
        return False

    def take(self, count: int, size: int) -> Tuple[List[Record], List[int]]:
        """Return the oldest records in the order of their coming, and what was dropped since the last time."""
        out: List[Record] = []
        total = 0
        with self._lock:
            self._catch_up()
            while len(out) < count and self._count:
                best: Optional[Deque[Tuple[int, int, Record]]] = None
                for line in self._lines:
                    if line and (best is None or line[0][0] < best[0][0]):
                        best = line
                if best is None or (out and total + best[0][1] > size):
                    break
                _, took, record = best.popleft()
                total += took
                self._count -= 1
                self.bytes -= took
                out.append(record)
            self.full, self._displaced = self.only_errors, 0
            self._count_skipped()
            dropped, self._dropped = self._dropped, [0, 0, 0, 0]
        return out, dropped

    def give_back(self, dropped: List[int]) -> None:
        """Add counts to the next report."""
        with self._lock:
            for rank, n in enumerate(dropped):
                self._dropped[rank] += n

    def lose(self, records: List[Record]) -> None:
        """Count records that were taken and will not be sent."""
        with self._lock:
            for record in records:
                self._drop(record.rank)
