import type { Site } from "./site.ts";
import { expect, test } from "./extension.ts";

const CONTEXT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;

/** The trace and the parent that the newest request for a path carried; undefined where it carried none. */
function carried(site: Site, path: string): { trace: string; parent: string } | undefined {
  const request = site.requests.findLast(({ url, method }) => url === path && method !== "OPTIONS");
  expect(request, `a request for ${path}`).toBeDefined();
  const [, trace, parent] = CONTEXT.exec(String(request?.headers["traceparent"])) ?? [];
  return trace && parent ? { trace, parent } : undefined;
}

const settled = `<script>addEventListener("load", () => setTimeout(() => (document.title = "settled"), 300))</script>`;

test("requests carry a trace context that the page does not see, to other ports and names of this machine without a preflight", async ({
  daemon,
  site,
  browserWithExtension: { page },
}) => {
  site.page("/same", { body: "{}", type: "application/json" });
  site.page("/other", { body: "{}", type: "application/json", headers: { "Access-Control-Allow-Origin": "*" } });
  site.page("/picture.png", { body: "", type: "image/png" });
  await page.goto(site.page("/", settled));
  await expect(page).toHaveTitle("settled");
  const seen = await page.evaluate(
    async (other) => {
      const same = new Request("/same");
      await fetch(same);
      await (await fetch(other)).json();
      await new Promise((done) => {
        const request = new XMLHttpRequest();
        request.open("GET", "/same?xhr");
        request.onload = done;
        request.send();
      });
      const image = new Image();
      image.src = "/picture.png";
      await new Promise((done) => (image.onerror = image.onload = done));
      return [...same.headers].length;
    },
    site.url("/other", "localhost"),
  );
  expect(seen).toBe(0);
  const context = carried(site, "/same");
  expect(context).toBeDefined();
  for (const path of ["/other", "/same?xhr", "/picture.png"]) expect(carried(site, path)).toEqual(context);
  expect(site.requests.filter(({ method }) => method === "OPTIONS")).toEqual([]);
  const exchanges = await daemon.until("three exchanges with the trace", () => {
    const found = daemon.events("network").filter(({ trace_id }) => trace_id === context?.trace);
    return found.length >= 3 ? found : undefined;
  });
  expect(exchanges.map(({ url }) => new URL(url).pathname)).toEqual(expect.arrayContaining(["/same", "/other"]));
  const begin = daemon.events("lifecycle").find(({ state }) => state === "document_start");
  expect(begin).toMatchObject({ trace_id: context?.trace, span_id: context?.parent });
});

test("a tab keeps its context from page to page, its documents carry it as well, and other tabs have their own", async ({
  daemon,
  site,
  browserWithExtension: { page, context },
}) => {
  site.page("/api", { body: "{}", type: "application/json" });
  await page.goto(site.page("/one", settled));
  await expect(page).toHaveTitle("settled");
  await page.evaluate(() => fetch("/api?1"));
  await page.goto(site.page("/two", settled));
  await expect(page).toHaveTitle("settled");
  await page.evaluate(() => fetch("/api?2"));
  const first = carried(site, "/api?1");
  expect(first).toBeDefined();
  expect(carried(site, "/api?2")).toEqual(first);
  expect(carried(site, "/two")).toEqual(first);
  const other = await context.newPage();
  await other.goto(site.page("/three", settled));
  await expect(other).toHaveTitle("settled");
  await other.evaluate(() => fetch("/api?3"));
  expect(carried(site, "/api?3")?.trace).not.toBe(first?.trace);
  await other.close();
  const begins = await daemon.until("two begins", () => {
    const found = daemon.events("lifecycle").filter(({ state, trace_id }) => state === "document_start" && trace_id);
    return found.length >= 2 ? found : undefined;
  });
  expect(begins.slice(0, 2).map(({ trace_id }) => trace_id)).toEqual([first?.trace, first?.trace]);
});

test("a page that traces its requests itself keeps its ids, and is left alone from then on", async ({
  daemon,
  site,
  browserWithExtension: { page },
}) => {
  const own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  site.page("/api", { body: "{}", type: "application/json" });
  await page.goto(site.page("/", settled));
  await expect(page).toHaveTitle("settled");
  await page.evaluate((traceparent) => fetch("/api?first", { headers: { traceparent } }), own);
  await daemon.until("the page's own trace", () =>
    daemon
      .events("network")
      .find(({ request_headers }) =>
        request_headers?.some(({ name, value }) => name === "traceparent" && value === own),
      ),
  );
  await expect
    .poll(async () => {
      await page.evaluate((traceparent) => fetch("/api?later", { headers: { traceparent } }), own);
      return site.requests.findLast(({ url }) => url === "/api?later")?.headers["traceparent"];
    })
    .toBe(own);
  await page.reload();
  await expect(page).toHaveTitle("settled");
  await page.evaluate(() => fetch("/api?none"));
  expect(carried(site, "/api?none")).toBeUndefined();
});

test("nothing is added where the user does not want it", async ({ site, browserWithExtension: browser }) => {
  site.page("/api", { body: "{}", type: "application/json" });
  const { page } = browser;
  await browser.set({ trace: false });
  await page.goto(site.page("/", settled));
  await expect(page).toHaveTitle("settled");
  await page.evaluate(() => fetch("/api"));
  expect(carried(site, "/api")).toBeUndefined();
});
