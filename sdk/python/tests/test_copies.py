"""What programs print, and send by the SDK besides: each line once, and each failure one error that names its witnesses."""

import json
import os
import shutil
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

from tests.test_daemon import PROGRAM, ROOT, WithDaemon, free_port

FASTAPI = """
import logging
from fastapi import FastAPI
app = FastAPI()

@app.get("/pay/{number}")
async def pay(number: int):
    logging.getLogger("shop").warning("almost no stock for sku-%d", number)
    raise ValueError("no price for sku-%d" % number)
"""

FLASK = """
import sys, logging
from flask import Flask
app = Flask(__name__)

@app.get("/pay/<int:number>")
def pay(number):
    app.logger.warning("almost no stock for sku-%s", number)
    raise ValueError("no price for sku-%d" % number)

if __name__ == "__main__":
    app.run(port=int(sys.argv[1]))
"""

NODE = """
require("node:http").createServer((request, response) => {
  const number = request.url.split("/").at(-1);
  console.warn(`almost no stock for sku-${number}`);
  try {
    throw new TypeError(`no price for sku-${number}`);
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
}).listen(Number(process.argv[2]), "127.0.0.1");
"""

FORMATS = """
import logging, sys
log = logging.getLogger("shop.views")
for number, format in enumerate(sys.argv[1:]):
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(format, style="{" if format[0] == "{" else "%"))
    logging.root.handlers = [handler]
    log.warning("order %d placed", number)
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("could not charge order %d", number)
"""


class Copies(WithDaemon):
    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def observe(self, what, kind):
        command = (PROGRAM, "observe", what, *self.flags(), "--scope", "all", "--limit", "100", "--json")
        return json.loads(subprocess.run(command, env=self.env, capture_output=True, check=True).stdout).get(kind) or []

    def wait(self, condition):
        """Ask for the errors until they are as they should be."""
        end = time.monotonic() + 20
        while not condition(errors := self.observe("errors", "errors")) and time.monotonic() < end:
            time.sleep(0.1)
        return errors

    def fail_twice(self, port):
        for number in (7, 8):
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen("http://127.0.0.1:%d/pay/%d" % (port, number), timeout=10)

    def check(self, errors, *witnesses):
        self.assertEqual(sorted(e["message"] for e in errors), ["no price for sku-7", "no price for sku-8"], errors)
        lines = {e["id"]: e for e in self.observe("logs", "logs")}
        for e in errors:
            self.assertTrue(e["trace_id"] and e["stack"], e)
            told = [w for w in e["witnesses"] if not w.startswith("access ")]
            self.assertEqual(sorted(told), sorted(w for w in witnesses if w != "access"), e)
            named = [lines[w[len("access "):]] for w in e["witnesses"] if w.startswith("access ")]
            self.assertEqual(len(named), witnesses.count("access"), e)
            for line in named:
                self.assertIn("/pay/" + e["message"][-1], line["message"])
        texts = [e["message"] for e in lines.values() if "almost" in e["message"]]
        self.assertEqual(sorted(texts), ["almost no stock for sku-7", "almost no stock for sku-8"])
        requests = [e["message"] for e in lines.values() if "/pay/" in e["message"]]
        self.assertEqual(len(requests), 2 * witnesses.count("access"), requests)

    def run_and_check(self, command, port, *witnesses):
        self.spawn(PROGRAM, "run", "--name", "shop", *self.flags(), "--", *command, ready=port, env=self.env)
        self.fail_twice(port)
        self.check(self.wait(lambda found: len(found) == 2 and all(len(e.get("witnesses", ())) == len(witnesses) for e in found)), *witnesses)

    def test_fastapi_in_uvicorn(self):
        port = free_port(self.addCleanup)
        self.file("shop.py", FASTAPI)
        command = (sys.executable, "-B", "-m", "uvicorn", "--app-dir", self.folder, "shop:app", "--port", str(port))
        self.run_and_check(command, port, "span_event otlp", "log otlp", "access", "log run")

    def test_flask(self):
        port = free_port(self.addCleanup)
        self.run_and_check((sys.executable, "-B", self.file("shop.py", FLASK), str(port)), port, "log otlp", "access", "log run")

    def test_gunicorn(self):
        port = free_port(self.addCleanup)
        self.file("shop.py", FLASK)
        command = (sys.executable, "-B", "-m", "gunicorn", "--chdir", self.folder, "-b", "127.0.0.1:%d" % port, "--access-logfile", "-", "shop:app")
        self.run_and_check(command, port, "log otlp", "access", "log run")

    @unittest.skipUnless(shutil.which("node"), "needs Node")
    def test_node(self):
        port = free_port(self.addCleanup)
        self.run_and_check(("node", self.file("shop.cjs", NODE), str(port)), port, "log otlp", "log run")

    def test_a_file_that_is_followed(self):
        port, path = free_port(self.addCleanup), self.file("shop.log", "")
        self.spawn(PROGRAM, "tail", "--name", "shop", *self.flags(), path, ready=b"", env=self.env)
        self.file("shop.py", FASTAPI)
        env = {**self.env, "PYTHONPATH": ROOT, "GASOLINE_URL": self.url, "GASOLINE_STATE_DIR": self.state, "OTEL_SERVICE_NAME": "shop"}
        shell = 'exec "$0" "$@" >>"%s" 2>&1' % path
        program = (sys.executable, "-B", "-m", "gasoline_sdk.run", "-m", "uvicorn", "--app-dir", self.folder, "shop:app", "--port", str(port))
        self.spawn("sh", "-c", shell, *program, ready=port, env=env)
        self.fail_twice(port)
        told = ("span_event otlp", "log otlp", "access", "log tail")
        self.check(self.wait(lambda found: len(found) == 2 and all(len(e.get("witnesses", ())) == 4 for e in found)), *told)

    def test_formats_of_logging(self):
        formats = (
            "%(message)s", "%(levelname)s:%(name)s:%(message)s", "%(asctime)s %(levelname)s %(message)s", "%(levelname)s [%(name)s] %(message)s",
            "%(asctime)s - %(name)s - %(levelname)s - %(message)s", "{levelname} {asctime} {module} {process:d} {thread:d} {message}",
            "[%(asctime)s] %(name)s.%(funcName)s:%(lineno)d %(message)s", "%(filename)s:%(lineno)d %(message)s",
            "[%(asctime)s: %(levelname)s/%(processName)s] %(message)s", "%(threadName)s %(name)s %(message)s", "myapp | %(message)s",
        )
        command = (PROGRAM, "run", "--name", "shop", *self.flags(), "--", sys.executable, "-B", self.file("formats.py", FORMATS), *formats)
        subprocess.run(command, env=self.env, capture_output=True, check=True)
        told = self.wait(lambda found: len(found) == len(formats) and all("log run" in e.get("witnesses", ()) for e in found))
        self.assertEqual(sorted(e["logged_as"] for e in told), sorted("could not charge order %d" % n for n in range(len(formats))))
        texts = [e["message"] for e in self.observe("logs", "logs")]
        self.assertEqual(sorted(texts), sorted("order %d placed" % n for n in range(len(formats))))


if __name__ == "__main__":
    unittest.main()
