import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, connect, expect, front, type Place, test } from "./support/fixtures.ts";

test.use({ pilot: true });

interface Broken {
  line_number: number;
  uses: number;
  old_selector: string;
  why: string;
  new_selector?: string;
  element?: string;
  confidence?: number;
  strategy?: string;
  auto?: boolean;
  manual?: string;
  near?: string[];
}
interface Healed {
  url: string;
  file_results: { file: string; broken_selectors: Broken[]; updated_content?: string; applied?: boolean }[];
  files_skipped?: string[];
  summary: Record<string, number>;
}

/** A shop before and after a change of its code. */
const before = `<!doctype html><title>Shop</title><main><h1>Checkout</h1>
  <form onsubmit="document.title = 'paid'; return false"><label>Card name <input data-testid="card-name"></label>
  <button data-testid="pay" id="pay">Pay now</button></form><button id="get-help">Get help</button>
  <p id="paid">Nothing is paid</p></main>`;
const after = `<!doctype html><title>Shop</title><main><h1>Checkout</h1>
  <form onsubmit="document.title = 'paid'; return false"><label>Card name <input id="x1"></label>
  <button class="b2" id="x2">Pay now</button></form><button>Get some help</button>
  <footer>Nothing is paid</footer></main>`;

const suite = `import { test, expect } from "@playwright/test";
test("pays", async ({ page }) => {
  await page.goto("/");
  await page.getByTestId("card-name").fill("Ada");
  await page.getByTestId('pay').click();
  await page.locator("#pay").hover();
  await page.locator("#get-help").click();
  await expect(page.locator("#paid")).toHaveText("Nothing is paid");
  await expect(page.getByText("Error")).toBeHidden();
  await expect(page.getByRole("heading", { name: "Checkout" })).toBeVisible();
  await page.getByTestId("pay").focus();
});
`;

async function inProject(place: Place, work: (agent: Agent, root: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "project-"));
  const agent = await connect(place, "healer", root);
  try {
    await work(agent, root);
  } finally {
    await agent.close();
    rmSync(root, { recursive: true, force: true });
  }
}

const healed = (agent: Agent, params: Record<string, unknown>): Promise<Healed> =>
  agent.json<Healed>("generate", { format: "test_heal", ...params });

test("locators of a test are mended by what the memory and recordings know; assertions are not", async ({
  place,
  site,
  tab,
}) => {
  await inProject(place, async (agent, root) => {
    mkdirSync(join(root, "tests"));
    const file = join(root, "tests", "pay.spec.ts");
    writeFileSync(file, suite);
    await tab.goto(site.page("/", before));
    await front(agent, tab);
    const fine = await healed(agent, { test_file: "tests/pay.spec.ts" });
    expect(fine.summary).toMatchObject({ files_processed: 1, total_broken: 0, not_looked_at: 0 });
    expect(fine.summary["total_selectors"]).toBe(7);
    // The memory knows the button, a click on the field is in the recording.
    await agent.ask("configure", {
      action: "store",
      operation: "save",
      namespace: "selectors",
      key: "pay",
      selector: "testid=pay",
    });
    await tab.getByTestId("card-name").click();
    await expect.poll(() => agent.ask("observe", { what: "actions" })).toContain("Card name");

    await tab.goto(site.page("/", after));
    const broken = await healed(agent, { test_file: file, op: "analyze" });
    expect(broken.file_results[0]?.broken_selectors.map((b) => `${b.line_number} ${b.old_selector} ${b.why}`)).toEqual([
      '4 getByTestId("card-name") fits nothing',
      "5 getByTestId('pay') fits nothing",
      '6 locator("#pay") fits nothing',
      '7 locator("#get-help") fits nothing',
      '8 locator("#paid") fits nothing',
    ]);
    expect(readFileSync(file, "utf8")).toBe(suite);

    const repaired = await healed(agent, { test_file: "tests/pay.spec.ts", op: "repair" });
    const found = repaired.file_results[0]?.broken_selectors ?? [];
    expect(found.map(({ new_selector, strategy, auto }) => [new_selector, strategy, auto ?? false])).toEqual([
      ['getByRole("textbox", { name: "Card name", exact: true })', "recording", true],
      ["getByRole('button', { name: 'Pay now', exact: true })", "memory", true],
      ['getByRole("button", { name: "Pay now", exact: true })', "memory", true],
      ['getByRole("button", { name: "Get some help", exact: true })', "similar", false],
      [undefined, undefined, false],
    ]);
    expect(readFileSync(file, "utf8")).toBe(suite); // nothing is written unasked
    const content = repaired.file_results[0]?.updated_content ?? "";
    expect(content).toContain(`await page.getByRole('button', { name: 'Pay now', exact: true }).click();`);
    expect(content).toContain(`await page.getByRole("button", { name: "Pay now", exact: true }).focus();`);
    expect(content).toContain(`page.locator("#get-help").click()`);
    expect(content).toContain(`expect(page.locator("#paid")).toHaveText("Nothing is paid")`);

    const text = await agent.ask("generate", {
      format: "test_heal",
      test_file: "tests/pay.spec.ts",
      op: "repair",
      auto_apply: true,
    });
    expect(text).toContain("3 can be healed for sure, 1 need a decision, 1 are not found");
    expect(readFileSync(file, "utf8")).toBe(content);
    // The mended locators find what they are for in the browser itself.
    await tab.getByRole("textbox", { name: "Card name", exact: true }).fill("Ada");
    await tab.getByRole("button", { name: "Pay now", exact: true }).click();
    await expect(tab).toHaveTitle("paid");
    const again = await healed(agent, { op: "batch", test_dir: "tests" });
    expect(again.summary).toMatchObject({ files_processed: 1, total_broken: 2, healed_auto: 0 });
  });
});
