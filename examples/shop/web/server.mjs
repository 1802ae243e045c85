// The shop's Node service: serves the front end, passes orders on to the Go service, and keeps a
// stock ticker on a WebSocket that drops after a few messages (a planted bug).
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

const PUBLIC = join(import.meta.dirname, "public");
const TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};
const PRODUCTS = [
  { id: "mug", name: "Enamel mug", price: 1200 },
  { id: "shirt", name: "Logo shirt", price: 2400 },
  { id: "gift", name: "Gift card", price: 5000 },
];

/** Starts the service on a free loopback port. orders is the URL of the Go service. */
export async function startWeb(orders) {
  const server = createServer((request, response) => {
    handle(request, response, orders).catch((error) => {
      console.error("web:", error);
      if (!response.headersSent) response.writeHead(502, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "the orders service does not answer" }));
    });
  });
  const sockets = new Set();
  server.on("upgrade", (request, socket) => ticker(request, socket, sockets));
  await new Promise((done, fail) => server.once("error", fail).listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((done) => {
        for (const s of sockets) s.destroy();
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

async function handle(request, response, orders) {
  const { pathname } = new URL(request.url, "http://shop");
  if (pathname === "/api/products") return json(response, 200, PRODUCTS);
  if (pathname === "/api/checkout" && request.method === "POST") {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${orders}/orders`, { method: "POST", headers, body: await text(request) });
    if (!answer.ok) console.error(`checkout failed: the orders service answered ${answer.status}`);
    response.writeHead(answer.status, {
      "content-type": "application/json",
      "x-request-id": `req_${Date.now() % 100000}`,
    });
    return response.end(await answer.text());
  }
  if (pathname === "/images/banner.png") {
    // A planted bug: the banner takes its time, and the page waits to show it.
    await new Promise((done) => setTimeout(done, 1500));
    response.writeHead(200, { "content-type": "image/png", "cache-control": "no-store" });
    return response.end(banner());
  }
  const name = pathname === "/" ? "index.html" : pathname.slice(1);
  if (!/^[a-z]+\.(html|js|css|svg)$/.test(name)) return json(response, 404, { error: `there is no ${pathname}` });
  try {
    const body = await readFile(join(PUBLIC, name));
    response.writeHead(200, { "content-type": TYPES[name.split(".")[1]], "cache-control": "no-cache" });
    response.end(body);
  } catch {
    json(response, 404, { error: `there is no ${pathname}` });
  }
}

function json(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function text(request) {
  let out = "";
  for await (const part of request) out += part;
  return out;
}

/** Speaks just enough WebSocket (RFC 6455) to send stock levels, then breaks off with 1011. */
function ticker(request, socket, sockets) {
  const accept = createHash("sha1")
    .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
  socket.on("error", () => socket.destroy());
  let sent = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) return clearInterval(timer);
    if (++sent <= 3)
      return socket.write(frame(0x1, Buffer.from(JSON.stringify({ type: "stock", item: "mug", left: 10 - sent }))));
    clearInterval(timer);
    const reason = Buffer.from("stock feed: upstream lost");
    const code = Buffer.alloc(2);
    code.writeUInt16BE(1011);
    socket.end(frame(0x8, Buffer.concat([code, reason])));
  }, 150);
}

/** One unmasked frame of at most 125 bytes. */
function frame(opcode, payload) {
  return Buffer.concat([Buffer.from([0x80 | opcode, payload.length]), payload]);
}

/** A small gradient as PNG, made here so that the repository holds no image. */
function banner(width = 640, height = 96) {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * (width * 3 + 1) + 1 + x * 3;
      rows[at] = 250 - (x * 90) / width;
      rows[at + 1] = 130 + (y * 60) / height;
      rows[at + 2] = 60 + (x * 120) / width;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc(body), body.length + 4);
  return out;
}

function crc(bytes) {
  let c = ~0;
  for (const b of bytes) {
    c ^= b;
    for (let i = 0; i < 8; i++) c = (c >>> 1) ^ (0xedb88320 & -(c & 1));
  }
  return ~c >>> 0;
}
