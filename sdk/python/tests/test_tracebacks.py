import http.client
import io
import logging
import sqlite3
import sys
import traceback
import unittest

import gasoline_sdk
from gasoline_sdk import ASGIMiddleware, WSGIMiddleware, _trace
from tests.base import Case
from tests.test_http import call
from tests.test_preload import Shim

RERAISED = sys.version_info >= (3, 11)  # older ones put the frame back that lets an error go on


class Tracebacks(Case):
    """What a program prints of an error has no frame of ours."""

    def printed(self, run):
        try:
            run()
        except Exception:
            return traceback.format_exc()
        self.fail("nothing was raised")

    def check(self, run, want):
        text = self.printed(run)
        self.assertIn(want, text)
        self.assertNotIn("gasoline_sdk", text)
        with gasoline_sdk.span("root"):
            text = self.printed(run)
        self.assertIn(want, text)
        self.assertNotIn("gasoline_sdk", text)

    def told(self):
        return [event["attributes"]["exception.stacktrace"] for span in self.spans() for event in span.get("events", [])]

    def test_what_a_program_catches_has_the_place_that_asked(self):
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)

        def asks_a_database():
            try:
                connection.execute("SELEC")
            except sqlite3.Error:
                pass

        def asks_a_service():
            try:
                http.client.HTTPConnection("127.0.0.1", 1).request("GET", "/")
            except OSError:
                pass

        with gasoline_sdk.span("root"):
            asks_a_database()
            asks_a_service()
        database, service = self.told()
        for text, place, said in ((database, "asks_a_database", "OperationalError"), (service, "asks_a_service", "Refused")):
            self.assertRegex(text, r'\ATraceback \(most recent call last\):\n  File ')
            self.assertIn("test_tracebacks.py", text)
            self.assertIn("in %s\n" % place, text)
            self.assertNotIn("gasoline_sdk", text)
            self.assertIn(said, text.splitlines()[-1])
        self.assertEqual(service.count("in asks_a_service"), 1)

    def test_the_place_that_asked_is_bounded(self):
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)

        def deep(left):
            if left:
                return deep(left - 1)
            try:
                connection.execute("SELEC")
            except sqlite3.Error as error:
                self.assertLess(len(traceback.extract_tb(error.__traceback__)), 3)
            return None

        def long():
            code = compile("def outer():\n" + " " * 4 + "inner()\n", "/" + "x" * 900, "exec")
            for _ in range(30):
                scope = {"inner": asks[-1]}
                exec(code, scope)
                asks.append(scope["outer"])
            asks[-1]()

        asks = [lambda: deep(0)]
        with gasoline_sdk.span("root"):
            deep(200)
            long()
        recursive, wide = self.told()
        for text in (recursive, wide):
            self.assertLessEqual(len(text), _trace.MAX_TEXT)
            self.assertIn("in deep\n", text)
            self.assertIn("OperationalError", text.splitlines()[-1])
        self.assertIn("in outer\n", wide)

    @unittest.skipUnless(RERAISED, "the frame is put back")
    def test_of_what_a_program_calls(self):
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)
        proxy = gasoline_sdk.wrap_connection(connection, "x")
        for run in (
            lambda: connection.execute("SELEC"), lambda: connection.executemany("SELEC", []),
            lambda: connection.executescript("SELEC"), lambda: connection.cursor().execute("SELEC"),
            lambda: proxy.cursor().execute("SELEC"), lambda: proxy.cursor().executemany("SELEC", []),
        ):
            self.check(run, 'near "SELEC"')

        def unreachable():
            connection = http.client.HTTPConnection("127.0.0.1", 1)
            connection.request("GET", "/")

        self.check(unreachable, "ConnectionRefusedError")

        def idle():
            http.client.HTTPConnection("127.0.0.1", 1).getresponse()

        self.check(idle, "in idle")

    @unittest.skipUnless(RERAISED, "the frame is put back")
    def test_of_applications(self):
        def app(environ, start_response):
            raise ValueError("of the application")

        self.check(lambda: call(WSGIMiddleware(app)), "in app")

        async def asynchronous(scope, receive, send):
            raise ValueError("of the application")

        def run():
            coroutine = ASGIMiddleware(asynchronous)({"type": "http", "path": "/", "headers": []}, None, None)
            coroutine.send(None)

        self.check(run, "in asynchronous")

    def test_of_what_is_logged(self):
        out = io.StringIO()
        handler = logging.StreamHandler(out)
        logger = logging.Logger("of the test")
        logger.addHandler(handler)
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)

        def failing():
            try:
                connection.execute("SELEC")
            except sqlite3.Error as error:
                raise ValueError("outer") from error

        try:
            failing()
        except ValueError:
            logger.exception("it failed")
        self.assertIn("in failing", out.getvalue())
        self.assertIn('near "SELEC"', out.getvalue())
        self.assertNotIn("gasoline_sdk", out.getvalue())
        (log,) = (e for e in self.logs() if e["text"] == "it failed")
        self.assertNotIn("gasoline_sdk", log["attributes"]["exception.stacktrace"])

    def test_a_group_and_a_circle_of_errors(self):
        group = ValueError("a group")
        group.exceptions = (ValueError("a"), group, "no error")
        group.__cause__, group.exceptions[0].__context__ = group, group
        for error in (group, None, group.exceptions[0]):
            _trace.hide(error)

    def test_of_flask(self):
        import flask

        app = flask.Flask("of_the_test")
        out = io.StringIO()
        app.logger.addHandler(logging.StreamHandler(out))
        app.logger.propagate = False

        @app.route("/items/<number>")
        def item(number):
            raise ValueError("no price")

        self.assertTrue(call(app, "/items/1")[0].startswith("500"))
        self.assertIn("in item", out.getvalue())
        self.assertNotIn("gasoline_sdk", out.getvalue())
        span = next(s for s in self.spans() if s["kind"] == 2)
        self.assertEqual(span["attributes"]["http.route"], "/items/<number>")


class Uncaught(Shim):
    def test_what_ends_a_program(self):
        program = self.write("p.py", """
            import asyncio, sqlite3
            async def main():
                c = sqlite3.connect(":memory:")
                try:
                    c.execute("SELEC")
                finally:
                    c.close()
            asyncio.run(main())
        """)
        with_it, without = self.run_program(sys.executable, program), self.run_program(sys.executable, program, GASOLINE="off")
        self.assertEqual((with_it.returncode, with_it.stderr), (without.returncode, without.stderr))
