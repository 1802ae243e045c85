"""What capturing costs: python -m tests.bench"""

import logging
import time

from tests.base import Case  # noqa: F401  puts the package on the path
import gasoline_sdk
from gasoline_sdk import _queue
from tests.receiver import Receiver
from tests.test_http import call

N = 20_000


def measure(what, function, n=N):
    best = min(_once(function, n) for _ in range(5))
    print("%-32s %7.2f µs" % (what, best / n * 1e6))


def _once(function, n):
    start = time.perf_counter()
    for _ in range(n):
        function()
    return time.perf_counter() - start


def app(environ, start_response):
    start_response("200 OK", [])
    return [b""]


def main():
    log = logging.getLogger("bench")
    log.addHandler(logging.NullHandler())
    log.propagate = False
    log.setLevel(logging.INFO)
    measure("log.info without", lambda: log.info("order %d taken", 7, extra={"user": "ann"}))
    measure("request without", lambda: call(app), N // 10)
    receiver = Receiver()
    client = gasoline_sdk.start(url=receiver.url, token="secret", interval=3600, sigterm=False)
    client.sender.tell = lambda urgent: None  # the hot path alone
    measure("log.info with", lambda: log.info("order %d taken", 7, extra={"user": "ann"}))
    middleware = gasoline_sdk.WSGIMiddleware(app)
    measure("request with", lambda: call(middleware), N // 10)

    def push():
        client.push(_queue.Log(_queue.INFO, 0.0, 20, "INFO", "bench", "order taken", "", 0, None, 0, "", ""))

    measure("push", push)
    gasoline_sdk.close(0)
    receiver.close()


if __name__ == "__main__":
    main()
