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

  const before = await verify(agent);
  expect(before, before.why).toMatchObject({ verdict: "still", failed: 3, runs: 3, steps: 3, new_code: { seen: false } });

  // The error is hushed, and nothing is paid.
  serve(site, BROKEN.replace("item.prize.amount", "item.prize?.amount"));
  const undefinedTotal = await verify(agent);
  expect(undefinedTotal, undefinedTotal.why).toMatchObject({ verdict: "new_breakage", failed: 0 });

  serve(site, BROKEN.replace("const total", "try { cart[0].prize.amount } catch { return }\nconst total"));
  const hushed = await verify(agent);
  expect(hushed, hushed.why).toMatchObject({ verdict: "cannot_tell", failed: 0, new_code: { seen: true }, reached: { seen: false } });

  serve(site, BROKEN.replace("item.prize.amount", "item.cost.sum"));
  const other = await verify(agent);
  expect(other, other.why).toMatchObject({ verdict: "new_breakage", failed: 0 });

  serve(site, BROKEN.replace("item.prize.amount", "item.price"));
  const fixed = await verify(agent);
  expect(fixed, JSON.stringify(fixed)).toMatchObject({ verdict: "fixed", failed: 0, reached: { seen: true } });
});
