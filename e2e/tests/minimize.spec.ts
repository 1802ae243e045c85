import { expect, front, test, until } from "./support/fixtures.ts";

test.use({ pilot: true });

interface Reproduction {
  script: string;
  action_count: number;
  minimized: {
    steps_before: number;
    steps_after: number;
    trials: number;
    verified: string;
    failed: number;
    of: number;
    seconds: number;
  };
}

const FIELDS = Array.from({ length: 57 }, (_, i) => `<button id=b${i}>Part ${i}</button>`).join("");

/** Paying fails once a gift is wrapped and the quantity was changed. */
const PAGE = `<!doctype html><title>Shop</title><h1>Shop</h1>
  <button id=gift>Wrap as a gift</button><label>Quantity <input id=quantity value=1></label>
  <button id=pay>Pay now</button>${FIELDS}<p id=said></p>
  <script>
    const at = (id) => document.getElementById(id);
    for (const button of document.querySelectorAll("button[id^=b]")) button.onclick = () => (at("said").textContent = button.id);
    let wrapped = false;
    at("gift").onclick = () => (wrapped = true);
    at("pay").onclick = () => {
      if (wrapped && at("quantity").value === "2") throw new Error("no discount for gifts");
      at("said").textContent = "paid";
    };
  </script>`;

test("of 60 steps those are left that the failure needs, and they were seen to bring it about", async ({
  site,
  tab,
  agent,
}) => {
  await tab.goto(site.page("/", PAGE));
  await front(agent, tab);
  for (let i = 0; i < 57; i++) {
    await tab.locator(`#b${i}`).click();
    if (i === 12) await tab.getByLabel("Quantity").fill("2");
    if (i === 47) await tab.getByRole("button", { name: "Wrap as a gift" }).click();
  }
  await tab.locator("#pay").click();
  await until(
    "the failure is told",
    () => agent.ask("observe", { what: "errors" }),
    (text) => text.includes("no discount"),
  );
  const told: string[] = [];
  const result = await agent.client.callTool(
    {
      name: "generate",
      arguments: { format: "reproduction", minimize: true, max_seconds: 400, timeout_ms: 420_000, as: "json" },
    },
    undefined,
    { timeout: 600_000, onprogress: (p) => told.push(p.message ?? "") },
  );
  const text = (result.content as { text: string }[])[0]!.text;
  const made = JSON.parse(text) as Reproduction;
  expect(made.minimized, text).toMatchObject({
    steps_before: 60,
    steps_after: 3,
    failed: 3,
    of: 3,
    verified: "verified: failed 3 of 3 times",
  });
  expect(made.action_count).toBe(3);
  expect(made.script).toContain("Wrap as a gift");
  expect(told.join("\n")).toContain("trial 1: all 60 steps");
});
