import { expect, front, test } from "./support/fixtures.ts";

test("what the user marks by a key waits in the agent's inbox, with what led to it", async ({
  site,
  tab,
  agent,
  profile,
}) => {
  await tab.goto(
    site.page(
      "/",
      `<!doctype html><title>Cart</title><button onclick="console.log('paying'); null.total">Pay</button>`,
    ),
  );
  await front(agent, tab);
  expect(await agent.ask("observe", { what: "inbox" })).toContain("inbox: 0");
  await tab.getByText("Pay").click();
  // As Chrome tells the worker of the key: keys that a test sends never reach the browser itself.
  await profile.worker.evaluate(() =>
    (chrome.commands.onCommand as unknown as { dispatch(name: string): void }).dispatch("mark"),
  );
  await expect(tab.locator("#gasoline-toast")).toHaveCount(1);
  await expect
    .poll(() => agent.ask("observe", { what: "inbox", since: "last" }), { timeout: 10_000 })
    .toMatch(
      /the user marked a bug on .* "Cart"; in the 30 s before: 1 error, .*1 action of the user.*1 log line \(x\d+\)/,
    );
  expect(await agent.ask("observe", { what: "inbox", since: "last" })).toContain("inbox: 0");
});
