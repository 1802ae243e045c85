"""A service that says far more than can be sent: "make bench" asks it, with and without the SDK."""

import http.server
import json
import logging
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

LINES = int(sys.argv[1])
logging.basicConfig(stream=open(os.devnull, "w", encoding="utf-8"), level=logging.INFO)
log = logging.getLogger("overload")
made = 0
lock = threading.Lock()


def app(environ, start_response):
    global made
    time.sleep(0.02)  # what a database takes
    for i in range(LINES):
        log.info("item %d is in stock", i, extra={"user": "ann"})
    with lock:
        made += LINES + 1
    start_response("200 OK", [("Content-Length", "3")])
    return [b"ok\n"]


if os.environ.get("GASOLINE") != "off":
    import gasoline_sdk

    gasoline_sdk.start(service="overload-python")
    app = gasoline_sdk.WSGIMiddleware(app)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        def start_response(status, headers, exc_info=None):
            self.send_response_only(int(status[:3]))
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()

        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": self.path, "SCRIPT_NAME": "", "QUERY_STRING": ""}
        if self.path == "/stats":
            gasoline_sdk.flush(1)  # what was not sent is in the counts
            stats = gasoline_sdk.stats()
            body = json.dumps({"made": made, "sent": stats.sent, "dropped": stats.dropped, "waiting": stats.waiting,
                               "problem": stats.problem}).encode()
            start_response("200 OK", [("Content-Length", str(len(body)))])
            self.wfile.write(body)
            return
        for part in app(environ, start_response):
            self.wfile.write(part)

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
