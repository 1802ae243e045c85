import { createHash } from "node:crypto";
import { mkdtemp, open as openFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { File } from "@gasoline/schema/commands";
import { open } from "./acting.ts";
import { brief, expect, test } from "./extension.ts";

test.use({ host: "node" });

/** Bytes above which the daemon sends a path only. */
const LARGE = 200 * 1024 * 1024;

/** A file as the daemon sends it: with its bytes. */
const inline = (name: string, text: string, type = "text/plain"): File => ({
  path: `/nowhere/${name}`,
  name,
  type,
  size: Buffer.byteLength(text),
  modified: 1_700_000_000_000,
  inline: true,
  data: Buffer.from(text).toString("base64"),
});

/** A file on disk, of which the browser is told the path. */
async function onDisk(folder: string, name: string, bytes: number): Promise<File> {
  const path = join(folder, name);
  const file = await openFile(path, "w");
  await file.truncate(bytes);
  await file.write("end", bytes - 3);
  await file.close();
  return { path, name, type: "application/octet-stream", size: bytes };
}

let folder = "";
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gasoline-upload-"));
});
test.afterEach(() => rm(folder, { recursive: true }));

const HEARD = `<script>
  window.heard = [];
  const told = (files) => Array.from(files).map((f) => f.name + ":" + f.size + ":" + f.type).join(",");
  for (const type of ["input", "change"])
    document.addEventListener(type, (e) => { if (e.target.files) heard.push(type + " " + told(e.target.files)); });
  const hash = async (file) => {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
    return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  };
</script>`;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

test("a file goes into an input, its label's or a hidden one, and the page has its bytes", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<input type=file id=plain><label>Photo <input type=file id=labelled hidden accept="image/*"></label>
     <div id=area><p>Choose or drop</p><input type=file id=inside style="display:none" multiple></div>${HEARD}`,
  );
  const note = inline("note ü.txt", "hello ✓");
  const plain = await run("upload", { selector: "#plain", files: [note] });
  expect(plain.result).toMatchObject({
    match_count: 1,
    upload: { route: "input", files: [{ name: "note ü.txt", size: 9, type: "text/plain" }] },
    receipt: {},
  });
  expect(plain.result.upload).not.toHaveProperty("not_accepted");
  expect(await page.evaluate("heard")).toEqual(["input note ü.txt:9:text/plain", "change note ü.txt:9:text/plain"]);
  expect(await page.evaluate("hash(plain.files[0])")).toBe(sha256("hello ✓"));
  expect(await page.evaluate("plain.files[0].lastModified")).toBe(1_700_000_000_000);
  // The label of a hidden input stands for it, and what does not fit accept is told.
  const labelled = await run("upload", { selector: "text=Photo", files: [note] });
  expect(labelled.result.upload).toMatchObject({ accept: "image/*", not_accepted: ["note ü.txt"] });
  expect(await page.evaluate("labelled.files.length")).toBe(1);
  // What holds one input stands for it, too; several files go where several may.
  const several = await run("upload", {
    selector: "#area",
    files: [note, inline("b.csv", "1,2", "text/csv"), inline("c.txt", "")],
  });
  expect(several.result.upload?.files).toEqual([
    { name: "note ü.txt", size: 9, type: "text/plain" },
    { name: "b.csv", size: 3, type: "text/csv" },
    { name: "c.txt", size: 0, type: "text/plain" },
  ]);
});

test("a file is dropped where the page takes a drop, and nowhere else", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<div id=zone style="width:300px;height:100px;background:#eee">Drop here</div><p id=text>Only text</p><p id=out></p>${HEARD}
     <script>
       window.drags = [];
       for (const type of ["dragenter", "dragover", "dragleave", "drop"])
         zone.addEventListener(type, (e) => { e.preventDefault(); drags.push(type + ":" + e.dataTransfer.types.join()); });
       zone.addEventListener("drop", async (e) => { const [f] = e.dataTransfer.files; zone.append("Reading"); out.textContent = f.name + " " + f.size + " " + (f.size < 1000 ? await hash(f) : ""); });
     </script>`,
  );
  const small = await run("upload", { selector: "#zone", files: [inline("a.txt", "abc")] });
  expect(small.result).toMatchObject({ upload: { route: "drop", files: [{ name: "a.txt", size: 3 }] } });
  expect(small.result.receipt?.changes).toHaveLength(1);
  await expect(page.locator("#out")).toHaveText(`a.txt 3 ${sha256("abc")}`);
  expect(await page.evaluate("drags")).toEqual(["dragenter:Files", "dragover:Files", "drop:Files"]);
  await page.evaluate("drags.length = 0");
  // The browser itself drags what is too large to be sent.
  const big = await run("upload", { selector: "#zone", files: [await onDisk(folder, "big.bin", LARGE)] });
  expect(big.result).toMatchObject({
    trusted: true,
    upload: { route: "drop", files: [{ name: "big.bin", size: LARGE }] },
  });
  await expect(page.locator("#out")).toHaveText(`big.bin ${LARGE}`);
  for (const files of [[inline("a.txt", "abc")], [await onDisk(folder, "big2.bin", LARGE)]]) {
    expect((await run("upload", { selector: "#text", files })).error).toMatchObject({ code: "not_uploadable" });
  }
  expect(page.url()).toContain("/a");
});

test("200 MB go into an input by their path, hidden or not, and what a button asks for is answered", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<input type=file id=plain hidden><button id=ask>Attach</button><button id=nothing>Nothing</button><button id=picker>Open</button><p id=out></p>${HEARD}
     <script>
       ask.onclick = () => {
         const made = document.createElement("input");
         made.type = "file";
         made.onchange = () => { out.textContent = told(made.files); made.value = ""; };
         made.click();
       };
       picker.onclick = () => showOpenFilePicker().catch((e) => (out.textContent = e.name));
     </script>`,
  );
  const big = await onDisk(folder, "big.bin", LARGE);
  const into = await run("upload", { selector: "#plain", files: [big] });
  expect(into.result.upload).toEqual({
    route: "chooser",
    files: [{ name: "big.bin", size: LARGE, type: "application/octet-stream" }],
  });
  expect(await page.evaluate("heard")).toHaveLength(2);
  expect(await page.evaluate("plain.files[0].slice(-3).text()")).toBe("end");
  // A small one, too: the input that a click makes is known to nobody before.
  await writeFile(join(folder, "s.txt"), "abc");
  const small = { ...inline("s.txt", "abc"), path: join(folder, "s.txt") };
  const asked = await run("upload", { selector: "#ask", files: [small] });
  expect(asked.error).toBeUndefined();
  expect(asked.result).toMatchObject({
    upload: { route: "chooser", emptied: true, files: [{ name: "s.txt", size: 3 }] },
  });
  await expect(page.locator("#out")).toHaveText("s.txt:3:text/plain");
  expect(asked.result.receipt?.changes).toHaveLength(1);
  expect((await run("upload", { selector: "#ask", files: [small, big] })).error?.code).toBe("not_multiple");
  expect((await run("upload", { selector: "#nothing", files: [small] })).error?.code).toBe("no_file_chooser");
  expect((await run("upload", { selector: "#picker", files: [small] })).error?.code).toBe("no_file_chooser");
  // What the browser cannot read as the daemon did is no success.
  const gone = { ...big, path: join(folder, "gone.bin") };
  expect((await run("upload", { selector: "#plain", files: [gone] })).error?.code).toBe("status_mismatch");
});

test("a file that a button asks for goes to no other frame that asks at that moment", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  // Its own click lets the frame open a chooser; the press in the page around it takes the focus away.
  site.page(
    "/thief",
    `<!doctype html><title>Thief</title><button>Play</button><input type=file id=own>
     <script>addEventListener("blur", () => { own.click(); document.title = "Asked"; })</script>`,
  );
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<input type=file id=report hidden><button id=ask onclick="report.click()">Attach</button><iframe src="/thief"></iframe>`,
  );
  const thief = page.frames()[1]!;
  await thief.locator("button").click();
  await writeFile(join(folder, "s.txt"), "abc");
  const small = { ...inline("s.txt", "abc"), path: join(folder, "s.txt") };
  const asked = await run("upload", { selector: "#ask", files: [small] });
  expect(await thief.title()).toBe("Asked");
  expect(await thief.evaluate("own.files.length")).toBe(0);
  // A chooser uses up that the user acted, in all frames: the page cannot open its own any more.
  expect(asked.error?.code).toBe("no_file_chooser");
  expect(await page.evaluate("report.files.length")).toBe(0);
});

test("what is put in is the agent's doing by every way, and what the page does then is told", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { run } = await open(
    browser,
    site,
    daemon,
    `<input type=file id=f onchange="console.log('inline')"><input type=file id=g onchange="console.log('chooser')"><div id=zone style="width:200px;height:80px">Drop</div>
     <script>zone.ondragover = (e) => e.preventDefault(); zone.ondrop = (e) => { e.preventDefault(); console.log("drop"); };</script>`,
  );
  await writeFile(join(folder, "s.txt"), "abc");
  const named: File = { path: join(folder, "s.txt"), name: "s.txt", size: 3 };
  const ways = [
    ["#f", inline("s.txt", "abc")],
    ["#g", named],
    ["#zone", named],
  ] as const;
  const acts: string[] = [];
  for (const [selector, file] of ways) acts.push((await run("upload", { selector, files: [file] })).correlation_id);
  await run("flush", {});
  const logs = daemon.events("logs").map(({ message, action }) => [message, action]);
  expect(logs).toEqual([
    ["inline", acts[0]],
    ["chooser", acts[1]],
    ["drop", acts[2]],
  ]);
  const told = daemon.events("actions").filter(({ type }) => type === "upload");
  expect(told.map(({ by, action }) => [by, action])).toEqual([
    ["agent", acts[0]],
    ["agent", acts[1]],
  ]);
});

test(
  "a form is sent with its file; inputs in frames are reached",
  { tag: "@extension" },
  async ({ daemon, site, browserWithExtension: browser }) => {
    site.page(
      "/inner",
      `<!doctype html><input type=file id=inner><button id=ask onclick="inner.click()">Ask</button><div id=zone style="width:99px;height:40px">Drop</div>${HEARD}
     <script>zone.ondragover = (e) => e.preventDefault(); zone.ondrop = (e) => { e.preventDefault(); zone.textContent = told(e.dataTransfer.files); };</script>`,
    );
    site.page("/sent", "<!doctype html><title>Sent</title>");
    const { page, run } = await open(
      browser,
      site,
      daemon,
      `<form method=post enctype="multipart/form-data" action="/sent"><input type=file name=f id=f><button>Send</button></form>
     <iframe src="/inner"></iframe><iframe src="${site.url("/inner", "localhost")}"></iframe>`,
    );
    const note = inline("a.txt", "abc");
    const big = await onDisk(folder, "big.bin", 5_000_000);
    for (const [i, frame] of page.frames().slice(1).entries()) {
      const small = await run("upload", { selector: "#inner", frame: `${i}`, files: [note] });
      expect(small.result.upload?.files).toMatchObject([{ name: "a.txt", size: 3 }]);
      expect(await frame.evaluate("told(inner.files)")).toBe("a.txt:3:text/plain");
      const large = await run("upload", { selector: "#inner", frame: `${i}`, files: [big] });
      const asked = await run("upload", { selector: "#ask", frame: `${i}`, files: [big] });
      if (i === 0) expect(asked.result.upload?.files).toMatchObject([{ name: "big.bin", size: 5_000_000 }]);
      else expect(asked.error?.code).toBe("frame_not_reachable"); // before anything is clicked
      const dropped = await run("upload", { selector: "#zone", frame: `${i}`, files: [big] });
      expect(dropped.result?.upload, JSON.stringify(dropped.error)).toMatchObject({
        files: [{ name: "big.bin", size: 5_000_000 }],
      });
      await expect(frame.locator("#zone")).toContainText("big.bin:5000000");
      if (i === 0) expect(large.result.upload?.files).toMatchObject([{ name: "big.bin", size: 5_000_000 }]);
      else expect(large.error?.code).toBe("frame_not_reachable");
    }
    const sent = await run("upload", { selector: "#f", files: [note], submit: true });
    expect(sent.result).toMatchObject({ title: "Sent", navigated: true, upload: { submitted: true } });
    expect(site.hits).toContain("/sent");
  },
);

test("what takes no file says so: a field, one of two inputs, a disabled one, one for a single file", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<input id=text><div id=two><input type=file id=one><input type=file id=off disabled></div><button id=none>Go</button>${HEARD}`,
  );
  const note = inline("a.txt", "abc");
  const code = async (selector: string, files = [note], more = {}) =>
    (await run("upload", { selector, files, ...more }, brief())).error?.code;
  expect(await code("#text")).toBe("not_uploadable");
  expect(await code("#two")).toBe("ambiguous_target");
  expect(await code("#off")).toBe("not_actionable");
  expect(await code("#one", [note, note])).toBe("not_multiple");
  expect(await code("#gone")).toBe("element_not_found");
  expect(await code("#one", [note], { submit: true })).toBe("no_submit");
  await browser.set({ pilot: false });
  expect(await code("#one")).toBe("pilot_off");
  expect(await page.evaluate("heard.length")).toBe(2); // of the one that had no form to send
});

test("files are posted to an endpoint of the page's own site, and nowhere else", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const posts: { url: string; type: string; cookie: string; origin: string; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { headers, method, url = "" } = request;
      if (method === "GET") {
        response.writeHead(200, { "Content-Type": "text/html", "Set-Cookie": "id=me; HttpOnly; Path=/" });
        response.end(
          "<!doctype html><title>Own</title><script>window.fetch = () => { throw new Error('the page heard') }</script>",
        );
        return;
      }
      posts.push({
        url,
        type: headers["content-type"] ?? "",
        cookie: headers.cookie ?? "",
        origin: headers.origin ?? "",
        body,
      });
      if (url === "/leads") response.writeHead(307, { Location: site.url("/elsewhere") }).end();
      else if (url === "/silent") return;
      else response.writeHead(url === "/no" ? 413 : 201, { "Content-Type": "application/json" }).end('{"id":7}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await browser.set({ pilot: true });
    await browser.page.goto(`${origin}/shop/`);
    const tab = await browser.tab(browser.page);
    const files = [inline("a.txt", "first file"), inline("b.txt", "second file")];
    const post = (api_endpoint: string, more: object = {}) =>
      daemon.command("upload", { files, api_endpoint, ...more } as { files: File[] }, { tab, ...brief() });
    const { result, error } = await post("upload?x=1", { name: "docs" });
    expect(error).toBeUndefined();
    expect(result.upload).toEqual({
      route: "endpoint",
      files: [
        { name: "a.txt", size: 10, type: "text/plain" },
        { name: "b.txt", size: 11, type: "text/plain" },
      ],
      status: 201,
      answer: '{"id":7}',
    });
    expect(posts[0]).toMatchObject({ url: "/shop/upload?x=1", cookie: "id=me", origin });
    expect(posts[0]?.type).toMatch(/^multipart\/form-data; boundary=/);
    expect(posts[0]?.body).toMatch(
      /name="docs"; filename="a\.txt"[^]*first file[^]*name="docs"; filename="b\.txt"[^]*second/,
    );
    expect((await post("/no")).result.upload?.status).toBe(413);
    expect(posts[1]?.body).toContain('name="file"');
    // What leads elsewhere is not followed, and another site is never asked.
    expect((await post("/leads")).result.upload?.status).toBe(0);
    expect((await post(site.url("/elsewhere"))).error?.code).toBe("other_origin");
    expect((await post("data:text/plain,x")).error?.code).toBe("other_origin");
    expect((await post("http://")).error?.code).toBe("invalid_param");
    const silent = await post("/silent");
    expect(silent).toMatchObject({ status: "timeout", error: { code: "timeout" } });
    expect(silent.error?.message).toMatch(/^\/silent did not answer in time\. It may have the files\.$/);
    // Nor is it told as done when the page is left before the endpoint answered.
    const left = daemon.send("upload", { files, api_endpoint: "/silent" }, { tab, timeoutMS: 20_000 });
    await expect.poll(() => posts.filter(({ url }) => url === "/silent").length).toBe(2);
    await browser.page.goto(`${origin}/next`);
    const { error: gone } = await daemon.until("answer", () => daemon.results.get(left));
    expect(gone?.code).toMatch(/^(network_error|page_left)$/); // whichever of the two Chrome says first
    expect(site.hits).toEqual([]);
    await browser.set({ pilot: false });
    expect((await post("upload")).error?.code).toBe("pilot_off");
    expect(posts.filter(({ url }) => url === "/shop/upload")).toEqual([]);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
