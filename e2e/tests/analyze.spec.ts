import { startShop } from "../../examples/shop/shop.mjs";
import { expect, front, test } from "./support/fixtures.ts";

test("an agent asks what the shop's page is, and acts by the refs that it is told", async ({ tab, agent }) => {
  const shop = await startShop();
  try {
    await tab.goto(shop.url);
    await front(agent, tab);
    const ask = (what: string, more: object = {}) => agent.ask("analyze", { what, ...more });

    const summary = await ask("page_summary");
    expect(summary).toMatch(/h1 .*\n/);
    expect(summary).toMatch(/\d+ words, \d+ to operate/);

    const forms = await ask("forms");
    expect(forms).toMatch(/e\d+ textbox "E-mail"[^\n]*required/);
    expect(forms).toMatch(/e\d+ button "[^"]*" submit/);
    const verdict = await ask("form_validation");
    expect(verdict).toMatch(/"E-mail" valueMissing/);

    await tab.getByLabel("E-mail").fill("ada@example.com");
    await tab.getByLabel("Card number").fill("4242424242424242");
    const state = await ask("form_state");
    expect(state).toMatch(/"E-mail"[^\n]*= "ada@example.com"[^\n]*changed by the user/);
    expect(state).not.toContain("4242424242424242");

    const styles = await ask("computed_styles", {
      selector: "testid=pay",
      properties: ["background-color", "display"],
    });
    expect(styles).toMatch(/background-color: [^\n]* by [^\n]* in /);
    expect(await ask("dom", { selector: "testid=pay" })).toMatch(/<button[^\n]*data-testid="pay"/);
    expect(await ask("page_structure")).toMatch(/frameworks: none|: /);
    expect(await ask("accessibility")).toMatch(/^accessibility: \d+ rules? broken/);
    for (const what of ["navigation", "data_table", "feature_gates"])
      expect(await ask(what), what).toMatch(new RegExp(`^${what}: tab \\d+\\n`));

    const ref = /(e\d+) textbox "E-mail"/.exec(forms)?.[1];
    const one = await ask("computed_styles", { ref, properties: ["width"] });
    expect(one).toContain(`## ${ref} <input>`);
    for (const answer of [summary, forms, verdict, state, styles]) expect(Buffer.byteLength(answer)).toBeLessThan(2500);
  } finally {
    await shop.close();
  }
});
