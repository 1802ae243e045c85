import { startShop } from "../../examples/shop/shop.mjs";
import { expect, test } from "./support/fixtures.ts";
import { sees } from "./support/sees.ts";

test.use({ bodies: true });

test("the cause of a checkout that fails takes few calls and few bytes", async ({ tab, agent }) => {
  const shop = await startShop();
  try {
    await tab.goto(shop.url);
    await tab.getByRole("button", { name: "Add Gift card" }).click();
    await tab.getByLabel("E-mail").fill("ada@example.com");
    await tab.getByLabel("Card number").fill("4242424242424242");
    await tab.getByTestId("pay").click();
    // An agent comes seconds later; a test has to wait until all of it has arrived. These calls do not count.
    await sees(agent, "errors", ["placeOrder"]); // the advertisement in an iframe throws one, too
    await sees(agent, "network_bodies", ["/api/checkout"]);

    const answer = await agent.ask("observe", { what: "error_bundles", limit: 2 });
    const bytes = Buffer.byteLength(answer);
    console.log(`the cause in the shop: 1 call, ${bytes} bytes`);
    expect(answer).toMatch(/TypeError[^\n]*(undefined|number)/); // what was thrown,
    expect(answer).toMatch(/placeOrder/); // where,
    expect(answer).toMatch(/POST 500 [^\n]*\/api\/checkout/); // after which request,
    expect(answer).toContain("no payment for item"); // what the service behind it said,
    expect(answer).toMatch(/click/); // and what the user did
    expect(answer).not.toContain("4242424242424242");
    expect(bytes).toBeLessThanOrEqual(2500);
  } finally {
    await shop.close();
  }
});
