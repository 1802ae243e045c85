import { readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { type Socket, createServer } from "node:net";
import { join } from "node:path";
import { Browser, connected, expect, front, health, type Place, test, until } from "./support/fixtures.ts";
import { sees } from "./support/sees.ts";
import { intrude } from "./support/intruder.ts";

interface Endpoint {
  method: string;
  path: string;
}

/** Every endpoint that the daemon documents; the variable parts are filled with what would do most. */
async function endpoints(place: Place): Promise<Endpoint[]> {
  const document = (await place.fetch("/openapi.json").then((r) => r.json())) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) =>
      ["{tool}", "{format}"].some((v) => path.includes(v))
        ? ["interact", "observe", "configure", "har"].map((name) => ({
            method: method.toUpperCase(),
            path: path.replace(/\{\w+\}/, name),
          }))
        : [{ method: method.toUpperCase(), path }],
    ),
  );
  expect(all.length).toBeGreaterThan(20);
  return [...all, { method: "GET", path: "/" }, { method: "POST", path: "/mcp" }, { method: "GET", path: "/stream" }];
}

/** How many requests the daemon's guard has refused. */
async function refused(place: Place): Promise<number> {
  const metrics = await place.fetch("/metrics").then((r) => r.text());
  return Number(/^gasoline_\w*refused\w*(?:\{[^}]*\})? (\d+)/m.exec(metrics)?.[1]);
}

test.describe("a page on this machine and a public one", () => {
  test.use({ pilot: true });

  test("can use no endpoint in any of the ways that pages have", async ({ place, site, tab, profile, agent }) => {
    await tab.goto(
      site.page(
        "/victim",
        `<title>Victim</title><button onclick="document.title='Clicked'">Press</button><script>console.warn("the user's own line")</script>`,
      ),
    );
    await sees(agent, "logs", ["the user's own line"]);
    await front(agent, tab);
    const { run } = await health(place);
    const before = await refused(place);
    const all = await endpoints(place);
    const hostile = `<title>Hostile</title><body></body>`;
    const pages = [
      site.page("/loopback", hostile),
      site.url("/loopback", "localhost"),
      site.page("/public", { body: hostile, headers: { "content-security-policy": "treat-as-public-address" } }),
    ];
    for (const url of pages) {
      const page = await profile.page(url);
      const leaks = await page.evaluate(intrude, { daemon: place.url, endpoints: all });
      // /health says without a token that this is Gasoline, and nothing else; a page may not even read that.
      expect(leaks, `from ${url}`).toEqual([]);
      await page.close();
    }
    await expect(tab).toHaveTitle("Victim");
    expect((await refused(place)) - before).toBeGreaterThan(all.length); // the attempts did arrive
    expect((await health(place)).run).toBe(run);
    const logs = await agent.ask("observe", { what: "logs", scope: "all" });
    expect(logs).toContain("the user's own line"); // no page cleared it
    expect(logs).not.toContain("planted"); // and none added to it
    await front(agent, tab);
    await agent.ask("interact", { action: "click", selector: "text=Press" });
    await expect(tab).toHaveTitle("Clicked"); // nothing that was sent stands in the way
  });
});

test("what browsers say of a page is refused even with the right token", async ({ place, agent }) => {
  await agent.ask("configure", { action: "health" });
  const all = await endpoints(place);
  const status = (endpoint: Endpoint, headers: Record<string, string>) =>
    new Promise<number>((done, fail) => {
      const r = request(
        { host: "127.0.0.1", port: place.port, method: endpoint.method, path: endpoint.path, headers },
        (response) => {
          response.resume();
          done(response.statusCode ?? 0);
        },
      );
      r.on("error", fail);
      r.end(endpoint.method === "POST" ? "{}" : undefined);
    });
  const authorization = `Bearer ${place.token}`;
  for (const endpoint of all) {
    const name = `${endpoint.method} ${endpoint.path}`;
    for (const site of ["cross-site", "same-site"])
      expect(await status(endpoint, { authorization, "sec-fetch-site": site }), `${name} ${site}`).toBe(403);
    for (const origin of ["http://localhost:3000", "null", "https://evil.test", `chrome-extension://${"a".repeat(32)}`])
      expect(await status(endpoint, { authorization, origin }), `${name} ${origin}`).toBe(403);
    for (const host of [`evil.test:${place.port}`, `127.0.0.1:${place.port + 1}`, "localhost"])
      expect(await status(endpoint, { authorization, host }), `${name} ${host}`).toBe(403);
    if (!["/health", "/pair", "/prove"].includes(endpoint.path)) {
      expect(await status(endpoint, {}), `${name} without a token`).toBe(401);
      expect(await status(endpoint, { authorization: `Bearer ${"0".repeat(64)}` }), `${name} with a wrong token`).toBe(
        401,
      );
    }
  }
  expect(await place.healthy()).toBe(true);
});

test("a browser that was not set up connects by the code that a terminal prints", async ({
  place,
  profile,
  site,
  tab,
  agent,
}) => {
  await tab.goto(site.page("/one", `<script>console.log("from the first")</script>`));
  await sees(agent, "logs", ["from the first"]);
  const second = await Browser.launch(place, { setup: false });
  try {
    const popup = await second.popup();
    await expect(popup.getByText("Not paired yet")).toBeVisible({ timeout: 20_000 });
    expect((await health(place)).browsers).toHaveLength(1);
    const input = popup.getByRole("textbox");
    await input.fill("0".repeat(32));
    await popup.getByRole("button", { name: "Pair" }).click();
    await expect(popup.getByText("does not know this code")).toBeVisible();
    const { code, stdout, stderr } = await place.run("pair");
    expect(code, stderr).toBe(0);
    await input.fill(stdout);
    await popup.getByRole("button", { name: "Pair" }).click();
    await connected(place, 2);
    await expect(popup.getByText("Connected", { exact: true })).toBeVisible();
    await second.page(site.page("/two", `<script>console.log("from the second")</script>`));
    await sees(agent, "logs", ["from the first", "from the second"]);
  } finally {
    await second.close();
  }
  expect(profile.id).toBe(second.id);
});

test("a browser whose key is not known any more pairs again by itself", async ({
  place,
  profile,
  site,
  tab,
  agent,
}) => {
  await tab.goto(site.page("/", "<title>Again</title>"));
  const pairings = join(place.stateDir, "pairings.json");
  const before = readFileSync(pairings, "utf8");
  // Keys are derived: what the extension holds is not in the file.
  const kept = JSON.stringify(await profile.worker.evaluate(() => chrome.storage.local.get(null)));
  const keys = [...kept.matchAll(/[0-9a-f]{64}/g)];
  expect(keys).toHaveLength(1);
  for (const [key] of keys) expect(before).not.toContain(key);
  await agent.close();
  await place.run("stop");
  rmSync(pairings);
  await place.serve();
  await tab.evaluate(() => console.log("after the change"));
  await connected(place);
  await loggedIn(place, "after the change");
  expect(readFileSync(pairings, "utf8")).not.toBe(before);
});

// Without its daemon the port may be anybody's. The extension, the bridge and the commands say nothing there.
test("a program that takes the port of the daemon is named, and gets challenges only", async ({
  place,
  profile,
  site,
  tab,
  agent,
}) => {
  await tab.goto(site.page("/", "<title>Private</title>"));
  await agent.close();
  await place.run("stop");
  const heard: Buffer[] = [];
  const sockets: Socket[] = [];
  const forger = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      heard.push(data);
      const body = JSON.stringify({
        server: { name: "gasoline", version: "9.9.9", run: "r", time: 1 },
        boot: "0".repeat(64),
        proof: "1".repeat(64),
      });
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    });
  });
  await new Promise<void>((done) => forger.listen(place.port, "127.0.0.1", done));
  try {
    await tab.evaluate(() => console.log("the user's own line"));
    const popup = await profile.popup();
    await expect(popup.getByText(`Another program holds port ${place.port}`)).toBeVisible({ timeout: 20_000 });
    for (const command of [["status"], ["stop"], ["doctor"], ["pair"], ["observe", "logs"]]) {
      const { code, stdout, stderr } = await place.run(...command);
      expect(code, command.join(" ")).not.toBe(0);
      expect(stdout + stderr, command.join(" ")).toContain(`another program holds port ${place.port}`);
    }
  } finally {
    await new Promise<void>((done) => {
      forger.close(() => done());
      for (const socket of sockets) socket.destroy();
    });
  }
  const all = heard.map((data) => data.toString("latin1")).join("");
  const requests = all.split(/(?=(?:GET|POST|PUT|OPTIONS) \/)/);
  expect(requests.length).toBeGreaterThan(5);
  for (const request of requests) expect(request).toMatch(/^POST \/prove HTTP\/1\.1\r\n/);
  expect(all).not.toContain(place.token);
  expect(all.toLowerCase()).not.toContain("authorization");
  expect(all).not.toContain("own line");
  await place.serve();
  await connected(place);
  await loggedIn(place, "the user's own line");
});

async function loggedIn(place: Place, text: string): Promise<void> {
  const ask = async () => (await place.run("observe", "logs", "--scope", "all")).stdout;
  await until(`a line with ${text}`, ask, (out) => out.includes(text));
}

test("the daemon listens on loopback only", async ({ place, agent }) => {
  test.skip(process.platform !== "linux", "reads /proc");
  await agent.ask("configure", { action: "health" });
  const port = place.port.toString(16).toUpperCase().padStart(4, "0");
  const LISTEN = "0A";
  const listening = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter((f) => f[3] === LISTEN && f[1]?.endsWith(`:${port}`))
      .map((f) => f[1]),
  );
  expect(listening).toEqual([`0100007F:${port}`]);
});
