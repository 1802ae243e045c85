import { expect, sameWithAndWithout, test, type Records } from "./support/fixture.ts";

const bodies = { config: { bodies: true, bodyLimit: 1000 } };
const asked = [
  ["open", undefined, undefined],
  ["message", "message", '{"delta":"tok1"}'],
  ["message", "message", '{"delta":"tok2 \u{1f600}"}'],
  ["message", "error", '{"error":\n"Model overloaded"}'],
];

function messages(records: Records, name: string): unknown[][] {
  return records
    .all("websocket")
    .filter((x) => x.url.endsWith("?" + name))
    .map((x) => [x.event, x.type, x.event === "close" ? x.reason : x.data]);
}

test("what a page reads of a stream is told as messages, with its true end, however it reads", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  // Each goes on until it is told that it streams.
  const streaming = ["reader", "byob", "loop", "through", "pipe", "twice", "text", "buffer"].map((name) => {
    const told = records.one("network", (x) => x.url.endsWith(`?${name}`) && x.response_body_note === "streaming");
    server.lastPiece.set(`?${name}`, told);
    return told;
  });
  const reading = page.evaluate(async () => {
    const ways: Record<string, (response: Response) => Promise<string>> = {
      reader: async (r) => {
        const reader = r.body!.getReader();
        let text = "";
        const decoder = new TextDecoder();
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return text;
          text += decoder.decode(value, { stream: true });
        }
      },
      byob: async (r) => {
        const reader = r.body!.getReader({ mode: "byob" });
        let text = "";
        const decoder = new TextDecoder();
        for (;;) {
          const { done, value } = await reader.read(new Uint8Array(16));
          if (done) return text;
          text += decoder.decode(value, { stream: true });
        }
      },
      loop: async (r) => {
        let text = "";
        const decoder = new TextDecoder();
        for await (const piece of r.body as never as AsyncIterable<Uint8Array>)
          text += decoder.decode(piece, { stream: true });
        return text;
      },
      through: async (r) => {
        let text = "";
        const pieces = r.body!.pipeThrough(new TextDecoderStream()) as never as AsyncIterable<string>;
        for await (const piece of pieces) text += piece;
        return text;
      },
      pipe: async (r) => {
        let text = "";
        const decoder = new TextDecoder();
        await r.body!.pipeTo(
          new WritableStream({ write: (piece) => void (text += decoder.decode(piece, { stream: true })) }),
        );
        return text;
      },
      tee: async (r) => {
        const [a, b] = r.body!.tee();
        const texts = await Promise.all([new Response(a).text(), new Response(b).text()]);
        return texts[0] === texts[1] ? texts[0] : "differ";
      },
      twice: async (r) => {
        const copy = r.clone();
        const reader = copy.body!.getReader();
        const text = await r.text();
        for (;;) if ((await reader.read()).done) return text;
      },
      text: (r) => r.text(),
      buffer: async (r) => new TextDecoder().decode(await r.arrayBuffer()),
    };
    const texts: Record<string, string> = {};
    await Promise.all(
      Object.entries(ways).map(async ([name, way]) => (texts[name] = await way(await fetch("/chat?" + name)))),
    );
    return texts;
  });
  await Promise.all(streaming);
  const read = await reading;
  for (const [name, text] of Object.entries(read)) {
    expect(text, name).toContain("tok2 \u{1f600}");
    if (name === "tee") continue; // a Response of the page's own reads it natively
    await records.one("websocket", (x) => x.event === "close" && x.url.endsWith("?" + name));
    const told = messages(records, name);
    if (name === "twice") expect(told.length, name).toBeGreaterThan(3);
    else expect([name, ...told]).toEqual([name, ...asked, ["close", undefined, "it ended"]]);
    const exchanges = records.all("network").filter((x) => x.url.endsWith("?" + name));
    expect(exchanges.map((x) => x.response_body_note)).toEqual(["streaming", undefined]);
    expect(new Set(exchanges.map((x) => x.request_id)).size).toBe(1);
    const last = exchanges[1]!;
    expect(last).toMatchObject({ outcome: "ok", status: 200 });
    expect(last.duration).toBeGreaterThan(last.ttfb! + 300);
    expect(last.response_body).toContain("Model overloaded");
    expect(last.response_size).toBe(new TextEncoder().encode(text).length);
  }
});

test("how a stream ends: the page stops, aborts, the connection breaks, nobody reads", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    const first = async (name: string, init?: RequestInit): Promise<ReadableStreamDefaultReader> => {
      const reader = (await fetch("/dictated?type=text/event-stream&name=" + name, init)).body!.getReader();
      await reader.read();
      return reader;
    };
    await (await first("cancel")).cancel();
    const aborter = new AbortController();
    const reading = await first("abort", { signal: aborter.signal });
    aborter.abort();
    await reading.read().catch(() => {});
    for await (const _ of (await fetch("/dictated?type=text/event-stream&name=break"))
      .body as never as AsyncIterable<1>)
      break;
    const broken = (await fetch("/chat?how=broken")).body!.getReader();
    try {
      for (;;) if ((await broken.read()).done) break;
    } catch {
      // it breaks
    }
    (window as never as { kept: unknown }).kept = await fetch("/dictated?type=text/event-stream&name=nobody");
    (window as never as { open: unknown }).open = await first("open");
  });
  const end = (name: string, fits: (note: string | undefined) => boolean): ReturnType<typeof records.one<"network">> =>
    records.one("network", (x) => x.url.endsWith(name) && fits(x.response_body_note));
  const whole = (note: string | undefined): boolean => note !== "streaming" && note !== "unread";
  for (const name of ["name=cancel", "name=abort", "name=break"])
    expect((await end(name, whole)).outcome, name).toBe("aborted");
  expect((await end("name=cancel", whole)).error).toBe("the page stopped reading");
  expect(await end("how=broken", whole)).toMatchObject({ outcome: "network_error", status: 200 });
  expect((await end("name=nobody", (note) => note === "unread")).outcome).toBe("ok");
  expect((await end("name=open", (note) => note === "streaming")).outcome).toBe("ok");
  for (const name of ["cancel", "abort", "break"])
    await expect.poll(() => server.streams.get(name)?.closed, name).toBe(true);
  const closes = records.all("websocket").filter((x) => x.event === "close");
  expect(closes.map((x) => x.reason).filter((reason) => reason === "the page stopped reading")).toHaveLength(2);
});

test("without bodies a stream has its end and no messages", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page("x"));
  await page.evaluate(() => fetch("/chat?off").then((r) => r.text()));
  const last = await records.one("network", (x) => x.duration > 400);
  expect(last).toMatchObject({ response_body_note: "off", outcome: "ok" });
  expect(records.all("websocket")).toEqual([]);
  expect(JSON.stringify(records.batches)).not.toContain("tok1");
});

test("lines of JSON are messages each; text that drips has its true end", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    const read = async (url: string): Promise<void> => {
      const reader = (await fetch(url)).body!.getReader();
      for (;;) if ((await reader.read()).done) return;
    };
    const lines = encodeURIComponent('{"a":1}\n{"a":2}\n\n{"a":3}');
    await read("/typed?lines&type=application/x-ndjson&text=" + lines);
    await read("/typed?seq&type=application/json-seq&text=" + encodeURIComponent("\x1e{}\n\x1e[]\n"));
    await read("/typed?grpc&type=application/grpc-web%2Bproto&hex=0000000002");
    await read("/typed?long&type=application/x-ndjson&text=" + "x".repeat(9000));
  });
  await records.one("websocket", (x) => x.event === "close" && x.url.includes("?long"));
  const data = (name: string): unknown[] =>
    records
      .all("websocket")
      .filter((x) => x.url.includes(name) && x.event === "message")
      .map((x) => x.data ?? x.size);
  expect(data("?lines")).toEqual(['{"a":1}', '{"a":2}', '{"a":3}']);
  expect(data("?seq")).toEqual(["{}", "[]"]);
  expect(data("?grpc")).toEqual([5]);
  expect(records.all("websocket").find((x) => x.url.includes("?long") && x.event === "message")!.size).toBe(9000);
  await page.evaluate(async () => {
    const reader = (await fetch("/dictated?name=plain&type=text/plain")).body!.getReader();
    const until = performance.now() + 2600;
    while (performance.now() < until) await reader.read();
    await reader.cancel();
  });
  const plain = await records.one("network", (x) => x.url.includes("name=plain") && x.outcome === "aborted");
  expect(plain.duration).toBeGreaterThan(2500);
  expect(plain.response_body).toContain("word 3");
  expect(records.all("network").find((x) => x.request_id === plain.request_id)!.response_body_note).toBe("streaming");
});

test("the page cannot tell that its streams are overheard", async ({ context, server }) => {
  await sameWithAndWithout(context, server.page("x"), async () => {
    const seen: unknown[] = [];
    const proto = ReadableStream.prototype as never as Record<string | symbol, unknown>;
    const streaming = (): Promise<Response> => fetch("/typed?type=text/event-stream&text=data: 1%0A%0A");
    const response = await streaming();
    seen.push(proto["values"] === proto[Symbol.asyncIterator], (proto["getReader"] as () => void).name);
    seen.push(response.body === response.body, response.body!.locked);
    const reader = response.body!.getReader();
    seen.push(reader instanceof ReadableStreamDefaultReader, response.body!.locked, response.bodyUsed);
    const unhandled: string[] = [];
    addEventListener("unhandledrejection", (event) => {
      unhandled.push(String(event.reason));
      event.preventDefault();
    });
    reader.releaseLock();
    void reader.read(); // refused, and nobody looks
    seen.push(await response.text(), response.bodyUsed);
    await response.text().catch((error: Error) => seen.push(String(error)));
    const piped = await streaming();
    for (const wrong of [
      undefined,
      {},
      new TransformStream().readable,
      { readable: 1, writable: new WritableStream() },
    ]) {
      try {
        piped.body!.pipeThrough(wrong as never);
      } catch (error) {
        seen.push(String(error), piped.body!.locked);
      }
      await piped.body!.pipeTo(wrong as never).catch((error: Error) => seen.push(String(error), piped.body!.locked));
    }
    const kept = (await streaming()).body!;
    const stopped = new AbortController();
    stopped.abort("enough");
    await kept
      .pipeTo(new WritableStream(), { preventCancel: true, signal: stopped.signal })
      .catch((error) => seen.push(String(error)));
    seen.push(kept.locked);
    const failing = new WritableStream({ write: () => Promise.reject(new Error("full")) });
    await (await streaming()).body!.pipeTo(failing).catch((error: Error) => seen.push(error.message));
    await new Promise((wait) => setTimeout(wait, 50));
    seen.push(...unhandled);
    return seen;
  });
});
