// A server of node:http that does what its path says.
import http from "node:http";
const server = http.createServer(async (req, res) => {
  const url = new URL(req.url, "http://x");
  const to = url.searchParams.get("to");
  const { traceparent, tracestate } = req.headers;
  const headers = url.searchParams.has("proxy") ? { traceparent, tracestate } : {}; // a proxy passes on what it got
  switch (url.pathname) {
    case "/log":
      for (let i = 0; i < Number(url.searchParams.get("n") ?? 1); i++) console.log(`line ${i}`);
      break;
    case "/environment":
      console.log(`started with ${process.env.GASOLINE_URL}`);
      break;
    case "/stats":
      res.end(JSON.stringify((await import("../../dist/index.mjs")).stats()));
      return;
    case "/json":
      console.log(JSON.stringify({ level: "warn", msg: "low stock", left: 2, password: "hunter22" }));
      break;
    case "/large":
      console.log("x".repeat(1 << 20));
      break;
    case "/fetch":
      res.end(await (await fetch(to, { headers })).text());
      return;
    case "/request":
      http.request(to, { method: "POST", headers }, (r) => r.pipe(res)).end("body");
      return;
    case "/get":
      http.get(to, { headers: { accept: "*/*", ...headers } }, (r) => r.pipe(res));
      return;
    case "/refused":
      http.get("http://127.0.0.1:1/", () => {}).on("error", (error) => res.writeHead(502).end(error.code));
      return;
    case "/echo":
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify(req.headers));
      return;
    case "/wait":
      await new Promise((done) => setTimeout(done, Number(url.searchParams.get("ms"))));
      console.warn("waited");
      break;
    case "/clock": {
      const { now } = Date;
      const by = Number(url.searchParams.get("by"));
      if (globalThis.setClock) globalThis.setClock(by);
      else Date.now = () => now() + by;
      break;
    }
    case "/throw":
      setTimeout(() => {
        throw new RangeError("nobody catches this");
      }, 1);
      return;
    case "/reject":
      void Promise.reject(new RangeError("nobody awaits this"));
      return;
  }
  res.end("done");
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
