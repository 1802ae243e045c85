import { agent as connect } from "../harness.ts";
import { expect, front, test } from "./support/fixtures.ts";

test("the popup names the agents and moves them to another tab", async ({ place, site, tab, profile, agent }) => {
  await tab.goto(site.page("/one", "<title>One</title>"));
  const one = await front(agent, tab);
  const other = await profile.page(site.page("/two", "<title>Two</title>"));
  const two = await front(agent, other);
  const shopper = await connect(place, "shopper");
  const uses = async (who = agent) => (await who.json<{ tab: number }>("observe", { what: "page" })).tab;
  try {
    // Each takes the tab in front when it first needs one.
    expect([await uses(), await uses(shopper)]).toEqual([two, two]);

    const popup = await profile.context.newPage();
    await popup.addInitScript((id: number) => {
      Object.defineProperty(chrome.tabs, "query", { value: async () => [await chrome.tabs.get(id)] });
    }, one);
    await popup.goto(`chrome-extension://${profile.id}/popup.html`);
    await expect(popup.getByRole("status").first()).toContainText("e2e and shopper");
    await expect(popup.getByRole("listitem")).toHaveText([/^Two.*e2eshopper/]);
    await popup.getByLabel("Agents that use this tab").selectOption("for shopper");
    await popup.getByRole("button", { name: "Use this tab" }).click();
    await expect(popup.getByRole("listitem")).toHaveCount(2);
    expect([await uses(), await uses(shopper)]).toEqual([two, one]);
  } finally {
    await shopper.close();
  }
  const popup = await profile.popup();
  await expect(popup.getByRole("status").first()).toHaveText(/^\s*Connected\s+e2e\s*$/);
});
