// Servers and clients of HTTP/2: by streams, by requests and responses, and by both protocols on one port.
import http2 from "node:http2";
import { connect } from "node:http2";
const { HOW, KEY, CERT } = process.env;
const ask = (to, path, headers) =>
  new Promise((done, fail) => {
    const session = connect(to, { ca: CERT });
    session.on("error", fail);
    const stream = session.request(headers ?? { ":path": path });
    let text = "";
    stream.setEncoding("utf8");
    stream.on("data", (part) => (text += part));
    stream.on("error", (error) => (session.close(), fail(error)));
    stream.on("end", () => (session.close(), done(text)));
    stream.end();
  });
async function answer(path, headers) {
  const url = new URL(path, "http://x");
  const to = url.searchParams.get("to");
  if (url.pathname === "/ask") return ask(to, "/echo?access_token=hunter22");
  if (url.pathname === "/proxy") {
    return ask(to, "", { ":path": "/echo", traceparent: headers.traceparent, tracestate: headers.tracestate });
  }
  if (url.pathname === "/list") {
    return ask(to, "", [":path", "/echo", "x-mine", "1"]).catch((error) => error.code);
  }
  if (url.pathname === "/refused") {
    return ask("http://127.0.0.1:1", "/").catch((error) => error.code);
  }
  if (url.pathname === "/echo") return JSON.stringify({ ...headers });
  console.log(`h2 ${url.pathname}`);
  return "done";
}
const compat = async (req, res) => {
  if (req.url === "/destroy") return req.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
  res.setHeader("content-type", "text/plain");
  res.statusCode = req.url === "/fails" ? 500 : 200;
  res.end(await answer(req.url, req.headers));
};
const make = {
  streams: () =>
    http2.createServer().on("stream", async (stream, headers) => {
      const text = await answer(headers[":path"], headers);
      stream.respond({ ":status": headers[":path"] === "/fails" ? 500 : 200 });
      stream.end(text);
    }),
  compat: () => http2.createServer(compat),
  secure: () => http2.createSecureServer({ key: KEY, cert: CERT, allowHTTP1: true }, compat),
  async fastify() {
    const { default: Fastify } = await import("fastify");
    const app = Fastify({ http2: true });
    app.get("/items/:id", async (request) => ({ id: request.params.id }));
    await app.ready();
    return app.server;
  },
};
const server = await make[HOW]();
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
