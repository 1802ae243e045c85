import { expect, front, test, until } from "./support/fixtures.ts";

test("an agent acts on the site that the user chose, and is told where it may not and what to ask for", async ({
  site,
  tab,
  agent,
  profile,
}) => {
  const page = `<!doctype html><title>Shop</title><button onclick="document.title='sold'">Buy</button>`;
  const chosen = site.page("/", page);
  await tab.goto(chosen);
  const id = await front(agent, tab);
  const { origin } = new URL(chosen);
  const other = chosen.replace("127.0.0.1", "localhost");
  expect(other).not.toBe(chosen);
  const set = (sites: string[]): Promise<void> =>
    profile.worker.evaluate((pilotSites) => chrome.storage.local.set({ pilot: false, pilotSites }), sites);
  const click = { action: "click", selector: "text=Buy", tab: id };
  expect(await agent.ask("interact", click).catch(String)).toContain("error=pilot_off");

  await set([origin]);
  await until(
    "the chosen site",
    () => agent.ask("observe", { what: "pilot" }),
    (text) => text.startsWith("pilot: chosen sites") && text.includes(`Agents may act on ${origin}.`),
  );
  expect(await agent.ask("interact", click)).toContain("click: done");
  await expect(tab).toHaveTitle("sold");
  expect(await agent.ask("configure", { action: "health" })).toContain("browser control on for one site");

  expect(await agent.ask("interact", { action: "navigate", url: other, tab: id })).toContain("navigate: done");
  const refused = await agent.ask("interact", click).catch(String);
  expect(refused).toContain("error=pilot_off retry=after_user_action");
  expect(refused).toContain('choose "This site"');
  expect(refused).toContain(`The tab shows ${new URL(other).origin}. The user lets agents act on ${origin}.`);
  await expect(tab).toHaveTitle("Shop");
  expect(await agent.ask("observe", { what: "page", tab: id })).toContain("blocked: all that act");

  // A batch that a link leads away stops there.
  await set([origin, new URL(other).origin]);
  const back = await agent.ask("interact", { action: "navigate", url: chosen, tab: id });
  expect(back).toContain("navigate: done");
  await tab.setContent(`<a href="${other}">Go</a>`);
  await set([origin]);
  const batch = await agent
    .ask("interact", {
      action: "batch",
      steps: [
        { action: "click", selector: "text=Go", tab: id },
        { action: "click", selector: "text=Buy", tab: id },
      ],
    })
    .catch(String);
  expect(batch).toContain("pilot_off");
  await expect(tab).toHaveURL(other);
  await expect(tab).toHaveTitle("Shop");
});
