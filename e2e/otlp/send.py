"""Sends one trace of two spans and a log with OpenTelemetry's SDK for Python, and prints the trace's id.

The first argument is the protocol: http or grpc. All else comes from the environment.
"""

import importlib
import logging
import sys

from opentelemetry import trace
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def exporter(signal: str, name: str):
    module = importlib.import_module(f"opentelemetry.exporter.otlp.proto.{sys.argv[1]}.{signal}")
    return getattr(module, name)()


traces = TracerProvider()
traces.add_span_processor(BatchSpanProcessor(exporter("trace_exporter", "OTLPSpanExporter")))
logs = LoggerProvider()
logs.add_log_record_processor(BatchLogRecordProcessor(exporter("_log_exporter", "OTLPLogExporter")))
logger = logging.getLogger("checkout")
logger.addHandler(LoggingHandler(logger_provider=logs))

tracer = traces.get_tracer("checkout-routes")
with tracer.start_as_current_span(
    "POST /api/orders",
    kind=trace.SpanKind.SERVER,
    attributes={"http.request.method": "POST", "http.response.status_code": 500, "cart.sizes": [1, 2]},
) as span:
    with tracer.start_as_current_span("GET /stock", kind=trace.SpanKind.CLIENT):
        pass
    logger.error("order failed", extra={"order.id": "o-1", "attempts": 2})
    span.record_exception(TypeError("no price"))
    span.set_status(trace.StatusCode.ERROR, "no price")
    print(f"{span.get_span_context().trace_id:032x}")
traces.shutdown()
logs.shutdown()
