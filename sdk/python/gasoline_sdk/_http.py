"""Requests that come in: WSGI, ASGI and aiohttp."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Dict, Iterable, Iterator, List, MutableMapping, Optional, Tuple

from . import _client, _session, _trace

MARK = "gasoline.span"


def _context(
    client: "_client.Client", traceparent: Optional[str], tracestate: Optional[str], session: Optional[str]
) -> _trace.Context:
    context = _trace.parse_traceparent(traceparent) or _trace.Context()
    if context.trace and tracestate:
        context.state = _trace.parse_tracestate(tracestate)
    if client.production:
        context.own = _session.signed(session, client.token()[0])
    return context


def _finish(span: Optional[_trace.Span], status: int, error: Optional[BaseException]) -> None:
    if span is None:
        return
    if status:
        span.set("http.response.status_code", status)
    if error is not None:
        span.error(error, escaped=True)
    elif status >= 500:
        span.fail()
    span.end()


class WSGIMiddleware:
    """Makes a span of each request of a WSGI application."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self.app = app

    def __call__(self, environ: Dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        try:
            return wsgi(self.app, environ, start_response)
        except BaseException as error:
            _trace.hide(error)
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self.app, name)


def _wsgi_span(environ: Dict[str, Any]) -> Tuple[Optional[_trace.Span], Optional[_trace.Context]]:
    client = _client.active()
    if client is None or _trace.elsewhere or MARK in environ:
        return None, None
    try:
        context = _context(
            client, environ.get("HTTP_TRACEPARENT"), environ.get("HTTP_TRACESTATE"), environ.get("HTTP_GASOLINE_SESSION")
        )
        method = environ.get("REQUEST_METHOD", "GET")
        path = _utf8(environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")) or "/"
        attributes: Dict[str, Any] = {
            "http.request.method": method,
            "url.path": path,
            "url.scheme": environ.get("wsgi.url_scheme", "http"),
        }
        if environ.get("QUERY_STRING"):
            attributes["url.query"] = environ["QUERY_STRING"]
        _address(attributes, environ.get("HTTP_HOST") or environ.get("SERVER_NAME", ""))
        if environ.get("REMOTE_ADDR"):
            attributes["client.address"] = environ["REMOTE_ADDR"]
        if environ.get("HTTP_X_REQUEST_ID"):
            attributes["http.request.header.x-request-id"] = [_trace.clip(environ["HTTP_X_REQUEST_ID"], 256)]
        span = client.begin("%s %s" % (method, path), _trace.SERVER, attributes, context)
        environ[MARK] = span
        return span, span.context if span else context
    except Exception:
        return None, None


def _utf8(path: str) -> str:
    """Return a path of WSGI, which has its bytes as characters."""
    try:
        return path.encode("latin-1").decode("utf-8", "replace")
    except UnicodeError:
        return path


def _address(attributes: Dict[str, Any], host: str) -> None:
    name, colon, port = host.rpartition(":")
    if colon and port.isdigit() and not name.endswith(":"):
        attributes["server.address"], attributes["server.port"] = name.strip("[]"), int(port)
    elif host:
        attributes["server.address"] = host.strip("[]")


def wsgi(app: Callable[..., Any], environ: Dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Call a WSGI application within a span, or in a trace that is not captured and goes on all the same."""
    span, context = _wsgi_span(environ)
    if context is None:
        return app(environ, start_response)  # type: ignore[no-any-return]
    seen = [0]
    tell = context.traceparent() if span is not None and not environ.get("HTTP_TRACEPARENT") else ""

    def started(status: str, headers: List[Tuple[str, str]], *exc_info: Any) -> Any:
        try:
            seen[0] = int(status[:3])
            if tell and not any(name.lower() == "traceresponse" for name, _ in headers):
                headers = [*headers, ("traceresponse", tell)]
        except (TypeError, ValueError):
            pass  # the server says what is wrong with it
        return start_response(status, headers, *exc_info)

    token = _trace.current.set(context)
    try:
        result = app(environ, started if span is not None else start_response)
    except BaseException as error:
        _finish(span, seen[0] or 500, error if isinstance(error, Exception) else None)
        raise
    finally:
        _trace.reset(token)
    wrapper = environ.get("wsgi.file_wrapper")
    done = isinstance(result, (list, tuple, bytes)) or (span is None and not context.trace)
    if not done and isinstance(wrapper, type) and isinstance(result, wrapper):
        done = True  # the server sends it by itself: it has to know what it is
    if done:
        _finish(span, seen[0], None)
        return result  # type: ignore[no-any-return]
    return _Body(result, span, context, seen)


class _Body:
    """An answer that is made while it is sent. Its span ends with it."""

    def __init__(
        self, inner: Iterable[bytes], span: Optional[_trace.Span], context: _trace.Context, seen: List[int]
    ) -> None:
        self._inner = inner
        self._span, self._context, self._seen = span, context, seen
        self._iterator: Optional[Iterator[bytes]] = None

    def __iter__(self) -> "_Body":
        return self

    def __next__(self) -> bytes:
        token = _trace.current.set(self._context)
        try:
            if self._iterator is None:
                self._iterator = iter(self._inner)
            return next(self._iterator)
        except StopIteration:
            _finish(self._span, self._seen[0], None)
            raise
        except BaseException as error:
            _trace.hide(error)
            _finish(self._span, self._seen[0] or 500, error if isinstance(error, Exception) else None)
            raise
        finally:
            _trace.reset(token)

    def close(self) -> None:
        token = _trace.current.set(self._context)
        try:
            close = getattr(self._inner, "close", None)
            if close is not None:
                close()
        finally:
            _trace.reset(token)
            _finish(self._span, self._seen[0], None)


Scope = MutableMapping[str, Any]
ASGIApp = Callable[[Scope, Any, Any], Awaitable[None]]


class ASGIMiddleware:
    """Makes a span of each request of an ASGI application, and of each WebSocket connection."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        try:
            await asgi(self.app, scope, receive, send)
        except BaseException as error:
            _trace.hide(error)
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self.app, name)


def _asgi_span(scope: Scope) -> Tuple[Optional[_trace.Span], Optional[_trace.Context], bool]:
    client = _client.active()
    if client is None or _trace.elsewhere or MARK in scope or scope.get("type") not in ("http", "websocket"):
        return None, None, False
    try:
        headers: Dict[bytes, bytes] = {}
        if not isinstance(scope.get("headers"), (list, tuple)):
            scope["headers"] = list(scope.get("headers") or ())  # what can be read once is the application's
        for name, value in scope["headers"]:
            name = name.lower()
            if name in headers and name in (b"traceparent", b"tracestate"):
                value = headers.pop(name) + b"," + value
            headers.setdefault(name, value)

        def header(name: bytes) -> Optional[str]:
            value = headers.get(name)
            return value.decode("latin-1") if value is not None else None

        context = _context(client, header(b"traceparent"), header(b"tracestate"), header(b"gasoline-session"))
        method = scope.get("method", "GET")
        path = scope.get("path") or "/"
        attributes: Dict[str, Any] = {
            "http.request.method": method,
            "url.path": path,
            "url.scheme": scope.get("scheme", "http"),
        }
        if scope.get("query_string"):
            attributes["url.query"] = scope["query_string"].decode("latin-1")
        _address(attributes, header(b"host") or "")
        if scope.get("client"):
            attributes["client.address"] = scope["client"][0]
        if headers.get(b"x-request-id"):
            attributes["http.request.header.x-request-id"] = [_trace.clip(header(b"x-request-id") or "", 256)]
        span = client.begin("%s %s" % (method, path), _trace.SERVER, attributes, context)
        scope[MARK] = span
        return span, span.context if span else context, b"traceparent" not in headers
    except Exception:
        return None, None, False


async def asgi(app: ASGIApp, scope: Scope, receive: Any, send: Any) -> None:
    """Call an ASGI application within a span."""
    span, context, tell = _asgi_span(scope)
    if context is None:
        return await app(scope, receive, send)
    if span is None:
        token = _trace.current.set(context)
        try:
            return await app(scope, receive, send)
        finally:
            _trace.reset(token)
    status = 0
    answered = False

    async def seen(message: MutableMapping[str, Any]) -> None:
        nonlocal status, answered
        kind = message.get("type")
        if kind == "http.response.start":
            status = message.get("status", 0)
            if tell:
                headers = list(message.get("headers") or ())
                if not any(bytes(pair[0]).lower() == b"traceresponse" for pair in headers):
                    headers.append((b"traceresponse", context.traceparent().encode()))
                message = {**message, "headers": headers}
        elif kind == "websocket.accept":
            status = 101
        await send(message)
        # Tasks in the background are no part of the answer. Behind one that says that the application failed, some
        # frameworks raise its error.
        if kind == "http.response.body" and not message.get("more_body") and status < 500:
            answered = True
            _route(span, scope)
            _finish(span, status, None)

    token = _trace.current.set(context)
    try:
        await app(scope, receive, seen)
    except BaseException as error:
        if not answered:
            _route(span, scope)
            _finish(span, status or 500, error if isinstance(error, Exception) else None)
        elif isinstance(error, Exception):
            span.failed_later(error)
        raise
    else:
        if not answered:
            _route(span, scope)
            _finish(span, status, None)
    finally:
        _trace.reset(token)


def _aiohttp_span(request: Any) -> Tuple[Optional[_trace.Span], Optional[_trace.Context], bool]:
    client = _client.active()
    if client is None or _trace.elsewhere:
        return None, None, False
    try:
        header = request.headers.get
        traceparent, tracestate = (",".join(request.headers.getall(name, ())) for name in ("traceparent", "tracestate"))
        context = _context(client, traceparent, tracestate, header("gasoline-session"))
        attributes: Dict[str, Any] = {
            "http.request.method": request.method, "url.path": request.path, "url.scheme": request.scheme,
        }
        if request.query_string:
            attributes["url.query"] = request.rel_url.raw_query_string
        _address(attributes, header("host") or "")
        if request.remote:
            attributes["client.address"] = request.remote
        if header("x-request-id"):
            attributes["http.request.header.x-request-id"] = [_trace.clip(header("x-request-id"), 256)]
        span = client.begin("%s %s" % (request.method, request.path), _trace.SERVER, attributes, context)
        return span, span.context if span else context, not header("traceparent")
    except Exception:
        return None, None, False


async def aiohttp(call: Callable[[], Awaitable[Any]], request: Any) -> Any:
    """Have aiohttp answer a request within a span."""
    span, context, tell = _aiohttp_span(request)
    if context is None:
        return await call()
    token = _trace.current.set(context)
    try:
        response = await call()
    except BaseException as error:
        status = getattr(error, "status", None) if isinstance(getattr(error, "prepared", None), bool) else None
        if span is not None:
            _aiohttp_answered(span, context, request, error if status else None, tell)
            # What aiohttp raises to answer is an answer.
            _finish(span, status or 500, error if status is None and isinstance(error, Exception) else None)
        raise
    finally:
        _trace.reset(token)
    if span is not None:
        _aiohttp_answered(span, context, request, response, tell)
        _finish(span, response.status, None)
    return response


def _aiohttp_answered(span: _trace.Span, context: _trace.Context, request: Any, answer: Any, tell: bool) -> None:
    try:
        resource = request.match_info.route.resource
        if resource is not None:
            route(span, request.method, resource.canonical)
        if tell and answer is not None and not answer.prepared:
            answer.headers.setdefault("traceresponse", context.traceparent())
    except Exception:
        pass


def _route(span: _trace.Span, scope: Scope) -> None:
    path = getattr(scope.get("route"), "path", None)
    if isinstance(path, str):
        route(span, scope.get("method", "GET"), path)


def route(span: Optional[_trace.Span], method: str, path: str) -> None:
    """Say by which route the request of a span was answered."""
    if span is not None and path:
        span.set("http.route", path)
        span.rename("%s %s" % (method, path))


