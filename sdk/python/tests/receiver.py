"""A daemon for tests: it takes OTLP/JSON as strictly as it can be taken."""

import base64
import gzip
import http.server
import json
import threading

_LOG = {
    "timeUnixNano", "observedTimeUnixNano", "severityNumber", "severityText", "body", "attributes", "traceId", "spanId",
    "flags", "droppedAttributesCount", "eventName",
}
_SPAN = {
    "traceId", "spanId", "parentSpanId", "traceState", "flags", "name", "kind", "startTimeUnixNano", "endTimeUnixNano",
    "attributes", "events", "links", "status", "droppedAttributesCount", "droppedEventsCount", "droppedLinksCount",
}


def plain(value):
    """Return an AnyValue as a Python value."""
    if not value:
        return None
    assert len(value) == 1, value
    ((kind, v),) = value.items()
    if kind == "stringValue":
        assert isinstance(v, str)
        return v
    if kind == "intValue":
        return int(v)
    if kind == "doubleValue":
        return float(v)
    if kind == "boolValue":
        assert isinstance(v, bool)
        return v
    if kind == "bytesValue":
        return base64.b64decode(v, validate=True)
    if kind == "arrayValue":
        return [plain(item) for item in v.get("values", [])]
    assert kind == "kvlistValue", kind
    return attributes(v.get("values", []))


def attributes(pairs):
    """Return a list of KeyValue as a dict."""
    for pair in pairs:
        assert set(pair) <= {"key", "value"}, pair
    return {pair["key"]: plain(pair.get("value", {})) for pair in pairs}


def events(request):
    """Return logs and spans of a request, their attributes and service as plain values."""
    logs, spans = [], []
    assert set(request) <= {"resourceLogs", "resourceSpans"}, set(request)
    for group in request.get("resourceLogs", []):
        resource = attributes(group["resource"].get("attributes", []))
        for scope in group["scopeLogs"]:
            for e in scope["logRecords"]:
                assert set(e) <= _LOG, set(e) - _LOG
                if "timeUnixNano" in e:
                    int(e["timeUnixNano"])
                logs.append({**e, "text": plain(e["body"]), "resource": resource, "scope": scope["scope"]["name"],
                             "attributes": attributes(e.get("attributes", []))})
    for group in request.get("resourceSpans", []):
        resource = attributes(group["resource"].get("attributes", []))
        for scope in group["scopeSpans"]:
            for e in scope["spans"]:
                assert set(e) <= _SPAN, set(e) - _SPAN
                assert int(e["startTimeUnixNano"]) <= int(e["endTimeUnixNano"])
                assert len(e["traceId"]) == 32 and len(e["spanId"]) == 16
                spans.append({**e, "resource": resource, "attributes": attributes(e.get("attributes", [])),
                              "events": [{**x, "attributes": attributes(x["attributes"])} for x in e.get("events", [])]})
    return logs, spans


class Receiver:
    """Listens on a port of the system's choice, by HTTPS with an ssl.SSLContext.

    answer may be set to a function that answers instead.
    """

    def __init__(self, tls=None):
        self.requests, self.faults, self.answer, self.packed = [], [], None, 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, headers = outer.answer(self, body) if outer.answer else (200, {})
                if status == 200:
                    outer.take(self, body)
                answer = b"{}"
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # somebody hangs up
        self.host = "127.0.0.1:%d" % self.server.server_port
        self.url = "http://" + self.host
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def take(self, handler, body):
        try:
            assert handler.headers["Authorization"] == "Bearer secret", handler.headers
            if handler.headers["Content-Encoding"] == "gzip":
                body = gzip.decompress(body)
                self.packed += 1
            self.requests.append(events(json.loads(body)))
        except Exception as error:
            self.faults.append(repr(error))

    @property
    def logs(self):
        return [e for logs, _ in list(self.requests) for e in logs]

    @property
    def spans(self):
        return [e for _, spans in list(self.requests) for e in spans]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
