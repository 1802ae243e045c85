"""Queries: sqlite3, psycopg, psycopg2 and asyncpg by themselves, other drivers of DB-API 2.0 by wrap_connection."""

from __future__ import annotations

import re
import sys
from typing import Any, Callable, Dict, Optional, Tuple

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


def _like(cls: Any, base: Any) -> Any:
    cls.__name__, cls.__qualname__, cls.__module__ = base.__name__, base.__qualname__, base.__module__
    return cls


def _as_sent(cursor: Any, query: Any) -> Any:
    return query


def _cursors(system: str, names: Tuple[str, ...], text: Callable[[Any, Any], Any] = _as_sent) -> Callable[[Any], Any]:
    """Return what makes of a class of cursors the one below it whose named methods are queries."""
    made: Dict[Any, Any] = {}

    def method(base: Any, name: str) -> Any:
        inner = getattr(base, name)

        @_trace.unseen
        def call(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
            return run(system, text(self, query), lambda: inner(self, query, *args, **kwargs))

        call.__name__, call.__qualname__, call.__doc__ = name, "%s.%s" % (base.__qualname__, name), inner.__doc__
        return call

    def below(base: Any) -> Any:
        found = made.get(base)
        if found is None:
            found = made[base] = _like(type(base)(base.__name__, (base,), {name: method(base, name) for name in names}), base)
        return found

    return below


def _connections(ours: Any, base: Any) -> Callable[[Any], Any]:
    """Return what makes of a program's class of connections the one below it and ours; what is none is left alone.

    Ours stands between the program's and the driver's own class: what the program overrides is called first.
    """
    made: Dict[Any, Any] = {base: ours}

    def below(factory: Any) -> Any:
        if not isinstance(factory, type) or not issubclass(factory, base):
            return factory
        found = made.get(factory)
        if found is None:
            try:
                found = type(factory)(factory.__name__, (factory, ours), {
                    "__module__": factory.__module__, "__qualname__": factory.__qualname__, "__doc__": factory.__doc__,
                })
            except TypeError:
                found = factory  # its class cannot have another one below it
            made[factory] = found
        return found

    return below


def patch_sqlite(module: Any) -> None:
    """Patch connect, so that connections are of a subclass of their factory. isinstance and the methods stay."""
    connect = module.connect
    cursors = _cursors("sqlite", ("execute", "executemany", "executescript"))
    base = module.Connection

    class Connection(base):  # type: ignore[misc]
        __slots__ = ()

        def cursor(self, factory: Any = module.Cursor) -> Any:
            if isinstance(factory, type) and issubclass(factory, module.Cursor):
                factory = cursors(factory)
            return base.cursor(self, factory)

        # Some versions call the cursor's methods here, some do not: these always do.
        @_trace.unseen
        def execute(self, sql: Any, *args: Any) -> Any:
            return self.cursor().execute(sql, *args)

        @_trace.unseen
        def executemany(self, sql: Any, *args: Any) -> Any:
            return self.cursor().executemany(sql, *args)

        @_trace.unseen
        def executescript(self, sql: Any) -> Any:
            return self.cursor().executescript(sql)

        if sys.version_info >= (3, 10):  # older ones call commit and rollback, whose they ever are

            @_trace.unseen
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

        @_trace.unseen
        def commit(self) -> Any:
            return base.commit(self) if not self.in_transaction else run("sqlite", "COMMIT", lambda: base.commit(self))

        @_trace.unseen
        def rollback(self) -> Any:
            if not self.in_transaction:
                return base.rollback(self)
            return run("sqlite", "ROLLBACK", lambda: base.rollback(self))

    connections = _connections(_like(Connection, base), base)

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

    @_trace.unseen
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
            _trace.hide(error)
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


def _composed(cursor: Any, query: Any) -> Any:
    """Return a query of psycopg as it is sent."""
    if isinstance(query, (str, bytes)) or _client.active() is None:
        return query
    try:
        return query.as_string(cursor)  # one of psycopg.sql
    except Exception:
        return query


def patch_psycopg(module: Any) -> None:
    """Patch the cursors of psycopg 3. Connection.execute uses them."""
    for name in ("execute", "executemany"):
        for cls in (module.Cursor, module.ServerCursor):
            _patch_method(cls, name, "postgresql", _composed)
        for cls in (module.AsyncCursor, module.AsyncServerCursor):
            _patch_coroutine(cls, name, "postgresql", _composed)


def patch_psycopg2(module: Any) -> None:
    """Patch connect of psycopg2, whose classes cannot be patched: connections and cursors are of subclasses."""
    connect, base, cursor = module.connect, module.extensions.connection, module.extensions.cursor
    cursors = _cursors("postgresql", ("execute", "executemany"), _composed)

    class Connection(base):  # type: ignore[misc]
        def cursor(self, name: Any = None, cursor_factory: Any = None, *args: Any, **kwargs: Any) -> Any:
            wanted = cursor_factory or self.cursor_factory or cursor
            if isinstance(wanted, type) and issubclass(wanted, cursor):
                wanted = cursors(wanted)
            return base.cursor(self, name, wanted, *args, **kwargs)

    connections = _connections(_like(Connection, base), base)

    def new_connect(dsn: Any = None, connection_factory: Any = None, *args: Any, **kwargs: Any) -> Any:
        if _client.active() is not None:
            connection_factory = connections(connection_factory or base)
        return connect(dsn, connection_factory, *args, **kwargs)

    new_connect.__doc__ = connect.__doc__
    module.connect = new_connect


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

    @_trace.unseen
    def execute(self, query: Any, *args: Any, **kwargs: Any) -> Any:
        result = run(self._system, query, lambda: self._inner.execute(query, *args, **kwargs))
        return self if result is self._inner else result

    @_trace.unseen
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

    @_trace.unseen
    def __exit__(self, *args: Any) -> Any:
        return self._inner.__exit__(*args)


class _Connection:
    """A connection of any driver. What it has not itself is the driver's."""

    def __init__(self, inner: Any, system: str) -> None:
        self.__dict__["_inner"], self.__dict__["_system"] = inner, system

    def cursor(self, *args: Any, **kwargs: Any) -> _Cursor:
        return _Cursor(self._inner.cursor(*args, **kwargs), self._system)

    @_trace.unseen
    def commit(self) -> Any:
        return run(self._system, "COMMIT", self._inner.commit)

    @_trace.unseen
    def rollback(self) -> Any:
        return run(self._system, "ROLLBACK", self._inner.rollback)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._inner, name, value)

    def __enter__(self) -> "_Connection":
        self._inner.__enter__()
        return self

    @_trace.unseen
    def __exit__(self, *args: Any) -> Any:
        return self._inner.__exit__(*args)


def wrap_connection(connection: Any, system: str) -> Any:
    """Return a connection of a DB-API driver whose queries are spans. system is OpenTelemetry's name: "mysql"."""
    return _Connection(connection, system)
