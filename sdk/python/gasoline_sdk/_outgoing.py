"""Requests that go out: http.client, and with it urllib, urllib3 and requests; httpx; aiohttp."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from . import _client, _session, _trace

_ENDS = (".localhost", ".local", ".internal", ".svc", ".svc.cluster.local")


def internal_host(host: str) -> bool:
    """Say whether a name leads to this machine or its own network."""
    import ipaddress

    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.lower().endswith(_ENDS)
    return address.is_loopback or address.is_private or address.is_link_local


def _begin(method: str, scheme: str, host: str, port: Optional[int], target: str) -> Optional[_trace.Span]:
    client = _client.active()
    if client is None or (host, port) == client.address:
        return None
    shown = "[%s]" % host if ":" in host else host
    if port and port != {"http": 80, "https": 443}.get(scheme):
        shown += ":%d" % port
    address = target if "://" in target else "%s://%s%s" % (scheme, shown, target)
    attributes: Dict[str, Any] = {
        "http.request.method": method, "url.full": address, "server.address": host,
    }
    if port:
        attributes["server.port"] = port
    path = target.partition("?")[0]
    return client.begin("%s %s" % (method, path), _trace.CLIENT, attributes)


def _headers(span: Optional[_trace.Span], host: str) -> Dict[str, str]:
    """Return what a request has to say of its trace. A trace that is not captured goes on all the same."""
    context = span.context if span else _trace.current.get()
    client = _client.active()
    if client is None or _trace.elsewhere or context is None or not context.trace:
        return {}
    if span is None and not context.sampled:
        context = context.below()
    out = {"traceparent": context.traceparent()}
    if context.state:
        out["tracestate"] = context.state
    if client.production and context.own and internal_host(host):
        token = client.token()[0]
        if token:
            out[_session.HEADER] = _session.sign(token)
    return out


def _of_its_own(traceparent: Optional[str]) -> bool:
    """Say whether a request has a traceparent that a proxy did not copy from the request that it serves."""
    if not traceparent:
        return False
    context = _trace.current.get()
    served = context.server if context is not None else None
    return served is None or not served.came_with(traceparent)


def _end(span: _trace.Span, status: int) -> None:
    span.set("http.response.status_code", status)
    if status >= 400:
        span.fail()
    span.end()


def _broke(span: Optional[_trace.Span], error: BaseException) -> None:
    _trace.hide(error)
    if span is None:
        return
    if isinstance(error, Exception):
        span.error(error)
    else:
        span.fail("the request was cancelled")
    span.end()


def patch_http_client(module: Any) -> None:
    """Patch HTTPConnection's methods. The header is added when the program's own are known."""
    connection = module.HTTPConnection
    putrequest, endheaders, getresponse = connection.putrequest, connection.endheaders, connection.getresponse

    def new_putrequest(self: Any, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
        self._gasoline = (method, url)
        try:
            return putrequest(self, method, url, *args, **kwargs)
        except BaseException as error:
            _trace.hide(error)
            raise

    def new_endheaders(self: Any, *args: Any, **kwargs: Any) -> Any:
        span = None
        if not getattr(self, "_gasoline_own", False) and _client.active() is not None:
            span = _add(self, module)
        try:
            return endheaders(self, *args, **kwargs)
        except Exception as error:
            _trace.hide(error)
            if span is not None:
                span.error(error)
                span.end()
                self._gasoline_span = None
            raise

    def new_getresponse(self: Any, *args: Any, **kwargs: Any) -> Any:
        span = getattr(self, "_gasoline_span", None)
        self._gasoline_span = None
        try:
            response = getresponse(self, *args, **kwargs)
        except Exception as error:
            _trace.hide(error)
            if span is not None:
                span.error(error)
                span.end()
            raise
        if span is not None:
            _end(span, response.status)
        return response

    connection.putrequest = new_putrequest
    connection.endheaders = new_endheaders
    connection.getresponse = new_getresponse


def _add(self: Any, module: Any) -> Optional[_trace.Span]:
    try:
        given = [line for line in self._buffer if line.lower().startswith(b"traceparent:")]
        if given and _of_its_own(given[0].partition(b":")[2].decode("latin-1")):
            return None
        method, target = self._gasoline
        if method == "CONNECT":
            return None
        secure = isinstance(self, getattr(module, "HTTPSConnection", ()))
        host, port = self._tunnel_host or self.host, self._tunnel_port or self.port
        span = _begin(method, "https" if secure else "http", host, port, target)
        if (host, port) != getattr(_client.active(), "address", None):
            headers = _headers(span, host)
            if given and headers:
                copies = (b"traceparent:", b"tracestate:")
                self._buffer[:] = [line for line in self._buffer if not line.lower().startswith(copies)]
            for name, value in headers.items():
                self.putheader(name, value)
        self._gasoline_span = span
        return span
    except Exception:
        return None


def patch_httpx(module: Any) -> None:
    """Patch the transports that open connections. Those of tests and of users are left alone.

    What is added to a request goes when it was sent: the program may send it again, and redirects take its headers.
    """
    sync, asynchronous = module.HTTPTransport.handle_request, module.AsyncHTTPTransport.handle_async_request

    def begin(request: Any) -> Tuple[Optional[_trace.Span], Any]:
        before = None
        try:
            if _client.active() is None or _of_its_own(request.headers.get("traceparent")):
                return None, None
            url = request.url
            port = url.port or {"http": 80, "https": 443}.get(url.scheme)
            span = _begin(request.method, url.scheme, url.host, port, url.raw_path.decode("ascii", "replace"))
            if (url.host, port) != getattr(_client.active(), "address", None):
                before, request.headers = request.headers, request.headers.copy()
                request.headers.update(_headers(span, url.host))
            return span, before
        except Exception:
            return None, before

    def end(request: Any, before: Any) -> None:
        if before is not None:
            request.headers = before

    def handle_request(self: Any, request: Any) -> Any:
        span, before = begin(request)
        try:
            response = sync(self, request)
        except BaseException as error:
            _broke(span, error)
            raise
        finally:
            end(request, before)
        if span is not None:
            _end(span, response.status_code)
        return response

    async def handle_async_request(self: Any, request: Any) -> Any:
        span, before = begin(request)
        try:
            response = await asynchronous(self, request)
        except BaseException as error:
            _broke(span, error)
            raise
        finally:
            end(request, before)
        if span is not None:
            _end(span, response.status_code)
        return response

    module.HTTPTransport.handle_request = handle_request
    module.AsyncHTTPTransport.handle_async_request = handle_async_request


def patch_aiohttp(module: Any) -> None:
    """Have each session tell of its requests by aiohttp's own tracing. A redirect belongs to the request before it."""
    init = module.ClientSession.__init__

    async def started(_session: Any, context: Any, params: Any) -> None:
        context.gasoline = None
        try:
            if _client.active() is None or _of_its_own(params.headers.get("traceparent")):
                return
            url = params.url
            context.gasoline = _begin(params.method, url.scheme, url.host or "", url.port, url.raw_path_qs)
            if (url.host, url.port) != getattr(_client.active(), "address", None):
                params.headers.update(_headers(context.gasoline, url.host or ""))
        except Exception:
            pass

    async def redirected(_session_: Any, _context: Any, params: Any) -> None:
        try:  # the same headers go to the next place, and this one is for places of our own
            url = params.url
            to = url.join(type(url)(params.response.headers.get("location") or params.response.headers["uri"]))
            if not internal_host(to.host or ""):
                params.headers.pop(_session.HEADER, None)
        except Exception:
            params.headers.pop(_session.HEADER, None)

    async def ended(_session: Any, context: Any, params: Any) -> None:
        if context.gasoline is not None:
            _end(context.gasoline, params.response.status)

    async def failed(_session: Any, context: Any, params: Any) -> None:
        span = context.gasoline
        if span is not None:
            if isinstance(params.exception, Exception):
                span.error(params.exception)
            else:
                span.fail("cancelled")
            span.end()

    def new_init(self: Any, *args: Any, **kwargs: Any) -> None:
        if _client.active() is not None:
            config = module.TraceConfig()
            config.on_request_start.append(started)
            config.on_request_redirect.append(redirected)
            config.on_request_end.append(ended)
            config.on_request_exception.append(failed)
            kwargs["trace_configs"] = [*(kwargs.get("trace_configs") or ()), config]
        init(self, *args, **kwargs)

    new_init.__doc__, new_init.__wrapped__ = init.__doc__, init  # type: ignore[attr-defined]
    module.ClientSession.__init__ = new_init
