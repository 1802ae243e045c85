"""Services that send to the built program, which is asked for the tree of what happened."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import unittest
import urllib.request

from gasoline_sdk._trace import parse_traceparent

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("GASOLINE_PROGRAM") or os.path.join(ROOT, "../../bin/gasoline")


def free_port(cleanup):
    """A port of loopback that is the test's own until cleanup is done, for a program that has to be told its port.

    The UDP port of the same number is held: no two tests get one number, in no process, and TCP's port stays free. It is
    below the range from which systems take ports by themselves.
    """
    for _ in range(100):
        held = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        address = ("127.0.0.1", random.randrange(10_000, 30_000))
        with contextlib.suppress(OSError):
            held.bind(address)
            with socket.socket() as tcp:
                tcp.bind(address)
            cleanup(held.close)
            return address[1]
        held.close()
    raise AssertionError("no port is free")


SHOP = """
import logging, os, sys
import flask, requests
app = flask.Flask("shop")

@app.get("/buy/<number>")
def buy(number):
    answer = requests.get(os.environ["STOCK"] + "/stock/" + number, timeout=30)
    return "broken", 502 if answer.status_code == 500 else 200

app.run(port=int(sys.argv[1]))
"""

STOCK = """
import logging, sqlite3, sys
import fastapi, uvicorn
app = fastapi.FastAPI()

@app.get("/stock/{number}")
def stock(number: int):
    db = sqlite3.connect(":memory:")
    try:
        return db.execute("SELECT count FROM stock WHERE id = ?", (number,)).fetchone()
    except sqlite3.Error:
        logging.getLogger("stock").exception("cannot count %d", number)
        raise
    finally:
        db.close()

uvicorn.run(app, port=int(sys.argv[1]), log_level="warning")
"""


class WithDaemon(unittest.TestCase):
    """Starts the program."""

    def spawn(self, *command, ready, env=None):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env)
        self.addCleanup(process.stderr.close)

        def stop():
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

        self.addCleanup(stop)
        if isinstance(ready, int):
            import time

            end = time.monotonic() + 20
            while time.monotonic() < end:
                try:
                    socket.create_connection(("127.0.0.1", ready), 1).close()
                    return stop
                except OSError:
                    time.sleep(0.02)
            self.fail("%s does not listen" % (command,))
        for line in process.stderr:
            if ready in line:
                return stop
        self.fail("%s ended" % (command,))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.state, self.port = folder.name, os.path.join(folder.name, "state"), free_port(self.addCleanup)
        self.env = {**os.environ, "HOME": folder.name}  # the daemon introduces itself to browsers there
        self.url = "http://127.0.0.1:%d" % self.port
        self.spawn(PROGRAM, "serve", *self.flags(), ready=b" listens on ", env=self.env)

    def flags(self):
        return ("--port", str(self.port), "--state-dir", self.state)

    def ask(self, path):
        with open(os.path.join(self.state, "token"), encoding="ascii") as file:
            request = urllib.request.Request(self.url + path)
            request.add_header("Authorization", "Bearer " + file.read().strip())
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def messages(self, service):
        return [e["summary"] for e in self.ask("/buffers/timeline?limit=1000&kinds=log&service=" + service)["events"]]


class Daemon(WithDaemon):
    def test_the_tree(self):
        folder, shop, stock = self.folder, free_port(self.addCleanup), free_port(self.addCleanup)
        env = {**self.env, "PYTHONPATH": ROOT, "GASOLINE_URL": self.url, "GASOLINE_STATE_DIR": self.state,
               "STOCK": "http://127.0.0.1:%d" % stock}
        stops = []
        for name, code, at in (("stock", STOCK, stock), ("shop", SHOP, shop)):
            path = os.path.join(folder, name + ".py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(textwrap.dedent(code))
            command = (sys.executable, "-m", "gasoline_sdk.run", path, str(at))
            stops.append(self.spawn(*command, ready=at, env={**env, "OTEL_SERVICE_NAME": name}))
        try:
            urllib.request.urlopen("http://127.0.0.1:%d/buy/42" % shop, timeout=10)
            self.fail("it went well")
        except urllib.error.HTTPError as answer:
            self.assertEqual(answer.code, 502)
            trace = parse_traceparent(answer.headers["traceresponse"]).trace
            answer.close()
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
        # The exception left two spans and was logged in the outer one: that is one error, whichever of the three came first.
        told = [n["summary"] for n in tree["nodes"] if n["kind"] in ("exception", "log") and n["service"] == "stock"]
        self.assertEqual(told, ["sqlite3.OperationalError: no such table: stock (log)"])
        self.assertEqual(tree["cause"]["service"], "stock")
        self.assertIn("no such table: stock", tree["cause"]["message"])

    def test_the_pairing_string_is_enough(self):
        """HTTPS by the daemon's pinned key, without an authority that is trusted. Another pin: nothing is sent."""
        text = subprocess.check_output([PROGRAM, *self.flags(), "token", "create", "--service", "paired", "--json"],
                                       env=self.env)
        pairing = json.loads(text)["pairing"]
        other = pairing[:-2] + ("A" if pairing[-2] != "A" else "B") + pairing[-1]
        code = """
            import logging, gasoline_sdk
            gasoline_sdk.start(service="paired", interval=60)
            logging.warning("by HTTPS")
            print(gasoline_sdk.flush(5), *gasoline_sdk.stats())
        """
        for address, out, err in ((pairing, "True 1 0 0 0 \n", "WARNING:root:by HTTPS\n"), (other, "", "")):
            done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=30,
                                  env={**self.env, "PYTHONPATH": ROOT, "GASOLINE_URL": address})
            if out:
                self.assertEqual((done.stdout, done.stderr), (out, err))
            else:
                self.assertIn("another key", done.stdout)
                self.assertEqual(done.stderr.count("another key"), 1)
                self.assertNotIn(address[-43:], done.stdout + done.stderr)
        self.assertEqual(len([m for m in self.messages("paired") if "by HTTPS" in m]), 1)

    def test_a_request_that_comes_twice_counts_once(self):
        """The answer to a request that the daemon took is lost, so the request comes again."""
        import http.client
        from tests.receiver import Receiver
        import gasoline_sdk

        with open(os.path.join(self.state, "token"), encoding="ascii") as file:
            token = file.read().strip()
        between = Receiver()
        self.addCleanup(between.close)
        statuses = []

        def answer(handler, body):
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
            connection._gasoline_own = True
            headers = {k: v for k, v in handler.headers.items() if k.lower() not in ("host", "content-length")}
            connection.request("POST", handler.path, body, headers)
            response = connection.getresponse()
            response.read()
            connection.close()
            statuses.append(response.status)
            if len(statuses) == 1:
                raise ConnectionResetError
            return 204, {}

        between.answer = answer
        gasoline_sdk.start(service="twice", url=between.url, token=token, interval=3600, sigterm=False)
        self.addCleanup(gasoline_sdk.close)
        import logging

        log = logging.getLogger("twice")
        log.addHandler(logging.NullHandler())
        log.propagate = False
        log.error("once")
        for _ in range(5):
            gasoline_sdk.flush(5)
        self.assertEqual((statuses, gasoline_sdk.stats().sent), ([200, 200], 1))
        self.assertEqual(len(self.messages("twice")), 1)
