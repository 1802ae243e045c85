import { expect, front, test } from "./support/fixtures.ts";

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
    .ask("interact", { action: "click", selector: "text=Add", timeout_ms: 4000 })
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
      { action: "click", selector: "#none", timeout_ms: 4000 },
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
