import { open } from "./acting.ts";
import { brief, expect, test } from "./extension.ts";

test("links are asked for as the user, unseen by the page", async ({ daemon, site, browserWithExtension }) => {
  site.page("/mine", {
    body:
      "<title>Mine</title><script>t = '<h1>Not found</h1>'</script><!-- <h1>404</h1> --><h1 class=x>Orders</h1>" +
      "x".repeat(200_000),
  });
  site.page("/old", { body: "", status: 302, headers: { location: "/mine" } });
  site.page("/file", { body: "<title>no markup</title>", type: "text/plain" });
  site.page("/out", { body: "", status: 302, headers: { location: site.url("/mine", "localhost") } });
  const worker = `addEventListener("fetch", (e) => e.respondWith(new Response("by the page")))`;
  site.page("/worker.js", { body: worker, type: "text/javascript" });
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<script>document.cookie = "sid=1; SameSite=Strict"; navigator.serviceWorker.register("/worker.js")</script>`,
  );
  await page.evaluate(() => navigator.serviceWorker.ready);
  const { origin } = new URL(page.url());
  const before = site.requests.length;
  const urls = ["/mine", "/old#x", "/file", "/missing", "/out"].map((path) => origin + path);
  const { result } = await run("ask_links", { urls: [...urls, "http://127.0.0.1:1/", "no url"] });
  expect(result.links.toSorted((a, b) => urls.indexOf(a.url) - urls.indexOf(b.url))).toEqual([
    { url: urls[0], status: 200, page: "<title>Mine</title><h1 class=x>Orders</h1" },
    { url: urls[1], status: 0, redirects: true },
    { url: urls[2], status: 200 },
    { url: urls[3], status: 404 },
    { url: urls[4], status: 0, redirects: true },
  ]);
  const asked = site.requests.slice(before);
  expect(asked.map(({ url }) => url).toSorted()).toEqual(["/file", "/mine", "/missing", "/old", "/out"]);
  for (const { headers } of asked) expect(headers.cookie).toContain("sid=1");
  const seen = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  expect(seen.filter((name) => urls.includes(name))).toEqual([]);
});

test("nobody is asked as the user while browser control is off", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "");
  await browserWithExtension.set({ pilot: false });
  const { error } = await run("ask_links", { urls: [page.url()] });
  expect(error).toMatchObject({ code: "pilot_off" });
});

test("links whose turn did not come before the deadline are left out", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page("/quick", "<title>q</title>");
  site.page("/slow", { body: "", endless: true, delay: 60_000 });
  const { page, run } = await open(browserWithExtension, site, daemon, "");
  const { origin } = new URL(page.url());
  const urls = ["/quick", "/slow?1", "/slow?2", "/slow?3", "/slow?4"].map((path) => origin + path);
  const { result } = await run("ask_links", { urls }, brief(3000));
  expect(result.links).toEqual([{ url: urls[0], status: 200, page: expect.any(String) }]);
});
