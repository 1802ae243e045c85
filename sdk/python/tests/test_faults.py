import contextlib
import gzip
import io
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import unittest.mock

import gasoline_sdk
from gasoline_sdk import _client, _link, _logs, _queue, _sender, _trace
from tests.base import Case

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def quiet(name):
    log = logging.getLogger(name)
    log.handlers, log.propagate = [logging.NullHandler()], False
    log.setLevel(logging.DEBUG)
    return log


def line(rank, text):
    return _queue.Log(rank, time.time(), 20, "INFO", "some", text, "", 0, None, 0, "", "")


class Faults(Case):
    def texts(self):
        return [e["text"] for e in self.logs()]

    def test_a_full_queue_drops_the_least(self):
        gate = threading.Event()
        self.receiver.answer = lambda *_: (gate.wait(10), (200, {}))[1]
        self.client = self.start(max_records=10)
        log = quiet("full")
        log.error("in flight")
        while self.client.queue.count:
            time.sleep(0.001)
        with gasoline_sdk.span("failing") as span:
            log.debug("of the failing trace")
            log.error("an error")
            span.fail()
        for i in range(8):
            log.debug("debug %d", i)
        for i in range(5):
            log.info("info %d", i)
        log.warning("a warning")
        log.info("info 5")
        log.info("info 6")
        gate.set()
        got = self.texts()
        self.assertEqual(got, ["in flight", "of the failing trace", "an error", "info 1", "info 2", "info 3", "info 4",
                               "a warning", "info 5", "info 6",
                               "9 records of this service were dropped: more came than could be sent"])
        self.assertEqual(self.receiver.logs[-1]["attributes"]["gasoline.dropped.debug"], 8)

    def test_the_queue_is_bounded_in_bytes(self):
        queue = _queue.Queue(1000, 20_000)
        for _ in range(100):
            queue.push(line(_queue.INFO, "x" * 1000))
        self.assertLessEqual(queue.bytes, 20_000)
        self.assertEqual(queue.count + queue.dropped_in_all, 100)
        count = queue.count
        queue.push(line(_queue.ERROR, "x" * 30_000))
        self.assertEqual(queue.count, count)

    def test_a_push_waits_for_no_other(self):
        """A thread that lost the interpreter while it has the lock holds up nobody; what came meanwhile keeps its place."""
        queue = _queue.Queue(1000, 1 << 20)
        queue.push(line(_queue.INFO, "before"))
        with queue._lock:
            for i in range(50):
                queue.push(line(_queue.INFO, str(i)))
            self.assertEqual(queue.count, 51)
        queue.push(line(_queue.INFO, "after"))
        taken, dropped = queue.take(1000, 1 << 20)
        self.assertEqual([r.text for r in taken], ["before", *map(str, range(50)), "after"])
        self.assertEqual((queue.count, queue.bytes, sum(dropped)), (0, 0, 0))
        with queue._lock:
            queue.push(line(_queue.INFO, "the last"))
        self.assertEqual([r.text for r in queue.take(1000, 1 << 20)[0]], ["the last"])

    def test_a_full_queue_drops_what_comes_without_making_it(self):
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.receiver.answer = lambda *_: (gate.wait(10), (200, {}))[1]
        client = self.start(max_records=300)
        log, made = quiet("flood"), []
        log.error("in flight")
        while client.queue.count:
            time.sleep(0.001)

        class Told:
            def __init__(self, text):
                self.text = text

            def __str__(self):
                made.append(self.text)
                return self.text

        for i in range(1000):
            log.info("info %s", Told(str(i)))
        self.assertEqual(len(made), 500)  # as many as wait, and once as many dropped as a batch has
        log.debug("debug %s", Told("less"))
        log.warning("warning %s", Told("more"))
        self.assertEqual(made[500:], ["more"])
        self.assertEqual(client.stats()[2:4], (702, 300))
        gate.set()
        self.assertIn("warning more", self.texts())
        told = [log for log in self.receiver.logs if "gasoline.dropped" in log["attributes"]]
        self.assertEqual([log["attributes"] for log in told], [{
            "event.name": "gasoline.dropped", "gasoline.dropped": 702, "gasoline.dropped.debug": 1, "gasoline.dropped.info": 701,
        }])
        log.info("info %s", Told("again"))
        self.assertEqual(made[-1], "again")

    def test_many_threads_lose_nothing_uncounted(self):
        queue = _queue.Queue(500, 1 << 20)
        taken, over = [], threading.Event()

        def push():
            for i in range(5000):
                queue.push(line(_queue.INFO, str(i)))

        def take():
            while not over.is_set() or queue.count:
                taken.extend(queue.take(100, 1 << 20)[0])

        threads = [threading.Thread(target=push) for _ in range(8)]
        taker = threading.Thread(target=take)
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            for thread in [taker, *threads]:
                thread.start()
            for thread in threads:
                thread.join()
            over.set()
            taker.join()
        finally:
            sys.setswitchinterval(before)
        self.assertEqual(len(taken) + queue.dropped_in_all, 8 * 5000)
        self.assertEqual((queue.count, queue.bytes), (0, 0))

    def test_a_request_that_is_too_large_is_split(self):
        def answer(handler, body):
            plain = gzip.decompress(body) if handler.headers["Content-Encoding"] else body
            return (413, {}) if len(plain) > 3000 or b"never fits" in plain else (200, {})

        self.receiver.answer = answer
        log = quiet("large")
        for i in range(50):
            log.info("line %d", i)
        log.info("never fits")
        self.flush()
        got = self.texts()
        self.assertEqual((len(got), got[0], got[49]), (51, "line 0", "line 49"))
        self.assertTrue(got[50].startswith("1 records of this service were dropped"))

    def test_a_refused_request_comes_again_with_the_same_bytes(self):
        for status in (429, 500, 503, 401):
            bodies = []

            def answer(handler, body, status=status, bodies=bodies):
                bodies.append(body)
                return (status, {"Retry-After": "60"}) if len(bodies) == 1 else (200, {})

            self.receiver.requests.clear()
            self.receiver.answer = answer
            self.client = self.start()
            quiet("again").info("once %d", status)
            self.flush()
            self.assertIn(str(status), gasoline_sdk.stats().problem)
            self.assertEqual(self.texts(), ["once %d" % status])
            self.assertEqual(bodies[0], bodies[1])
            self.assertEqual(gasoline_sdk.stats()[2:], (0, 0, ""))

    def test_it_waits_as_long_as_it_is_asked_to(self):
        times = []
        self.receiver.answer = lambda *_: (times.append(time.monotonic()), (429 if len(times) == 1 else 200, {"Retry-After": "1"}))[1]
        self.client = self.start(interval=0.001)
        log = quiet("wait")
        log.info("x")
        end = time.monotonic() + 10
        while len(times) < 2 and time.monotonic() < end:
            log.error("does not hurry it")
            time.sleep(0.01)
        self.assertGreaterEqual(times[1] - times[0], 1)

    def test_what_is_not_understood_is_dropped_and_told(self):
        tries = []
        self.receiver.answer = lambda *_: (tries.append(1), (400 if len(tries) == 1 else 200, {}))[1]
        quiet("bad").info("bad")
        self.flush()
        self.assertTrue(self.texts()[0].startswith("1 records"))

    def test_who_refuses_everything_is_left_in_peace(self):
        """A daemon that understands nothing, or to which everything is too large, is not asked without end."""
        for status in (400, 413):
            asked = []
            self.receiver.answer = lambda *_: (asked.append(1), (status, {}))[1]
            self.client = self.start(interval=0.001)
            log = quiet("refused")
            for _ in range(3):
                log.info("x")
            gasoline_sdk.flush(5)
            time.sleep(0.05)
            stats = gasoline_sdk.stats()
            self.assertEqual((stats.problem, stats.dropped), ("%d for /v1/logs" % status, 3))
            self.assertLessEqual(len(asked), 10)

    def test_without_a_daemon_only_errors_are_kept(self):
        down = True
        self.receiver.answer = lambda *_: (503 if down else 200, {})
        log = quiet("down")
        log.info("before")
        for _ in range(_sender.OPEN_AFTER):
            self.flush()
        log.info("lost")
        with gasoline_sdk.span("work"):
            log.error("kept")
            log.info("kept with it")
        down = False
        self.flush()
        log.info("after")
        got = self.texts()
        self.assertEqual(got[:3] + got[-1:], ["before", "kept", "kept with it", "after"])
        self.assertIn("1 records of this service were dropped: more came than could be sent", got)
        self.assertEqual(len(self.receiver.spans), 1)

    def test_a_message_of_a_megabyte_is_cut(self):
        quiet("long").info("é" * (1 << 20), extra={"bad": "\ud800", "bin": b"\xff" * (1 << 20)})
        (e,) = self.logs()
        self.assertEqual(len(e["text"]), (64 << 10) + 1)
        self.assertEqual((e["attributes"]["bad"], self.receiver.packed), ("?", 1))

    def test_a_clock_that_jumps(self):
        """A span is as long as it was, errors pass, and what waits leaves, whether the clock is set back or forward."""
        for jump in (-3600, 3600):
            self.receiver.requests.clear()
            self.client = self.start(interval=0.05)
            shifted = [0]

            class Clock:
                def __getattr__(self, name):
                    real = getattr(time, name)
                    if name == "time":
                        return lambda: real() + shifted[0]
                    return (lambda: real() + shifted[0] * 10**9) if name == "time_ns" else real

            with unittest.mock.patch.multiple(_trace, time=Clock()), unittest.mock.patch.multiple(_client, time=Clock()), \
                    unittest.mock.patch.multiple(_sender, time=Clock()), unittest.mock.patch.multiple(_logs, time=Clock()):
                with gasoline_sdk.span("work"):
                    shifted[0] = jump
                    time.sleep(0.01)
                self.assertTrue(self.client.error_passes())
                self.assertFalse(self.client.error_passes())
                end = time.monotonic() + 5
                while not self.receiver.spans and time.monotonic() < end:
                    time.sleep(0.01)
            (s,) = self.receiver.spans
            took = (int(s["endTimeUnixNano"]) - int(s["startTimeUnixNano"])) / 1e9
            self.assertTrue(0.01 <= took < 5, took)

    def test_overload_does_not_block(self):
        self.receiver.answer = lambda *_: (time.sleep(0.02), (200, {}))[1]
        self.client = self.start(max_records=1000)
        log = quiet("flood")

        def flood():
            for i in range(5000):
                log.info("flood %d", i)

        threads = [threading.Thread(target=flood) for _ in range(4)]
        start = time.monotonic()
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertLess(time.monotonic() - start, 10)
        for _ in range(3):
            self.flush()
        stats = gasoline_sdk.stats()
        told = sum(e["attributes"].get("gasoline.dropped", 0) for e in self.receiver.logs)
        self.assertEqual((stats.sent + stats.dropped, stats.waiting), (20_000, 0))
        self.assertEqual(told, stats.dropped)

    def test_who_does_not_take_a_connection_is_not_waited_for_without_end(self):
        gate = threading.Event()
        self.addCleanup(gate.set)
        connect = _link.Link._connect
        with unittest.mock.patch.object(_link.Link, "_connect", lambda link: (gate.wait(30), connect(link))[1]):
            sender = self.client.sender
            quiet("last").error("words")
            self.assertFalse(sender.flush(0.01, 0.01))
            for here, failures in ((False, 0), (True, 1)):  # far away, or it did not answer before
                sender.here, sender._failures = here, failures
                self.assertFalse(sender.flush(0.01, 3600))
            sender.here, sender._failures = True, 0
            opened = threading.Timer(0.1, gate.set)
            opened.start()
            self.assertTrue(sender.flush(10, 3600))
            # It is connected; what comes now has its time.
            self.receiver.answer = lambda *_: (time.sleep(0.5), (200, {}))[1]
            quiet("last").error("more")
            self.assertFalse(sender.flush(0.01, 3600))

    def test_its_own_requests_are_not_captured(self):
        with gasoline_sdk.span("root"):
            quiet("own").error("x")
            self.flush()
        self.assertEqual([s["name"] for s in self.spans()], ["root"])


class Off(unittest.TestCase):
    def test_off_means_off(self):
        cases = ({"GASOLINE": "off"}, {"APP_ENV": "production"}, {"FLASK_ENV": "prod"}, {"GASOLINE_URL": "ftp://x"},
                 {"DJANGO_SETTINGS_MODULE": "shop.settings.production"})
        for env in cases:
            before = dict(os.environ)
            os.environ.update(env)
            os.environ.pop("GASOLINE_TOKEN", None)
            try:
                with contextlib.redirect_stderr(io.StringIO()):  # a line on the address
                    client = gasoline_sdk.start()
                self.assertFalse(client.on, env)
                with gasoline_sdk.span("x") as span:
                    self.assertEqual(span.context.trace, "")
                self.assertTrue(gasoline_sdk.flush())
            finally:
                os.environ.clear()
                os.environ.update(before)
        self.assertFalse(_client.in_production({"ENV": "development"}))

    def test_a_foreign_listener_gets_nothing(self):
        for token in ("secret", "gasoline_ingest_0123456789abcdef_" + "5" * 64):
            with self.subTest(token=token):
                self.foreign(token)

    def foreign(self, secret):
        from tests.receiver import Receiver

        receiver = Receiver()
        paths = []
        receiver.answer = lambda handler, body: (paths.append((handler.path, handler.headers["Authorization"])), (404, {}))[1]
        with tempfile.NamedTemporaryFile("w") as token:
            token.write(secret + "\n")
            token.flush()
            os.environ["GASOLINE_TOKEN_FILE"] = token.name
            try:
                gasoline_sdk.start(url=receiver.url, interval=3600, sigterm=False)
                quiet("foreign").error("private")
                gasoline_sdk.flush(5)
            finally:
                del os.environ["GASOLINE_TOKEN_FILE"]
        problem = gasoline_sdk.stats().problem
        gasoline_sdk.close()
        receiver.close()
        self.assertEqual(set(paths), {("/prove", None)})
        self.assertIn("did not prove", problem)


class Processes(Case):
    """Programs in processes of their own."""

    def run_program(self, code, *arguments, **more):
        env = {**os.environ, "PYTHONPATH": ROOT, "GASOLINE_URL": self.receiver.url, "GASOLINE_TOKEN": "secret"}
        env.update(more.pop("env", {}))
        return subprocess.Popen([sys.executable, *arguments, "-c", textwrap.dedent(code)], env=env, cwd=ROOT,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def ended(self, process):
        out, err = process.communicate(timeout=30)
        return process.returncode, out, err

    def test_records_leave_at_exit(self):
        code = "import gasoline_sdk, logging; gasoline_sdk.start(interval=60); logging.warning('bye')"
        self.assertEqual(self.ended(self.run_program(code)), (0, "", "WARNING:root:bye\n"))
        self.assertEqual([e["text"] for e in self.receiver.logs], ["bye"])

    def test_the_time_at_the_end_begins_once_it_is_connected(self):
        """A busy machine takes its time for that, and the last words would be lost."""
        for how, code in (("pass", 0), ("1/0", 1), ("os.kill(os.getpid(), 15)", -signal.SIGTERM)):
            self.receiver.requests.clear()
            process = self.run_program("""
                import gasoline_sdk, logging, os, time
                from gasoline_sdk import _link
                connect = _link.Link._connect
                def slow(link):
                    time.sleep(1)
                    return connect(link)
                _link.Link._connect = slow
                gasoline_sdk.start(interval=60)
                logging.warning("bye")
                %s
            """ % how)
            self.assertEqual(self.ended(process)[0], code)
            self.assertEqual(self.receiver.logs[0]["text"], "bye", how)

    def test_sigterm_flushes_and_ends_the_program(self):
        process = self.run_program("""
            import gasoline_sdk, logging, time
            gasoline_sdk.start(interval=60)
            logging.warning("last words")
            print("ready", flush=True)
            while True:
                time.sleep(0.05)  # Python hears of a signal that comes right before a sleep after it
        """)
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.terminate()
        self.assertEqual(self.ended(process)[0], -signal.SIGTERM)
        self.assertEqual([e["text"] for e in self.receiver.logs], ["last words"])

    def test_a_handler_of_the_programs_own_stays(self):
        process = self.run_program("""
            import signal, sys
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
            import gasoline_sdk, os
            gasoline_sdk.start()
            os.kill(os.getpid(), signal.SIGTERM)
        """)
        self.assertEqual(self.ended(process)[0], 7)

    def test_a_child_by_fork_sends_for_itself(self):
        process = self.run_program("""
            import gasoline_sdk, logging, os
            gasoline_sdk.start(interval=60)
            logging.warning("parent before")
            if os.fork() == 0:
                logging.warning("child")
                with gasoline_sdk.span("child"): pass
                gasoline_sdk.flush(10)
                os._exit(0)
            os.wait()
            with gasoline_sdk.span("parent"): pass
            logging.warning("parent after")
        """)
        self.assertEqual(self.ended(process)[0], 0)
        logs = self.receiver.logs
        self.assertEqual(sorted(e["text"] for e in logs), ["child", "parent after", "parent before"])
        instances = {e["text"]: e["resource"]["service.instance.id"] for e in logs}
        self.assertEqual(instances["parent before"], instances["parent after"])
        self.assertNotEqual(instances["parent before"], instances["child"])
        self.assertEqual(len({s["traceId"] for s in self.receiver.spans}), 2)

    def test_a_child_that_is_made_while_the_sender_loads_its_modules(self):
        """It would wait for ever for a module that a thread of its parent loads."""
        for module in ("http.client", "gzip", "encodings.idna"):
            self.receiver.requests.clear()
            process = self.run_program("""
                import importlib.abc, os, sys, threading, time
                loads = threading.Event()
                class Slow(importlib.abc.MetaPathFinder):
                    def find_spec(self, name, path, target=None):
                        if name == %r and threading.current_thread().name == "gasoline":
                            loads.set()
                            time.sleep(0.5)
                sys.meta_path.insert(0, Slow())
                import gasoline_sdk, logging
                gasoline_sdk.start(interval=60)
                logging.warning("parent")
                assert loads.wait(5)
                child = os.fork()
                if child == 0:
                    logging.warning("child")
                    os._exit(0 if gasoline_sdk.flush(5) else 1)
                sys.exit(os.waitpid(child, 0)[1])
            """ % module)
            self.assertEqual(self.ended(process)[0], 0, module)
            self.assertEqual(sorted(e["text"] for e in self.receiver.logs), ["child", "parent"])

    def test_the_shim_starts_it_and_the_users_own_sitecustomize(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "sitecustomize.py"), "w", encoding="utf-8") as file:
                file.write("import builtins; builtins.USERS_OWN = 1\n")
            shim = os.path.join(ROOT, "gasoline_sdk", "shim")
            process = self.run_program("import logging; logging.warning(USERS_OWN)", env={
                "PYTHONPATH": shim + os.pathsep + folder,
            })
            self.assertEqual(self.ended(process)[0], 0)
        self.assertEqual([e["text"] for e in self.receiver.logs], ["1"])

    def test_run_starts_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "app.py")
            with open(path, "w", encoding="utf-8") as file:
                # A busy machine may need longer than the half second that an end is given.
                file.write("import sys, logging, gasoline_sdk\nlogging.warning('%s %s', __name__, sys.argv[1:])\n"
                           "gasoline_sdk.flush(10)\nsys.exit(4)\n")
            env = {**os.environ, "PYTHONPATH": ROOT, "GASOLINE_URL": self.receiver.url, "GASOLINE_TOKEN": "secret"}
            done = subprocess.run([sys.executable, "-m", "gasoline_sdk.run", path, "a", "b"], env=env, timeout=30,
                                  capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (4, "WARNING:root:__main__ ['a', 'b']\n"))
        self.assertEqual(self.receiver.logs[0]["text"], "__main__ ['a', 'b']")

    def test_gunicorn(self):
        """A master that has loaded the program forks workers, which send for themselves and end in order."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "app.py"), "w", encoding="utf-8") as file:
                file.write(textwrap.dedent("""
                    import gasoline_sdk, logging, os
                    gasoline_sdk.start(service="web", interval=60)
                    logging.warning("loaded")
                    def app(environ, start_response):
                        logging.warning("in a worker")
                        start_response("200 OK", [("Content-Type", "text/plain")])
                        return [str(os.getpid()).encode()]
                    app = gasoline_sdk.WSGIMiddleware(app)
                """))
            with open(os.path.join(folder, "hooks.py"), "w", encoding="utf-8") as file:
                file.write("def post_worker_init(worker): worker.log.info('ready: %s', worker.pid)\n")
            env = {**os.environ, "PYTHONPATH": ROOT, "GASOLINE_URL": self.receiver.url, "GASOLINE_TOKEN": "secret"}
            socket = os.path.join(folder, "s")
            process = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", "--preload", "-c", "hooks.py", "-w", "2", "-b", "unix:" + socket, "app:app"],
                cwd=folder, env=env, stderr=subprocess.PIPE, text=True)
            # A worker that has not set its handlers yet misses SIGTERM, and gunicorn waits 30 s for it.
            ready = 0
            for line in process.stderr:
                ready += "ready: " in line
                if ready == 2:
                    break
            import http.client
            import socket as sockets

            connection = http.client.HTTPConnection("localhost")
            connection.sock = sockets.socket(sockets.AF_UNIX)
            connection.sock.connect(socket)
            connection.request("GET", "/")
            pid = connection.getresponse().read().decode()
            connection.close()
            process.terminate()
            process.communicate(timeout=30)
        texts = {e["text"]: e["resource"] for e in self.receiver.logs}
        self.assertEqual(str(texts["in a worker"]["process.pid"]), pid)
        self.assertNotEqual(texts["loaded"]["process.pid"], texts["in a worker"]["process.pid"])
        self.assertEqual([s["name"] for s in self.receiver.spans], ["GET /"])
        self.assertEqual(self.receiver.faults, [])


class Fixtures(Case):
    def test_the_fixtures_have_our_fields(self):
        known, ours = set(), set()

        def walk(value, into):
            if isinstance(value, dict):
                into.update(value)
                for item in value.values():
                    walk(item, into)
            elif isinstance(value, list):
                for item in value:
                    walk(item, into)

        for name in ("logs", "traces"):
            with open(os.path.join(ROOT, "../../schema/fixtures/otlp", name + ".json"), encoding="utf-8") as file:
                walk(json.load(file), known)
        bodies = []
        self.receiver.answer = lambda handler, body: (
            bodies.append(gzip.decompress(body) if handler.headers["Content-Encoding"] else body), (200, {}))[1]
        try:
            with gasoline_sdk.span("s", i=1, f=1.5, b=True, l=["x"], m={"a": None}, n=b"x"):
                quiet("fixture").info("x")
                raise ValueError("x")
        except ValueError:
            pass
        self.flush()
        for body in bodies:
            walk(json.loads(body), ours)
        self.assertEqual(ours - known, set())
