import { readFile } from "node:fs/promises";
import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

const PAGE = `<a id=link href="/report" download="report 1.csv">Report</a><a id=served href="/served">Served</a>
  <button id=made onclick="const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['a,b'])); a.download = 'made.csv'; a.click()">Make</button>
  <a id=gone href="/gone" download>Gone</a><button id=none>Nothing</button>`;

/** Downloads are the browser's; the runner would keep them elsewhere and under other names. */
test.use({ ownBrowser: true });

test("what a page asks to be saved is told by its name, without any permission", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  site.page("/report", { body: "a,b", type: "text/csv" });
  const { run } = await open(browser, site, daemon, PAGE);
  const link = await run("click", { selector: "#link" });
  expect(link.result.downloads).toEqual([{ name: "report 1.csv", url: site.url("/report"), state: "asked_for" }]);
  const made = await run("click", { selector: "#made" });
  expect(made.result.downloads).toMatchObject([{ name: "made.csv", state: "asked_for" }]);
  expect((await run("click", { selector: "#none" })).result).not.toHaveProperty("downloads");
  const script = await run("execute_js", { script: "made.click()" });
  expect(script.result.downloads).toMatchObject([{ name: "made.csv" }]);
});

test.describe("once the user allows it", () => {
  test.use({ downloads: true });

  test("a download is told with its path, size and state, also one that only the server names", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    site.page("/report", { body: "a,b", type: "text/csv" });
    site.page("/served", {
      body: "%PDF",
      type: "application/pdf",
      headers: { "Content-Disposition": 'attachment; filename="served.pdf"' },
    });
    site.page("/gone", { body: "no", status: 404 });
    const { page, run } = await open(browser, site, daemon, PAGE);
    const link = await run("click", { selector: "#link" });
    expect(link.result.downloads).toMatchObject([
      { url: site.url("/report"), state: "complete", size: 3, type: "text/csv" },
    ]);
    const [report] = link.result.downloads ?? [];
    expect(report).not.toHaveProperty("same_time");
    expect(await readFile(report?.path ?? "", "utf8")).toBe("a,b");
    const served = await run("click", { selector: "#served" });
    expect(served.result.downloads).toMatchObject([
      { state: "complete", size: 4, type: "application/pdf", same_time: true },
    ]);
    expect(page.url()).toBe(site.url("/a"));
    const gone = await run("click", { selector: "#gone" });
    expect(gone.result.downloads).toMatchObject([{ state: "interrupted", error: "SERVER_BAD_CONTENT" }]);
    expect((await run("click", { selector: "#none" })).result).not.toHaveProperty("downloads");
    // What the user downloads meanwhile is nobody's business.
    const own = page.waitForEvent("download");
    await page.locator("#link").click();
    await (await own).path();
    expect((await run("click", { selector: "#none" })).result).not.toHaveProperty("downloads");
  });
});

test.describe("beside a site that was not granted", () => {
  test.use({ downloads: true });

  test("what is downloaded there while an act runs is not told", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { run } = await open(browser, site, daemon, PAGE);
    const bank = await browser.context.newPage();
    const body = `<a id=a download=account-42.csv>Account</a><script>a.href = URL.createObjectURL(new Blob(["a"]))</script>`;
    await bank.route("http://bank.test/**", (route) => route.fulfill({ contentType: "text/html", body }));
    await bank.goto("http://bank.test/");
    const saved = bank.waitForEvent("download").catch(() => undefined);
    const script = "new Promise((went) => setTimeout(() => went(document.title), 2000))";
    const acts = run("execute_js", { script });
    await bank.locator("#a").click();
    await saved;
    const { result } = await acts;
    expect(result).not.toHaveProperty("downloads");
    const { result: own } = await run("click", { selector: "#made" });
    expect(own.downloads).toMatchObject([{ state: "complete", size: 3 }]);
  });
});

test.describe("where the server takes its time", () => {
  test.use({ downloads: true });

  test("a download is waited for until Chrome has begun and ended it, and no longer than a moment", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    site.page("/report", { body: "a,b", type: "text/csv", delay: 500 });
    site.page("/gone", { body: "no", delay: 6000 });
    const { run } = await open(browser, site, daemon, PAGE);
    const late = await run("click", { selector: "#link" });
    expect(late.result.downloads).toMatchObject([{ url: site.url("/report"), state: "complete", size: 3 }]);
    const later = await run("click", { selector: "#gone" });
    expect(later.result.downloads).toMatchObject([{ url: site.url("/gone"), state: "asked_for" }]);
  });
});

test("the options say whether downloads are told", async ({ browserWithExtension: browser }) => {
  const page = await browser.open("options.html");
  await expect(page.locator("#downloads")).toHaveText("Off.");
  await expect(page.locator("#downloads-switch")).toHaveText("Tell where downloads go");
});
