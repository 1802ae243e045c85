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
    .poll(() => agent.ask("observe", { what: "inbox", since: "last" }))
    .toMatch(
      /the user marked a bug on .* "Cart"; in the 30 s before: 1 error, .*1 action of the user.*1 log line \(x\d+\)/,
    );
  expect(await agent.ask("observe", { what: "inbox", since: "last" })).toContain("inbox: 0");
});

test("an agent that sees the user's mark sees what led to it, though its source map comes late", async ({
  site,
  tab,
  agent,
  profile,
}) => {
  const script = (more: string) => `const pay = () => { console.log("paying"); null.total; };\n${more}`;
  const map = { version: 3, sources: ["cart.ts"], names: [], mappings: "AAAA", sourcesContent: [script("")] };
  site.json("/cart.js.map", map, { delay: 1000 });
  site.page("/cart.js", { body: script("//# sourceMappingURL=cart.js.map"), type: "text/javascript" });
  await tab.goto(
    site.page(
      "/",
      `<!doctype html><title>Cart</title><button onclick="pay()">Pay</button><script src="/cart.js"></script>`,
    ),
  );
  await front(agent, tab);
  await tab.getByText("Pay").click();
  await profile.worker.evaluate(() =>
    (chrome.commands.onCommand as unknown as { dispatch(name: string): void }).dispatch("mark"),
  );
  let marked = "";
  await expect
    .poll(async () => (marked = await agent.ask("observe", { what: "inbox" })))
    .toContain("the user marked a bug");
  expect(marked).toMatch(/in the 30 s before: 1 error, .*1 action of the user.*1 log line/);
});
