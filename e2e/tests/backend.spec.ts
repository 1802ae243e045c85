import { startShop } from "../../examples/shop/shop.mjs";
import { PROGRAM, until } from "../harness.ts";
import { expect, test } from "./support/fixtures.ts";

test.use({ bodies: false, pilot: true }); // what failed is not in a body: services tell it

test("from the click to the database: one call gives the query that failed behind the others", async ({
  tab,
  agent,
  place,
}) => {
  const shop = await startShop(
    () => {},
    (service) => [PROGRAM, ...place.args, "run", "--name", service, "--"],
  );
  // Where there is no Python, the service in Go keeps the payments.
  const last = shop.payments ? "payments" : "orders";
  try {
    await tab.goto(shop.url);
    // A run that passes, to compare with.
    await tab.getByRole("button", { name: "Add Enamel mug" }).click();
    await tab.getByLabel("E-mail").fill("ada@example.com");
    await tab.getByLabel("Card number").fill("4242424242424242");
    await Promise.all([tab.waitForResponse("**/api/checkout"), tab.getByTestId("pay").click()]);
    await tab.reload();
    await tab.getByRole("button", { name: "Add Gift card" }).click();
    await tab.getByLabel("E-mail").fill("ada@example.com");
    await tab.getByLabel("Card number").fill("4242424242424242");
    await tab.getByTestId("pay").click();
    const answer = await until(
      "the cause in the database",
      () => agent.ask("observe", { what: "error_bundles" }),
      (text) =>
        text.includes(` in ${last}: `) &&
        /, complete\n/.test(text) &&
        (!shop.payments || text.includes("main.py:")) &&
        /not so in r\d+, which passed/.test(text), // services send in batches
    );
    console.log(`from the click to the database: 1 call, ${Buffer.byteLength(answer)} bytes`);
    expect(answer).toMatch(/TypeError[^\n]*number/); // what the page threw,
    expect(answer).toMatch(/click|submit/); // after what the user did,
    expect(answer).toMatch(/POST 500 [^\n]*\/api\/checkout/); // the request,
    expect(answer).toMatch(
      new RegExp(String.raw`cause \(0\.[89]\d\): s\d+ in ${last}: .*NOT NULL constraint failed: payments\.currency`),
    ); // the cause,
    expect(answer).toContain("query: INSERT INTO payments"); // the query,
    expect(answer).toMatch(
      new RegExp(String.raw`way: s\d+ ${last} INSERT payments ← .* orders POST /orders ← .* web .* ← r\d+ ← a\d+`),
    ); // the way between,
    if (shop.payments) expect(answer).toMatch(/IntegrityError[^\n]* @keep [^\n]*payments\/main\.py:41\n/); // the line of it,
    expect(answer).toMatch(/not so in r\d+, which passed: /); // and what was not so before
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(2500);

    const trace = /"trace":"(\w+)"/.exec(answer)?.[1] ?? "";
    const flow = await agent.ask("observe", { what: "timeline", trace });
    for (const part of [
      "web server POST /api/checkout",
      "orders server POST /orders",
      ...(shop.payments ? ["payments server POST /payments"] : []),
      `${last} client INSERT`,
    ])
      expect(flow).toContain(part);
    expect(flow).toMatch(shop.payments ? /through 3 services, complete/ : /through 2 services, complete/);

    const lines = await agent.ask("observe", { what: "logs", service: "orders" });
    expect(lines).toContain("charge failed");
    expect(lines.match(/charge failed/g)?.length).toBe(1); // it came by its stderr and by the SDK

    const cause = new RegExp(String.raw`service ${last} \(0\.[89]\d\): s\d+ .*payments\.currency`);
    const click = await until(
      "a receipt with the cause",
      () => agent.ask("interact", { action: "click", selector: "testid=pay" }),
      (text) => cause.test(text), // a busy service sends later than a receipt waits
    );
    console.log(`the receipt of the click: ${Buffer.byteLength(click)} bytes\n${click}`);
    expect(Buffer.byteLength(click)).toBeLessThanOrEqual(700);
  } finally {
    await shop.close();
  }
});
