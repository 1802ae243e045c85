"""Programs that load the SDK by the shim in PYTHONPATH, as gasoline run has them do."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import urllib.request

from tests.base import Case
from tests.test_daemon import PROGRAM, SHOP, STOCK, WithDaemon, free_port

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHIM = os.path.join(ROOT, "gasoline_sdk", "shim")


class Shim(Case):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def run_program(self, *command, places=(), **more):
        env = {**os.environ, "PYTHONPATH": os.pathsep.join((SHIM, *places)), "GASOLINE_URL": self.receiver.url,
               "GASOLINE_TOKEN": "secret", "PYTHONDONTWRITEBYTECODE": "1", **more}
        return subprocess.run(command, env=env, cwd=self.folder, timeout=60, capture_output=True, text=True, check=False)

    def texts(self):
        self.assertEqual(self.receiver.faults, [])
        return [e["text"] for e in self.receiver.logs]

    def test_the_users_sitecustomize_runs_as_without(self):
        own = self.write("own/sitecustomize.py", "import builtins; builtins.USERS_OWN = 1; FIELD = 2\n")
        done = self.run_program(sys.executable, "-c", "import logging, sitecustomize; logging.warning('%d %d %s', "
                                "USERS_OWN, sitecustomize.FIELD, sitecustomize.__file__)", places=(os.path.dirname(own),))
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(self.texts(), ["1 2 " + own])
        self.write("own/sitecustomize.py", "raise ValueError('of the user')\n")
        command = (sys.executable, "-c", "import logging; logging.warning('goes on')")
        with_it = self.run_program(*command, places=(os.path.dirname(own),))
        without = subprocess.run(command, env={**os.environ, "PYTHONPATH": os.path.dirname(own)}, capture_output=True,
                                 text=True, timeout=60, check=False)
        self.assertEqual((with_it.returncode, with_it.stderr), (0, without.stderr))
        self.assertIn("of the user", with_it.stderr)
        self.assertEqual(self.texts()[1:], ["goes on"])

    def test_nothing_happens_where_python_is_isolated(self):
        for flag in ("-I", "-E", "-S", "-IS"):
            done = self.run_program(sys.executable, flag, "-c",
                                    "import sys, logging; logging.warning('gasoline_sdk' in sys.modules)")
            self.assertEqual((done.returncode, done.stderr), (0, "WARNING:root:False\n"), flag)
        self.assertEqual(self.texts(), [])

    def test_nothing_happens_when_it_is_off(self):
        done = self.run_program(sys.executable, "-c", "import logging; logging.warning('x')", GASOLINE="off")
        self.assertEqual((done.returncode, done.stderr), (0, "WARNING:root:x\n"))
        self.assertEqual(self.texts(), [])

    def test_a_program_that_sees_warnings_as_errors(self):
        done = self.run_program(sys.executable, "-W", "error", "-X", "dev", "-b", "-c", """if 1:
            import logging, os, sqlite3, sys, http.client
            logging.warning(sorted(m for m in sys.path if m.startswith(os.environ['SDK'])))
            assert not [m for m in sys.path if m.endswith(('sdk/python', 'preload'))], sys.path
        """, SDK=os.path.join(ROOT, "gasoline_sdk"))
        self.assertEqual((done.returncode, done.stderr), (0, "WARNING:root:%s\n" % [SHIM]))
        self.assertEqual(self.texts(), [str([SHIM])])

    def test_a_program_that_says_nothing_loads_little_and_starts_no_thread(self):
        done = self.run_program(sys.executable, "-c", "import sys, threading; print(threading.active_count(), *("
                                "m in sys.modules for m in ('http.client', 'ssl', 'gzip', 'email', 'hmac')))")
        self.assertEqual((done.stdout, done.stderr), ("1 False False False False False\n", ""))

    def test_a_virtual_environment(self):
        import venv

        place = os.path.join(self.folder, "venv")
        venv.create(place, symlinks=True, with_pip=False)
        python = os.path.join(place, "bin", "python")
        done = self.run_program(python, "-c", "import logging, sys; logging.warning(sys.prefix != sys.base_prefix)")
        self.assertEqual((done.returncode, self.texts()), (0, ["True"]), done.stderr)

    def test_a_gasoline_sdk_of_the_programs_own_is_the_one_that_starts(self):
        own = self.write("own/gasoline_sdk/__init__.py", "def start(**settings): print('theirs', settings)\n")
        done = self.run_program(sys.executable, "-c", "import gasoline_sdk; gasoline_sdk.start(service='x')",
                                places=(os.path.dirname(os.path.dirname(own)),))
        self.assertEqual((done.stdout, done.stderr), ("theirs {}\ntheirs {'service': 'x'}\n", ""))

    def test_a_program_that_starts_it_itself_as_well(self):
        done = self.run_program(sys.executable, "-c", """if 1:
            import logging
            logging.warning("before")
            import gasoline_sdk
            gasoline_sdk.start(service="own")
            logging.warning("after")
        """, places=(ROOT,))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(e["text"], e["resource"]["service.name"]) for e in self.receiver.logs],
                         [("before", "python"), ("after", "own")])

    def test_programs_that_it_starts(self):
        done = self.run_program(sys.executable, self.write("several.py", """
            import logging, multiprocessing, subprocess, sys
            def work(i):
                logging.warning("worker %d", i)
            if __name__ == "__main__":
                subprocess.run([sys.executable, "-c", "import logging; logging.warning('child')"], check=True)
                for i, method in enumerate(("fork", "spawn", "forkserver")):
                    p = multiprocessing.get_context(method).Process(target=work, args=(i,))
                    p.start()
                    p.join()
                logging.warning("parent")
        """))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(self.texts()), ["child", "parent", "worker 0", "worker 1", "worker 2"])

    def test_pytest(self):
        self.write("test_shop.py", """
            import logging
            def test_one(caplog):
                logging.getLogger("shop").warning("seen")
                assert caplog.messages == ["seen"]
            def test_two():
                logging.getLogger("shop").error("because")
                assert 1 == 2
        """)
        command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "test_shop.py")
        done = self.run_program(*command)
        plain = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)

        def same(text):
            return re.sub(r" in [0-9.]+s", " in no time", text)

        self.assertEqual((done.returncode, same(done.stdout), done.stderr), (1, same(plain.stdout), plain.stderr))
        self.assertEqual(self.texts(), ["seen", "because"])

    def test_under_opentelemetry_instrument_it_is_not_there(self):
        instrument = os.path.join(os.path.dirname(sys.executable), "opentelemetry-instrument")
        path = self.write("app.py", """
            import sys, logging
            from opentelemetry import trace
            print("gasoline_sdk" in sys.modules, type(trace.get_tracer_provider()).__module__.startswith("opentelemetry.sdk"))
            logging.warning("x")
        """)
        done = self.run_program(instrument, sys.executable, path, OTEL_TRACES_EXPORTER="console", OTEL_METRICS_EXPORTER="none",
                                OTEL_LOGS_EXPORTER="none")
        self.assertEqual((done.returncode, done.stdout), (0, "False True\n"), done.stderr)
        self.assertEqual(self.texts(), [])

    def test_spans_are_left_to_opentelemetry_in_the_program(self):
        """Its spans are the only ones, and our logs stand in its trace; what a handler of it gets we leave to it."""
        path = self.write("app.py", """
            import http.client, logging, sqlite3, sys, threading, http.server
            from opentelemetry import trace
            from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import SimpleSpanProcessor
            from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(200)
                    self.end_headers()
                    seen.append(self.headers["traceparent"])
                def log_message(self, *a): pass

            seen = []
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            exporter = InMemorySpanExporter()
            provider = TracerProvider()
            provider.add_span_processor(SimpleSpanProcessor(exporter))
            trace.set_tracer_provider(provider)
            import flask
            app = flask.Flask("x")
            @app.get("/")
            def home():
                logging.warning("in the request")
                return "x"
            with trace.get_tracer("t").start_as_current_span("theirs") as span:
                logging.warning("in the span")
                sqlite3.connect(":memory:").execute("SELECT 1")
                app.test_client().get("/", headers={"traceparent": "00-%s-%s-01" % ("a" * 32, "b" * 16)})
                c = http.client.HTTPConnection("127.0.0.1", server.server_port)
                c.request("GET", "/")
                c.getresponse().read()
                c.close()
            logs = LoggerProvider()
            logging.getLogger("sent").addHandler(LoggingHandler(logger_provider=logs))
            logging.getLogger("sent.below").warning("theirs")
            print("%032x" % span.get_span_context().trace_id, [s.name for s in exporter.get_finished_spans()], seen)
        """)
        done = self.run_program(sys.executable, path)
        self.assertEqual(done.returncode, 0, done.stderr)
        trace, _, rest = done.stdout.partition(" ")
        self.assertEqual(rest, "['theirs'] [None]\n")
        self.assertEqual([(e["text"], e["traceId"]) for e in self.receiver.logs],
                         [("in the span", trace), ("in the request", trace)])
        self.assertEqual((self.receiver.spans, self.receiver.faults), ([], []))

    def test_every_python_can_read_what_it_loads(self):
        """The shim is of what every Python 3 knows, the package of what Python 3.9 does."""
        with open(os.path.join(SHIM, "sitecustomize.py"), encoding="ascii") as file:
            ast.parse(file.read(), feature_version=(3, 4))
        for folder, _, names in os.walk(os.path.join(ROOT, "gasoline_sdk")):
            for name in names:
                if name.endswith(".py"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        tree = ast.parse(file.read(), name, feature_version=(3, 9))
                    for node in ast.walk(tree):  # what the grammar alone does not tell
                        self.assertNotIsInstance(node, getattr(ast, "Match", ()), name)
                        self.assertNotIsInstance(node, getattr(ast, "TryStar", ()), name)
                        if isinstance(node, ast.ImportFrom) and node.module in ("typing", "inspect", "contextlib"):
                            late = {"ParamSpec", "TypeAlias", "Self", "override", "Unpack", "Never", "aclosing", "chdir"}
                            self.assertFalse(late & {a.name for a in node.names}, name)
                        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
                            self.assertNotIn("strict", [k.arg for k in node.keywords], name)


class Run(WithDaemon):
    """Programs under gasoline run, without a line of set-up."""

    def launch(self, name, *command, at, env=None):
        return self.spawn(PROGRAM, "run", *self.flags(), "--name", name, "--", *command, ready=at, env={**self.env, **(env or {})})

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def get(self, port, path):
        """Return the status, the text and the trace of an answer."""
        try:
            with urllib.request.urlopen("http://127.0.0.1:%d%s" % (port, path), timeout=20) as answer:
                return answer.status, answer.read().decode(), answer.headers["traceresponse"].split("-")[1]
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code, answer.read().decode(), answer.headers["traceresponse"].split("-")[1]

    def test_one_trace_through_two_services(self):
        shop, stock = free_port(self.addCleanup), free_port(self.addCleanup)
        stops = [
            self.launch("stock", sys.executable, self.write("stock.py", STOCK), str(stock), at=stock),
            self.launch("shop", sys.executable, self.write("shop.py", SHOP.replace(
                "    answer =", "    app.logger.warning('buying %s', number)\n    answer =")), str(shop), at=shop,
                env={"STOCK": "http://127.0.0.1:%d" % stock}),
        ]
        status, _, trace = self.get(shop, "/buy/42")
        self.assertEqual(status, 502)
        for stop in stops:
            stop()
        tree = self.ask("/trace/" + trace)
        spans = [(n["depth"], n["service"], n["summary"].partition(" error")[0]) for n in tree["nodes"] if n["kind"] == "span"]
        self.assertEqual(spans, [
            (0, "shop", "server GET /buy/<number>"),
            (1, "shop", "client GET /stock/42"),
            (2, "stock", "server GET /stock/{number}"),
            (3, "stock", "client SELECT stock"),
        ])
        texts = [(n["kind"], n["service"], n["summary"]) for n in tree["nodes"] if n["kind"] != "span"]
        self.assertTrue(any(s == "shop" and "buying 42" in t for _, s, t in texts), texts)
        # Of the logger, not of what the terminal shows: an exception, or what it said beside one that came before it.
        thrown = ("exception", "stock", "sqlite3.OperationalError: no such table: stock (log)")
        self.assertEqual(texts.count(thrown) + texts.count(("log", "stock", "error cannot count 42")), 1, texts)
        self.assertEqual((tree["cause"]["service"], "no such table: stock" in tree["cause"]["message"]), ("stock", True))

    def test_gunicorn_with_two_workers(self):
        self.write("web.py", """
            import flask, logging, os, time
            app = flask.Flask("web")
            @app.get("/work/<int:n>")
            def work(n):
                time.sleep(0.2)
                logging.getLogger("web").error("done %d", n)
                return str(os.getpid())
        """)
        port = free_port(self.addCleanup)
        stop = self.launch("web", os.path.join(os.path.dirname(sys.executable), "gunicorn"), "--chdir", self.folder, "-w", "2",
                           "-b", "127.0.0.1:%d" % port, "web:app", at=port)
        import concurrent.futures

        answers = []
        end = time.monotonic() + 30
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            while len({pid for _, pid, _ in answers}) < 2 and time.monotonic() < end:  # one may start later
                answers += pool.map(lambda n: self.get(port, "/work/%d" % n), range(len(answers), len(answers) + 16))
        stop()
        self.assertEqual({status for status, _, _ in answers}, {200})
        self.assertEqual(len({pid for _, pid, _ in answers}), 2)
        self.assertEqual(len({trace for _, _, trace in answers}), len(answers))
        for n, (_, _, trace) in enumerate(answers):
            nodes = self.ask("/trace/" + trace)["nodes"]
            self.assertEqual([x["summary"].split(" ")[1:3] for x in nodes if x["kind"] == "span"], [["GET", "/work/<int:n>"]])
            self.assertTrue(any(x["kind"] == "log" and "done %d" % n in x["summary"] for x in nodes), nodes)

    def test_sigterm_sends_what_waits(self):
        """The signal reaches the program, whose last line arrives, and ends it as it would without."""
        path = self.write("last.py", """
            import logging, os, signal, time
            logging.getLogger("last").setLevel(logging.INFO)
            open("ready", "w").close()
            time.sleep(0.2)
            logging.getLogger("last").info("last words")
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(30)
        """)
        done = subprocess.run([PROGRAM, "run", *self.flags(), "--name", "last", "--", sys.executable, path], env=self.env,
                              cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 128 + signal.SIGTERM, done.stderr)
        end = time.monotonic() + 10
        while time.monotonic() < end and not self.messages("last"):
            time.sleep(0.05)
        self.assertEqual([m for m in self.messages("last") if "last words" in m], ["info last words"])
