import { connect, expect, front, test } from "./support/fixtures.ts";

test.use({ pilot: true });

interface Clicked {
  target: { tab: number };
  result: { opened_tab?: number; opened_url?: string; opened_title?: string };
}

test("an agent goes on in a window that its click opened, closes it, and comes back", async ({
  site,
  tab,
  agent,
  place,
}) => {
  site.page("/pay", (_request, response) =>
    // The bank takes its time: the answer of the click waits for its page.
    setTimeout(() => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<!doctype html><title>Bank</title><h1>Your bank</h1>
        <button onclick="opener.paid('7 EUR'); this.textContent = 'Confirmed'">Confirm</button>`);
    }, 600),
  );
  await tab.goto(
    site.page(
      "/shop",
      `<!doctype html><title>Shop</title><button onclick="window.open('/pay', 'bank', 'width=400,height=300')">Pay</button>
       <p>open</p><script>window.paid = (sum) => { document.querySelector("p").textContent = "paid " + sum; }</script>`,
    ),
  );
  const shop = await front(agent, tab);
  const other = await connect(place, "rival");
  try {
    const click = { action: "click", selector: "text=Pay", trusted: "always" };
    const { result, target } = await agent.json<Clicked>("interact", click);
    expect(target.tab).toBe(shop);
    expect(result).toMatchObject({ opened_url: site.url("/pay"), opened_title: "Bank" });
    const bank = result.opened_tab ?? 0;
    // No other agent acts there first.
    const confirm = { action: "click", selector: "text=Confirm", tab: bank };
    expect(await other.ask("interact", confirm).catch(String)).toContain("tab_in_use");
    expect(await agent.ask("interact", confirm)).toContain("click: done");
    expect(await agent.ask("interact", { action: "get_text", tab: bank })).toContain("Confirmed");
    expect(await agent.ask("interact", { action: "close_tab", tab: bank })).toContain("close_tab: done");
    // Without tab the shop is meant, as before.
    expect(await agent.ask("interact", { action: "get_text" })).toContain("paid 7 EUR");
    expect(
      await agent.ask("interact", { action: "click", selector: "text=Confirm", tab: bank }).catch(String),
    ).toContain("tab_gone");
    expect(await agent.ask("interact", { ...click, duration_ms: 300 })).toMatch(/opened tab \d+ \S+\/pay Bank/);
  } finally {
    await other.close();
  }
});
