import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Slices } from "../../dom-agent/slices.ts";
import { AgentProblem } from "../../dom-agent/problem.ts";
import { Pass } from "../../dom-agent/pass.ts";
import { own } from "../../dom-agent/own.ts";
import { change, drawn, frame, quiet, retry, retryUntil } from "../../dom-agent/waiting.ts";
import { pause, pausesOf, problem, put, shadow, within } from "./world.ts";

declare const navigation: EventTarget;

describe("a pass", () => {
  test("looks upwards for an answer, at each element once", () => {
    const element = put("<section class=a><div><p x></p><i></i></div></section>");
    const pass = new Pass();
    const looked: string[] = [];
    const look = (at: Element): string | undefined => {
      looked.push(at.localName);
      return at.className || undefined;
    };
    expect(pass.upwards("class", element, look, "none")).toBe("a");
    expect(looked).toEqual(["p", "div", "section"]);
    expect(pass.upwards("class", document.querySelector("i")!, look, "none")).toBe("a");
    expect(pass.upwards("class", element, look, "none")).toBe("a");
    expect(looked).toEqual(["p", "div", "section", "i"]);
    expect(pass.upwards("class", document.body, look, "none")).toBe("none");
    expect(pass.upwards("class", document.body, look, "other")).toBe("none");
    expect(pass.upwards("tag", element, ({ localName }) => localName, "none")).toBe("p");
  });
  test("looks out of shadow roots", () => {
    const root = shadow(put("<div x class=a></div>"), "<p></p>");
    expect(new Pass().upwards("class", root.querySelector("p")!, ({ className }) => className || undefined, "")).toBe(
      "a",
    );
  });
});

describe("a problem", () => {
  test("is told with what would help, made when it is told", () => {
    expect(new AgentProblem("code", "sentence").toWire()).toEqual({ code: "code", message: "sentence" });
    expect(new AgentProblem("code", "sentence", { blocker: "b" }).toWire()).toEqual({
      code: "code",
      message: "sentence",
      blocker: "b",
    });
    let made = 0;
    const dear = new AgentProblem("code", "sentence", () => ({ blocker: `b${++made}` }));
    expect(made).toBe(0);
    expect(dear.toWire().blocker).toBe("b1");
  });
});

describe("waiting", () => {
  const passing = [
    "element_not_found",
    "scope_not_found",
    "not_actionable",
    "blocked_by_overlay",
    "nth_out_of_range",
    "option_not_found",
  ];
  test.each(passing)("tries again after %s", async (code) => {
    let tries = 0;
    const result = await retry(within(2000).deadline, async () => {
      if (++tries < 3) throw new AgentProblem(code as string, "not yet");
      return tries;
    });
    expect(result).toBe(3);
  });
  test("does not try again after what does not pass", async () => {
    let tries = 0;
    const fails = (error: Error) =>
      retry(within(2000).deadline, () => {
        tries++;
        throw error;
      });
    expect((await problem(() => fails(new AgentProblem("stale_ref", "gone")))).code).toBe("stale_ref");
    expect(tries).toBe(1);
    await expect(fails(new TypeError("broken"))).rejects.toThrow("broken");
    expect(tries).toBe(2);
  });
  test("is not made where one that takes twice as long as the last would end too late", async () => {
    let tries = 0;
    const error = await problem(() =>
      retry(within(350).deadline, () => {
        tries++;
        const end = performance.now() + 100;
        while (performance.now() < end);
        throw new AgentProblem("element_not_found", "gone");
      }),
    );
    expect([error.code, tries]).toEqual(["element_not_found", 1]);
  });
  test("throws the last problem at the deadline", async () => {
    let tries = 0;
    const start = performance.now();
    const last = await problem(() =>
      retry(within(250).deadline, () => {
        throw new AgentProblem("not_actionable", `try ${++tries}`);
      }),
    );
    expect(last.message).toBe(`try ${tries}`);
    expect(tries).toBeGreaterThan(2);
    expect(performance.now() - start).toBeGreaterThan(200);
    tries = 0;
    await problem(() =>
      retry(within(-1).deadline, () => {
        throw new AgentProblem("not_actionable", `try ${++tries}`);
      }),
    );
    expect(tries).toBe(1);
  });
  test("says at the deadline why not, though a try goes on", async () => {
    let tries = 0;
    const stuck = new Promise<never>(() => undefined);
    const last = await problem(() =>
      retry(within(1000).deadline, () => {
        if (++tries > 1) return stuck;
        throw new AgentProblem("blocked_by_overlay", "covered");
      }),
    );
    expect(last.code).toBe("blocked_by_overlay");
  });
  test("ends when nobody waits any more", async () => {
    const control = new AbortController();
    const waiting = retry({ at: Date.now() + 5000, signal: control.signal }, () => {
      throw new AgentProblem("element_not_found", "no");
    });
    control.abort(new AgentProblem("cancelled", "over"));
    expect((await problem(() => waiting)).code).toBe("cancelled");
  });
  test.each([
    ["an element", (at: Element) => at.append("text")],
    ["an attribute", (at: Element) => at.setAttribute("a", "b")],
    ["a text", (at: Element) => ((at.firstChild as Text).data = "other")],
  ])("hears of %s that changes deep in the page", async (_, work) => {
    const element = put("<div><p x>text</p></div>");
    await pause(0);
    const start = performance.now();
    const waiting = change(30_000);
    (work as (at: Element) => void)(element);
    await waiting;
    expect(performance.now() - start).toBeLessThan(15_000);
  });
  let inner: ShadowRoot;
  test.each([
    ["what is typed", () => document.querySelector("input")!.dispatchEvent(new InputEvent("input"))],
    ["a picture that has come", () => document.querySelector("img")!.dispatchEvent(new Event("load"))],
    ["an animation's end", () => document.querySelector("p")!.dispatchEvent(new Event("animationend"))],
    ["a new address", () => navigation.dispatchEvent(new Event("currententrychange"))],
    ["an open shadow root", () => document.querySelector("section")!.shadowRoot!.append("more")],
    ["a closed shadow root in another", () => inner.append("more")],
  ])("hears of %s", async (_, work) => {
    put("<input><img><p x>a</p><section></section>");
    const outer = shadow(document.querySelector("section")!, "<div></div>");
    inner = shadow(outer.querySelector("div")!, "<i></i>", "closed");
    await pause(20);
    const start = performance.now();
    const waiting = change(30_000);
    work();
    await waiting;
    expect(performance.now() - start).toBeLessThan(15_000);
  });
  test("gives up without a change", async () => {
    put("");
    await pause(0);
    const start = performance.now();
    await change(60);
    expect(performance.now() - start).toBeGreaterThan(50);
  });
  test("tells what is waited for, and ends a try that goes on when nobody waits any more", async () => {
    const control = new AbortController();
    const waited: unknown[] = [];
    const covered = new AgentProblem("blocked_by_overlay", "covered");
    let tries = 0;
    const deadline = { at: Date.now() + 60_000, signal: control.signal, waits: (error: unknown) => waited.push(error) };
    const waiting = problem(() =>
      retry(deadline as never, () => {
        if (++tries > 1) return new Promise<never>(() => undefined);
        throw covered;
      }),
    );
    while (tries < 2) await pause(5);
    control.abort(new AgentProblem("cancelled", "over"));
    expect((await waiting).code).toBe("cancelled");
    expect(waited).toEqual([covered, covered]);
  });
  test("gives nobody what is found when nobody waits any more", async () => {
    const control = new AbortController();
    const waiting = retry({ at: Date.now() + 60_000, signal: control.signal }, () => {
      control.abort(new AgentProblem("cancelled", "over"));
      return "found";
    });
    expect((await problem(() => waiting)).code).toBe("cancelled");
  });
  test("for a change ends at once when nobody waits any more", async () => {
    const control = new AbortController();
    const waiting = change(60_000, control.signal).then(() => "over");
    control.abort();
    expect(await Promise.race([waiting, pause(0)])).toBe("over");
  });
  test("for a change leaves no listener behind", async () => {
    put("<p x></p>");
    const { addEventListener: add } = EventTarget.prototype;
    const signals: (AbortSignal | undefined)[] = [];
    EventTarget.prototype.addEventListener = function (...given: [string, never, never]) {
      signals.push((given[2] as AddEventListenerOptions | undefined)?.signal);
      add.apply(this, given);
    };
    try {
      await change(1, within(5000).deadline.signal);
      expect(signals.map((signal) => signal?.aborted)).toEqual(signals.map(() => true));
      expect(signals.length).toBeGreaterThan(7);
    } finally {
      EventTarget.prototype.addEventListener = add;
    }
  });
  test("for a frame waits 100 ms, for a drawn page three seconds, and leaves no listener behind", async () => {
    const native = globalThis.setTimeout;
    const { addEventListener: add, removeEventListener: remove } = document;
    const waits: (number | undefined)[] = [];
    let listeners = 0;
    globalThis.setTimeout = ((work: () => void, ms?: number) => (waits.push(ms), native(work, ms))) as never;
    document.addEventListener = (...given: unknown[]) => (listeners++, add.apply(document, given as never));
    document.removeEventListener = (...given: unknown[]) => (listeners--, remove.apply(document, given as never));
    try {
      expect(await frame()).toBe(true);
      await drawn();
      expect([waits, listeners]).toEqual([[100, 3000], 0]);
    } finally {
      globalThis.setTimeout = native;
      Reflect.deleteProperty(document, "addEventListener");
      Reflect.deleteProperty(document, "removeEventListener");
    }
  });
  /** Has frames come when the test says so. */
  const frames = async (work: (next: () => void) => Promise<void>): Promise<void> => {
    const request = globalThis.requestAnimationFrame;
    const waiting: FrameRequestCallback[] = [];
    globalThis.requestAnimationFrame = (callback) => waiting.push(callback);
    try {
      await work(() => waiting.splice(0).forEach((callback) => callback(0)));
    } finally {
      delete (document as { hidden?: boolean }).hidden;
      globalThis.requestAnimationFrame = request;
    }
  };
  test("for a frame goes on with the next one", () =>
    frames(async (next) => {
      let later = false;
      const waiting = frame();
      setTimeout(() => (later = true), 0);
      next();
      await waiting;
      expect(later).toBe(false);
    }));
  test("for a frame goes on without one after 100 ms, or at once where the page is hidden", () =>
    frames(async () => {
      let start = performance.now();
      expect(await frame()).toBe(false);
      expect(performance.now() - start).toBeGreaterThan(90);
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      let later = false;
      start = performance.now();
      const waiting = frame();
      setTimeout(() => (later = true), 60);
      await waiting;
      expect(later).toBe(false);
    }));
});

describe("between attempts", () => {
  /** Has each frame take ms, by every clock. Returns how many frames there were. */
  const framesOf = async (ms: number, work: (spend: (ms: number) => void) => Promise<unknown>): Promise<number> => {
    const { now } = performance;
    const today = Date.now;
    const request = globalThis.requestAnimationFrame;
    let time = 0;
    let frames = 0;
    performance.now = () => time;
    Date.now = () => time;
    globalThis.requestAnimationFrame = (callback) => {
      frames++;
      time += ms;
      queueMicrotask(() => callback(0));
      return 0;
    };
    try {
      await work((spent) => void (time += spent));
      return frames;
    } finally {
      performance.now = now;
      Date.now = today;
      globalThis.requestAnimationFrame = request;
    }
  };
  let control: AbortController;
  beforeEach(() => void (control = new AbortController()));
  afterEach(() => control.abort()); // a wait for the deadline of a clock that stands would hear what other tests do
  test.each([
    [0, 1],
    [20, 6],
    [50, 10],
  ])("the page gets three times what the last one took, 100 ms at most: %s", async (took, frames) => {
    let tries = 0;
    const two = (spend: (ms: number) => void) =>
      retry({ at: 5000, signal: control.signal }, () => {
        spend(took as number);
        if (++tries < 2) throw new AgentProblem("element_not_found", "no");
      });
    expect(await framesOf(10, two)).toBe(frames);
  });
  test("the deadline is looked at in each frame: no attempt is begun that would end after it if it took twice as long", async () => {
    for (const [at, frames] of [
      [50, 1],
      [80, 2],
      [100, 4],
    ] as const) {
      const told = (spend: (ms: number) => void) =>
        problem(() =>
          retry({ at, signal: control.signal }, () => {
            spend(20);
            throw new AgentProblem("element_not_found", "no");
          }),
        );
      expect(await framesOf(10, told)).toBe(frames);
    }
  });
  test("of something that is to hold a second may pass, and not more than the deadline leaves", async () => {
    for (const [at, looks] of [
      [5000, 11],
      [300, 4],
    ] as const) {
      let n = 0;
      await framesOf(100, () => retryUntil({ at, signal: control.signal }, () => (n++, false)));
      expect(n).toBe(looks);
    }
    let n = 0;
    expect(await framesOf(100, () => retryUntil({ at: 5000, signal: control.signal }, () => ++n > 2))).toBe(2);
    control.abort(new AgentProblem("cancelled", "over"));
    await framesOf(100, async () => {
      expect((await problem(() => retryUntil({ at: 5000, signal: control.signal }, () => false))).code).toBe(
        "cancelled",
      );
    });
  });
});

describe("quiet", () => {
  test("is when nothing changed for so long", async () => {
    const element = put("<div><p x>text</p></div>");
    await pause(0);
    const start = performance.now();
    const waiting = quiet(100, within(3000).deadline);
    await pause(40);
    element.append("a");
    element.setAttribute("a", "b");
    (element.firstChild as Text).data = "other";
    expect(await waiting).toEqual({ quiet: true, mutations: 3 });
    expect(performance.now() - start).toBeGreaterThan(130);
  });
  test("comes at once where no time has to pass", async () => {
    expect(await quiet(0, within(1000).deadline)).toEqual({ quiet: true, mutations: 0 });
  });
  test("does not come before the deadline on a page that changes", async () => {
    const element = put("<p x></p>");
    const timer = setInterval(() => element.append("a"), 5);
    const start = performance.now();
    const result = await quiet(150, within(600).deadline);
    clearInterval(timer);
    expect(result.quiet).toBe(false);
    expect(result.mutations).toBeGreaterThan(3);
    expect(performance.now() - start).toBeLessThan(15_000);
  });
  test.each(["there before", "that comes"])("not while a shadow root changes, one %s", async (when) => {
    put("");
    const host = document.createElement("x-clock");
    const out = shadow(host, "<output></output>").querySelector("output")!;
    if (when === "there before") document.body.append(host);
    let n = 0;
    const timer = setInterval(() => {
      document.body.append(...(host.isConnected ? [] : [host]));
      out.textContent = `${++n}`;
    }, 20);
    const result = await quiet(400, within(1200).deadline);
    clearInterval(timer);
    expect(result.quiet).toBe(false);
    expect(result.mutations).toBeGreaterThan(5);
  });
  test("is not disturbed by what we put into the page", async () => {
    put("");
    const host = document.createElement("x-own");
    own(host);
    document.body.append(host);
    const text = shadow(host, "<p>a</p>").querySelector("p")!.firstChild as Text;
    await pause(0);
    const timer = setInterval(() => (text.data += "a"), 5);
    const result = await quiet(60, within(5000).deadline);
    clearInterval(timer);
    expect(result).toEqual({ quiet: true, mutations: 0 });
  });
  test("is not told to who has no time", async () => {
    expect(await quiet(100, within(-1).deadline)).toEqual({ quiet: false, mutations: 0 });
  });
  test("ends when nobody waits any more", async () => {
    const control = new AbortController();
    const waiting = quiet(4000, { at: Date.now() + 9000, signal: control.signal });
    let late = false;
    const timer = setTimeout(() => (late = true), 1000);
    control.abort(new AgentProblem("cancelled", "over"));
    expect((await problem(() => waiting)).code).toBe("cancelled");
    clearTimeout(timer);
    expect(late).toBe(false);
  });
});

describe("slices", () => {
  test("are over after 12 ms, and begin anew after a pause", async () => {
    const { now } = performance;
    let time = 0;
    performance.now = () => time;
    try {
      const slices = new Slices(within(5000).deadline);
      time = 11.9;
      expect(slices.over).toBe(false);
      time = 12;
      expect(slices.over).toBe(true);
      await slices.pause();
      expect(slices.over).toBe(false);
      time = 24;
      expect(slices.over).toBe(true);
    } finally {
      performance.now = now;
    }
  });
  test("are late from the deadline on", () => {
    expect(new Slices(within(5000).deadline).late).toBe(false);
    expect(new Slices(within(-1).deadline).late).toBe(true);
    expect(new Slices({ ...within().deadline, at: Date.now() }).late).toBe(true);
  });
  test("let the page work", async () => {
    const slices = new Slices(within(5000).deadline);
    let worked = false;
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => (worked = true));
    port1.start();
    port2.postMessage(null);
    await slices.pause();
    expect(worked).toBe(true);
  });
  const page = async (work: (element: HTMLInputElement) => void): Promise<boolean> => {
    const element = put("<div><input x></div>").parentElement!;
    element.append("text");
    const slices = new Slices(within(5000).deadline);
    const { pass } = slices;
    const pausing = slices.pause();
    work(element.querySelector("input")!);
    await pausing;
    return slices.pass === pass;
  };
  test.each([
    ["nothing", () => {}, true],
    ["an element", (at: Element) => at.after("more"), false],
    ["an attribute", (at: Element) => at.setAttribute("a", "b"), false],
    ["a text", (at: Element) => ((at.nextSibling as Text).data = "other"), false],
    ["a field", (at: Element) => at.dispatchEvent(new Event("input")), false],
  ])("keep their pass while %s changes or not", async (_, work, kept) => {
    expect(await page(work as (at: Element) => void)).toBe(kept);
  });
  test("do not hear of what changes outside of a pause", async () => {
    const element = put("<input x>");
    const slices = new Slices(within(5000).deadline);
    await slices.pause();
    const { pass } = slices;
    element.dispatchEvent(new Event("input"));
    element.append("a");
    await slices.pause();
    expect(slices.pass).toBe(pass);
  });
  test("leave nothing behind that watches the page", async () => {
    const left = new Set<unknown>();
    const { addEventListener: add, removeEventListener: remove } = globalThis;
    const { disconnect } = MutationObserver.prototype;
    let ended = 0;
    globalThis.addEventListener = (type: string, ...more: unknown[]) => {
      left.add(more[0]);
      add.call(globalThis, type, ...(more as [never]));
    };
    globalThis.removeEventListener = (type: string, ...more: unknown[]) => {
      if (type === "input" && more[1] === true) left.delete(more[0]);
      remove.call(globalThis, type, ...(more as [never]));
    };
    MutationObserver.prototype.disconnect = function () {
      ended++;
      disconnect.call(this);
    };
    try {
      await new Slices(within(5000).deadline).pause();
      expect([left.size, ended]).toEqual([0, 1]);
      await change(1);
      expect(ended).toBe(2);
      await quiet(0, within(1000).deadline);
      expect(ended).toBe(3);
    } finally {
      Object.assign(globalThis, { addEventListener: add, removeEventListener: remove });
      MutationObserver.prototype.disconnect = disconnect;
    }
  });
  test("end when nobody waits any more", async () => {
    const control = new AbortController();
    const slices = new Slices({ at: Date.now() + 5000, signal: control.signal });
    const pausing = slices.pause();
    control.abort(new AgentProblem("cancelled", "over"));
    expect((await problem(() => pausing)).code).toBe("cancelled");
    expect(await pausesOf(0, () => problem(() => slices.pause()))).toBe(0);
  });
});
