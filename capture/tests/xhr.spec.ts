import { expect, sameWithAndWithout, test } from "./support/fixture.ts";

const bodies = { config: { bodies: true, bodyLimit: 1000 } };

test("synchronous XHR is recorded, also when it throws", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  const thrown = await page.evaluate(() => {
    const xhr = new XMLHttpRequest();
    xhr.open("GET", "/json?sync", false);
    xhr.send();
    const broken = new XMLHttpRequest();
    broken.open("GET", "/refused", false);
    try {
      broken.send();
      return "nothing";
    } catch (error) {
      return (error as Error).name;
    }
  });
  expect(thrown).toBe("NetworkError");
  expect(await records.one("network", (x) => x.url.endsWith("?sync"))).toMatchObject({
    status: 200,
    outcome: "ok",
    initiator: { type: "xhr" },
  });
  const failed = await records.one("network", (x) => x.url.endsWith("/refused"));
  expect(failed.outcome).toBe("network_error");
  expect(records.all("network")).toHaveLength(2);
});

test("every response type is told: text, json by its value, others by size", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  const url = server.page("<p>document</p>");
  await page.goto(url);
  const got = await page.evaluate(async (url) => {
    const load = (type: XMLHttpRequestResponseType, path: string): Promise<XMLHttpRequest> =>
      new Promise((done) => {
        const xhr = new XMLHttpRequest();
        xhr.open("GET", path);
        xhr.responseType = type;
        xhr.onload = () => done(xhr);
        xhr.send();
      });
    const json = await load("json", "/json?type=json");
    await load("", "/text?type=");
    await load("text", "/text?type=text&size=3000");
    await load("blob", "/binary?type=blob&size=50");
    await load("arraybuffer", "/binary?type=buffer&size=60");
    await load("document", url + "?type=document");
    return json.response.password as string;
  }, url);
  expect(got).toBe("hunter2");
  await records.one("network", (x) => x.url.endsWith("type=document"));
  const at = (type: string) =>
    records.all("network").find((x) => x.url.includes("type=" + type + "&") || x.url.endsWith("type=" + type))!;
  expect(at("json").response_body).toMatch(/^\{"items":\[1,2\],"password":"<password:/);
  expect(at("").response_body).toBe("hello");
  expect(at("text")).toMatchObject({ response_size: 3000, response_body_note: "truncated" });
  expect(at("blob")).toMatchObject({ response_size: 50, response_body_note: "binary" });
  expect(at("buffer")).toMatchObject({ response_size: 60, response_body_note: "binary" });
  expect(at("document").response_body).toContain("<p>document</p>");
  expect(at("json").response_headers!.find((field) => field.name === "content-type")!.value).toBe("application/json");
});

test("what a page aborts once it is done, counts as done", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  await page.evaluate(
    () =>
      new Promise<void>((done) => {
        const xhr = new XMLHttpRequest();
        xhr.onreadystatechange = () => {
          if (xhr.readyState !== 4) return;
          xhr.abort();
          done();
        };
        xhr.open("GET", "/text?done");
        xhr.send();
      }),
  );
  expect(await records.one("network")).toMatchObject({
    status: 200,
    outcome: "ok",
    response_body: "hello",
  });
});

test("an object that is opened again starts over; abort, timeout and network errors are outcomes", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    const ended = (xhr: XMLHttpRequest): Promise<unknown> => new Promise((done) => (xhr.onloadend = done));
    const xhr = new XMLHttpRequest();
    for (const path of ["/text?first", "/status?code=404&second"]) {
      xhr.open("post", path);
      xhr.setRequestHeader("X-Try", path);
      xhr.send("body of " + path);
      await ended(xhr);
    }
    xhr.open("GET", "/hang?aborted");
    xhr.send();
    xhr.abort();
    xhr.open("GET", "/hang?timeout");
    xhr.timeout = 30;
    xhr.send();
    await ended(xhr);
    xhr.timeout = 0;
    xhr.open("GET", "/refused");
    xhr.send();
    await ended(xhr);
  });
  await records.one("network", (x) => x.url.endsWith("/refused"));
  const told = records
    .all("network")
    .map((x) => [
      x.method,
      x.url.slice(server.origin.length),
      x.outcome,
      x.error ?? "",
      x.request_body ?? "",
      (x.request_headers ?? []).length,
    ]);
  expect(told).toEqual([
    ["POST", "/text?first", "ok", "", "body of /text?first", 1],
    ["POST", "/status?code=404&second", "http_error", "", "body of /status?code=404&second", 1],
    ["GET", "/hang?aborted", "aborted", "", "", 0],
    ["GET", "/hang?timeout", "network_error", "timeout", "", 0],
    ["GET", "/refused", "network_error", "", "", 0],
  ]);
});

test("the page sees the same XHR: events, errors, headers, no preflight", async ({ context, server }) => {
  const seen = await sameWithAndWithout(context, server.page("x"), async () => {
    const told: string[] = [];
    const xhr = new XMLHttpRequest();
    for (const name of ["readystatechange", "loadstart", "progress", "load", "loadend", "error"])
      xhr.addEventListener(name, () => told.push(name + xhr.readyState));
    xhr.open("GET", "/json");
    xhr.send();
    await new Promise((done) => xhr.addEventListener("loadend", done));
    const json = new XMLHttpRequest();
    json.open("GET", "/json");
    json.responseType = "json";
    json.send();
    await new Promise((done) => json.addEventListener("loadend", done));
    told.push(JSON.stringify(json.response), String(json.response === json.response));
    told.push(xhr.getAllResponseHeaders().replace(/date:.*\r\n/, ""), String(Object.keys(xhr)));
    for (const wrong of [
      () => xhr.send.call({} as never),
      () => xhr.open("TRACE", "/"),
      () => new XMLHttpRequest().send(),
      () => Reflect.apply(xhr.open, null, ["GET", "/"]),
      () => (XMLHttpRequest.prototype.open as () => void)(),
    ]) {
      try {
        wrong();
        told.push("fine");
      } catch (error) {
        told.push((error as Error).name + ": " + (error as Error).message);
      }
    }
    return told;
  });
  expect(seen[0]).toBe("readystatechange1");
  expect(server.seen.filter((request) => request.method === "OPTIONS")).toEqual([]);
});

test("sendBeacon keeps its answer, which does not prove delivery", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  const answers = await page.evaluate(() => [
    navigator.sendBeacon("/echo?small", "data"),
    navigator.sendBeacon("/echo?large", "x".repeat(70_000)),
  ]);
  expect(answers).toEqual([true, false]);
  expect(await records.one("network", (x) => x.url.endsWith("?small"))).toMatchObject({
    method: "POST",
    outcome: "pending",
    request_body: "data",
    initiator: { type: "beacon" },
  });
  expect(await records.one("network", (x) => x.url.endsWith("?large"))).toMatchObject({
    outcome: "blocked",
    request_size: 70_000,
  });
});

test("a request in flight that is opened again was aborted; events that scripts dispatch are not its own", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  await page.goto(server.page("x"));
  await page.evaluate(
    () =>
      new Promise((done) => {
        const xhr = new XMLHttpRequest();
        xhr.open("GET", "/hang");
        xhr.send();
        try {
          xhr.open("BAD METHOD", "/json");
        } catch {
          // the first request goes on
        }
        xhr.open("GET", "/json");
        xhr.onload = done;
        xhr.send();
        xhr.dispatchEvent(new ProgressEvent("abort"));
      }),
  );
  await records.one("network", (x) => x.url.endsWith("/json"));
  expect(records.all("network").map((x) => [x.method, x.url.slice(server.origin.length), x.outcome])).toEqual([
    ["GET", "/hang", "aborted"],
    ["GET", "/json", "ok"],
  ]);
});
