"""Sends what a Python service does to Gasoline's daemon on this machine: logs, requests, queries, errors.

It needs the standard library only and speaks OTLP/JSON. It never raises into the program and never blocks it: without a
daemon it drops and counts.

    import gasoline_sdk
    gasoline_sdk.start(service="shop")

``python -m gasoline_sdk.run app.py`` does the same without a change of the program.
"""

from ._client import Client, client, close, flush, start, stats
from ._http import ASGIMiddleware, WSGIMiddleware
from ._logs import Handler
from ._session import sign
from ._sql import wrap_connection
from ._trace import Span, current_traceparent, span

__all__ = [
    "ASGIMiddleware",
    "Client",
    "Handler",
    "Span",
    "WSGIMiddleware",
    "client",
    "close",
    "current_traceparent",
    "flush",
    "sign",
    "span",
    "start",
    "stats",
    "wrap_connection",
]
__version__ = "0.1.0"
