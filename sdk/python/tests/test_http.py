import asyncio
import http.client
import io
import sqlite3
import threading
import urllib.request
import wsgiref.simple_server
import wsgiref.util

import gasoline_sdk
from gasoline_sdk import ASGIMiddleware, WSGIMiddleware
from gasoline_sdk._trace import parse_traceparent
from tests.base import PARENT, SPAN, TRACE, Case


def call(app, path="/", **environ):
    """Call a WSGI application as a server does. Returns status, headers, body."""
    full = {"PATH_INFO": path, "QUERY_STRING": "", **environ}
    wsgiref.util.setup_testing_defaults(full)
    seen = []

    def start_response(status, headers, *exc_info):
        seen[:] = [status, headers, exc_info]
        return lambda data: None

    result = app(full, start_response)
    try:
        body = b"".join(result)
    finally:
        if hasattr(result, "close"):
            result.close()
    return seen[0], dict(seen[1]), body, seen[2]


class WSGI(Case):
    def test_a_request_is_a_span_below_the_callers(self):
        def app(environ, start_response):
            start_response("418 Teapot", [("Content-Type", "text/plain")])
            return [gasoline_sdk.current_traceparent().encode()]

        status, headers, body, exc_info = call(
            WSGIMiddleware(app), "/pot", QUERY_STRING="token=hunter22&x=1", HTTP_TRACEPARENT=PARENT, HTTP_TRACESTATE="a=1"
        )
        (s,) = self.spans()
        self.assertEqual((s["traceId"], s["parentSpanId"], s["kind"], s["traceState"]), (TRACE, SPAN, 2, "a=1"))
        self.assertEqual(body.decode(), "00-%s-%s-01" % (TRACE, s["spanId"]))
        a = s["attributes"]
        self.assertEqual((a["url.path"], a["http.response.status_code"]), ("/pot", 418))
        self.assertTrue(a["url.query"].startswith("token=<token:"))
        self.assertEqual((status, exc_info), ("418 Teapot", ()))
        self.assertNotIn("traceresponse", headers)

    def test_an_answer_that_is_made_while_it_is_sent_ends_the_span(self):
        closed = []

        class Body:
            def __iter__(self):
                yield gasoline_sdk.current_traceparent().encode()
                raise ValueError("in the middle")

            def close(self):
                closed.append(gasoline_sdk.current_traceparent())

        def app(environ, start_response):
            start_response("200 OK", [])
            return Body()

        with self.assertRaises(ValueError):
            call(WSGIMiddleware(WSGIMiddleware(app)))
        (s,) = self.spans()
        self.assertEqual(s["events"][0]["attributes"]["exception.message"], "in the middle")
        self.assertEqual(closed, ["00-%s-%s-01" % (s["traceId"], s["spanId"])])
        self.assertEqual(gasoline_sdk.current_traceparent(), "")

    def test_exc_info_is_passed_only_when_it_is_there(self):
        def app(environ, start_response):
            try:
                raise ValueError("x")
            except ValueError:
                import sys

                start_response("500 Oops", [], sys.exc_info())
            return [b""]

        self.assertIs(call(WSGIMiddleware(app))[3][0][0], ValueError)
        self.assertEqual(self.spans()[0]["status"]["code"], 2)

    def test_files_reach_the_server_as_they_are(self):
        file = wsgiref.util.FileWrapper(io.BytesIO(b"data"))

        def app(environ, start_response):
            start_response("200 OK", [])
            return file

        environ = {"wsgi.file_wrapper": wsgiref.util.FileWrapper}
        wsgiref.util.setup_testing_defaults(environ)
        self.assertIs(WSGIMiddleware(app)(environ, lambda *a: None), file)
        self.assertEqual(len(self.spans()), 1)

    def test_a_request_without_a_trace_is_told_its_own(self):
        def app(environ, start_response):
            start_response("200 OK", [])
            return [b"x"]

        _, headers, _, _ = call(WSGIMiddleware(app))
        self.assertEqual(parse_traceparent(headers["traceresponse"]).span, self.spans()[0]["spanId"])

    def test_a_trace_that_is_not_sampled_is_not_sent(self):
        def app(environ, start_response):
            start_response("200 OK", [])
            return [gasoline_sdk.current_traceparent().encode()]

        asked = PARENT[:-1] + "0"
        self.assertEqual(call(WSGIMiddleware(app), HTTP_TRACEPARENT=asked)[2].decode(), asked)
        self.assertEqual(self.spans(), [])

    def test_an_answer_of_a_trace_that_is_not_sampled_stays_in_it_to_its_end(self):
        closed = []

        class Body:
            def __iter__(self):
                with gasoline_sdk.span("of no trace"):
                    yield gasoline_sdk.current_traceparent().encode()

            def close(self):
                closed.append(gasoline_sdk.current_traceparent())

        def app(environ, start_response):
            start_response("200 OK", [])
            return Body()

        parent = PARENT[:-1] + "0"
        self.assertEqual(call(WSGIMiddleware(app), HTTP_TRACEPARENT=parent)[2], parent.encode())
        self.assertEqual((closed, self.spans()), ([parent], []))
        self.assertEqual(gasoline_sdk.current_traceparent(), "")

    def test_in_production_only_own_requests(self):
        def app(environ, start_response):
            start_response("200 OK", [])
            return [b"x"]

        self.client.production = True
        call(WSGIMiddleware(app))
        call(WSGIMiddleware(app), HTTP_GASOLINE_SESSION=gasoline_sdk.sign("another token"))
        call(WSGIMiddleware(app), HTTP_GASOLINE_SESSION=gasoline_sdk.sign("secret", 1))
        self.assertEqual(self.spans(), [])
        call(WSGIMiddleware(app), HTTP_GASOLINE_SESSION=gasoline_sdk.sign("secret"))
        self.assertEqual(len(self.spans()), 1)


class ASGI(Case):
    def request(self, app, headers=()):
        sent = []

        async def main():
            async def send(message):
                sent.append(message)

            scope = {"type": "http", "method": "GET", "path": "/a", "headers": headers, "query_string": b"a=1"}
            await app(scope, None, send)

        asyncio.run(main())
        return sent

    def test_a_request_is_a_span_below_the_callers(self):
        async def app(scope, receive, send):
            await send({"type": "http.response.start", "status": 201, "headers": []})
            await send({"type": "http.response.body", "body": gasoline_sdk.current_traceparent().encode()})

        sent = self.request(ASGIMiddleware(ASGIMiddleware(app)), [(b"traceparent", PARENT.encode())])
        (s,) = self.spans()
        self.assertEqual((s["traceId"], s["parentSpanId"]), (TRACE, SPAN))
        self.assertEqual(s["attributes"]["http.response.status_code"], 201)
        self.assertEqual(sent[1]["body"].decode(), "00-%s-%s-01" % (TRACE, s["spanId"]))

    def test_an_error_is_recorded_and_goes_on(self):
        async def app(scope, receive, send):
            raise ValueError("boom")

        with self.assertRaises(ValueError):
            self.request(ASGIMiddleware(app))
        (s,) = self.spans()
        self.assertEqual(s["attributes"]["http.response.status_code"], 500)
        a = s["events"][0]["attributes"]
        self.assertEqual((a["exception.type"], a["exception.escaped"]), ("ValueError", True))


    def test_the_span_ends_with_the_answer(self):
        async def app(scope, receive, send):
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"a", "more_body": True})
            self.assertEqual(self.client.queue.count, 0)
            await send({"type": "http.response.body", "body": b"b"})
            self.assertEqual(self.client.queue.count, 1)  # what is done behind it is not the answer's time
            raise ValueError("in the background")

        with self.assertRaises(ValueError):
            self.request(ASGIMiddleware(app))
        answered, after = self.spans()
        self.assertEqual((answered["kind"], answered["attributes"]["http.response.status_code"]), (2, 200))
        self.assertEqual((answered.get("status"), answered.get("events")), (None, []))
        self.assertEqual((after["parentSpanId"], after["status"]["code"]), (answered["spanId"], 2))
        self.assertEqual(after["events"][0]["attributes"]["exception.message"], "in the background")

    def test_headers_may_be_anything_that_is_iterated(self):
        got = []

        async def app(scope, receive, send):
            got.extend(scope["headers"])
            await send({"type": "http.response.start", "status": 200, "headers": iter([(b"content-type", b"text/css")])})
            await send({"type": "http.response.body"})

        sent = self.request(ASGIMiddleware(app), iter([(b"x-request-id", b"r1")]))
        self.assertEqual(got, [(b"x-request-id", b"r1")])
        self.assertEqual([name for name, _ in sent[0]["headers"]], [b"content-type", b"traceresponse"])
        self.assertEqual(self.spans()[0]["attributes"]["http.request.header.x-request-id"], ["r1"])

    def test_an_error_that_is_raised_behind_its_own_answer(self):
        async def app(scope, receive, send):  # as Starlette does
            await send({"type": "http.response.start", "status": 500, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            raise ValueError("boom")

        with self.assertRaises(ValueError):
            self.request(ASGIMiddleware(app))
        (s,) = self.spans()
        self.assertEqual(s["events"][0]["attributes"]["exception.message"], "boom")


class Outgoing(Case):
    def setUp(self):
        super().setUp()
        self.headers = []
        self.moved = "/a"

        def app(environ, start_response):
            self.headers.append({k: v for k, v in environ.items() if k.startswith("HTTP_")})
            status = {"/no": "404 Not Found", "/moved": "302 Found"}.get(environ["PATH_INFO"], "200 OK")
            start_response(status, [("Content-Length", "2"), ("Location", self.moved)])
            return [b"ok"]

        class Quiet(wsgiref.simple_server.WSGIRequestHandler):
            def log_message(self, *args):
                pass

        server = wsgiref.simple_server.make_server("127.0.0.1", 0, app, handler_class=Quiet)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.port = server.server_port
        self.url = "http://127.0.0.1:%d" % server.server_port

    def check(self, status=200, path="/a"):
        root, client = {s["name"]: s for s in self.spans()}["root"], self.receiver.spans[0]
        self.assertEqual(client["parentSpanId"], root["spanId"])
        self.assertEqual(self.headers[0]["HTTP_TRACEPARENT"], "00-%s-%s-01" % (root["traceId"], client["spanId"]))
        a = client["attributes"]
        self.assertEqual((a["http.response.status_code"], a["server.port"]), (status, self.port))
        self.assertRegex(a["url.full"], "^" + self.url + path + r"\?password=<password:\w{8}>$")

    def test_urllib(self):
        with gasoline_sdk.span("root"), urllib.request.urlopen(self.url + "/a?password=x1") as answer:
            self.assertEqual(answer.read(), b"ok")
        self.check()

    def test_requests(self):
        import requests

        with gasoline_sdk.span("root"):
            self.assertEqual(requests.get(self.url + "/no?password=x1", timeout=5).text, "ok")
        self.check(404, "/no")

    def test_httpx(self):
        import httpx

        with gasoline_sdk.span("root"):
            self.assertEqual(httpx.get(self.url + "/a?password=x1", trust_env=False).text, "ok")
        self.check()

    def test_httpx_async(self):
        import httpx

        async def main():
            async with httpx.AsyncClient(trust_env=False) as client:
                return (await client.get(self.url + "/a?password=x1")).text

        with gasoline_sdk.span("root"):
            self.assertEqual(asyncio.run(main()), "ok")
        self.check()

    def test_httpx_leaves_the_programs_request_as_it_was(self):
        import httpx

        async def later(request):
            async with httpx.AsyncClient(trust_env=False) as client:
                await client.send(request)

        with httpx.Client(trust_env=False) as client:
            request = client.build_request("GET", self.url + "/a")
            before = dict(request.headers)
            with gasoline_sdk.span("first"):
                client.send(request)
            self.assertEqual(dict(request.headers), before)
            with gasoline_sdk.span("second"):
                client.send(request)
        asynchronous = httpx.Request("GET", self.url + "/a")
        with gasoline_sdk.span("third"):
            asyncio.run(later(asynchronous))
        self.assertNotIn("traceparent", asynchronous.headers)
        spans = self.spans()
        self.assertEqual([s["name"] for s in spans], ["GET /a", "first", "GET /a", "second", "GET /a", "third"])
        self.assertEqual(
            [h["HTTP_TRACEPARENT"] for h in self.headers],
            ["00-%s-%s-01" % (s["traceId"], s["spanId"]) for s in spans[::2]],
        )

    def test_httpx_follows_a_redirect(self):
        import httpx

        with gasoline_sdk.span("root"):
            httpx.get(self.url + "/moved", trust_env=False, follow_redirects=True)
        self.assertEqual([s["name"] for s in self.spans()], ["GET /moved", "GET /a", "root"])
        self.assertNotEqual(self.headers[0]["HTTP_TRACEPARENT"], self.headers[1]["HTTP_TRACEPARENT"])

    def test_a_redirect_takes_what_marks_own_requests_to_own_places_only(self):
        import aiohttp
        from aiohttp.abc import AbstractResolver

        class Everywhere(AbstractResolver):
            async def resolve(self, host, port=0, family=0):
                return [{"hostname": host, "host": "127.0.0.1", "port": port, "family": 2, "proto": 0, "flags": 0}]

            async def close(self):
                pass

        async def main():
            async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=Everywhere())) as session:
                async with session.get(self.url + "/moved") as answer:
                    await answer.read()

        def app(environ, start_response):
            asyncio.run(main())
            start_response("200 OK", [])
            return []

        self.client.production = True
        for host, marked in (("api.internal", True), ("shop.example.com", False)):
            del self.headers[:]
            self.moved = "http://%s:%d/a" % (host, self.port)
            call(WSGIMiddleware(app), HTTP_GASOLINE_SESSION=gasoline_sdk.sign("secret"))
            self.assertEqual(["HTTP_GASOLINE_SESSION" in h for h in self.headers], [True, marked], host)

    def test_a_trace_of_the_programs_own_is_left_alone(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", "/", headers={"traceparent": PARENT})
        connection.getresponse().read()
        connection.close()
        self.assertEqual(self.spans(), [])
        self.assertEqual(self.headers[0]["HTTP_TRACEPARENT"], PARENT)

    def test_what_a_proxy_passes_on_is_its_own_request(self):
        import httpx

        async def aio(headers):
            import aiohttp

            async with aiohttp.ClientSession() as session, session.get(self.url + "/a", headers=headers) as answer:
                await answer.read()

        def plain(headers):
            urllib.request.urlopen(urllib.request.Request(self.url + "/a", headers=headers)).close()

        for send in (
            plain,
            lambda headers: httpx.get(self.url + "/a", headers=headers, trust_env=False),
            lambda headers: asyncio.run(aio(headers)),
        ):

            def app(environ, start_response):
                send({"traceparent": environ["HTTP_TRACEPARENT"], "tracestate": environ["HTTP_TRACESTATE"], "x-own": "1"})
                start_response("200 OK", [])
                return []

            del self.headers[:], self.receiver.requests[:]
            call(WSGIMiddleware(app), HTTP_TRACEPARENT=PARENT, HTTP_TRACESTATE="a=1")
            out, served = self.spans()
            (got,) = self.headers
            self.assertEqual((served["parentSpanId"], out["parentSpanId"], out["kind"]), (SPAN, served["spanId"], 3))
            self.assertEqual(got["HTTP_TRACEPARENT"], "00-%s-%s-01" % (TRACE, out["spanId"]))
            self.assertEqual((got["HTTP_TRACESTATE"], got["HTTP_X_OWN"]), ("a=1", "1"))

    def test_what_fails_is_recorded(self):
        with gasoline_sdk.span("root"), self.assertRaises(OSError):
            http.client.HTTPConnection("127.0.0.1", 1, timeout=1).request("GET", "/")
        client = self.spans()[0]
        self.assertEqual(client["status"]["code"], 2)
        self.assertEqual(client["events"][0]["attributes"]["exception.type"], "ConnectionRefusedError")


class SQLite(Case):
    def test_queries_are_spans(self):
        with gasoline_sdk.span("root") as root:
            with sqlite3.connect(":memory:") as db:
                db.execute("CREATE TABLE items (id INTEGER, name TEXT)")
                db.cursor().executemany("INSERT INTO items VALUES (?, ?)", [(1, "a"), (2, "b")])
                self.assertEqual(db.execute("SELECT name FROM items WHERE id = ?", (2,)).fetchall(), [("b",)])
            with self.assertRaises(sqlite3.OperationalError):
                db.execute("SELECT price FROM items")
            db.close()
        spans = self.spans()
        names = [s["name"] for s in spans]
        self.assertEqual(names, ["CREATE", "INSERT items", "SELECT items", "COMMIT", "SELECT items", "root"])
        self.assertEqual({s["parentSpanId"] for s in spans[:-1]}, {root.context.span})
        self.assertEqual(spans[2]["attributes"]["db.query.text"], "SELECT name FROM items WHERE id = ?")
        self.assertEqual(spans[4]["status"]["message"], "no such column: price")

    def test_factories_stay(self):
        class Mine(sqlite3.Connection):
            pass

        db = sqlite3.connect(":memory:", factory=Mine)
        self.assertIsInstance(db, Mine)
        self.assertIsInstance(db.cursor(), sqlite3.Cursor)
        db.close()
        self.assertEqual(self.spans(), [])

    def test_factories_keep_their_methods(self):
        said = []

        class Rows(sqlite3.Cursor):
            def execute(self, sql, parameters=()):
                said.append("cursor")
                return super().execute(sql, parameters)

        class Mine(sqlite3.Connection):
            def cursor(self, factory=Rows):
                return super().cursor(factory)

            def execute(self, sql, parameters=()):
                said.append("connection")
                return super().execute(sql, parameters)

            def __exit__(self, *error):
                super().__exit__(*error)
                self.close()
                said.append("closed")

        class Bare(sqlite3.Connection):
            def cursor(self):
                return super().cursor(Rows)

        with gasoline_sdk.span("root"):
            with sqlite3.connect(":memory:", factory=Mine) as db:
                db.execute("CREATE TABLE items (id INTEGER)")
                self.assertIsInstance(db.cursor(), Rows)
                db.cursor().execute("INSERT INTO items VALUES (?)", parameters=(1,))
            with self.assertRaises(sqlite3.ProgrammingError):
                db.execute("SELECT 1")
            bare = sqlite3.connect(":memory:", factory=Bare)
            bare.cursor().execute("SELECT 2").close()
            bare.close()
        self.assertEqual(said[:5], ["connection", "cursor", "cursor", "closed", "connection"])
        names = [s["name"] for s in self.spans()]
        self.assertEqual(names, ["CREATE", "INSERT items", "COMMIT", "SELECT", "root"])

    def test_a_query_that_is_given_up_is_recorded(self):
        from gasoline_sdk._sql import _patch_coroutine, run

        class Connection:
            async def fetch(self, query):
                await asyncio.Event().wait()

        class Timeout(BaseException):  # as gevent's
            pass

        def late():
            raise Timeout

        _patch_coroutine(Connection, "fetch", "postgresql", lambda _, query: query)

        async def main():
            asked = asyncio.ensure_future(Connection().fetch("SELECT slow"))
            await asyncio.wait([asked], timeout=0)
            asked.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await asked

        with gasoline_sdk.span("root"):
            asyncio.run(main())
            with self.assertRaises(Timeout):
                run("mysql", "SELECT 1", late)
        slow, late_one, _ = self.spans()
        for s in (slow, late_one):
            self.assertEqual((s["status"]["code"], s["status"]["message"]), (2, "the query was given up"))

    def test_a_failure_outside_of_a_request_is_recorded(self):
        db = sqlite3.connect(":memory:")
        with self.assertRaises(sqlite3.OperationalError):
            db.execute("SELECT 1 FROM nowhere")
        db.close()
        (s,) = self.spans()
        self.assertEqual((s["name"], s["status"]["code"]), ("SELECT nowhere", 2))

    def test_other_drivers_are_wrapped(self):
        import sqlite3.dbapi2

        inner = sqlite3.dbapi2.Connection(":memory:")
        db = gasoline_sdk.wrap_connection(inner, "mysql")
        with gasoline_sdk.span("root"):
            cursor = db.cursor()
            cursor.execute("SELECT 1")
            self.assertEqual(list(cursor), [(1,)])
        inner.close()
        self.assertEqual(self.spans()[0]["attributes"]["db.system.name"], "mysql")
