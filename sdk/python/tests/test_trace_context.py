import asyncio
import http.server
import threading
import urllib.request

from gasoline_sdk import ASGIMiddleware, WSGIMiddleware
from tests.base import PARENT, Case
from tests.test_http import call
from tests.test_redact import fixture


class TraceContext(Case):
    """The rules of W3C Trace Context, which are those of all SDKs: what comes, and what is sent on."""

    def setUp(self):
        super().setUp()
        self.got = got = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                got.append((self.headers.get_all("traceparent"), self.headers.get_all("tracestate")))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *args):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.url = "http://127.0.0.1:%d/" % server.server_port

    def ask(self):
        urllib.request.urlopen(self.url).close()

    def wsgi(self, headers):
        def app(environ, start_response):
            self.ask()
            start_response("200 OK", [])
            return []

        joined = {}
        for name, value in headers:  # as servers of WSGI do it
            name = "HTTP_" + name.upper()
            joined[name] = joined[name] + "," + value if name in joined else value
        call(WSGIMiddleware(app), **joined)

    def asgi(self, headers):
        async def app(scope, receive, send):
            self.ask()

        pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers]
        asyncio.run(ASGIMiddleware(app)({"type": "http", "path": "/", "headers": pairs}, None, None))

    def aiohttp(self, headers):
        from aiohttp import web
        from aiohttp.test_utils import make_mocked_request
        from multidict import CIMultiDict

        async def handler(request):
            self.ask()
            return web.Response()

        async def run():
            app = web.Application()
            app.router.add_get("/", handler)
            await app._handle(make_mocked_request("GET", "/", CIMultiDict(headers), app=app))

        asyncio.run(run())

    def each(self, headers):
        """Yield what is sent on of headers by each kind of server."""
        for serve in (self.wsgi, self.asgi, self.aiohttp):
            del self.got[:]
            serve(headers)
            ((parents, states),) = self.got
            self.assertEqual(len(parents), 1)
            self.assertLessEqual(len(states or ()), 1)
            yield serve.__name__, parents[0], states[0] if states else ""

    def test_traceparent(self):
        for case in fixture("trace-context.json")["parents"]:
            for name, parent, _ in self.each([("traceparent", value) for value in case["headers"]]):
                with self.subTest(case["name"], server=name):
                    version, trace, span, flags = parent.split("-")
                    if "sent" in case:
                        self.assertEqual((version, trace, flags), ("00", case["trace"], case["sent"]))
                        self.assertNotEqual(span, case["span"])
                    else:
                        self.assertEqual((version, flags), ("00", "01"))
                        self.assertNotIn(trace, "".join(case["headers"]).lower())

    def test_tracestate(self):
        for case in fixture("trace-context.json")["states"]:
            for name, _, state in self.each([("traceparent", PARENT), *(("tracestate", value) for value in case["headers"])]):
                with self.subTest(case["name"], server=name):
                    self.assertEqual(state, case["sent"])

    def test_a_tracestate_without_a_trace_is_dropped(self):
        for parents in ([], [("traceparent", "00-x")], [("traceparent", PARENT), ("traceparent", PARENT)]):
            for name, _, state in self.each([*parents, ("tracestate", "a=1")]):
                self.assertEqual(state, "", (name, parents))
