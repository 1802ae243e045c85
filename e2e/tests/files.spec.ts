import { createHash } from "node:crypto";
import { mkdtemp, open, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, connect, expect, front, test as base } from "./support/fixtures.ts";

/** What came to the server that files are sent to. */
interface Came {
  bytes: number;
  sha256: string;
}

/** An agent that works in a project of its own, and a server that takes bodies of any size. */
const test = base.extend<{ project: string; worker: Agent; server: { url: string; came: Came[] } }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of fixtures from the pattern
  project: async ({}, use) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "gasoline-project-")));
    await use(folder);
    await rm(folder, { recursive: true });
  },
  worker: async ({ place, project }, use) => {
    const worker = await connect(place, "worker", project);
    await use(worker);
    await worker.close();
  },
  // oxlint-disable-next-line no-empty-pattern -- as above
  server: async ({}, use) => {
    const came: Came[] = [];
    const server: Server = createServer((request, response) => {
      const hash = createHash("sha256");
      let bytes = 0;
      request.on("data", (part: Uint8Array<ArrayBuffer>) => {
        hash.update(part);
        bytes += part.length;
      });
      request.on("end", () => {
        if (request.method === "POST") came.push({ bytes, sha256: hash.digest("hex") });
        response
          .writeHead(200, { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*" })
          .end(`got ${bytes}`);
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, came });
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  },
});

test.use({ pilot: true });

const UPLOADS = (to: string): string => `<!doctype html><html lang=en><title>Uploads</title><main>
  <h1>Uploads</h1><input type=file id=f hidden><button onclick="f.click()">Attach</button><img src="/none.png"><output id=out></output></main>
  <script>f.onchange = async () => { out.textContent = await (await fetch(${JSON.stringify(to)}, { method: "POST", body: f.files[0] })).text(); };</script>`;

const SIZE = 200 * 1024 * 1024;

test("a file of 200 MB arrives at a server as it is, and a small one by the button that asks for it", async ({
  site,
  tab,
  worker,
  project,
  server,
}) => {
  const file = await open(join(project, "big.bin"), "w");
  await file.truncate(SIZE); // sparse: nothing of it is on disk but its ends
  await file.write("begin", 0);
  await file.write("end", SIZE - 3);
  await file.close();
  await writeFile(join(project, "note.txt"), "hello ✓");
  await tab.goto(site.page("/uploads", UPLOADS(server.url)));
  await front(worker, tab);
  const big = await worker.ask("interact", {
    action: "upload",
    selector: "#f",
    file_path: "big.bin",
    timeout_ms: 30_000,
  });
  expect(big).toContain('the page has "big.bin", 209.7 MB');
  await expect(tab.locator("#out")).toHaveText(`got ${SIZE}`);
  const hash = createHash("sha256")
    .update("begin")
    .update(new Uint8Array(SIZE - 8))
    .update("end");
  expect(server.came).toEqual([{ bytes: SIZE, sha256: hash.digest("hex") }]);
  const small = await worker.ask("interact", { action: "upload", selector: "text=Attach", file_path: "note.txt" });
  expect(small).toContain('the page has "note.txt", 9 B, text/plain');
  expect(small).toContain("POST / 200");
  await expect(tab.locator("#out")).toHaveText("got 9");
  expect(server.came[1]).toEqual({ bytes: 9, sha256: createHash("sha256").update("hello ✓").digest("hex") });
});

test("no file outside of the project goes to a page", async ({ site, tab, worker, project, place, server }) => {
  const outside = await mkdtemp(join(tmpdir(), "gasoline-outside-"));
  await writeFile(join(outside, "secret.txt"), "secret");
  await symlink(join(outside, "secret.txt"), join(project, "link.txt"));
  await tab.goto(site.page("/uploads", UPLOADS(server.url)));
  await front(worker, tab);
  for (const path of [
    join(outside, "secret.txt"),
    "../secret.txt",
    "link.txt",
    join(place.stateDir, "token"),
    "/etc/passwd",
  ]) {
    const refused = await worker.ask("interact", { action: "upload", selector: "#f", file_path: path }).catch(String);
    expect(refused, path).toContain("path_not_allowed");
  }
  expect(await tab.evaluate("f.files.length")).toBe(0);
  expect(server.came).toEqual([]);
  await rm(outside, { recursive: true });
});

test("what a page's accessibility lacks is in the answer, and all of it in a SARIF file", async ({
  site,
  tab,
  worker,
  project,
}) => {
  await tab.goto(site.page("/uploads", UPLOADS(site.url("/none"))));
  await front(worker, tab);
  const answer = await worker.ask("interact", { action: "run_a11y_and_export_sarif", save_to: "out/a11y.sarif" });
  expect(answer).toContain("critical image-alt: Images must have alternative text, elements: 1, first img");
  expect(answer).toContain(`SARIF 2.1.0 saved to ${join(project, "out/a11y.sarif")}`);
  interface Log {
    version: string;
    runs: {
      tool: { driver: { name: string; rules: { id: string }[] } };
      results: { ruleId: string; partialFingerprints: object }[];
    }[];
  }
  const log = JSON.parse(await readFile(join(project, "out/a11y.sarif"), "utf8")) as Log;
  expect(log).toMatchObject({
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "axe-core", version: "4.14.1" } } }],
  });
  const [run] = log.runs;
  expect(run?.results.map(({ ruleId }) => ruleId)).toContain("image-alt");
  // A second run of the same page finds the same.
  await tab.reload();
  const again = await worker.json<{ saved_to: string }>("interact", { action: "run_a11y_and_export_sarif" });
  const second = JSON.parse(await readFile(again.saved_to, "utf8")) as Log;
  const prints = ({ runs }: Log) => runs.flatMap(({ results }) => results.map(({ partialFingerprints: p }) => p));
  expect(prints(second)).toEqual(prints(log));
});

test.describe("with a clipboard of its own", () => {
  test.use({ ownBrowser: true });

  test("an agent writes to the clipboard what a person pastes, and reads what a person copied", async ({
    site,
    tab,
    worker,
  }) => {
    await tab.goto(site.page("/c", "<!doctype html><title>C</title><input id=a value='copied by hand'><input id=b>"));
    await front(worker, tab);
    await worker.ask("interact", { action: "clipboard_write", text: "written by the agent" });
    await tab.locator("#b").press("Control+v");
    expect(await tab.locator("#b").inputValue()).toBe("written by the agent");
    await tab.locator("#a").selectText();
    await tab.locator("#a").press("Control+c");
    expect(await worker.ask("interact", { action: "clipboard_read" })).toContain("copied by hand");
  });

  test("a picture is an action, too", async ({ site, tab, worker, project }) => {
    await tab.goto(site.page("/c", "<!doctype html><title>C</title><h1>Picture</h1>"));
    await front(worker, tab);
    const shot = await worker.ask("interact", {
      action: "screenshot",
      selector: "h1",
      format: "webp",
      save_to: "h1.webp",
    });
    expect(shot).toContain(`saved to ${join(project, "h1.webp")}`);
    expect((await readFile(join(project, "h1.webp"))).subarray(8, 12).toString()).toBe("WEBP");
  });
});
