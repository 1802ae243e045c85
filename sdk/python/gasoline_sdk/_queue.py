"""What was not sent yet, within bounds."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, Deque, Dict, List, Optional, Tuple

DEBUG, INFO, WARN, ERROR = 0, 1, 2, 3
RANKS = ("debug", "info", "warn", "error")


class Record:
    """A log or a span. attributes and events are plain values, which nobody changes any more."""

    __slots__ = (
        "attributes", "end", "events", "failed", "kind", "left", "level", "name", "number", "parent", "rank", "scope",
        "severity", "size", "span", "state", "text", "time", "trace",
    )

    def __init__(self) -> None:
        self.rank = INFO
        self.number = 0
        self.size = 0
        self.trace = ""
        self.span = ""
        self.parent = ""
        self.state = ""
        self.time = 0  # nanoseconds since 1970
        self.end = 0
        self.text = ""
        self.attributes: Dict[str, Any] = {}
        self.events: List[Tuple[int, str, Dict[str, Any]]] = []
        self.left = 0
        self.severity = 0  # of a log
        self.level = ""
        self.scope = ""
        self.kind = 0  # of a span; 0 for a log
        self.name = ""
        self.failed = False

    def measure(self) -> int:
        """Return about how many bytes it takes."""
        n = 700 + len(self.text) + len(self.name) + len(self.state) + 100 * len(self.attributes)
        for key, value in self.attributes.items():
            kind = type(value)
            n += len(key) + (len(value) if kind is str else 16 if kind is int else 16 * _count(value))
        for _, _, attributes in self.events:
            for key, value in attributes.items():
                n += 100 + len(key) + (len(value) if isinstance(value, str) else 32)
        return n


def _count(value: Any) -> int:
    if isinstance(value, (list, tuple, dict, bytes)):
        return 1 + len(value)
    return 1


class Queue:
    """At most max_count records and max_bytes bytes, dropped by rank, oldest first, and counted.

    What belongs to a trace with an error counts as a warning. No lock is held over anything that waits.
    """

    def __init__(self, max_count: int = 5000, max_bytes: int = 4 << 20) -> None:
        self.max_count, self.max_bytes = max_count, max_bytes
        self.only_errors = False  # nobody is there
        self.dropped_in_all = 0
        self.forget()

    def forget(self) -> None:
        """Empty it, also in a child process, where another thread's lock is held for ever."""
        self._lock = threading.Lock()
        self._lines: Tuple[Deque[Record], ...] = (deque(), deque(), deque(), deque())
        self.count = 0
        self.bytes = 0
        self._next = 0
        self._dropped = [0, 0, 0, 0]
        self._failing: Dict[str, None] = {}

    def push(self, record: Record) -> None:
        """Add a record."""
        size = record.size = record.measure()
        rank = record.rank
        with self._lock:
            if rank == ERROR and record.trace:
                self._failing[record.trace] = None
                if len(self._failing) > 64:
                    del self._failing[next(iter(self._failing))]
            if size > self.max_bytes or (self.only_errors and rank < ERROR and record.trace not in self._failing):
                self._drop(rank)
                return
            record.number = self._next
            self._next += 1
            while self.count >= self.max_count or self.bytes + size > self.max_bytes:
                if not self._make_room(rank):
                    self._drop(rank)
                    return
            self._lines[rank].append(record)
            self.count += 1
            self.bytes += size

    def _drop(self, rank: int, n: int = 1) -> None:
        self._dropped[rank] += n
        self.dropped_in_all += n

    def _make_room(self, most: int) -> bool:
        for rank in range(most + 1):
            line = self._lines[rank]
            while line:
                oldest = line.popleft()
                if rank < WARN and oldest.trace in self._failing:
                    self._lines[WARN].append(oldest)
                    continue
                self.count -= 1
                self.bytes -= oldest.size
                self._drop(rank)
                return True
        return False

    def take(self, count: int, size: int) -> Tuple[List[Record], List[int]]:
        """Return the oldest records in the order of their coming, and what was dropped since the last time."""
        out: List[Record] = []
        total = 0
        with self._lock:
            while len(out) < count and self.count:
                best: Optional[Deque[Record]] = None
                for line in self._lines:
                    if line and (best is None or line[0].number < best[0].number):
                        best = line
                if best is None or (out and total + best[0].size > size):
                    break
                record = best.popleft()
                total += record.size
                self.count -= 1
                self.bytes -= record.size
                out.append(record)
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
