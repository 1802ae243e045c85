"""Threads and pools: what a request starts there stays in its trace.

A thread that is started for one task has the context of who started it. A thread of a pool has that of who gave it the task,
and none between tasks. Only ours is handed on: what else a program keeps in a context is as without us. Contexts are set
around what catches the program's errors, so that no frame of ours is in their tracebacks.
"""

from __future__ import annotations

from typing import Any

from . import _trace

# Whose threads serve whoever comes: they do not belong to who happened to start them.
_SERVING = frozenset(("concurrent.futures.thread", "concurrent.futures.process", "multiprocessing.pool"))


def _within(method: Any) -> Any:
    """Return a method that runs in the context which its object was made in."""

    def inside(self: Any, *args: Any, **kwargs: Any) -> Any:
        token = _trace.current.set(getattr(self, "_gasoline", None))
        try:
            return method(self, *args, **kwargs)
        finally:
            _trace.reset(token)

    return inside


def _made(init: Any) -> Any:
    """Return an __init__ that keeps the context which an object is made in."""

    def keeps(self: Any, *args: Any, **kwargs: Any) -> None:
        self._gasoline = _trace.current.get()
        init(self, *args, **kwargs)

    return keeps


def patch_threading(module: Any) -> None:
    """Patch threads, and with them timers."""
    cls = module.Thread
    start, bootstrap = cls.start, cls._bootstrap_inner

    def new_start(self: Any) -> None:
        kind = type(self).__module__
        target = getattr(getattr(self, "_target", None), "__module__", None)
        if target not in _SERVING and kind not in _SERVING and not kind.startswith("gasoline_sdk"):
            self._gasoline = _trace.current.get()
        start(self)

    def new_bootstrap(self: Any) -> None:
        context = self.__dict__.pop("_gasoline", None)
        if context is not None:
            _trace.current.set(context)
        bootstrap(self)

    new_start.__doc__ = start.__doc__
    cls.start, cls._bootstrap_inner = new_start, new_bootstrap


def patch_executors(module: Any) -> None:
    """Patch the tasks of thread pools, which asyncio's loops use, too."""
    item = module._WorkItem
    item.__init__, item.run = _made(item.__init__), _within(item.run)


def patch_pools(module: Any) -> None:
    """Patch the jobs of multiprocessing's thread pool. Their callbacks run in a thread of the pool's own."""
    for cls in (module.ApplyResult, module.IMapIterator):
        cls.__init__ = _made(cls.__init__)
    for cls in (module.ApplyResult, module.MapResult):
        cls._set = _within(cls._set)
    pool = module.ThreadPool
    init, setup = pool.__init__, pool._setup_queues

    def new_setup(self: Any) -> None:
        setup(self)
        self._inqueue = _Tasks(self._inqueue)

    def new_init(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        self._inqueue.jobs = self._cache

    new_init.__wrapped__ = init  # type: ignore[attr-defined]
    pool.__init__, pool._setup_queues = new_init, new_setup


class _Tasks:
    """The queue that workers of a pool take tasks from. Who takes one is in its job's context until the next."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.jobs: Any = {}  # not the pool itself, which ends when nobody has it any more

    def get(self, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs:  # by who ends the pool
            return self._inner.get(*args, **kwargs)
        _trace.current.set(None)
        task = self._inner.get()
        if task:
            _trace.current.set(getattr(self.jobs.get(task[0]), "_gasoline", None))
        return task

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
