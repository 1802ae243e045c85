import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { findChromium } from "../../scripts/chromium.mjs";
import { type Agent, connect, expect, front, test as base, until } from "./support/fixtures.ts";

const require = createRequire(import.meta.url);
const schemas = require("har-schema") as Record<string, object>;

const test = base.extend<{ project: string; worker: Agent }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of fixtures from the pattern
  project: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), "gasoline-har-"));
    await use(dir);
    await rm(dir, { recursive: true });
  },
  worker: async ({ place, project }, use) => {
    const worker = await connect(place, "worker", project);
    await use(worker);
    await worker.close();
  },
});

interface Archive {
  log: {
    entries: {
      request: { url: string; method: string; postData?: object };
      response: { status: number };
      _replayable: boolean;
      _notReplayable?: string;
      _flags?: string[];
    }[];
  };
}

/** The official schema, of draft 6. */
function valid(archive: unknown): unknown {
  const ajv = new Ajv({ strict: false });
  ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json") as object);
  formats.default(ajv);
  for (const schema of Object.values(schemas)) ajv.addSchema(schema);
  // That the schema is really read.
  expect(ajv.validate("har.json#", { log: {} })).toBe(false);
  return ajv.validate("har.json#", archive) ? null : ajv.errors;
}

for (const networkDetail of [false, true])
  test.describe(`network detail ${networkDetail ? "on" : "off"}`, () => {
    test.use({ bodies: true, networkDetail });

    test("an archive is valid, and Playwright replays what it calls replayable", async ({
      site,
      tab,
      worker,
      project,
    }) => {
      let tries = 0;
      site.json("/api/cart", { total: 7 });
      site.page("/api/late", (_, response) => {
        response.writeHead(tries++ === 0 ? 503 : 200, { "content-type": "application/json" });
        response.end(tries === 1 ? "{}" : '{"late":true}');
      });
      site.page("/api/zipped", {
        body: gzipSync('{"zipped":true}'),
        type: "application/json",
        headers: { "content-encoding": "gzip" },
      });
      site.page("/api/order", (_, response, body) => {
        response.writeHead(201, { "content-type": "application/json" });
        response.end(JSON.stringify({ got: JSON.parse(body).n }));
      });
      site.page("/api/login", { body: '{"in":true}', type: "application/json" });
      site.page("/dot.gif", {
        body: Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
        type: "image/gif",
      });
      const url = site.page(
        "/page",
        `<!doctype html><title>page</title><img src="/dot.gif"><script type=module>
          const get = async (path, init) => { const r = await fetch(path, init); return [r.status, await r.json()] };
          const post = (body) => ({ method: "POST", body: JSON.stringify(body) });
          let late = await get("/api/late"); if (late[0] === 503) late = await get("/api/late");
          window.done = JSON.stringify([await get("/api/cart"), late, await get("/api/zipped"), await get("/api/order", post({ n: 1 })),
            await get("/api/order", post({ n: 2 })), await get("/api/login", post({ password: "hunter2secret" }))]);
        </script>`,
      );
      const done = (page: typeof tab) =>
        page.waitForFunction(() => (globalThis as never as { done?: string }).done).then((h) => h.jsonValue());
      await tab.goto(url);
      const seen = await done(tab);
      await front(worker, tab);
      const saved = (name: string) =>
        worker.json<{ entries_count: number }>("generate", { format: "har", save_to: name, overwrite: true });
      await until(
        "all exchanges",
        () => saved("page.har"),
        ({ entries_count: n }) => n >= 8,
      );
      // What arrives between the two is in the second alone.
      const { text } = await until(
        "the same archive in both files",
        async () => {
          await saved("page.har");
          await saved("page.har.gz");
          const zipped = Uint8Array.from(await readFile(join(project, "page.har.gz")));
          return {
            text: await readFile(join(project, "page.har"), "utf8"),
            unzipped: gunzipSync(zipped).toString("utf8"),
          };
        },
        (files) => files.text === files.unzipped,
      );
      const archive = JSON.parse(text) as Archive;
      expect(valid(archive)).toBeNull();
      expect(text).not.toContain("hunter2secret");
      const of = (path: string) => archive.log.entries.filter((e) => e.request.url.endsWith(path));
      expect(of("/dot.gif")).toHaveLength(1);
      expect(of("/api/late").map(({ response }) => response.status)).toEqual([200, 503]);
      expect(of("/api/login")[0]!.request).not.toHaveProperty("postData");
      expect(archive.log.entries.filter((e) => e.request.url.includes("/api/")).map((e) => e._notReplayable)).toEqual(
        Array.from({ length: 7 }, () => undefined),
      );

      // The server has nothing of the API any more.
      for (const path of ["cart", "late", "zipped", "order", "login"])
        site.page(`/api/${path}`, { status: 500, body: "{}" });
      const executablePath = findChromium();
      const browser = await chromium.launch({ ...(executablePath && { executablePath }) });
      try {
        const page = await browser.newPage();
        await page.routeFromHAR(join(project, "page.har"), { url: "**/api/**", notFound: "abort" });
        await page.goto(url);
        expect(await done(page)).toBe(seen);
      } finally {
        await browser.close();
      }
    });
  });

test("an archive of nothing is valid", async ({ site, tab, worker, place }) => {
  await tab.goto(site.page("/", "<title>nothing</title>"));
  await front(worker, tab);
  const archive = await worker.json("generate", { format: "har", url: "nowhere" });
  expect(valid(archive)).toBeNull();
  const { code, stdout } = await place.run("generate", "har", "--url", "nowhere", "--scope", "all", "--json");
  expect([code, valid(JSON.parse(stdout))]).toEqual([0, null]);
});
