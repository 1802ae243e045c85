import { expect, front, test, until } from "./support/fixtures.ts";

test.use({ pilot: true, bodies: true });

/** What an answer says that rests on less than what pages did. */
const UNHEARD = /did not answer within 100 ms: what it has not sent is missing/;

test("an answer has what a page did just now, twenty times of twenty", async ({ site, tab, place, agent }) => {
  await tab.goto(site.page("/", "<title>Lines</title>"));
  await front(agent, tab);
  const answers: { line: string; answer: string }[] = [];
  for (let i = 0; answers.length < 20; i++) {
    const line = `line no. ${i}.`;
    await tab.evaluate((text) => console.log(text), line);
    const answer = await agent.ask("observe", { what: "logs", limit: 3 });
    if (!UNHEARD.test(answer)) answers.push({ line, answer }); // on a machine that is busy with other things
  }
  expect(answers.filter(({ line, answer }) => !answer.includes(line))).toEqual([]);
  await tab.evaluate(() => console.log("for the command line"));
  const { stdout } = await until(
    "an answer for which the page was asked",
    () => place.run("observe", "logs"),
    (ran) => !UNHEARD.test(ran.stdout),
  );
  expect(stdout).toContain("for the command line");
});

test("what a page waited for is there when the waiting ends", async ({ site, tab, agent }) => {
  site.json("/api/order", { order: 8812 });
  await tab.goto(
    site.page(
      "/",
      `<title>Order</title><button>Load</button><p></p><script>
        document.querySelector("button").onclick = () => setTimeout(async () => {
          const { order } = await (await fetch("/api/order")).json();
          document.querySelector("p").textContent = "ready " + order;
        }, 1500);
      </script>`,
    ),
  );
  await front(agent, tab);
  await agent.ask("interact", { action: "click", selector: "text=Load" });
  await agent.ask("interact", { action: "wait_for", selector: "text=ready 8812" });
  const bodies = await agent.ask("observe", { what: "network_bodies", url: "/api/order" });
  if (!UNHEARD.test(bodies)) expect(bodies).toContain(`{"order":8812}`);
});

test("a page that hangs is told of once, and not waited for", async ({ site, tab, agent }) => {
  let release = (): void => {};
  site.page("/hangs", (_request, response) => (release = () => void response.end()));
  await tab.goto(site.page("/", "<title>Busy</title>"));
  await front(agent, tab);
  const hanging = tab.evaluate(() => {
    console.log("before it hung");
    const asked = new XMLHttpRequest();
    asked.open("GET", "/hangs", false);
    asked.send();
  });
  await until(
    "the page that hangs",
    async () => site.hits,
    (hits) => hits.some(({ url }) => url === "/hangs"),
  );
  const texts = await Promise.all([
    ...[1, 2, 3, 4].map(() => agent.ask("observe", { what: "logs" })),
    agent.ask("observe", { what: "page" }),
    agent.ask("observe", { what: "logs", scope: "all" }),
    agent.ask("analyze", { what: "error_clusters" }),
  ]);
  for (const text of texts) expect(text.split(UNHEARD), text).toHaveLength(2);
  const { metadata } = await agent.json<{ metadata: { notes: string[] } }>("observe", { what: "timeline" });
  expect(metadata.notes.join().split(UNHEARD)).toHaveLength(2);
  release();
  await hanging;
  const after = await until(
    "an answer for which the page was asked",
    () => agent.ask("observe", { what: "logs" }),
    (text) => !UNHEARD.test(text),
  );
  expect(after).toContain("before it hung");
  expect(await agent.ask("observe", { what: "pending_commands" })).not.toContain("flush");
});

test("what a tab wrote just before the browser froze it is there, or said to be missing", async ({
  site,
  tab,
  profile,
  agent,
}) => {
  await tab.goto(site.page("/", "<title>Read</title>"));
  const frozen = await profile.page();
  await frozen.goto(site.page("/frozen", "<title>Frozen</title>").replace("127.0.0.1", "localhost"));
  const id = await front(agent, frozen);
  await front(agent, tab);
  const devtools = await profile.context.newCDPSession(frozen);
  for (let i = 0; i < 5; i++) {
    const line = `before the frost, ${i}`;
    await frozen.evaluate((text) => console.log(text), line);
    await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
    for (const whose of [{ tab: id }, { scope: "all" }]) {
      const answer = await agent.ask("observe", { what: "logs", ...whose });
      expect(answer.includes(line) || UNHEARD.test(answer), answer).toBe(true);
    }
    await devtools.send("Page.setWebLifecycleState", { state: "active" });
  }
  await frozen.close();
});

test("an error that waits for its source map is said to be missing", async ({ site, tab, agent }) => {
  await tab.goto(site.page("/", "<title>Late</title>"));
  await front(agent, tab);
  let pages = 0;
  const answer = async (): Promise<string> => {
    const name = `/app${++pages}.js`; // a map that was waited for in vain is not waited for again
    const waits = new Promise<void>((asked) => site.page(`${name}.map`, () => asked())); // it never comes
    site.page(name, {
      body: `setInterval(() => { throw new Error("again"); }, 20);\n//# sourceMappingURL=${name.slice(1)}.map`,
      type: "text/javascript",
    });
    await tab.goto(site.page("/", `<title>Late</title><script src="${name}"></script>`));
    await waits;
    return agent.ask("observe", { what: "errors" });
  };
  await until("an answer for which the page was asked while the map was waited for", answer, (text) =>
    text.includes("some of what the page gave is not ready yet and missing"),
  );
  await tab.goto("about:blank");
});
