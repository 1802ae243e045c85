// Drivers against servers that speak as much of their protocols as they need.
import net from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import mysql from "mysql2";
import { App } from "./app.ts";
import { Receiver } from "./receiver.ts";

let receiver: Receiver;
let app: App | undefined;
let server: { close(done?: () => void): unknown } | undefined;

beforeEach(async () => {
  receiver = await Receiver.listen();
});
afterEach(async () => {
  await app?.stop();
  server?.close();
  await receiver.close();
  expect(receiver.wrong).toEqual([]);
});

/** Has the program ask, and returns the spans of what it asked. */
async function asked(env: Record<string, string>, n: number) {
  app = App.start("databases.mjs", receiver.url, env);
  const told = await (await fetch(await app.url())).json();
  await receiver.until((r) => r.spans.filter((s) => s.kind === 3).length >= n && r.spans.some((s) => s.kind === 2));
  const parent = receiver.spans.find((s) => s.kind === 2);
  const spans = receiver.spans.filter((s) => s.kind === 3).sort((a, b) => Number(a.start - b.start));
  for (const span of spans) expect(span).toMatchObject({ traceId: parent?.traceId, parentSpanId: parent?.spanId });
  await receiver.until((r) => r.logs.some((l) => l.body === "asked"));
  // What comes after a call is still the request's.
  expect(receiver.log("asked").spanId).toBe(parent?.spanId);
  return { told, spans };
}

const listen = (take: (socket: net.Socket) => void): Promise<number> =>
  new Promise((done) => {
    const listening = net.createServer((socket) => {
      socket.on("error", () => undefined);
      take(socket);
    });
    server = listening;
    listening.listen(0, "127.0.0.1", () => done((listening.address() as net.AddressInfo).port));
  });

test("pg: statements, errors and callbacks are spans", async () => {
  // Latin-1 text holds the bytes.
  const int32 = (n: number) => String.fromCharCode((n >> 24) & 255, (n >> 16) & 255, (n >> 8) & 255, n & 255);
  const message = (type: string, body = "") => type + int32(body.length + 4) + body;
  const ready = message("Z", "I");
  const row =
    message("T", `\0\x01price\0${int32(0)}\0\0${int32(23)}\0\x04${int32(-1)}\0\0`) +
    message("D", `\0\x01${int32(2)}17`) +
    message("C", "SELECT 1\0");
  const failure = message("E", 'SERROR\0C42703\0Mcolumn "nothing" does not exist\0\0');
  const port = await listen((socket) => {
    let started = false;
    socket.on("data", (data) => {
      if (!started) {
        started = true;
        socket.write(message("R", int32(0)) + ready, "latin1");
        return;
      }
      const text = data.toString("latin1");
      if (text[0] === "X") return socket.end();
      const extended = text[0] === "P" ? message("1") + message("2") : "";
      return socket.write(extended + (text.includes("nothing") ? failure : row) + ready, "latin1");
    });
  });
  const { told, spans } = await asked({ PG: String(port) }, 3);
  expect(told).toEqual([[{ price: 17 }], 'column "nothing" does not exist', [{ price: 17 }]]);
  expect(spans.map((s) => [s.name, s.status.code])).toEqual([
    ["SELECT shop", 0],
    ["SELECT shop", 2],
    ["SELECT shop", 0],
  ]);
  expect(spans[0]?.attributes).toEqual({
    "db.system.name": "postgresql",
    "db.operation.name": "SELECT",
    "db.query.text": "SELECT price FROM items WHERE id = $1",
    "db.namespace": "shop",
    "server.address": "127.0.0.1",
    "server.port": port,
  });
  expect(spans[1]?.attributes["db.response.status_code"]).toBe("42703");
  expect(spans[1]?.events[0]?.attributes).toMatchObject({
    "exception.message": 'column "nothing" does not exist',
    "exception.escaped": false,
  });
});

test("mysql2: statements and errors are spans, without the values", async () => {
  const own = mysql.createServer((connection) => {
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: "8.0.0",
      connectionId: 1,
      statusFlags: 2,
      characterSet: 8,
      capabilityFlags: 0xffffff & ~0x800,
    } as never);
    connection.on("error", () => undefined);
    connection.on("query", (sql: string) => {
      const to = connection as unknown as {
        writeError(e: object): void;
        writeTextResult(rows: object[], columns: object[]): void;
      };
      (connection as unknown as { sequenceId: number }).sequenceId = 1;
      if (sql.includes("nothing")) return to.writeError({ code: 1054, message: "Unknown column 'nothing'" });
      const column = { catalog: "def", schema: "", table: "", orgTable: "", orgName: "", name: "price" };
      return to.writeTextResult(
        [{ price: "17" }],
        [{ ...column, characterSet: 33, columnLength: 3, columnType: 253, type: 253, flags: 0, decimals: 0 }],
      );
    });
  });
  server = own as unknown as { close(): unknown };
  const port = await new Promise<number>((done) => {
    (own as unknown as net.Server).listen(
      0,
      "127.0.0.1" as never,
      (() => done(((own as unknown as { _server: net.Server })._server.address() as net.AddressInfo).port)) as never,
    );
  });
  const { told, spans } = await asked({ MYSQL: String(port) }, 2);
  expect(told).toEqual([[{ price: "17" }], "Unknown column 'nothing'"]);
  expect(spans[0]?.attributes).toMatchObject({
    "db.system.name": "mysql",
    "db.query.text": "SELECT price FROM items WHERE name = ?", // the driver had written the value there
    "db.namespace": "shop",
    "server.port": port,
  });
  expect(spans[1]).toMatchObject({ name: "SELECT shop", status: { code: 2 } });
});

test("ioredis: commands are spans with their key, without their values", async () => {
  const port = await listen((socket) => {
    socket.on("data", (data) => {
      for (const command of data.toString().matchAll(/\*\d+\r\n(?:\$\d+\r\n([^\r]*)\r\n)/g)) {
        socket.write(command[1]?.toLowerCase() === "get" ? "$2\r\n17\r\n" : "+OK\r\n");
      }
    });
  });
  const { told, spans } = await asked({ REDIS: String(port) }, 2);
  expect(told).toEqual(["17", "OK"]);
  const texts = spans.map((s) => s.attributes["db.query.text"]);
  expect(texts).toContain("GET basket:7");
  expect(texts).toContain("SET basket:7");
  expect(JSON.stringify(receiver.requests.map((r) => r.text))).not.toContain("hunter22");
});

test.each(["pino", "winston", "bunyan"])(
  "%s: lines come with level, fields, errors and the request's ids",
  async (logger) => {
    app = App.start("loggers.mjs", receiver.url, { LOGGER: logger });
    await fetch(await app.url());
    await receiver.until((r) => r.logs.length >= 2 && r.spans.length > 0);
    await app.stop("SIGTERM");
    expect(receiver.logs).toHaveLength(2);
    const [info, error] = receiver.logs;
    const { traceId, spanId } = receiver.spans[0] ?? {};
    expect(info).toMatchObject({ severity: 9, traceId, spanId, attributes: { order: 7 } });
    expect(info?.body).toBe(logger === "pino" ? "paid twice" : "paid");
    expect(error).toMatchObject({ severity: 17, traceId, spanId });
    const told = JSON.stringify(error?.attributes);
    expect(told).toContain("no price");
    expect(told).toContain("loggers.mjs");
    expect(JSON.stringify(receiver.requests.map((r) => r.text))).not.toContain("visible");
  },
);
