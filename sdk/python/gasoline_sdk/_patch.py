"""Patches of libraries, at once where they are loaded, else when they are."""

from __future__ import annotations

import functools
import importlib.abc
import importlib.util
import sys
import threading
from typing import Any, Callable, Dict, Optional, Sequence

from . import _celery, _client, _http, _logs, _outgoing, _sql, _threads, _trace


def _wsgi(cls: Any) -> None:
    """Patch the class of a WSGI application."""
    call = cls.__call__

    def new_call(self: Any, environ: Any, start_response: Any) -> Any:
        try:
            return _http.wsgi(functools.partial(call, self), environ, start_response)
        except BaseException as error:
            _trace.hide(error)
            raise

    cls.__call__ = new_call


def _asgi(cls: Any) -> None:
    """Patch the class of an ASGI application."""
    call = cls.__call__

    async def new_call(self: Any, scope: Any, receive: Any, send: Any) -> Any:
        try:
            return await _http.asgi(functools.partial(call, self), scope, receive, send)
        except BaseException as error:
            _trace.hide(error)
            raise

    cls.__call__ = new_call


def _flask(module: Any) -> None:
    _wsgi(module.Flask)

    def matched(_app: Any, **_more: Any) -> None:
        try:
            request = sys.modules["flask"].request
            if request.url_rule is not None:
                _http.route(request.environ.get(_http.MARK), request.method, request.url_rule.rule)
        except Exception:
            pass

    # Flask sends it when it knows the route, so that no frame of ours is around what the program does.
    sys.modules["flask.signals"].request_started.connect(matched, weak=False)


def _django_wsgi(module: Any) -> None:
    _wsgi(module.WSGIHandler)


def _django_asgi(module: Any) -> None:
    _asgi(module.ASGIHandler)


def _django_base(module: Any) -> None:
    resolve = module.BaseHandler.resolve_request

    def new_resolve(self: Any, request: Any) -> Any:
        try:
            match = resolve(self, request)
        except BaseException as error:
            _trace.hide(error)
            raise
        try:
            context = _trace.current.get()
            if context is not None and match.route:
                _http.route(context.server, request.method, "/" + match.route.lstrip("^/"))
        except Exception:
            pass
        return match

    module.BaseHandler.resolve_request = new_resolve


def _starlette(module: Any) -> None:
    _asgi(module.Starlette)


def _starlette_routing(module: Any) -> None:
    handle = module.Route.handle

    async def new_handle(self: Any, scope: Any, receive: Any, send: Any) -> None:
        span = scope.get(_http.MARK)
        if isinstance(span, _trace.Span):
            path = scope.get("app_root_path", "") + self.path
            _http.route(span, scope.get("method", "GET"), path)
        try:
            await handle(self, scope, receive, send)
        except BaseException as error:
            _trace.hide(error)
            raise

    module.Route.handle = new_handle


def _aiohttp_server(module: Any) -> None:
    handle = module.Application._handle

    async def new_handle(self: Any, request: Any) -> Any:
        try:
            return await _http.aiohttp(functools.partial(handle, self, request), request)
        except BaseException as error:
            _trace.hide(error)
            raise

    module.Application._handle = new_handle


def _opentelemetry(module: Any) -> None:
    """Leave the spans to OpenTelemetry's SDK from when a processor gets them."""
    add = module.TracerProvider.add_span_processor

    def new_add(self: Any, *args: Any, **kwargs: Any) -> Any:
        _trace.elsewhere = True
        return add(self, *args, **kwargs)

    module.TracerProvider.add_span_processor = new_add


def _multiprocessing(module: Any) -> None:
    """Send what waits when a child of multiprocessing ends: it does so without atexit."""

    def flush_at_end(_client_module: Any) -> None:
        module.Finalize(None, _client.flush, exitpriority=-1)

    module.register_after_fork(_client, flush_at_end)


_PATCHES: Dict[str, Callable[[Any], None]] = {
    "multiprocessing.util": _multiprocessing,
    "threading": _threads.patch_threading,
    "concurrent.futures.thread": _threads.patch_executors,
    "multiprocessing.pool": _threads.patch_pools,
    "http.client": _outgoing.patch_http_client,
    "httpx": _outgoing.patch_httpx,
    "aiohttp.client": _outgoing.patch_aiohttp,
    "aiohttp.web_app": _aiohttp_server,
    "sqlite3": _sql.patch_sqlite,
    "psycopg": _sql.patch_psycopg,
    "psycopg2": _sql.patch_psycopg2,
    "asyncpg.connection": _sql.patch_asyncpg,
    "celery.signals": _celery.patch_celery,
    "flask.app": _flask,
    "django.core.handlers.wsgi": _django_wsgi,
    "django.core.handlers.asgi": _django_asgi,
    "django.core.handlers.base": _django_base,
    "starlette.applications": _starlette,
    "starlette.routing": _starlette_routing,
    "opentelemetry.sdk.trace": _opentelemetry,
    "opentelemetry.sdk._logs._internal": _logs.patch_opentelemetry,
}
_waiting = dict(_PATCHES)
_lock = threading.RLock()
_installed = False


def _apply(name: str, module: Any) -> None:
    with _lock:
        patch = _waiting.pop(name, None)
    if patch is not None:
        try:
            patch(module)
        except Exception:
            pass  # another version than the patch knows: it is not captured


class _Loader(importlib.abc.Loader):
    """A loader that patches its module when it has run."""

    def __init__(self, inner: Any, name: str) -> None:
        self._inner, self._name = inner, name

    def create_module(self, spec: Any) -> Any:
        return self._inner.create_module(spec)

    def exec_module(self, module: Any) -> None:
        spec = getattr(module, "__spec__", None)
        if spec is not None:
            spec.loader = self._inner  # nobody is to see this one
            module.__loader__ = self._inner
        self._inner.exec_module(module)
        _apply(self._name, module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Finder(importlib.abc.MetaPathFinder):
    """A finder that sees which of the libraries is loaded."""

    def __init__(self) -> None:
        self._busy = threading.local()

    def find_spec(self, name: str, path: Optional[Sequence[str]], target: Any = None) -> Any:
        if name not in _waiting or getattr(self._busy, "yes", False):
            return None
        self._busy.yes = True
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, AttributeError, ValueError):
            return None
        finally:
            self._busy.yes = False
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            return None
        spec.loader = _Loader(spec.loader, name)
        return spec


def install() -> None:
    """Patch what is loaded and wait for the rest. Once in a process."""
    global _installed
    with _lock:
        if _installed:
            return
        _installed = True
    _logs.install()
    sys.meta_path.insert(0, _Finder())
    for name in list(_waiting):
        module = sys.modules.get(name)
        if module is not None:
            _apply(name, module)
