import type { Page } from "@playwright/test";
import type { FakeDaemon } from "./daemon.ts";
import { expect, test } from "./extension.ts";
import type { Site } from "./site.ts";

/**
 * What a page does to get at the channel of another document that it can reach. It takes every offer that it hears of,
 * makes offers of its own, and says what the user did in the name of that document.
 */
const SPY = `
  window.heard = []; window.held = [];
  const own = new WeakSet();
  const natives = { add: EventTarget.prototype.addEventListener, dispatch: EventTarget.prototype.dispatchEvent };
  const now = () => ({ t: Date.now(), mono: performance.now() });
  window.forge = (target) => {
    held.push(target);
    for (const type of ["down", "flush", "close"]) natives.add.call(target, type, (e) => heard.push(type + " " + e.detail));
    const records = [
      { kind: "actions", event: { ...now(), type: "click", by: "user", name: "forged click" } },
      { kind: "lifecycle", event: { ...now(), state: "forged state" } },
      { kind: "logs", event: { ...now(), level: "log", message: "forged line" } },
    ];
    natives.dispatch.call(target, new CustomEvent("taken"));
    natives.dispatch.call(target, new CustomEvent("up", { detail: JSON.stringify({ records }) }));
    natives.dispatch.call(target, new CustomEvent("close"));
  };
  const take = (e) => { if (e.relatedTarget && !own.has(e.relatedTarget)) { heard.push("took " + e.type); e.stopImmediatePropagation(); forge(e.relatedTarget); } };
  const OFFERS = ["gasoline-channel", "load"];
  window.lurk = (w) => { for (const type of OFFERS) w.addEventListener(type, take, true); };
  window.offer = (w) => {
    for (const at of [w, w.document, w.document.fonts, w.document.documentElement]) for (const type of OFFERS) {
      const bait = new EventTarget();
      own.add(bait);
      bait.addEventListener("taken", () => { heard.push("offer taken"); forge(bait); }, { once: true });
      at.dispatchEvent(new w.FocusEvent(type, { relatedTarget: bait }));
    }
  };
  /** The natives that a script finds in this window tell what passes through them. */
  window.poison = (w) => {
    const proto = w.EventTarget.prototype;
    const { addEventListener, dispatchEvent } = proto;
    proto.addEventListener = function (type, listen, options) {
      const spied = typeof listen !== "function" ? listen : function (e) {
        if (e.relatedTarget instanceof EventTarget || e.relatedTarget instanceof w.EventTarget) forge(e.relatedTarget);
        if (typeof e.detail === "string") heard.push("saw " + e.detail);
        return listen.call(this, e);
      };
      return addEventListener.call(this, type, spied, options);
    };
    proto.dispatchEvent = function (e) { if (typeof e.detail === "string") heard.push("sent " + e.detail); return dispatchEvent.call(this, e); };
    for (const name of ["relatedTarget", "detail"]) {
      const owner = name === "detail" ? w.CustomEvent.prototype : w.FocusEvent.prototype;
      const { get } = Object.getOwnPropertyDescriptor(owner, name);
      Object.defineProperty(owner, name, { get() { const found = get.call(this); if (typeof found === "string") heard.push("read " + found); return found; } });
    }
    const { parse } = w.JSON;
    w.JSON.parse = function (text) { heard.push("parsed " + text); return parse.call(this, text); };
  };
  window.frame = (set) => { const f = document.createElement("iframe"); set(f); document.body.append(f); return f; };
  window.loaded = (f) => new Promise((done) => f.addEventListener("load", done, { once: true }));
`;

const INNER = `<!doctype html><title>inner</title><button>Inner</button>`;

/** Opens the attacker's page and gives the address of the document that it is after. */
async function attacker(page: Page, site: Site, html = "<p>outer"): Promise<string> {
  const inner = site.page("/inner", INNER);
  await page.goto(site.page("/", `<!doctype html><body>${html}<script>${SPY}</script>`));
  return inner;
}

/** What the attacker got to know and what it could say, after a moment in which everything that was captured has come. */
async function spoils(page: Page, daemon: FakeDaemon): Promise<{ heard: string; told: string }> {
  await page.evaluate(() => console.log("the attack is over"));
  await daemon.until("the end of the attack", () =>
    daemon.events("logs").find((log) => log.message === "the attack is over"),
  );
  await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
  const heard = (await page.evaluate("heard.join('\\n')")) as string;
  return { heard, told: JSON.stringify(daemon.groups) };
}

declare const heard: string[];
declare function lurk(w: Window): void;
declare function offer(w: Window): void;
declare function poison(w: Window): void;
declare function frame(set: (f: HTMLIFrameElement) => void): HTMLIFrameElement;
declare function loaded(f: HTMLIFrameElement): Promise<Event>;

/** Attacks on a document that the page reaches but that runs none of its scripts before ours. */
const ATTACKS: Record<string, (inner: string) => Promise<void>> = {
  "a sandboxed frame without scripts": async (inner) => {
    const f = frame((f) => {
      f.setAttribute("sandbox", "allow-same-origin");
      f.src = inner;
    });
    lurk(f.contentWindow!);
    await loaded(f);
    offer(f.contentWindow!);
  },
  "a sandboxed frame with scripts": async (inner) => {
    const f = frame((f) => {
      f.setAttribute("sandbox", "allow-same-origin allow-scripts");
      f.src = inner;
    });
    lurk(f.contentWindow!);
    await loaded(f);
    offer(f.contentWindow!);
  },
  "a sandboxed srcdoc without scripts": async () => {
    const f = frame((f) => {
      f.setAttribute("sandbox", "allow-same-origin");
      f.srcdoc = "<p>in srcdoc";
    });
    lurk(f.contentWindow!);
    await loaded(f);
    offer(f.contentWindow!);
  },
  "srcdoc, whose window was there before": async () => {
    const f = frame((f) => (f.srcdoc = "<p>in srcdoc"));
    lurk(f.contentWindow!);
    await loaded(f);
    offer(f.contentWindow!);
  },
  "a frame whose first window is used again": async (inner) => {
    const f = frame((f) => (f.src = inner));
    lurk(f.contentWindow!);
    await loaded(f);
    offer(f.contentWindow!);
  },
  "a frame that is sent elsewhere from about:blank": async (inner) => {
    const f = frame(() => {});
    lurk(f.contentWindow!);
    offer(f.contentWindow!);
    f.contentWindow!.location.href = inner;
    await loaded(f);
    lurk(f.contentWindow!);
    offer(f.contentWindow!);
  },
  "a javascript: URL": async () => {
    const f = frame((f) => (f.src = "javascript:'<p>by script'"));
    lurk(f.contentWindow!);
    await new Promise((done) => setTimeout(done, 300));
    offer(f.contentWindow!);
    f.contentWindow!.location.href = "javascript:'<p>by script again'";
    await new Promise((done) => setTimeout(done, 300));
    offer(f.contentWindow!);
  },
  "a window that opens at the address": async (inner) => {
    const w = open(inner)!;
    lurk(w);
    await new Promise((done) => setTimeout(done, 700));
    offer(w);
    w.close();
  },
  "a window that opens at about:blank, is written to, and is sent to the address": async (inner) => {
    const w = open("about:blank")!;
    lurk(w);
    offer(w);
    w.document.open();
    w.document.write("<p>written");
    w.document.close();
    lurk(w);
    offer(w);
    w.location.href = inner;
    await new Promise((done) => setTimeout(done, 700));
    offer(w);
    w.close();
  },
  "a page that is written over": async () => {
    lurk(window);
    offer(window);
    document.open();
    document.write("<p>over");
    document.close();
    lurk(window);
    offer(window);
  },
};

for (const [name, attack] of Object.entries(ATTACKS)) {
  test(`the channel is out of reach: ${name}`, async ({ daemon, site, browserWithExtension: { page } }) => {
    const inner = await attacker(page, site);
    await page.evaluate(attack, inner);
    const { heard, told } = await spoils(page, daemon);
    expect(heard).toBe("");
    expect(told).not.toContain("forged");
  });
}
