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
  site.page("/lib.js", { body: "window.lib = 1", type: "text/javascript" });
  site.page("/collect", { body: "ok", headers: { "access-control-allow-origin": "*" } });
  await tab.goto(
    site.page("/", {
      headers: { "content-security-policy": "script-src 'unsafe-inline' 'sha256-47DEQpj8*' http:" },
      body: `<title>shop</title><script src="${site.url("/lib.js", "localhost")}"></script><script>
        fetch("/api/config").then((r) => r.json());
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
    expect(text).toContain("not asked for as the user, since it looks like an act: 1 link");
  });
});
