// Has OpenTelemetry's own SDK make the spans.
import http from "node:http";
import { trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
const server = http.createServer((req, res) => {
  if (req.url === "/headers") return res.end(JSON.stringify(req.headers));
  trace.getTracer("app").startActiveSpan("work", async (span) => {
    console.log("in their span");
    const seen = await (await fetch(`http://127.0.0.1:${server.address().port}/headers`)).json();
    span.end();
    res.end(JSON.stringify({ ...span.spanContext(), traceparent: seen.traceparent ?? "" }));
  });
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
