import { mask } from "@gasoline/capture/redact";
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
  window.lurk = (w) => {
    for (const at of [w, w.document, w.document.fonts]) for (const type of OFFERS) natives.add.call(at, type, take, true);
  };
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
  window.holds = async (is) => { while (!is()) await new Promise((done) => setTimeout(done, 5)); };
  window.shown = (w, url) => holds(() => w.document?.URL === url && w.document.readyState === "complete");
`;

const INNER = `<!doctype html><title>inner</title><button>Inner</button><script>console.log("inner speaks")</script>`;

/** Opens the attacker's page and gives the address of the document that it is after. */
async function attacker(page: Page, site: Site, html = "<p>outer"): Promise<string> {
  const inner = site.page("/inner", INNER);
  await page.goto(site.page("/", `<!doctype html><body>${html}<script>${SPY}</script>`));
  return inner;
}

/** What the attacker got to know and what it could say, once everything that was captured has come. */
async function spoils(page: Page, daemon: FakeDaemon): Promise<{ heard: string; told: string }> {
  await page.evaluate(() => console.log("the attack is over"));
  await daemon.until("the end of the attack", () =>
    daemon.events("logs").find((log) => log.message === "the attack is over"),
  );
  expect((await daemon.command("flush", {})).error).toBeUndefined();
  const heard = (await page.evaluate("heard.join('\\n')")) as string;
  return { heard, told: JSON.stringify(daemon.groups) };
}

declare function lurk(w: Window): void;
declare function offer(w: Window): void;
declare function poison(w: Window): void;
declare function frame(set: (f: HTMLIFrameElement) => void): HTMLIFrameElement;
declare function loaded(f: HTMLIFrameElement): Promise<Event>;
declare function holds(is: () => boolean): Promise<void>;
declare function shown(w: Window, url: string): Promise<void>;

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
    await holds(() => f.contentDocument?.body?.textContent === "by script");
    lurk(f.contentWindow!);
    offer(f.contentWindow!);
    const g = frame(() => {});
    lurk(g.contentWindow!);
    g.contentWindow!.location.href = "javascript:'<p>by script'";
    await holds(() => g.contentDocument?.body?.textContent === "by script");
    lurk(g.contentWindow!);
    offer(g.contentWindow!);
  },
  "a window that opens at the address": async (inner) => {
    const w = open(inner)!;
    lurk(w);
    await shown(w, inner);
    offer(w);
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
    await shown(w, inner);
    offer(w);
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

/**
 * Attacks by which the page runs its own script in the other document before ours: it owns that realm. It may speak
 * there as the realm's own script does, and learns nothing that the realm does not know.
 */
const TAKEOVERS: Record<string, (inner: string) => Promise<void>> = {
  "natives replaced in a frame's first window": async (inner) => {
    const f = frame((f) => (f.src = inner));
    poison(f.contentWindow!);
    lurk(f.contentWindow!);
    await loaded(f);
  },
  "natives replaced in a window's first document": async (inner) => {
    const w = open(inner)!;
    poison(w);
    lurk(w);
    await shown(w, inner);
  },
  "an answer that begins and stops": async (inner) => {
    const f = frame((f) => (f.src = inner.replace("/inner", "/slow")));
    await holds(() => f.contentDocument?.URL.endsWith("/slow") === true);
    if (f.contentDocument?.documentElement) throw new Error("too late");
    poison(f.contentWindow!);
    lurk(f.contentWindow!);
    await loaded(f);
  },
};

for (const [name, attack] of Object.entries(TAKEOVERS)) {
  test(`who owns a realm owns its half of the channel and nothing more: ${name}`, async ({
    daemon,
    site,
    browserWithExtension: { page },
  }) => {
    const inner = await attacker(page, site);
    site.page("/slow", { body: INNER, pause: 1000 });
    await page.evaluate(attack, inner);
    const { heard, told } = await spoils(page, daemon);
    expect(heard).toMatch(/took|parsed/); // or the attack proves nothing
    expect(heard).not.toContain("salt");
    // What a realm can bring about anyway, by its console.
    expect(told).toContain("forged line");
    expect(told).not.toMatch(/forged (click|state)/);
  });
}

test("a page in a sandbox of its own origin reaches no channel by offers", async ({
  daemon,
  site,
  browserWithExtension: { page },
}) => {
  const inner = site.page(
    "/inner",
    `<!doctype html><script>${SPY} lurk(window); offer(window);
    console.log("inside heard " + (heard.join() || "nothing"))</script>`,
  );
  await page.goto(site.page("/", `<iframe sandbox="allow-scripts" src="${inner}"></iframe>`));
  const log = await daemon.until("its line", () =>
    daemon.events("logs").find((at) => at.message.startsWith("inside heard")),
  );
  expect(log.message).toBe("inside heard nothing");
  expect(JSON.stringify(daemon.groups)).not.toContain("forged");
});

test("a secret has one pseudonym in all pages, and no page is told what keys it", async ({
  daemon,
  site,
  browserWithExtension: { page },
}) => {
  const html = `<!doctype html><script>fetch("/api?token=one-secret-of-many").catch(() => {})</script>`;
  await page.goto(site.page("/", html));
  await page.goto(site.page("/", html).replace("127.0.0.1", "localhost"));
  const urls = await daemon.until("both requests", () => {
    const found = daemon.events("network").filter((at) => at.url.includes("/api?"));
    return found.length === 2 && found.map((at) => at.url.replace(/.*token=/, ""));
  });
  expect(urls[0]).toBe(mask("token", "one-secret-of-many", "salt-of-the-test"));
  expect(urls[1]).toBe(urls[0]);
});

test("a document whose process was taken over speaks for no other site", async ({
  daemon,
  site,
  browserWithExtension: { page },
}) => {
  const here = site.page("/", "<!doctype html><title>A</title>");
  await page.goto(here);
  const other = here.replace("127.0.0.1", "localhost");
  const debug = await page.context().newCDPSession(page);
  const worlds: { id: number; origin: string }[] = [];
  debug.on("Runtime.executionContextCreated", ({ context }) => worlds.push(context));
  await debug.send("Runtime.enable");
  const contextId = worlds.find(({ origin }) => origin.startsWith("chrome-extension:"))?.id ?? 0;
  const record = { kind: "logs", event: { t: Date.now(), mono: 1, level: "log", message: "forged line" } };
  const says = [
    { type: "hello", url: other, loaded: other, since: "late" },
    { type: "batch", id: 1, url: other, urgent: true, json: JSON.stringify({ records: [record] }) },
  ];
  const expression = `const port = chrome.runtime.connect({ name: "gasoline-content" });
    for (const message of ${JSON.stringify(says)}) port.postMessage(message)`;
  const { exceptionDetails } = await debug.send("Runtime.evaluate", { contextId, expression });
  expect(exceptionDetails).toBeUndefined();
  const told = await daemon.until("the line", () =>
    daemon.groups.find(({ logs }) => logs?.some(({ message }) => message === "forged line")),
  );
  expect(told.page_url).toBe(here);
});

for (const [name, attack] of Object.entries(ATTACKS)) {
  test(`the channel is out of reach: ${name}`, async ({ daemon, site, browserWithExtension: { page } }) => {
    const inner = await attacker(page, site);
    await page.evaluate(attack, inner);
    const { heard, told } = await spoils(page, daemon);
    expect(heard).toBe("");
    expect(told).not.toContain("forged");
    if (/with scripts|used again|elsewhere|address/.test(name)) expect(told).toContain("inner speaks");
  });
}

test("a document that keeps our script from starting is told of, a frame in which no script runs is not", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  const inner = await attacker(page, site);
  const id = await browser.tab(page);
  const without = (of: number) => daemon.tabs.find((at) => at.id === of)?.no_page_script;
  await page.evaluate(async (inner) => {
    for (const sandbox of ["", "allow-same-origin"]) {
      await loaded(
        frame((f) => {
          f.setAttribute("sandbox", sandbox);
          f.src = inner;
        }),
      );
    }
    console.log("framed");
  }, inner);
  await daemon.until("the frames", () => daemon.events("logs").find((log) => log.message === "framed"));
  expect(without(id)).toBeUndefined();

  await page.evaluate(async (inner) => {
    const f = frame((f) => (f.src = inner));
    (f.contentWindow as unknown as typeof globalThis).EventTarget.prototype.addEventListener = () => {};
    await loaded(f);
  }, inner);
  await daemon.until("that a frame lacks it", () => without(id) === "frames");

  await page.evaluate((inner) => {
    const w = open(inner)!;
    (w as unknown as typeof globalThis).EventTarget.prototype.addEventListener = () => {};
  }, inner);
  await daemon.until("that a page lacks it", () =>
    daemon.tabs.some((at) => at.url === inner && at.no_page_script === "page"),
  );
  await page.reload();
  await daemon.until("that it is there again", () => without(id) === undefined);
});

test("a page that replaces every prototype after its start is captured and operated, and calls none of ours", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  const url = site.page(
    "/",
    `<!doctype html><button id=b onclick="seen = 'clicked'">Press</button><input name=word><script>
      seen = "";
      const values = [{ a: { b: [1, 2] } }, new Map([[1, 2]])];
      const print = console.error, raise = setTimeout, get = fetch;
      addEventListener("load", () => {
        const { getOwnPropertyNames: names, getOwnPropertyDescriptor: find, defineProperty: define } = Object, { ownKeys } = Reflect;
        const all = names(window);
        for (let i = 0; i < all.length; i++) {
          const proto = window[all[i]] && window[all[i]].prototype;
          const keys = proto ? ownKeys(proto) : [];
          for (let k = 0; k < keys.length; k++) {
            const found = find(proto, keys[k]);
            if (keys[k] === "constructor" || !found.configurable) continue;
            const no = () => { throw new Error("replaced") };
            if (typeof found.value === "function") define(proto, keys[k], { __proto__: null, value: no, configurable: true });
            else if (!("value" in found)) define(proto, keys[k], { __proto__: null, get: no, set: no, configurable: true });
          }
        }
        print("everything is replaced", values[0], values[1]);
        get("/answer?token=very-secret-token");
        raise(() => { throw { not: "an error" } });
      });
    </script>`,
  );
  await browser.page.goto(url);
  await daemon.until("the line", () =>
    daemon.events("logs").find((at) => at.message.includes("everything is replaced")),
  );
  await daemon.until("the exception", () => daemon.events("exceptions").find((at) => at.message.includes("an error")));
  const exchange = await daemon.until("the request", () =>
    daemon.events("network").find((at) => at.url.includes("/answer")),
  );
  expect(exchange).toMatchObject({ status: 404, initiator: { type: "fetch" } });
  expect(exchange.url).toMatch(/token=<token:[0-9a-f]{8}>$/);
  const tab = await browser.tab(browser.page);
  expect((await daemon.command("click", { selector: "text=Press" }, { tab })).result).toMatchObject({ match_count: 1 });
  expect(daemon.events("exceptions").filter((at) => at.message.includes("replaced"))).toEqual([]);
});

test("setters on Object.prototype hear nothing of us", async ({ daemon, site, browserWithExtension: browser }) => {
  await browser.page.goto(
    site.page(
      "/",
      `<!doctype html><script>
      const heard = window.heard = [];
      const names = ["kind", "event", "urgent", "seq", "t", "mono", "records", "dropped", "detail", "relatedTarget", "capture", "once",
        "passive", "signal", "bubbles", "composed", "message", "level", "args", "stack", "url", "name", "value", "writable", "enumerable",
        "configurable", "get", "set", "next", "first", "last", "salt", "bodies", "0", "1", "length", "head", "size", "then", "body", "headers"];
      for (const name of names) Object.defineProperty(Object.prototype, name, {
        __proto__: null, configurable: true, get() { if (this === window) return; heard.push("get " + name); }, set(value) { heard.push("set " + name); },
      });
      console.warn("set upon", { x: 1 }, [1, 2]);
      setTimeout(() => { throw new RangeError("set upon, too") });
      setTimeout(() => console.log("heard:" + heard.join()), 500);
    </script>`,
    ),
  );
  await daemon.until("the line", () => daemon.events("logs").find((at) => at.message.startsWith("set upon")));
  await daemon.until("the exception", () => daemon.events("exceptions").find((at) => at.type === "RangeError"));
  const heard = await daemon.until("what it heard", () =>
    daemon.events("logs").find((at) => at.message.startsWith("heard:")),
  );
  expect(heard.message).toBe("heard:");
});

/** How many lines that start so came, and how many of those documents' lines were told as lost. */
function linesOf(daemon: FakeDaemon, start: string): { came: number; lost: number } {
  const came = daemon.events("logs").filter((at) => at.message.startsWith(start)).length;
  const lost = daemon.syncs
    .flatMap(({ groups = [] }) => groups)
    .filter((group) => group.frame !== 0)
    .reduce((sum, { dropped = {} }) => sum + (dropped["logs"] ?? 0), 0);
  return { came, lost };
}

test("many frames: the page's line comes, each line of a frame comes or is counted, other tabs are served", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  const other = await browser.context.newPage();
  await other.goto(site.page("/other", `<!doctype html><button onclick="document.title='pressed'">Press</button>`));
  const tab = await browser.tab(other);
  await browser.page.goto(site.page("/", `<!doctype html><title>many</title><body>`));
  const made = browser.page.evaluate(() => {
    for (let i = 0; i < 150; i++) {
      const f = document.body.appendChild(document.createElement("iframe"));
      const { console: inside } = f.contentWindow as unknown as typeof globalThis;
      for (let k = 0; k < 20; k++) inside.log(`in frame ${"x".repeat(200)}`);
    }
    console.error("all frames are there");
  });
  expect((await daemon.command("click", { selector: "text=Press" }, { tab })).result).toMatchObject({ match_count: 1 });
  await made;
  await expect.poll(() => daemon.events("logs").some((at) => at.message === "all frames are there")).toBe(true);
  const total = (): number => {
    const { came, lost } = linesOf(daemon, "in frame");
    return came + lost;
  };
  await expect.poll(total).toBe(3000);
});

test("frames that flood, and frames that load for ever, take no line from the page", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  daemon.uploadMS = 2500; // a daemon that is slower than the flood
  site.page(
    "/flood",
    `<script>setInterval(() => { for (let i = 0; i < 200; i++) console.error("ad " + "x".repeat(5000)) }, 200)</script>`,
  );
  site.page(
    "/again",
    `<body><script>console.log("again"); setInterval(() => { document.body.style.width = Math.random() * 500 + "px" }, 10);
      setTimeout(() => location.reload(), 100)</script>`,
  );
  const frames = `${'<iframe src="/flood"></iframe>'.repeat(2)}${'<iframe src="/again"></iframe>'.repeat(2)}`;
  await browser.page.goto(
    site.page(
      "/",
      `<!doctype html><button onclick="document.title='pressed'">Press</button>${frames}<script>
        let n = 0; const timer = setInterval(() => { console.error("mine " + ++n); if (n === 20) clearInterval(timer) }, 100)</script>`,
    ),
    { waitUntil: "commit" }, // frames that load for ever keep it from being loaded
  );
  const tab = await browser.tab(browser.page);
  await expect.poll(() => linesOf(daemon, "mine").came).toBe(20);
  // Or nothing was put to the test. What is lost is told by a later upload.
  await expect.poll(() => linesOf(daemon, "ad").lost).toBeGreaterThan(0);
  const click = await daemon.command("click", { selector: "text=Press" }, { tab });
  expect(click.result).toMatchObject({ match_count: 1 });
});

test("addresses and titles that read from right to left come as they are, in the page's own words only", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const name = "\u202Egnp.exe \u2066אבג\u2069 😀";
  await browser.page.goto(
    site.page(
      "/",
      `<!doctype html><title>${name}</title><button>${name}</button><script>
      history.replaceState(null, "", "/" + encodeURIComponent(${JSON.stringify(name)}) + "#" + ${JSON.stringify(name)});
      console.log(${JSON.stringify(name)}); fetch("/" + ${JSON.stringify(name)});</script>`,
    ),
  );
  await daemon.until("the line", () => daemon.events("logs").find((at) => at.message === name));
  const exchange = await daemon.until("the request", () =>
    daemon.events("network").find((at) => at.initiator.type === "fetch"),
  );
  expect(exchange).toMatchObject({ url: new URL(`/${name}`, site.url("/")).href, status: 404 });
  await browser.page.click("button");
  const click = await daemon.until("the click", () => daemon.events("actions").find((at) => at.type === "click"));
  expect(click.name).toContain("אבג");
  await daemon.until("the title", () => daemon.tabs.find((at) => at.title === name));
});
