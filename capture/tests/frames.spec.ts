import { expect, install, test } from "./support/fixture.ts";

const speak = (name: string) =>
  `<script>console.log("${name} " + location.origin); fetch("x:${name}").catch(() => {}); setTimeout(() => { throw new Error("${name} threw") })</script>`;

test("every kind of frame is captured from its first script: sandboxed, srcdoc, blob, data, about:blank, written", async ({
  page,
  server,
  context,
}) => {
  const records = await install(context, { document: true });
  // It runs behind the capture's own script.
  await context.addInitScript("window.installed = true");
  const inner = server.page(speak("http"));
  await page.goto(
    server.page(`<body><script>
const add = (set) => { const f = document.createElement("iframe"); set(f); document.body.append(f); return f };
add((f) => f.src = ${JSON.stringify(inner)});
add((f) => f.srcdoc = ${JSON.stringify(speak("srcdoc")).replaceAll("</", "<\\/")});
// Chromium gives it a process of its own, where Playwright's scripts may come after the page's; an extension's do not.
add((f) => { f.sandbox = "allow-scripts"; f.srcdoc = ${JSON.stringify(speak("sandboxed").replace("<script>", "<script>const wait = setInterval(() => { if (!window.installed) return; clearInterval(wait); ").replace("</script>", "}, 10)</script>")).replaceAll("</", "<\\/")} });
add((f) => f.src = URL.createObjectURL(new Blob([${JSON.stringify(speak("blob")).replaceAll("</", "<\\/")}], { type: "text/html" })));
add((f) => f.src = "data:text/html," + encodeURIComponent(${JSON.stringify(speak("data")).replaceAll("</", "<\\/")}));
const blank = add(() => {});
window.borrowed = String(blank.contentWindow.fetch) + (blank.contentWindow.fetch === fetch);
blank.contentWindow.console.log("blank spoke");
const written = add(() => {});
written.contentDocument.open(); written.contentDocument.write(${JSON.stringify(speak("written")).replaceAll("</", "<\\/")}); written.contentDocument.close();
</script>`),
  );
  for (const name of ["http", "srcdoc", "sandboxed", "blob", "data", "written"]) {
    const log = await records.one("logs", (x) => x.message.startsWith(name + " "));
    if (name === "sandboxed" || name === "data") expect(log.message).toContain("null");
    await records.one("exceptions", (x) => x.message === name + " threw");
    await records.one("network", (x) => x.url === "x:" + name);
  }
  await records.one("logs", (x) => x.message === "blank spoke");
  expect(await page.evaluate("borrowed")).toBe("function fetch() { [native code] }false");
});

test("a realm that outlives its document (about:blank that navigates) records everything once", async ({
  page,
  context,
  server,
}) => {
  const records = await install(context, { document: true });
  const inner = server.page(`<script>console.log("inner", window.kept, String(fetch), String(kept2))</script>`);
  await page.goto(server.page(`<body>`));
  await page.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    document.body.append(frame);
    // The document is still about:blank; the one to come takes its globals over.
    const inside = frame.contentWindow as never as { kept: string; kept2: unknown; fetch: unknown };
    inside.kept = "kept";
    inside.kept2 = inside.fetch;
  }, inner);
  const native = "function fetch() { [native code] }";
  expect((await records.one("logs", (x) => x.message.startsWith("inner"))).message).toBe(
    `inner kept ${native} ${native}`,
  );
  await page.frames()[1]!.evaluate(async () => {
    console.log("once");
    await fetch("/json");
    setTimeout(() => {
      throw new Error("once");
    });
  });
  await records.one("exceptions", (x) => x.message === "once");
  await page.frames()[1]!.evaluate(() => console.log("end"));
  await records.one("logs", (x) => x.message === "end");
  expect(records.all("logs").filter((x) => x.message === "once")).toHaveLength(1);
  expect(records.all("network").filter((x) => x.initiator.type === "fetch")).toHaveLength(1);
  expect(records.all("exceptions")).toHaveLength(1);
});

test("nothing keeps a page out of the back/forward cache", async ({ page, capture, server }) => {
  await page.addInitScript(() => {
    const added: string[] = ((window as never as { added: string[] }).added = []);
    const add = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (type: string, ...rest: never[]) {
      added.push(type);
      return add.call(this, type, ...(rest as unknown as [never]));
    };
  });
  await capture({ document: true });
  await page.goto(server.page(""));
  const added = (await page.evaluate("added")) as string[];
  expect(added.length).toBeGreaterThan(5);
  expect(added).not.toContain("unload");
  expect(added).not.toContain("beforeunload");
});
