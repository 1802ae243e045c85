import { brief, expect, front, Site, test } from "./support/fixtures.ts";

test.use({ pilot: true });

interface Batch {
  status: string;
  steps_executed: number;
  steps_failed: number;
  results: {
    action: string;
    status: string;
    error?: string;
    result?: { result: { receipt?: { changes?: string[] } } };
  }[];
}

const SHOP = `<!doctype html><title>Shop</title><main><h1>Shop</h1>
  <form action="/thanks"><label>E-mail <input name=mail required></label><label><input type=checkbox name=terms> Terms</label><button>Order</button></form>
  <button onclick="count.textContent = 1 + Number(count.textContent)">Add</button> <span id=count>0</span> items</main>
  <div role=dialog aria-label=Newsletter style="position:fixed;inset:0;background:#eee;z-index:99"><button aria-label=Close onclick="this.parentElement.remove()">x</button> Join us</div>`;

test("an agent gets to know a page, clears the way, fills and sends a form: one call for each", async ({
  site,
  tab,
  agent,
}) => {
  site.page("/thanks", "<!doctype html><title>Thanks</title><h1>Thank you</h1>");
  await tab.goto(site.page("/shop", SHOP));
  await front(agent, tab);
  const explored = await agent.ask("interact", { action: "explore_page" });
  for (const told of ['button "Order"', 'textbox "E-mail"', "Shop"]) expect(explored).toContain(told);
  const covered = await agent
    .ask("interact", { action: "click", selector: "text=Add", timeout_ms: brief().timeoutMS })
    .catch(String);
  expect(covered).toContain("blocked_by_overlay");
  expect(await agent.ask("interact", { action: "dismiss_top_overlay" })).toContain("close_button");
  const sent = await agent.ask("interact", {
    action: "fill_form_and_submit",
    fields: [
      { selector: "label=E-mail", value: "a@b.example" },
      { selector: "[name=terms]", value: true },
    ],
  });
  expect(sent).toContain("filled");
  expect(sent).toContain("/thanks?mail=a%40b.example&terms=on");
  await expect(tab).toHaveTitle("Thanks");
});

test("a batch carries out its steps in order, and each says what it led to", async ({ site, tab, agent }) => {
  await tab.goto(site.page("/shop", SHOP.replace("role=dialog", "hidden")));
  await front(agent, tab);
  const batch = await agent.json<Batch>("interact", {
    action: "batch",
    steps: [
      { action: "set_storage", key: "seen", value: "yes" },
      { action: "click", selector: "text=Add" },
      { action: "click", selector: "#none", timeout_ms: brief().timeoutMS },
      { action: "query", selector: "#count", query_type: "text" },
    ],
  });
  expect(batch).toMatchObject({ status: "failed", steps_executed: 4, steps_failed: 1 });
  expect(batch.results.map(({ status, error }) => error ?? status)).toEqual([
    "complete",
    "complete",
    "element_not_found",
    "complete",
  ]);
  expect(batch.results[1]?.result?.result.receipt?.changes?.join()).toContain("1");
  expect(JSON.stringify(batch.results[3]?.result)).toContain('"text":"1"');
  expect(await tab.evaluate(() => localStorage.getItem("seen"))).toBe("yes");
  const refused = await agent
    .ask("interact", {
      action: "batch",
      steps: [
        { action: "click", selector: "text=Add" },
        { action: "click", ref: 7 },
      ],
    })
    .catch(String);
  expect(refused).toContain("Nothing was done");
  await expect(tab.locator("#count")).toHaveText("1");
});

test("a page that leads to another site between two steps gets nothing that was meant for the first one", async ({
  site,
  tab,
  agent,
}) => {
  const elsewhere = await Site.start();
  try {
    const spy = `<!doctype html><title>There</title><input id=q><input id=w><script>heard = []; for (const name of ["input", "keydown"])
      addEventListener(name, () => heard.push(name), true)</script>`;
    const there = elsewhere.page("/there", spy);
    const here = site.page("/here", `<!doctype html><title>Here</title><a href="${there}">Go</a><input id=q>`);
    const go = { action: "click", selector: "text=Go" };
    const came = { action: "wait_for", selector: "#w" };
    const gives = [
      { action: "type", selector: "#q", text: "secret" },
      { action: "key_press", text: "z" },
      { action: "paste", selector: "#q", text: "secret" },
      { action: "set_storage", key: "k", value: "secret" },
      { action: "execute_js", script: "heard.push('script')" },
      { action: "fill_form", fields: [{ selector: "#q", value: "secret" }] },
      { action: "clear_storage" },
      { action: "click", selector: "#q", dialog_text: "secret" },
    ];
    await tab.goto(here);
    await front(agent, tab);
    const led = await agent.json<Batch>("interact", { action: "batch", steps: [go, came, ...gives] });
    expect(led.results.map(({ error }) => error ?? "")).toEqual(["", "", ...gives.map(() => "other_origin")]);
    expect(await tab.evaluate("[...heard, localStorage.k ?? '', q.value]")).toEqual(["", ""]);

    await agent.ask("configure", { action: "save_sequence", name: "led", steps: [go, came, ...gives] });
    await tab.goto(here);
    await agent.ask("configure", { action: "replay_sequence", name: "led" }).catch(String);
    expect(await tab.evaluate("[...heard, localStorage.k ?? '', q.value]")).toEqual(["", ""]);

    // A call alone means the page that is there; so do steps once one of them names it or goes there.
    const type = { action: "type", selector: "#q", text: "seen" };
    expect(await agent.ask("interact", type)).toContain("type: done");
    const named = { action: "wait_for", url_contains: new URL(there).origin };
    for (const begin of [[go, named], [{ action: "navigate", url: there }]]) {
      await tab.goto(here);
      const meant = await agent.json<Batch>("interact", {
        action: "batch",
        steps: [{ ...type, text: "a" }, ...begin, type],
      });
      expect(meant).toMatchObject({ status: "complete" });
      expect(await tab.evaluate("q.value")).toBe("seen");
    }
    // An address that only has the origin in it is another one.
    await tab.goto(site.page("/here", `<a href="${elsewhere.url("/there")}?${site.url("/")}">Go</a>`));
    const hidden = await agent.json<Batch>("interact", {
      action: "batch",
      steps: [go, came, { ...named, url_contains: site.url("/") }, type],
    });
    expect(hidden.results.map(({ error }) => error ?? "")).toEqual(["", "", "", "other_origin"]);
  } finally {
    await elsewhere.stop();
  }
});
