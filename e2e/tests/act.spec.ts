import { type Agent, brief, expect, front, type Page, pilotOn, type Site, test } from "./support/fixtures.ts";

test.use({ pilot: true, bodies: true });

interface Receipt {
  from?: string;
  to?: string;
  changes?: string[];
  errors?: { text: string; same_time?: boolean }[];
  requests?: { method: string; path: string; status?: number; body?: string; same_time?: boolean }[];
  busy?: string[];
  settled_ms: number;
}

interface Answer {
  correlation_id: string;
  elapsed_ms: number;
  result: { receipt: Receipt; navigated?: boolean; opened_tab?: number; trusted?: boolean };
}

/** Opens a page, and gives a way to act in it. */
async function open(site: Site, tab: Page, agent: Agent, html: string) {
  await tab.goto(site.page("/act", html));
  await front(agent, tab);
  return (action: string, args: Record<string, unknown> = {}) => agent.json<Answer>("interact", { action, ...args });
}

const SHOP = `<form onsubmit="event.preventDefault(); checkout()"><button id=pay>Pay</button></form><div id=out></div><script>
  async function checkout() {
    const response = await fetch("/api/checkout", { method: "POST", body: "{}" });
    const answer = await response.json();
    document.getElementById("out").innerHTML = '<p role=alert>Payment failed: ' + answer.error + '</p>';
    throw new TypeError("no order in " + answer.n);
  }
</script>`;

test("an observe right after an act has what the act caused, 100 times of 100", async ({ site, tab, agent }) => {
  let n = 0;
  site.page("/api/checkout", (_request, response) => {
    response
      .writeHead(500, { "content-type": "application/json" })
      .end(JSON.stringify({ error: "no currency", n: ++n }));
  });
  const act = await open(site, tab, agent, SHOP);
  let seen = 0;
  let told = 0;
  for (let i = 1; i <= 100; i++) {
    const { result } = await act("click", { selector: "#pay" });
    const bundles = await agent.ask("observe", { what: "error_bundles", limit: 1 });
    if (bundles.includes(`no order in ${i}`)) seen++;
    const { errors = [], requests = [], changes = [] } = result.receipt;
    const whole =
      errors.some(({ text, same_time }) => text.includes(`no order in ${i}`) && !same_time) &&
      requests.some(
        ({ path, status, body }) => path === "/api/checkout" && status === 500 && /no currency/.test(body ?? ""),
      ) &&
      changes.some((words) => words.includes("Payment failed: no currency"));
    if (whole) told++;
    else if (i - told < 3) console.log(i, JSON.stringify(result.receipt));
  }
  expect([seen, told]).toEqual([100, 100]);
});

test("the receipt says where an act led, what changed and what is still busy", async ({ site, tab, agent }) => {
  site.page("/next", "<title>Next</title><h1>Next page</h1>");
  site.page("/api/slow", { body: "late", delay: 5000 });
  const act = await open(
    site,
    tab,
    agent,
    `<title>Act</title><a href=/next>Away</a><button id=slow onclick="fetch('/api/slow')">Slow</button>
    <button id=route onclick="history.pushState(0, '', '/act?step=2')">Route</button>
    <button id=dialog onclick="document.querySelector('dialog').showModal()">Open</button><dialog><h2>Are you sure?</h2><button>Yes</button></dialog>
    <form><button id=form type=button onclick="mail.setAttribute('aria-invalid', 'true'); mail.nextElementSibling.textContent = 'Write an address'">Check</button>
      <input id=mail aria-label=E-mail><span class=field-error></span></form>
    <ul aria-label=Cart></ul><button id=add onclick="document.querySelector('ul').append(...[1,2,3].map((n) => Object.assign(document.createElement('li'), { textContent: n })))">Add</button>
    <button id=noop>Nothing</button><script>var mail = document.getElementById("mail")</script>`,
  );
  const receipt = async (selector: string) => (await act("click", { selector })).result.receipt;
  expect((await receipt("#add")).changes).toEqual(['new in list "Cart": "1", "2", "3"']);
  expect((await receipt("#form")).changes).toEqual(
    expect.arrayContaining([expect.stringMatching(/invalid field "E-mail"/), 'error: "Write an address"']),
  );
  expect(await receipt("#noop")).toEqual({ settled_ms: expect.any(Number) as unknown });
  expect(await receipt("#route")).toMatchObject({ from: site.url("/act"), to: site.url("/act?step=2") });
  const slow = await act("click", { selector: "#slow" });
  expect(slow.result.receipt.busy).toEqual(["fetch GET /api/slow"]);
  expect((await receipt("#dialog")).changes).toEqual([
    expect.stringMatching(/^dialog "Are you sure\?" opened: button "Yes" e\d+$/),
  ]);
  await act("key_press", { text: "Escape" });
  const away = await act("click", { selector: "text=Away" });
  expect(away.result).toMatchObject({ navigated: true, receipt: { to: site.url("/next") } });
  const back = await act("back");
  expect(back.result.receipt).toMatchObject({ from: site.url("/next"), to: site.url("/act?step=2") });
});

test("what a script and a navigation lead to is in their receipts", async ({ site, tab, agent }) => {
  site.json("/api/x", { ok: true });
  const act = await open(site, tab, agent, "<h1>Here</h1>");
  const script = await act("execute_js", {
    script: "await fetch('/api/x'); document.body.innerHTML += '<p role=status>Done</p>'; return 7",
  });
  expect(script.result.receipt).toMatchObject({
    changes: expect.arrayContaining(['status: "Done"']) as unknown,
    requests: [{ method: "GET", path: "/api/x", status: 200 }],
  });
  const broken = site.page("/broken", "<script>setTimeout(() => { throw new Error('at start') })</script>");
  const there = await act("navigate", { url: broken });
  expect(there.result.receipt.to).toBe(broken);
  expect(there.result.receipt.errors).toEqual([
    expect.objectContaining({ text: "Error: at start", same_time: true }) as object,
  ]);
});

/** A page that asks for its orders as it loads, and fails when the answer has come. */
const ORDERS = `<title>Orders</title><h1>Orders</h1><a href="/orders?again">Again</a><script>
  (async () => {
    const answer = await (await fetch("/api/orders")).json();
    await fetch("/api/more");
    document.title = "No orders";
    document.body.insertAdjacentHTML("beforeend", "<p role=alert>" + answer.error + "</p>");
    throw new Error("no orders");
  })();
</script>`;

test("an act settles in the page that it led to, and says what it found there", async ({ site, tab, agent }) => {
  site.page("/orders", ORDERS);
  site.json("/api/orders", { error: "no stock" }, { status: 500, delay: 250 });
  site.json("/api/more", {}, { delay: 150 });
  const act = await open(site, tab, agent, '<title>Start</title><a href="/orders">Orders</a>');
  const found = {
    changes: expect.arrayContaining(['alert: "no stock"']) as unknown,
    errors: [expect.objectContaining({ text: "Error: no orders", same_time: true })] as unknown,
    requests: expect.arrayContaining([
      expect.objectContaining({
        path: "/api/orders",
        status: 500,
        body: expect.stringContaining("no stock") as unknown,
      }),
      expect.objectContaining({ path: "/api/more", status: 200 }),
    ]) as unknown,
  };
  for (const [action, args] of [
    ["click", { selector: "text=Orders" }],
    ["navigate", { url: site.url("/orders") }],
    ["refresh", {}],
    ["click", { selector: "text=Again" }],
    ["back", {}],
    ["new_tab", { url: site.url("/orders") }],
  ] as const) {
    const { result } = await act(action, args);
    expect(result.receipt, action).toMatchObject(found);
    expect(result.receipt.busy, action).toBeUndefined();
    expect((result as { title?: string }).title, action).toBe("No orders");
  }
});

test("acts on tabs have receipts, and a page that asks for ever is named as busy", async ({ site, tab, agent }) => {
  site.page("/slow", "<title>Slow</title><script>fetch('/api/slow')</script>");
  site.page("/api/slow", { body: "late", delay: 9000 });
  const act = await open(
    site,
    tab,
    agent,
    `<title>Shown</title><p id=p></p><script>document.addEventListener("visibilitychange", () => {
      if (!document.hidden) throw new Error("shown again"); })</script>`,
  );
  const opened = await act("new_tab", { url: site.url("/slow") });
  // On a busy machine the new page has not said yet what it waits for.
  expect([["fetch GET /api/slow"], ["an answer of the page"]]).toContainEqual(opened.result.receipt.busy);
  const { tab: other } = opened.result as unknown as { tab: number };
  await act("switch_tab", { tab: other });
  const closed = await act("close_tab", { tab: other });
  expect(closed.result.receipt.settled_ms).toBeGreaterThanOrEqual(0);
  const empty = await act("new_tab");
  expect(empty.result.receipt).toEqual({ settled_ms: expect.any(Number) as unknown });
});

test("who did it is right when user, agent and script act at once", async ({ site, tab, agent }) => {
  const act = await open(
    site,
    tab,
    agent,
    `<button id=agent onclick="window.clicked = true; setTimeout(() => fetch('/by-agent'), 600)">Agent</button>
     <button id=user onclick="fetch('/by-user')" style="position:fixed;right:0;bottom:0">User</button>
     <select aria-label=Size><option>S<option>M</select>
     <script>setInterval(() => fetch('/by-nobody'), 150)</script>`,
  );
  const acting = act("click", { selector: "#agent" });
  await tab.waitForFunction("window.clicked"); // in the middle of what the agent's click still waits for
  await tab.click("#user");
  await tab.getByLabel("Size").selectOption("M");
  const { correlation_id } = await acting;
  await act("focus", { selector: "#user" }); // brings what the user did along
  const { entries: actions } = await agent.json<{ entries: { type: string; by: string; name?: string }[] }>("observe", {
    what: "actions",
    limit: 20,
  });
  expect(new Set(actions.map(({ type, by, name }) => `${type} by ${by} on ${name}`))).toEqual(
    new Set(["click by agent on Agent", "click by user on User", "select by script on Size"]),
  );
  const text = await agent.ask("interact", { action: "click", selector: "#agent" });
  expect(text).toMatch(/request r\d+ GET \/by-agent 404/);
  expect(text).not.toMatch(/request r\d+ GET \/by-nobody/);
  expect(correlation_id).not.toBe("");
});

for (const [name, html, busy] of [
  [
    "a loop of animation frames",
    "(function turn() { p.textContent = performance.now(); requestAnimationFrame(turn) })()",
    /animation frame/,
  ],
  [
    "a loop of timers",
    "(function turn() { p.textContent = performance.now(); setTimeout(turn, 0) })()",
    /timer of 0 ms/,
  ],
  [
    "a loop of mutations in microtasks by an observer",
    "new MutationObserver(() => { if (performance.now() < until) p.title = performance.now() }).observe(p, { attributes: true }); until = performance.now() + 1000; p.title = 1",
    undefined,
  ],
] as const)
  test(`${name} ends in an answer`, async ({ site, tab, agent }) => {
    const act = await open(
      site,
      tab,
      agent,
      `<p id=p>x</p><button onclick="start()">Go</button><script>var until, p = document.getElementById("p"); function start() { ${html} }</script>`,
    );
    const { result } = await act("click", { selector: "text=Go" });
    if (busy) expect(result.receipt.busy?.join()).toMatch(busy);
    expect(await tab.evaluate("document.getElementById('p').isConnected")).toBe(true);
    // The page goes on as without us.
    expect(await tab.evaluate("String(setTimeout) + String(requestAnimationFrame)")).toBe(
      "function setTimeout() { [native code] }function requestAnimationFrame() { [native code] }",
    );
  });

test("a page that animates by itself costs an act nothing", async ({ site, tab, agent }) => {
  const act = await open(
    site,
    tab,
    agent,
    `<p id=p>x</p><button>Go</button><script>(function turn() { document.getElementById("p").textContent = performance.now(); requestAnimationFrame(turn) })()</script>`,
  );
  const { result } = await act("click", { selector: "text=Go" });
  expect(result.receipt.busy).toBeUndefined(); // it did not wait until it had to give up
});

test("a frame that goes away in mid-action leaves a receipt", async ({ site, tab, agent }) => {
  site.page("/inner", "<button onclick='parent.document.querySelector(`iframe`).remove()'>Close me</button>");
  const act = await open(site, tab, agent, "<h1>Around</h1><iframe src=/inner></iframe>");
  const { result } = await act("click", { selector: "text=Close me", frame: "0" });
  expect(result.receipt.settled_ms).toBeGreaterThanOrEqual(0);
  await expect(tab.locator("iframe")).toHaveCount(0);
});

test("document.open in mid-command, and a page that replaced every prototype, are acted on all the same", async ({
  site,
  tab,
  agent,
}) => {
  const act = await open(
    site,
    tab,
    agent,
    `<button id=open onclick="setTimeout(() => { document.open(); document.write('<h1>Written</h1><button id=b>B</button>'); document.close() }, 50)">Write</button>
     <script>
       for (const owner of [EventTarget, Node, Element, Document, Array, String, Promise, Map, Function])
         for (const name of Object.getOwnPropertyNames(owner.prototype))
           if (!["constructor", "addEventListener", "open", "write", "close", "apply", "call", "bind", "toString"].includes(name))
             try { owner.prototype[name] = () => { throw new Error("broken " + name) } } catch {}
     </script>`,
  );
  const { result } = await act("click", { selector: "#open" });
  expect(result.receipt.busy).toBeUndefined();
  expect((await act("click", { selector: "#b" })).result.receipt.errors).toBeUndefined();
});

test("real input is the agent's, and what it causes as well", async ({ site, tab, agent }) => {
  site.json("/api/find", []);
  const act = await open(
    site,
    tab,
    agent,
    `<input aria-label=Find oninput="clearTimeout(this.timer); this.timer = setTimeout(() => fetch('/api/find'), 300)">
     <button onmousedown="console.error('pressed')">Down</button>`,
  );
  const typed = await act("type", { selector: "label=Find", text: "ab", trusted: "always" });
  expect(typed.result.trusted).toBe(true);
  expect(typed.result.receipt.requests).toEqual([
    expect.objectContaining({ path: "/api/find", status: 200 }) as object,
  ]);
  expect(typed.result.receipt.requests?.[0]?.same_time).toBeUndefined();
  const pressed = await act("click", { selector: "text=Down", trusted: "always" });
  expect(pressed.result.receipt.errors).toEqual([expect.objectContaining({ text: "console: pressed" }) as object]);
  expect(pressed.result.receipt.errors?.[0]?.same_time).toBeUndefined();
  await agent.ask("interact", { action: "click", selector: "text=Down" }); // what was typed is told once it is over
  const { entries: actions } = await agent.json<{ entries: { by: string }[] }>("observe", {
    what: "actions",
    limit: 20,
  });
  expect(new Set(actions.map(({ by }) => by))).toEqual(new Set(["agent"]));
});

test("an element that moves for ever is pressed where its animation has no end, else named as that, by the deadline", async ({
  site,
  tab,
  agent,
}) => {
  await open(
    site,
    tab,
    agent,
    `<style>@keyframes away { to { left: 600px } } button { position: absolute; left: 0 } #a { top: 50px; animation: away 3s linear infinite } #b { top: 150px }</style>
     <button id=a onclick="document.title = 'pressed'">Run</button><button id=b>Walk</button>
     <script>(function turn(t) { document.getElementById("b").style.left = (t / 5) % 600 + "px"; requestAnimationFrame(turn) })(0)</script>`,
  );
  const done = await agent.call("interact", { action: "click", selector: "#a" });
  expect(done.isError, done.text).toBe(false);
  expect(await tab.title()).toBe("pressed");
  const { text, isError } = await agent.call("interact", {
    action: "click",
    selector: "#b",
    timeout_ms: brief().timeoutMS,
  });
  expect(isError, text).toBe(true);
  expect(text).toMatch(/error=(element_)?not_actionable[\s\S]*is moving/);
});

test("options, checkboxes and selects go through the same hit test and by the same real input as clicks", async ({
  site,
  tab,
  agent,
}) => {
  const act = await open(
    site,
    tab,
    agent,
    `<select id=native><option>S<option>M</select><input id=box type=checkbox>
     <div id=combo role=combobox aria-expanded=false tabindex=0>Pick</div><ul id=list role=listbox hidden><li role=option>Red<li role=option>Blue</ul>
     <div id=wall hidden style="position:fixed;inset:0;background:#fff">Wall</div>
     <script>
       const combo = document.getElementById("combo"), list = document.getElementById("list");
       combo.onclick = (event) => { if (event.isTrusted) { list.hidden = false; combo.ariaExpanded = "true" } };
       for (const item of list.children) item.onclick = (event) => { if (event.isTrusted) { combo.textContent = item.textContent; list.hidden = true; combo.ariaExpanded = "false" } };
     </script>`,
  );
  const picked = await act("select", { selector: "#combo", value: "Blue", trusted: "always" });
  expect(picked.result.trusted).toBe(true);
  await expect(tab.locator("#combo")).toHaveText("Blue");
  expect((await act("check", { selector: "#box", trusted: "always" })).result.trusted).toBe(true);
  await expect(tab.locator("#box")).toBeChecked();
  await tab.evaluate(() => (document.getElementById("wall")!.hidden = false));
  for (const args of [
    { action: "select", selector: "#native", value: "M" },
    { action: "select", selector: "#combo", value: "Red" },
    { action: "check", selector: "#box", checked: false },
  ]) {
    const { text, isError } = await agent.call("interact", { ...args, timeout_ms: brief().timeoutMS });
    expect([isError, /blocked_by_overlay/.test(text)], text).toEqual([true, true]);
  }
  expect(await tab.evaluate(() => (document.getElementById("native") as HTMLSelectElement).value)).toBe("S");
});

test("a tab that the agent closed is not the one that the next call means", async ({ site, profile, agent }) => {
  await profile.page(); // one of no site: a navigation opens a tab
  await pilotOn(agent);
  const shown = site.page("/shown", "<title>Shown</title>");
  expect(await agent.ask("interact", { action: "navigate", url: shown })).toContain('"Shown"');
  await profile.worker.evaluate(() => {
    const { fetch } = globalThis as { fetch: (url: string, options?: object) => Promise<unknown> };
    const late = async (url: string, options?: object): Promise<unknown> => {
      // What tells of tabs comes late.
      if (url.endsWith("/sync")) await new Promise((resolve) => void setTimeout(resolve, 1000));
      return fetch(url, options);
    };
    Object.assign(globalThis, { fetch: late });
  });
  await agent.ask("interact", { action: "close_tab" });
  expect(await agent.ask("interact", { action: "navigate", url: shown })).toContain('"Shown"');
});
