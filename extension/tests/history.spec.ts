import type { CommandKind, Commands } from "@gasoline/schema/commands";
import type { FakeDaemon } from "./daemon.ts";
import { brief, expect, test } from "./extension.ts";
import { undebugged } from "./undebugged.ts";

const runIn =
  (daemon: FakeDaemon, tab: number) =>
  <K extends CommandKind>(kind: K, params: Commands[K]["params"], timeoutMS = 60_000) =>
    daemon.command(kind, params, { tab, timeoutMS });

/** Documents of an address that told anything. */
const documentsOf = (daemon: FakeDaemon, url: string) =>
  daemon.groups.filter((group) => group.page_url === url && group.document !== "");

test.describe("pages that the browser keeps when they are left", () => {
  test.use({ without: ["--disable-back-forward-cache"] }); // the runner cannot follow a tab there

  test("a page that comes back from the cache is the same document, with its refs and one line", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    await browser.set({ pilot: true });
    site.page("/other", "<title>Other</title><p>other");
    const url = site.page(
      "/kept",
      `<title>Kept</title><button onclick="console.log('pressed ' + ++n)">Go</button><script>n = 0;
        addEventListener("pageshow", ({ persisted }) => console.log("shown " + persisted))</script>`,
    );
    await browser.page.goto(url);
    const run = runIn(daemon, await browser.tab(browser.page));
    const { result: list } = await run("list_interactive", {});
    const ref = list.elements[0]?.ref ?? "";
    expect((await run("click", { ref })).error).toBeUndefined();
    expect((await run("navigate", { url: site.url("/other") })).result.title).toBe("Other");
    expect((await run("click", { ref }, brief(2000).timeoutMS)).error?.code).toBe("stale_ref");

    for (const visit of [2, 3]) {
      const back = await run("back", {});
      expect(back.error).toBeUndefined();
      expect(back.result).toMatchObject({
        final_url: url,
        title: "Kept",
        receipt: { from: site.url("/other"), to: url },
      });
      expect((await run("click", { ref })).result).toMatchObject({ match_strategy: "ref", match_count: 1 });
      expect((await run("get_text", {})).result.value).toBe("Go");
      const forward = await run("forward", {});
      expect(forward.result, `${visit}`).toMatchObject({ final_url: site.url("/other"), title: "Other" });
    }
    await run("flush", {});
    const [kept, more] = documentsOf(daemon, url);
    expect(more).toBeUndefined();
    const lines = ["shown false", "pressed 1", "shown true", "pressed 2", "shown true", "pressed 3"];
    expect(kept?.logs?.map(({ message }) => message)).toEqual(lines);
    // Each once, in order: a line that were there twice would number or send events again.
    const seqs = Object.values(kept ?? {}).flatMap((list) =>
      Array.isArray(list) ? (list as { seq: number }[]).map(({ seq }) => seq) : [],
    );
    expect(seqs.sort((a, b) => a - b)).toEqual(seqs.map((_, i) => i + 1));
    expect(kept?.lifecycle?.filter(({ state }) => state === "pageshow")).toHaveLength(2);
  });

  test("an act that leaves a page which the browser keeps does not wait for that page", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    await browser.set({ pilot: true });
    const next = site.page("/next", "<title>Next</title><p>next");
    const url = site.page(
      "/kept",
      `<title>Kept</title><a href="/next">Go on</a><script>addEventListener("pageshow", ({ persisted }) => console.log("shown " + persisted))</script>`,
    );
    await browser.page.goto(url);
    const run = runIn(daemon, await browser.tab(browser.page));
    for (const trusted of ["never", "always"] as const) {
      const click = await run("click", { selector: "text=Go on", trusted });
      expect(click.error).toBeUndefined();
      expect(click.result).toMatchObject({ navigated: true, title: "Next", receipt: { from: url, to: next } });
      expect(click.result.receipt?.busy, trusted).toBeUndefined();
      await run("back", {});
    }
    // It was kept, or nothing was put to the test.
    await daemon.until("its return", () =>
      documentsOf(daemon, url)[0]?.logs?.some(({ message }) => message === "shown true"),
    );
  });

  test("what is waited for in a page that is left and kept is looked for in the next one, and the act that was to come does not", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    await browser.set({ pilot: true });
    site.page("/next", "<title>Next</title><p>There it is");
    const url = site.page(
      "/kept",
      `<title>Kept</title><p>n</p><script>setTimeout(() => location.href = "/next", 1500);
        addEventListener("pageshow", ({ persisted }) => { if (persisted) document.body.insertAdjacentHTML("beforeend", "<button onclick=\\"document.title='late'\\">Late</button>") })</script>`,
    );
    await browser.page.goto(url);
    const tab = await browser.tab(browser.page);
    const run = runIn(daemon, tab);
    const late = daemon.send("click", { selector: "text=Late" }, { tab, timeoutMS: 300_000 });
    const left = await daemon.until("its end", () => daemon.results.get(late));
    expect(left.error?.code).toMatch(/page_left|element_not_found/);
    expect((await run("wait_for", { text: "There it is" })).error).toBeUndefined();
    await run("back", {});
    expect((await run("wait_for", { text: "Late" })).error).toBeUndefined();
    expect((await run("wait_for_stable", {})).error).toBeUndefined();
    const text = await run("get_text", { selector: "button" });
    expect(text.result.value).toBe("Late");
    expect(text.effective_tab?.title).toBe("Kept");
  });
});

undebugged(
  "a page that is loaded ahead is told apart until it is shown, and is the tab's page from then on",
  async ({ daemon, site, tab }) => {
    const run = runIn(daemon, tab);
    const soon = site.page(
      "/soon",
      `<title>Soon</title><p>Ahead</p><button onclick="this.textContent = 'Pressed'">Press</button><script>
        console.log("starts ahead: " + document.prerendering);
        setInterval(() => console.log("goes on"), 100);
        document.addEventListener("prerenderingchange", () => console.log("shown"))</script>`,
    );
    const rules = JSON.stringify({ prerender: [{ source: "list", urls: ["/soon"], eagerness: "immediate" }] });
    const url = site.page(
      "/first",
      `<title>First</title><a href="/soon">Go on</a><script type="speculationrules">${rules}</script>`,
    );
    expect((await run("navigate", { url })).result.title).toBe("First");
    const lines = () => documentsOf(daemon, soon).flatMap(({ logs = [] }) => logs.map(({ message }) => message));
    await daemon.until("the page ahead", () => lines().includes("starts ahead: true"));

    const [ahead] = documentsOf(daemon, soon);
    expect(ahead).toMatchObject({ tab, since: "document_start" });
    expect(ahead?.frame).toBeGreaterThan(0);
    expect(ahead?.lifecycle?.[0]).toMatchObject({ state: "document_start", trigger: "prerender" });
    expect(daemon.tabs.map((at) => at.url)).toEqual([url]);
    const list = await run("list_interactive", {});
    expect(list.result).toMatchObject({ title: "First", elements: [{ label: "Go on" }] });
    expect(list.result.coverage).toBeUndefined();
    expect((await run("get_text", {})).result.value).not.toContain("Ahead");
    expect((await run("wait_for", { text: "Ahead" }, 1000)).error?.code).toBe("timeout");

    const click = await run("click", { selector: "text=Go on" });
    expect(click.result).toMatchObject({ navigated: true, title: "Soon", receipt: { from: url, to: soon } });
    await daemon.until("its word that it is shown", () => lines().includes("shown"));
    const press = await run("click", { selector: "text=Press" });
    expect(press.result.receipt?.changes?.join()).toContain("in the page");
    expect((await run("get_text", {})).result.value).toContain("Ahead");

    const [before, after, more] = documentsOf(daemon, soon);
    expect(more).toBeUndefined();
    expect(after).toMatchObject({ tab, frame: 0, document: before?.document, since: "document_start" });
    expect(after?.lifecycle).toContainEqual(expect.objectContaining({ state: "visible", trigger: "prerender" }));
    // What was not acknowledged when it was shown comes again: a number stands for one event of the document.
    const told = new Map<number, string>();
    for (const [kind, list] of [before, after].flatMap((group) => Object.entries(group ?? {}))) {
      for (const at of Array.isArray(list) ? (list as { seq: number }[]) : []) {
        const event = kind + JSON.stringify(at);
        expect(told.get(at.seq) ?? event).toBe(event);
        told.set(at.seq, event);
      }
    }
    expect(site.hits.filter((hit) => hit === "/soon")).toHaveLength(1);
  },
);
