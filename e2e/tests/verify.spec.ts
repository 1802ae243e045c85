import { type Agent, expect, front, type Page, type Site, test, until } from "./support/fixtures.ts";

test.use({ pilot: true });

interface Verdict {
  verdict: string;
  why: string;
  runs: number;
  failed: number;
  steps: number;
  failure: { message?: string; method?: string; url?: string; status?: number };
  new_code: { seen: boolean; evidence?: string[] };
  reached: { seen: boolean; evidence?: string[] };
  new_problems?: string[];
  notes?: string[];
}

const PAGE = `<!doctype html><title>Shop</title><h1>Shop</h1>
  <label>Name <input id=name></label><button id=add>Add to cart</button><button id=pay>Pay now</button><p id=paid></p>
  <script src=/app.js></script>`;

const BROKEN = `
  const cart = [];
  document.getElementById("add").onclick = () => cart.push({ price: 3 });
  document.getElementById("pay").onclick = async () => {
    const answer = await fetch("/api/pay", { method: "POST" });
    const total = cart.reduce((sum, item) => sum + item.prize.amount, 0);
    document.getElementById("paid").textContent = answer.ok ? "paid " + total : "not paid";
  };`;

/** Serves the shop with the code of a moment. */
function serve(site: Site, code: string): string {
  site.page("/app.js", { body: code, type: "text/javascript", headers: { "cache-control": "no-store" } });
  site.json("/api/pay", { ok: true });
  return site.page("/", PAGE);
}

/** A user, who pauses nowhere. */
async function fails(agent: Agent, page: Page, url: string, said: string): Promise<void> {
  await page.goto(url);
  await front(agent, page);
  await page.getByLabel("Name").pressSequentially("Ada");
  await page.getByRole("button", { name: "Add to cart" }).click();
  await page.getByRole("button", { name: "Pay now" }).click();
  await until(
    "the failure is told",
    () => agent.ask("observe", { what: "errors" }),
    (text) => text.includes(said),
  );
}

const verify = (agent: Agent, more: Record<string, unknown> = {}): Promise<Verdict> =>
  agent.json<Verdict>("configure", { action: "diff_sessions", operation: "verify", ...more });

test("an edit is judged by doing the failure's steps again", async ({ site, tab, agent }) => {
  const url = serve(site, BROKEN);
  await fails(agent, tab, url, "amount");
  const judged = async (what: string, code: string): Promise<Verdict> => {
    serve(site, code);
    const out = await verify(agent, { runs: 2, error_message: "amount" });
    return { ...out, why: `${what}: ${JSON.stringify(out)}` };
  };

  const before = await judged("nothing was edited", BROKEN);
  expect(before, before.why).toMatchObject({
    verdict: "still",
    failed: 2,
    runs: 2,
    steps: 3,
    new_code: { seen: false },
  });
  const hushed = await judged(
    "it is hushed",
    BROKEN.replace("const total", "try { cart[0].prize.amount } catch { return }\nconst total"),
  );
  expect(hushed, hushed.why).toMatchObject({
    verdict: "cannot_tell",
    new_code: { seen: true },
    reached: { seen: false },
  });
  const other = await judged("another error", BROKEN.replace("item.prize.amount", "item.cost.sum"));
  expect(other, other.why).toMatchObject({ verdict: "new_breakage", failed: 0 });
  // As long as what it replaces: only its content tells.
  const fixed = await judged("it is fixed", BROKEN.replace("item.prize.amount", "item.price       "));
  expect(fixed, fixed.why).toMatchObject({
    verdict: "fixed",
    failed: 0,
    new_code: { seen: true },
    reached: { seen: true },
  });
});

const ORDERS = `<!doctype html><title>Orders</title><button id=load>Load orders</button><ul id=list></ul>
  <script>
    document.getElementById("load").onclick = async () => {
      const answer = await fetch("/api/orders");
      document.getElementById("list").innerHTML = answer.ok ? (await answer.json()).map((o) => "<li>" + o).join("") : "<li>Sorry";
    };
  </script>`;

test("an edit of a server is judged by its answers, and one of a document by the document", async ({
  site,
  tab,
  agent,
}) => {
  site.page("/orders", ORDERS);
  site.json("/api/orders", { message: "no table orders" }, { status: 500 });
  await tab.goto(site.url("/orders"));
  await front(agent, tab);
  await tab.getByRole("button").click();
  await until(
    "the failure is told",
    () => agent.ask("observe", { what: "network_bodies" }),
    (text) => text.includes("500"),
  );
  const failing = { runs: 2, error_message: "/api/orders" };
  const once = await verify(agent, failing);
  expect(once, JSON.stringify(once)).toMatchObject({ verdict: "still", failed: 2 });
  site.json("/api/orders", { message: "no column" }, { status: 400 });
  const other = await verify(agent, failing);
  expect(other, JSON.stringify(other)).toMatchObject({ verdict: "new_breakage", failed: 0, failure: { status: 500 } });
  site.page("/orders", ORDERS.replace('await fetch("/api/orders")', "{ ok: true, json: () => [] }"));
  const left = await verify(agent, failing);
  expect(left, JSON.stringify(left)).toMatchObject({ verdict: "cannot_tell", failed: 0, new_code: { seen: true } });
  site.page("/orders", ORDERS);
  site.json("/api/orders", ["soap", "towel"]);
  const fixed = await verify(agent, failing);
  expect(fixed, JSON.stringify(fixed)).toMatchObject({
    verdict: "fixed",
    failed: 0,
    new_code: { seen: true },
    reached: { seen: true },
  });
});
