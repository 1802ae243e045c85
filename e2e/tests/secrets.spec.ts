import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Agent, expect, type Page, type Site, test } from "./support/fixtures.ts";
import { sees } from "./support/sees.ts";
import { JWT, needles, SECRETS as S } from "./support/secrets.ts";

test.use({ pilot: true, bodies: true });

/** Does with secrets what careless pages do: every way on which one could get into an answer. */
async function plant(site: Site, tab: Page): Promise<void> {
  site.json(
    "/api/login",
    { token: JWT, user: { api_key: S.api_key_field, note: `use ${S.github_token}` }, keys: [S.aws_key, S.google_key] },
    {
      headers: { "set-cookie": `sid=${S.session_cookie}; HttpOnly; Path=/`, "x-auth-token": S.openai_key },
    },
  );
  site.json(
    "/api/fail",
    { error: `bad key ${S.stripe_key}`, client_secret: S.client_secret, pem: S.private_key },
    { status: 500 },
  );
  site.page("/go", { status: 302, headers: { location: `/landed?access_token=${S.url_token}` } });
  site.page("/landed", "landed");
  site.sockets("/live", (socket) => {
    socket.onText = () =>
      socket.send(JSON.stringify({ type: "auth", password: S.password_field, slack: S.slack_token }));
  });
  site.page("/events", (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: {"token":"${S.url_token}","ai":"${S.anthropic_key}"}\n\n`);
  });
  await tab.goto(
    site.page(
      "/",
      `<title>Hello ${S.gitlab_token}</title>
    <p id="text">Your key is ${S.aws_key}, your card ${S.card}, your number ${S.ssn}.</p>
    <label>Password <input name="pw" type="password"></label>
    <label>Code <input name="otp" autocomplete="one-time-code"></label>
    <form action="/form" method="post" target="sink"><input name="client_secret" value="${S.form_secret}"><button>Send</button></form><iframe name="sink"></iframe>
    <button id="named" aria-label="Copy ${S.stripe_key}">Copy</button>`,
    ),
  );
  await tab.getByLabel("Password").fill(S.typed_password);
  await tab.getByLabel("Code").fill(S.otp);
  await tab.getByRole("button", { name: "Send" }).click();
  await tab.locator("#named").click();
  await tab.evaluate(async (s) => {
    document.cookie = `session_id=${s.session_cookie}`;
    localStorage.setItem("token", s.jwt);
    console.log("signed in with", s.jwt, { password: s.password_field, nested: [{ apiKey: s.api_key_field }] });
    console.warn(`Authorization: ${s.basic}`);
    console.error(`masterKeyMaterial = ${s.entropy}`, new Error(`cannot use ${s.openai_key}`));
    console.info(s.private_key);
    await fetch(`/api/login?api_key=${s.api_key_field}&q=1`, {
      method: "POST",
      headers: { authorization: s.bearer, "x-csrf-token": s.csrf_header, "content-type": "application/json" },
      body: JSON.stringify({ user: "ada", password: s.password_field, again: s.jwt, card: s.card }),
    });
    await fetch("/api/fail", {
      method: "POST",
      body: new URLSearchParams({ client_secret: s.form_secret, visible: "yes" }),
    });
    await fetch("/go");
    await fetch(`http://ada:${s.url_credentials}@127.0.0.1:9/x`).catch(() => undefined);
    await new Promise<void>((done) => {
      const socket = new WebSocket(`ws://${location.host}/live?token=${s.url_token}`);
      socket.onopen = () =>
        socket.send(JSON.stringify({ type: "hello", access_token: s.jwt, client_secret: s.client_secret }));
      socket.onmessage = () => done();
    });
    new EventSource(`/events?sig=${s.url_token}`);
    history.pushState({}, "", `/inside#id_token=${s.jwt}`);
    setTimeout(() => {
      throw new Error(`failed with token=${s.url_token} and ${s.github_token}`);
    });
    const toast = document.createElement("div");
    toast.setAttribute("role", "alert");
    toast.textContent = `Your one-time password: ${s.password_field}`;
    document.body.append(toast);
  }, S);
}

/** Every mode of every tool that needs no more than what the catalogue tells, and every handle's detail. */
async function everyAnswer(agent: Agent): Promise<Map<string, string>> {
  const out = new Map<string, string>();
  const ask = async (tool: string, args: Record<string, unknown>) => {
    out.set(`${tool} ${JSON.stringify(args)}`, (await agent.call(tool, args)).text);
  };
  const { tools } = await agent.client.listTools();
  const handles = new Set<string>();
  for (const { name, inputSchema } of tools) {
    if (name === "interact") continue; // below, one by one
    const key = inputSchema.required![0]!;
    const modes = (inputSchema.properties as Record<string, { enum?: string[] }>)[key]!.enum!;
    for (const mode of modes) {
      if (["restart", "clear", "screenshot", "command_result"].includes(mode)) continue;
      for (const more of [
        { scope: "all", limit: 1000 },
        { scope: "all", limit: 1000, as: "json" },
        { summary: true, scope: "all" },
      ])
        await ask(name, { [key]: mode, ...more });
      const text = out.get(`${name} ${JSON.stringify({ [key]: mode, scope: "all", limit: 1000 })}`) ?? "";
      for (const [handle] of text.matchAll(/^\b[lrwanptxd]\d+\b/gm)) handles.add(handle);
    }
  }
  const modeOf: Record<string, string> = {
    l: "logs",
    r: "network_bodies",
    w: "websocket_events",
    a: "actions",
    t: "network_waterfall",
    d: "transients",
    x: "errors",
  };
  for (const handle of handles) if (modeOf[handle[0]!]) await ask("observe", { what: modeOf[handle[0]!], id: handle });
  for (const args of [
    { action: "get_text" },
    { action: "get_text", structured: true },
    { action: "list_interactive" },
    { action: "get_value", selector: "label=Password" },
    { action: "get_value", selector: "label=Code" },
    {
      action: "execute_js",
      script:
        "({ t: document.title, password: document.querySelector('[name=pw]').value, cookie: document.cookie, s: localStorage.getItem('token') })",
    },
    { action: "wait_for", text: "Your key is" },
    { action: "click", selector: "#named" },
  ])
    await ask("interact", args);
  await ask("observe", { what: "storage", summary: false });
  await ask("observe", { what: "storage", summary: false, as: "json" });
  return out;
}

test("no secret is in any answer, in any file, or in the daemon's HTTP answers, and equal ones stay equal", async ({
  place,
  site,
  tab,
  agent,
}) => {
  test.slow();
  await plant(site, tab);
  await sees(agent, "errors", ["failed with"]);
  await sees(agent, "network_bodies", ["/api/login", "/api/fail", "/landed"]);
  await sees(agent, "websocket_events", ["auth"]);
  const answers = await everyAnswer(agent);
  for (const path of [
    "/snapshot",
    "/buffers/timeline?limit=1000",
    "/query?limit=1000",
    "/metrics",
    "/health",
    "/doctor",
    "/completed",
  ])
    answers.set(path, await place.fetch(path).then((r) => r.text()));
  expect(answers.size).toBeGreaterThan(60);

  const found: string[] = [];
  for (const [where, text] of answers)
    for (const [kind, needle] of needles()) if (text.includes(needle)) found.push(`${kind} in ${where}`);
  for (const file of readdirSync(place.stateDir, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const text = readFileSync(join(file.path, file.name), "latin1");
    for (const [kind, needle] of needles()) if (text.includes(needle)) found.push(`${kind} in the file ${file.name}`);
  }
  expect(found).toEqual([]);

  // The same token in a console line, a body and a frame has one pseudonym, so that they can be compared.
  const all = [...answers.values()].join("\n");
  expect(new Set([...all.matchAll(/<jwt#\d+/g)].map(([p]) => p))).toEqual(new Set(["<jwt#1"]));
  const bodies = [...answers]
    .filter(([where]) => /network_bodies.*"id"/.test(where))
    .map(([, text]) => text)
    .join("\n");
  expect(bodies).toContain("<jwt#1");
  expect(bodies).toContain("q=1"); // what is no secret is there
});
