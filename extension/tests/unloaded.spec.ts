import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";
import { Site } from "./site.ts";

test.use({ host: "node" });

/** Addresses that lead to the browser's error page, with what is said of each. */
const FAILED: readonly [
  string,
  { body: string; status?: number; headers?: Record<string, string> } | undefined,
  RegExp,
][] = [
  ["/none", { body: "", status: 404 }, /answered 404, without a page/],
  ["/broken", { body: "", status: 500 }, /answered 500, without a page/],
  [
    "/auth",
    { body: "<h1>401</h1>", status: 401, headers: { "WWW-Authenticate": 'Basic realm="Staging"' } },
    /answered 401 and wants a name and a password/,
  ],
  ["/gz", { body: "notgzip", headers: { "Content-Encoding": "gzip" } }, /answered 200, and the answer cannot be read/],
  ["/gone", undefined, /nothing listens there \(net::ERR_CONNECTION_REFUSED\)/],
];

test(
  "a page that did not load is told with its status or its error, to who navigates and to who clicks",
  { tag: "@extension" },
  async ({ daemon, site, browserWithExtension }) => {
    const dead = new Site();
    await dead.start();
    const gone = dead.url("/gone");
    await dead.stop();
    const urls = FAILED.map(([path, page]) => (page ? site.page(path, page) : gone));
    const links = urls.map((url, i) => `<p><a href="${url}">go ${i}</a> <a target=_blank href="${url}">open ${i}</a>`);
    const { run } = await open(
      browserWithExtension,
      site,
      daemon,
      `${links.join("")}<form method=post action="/broken"><button>Pay</button></form>`,
    );
    for (const [i, url] of urls.entries()) {
      const [path = "", , said = /./] = FAILED[i] ?? [];
      const asked = site.requests.length;
      const went = await run("navigate", { url });
      expect(went.error, path).toMatchObject({ code: "navigation_failed", message: expect.stringMatching(said) });
      expect((await run("navigate", { url: site.url("/a") })).error).toBeUndefined();
      const clicked = await run("click", { selector: `text="go ${i}"` });
      expect(clicked.error, path).toBeUndefined();
      expect(clicked.result, path).toMatchObject({ navigated: true, failed: expect.stringMatching(said) });
      expect(clicked.result.failed).toContain(url);
      expect(site.requests.slice(asked).filter((request) => request.url === path).length).toBeLessThan(3);
      await run("navigate", { url: site.url("/a") });
      const opened = await run("click", { selector: `text="open ${i}"` });
      expect(opened.result, path).toMatchObject({ failed: expect.stringMatching(said) });
    }
    // Nothing is sent a second time to find out.
    const sent = await run("click", { selector: "text=Pay" });
    expect(sent.result.failed).toMatch(/answered 500/);
    expect(site.requests.filter(({ method }) => method === "POST").length).toBe(1);
  },
);

test("an answer with a page is a page, whatever its status", async ({ daemon, site, browserWithExtension }) => {
  const url = site.page("/no", { body: "<title>Forbidden</title><h1>No", status: 403 });
  const bare = site.page("/bare", "<title>127.0.0.1</title><h1>Named as its host");
  const { run } = await open(browserWithExtension, site, daemon, `<a href="${url}">go</a> <a href="${bare}">bare</a>`);
  for (const text of ["go", "bare"]) {
    const { result } = await run("click", { selector: `text=${text}` });
    expect(result.navigated).toBe(true);
    expect(result.failed).toBeUndefined();
    expect((await run("back", {})).error).toBeUndefined();
  }
});

test(
  "an act whose page has not come yet is leaving for it, and not there",
  { tag: "@extension" },
  async ({ daemon, site, browserWithExtension }) => {
    const slow = site.page("/slow", { body: "<title>Slow</title>", delay: 300_000 });
    const { page, run } = await open(
      browserWithExtension,
      site,
      daemon,
      `<a href="${slow}">go</a><form method=post action="${slow}"><button>Send</button></form>`,
    );
    for (const text of ["go", "Send"]) {
      await page.goto(site.url("/a"));
      const { error, result } = await run("click", { selector: `text=${text}` });
      expect(error).toBeUndefined();
      expect(result).toMatchObject({ leaving_for: slow, url: site.url("/a") });
      expect(result.navigated).toBeUndefined();
      expect(result.receipt?.busy).toContain("loading of the page");
    }
  },
);
