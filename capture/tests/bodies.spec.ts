import { expect, sameWithAndWithout, test } from "./support/fixture.ts";

const bodies = { config: { bodies: true, bodyLimit: 1000 } };

test("what a Request is made with is its body, also of a copy; the note of a request is not the answer's", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  const ran = await page.evaluate(async () => {
    let ran = 0;
    const json = '{"email":"x","password":"hunter2"}';
    const type = { "content-type": "application/json" };
    const made = new Request("/echo?made", { method: "POST", body: json, headers: type });
    await fetch(made);
    await fetch(new Request("/echo?copy", { method: "POST", body: "copied" }).clone());
    await fetch(new Request(new Request("/echo?again", { method: "POST", body: "again" })));
    await fetch(new Request("/echo?other", { method: "POST", body: "first" }), { body: "second", method: "POST" });
    await fetch(new Request("/echo?blob", { method: "POST", body: new Blob([json], { type: "application/json" }) }));
    await fetch(new Request("/echo?form", { method: "POST", body: new URLSearchParams({ a: "1" }) }));
    class Mine extends Request {}
    await fetch(new Mine("/echo?mine", { method: "PUT", body: "mine" }));
    await fetch(
      new Request("/echo?getter", {
        method: "POST",
        get body() {
          ran++;
          return "once";
        },
      }),
    );
    const stream = new Response("s").body;
    await fetch(new Request("/echo?stream", { method: "POST", body: stream, duplex: "half" } as never)).catch(() => {});
    await fetch(new Request("/typed?unsent&code=422&type=application/json&text={}"));
    return ran;
  });
  expect(ran).toBe(1);
  const at = async (name: string): Promise<unknown[]> => {
    const x = await records.one("network", ({ url }) => url.includes("?" + name));
    return [x.request_body, x.request_size, x.request_body_note, x.response_body_note];
  };
  expect((await at("made"))[0]).toMatch(/^\{"email":"x","password":"<password:/);
  expect((await at("made")).slice(2)).toEqual([undefined, undefined]);
  expect(await at("copy")).toEqual(["copied", 6, undefined, undefined]);
  expect(await at("again")).toEqual(["again", 5, undefined, undefined]);
  expect(await at("other")).toEqual(["second", 6, undefined, undefined]);
  expect((await at("blob"))[0]).toMatch(/^\{"email":"x","password":"<password:/);
  expect(await at("form")).toEqual(["a=1", 3, undefined, undefined]);
  expect(await at("mine")).toEqual(["mine", 4, undefined, undefined]);
  expect(await at("getter")).toEqual(["once", 4, undefined, undefined]);
  expect((await at("stream")).slice(0, 3)).toEqual([undefined, -1, "unread"]);
  expect(await at("unsent")).toEqual([undefined, 0, undefined, undefined]);
});

test("the page cannot tell that its Requests are overheard", async ({ context, server }) => {
  await sameWithAndWithout(context, server.page("x"), async () => {
    const seen: unknown[] = [];
    const request = new Request("/echo", { method: "POST", body: "a", headers: { "x-a": "1" } });
    seen.push(request.constructor === Request, request instanceof Request, Request.name, Request.length);
    seen.push(await request.clone().text(), request.bodyUsed, await request.text(), request.bodyUsed);
    seen.push(Object.getOwnPropertyNames(Request.prototype).sort().join());
    for (const make of [
      () => new Request("/x", { method: ["GET"][0]!, body: "no" }),
      () => new Request("/x", 5 as never),
      () => new Request("/x", null as never),
      () => (Request as never as () => void)(),
      () => new (Request as never as new () => Request)(),
      () => Request.prototype.clone.call({} as never),
    ]) {
      try {
        seen.push(typeof make());
      } catch (error) {
        seen.push(String(error));
      }
    }
    const read: string[] = [];
    const init = new Proxy({ method: "POST", body: "b" }, { get: (t, k) => (read.push(String(k)), Reflect.get(t, k)) });
    new Request("/x", init as never);
    seen.push(read.join());
    return seen;
  });
});

test("what is text is told as text, by its type and else by its first bytes", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    const text = encodeURIComponent('{"__type":"NotAuthorizedException"}');
    for (const type of [
      "application/x-amz-json-1.1",
      "application/json5",
      "",
      "application/octet-stream",
      "a/b",
      "bad",
    ])
      await fetch(`/typed?code=400&type=${encodeURIComponent(type)}&text=${text}`).then((r) => r.text());
    await fetch(`/typed?picture&code=422&type=image/png&text=${text}`);
    await fetch(`/typed?real&type=image/png&hex=89504e470d0a1a0a00000000`);
    await fetch(`/typed?lies&type=application/json&hex=89504e470d0a1a0a00000000`);
    await fetch(`/typed?latin&type=text/plain;charset=iso-8859-1&hex=636166e9`);
    await fetch(`/typed?utf16&type=text/plain&hex=fffe61006200`);
    await fetch(`/typed?half&type=&text=` + encodeURIComponent("x".repeat(998) + "😀"));
    const xhr = (type: XMLHttpRequestResponseType, name: string, query: string): Promise<void> =>
      new Promise((done) => {
        const request = new XMLHttpRequest();
        request.open("POST", `/typed?${name}&code=422&${query}`);
        request.responseType = type;
        request.onloadend = () => done();
        request.send(new Blob(['{"year":2026}'], { type: "application/json" }));
      });
    await xhr("blob", "xblob", "type=application/json&text=" + text);
    await xhr("arraybuffer", "xbuffer", "type=application/json&text=" + text);
    await xhr("arraybuffer", "xbytes", "type=application/octet-stream&hex=0001020304");
    await xhr("document", "xdocument", "type=application/xml&text=" + encodeURIComponent("<error>no rows</error>"));
  });
  const network = async (fits: string): ReturnType<typeof records.one<"network">> =>
    records.one("network", ({ url }) => url.includes(fits));
  await network("xdocument");
  const typed = records.all("network").filter(({ url }) => url.includes("?code=400"));
  expect(typed.map((x) => [x.response_body, x.response_body_note])).toEqual(
    Array.from({ length: 6 }, () => ['{"__type":"NotAuthorizedException"}', undefined]),
  );
  expect((await network("?picture")).response_body).toContain("NotAuthorized");
  expect(await network("?real")).toMatchObject({ response_body_note: "binary", response_size: 12 });
  expect(await network("?lies")).toMatchObject({ response_body_note: "binary", response_size: 12 });
  expect((await network("?lies")).response_body).toBeUndefined();
  expect((await network("?latin")).response_body).toBe("café");
  expect((await network("?utf16")).response_body).toContain("a");
  const half = await network("?half");
  expect([half.response_body, half.response_body_note]).toEqual(["x".repeat(998), "truncated"]);
  for (const name of ["?xblob", "?xbuffer"])
    expect(await network(name)).toMatchObject({
      request_body: '{"year":2026}',
      response_body: '{"__type":"NotAuthorizedException"}',
      response_size: 35,
    });
  expect(await network("?xbytes")).toMatchObject({ response_body_note: "binary", response_size: 5 });
  expect((await network("?xdocument")).response_body).toBe("<error>no rows</error>");
});

test("Blobs, buffers and views that are sent, also as beacons", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    const text = '{"year":2026,"note":"Größe"}';
    const bytes = new TextEncoder().encode(text);
    const odd = new Uint8Array(bytes.length + 2);
    odd.set(bytes, 1);
    const sent: Record<string, BodyInit> = {
      blob: new Blob([text], { type: "application/json" }),
      untyped: new Blob([text]),
      file: new File([text], "a.json"),
      buffer: bytes.buffer as ArrayBuffer,
      part: odd.subarray(1, bytes.length + 1),
      view: new DataView(odd.buffer, 1, bytes.length),
      png: new Blob([new Uint8Array([137, 80, 78, 71, 0, 0])], { type: "image/png" }),
      bytes: new Uint8Array([1, 2, 3]),
      large: new Blob(["y".repeat(5000)]),
      empty: new Blob([]),
    };
    for (const [name, body] of Object.entries(sent)) {
      await fetch("/echo?" + name, { method: "POST", body });
      navigator.sendBeacon("/echo?beacon-" + name, body);
    }
  });
  for (const kind of ["", "beacon-"]) {
    // A beacon is told at once, and again when its body is read.
    const at = (name: string): ReturnType<typeof records.one<"network">> =>
      records.one(
        "network",
        (x) =>
          x.url.endsWith("?" + kind + name) && (x.request_body_note !== "binary" || name === "png" || name === "bytes"),
      );
    for (const name of ["blob", "untyped", "file", "buffer", "part", "view"]) {
      const x = await at(name);
      expect([name, x.request_body, x.request_size, x.request_body_note]).toEqual([
        name,
        '{"year":2026,"note":"Größe"}',
        30,
        undefined,
      ]);
    }
    expect(await at("png")).toMatchObject({ request_body_note: "binary", request_size: 6 });
    expect(await at("bytes")).toMatchObject({ request_body_note: "binary", request_size: 3 });
    expect(await at("large")).toMatchObject({ request_body_note: "truncated", request_size: 5000 });
    expect((await at("large")).request_body).toHaveLength(1000);
    expect((await at("empty")).request_body_note).toBeUndefined();
  }
});
