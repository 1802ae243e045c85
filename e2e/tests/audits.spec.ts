import { expect, front, test } from "./support/fixtures.ts";
import { until } from "../harness.ts";

test.use({ bodies: true, networkDetail: true });

interface Finding {
  id: string;
  rule: string;
  location: string;
  evidence: string[];
}

test("an audit tells what the browser really got: headers, cookies, keys, and who else got something", async ({
  site,
  tab,
  agent,
}) => {
  site.json(
    "/api/config",
    { key: "AKIAIOSFODNN7EXAMPLE" },
    { headers: { "set-cookie": "sid=0123456789abcdef; Path=/" } },
  );
  site.json(
    "/api/prices",
    {},
    {
      headers: {
        "access-control-allow-origin": site.url(""),
        "access-control-allow-credentials": "true",
      },
    },
  );
  site.page("/lib.js", { body: "window.lib = 1", type: "text/javascript" });
  site.page("/collect", { body: "ok", headers: { "access-control-allow-origin": "*" } });
  await tab.goto(
    site.page("/", {
      headers: { "content-security-policy": "script-src 'unsafe-inline' 'sha256-47DEQpj8*' http:" },
      body: `<title>shop</title><script src="${site.url("/lib.js", "localhost")}"></script><script>
        fetch("/api/config").then((r) => r.json());
        fetch("${site.url("/api/prices", "localhost")}", { credentials: "include" });
        fetch("${site.url("/collect?uid=7", "localhost")}", { method: "POST", body: '{"user":"bob@example.com"}' });
      </script>`,
    }),
  );
  const audit = () =>
    agent.json<{ findings: Finding[]; summary: { total_findings: number } }>("analyze", {
      what: "security_audit",
      limit: 100,
    });
  const wanted = [
    "key-in-response",
    "csp-unsafe-inline",
    "csp-any-script",
    "frames-missing",
    "nosniff-missing",
    "cookie-httponly",
    "cors-any",
    "cors-reflected",
    "personal-to-others",
  ];
  const rulesOf = (found: Finding[]) => new Set(found.map(({ rule }) => rule));
  const { findings } = await until("the findings", audit, (a) => wanted.every((w) => rulesOf(a.findings).has(w)));
  expect(rulesOf(findings)).not.toContain("hsts-missing");
  expect(findings.filter(({ rule }) => rule === "csp-missing")).toEqual([]);
  const [id] = findings.find(({ rule }) => rule === "key-in-response")?.evidence ?? [];
  expect(await agent.ask("observe", { what: "network_bodies", id })).toContain("/api/config");
  const text = await agent.ask("analyze", { what: "security_audit" });
  expect(text.length).toBeLessThan(2500);
  expect(text).not.toContain("AKIA");

  const parties = await agent.json<{ third_parties: Record<string, unknown>[] }>("analyze", {
    what: "third_party_audit",
  });
  expect(parties.third_parties).toMatchObject([
    {
      origin: "localhost",
      risk_level: "medium",
      outbound_details: { fields: ["uid", "user"], personal_data: ["email"] },
    },
  ]);
});

const led = `history.pushState({}, '', '/orders/7?tab=items'); missing()`;
const LED: [string, string][] = [
  ["by a click", `<button onclick="${led}">7</button>`],
  ["as it loads", `<button>7</button><script>${led}</script>`],
];

for (const [how, body] of LED)
  test(`a page that was led within itself ${how} is judged by its load`, async ({ site, tab, agent }) => {
    await tab.goto(site.page("/orders", `<!doctype html><title>Orders</title>${body}`));
    await tab.getByRole("button").click();
    await front(agent, tab);
    const asked = { what: "audit", categories: ["performance", "security", "best_practices"] };
    const text = await until(
      "the values of the load",
      () => agent.ask("analyze", asked),
      (answered) => answered.includes("1 load captured"),
    );
    expect(text).toMatch(/## security: \d+;/);
    expect(text).toContain("csp-missing");
    expect(text).toMatch(/## best practices: \d+;/);
    expect(text).toContain("missing is not defined");
  });

test("links of a captured page are asked for, those of other servers are not", async ({ site, tab, agent }) => {
  await tab.goto(site.page("/", "<title>shop</title>"));
  site.page("/old", { status: 301, headers: { location: "/" } });
  const urls = [site.url("/"), site.url("/old"), site.url("/missing"), site.url("/elsewhere", "localhost")];
  await front(agent, tab);
  const text = await agent.ask("analyze", { what: "link_validation", urls });
  expect(text).toContain("4 URLs, 1 ok, 1 not_allowed, 1 redirect, 1 broken");
  expect(text).toMatch(/broken 404 .*\/missing/);
  expect(site.hits.filter(({ url }) => url === "/elsewhere")).toEqual([]);
});

test("links of the page are asked for by the daemon, and by the browser as the user", async ({ site, tab, agent }) => {
  site.page("/mine", { body: "", status: 403 });
  site.page("/old", { status: 301, headers: { location: "/" } });
  await tab.goto(
    site.page(
      "/",
      `<title>shop</title><a href="/">Home</a> <a href="/old">Old</a> <a href="/mine">Mine</a> <a href="/missing">Missing</a>
       <a href="#nowhere">Place</a> <a href="${site.url("/elsewhere", "localhost")}">Elsewhere</a>`,
    ),
  );
  await front(agent, tab);
  const text = await agent.ask("analyze", { what: "link_health" });
  expect(text).toMatch(
    /^link health: 6 links, tab \d+: 1 ok, 1 not_allowed, 1 redirect, 1 unsure, 1 broken_fragment, 1 broken\n/,
  );
  expect(text).toMatch(/broken 404 \S+\/missing e\d+ "Missing"/);
  expect(site.hits.filter(({ url }) => url === "/elsewhere")).toEqual([]);
  const off = await agent.call("analyze", { what: "link_health", as_user: true });
  expect(off.text).toContain("pilot_off");
});

test.describe("with browser control on", () => {
  test.use({ pilot: true });

  test("what a server refuses to programs is asked for as the user", async ({ site, tab, agent }) => {
    site.page("/mine", { body: "<title>My orders</title>" });
    site.page("/logout", { body: "", status: 403 });
    const guarded = site.page("/guarded", { body: "", status: 403 });
    await tab.goto(site.page("/", `<title>shop</title><a href="${guarded}">Guarded</a> <a href="/logout">Log out</a>`));
    await front(agent, tab);
    const text = await agent.ask("analyze", { what: "link_health", as_user: true });
    expect(text).toMatch(/requires_auth 403 \S+\/guarded: the user may not see it e\d+ "Guarded" \(as the user\)/);
    expect(text).toMatch(/not_checked \S+\/logout: its address looks like an act/);
    expect(site.hits.filter(({ url }) => url === "/logout")).toEqual([]);
  });
});

interface Audit {
  overall_score?: number;
  not_measured?: string[];
  categories: Record<string, { score?: number; spread?: number[]; error?: string; findings: { id: string }[] }>;
}

test("a bad page scores badly and a good one well, and what was not measured has no score", async ({
  site,
  tab,
  agent,
}) => {
  const bad = site.page(
    "/bad",
    `<html><img src="/none.png"><input><center>x</center><a href="javascript:go()">here</a><i id=a></i><i id=a></i>
     <div style="color:#aaa;font-size:9px">${"hard to read ".repeat(20)}</div>
     <script>console.error("broken"); fetch("/missing")</script>`,
  );
  site.page("/icon.svg", {
    body: "<svg xmlns='http://www.w3.org/2000/svg'/>",
    type: "image/svg+xml",
    headers: { "x-content-type-options": "nosniff" },
  });
  const good = site.page("/good", {
    headers: {
      "content-security-policy": "default-src 'self'; frame-ancestors 'self'; base-uri 'none'; object-src 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "strict-origin-when-cross-origin",
      "permissions-policy": "camera=(), microphone=(), geolocation=()",
    },
    body: `<!doctype html><html lang=en><meta charset=utf-8><title>Bicycles and what they cost</title><link rel=icon href="/icon.svg">
      <meta name=description content="What bicycles cost."><meta name=viewport content="width=device-width, initial-scale=1">
      <main><h1>Bicycles</h1><p>All of them are good.</p></main>`,
  });
  const audit = (categories?: string[]) => agent.json<Audit>("analyze", { what: "audit", categories, limit: 100 });
  await tab.goto(bad);
  await front(agent, tab);
  // On a slow machine one answer may come before all was told, or have had no time for a category: it says so.
  const told = ({ not_measured, categories: { best_practices: rules, performance: load } }: Audit) =>
    ["errors-in-console", "requests-failed"].every((id) => rules!.findings.some((f) => f.id === id)) &&
    not_measured?.join() === "performance" &&
    load!.error!.includes("a score needs 3");
  const first = await until("what the bad page did", audit, told);
  expect(first.not_measured).toEqual(["performance"]);
  expect(first.overall_score).toBeUndefined();
  for (const [category, most] of [
    ["accessibility", 50],
    ["security", 85],
    ["best_practices", 30],
    ["seo", 60],
  ] as const)
    expect(first.categories[category]!.score, category).toBeLessThan(most);
  const text = await agent.ask("analyze", { what: "audit" });
  expect(text).toMatch(/^audit: tab \d+, no overall score, since not measured: performance\n/);
  expect(text.length).toBeLessThan(3300);

  for (let load = 0; load < 3; load++) await tab.goto(good);
  await tab.goto(site.page("/other", "<title>other</title>")); // what a load came to is told when it is left
  await tab.goto(good);
  const second = await until("three loads", audit, (a) => a.not_measured === undefined);
  for (const category of ["accessibility", "security", "best_practices", "seo"])
    expect(second.categories[category], category).toMatchObject({ score: 100, findings: [] });
  const { score, spread } = second.categories.performance!;
  expect(spread![0]).toBeLessThanOrEqual(score!);
  expect(spread![1]).toBeGreaterThanOrEqual(score!);
  expect(second.overall_score).toBeGreaterThanOrEqual(80);
  expect((await audit(["seo"])).overall_score).toBeUndefined();
});
