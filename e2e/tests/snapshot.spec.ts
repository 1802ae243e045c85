import { startShop } from "../../examples/shop/shop.mjs";
import { expect, front, test } from "./support/fixtures.ts";

test.use({ pilot: true });

const ROWS = Array.from(
  { length: 60 },
  (_, i) => `<tr><td>Order ${i}</td><td><button>Cancel order ${i}</button></td></tr>`,
).join("");

const SHOP = `<!doctype html><title>Shop</title><nav aria-label=Main><a href=/new>New</a></nav><main><h1>Checkout</h1>
  <table aria-label=Orders><tr><th>Order<th>Do</tr>${ROWS}</table>
  <form aria-label=Payment><label>Gift card <input name=gift></label><label>Code <input type=password value=hunter22-secret></label>
  <button type=button onclick="const t = document.createElement('div'); t.setAttribute('role', 'status'); t.textContent = 'Gift card accepted'; document.body.append(t)">Use gift card</button></form></main>`;

test("an agent gets an overview, finds a part, acts on it by its ref, and is told what changed", async ({
  site,
  tab,
  agent,
}) => {
  await tab.goto(site.page("/shop", SHOP));
  await front(agent, tab);
  const overview = await agent.ask("observe", { what: "page_inventory" });
  expect(Buffer.byteLength(overview)).toBeLessThan(2048);
  for (const told of ['heading "Checkout"', 'table "Orders": 60 rows', 'form "Payment"', 'button "Use gift card"'])
    expect(overview).toContain(told);
  expect(overview).not.toContain("hunter22");

  const table = /section:"(e\d+)"/.exec(overview)?.[1] ?? "";
  const rows = await agent.ask("observe", { what: "snapshot", section: table, depth: 1 });
  expect(rows).toContain("- row: Order 59 Cancel order 59");

  const found = await agent.ask("observe", { what: "page_inventory", find: "use gift" });
  expect(Buffer.byteLength(found)).toBeLessThanOrEqual(300);
  const ref = /button "Use gift card" \[ref=(e\d+)\]/.exec(found)?.[1] ?? "";
  await agent.ask("interact", { action: "click", ref });

  const delta = await agent.ask("observe", { what: "page_inventory", since: "last" });
  expect(Buffer.byteLength(delta)).toBeLessThanOrEqual(400);
  expect(delta).toContain("+ status: Gift card accepted");
  expect(delta).toContain("1 added, 0 removed");

  await tab.reload();
  const other = await agent.ask("observe", { what: "page_inventory", since: "last" });
  expect(other).toContain("another document");
  expect(other).toContain('heading "Checkout"');
  const none = await agent.ask("observe", { what: "page_inventory", section: "Nowhere" }).catch(String);
  expect(none).toContain("scope_not_found");
});

test("the JSON form has the elements of the list beside the tree", async ({ site, tab, agent }) => {
  await tab.goto(site.page("/shop", SHOP));
  await front(agent, tab);
  const json = await agent.json<{
    url: string;
    title: string;
    tab_status: string;
    viewport: { width: number };
    snapshot: string;
    cursor: string;
    sections: { ref: string; role: string; name: string; count: number }[];
    interactive_elements: { ref: string; label: string }[];
    interactive_count: number;
    total_candidates: number;
  }>("observe", { what: "page_inventory", limit: 5 });
  expect(json).toMatchObject({ title: "Shop", tab_status: "complete", interactive_count: 5, total_candidates: 64 });
  expect(json.interactive_elements).toHaveLength(5);
  expect(json.viewport.width).toBeGreaterThan(0);
  expect(json.sections.map(({ role, name }) => `${role} ${name}`)).toEqual(
    expect.arrayContaining(["table Orders", "form Payment"]),
  );
  expect(JSON.stringify(json)).not.toContain("hunter22");
});

test("the demo's shop is told in 2 KB, one of its parts in 300 bytes, what an act changed in 400", async ({
  tab,
  agent,
}) => {
  const shop = await startShop();
  try {
    await tab.goto(shop.url);
    await front(agent, tab);
    const overview = await agent.ask("observe", { what: "page_inventory" });
    expect(overview).toContain('button "Add Gift card"');
    const found = await agent.ask("observe", { what: "page_inventory", find: "add gift" });
    const ref = /button "Add Gift card" \[ref=(e\d+)\]/.exec(found)?.[1] ?? "";
    await agent.ask("interact", { action: "click", ref });
    const delta = await agent.ask("observe", { what: "page_inventory", since: "last" });
    expect(delta).toMatch(/\d+ added, \d+ removed, \d+ changed/);
    const [all, one, less] = [overview, found, delta].map((text) => Buffer.byteLength(text));
    console.log(`the shop: overview ${all}, find ${one}, delta ${less} bytes`);
    console.log([overview, found, delta].join("\n\n"));
    expect(all).toBeLessThanOrEqual(2048);
    expect(one).toBeLessThanOrEqual(300);
    expect(less).toBeLessThanOrEqual(400);
  } finally {
    await shop.close();
  }
});
