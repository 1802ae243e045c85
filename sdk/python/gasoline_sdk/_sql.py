"""Queries: sqlite3, psycopg and asyncpg by themselves, other drivers of DB-API 2.0 by wrap_connection."""

from __future__ import annotations

import re
import sys
from typing import Any, Callable, Dict, Optional

from . import _client, _trace

MAX_QUERY = 4 << 10
_table = re.compile(r"\b(?:FROM|INTO|^UPDATE)\s+[\"`\[]?([\w.]+)", re.IGNORECASE)


def _name(query: str) -> str:
    verb = query.lstrip()[:24].partition(" ")[0].partition("\n")[0].upper()
    found = _table.search(query[:512])
    return "%s %s" % (verb, found.group(1)) if found else verb or "query"


def begin(system: str, query: Any) -> Optional[_trace.Span]:
    """Begin the span of a query within what runs now. None when nothing does, or nothing is captured."""
    context = _trace.current.get()
    client = _client.active()
    if client is None or context is None or not context.trace or query is None:
        return None
    try:
        text = query.decode("utf-8", "replace") if isinstance(query, bytes) else str(query)
        attributes: Dict[str, Any] = {"db.system.name": system, "db.query.text": _trace.clip(text, MAX_QUERY)}
        return client.begin(_name(text), _trace.CLIENT, attributes)
    except Exception:
        return None


def _failed(system: str, query: Any, span: Optional[_trace.Span], error: Exception) -> None:
    """Record a failure, also one outside of a span."""
    client = _client.active()
    if client is None or _trace.elsewhere or query is None:
        return
    if span is None:
        context = _trace.current.get()
        if context is not None and context.trace:
            return  # not sampled, or the program's own in production
        if client.production and not client.error_passes():
            return
        text = str(query)
        span = _trace.Span(client, _name(text), _trace.CLIENT, None, {
            "db.system.name": system, "db.query.text": _trace.clip(text, MAX_QUERY),
        })
    span.set("error.type", _trace.type_name(error))
    span.error(error)
    span.end()


def _given_up(span: Optional[_trace.Span]) -> None:
    """End the span of a query whose task was cancelled, or which took its caller too long."""
    if span is not None:
        span.fail("the query was given up")
        span.end()


def run(system: str, query: Any, call: Callable[[], Any]) -> Any:
    """Make a call that asks a database within a span."""
    span = begin(system, query)
    try:
        result = call()
    except Exception as error:
        _failed(system, query, span, error)
        raise
    except BaseException:
        _given_up(span)
        raise
    if span is not None:
        span.end()
    return result


def patch_sqlite(module: Any) -> None:
    """Patch connect, so that connections are of a subclass of their factory. isinstance and the methods stay.

    Ours stand between a factory of the program's and sqlite3's own class: what the program overrides is called first.
    """
    connect = module.connect
    made: Dict[Any, Any] = {}

    def cursors(base: Any) -> Any:
        found = made.get(base)
        if found is None:

            class Cursor(base):  # type: ignore[misc]
                def execute(self, sql: Any, *args: Any, **kwargs: Any) -> Any:
                    return run("sqlite", sql, lambda: base.execute(self, sql, *args, **kwargs))

                def executemany(self, sql: Any, *args: Any, **kwargs: Any) -> Any:
                    return run("sqlite", sql, lambda: base.executemany(self, sql, *args, **kwargs))

                def executescript(self, sql: Any) -> Any:
                    return run("sqlite", sql, lambda: base.executescript(self, sql))

            Cursor.__name__, Cursor.__qualname__, Cursor.__module__ = base.__name__, base.__qualname__, base.__module__
            found = made[base] = Cursor
        return found

    base = module.Connection

    class Connection(base):  # type: ignore[misc]
        __slots__ = ()

        def cursor(self, factory: Any = module.Cursor) -> Any:
            if isinstance(factory, type) and issubclass(factory, module.Cursor):
                factory = cursors(factory)
            return base.cursor(self, factory)

        # Some versions call the cursor's methods here, some do not: these always do.
        def execute(self, sql: Any, *args: Any) -> Any:
            return self.cursor().execute(sql, *args)

        def executemany(self, sql: Any, *args: Any) -> Any:
            return self.cursor().executemany(sql, *args)

        def executescript(self, sql: Any) -> Any:
            return self.cursor().executescript(sql)

        if sys.version_info >= (3, 10):  # older ones call commit and rollback, whose they ever are

            def __exit__(self, kind: Any, error: Any, tb: Any) -> bool:
                if kind is not None:
                    Connection.rollback(self)
                    return False
                try:
                    Connection.commit(self)
                except BaseException:
                    Connection.rollback(self)
                    raise
                return False

        def commit(self) -> Any:
            return base.commit(self) if not self.in_transaction else run("sqlite", "COMMIT", lambda: base.commit(self))

        def rollback(self) -> Any:
            if not self.in_transaction:
                return base.rollback(self)
            return run("sqlite", "ROLLBACK", lambda: base.rollback(self))

    Connection.__name__, Connection.__qualname__, Connection.__module__ = base.__name__, base.__qualname__, base.__module__
    made[base] = Connection

    def connections(factory: Any) -> Any:
        """Return the class for a factory; what is no subclass of sqlite3's is left alone."""
        if not isinstance(factory, type) or not issubclass(factory, base):
            return factory
        found = made.get(factory)
        if found is None:
            try:
                found = type(factory)(factory.__name__, (factory, Connection), {
                    "__module__": factory.__module__, "__qualname__": factory.__qualname__, "__doc__": factory.__doc__,
                })
            except TypeError:
                found = factory  # its class cannot have another one below it
            made[factory] = found
        return found

    def new_connect(*args: Any, **kwargs: Any) -> Any:
        if _client.active() is not None:
            if len(args) > 5:
                args = (*args[:5], connections(args[5]), *args[6:])
            else:
                kwargs["factory"] = connections(kwargs.get("factory", base))
        return connect(*args, **kwargs)

    new_connect.__doc__ = connect.__doc__
    module.connect = new_connect
    if hasattr(module, "dbapi2"):
        module.dbapi2.connect = new_connect


def _patch_method(cls: Any, name: str, system: str, text: Callable[[Any, Any], Any]) -> None:
    """Patch a method whose first argument is a query. text returns it as it is sent."""
    inner = cls.__dict__[name]

    def method(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        return run(system, text(self, query), lambda: inner(self, query, *args, **kwargs))

    method.__name__, method.__qualname__, method.__doc__ = name, inner.__qualname__, inner.__doc__
    setattr(cls, name, method)


def _patch_coroutine(cls: Any, name: str, system: str, text: Callable[[Any, Any], Any]) -> None:
    inner = cls.__dict__[name]

    async def method(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        span = begin(system, text(self, query))
        try:
            result = await inner(self, query, *args, **kwargs)
        except Exception as error:
            _failed(system, text(self, query), span, error)
            raise
        except BaseException:
            _given_up(span)
            raise
        if span is not None:
            span.end()
        return result

    method.__name__, method.__qualname__, method.__doc__ = name, inner.__qualname__, inner.__doc__
    setattr(cls, name, method)


def patch_psycopg(module: Any) -> None:
    """Patch the cursors of psycopg 3. Connection.execute uses them."""

    def text(cursor: Any, query: Any) -> Any:
        if isinstance(query, (str, bytes)) or _client.active() is None:
            return query
        try:
            return query.as_string(cursor)  # one of psycopg.sql
        except Exception:
            return query

    for name in ("execute", "executemany"):
        for cls in (module.Cursor, module.ServerCursor):
            _patch_method(cls, name, "postgresql", text)
        for cls in (module.AsyncCursor, module.AsyncServerCursor):
            _patch_coroutine(cls, name, "postgresql", text)


def patch_asyncpg(module: Any) -> None:
    """Patch the connections of asyncpg, and with them its pools and transactions."""

    def text(connection: Any, query: Any) -> Any:
        # What a pool does to a connection that comes back is not the program's.
        return None if query == getattr(connection, "_reset_query", None) else query

    for name in ("execute", "executemany", "fetch", "fetchval", "fetchrow", "fetchmany"):
        if name in module.Connection.__dict__:
            _patch_coroutine(module.Connection, name, "postgresql", text)


class _Cursor:
    """A cursor of any driver. What it has not itself is the driver's."""

    def __init__(self, inner: Any, system: str) -> None:
        self.__dict__["_inner"], self.__dict__["_system"] = inner, system

    def execute(self, query: Any, *args: Any, **kwargs: Any) -> Any:
        result = run(self._system, query, lambda: self._inner.execute(query, *args, **kwargs))
        return self if result is self._inner else result

    def executemany(self, query: Any, *args: Any, **kwargs: Any) -> Any:
        result = run(self._system, query, lambda: self._inner.executemany(query, *args, **kwargs))
        return self if result is self._inner else result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._inner, name, value)

    def __iter__(self) -> Any:
        return iter(self._inner)

    def __enter__(self) -> "_Cursor":
        self._inner.__enter__()
        return self

    def __exit__(self, *args: Any) -> Any:
        return self._inner.__exit__(*args)


class _Connection:
    """A connection of any driver. What it has not itself is the driver's."""

    def __init__(self, inner: Any, system: str) -> None:
        self.__dict__["_inner"], self.__dict__["_system"] = inner, system

    def cursor(self, *args: Any, **kwargs: Any) -> _Cursor:
        return _Cursor(self._inner.cursor(*args, **kwargs), self._system)

    def commit(self) -> Any:
        return run(self._system, "COMMIT", self._inner.commit)

    def rollback(self) -> Any:
        return run(self._system, "ROLLBACK", self._inner.rollback)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._inner, name, value)

    def __enter__(self) -> "_Connection":
        self._inner.__enter__()
        return self

    def __exit__(self, *args: Any) -> Any:
        return self._inner.__exit__(*args)


def wrap_connection(connection: Any, system: str) -> Any:
    """Return a connection of a DB-API driver whose queries are spans. system is OpenTelemetry's name: "mysql"."""
    return _Connection(connection, system)
