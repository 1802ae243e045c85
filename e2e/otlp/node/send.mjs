// Sends one trace of two spans and a log with OpenTelemetry's SDK for Node, configured by the environment alone, and
// prints the trace's id.
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { logs, SeverityNumber } from "@opentelemetry/api-logs";
import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK({ instrumentations: [] });
sdk.start();
const tracer = trace.getTracer("checkout-routes");
const server = tracer.startSpan("POST /api/orders", {
  kind: SpanKind.SERVER,
  attributes: { "http.request.method": "POST", "http.response.status_code": 500, "cart.sizes": [1, 2] },
});
const within = trace.setSpan(context.active(), server);
const client = tracer.startSpan("GET /stock", { kind: SpanKind.CLIENT }, within);
client.end();
logs.getLogger("pino").emit({
  severityNumber: SeverityNumber.ERROR,
  severityText: "ERROR",
  body: "order failed",
  attributes: { "order.id": "o-1", attempts: 2 },
  context: within,
});
server.recordException(new TypeError("no price"));
server.setStatus({ code: SpanStatusCode.ERROR, message: "no price" });
server.end();
await sdk.shutdown();
console.log(server.spanContext().traceId);
