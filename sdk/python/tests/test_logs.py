import asyncio
import io
import json
import logging
import subprocess
import sys
import threading

import gasoline_sdk
from gasoline_sdk import _encode, _logs
from tests.base import Case


class Broken:
    def __str__(self):
        raise RuntimeError("no text")


class Logs(Case):
    def test_a_record_has_its_place_trace_and_extras(self):
        log = logging.getLogger("shop.orders")
        log.propagate = False
        log.addHandler(logging.NullHandler())
        with gasoline_sdk.span("work") as span:
            try:
                raise KeyError("price")
            except KeyError:
                log.exception("order %s failed", 7, extra={"order": 7, "password": "hunter2", "odd": Broken()})
        (e,) = self.logs()
        self.assertEqual((e["text"], e["severityNumber"], e["scope"]), ("order 7 failed", 17, "shop.orders"))
        self.assertEqual((e["traceId"], e["spanId"]), (span.context.trace, span.context.span))
        a = e["attributes"]
        self.assertEqual((a["order"], a["exception.type"], a["exception.message"]), (7, "KeyError", "'price'"))
        self.assertIn("raise KeyError", a["exception.stacktrace"])
        self.assertTrue(a["code.file.path"].endswith("test_logs.py") and a["code.line.number"] > 10)
        self.assertRegex(a["password"], r"^<password:[0-9a-f]{8}>$")
        self.assertEqual(a["odd"], "(its text cannot be made)")
        self.assertEqual(e["resource"]["service.name"], "shop")

    def test_loggers_that_do_not_propagate_are_seen_once(self):
        log = logging.getLogger("alone")
        log.propagate = False
        out = io.StringIO()
        handler = logging.StreamHandler(out)
        log.addHandler(handler)
        log.addHandler(gasoline_sdk.Handler())
        log.warning("hello")
        log.info("below the level")
        self.assertEqual([e["text"] for e in self.logs()], ["hello"])
        self.assertEqual(out.getvalue(), "hello\n")

    def test_the_programs_records_stay_as_they_are(self):
        seen = []

        class Keep(logging.Handler):
            def emit(self, record):
                seen.append(set(record.__dict__))

        log = logging.getLogger("kept")
        log.addHandler(Keep())
        log.warning("x")
        self.assertEqual(seen[0] - set(logging.makeLogRecord({}).__dict__), {"message"} & seen[0])

    def test_a_record_that_cannot_be_formatted_does_no_harm(self):
        logging.getLogger("bad").addHandler(logging.NullHandler())
        log = logging.getLogger("bad")
        log.propagate = False
        log.warning("%d", "x")
        log.warning("fine")
        self.assertEqual([e["text"] for e in self.logs()], ["fine"])

    def test_errors_of_threads_are_seen_and_printed(self):
        printed = []
        before, threading.excepthook = threading.excepthook, threading.excepthook
        err, sys.stderr = sys.stderr, io.StringIO()
        try:
            t = threading.Thread(target=lambda: 1 / 0)
            t.start()
            t.join()
            printed.append(sys.stderr.getvalue())
        finally:
            sys.stderr, threading.excepthook = err, before
        (e,) = self.logs()
        self.assertEqual(e["attributes"]["exception.type"], "ZeroDivisionError")
        self.assertIn("ZeroDivisionError", printed[0])

    def test_lost_errors_of_asyncio_are_seen(self):
        logging.getLogger("asyncio").addHandler(logging.NullHandler())

        async def main():
            async def fail():
                raise ValueError("lost")

            task = asyncio.ensure_future(fail())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            del task

        asyncio.run(main())
        self.assertIn("lost", [e["attributes"].get("exception.message") for e in self.logs()])

    def test_an_error_that_ends_the_program_is_sent_and_printed(self):
        code = "import gasoline_sdk; gasoline_sdk.start(service='s', url=%r, token='secret'); 1/0" % self.receiver.url
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ZeroDivisionError: division by zero", done.stderr)
        a = self.receiver.logs[0]["attributes"]
        self.assertEqual((a["exception.type"], a["exception.escaped"]), ("ZeroDivisionError", True))

    def test_values_of_all_kinds(self):
        value = {"a": [1, 2.5, None, True, b"\x00"], "deep": {"x": {"y": {"z": {"zz": {"q": {}}}}}}, "big": 1 << 70}
        got = json.loads(_encode.value("v", _logs.plain(value)))
        self.assertEqual(got["kvlistValue"]["values"][0]["value"]["arrayValue"]["values"][0], {"intValue": "1"})

    def test_fields_that_are_too_many_are_counted(self):
        log = logging.getLogger("many")
        log.handlers, log.propagate = [logging.NullHandler()], False
        log.warning("x", extra={"field%d" % i: i for i in range(70)})
        (e,) = self.logs()
        self.assertEqual((len(e["attributes"]), e["droppedAttributesCount"]), (64, 8))

    def test_values_that_are_hard_to_write(self):
        """They come out as JSON, and cost nothing of the batch that they are in."""

        class Text(str):
            def __str__(self):
                return self

        class Number(int):
            def __str__(self):
                raise ValueError

        class Broken:
            def __str__(self):
                raise ValueError

        for given, want in (
            (Text("x"), {"stringValue": "x"}),
            (Number(7), {"intValue": "7"}),
            (-(1 << 63), {"intValue": str(-(1 << 63))}),
            (1 << 63, {"stringValue": str(1 << 63)}),
            (1 << 40_000, {"stringValue": "0x1" + "0" * 1021}),
            (float("nan"), {"doubleValue": "NaN"}),
            (float("-inf"), {"doubleValue": "-Infinity"}),
            (1e300, {"doubleValue": 1e300}),
            ("\0\x1f\u2028\"\\é🙂", {"stringValue": "\0\x1f\u2028\"\\é🙂"}),
            ((), {"arrayValue": {"values": []}}),
            ({1: 2}, {"kvlistValue": {"values": [{"key": "1", "value": {"intValue": "2"}}]}}),
            (Broken(), {"stringValue": "(its text cannot be made)"}),
        ):
            with self.subTest(repr(want)[:60]):
                self.assertEqual(json.loads(_encode.value("v", _logs.plain(given))), want)
        self.assertEqual(_encode.value("v", Broken()), '{"stringValue":"(its text cannot be made)"}')  # of a span
        self.assertRegex(_encode.value("user.password", 1234), r'\A{"stringValue":"<password:[0-9a-f]{8}>"}\Z')
        self.assertEqual(_encode.value("password", False), '{"boolValue":false}')
        for i in range(5000):  # names that come once do not stay
            _encode.value("name %d" % i, 1)
        self.assertLessEqual(len(_encode._names), 1024)
