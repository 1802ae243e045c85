import {
  type Agent,
  Browser,
  connect,
  connected,
  expect,
  front,
  health,
  type Place,
  test,
  until,
} from "./support/fixtures.ts";
import { sees } from "./support/sees.ts";

/** A page with something to press, which tests make talk. */
const TALKING = `<title>Talking</title><p id="status">ready</p><button onclick="document.title = 'pressed'">Press</button>`;

test("a daemon that was killed is back for the next call, with what happened meanwhile", async ({
  place,
  site,
  tab,
  agent,
}) => {
  await tab.goto(site.page("/", TALKING));
  await tab.evaluate(() => console.log("before the gap"));
  await sees(agent, "logs", ["before the gap"]);
  const { run } = await health(place);
  process.kill(place.pid!, "SIGKILL");
  await until(
    "the end",
    () => place.healthy(),
    (alive) => !alive,
  );
  await tab.evaluate(async () => {
    for (let i = 0; i < 20; i++) console.log(`in the gap ${i}.`);
    setTimeout(() => {
      throw new Error("thrown in the gap");
    });
    await fetch("/api/gap");
  });
  await sees(agent, "logs", ["in the gap 0.", "in the gap 19."]);
  await sees(agent, "errors", ["thrown in the gap"]);
  await sees(agent, "network_bodies", ["/api/gap"]);
  expect((await health(place)).run).not.toBe(run);
});

test("a daemon whose process stands still is left alone; calls are told so, and when it goes on nothing is lost", async ({
  place,
  site,
  tab,
  agent,
}) => {
  await tab.goto(site.page("/", TALKING));
  await sees(agent, "tabs", ["Talking"], { limit: undefined, scope: undefined });
  const still = place.pid!;
  process.kill(still, "SIGSTOP");
  try {
    // The signal takes a moment: a call before it is answered still.
    const told = (a: { text: string }): boolean => a.text.includes("stands still");
    await until("a call that is told so", () => agent.call("configure", { action: "health" }), told);
  } finally {
    process.kill(still, "SIGCONT");
  }
  await connected(place);
  await sees(agent, "tabs", ["Talking"], { limit: undefined, scope: undefined });
  expect(place.pid).toBe(still);
});

test("a restart that an agent asks for interrupts nobody for long", async ({ place, site, tab, agent }) => {
  await tab.goto(site.page("/", TALKING));
  const other = await connect(place, "other");
  try {
    await sees(other, "tabs", ["Talking"], { limit: undefined, scope: undefined });
    const { run } = await health(place);
    expect(await agent.ask("configure", { action: "restart" })).toContain("restart");
    for (const client of [agent, other]) {
      const answer = await client.call("configure", { action: "health" });
      expect(answer.isError, answer.text).toBe(false);
    }
    expect((await health(place)).run).not.toBe(run);
    await tab.evaluate(() => console.log("after the restart"));
    await sees(other, "logs", ["after the restart"]);
  } finally {
    await other.close();
  }
});

test.describe("with pilot", () => {
  test.use({ pilot: true });

  test("a worker of the extension that is stopped comes back and loses nothing", async ({
    site,
    tab,
    profile,
    agent,
  }) => {
    await tab.goto(site.page("/", TALKING));
    await front(agent, tab);
    const helper = await profile.page(`chrome-extension://${profile.id}/config.json`);
    const session = await profile.context.newCDPSession(helper);
    await session.send("ServiceWorker.enable");
    const waiting = agent.call("interact", { action: "wait_for", text: "pressed at last", timeout_ms: 6000 });
    await tab.evaluate(() => console.log("just before the stop"));
    await session.send("ServiceWorker.stopAllWorkers");
    await tab.evaluate(() => console.log("just after the stop"));
    await sees(agent, "logs", ["just before the stop", "just after the stop"]);
    // The command that it was at ends in one way or another; it is not left hanging.
    expect((await waiting).text).toMatch(/error=(interrupted|timeout)|still_running/);
    await agent.ask("interact", { action: "click", selector: "text=Press" });
    await expect(tab).toHaveTitle("pressed");
  });

  test("after a reload of the extension old pages are known to be stale until they load again", async ({
    site,
    tab,
    profile,
    agent,
  }) => {
    await tab.goto(site.page("/", TALKING));
    await front(agent, tab);
    await profile.worker.evaluate(() => void setTimeout(() => chrome.runtime.reload(), 50));
    type Tabs = { tabs: { title: string; captured: boolean }[] };
    const captured = (l: Tabs) => l.tabs.find((t) => t.title === "Talking")?.captured;
    const list = () => agent.json<Tabs>("observe", { what: "tabs" });
    await until("a stale tab", list, (l) => captured(l) === false);
    const note = await agent.ask("observe", { what: "logs" });
    const [, hint] = /not captured: [^\n]*interact (\{[^}]*\})/.exec(note) ?? [];
    await agent.ask("interact", JSON.parse(hint!)); // the way out that the note names works
    await until("a captured tab", list, (l) => captured(l) === true);
    await tab.evaluate(() => console.log("said to the new version"));
    await sees(agent, "logs", ["said to the new version"]);
  });

  test("two profiles at one daemon never get each other's commands or tabs", async ({ place, site, tab, agent }) => {
    const second = await pairedSecond(place);
    try {
      await second.worker.evaluate(() => chrome.storage.local.set({ pilot: true }));
      const ours = await tab
        .goto(
          site.page(
            "/first",
            `<title>First</title><button onclick="count(this)">Count</button><script>let n = 0; function count(b) { document.title = "First " + ++n }</script>`,
          ),
        )
        .then(() => front(agent, tab));
      const page = await second.page(
        site.page(
          "/second",
          `<title>Second</title><button onclick="count(this)">Count</button><script>let n = 0; function count(b) { document.title = "Second " + ++n }</script>`,
        ),
      );
      const theirs = await front(agent, page);
      const clicks = [ours, theirs].flatMap((id) =>
        Array.from({ length: 6 }, () => agent.ask("interact", { action: "click", tab: id, selector: "text=Count" })),
      );
      await Promise.all(clicks);
      await expect(tab).toHaveTitle("First 6");
      await expect(page).toHaveTitle("Second 6");
      await page.evaluate(() => console.log("only in the second"));
      await sees(agent, "logs", ["only in the second"], { scope: "tab", tab: theirs });
      expect(await agent.ask("observe", { what: "logs", tab: ours })).not.toContain("only in the second");
    } finally {
      await second.close();
    }
  });

  test("a tab that closes during a command ends it at once", async ({ site, profile, agent }) => {
    const page = await profile.page(site.page("/", TALKING));
    const id = await front(agent, page);
    const waiting = agent.call("interact", { action: "wait_for", tab: id, text: "never", timeout_ms: 60_000 });
    await until(
      "the command to be under way",
      () => agent.ask("observe", { what: "pending_commands" }),
      (t) => t.includes("wait_for"),
    );
    await page.close();
    expect((await waiting).text).toMatch(/^error=(tab_gone|interrupted|cancelled|page_gone|navigated)/);
  });

  test.describe("with a browser of its own", () => {
    test.use({ ownBrowser: true });

    test("a browser that dies ends its commands, and the next call says that it is gone", async ({
      site,
      tab,
      profile,
      agent,
    }) => {
      await tab.goto(site.page("/", TALKING));
      await front(agent, tab);
      const waiting = agent.call("interact", { action: "wait_for", text: "never", timeout_ms: 60_000 });
      await until(
        "the command to be under way",
        () => agent.ask("observe", { what: "pending_commands" }),
        (t) => t.includes("wait_for"),
      );
      const session = await profile.context.browser()!.newBrowserCDPSession();
      const closed = new Promise((done) => profile.context.once("close", done));
      session.send("Browser.crash").catch(() => undefined);
      await closed;
      expect((await waiting).text).toMatch(/^error=interrupted /); // before the end of the minute that it had
      // What it recorded is still there; acting is refused with a way out as soon as the daemon knows.
      expect(await agent.ask("observe", { what: "logs", scope: "all" })).toContain("logs:");
      const next = await until(
        "the refusal",
        () => agent.call("interact", { action: "click", selector: "text=Press", timeout_ms: 1500 }),
        (a) => a.text.includes("extension_offline"),
      );
      expect(next.text).toMatch(/retry=after_user_action/);
    });
  });
});

async function pairedSecond(place: Place): Promise<Browser> {
  const second = await Browser.launch(place);
  await connected(place, 2);
  return second;
}

test("five clients with forty calls each get every line once", async ({ place, site, tab }) => {
  const CLIENTS = 5;
  const CALLS = 40;
  await tab.goto(site.page("/", TALKING));
  const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => connect(place, `client-${i}`)));
  try {
    const first = { what: "logs", scope: "all", since: "last", limit: 200 };
    await Promise.all(clients.map((c) => c.ask("observe", first)));
    let wrote = 0;
    let reading = true;
    const writing = (async () => {
      while (reading && wrote < 300) {
        await tab.evaluate((n) => console.log(`line ${n}.`), wrote++);
      }
    })();
    const seen = clients.map(() => [] as number[]);
    const take = async (client: Agent, lines: number[]) => {
      const { logs } = await client.json<{ logs: { message: string }[] }>("observe", first);
      for (const { message } of logs) lines.push(Number(/^line (\d+)\.$/.exec(message)?.[1]));
    };
    await Promise.all(
      clients.map(async (client, i) => {
        for (let n = 0; n < CALLS; n++) await take(client, seen[i]!);
      }),
    );
    reading = false;
    await writing;
    const whole = Array.from({ length: wrote }, (_, n) => n);
    for (const [i, client] of clients.entries()) {
      await until(
        `all lines at client ${i}`,
        () => take(client, seen[i]!),
        () => seen[i]!.length >= wrote,
      );
      expect(seen[i]).toEqual(whole);
    }
  } finally {
    await Promise.all(clients.map((c) => c.close()));
  }
});

test.describe("with the back/forward cache", () => {
  test.use({ without: ["--disable-back-forward-cache"] });

  test("a page that comes back from the cache is recorded again", async ({ site, tab, agent }) => {
    // Playwright cannot follow a page into the cache, so the pages walk by themselves.
    site.page("/away", `<script>console.log("away"); setTimeout(() => history.back(), 300)</script>`);
    await tab
      .goto(
        site.page(
          "/",
          `<script>addEventListener("pageshow", (e) => { console.log("shown from cache: " + e.persisted); if (!e.persisted) setTimeout(() => { location.href = "/away" }, 300) })</script>`,
        ),
      )
      .catch(() => undefined);
    await sees(agent, "logs", ["shown from cache: false", "away", "shown from cache: true"]);
  });
});
