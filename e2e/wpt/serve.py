"""Serves a folder of web platform tests on two ports of this machine, as their own server does for HTTP.

    python serve.py FOLDER

Prints the two ports as JSON in one line when it listens, and ends when its standard input is closed. Tests that are
written as one script (NAME.any.js, NAME.window.js) get the pages that their names stand for.
"""

import json
import logging
import os
import re
import socket
import sys

from wptserve import handlers, server
from wptserve.config import ConfigBuilder
from wptserve.routes import routes as own_routes
from wptserve.stash import StashServer

META = re.compile(r"^//\s*META:\s*([a-z]+)=(.*)$")

PAGE = """<!doctype html><meta charset=utf-8>
<script src="/resources/testharness.js"></script><script src="/resources/testharnessreport.js"></script>
%(before)s<div id=log></div>
<script>%(more)s</script>
"""

WINDOW = 'self.GLOBAL = { isWindow: () => true, isWorker: () => false, isShadowRealm: () => false };'


def script_of(folder, path):
    """The scripts that a test's META lines name, and its own, as URLs."""
    own = re.sub(r"\.(any|window)(\.worker)?\.html$", r".\1.js", path)
    with open(os.path.join(folder, own.lstrip("/")), encoding="utf-8") as file:
        metas = [found.groups() for found in map(META.match, file.read().splitlines()) if found]
    return [value.strip() for key, value in metas if key == "script"], own


def page_handler(folder):
    @handlers.handler
    def page(request, response):
        scripts, own = script_of(folder, request.url_parts.path)
        response.headers.set("Content-Type", "text/html")
        if request.url_parts.path.endswith(".worker.html"):
            worker = own.replace(".any.js", ".any.worker.js") + ("?" + request.url_parts.query if request.url_parts.query else "")
            return PAGE % {"before": "", "more": 'fetch_tests_from_worker(new Worker("%s"))' % worker}
        before = "<script>%s</script>" % WINDOW
        before += "".join('<script src="%s"></script>' % url for url in scripts)
        return PAGE % {"before": before, "more": ""} + '<script src="%s"></script>' % own

    return page


def worker_handler(folder):
    @handlers.handler
    def worker(request, response):
        path = request.url_parts.path.replace(".any.worker.js", ".any.html")
        scripts, own = script_of(folder, path)
        response.headers.set("Content-Type", "text/javascript")
        names = ["/resources/testharness.js", *scripts, own]
        return (
            "self.GLOBAL = { isWindow: () => false, isWorker: () => true, isShadowRealm: () => false };\n"
            + "\n".join("importScripts(%s);" % json.dumps(name) for name in names)
            + "\ndone();\n"
        )

    return worker


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main(folder):
    logging.disable(logging.CRITICAL)
    ports = [free_port(), free_port()]
    routes = [
        ("GET", "*.any.html", page_handler(folder)),
        ("GET", "*.any.worker.html", page_handler(folder)),
        ("GET", "*.window.html", page_handler(folder)),
        ("GET", "*.any.worker.js", worker_handler(folder)),
        *own_routes,
    ]
    builder = ConfigBuilder(
        logging.getLogger("wptserve"),
        browser_host="localhost",
        subdomains={"www", "www1", "www2"},
        not_subdomains={"nonexistent"},
        doc_root=folder,
        check_subdomains=False,
        ports={"http": ports, "https": [], "ws": [], "wss": []},
    )
    with StashServer(authkey=os.urandom(8)), builder as config:
        all_servers = [
            server.WebTestHttpd(host="127.0.0.1", port=port, doc_root=folder, routes=routes, config=config)
            for port in ports
        ]
        for one in all_servers:
            one.start()
        print(json.dumps(ports), flush=True)
        sys.stdin.read()
        for one in all_servers:
            one.stop()


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
