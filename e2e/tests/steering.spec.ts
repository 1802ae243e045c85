import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Agent,
  connect,
  expect,
  front,
  type Page,
  type Place,
  type Site,
  test,
  until,
} from "./support/fixtures.ts";

interface Change {
  message: string;
  why?: string;
}
interface Request {
  method: string;
  url: string;
  before?: string;
  after?: string;
}
interface Compared {
  diff: {
    errors: { new: Change[]; resolved: Change[]; unchanged: Change[]; not_tried: Change[]; came_and_went: Change[] };
    network: { new_errors: Request[]; resolved: Request[] };
  };
  summary: { verdict: string };
}

/** An agent that works in a project, for which snapshots and rules are kept. */
async function developer(place: Place, name = "project"): Promise<{ agent: Agent; project: string }> {
  const project = join(place.dir, name);
  mkdirSync(project, { recursive: true });
  return { agent: await connect(place, "developer", project), project };
}

/** A shop whose cart can be broken, with a widget of another site. */
class Shop {
  broken = false;
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
    site.page("/widget.js", { body: 'console.error("the widget is unhappy");', type: "text/javascript" });
    site.page("/api/cart", (_, response) => {
      response.writeHead(this.broken ? 500 : 200, { "content-type": "application/json" });
      response.end('{"items":[]}');
    });
    site.page("/shop", (_, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(`<!doctype html><title>Shop</title><button id=pay>Pay</button><p id=state>loading</p>
        <script src="${site.url("/widget.js", "widget.test")}"></script>
        <script>
          const cart = fetch("/api/cart?at=" + Date.now());
          function pay() { ${this.broken ? "cart.total.sum" : "document.title"}; state.textContent = "paid"; }
          document.getElementById("pay").onclick = pay;
          cart.then(() => (state.textContent = "ready"));
        </script>`);
    });
  }

  get url(): string {
    return this.#site.url("/shop");
  }

  /** What a user does: the page is loaded, and the button pressed. */
  async visit(page: Page, press = true): Promise<void> {
    await page.goto(this.url);
    await expect(page.locator("#state")).toHaveText("ready");
    if (press) await page.locator("#pay").click();
  }
}

const compare = (agent: Agent, compare_a: string) =>
  agent.json<Compared>("configure", { action: "diff_sessions", operation: "compare", compare_a });

const words = (list: Change[]) => list.map((c) => c.message);

test("a regression is named, and resolved only when what led to it is done again", async ({ place, site, tab }) => {
  const { agent } = await developer(place);
  const shop = new Shop(site);
  await shop.visit(tab);
  await front(agent, tab);
  await agent.ask("configure", { action: "diff_sessions", operation: "capture", name: "before" });

  shop.broken = true;
  await shop.visit(tab);
  const broken = await until(
    "the regression",
    () => compare(agent, "before"),
    (c) => c.diff.errors.new.length > 0 && c.diff.network.new_errors.length > 0,
  );
  expect(broken.summary.verdict).toBe("regression");
  expect(words(broken.diff.errors.new).join()).toContain("TypeError: Cannot read properties of undefined");
  expect(broken.diff.network.new_errors).toMatchObject([{ method: "GET", before: "200", after: "500" }]);
  // The widget wrote its line before, too.
  expect(words(broken.diff.errors.unchanged)).toEqual(["the widget is unhappy"]);
  await agent.ask("configure", { action: "diff_sessions", operation: "capture", name: "broken" });

  shop.broken = false;
  await shop.visit(tab, false);
  const visited = await until(
    "the request that works again",
    () => compare(agent, "broken"),
    (c) => c.diff.network.resolved.length > 0,
  );
  expect(words(visited.diff.errors.resolved).join()).not.toContain("TypeError");
  expect(visited.diff.errors.not_tried.map((c) => c.why).join()).toContain("was not done again: click button Pay");

  await tab.locator("#pay").click();
  const mended = await until(
    "the act that was done again",
    () => compare(agent, "broken"),
    (c) => c.diff.errors.resolved.some((e) => e.message.startsWith("TypeError")),
  );
  expect(mended.summary.verdict).toBe("fixed");
  expect((await compare(agent, "before")).diff.errors.new).toEqual([]);
  await agent.close();
});

test("a rule hides a widget's lines, each answer counts them, and one's own errors stay", async ({
  place,
  site,
  tab,
}) => {
  const { agent } = await developer(place);
  const shop = new Shop(site);
  shop.broken = true;
  await shop.visit(tab);
  await front(agent, tab);
  const errors = (more = {}) => agent.ask("observe", { what: "errors", ...more });
  await until("both errors", errors, (text) => text.includes("TypeError") && text.includes("the widget is unhappy"));
  // Nothing is hidden before a rule is added.
  await agent.ask("configure", { action: "noise_rule", operation: "auto_detect" });
  expect(await errors()).not.toContain("noise rules");

  const added = await agent.json<{ rules_added: { hides: number; own_errors_shown?: number }[] }>("configure", {
    action: "noise_rule",
    operation: "add",
    pattern: "unhappy|TypeError",
  });
  expect(added.rules_added).toMatchObject([{ hides: 1, own_errors_shown: 1 }]);
  for (const mode of ["errors", "logs", "timeline", "error_bundles"]) {
    const quiet = await agent.ask("observe", { what: mode });
    expect(quiet, mode).not.toContain("the widget is unhappy");
    expect(quiet, mode).toContain("noise rules hide 1 events here");
    expect(await agent.ask("observe", { what: mode, noise: true }), mode).toContain("the widget is unhappy");
  }
  expect(await errors()).toContain("TypeError");
  expect(await agent.ask("analyze", { what: "error_clusters" })).toContain("noise rules hide 1 events here");

  // Another project has no rules.
  const { agent: elsewhere } = await developer(place, "elsewhere");
  expect(await elsewhere.ask("observe", { what: "errors", scope: "all" })).toContain("the widget is unhappy");
  await elsewhere.close();
  await agent.ask("configure", { action: "noise_rule", operation: "add", pattern: "TypeError", confirm: true });
  expect(await errors()).toContain("nothing but what noise rules hide");
  await agent.close();
});

test("a recording has exactly the requests between its start and its stop", async ({ place, site, tab }) => {
  const { agent } = await developer(place);
  site.page("/", "<!doctype html><title>Requests</title>");
  for (const path of ["/before", "/during", "/after"]) site.json(path, { path });
  let let_go = (): void => undefined;
  site.page("/slow", (_, response) => {
    let_go = () => response.end("done");
  });
  await tab.goto(site.url("/"));
  await front(agent, tab);
  const get = (path: string) => tab.evaluate((p) => fetch(p).then((r) => r.text()), path);
  await get("/before");
  const slow = get("/slow");
  await until(
    "the slow request",
    async () => site.hits,
    (hits) => hits.some((h) => h.url === "/slow"),
  );
  await agent.ask("configure", { action: "network_recording", operation: "start" });
  await get("/during?n=1");
  await tab.evaluate(() => fetch("/during?n=2", { method: "POST", body: "two" }).then((r) => r.text()));
  let_go();
  await slow;
  const other = await connect(place, "other");
  expect(await other.ask("configure", { action: "network_recording", operation: "status" })).toContain("none is under");
  await other.close();
  interface Recorded {
    requests: { method: string; url: string; status: number; request_body?: string }[];
    count: number;
    begun_before: number;
    notes: string[];
  }
  const status = () => agent.json<Recorded>("configure", { action: "network_recording", operation: "status" });
  await until("the requests", status, (s) => s.count === 2 && s.begun_before === 1);
  const stopped = await agent.json<Recorded>("configure", { action: "network_recording", operation: "stop" });
  await get("/after");
  expect(stopped.requests).toMatchObject([
    { method: "GET", url: site.url("/during?n=1"), status: 200 },
    { method: "POST", url: site.url("/during?n=2"), status: 200 },
  ]);
  expect(stopped.notes.join()).toContain("bodies are not captured");
  expect((await agent.call("configure", { action: "network_recording", operation: "stop" })).text).toContain(
    "no recording of requests of this client is under way",
  );
  await agent.close();
});

test("the ends of a test stamp what happened between them", async ({ place, site, tab }) => {
  const { agent } = await developer(place);
  await tab.goto(site.page("/", "<!doctype html><title>Test</title>"));
  await front(agent, tab);
  const say = (word: string) => tab.evaluate((w) => console.error(w), word);
  await say("said before");
  await agent.ask("configure", { action: "test_boundary_start", test_id: "says", label: "what is said" });
  await say("said in it");
  // What is held back by the page is of the test, too, also when it comes after the end.
  const ended = await agent.json<{ was_active: boolean }>("configure", {
    action: "test_boundary_end",
    test_id: "says",
  });
  expect(ended.was_active).toBe(true);
  await say("said after");
  const all = () => agent.ask("observe", { what: "logs" });
  await until("all that was said", all, (text) => text.includes("said after"));
  const ofTest = await agent.ask("observe", { what: "errors", scope: "all", test_id: "says" });
  expect(ofTest).toContain("said in it");
  expect(ofTest).not.toContain("said before");
  expect(ofTest).not.toContain("said after");
  expect(await agent.ask("configure", { action: "test_boundary_end", test_id: "says" })).toContain("was not open");
  await agent.close();
});

test("a summary for a pull request has what changed, and nothing of a page's words is live in it", async ({
  place,
  site,
  tab,
}) => {
  const { agent, project } = await developer(place);
  const shop = new Shop(site);
  await shop.visit(tab);
  await front(agent, tab);
  await agent.ask("configure", { action: "diff_sessions", operation: "capture", name: "base" });
  shop.broken = true;
  await shop.visit(tab);
  await tab.evaluate(() => console.error("@octocat ![x](http://evil.test/x.png) `` <img src=x>"));
  await until(
    "the regression",
    () => compare(agent, "base"),
    (c) => c.diff.errors.new.length === 2,
  );
  await agent.ask("generate", { format: "pr_summary", base: "base", save_to: "summary.md" });
  const summary = readFileSync(join(project, "summary.md"), "utf8");
  expect(summary).toContain("**regression**");
  expect(summary).toContain("```@octocat ![x](http://evil.test/x.png) `` <img src=x>```");
  expect(summary).toMatch(/\*\*Fail now \(1\)\*\*\n\n- `GET [^`]*\/api\/cart` `200` → `500`/);
  expect(summary.replaceAll(/(`+)[^`][\s\S]*?[^`]\1(?!`)/g, "")).not.toMatch(/octocat|evil|<img/);
  await agent.close();
});
