"""The shop's Python service: keeps payments in a database.

By a planted bug of the service that asks, a payment may come without a currency, which the database refuses. It prints its
URL on the first line and stops when its stdin closes.
"""

import json
import logging
import sqlite3
import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

try:
    from gasoline_sdk import WSGIMiddleware  # "gasoline run" carries it
except ImportError:

    def WSGIMiddleware(app):
        return app


database = sqlite3.connect(":memory:", check_same_thread=False)
database.execute("CREATE TABLE payments (order_id TEXT NOT NULL, amount INTEGER NOT NULL, currency TEXT NOT NULL)")


def payments(environ, start_response):
    """Answers POST /payments, the body of which is {"order": "…", "amount": 1200, "currency": "EUR"}."""
    if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", "/payments"):
        return answer(start_response, "404 Not Found", {"error": "there is no %s" % environ["PATH_INFO"]})
    payment = json.loads(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
    try:
        keep(payment["order"], payment["amount"], payment["currency"])
    except sqlite3.Error as error:
        logging.exception("payment of %s failed", payment["order"])
        return answer(start_response, "500 Internal Server Error", {"error": "payment failed", "detail": str(error)})
    return answer(start_response, "201 Created", {"order": payment["order"]})


def keep(order, amount, currency):
    with database:
        database.execute(
            "INSERT INTO payments (order_id, amount, currency) VALUES (?, ?, ?)",
            (order, amount, currency),
        )


def answer(start_response, status, body):
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps(body).encode()]


class Quiet(WSGIRequestHandler):
    def log_message(self, format, *args):
        """Writes no line for each request."""


server = make_server("127.0.0.1", 0, WSGIMiddleware(payments), handler_class=Quiet)
print("http://127.0.0.1:%d" % server.server_port, flush=True)
serving = threading.Thread(target=server.serve_forever)
serving.start()
sys.stdin.read()  # ends when whoever started us ends
server.shutdown()
serving.join()
