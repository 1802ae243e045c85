import { connect, expect, front, test } from "./support/fixtures.ts";

test.use({ pilot: true });

test("a tab is one agent's at a time, and an agent is told what the user did in it", async ({
  site,
  tab,
  agent,
  place,
}) => {
  await tab.goto(
    site.page("/", `<!doctype html><title>Shared</title><label>Name <input></label><button>Save</button><p></p>`),
  );
  const id = await front(agent, tab);
  const other = await connect(place, "rival");
  try {
    const click = { action: "click", selector: "text=Save", tab: id };
    expect(await agent.ask("interact", click)).toContain("click: done");
    const refused = await other.ask("interact", click).catch(String);
    expect(refused).toContain("tab_in_use");
    expect(refused).toContain("Nothing was done");
    // Who only looks is refused nothing, and a tab of one's own is always there.
    expect(await other.ask("interact", { action: "get_text", tab: id })).toContain("Save");
    const opened = await other.json<{ result: { tab: number } }>("interact", { action: "new_tab", url: site.url("/") });
    expect(await other.ask("interact", { ...click, tab: opened.result.tab })).toContain("click: done");
    await tab.getByLabel("Name").fill("Ada");
    await tab.getByLabel("Name").press("Tab");
    await expect.poll(() => agent.ask("observe", { what: "actions", tab: id })).toMatch(/input.*Name/);
    const told = await agent.ask("interact", click);
    expect(told).toMatch(/since your last act the user did here: .*input textbox .Name./);
    expect(await other.ask("interact", { action: "switch_tab", tab: id, take: true })).toContain("switch_tab: done");
    expect(await other.ask("interact", click)).toContain("click: done");
    expect(await agent.ask("interact", click).catch(String)).toContain("(rival)");
  } finally {
    await other.close();
  }
  // An agent that is gone holds nothing.
  await expect
    .poll(() => agent.ask("interact", { action: "click", selector: "text=Save", tab: id }).catch(String))
    .toContain("click: done");
});
