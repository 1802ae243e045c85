import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Aim } from "../../dom-agent/act/aim.ts";
import { check } from "../../dom-agent/act/check.ts";
import { click } from "../../dom-agent/act/click.ts";
import { hover } from "../../dom-agent/act/hover.ts";
import { keyPress } from "../../dom-agent/act/key_press.ts";
import { ActScope, acts } from "../../dom-agent/act/scope.ts";
import { type } from "../../dom-agent/act/type.ts";
import type { Acts } from "../../messages/acts.ts";
import type { RefBook } from "../../dom-agent/refs.ts";
import type { Environment } from "../../dom-agent/environment.ts";
import { AgentProblem } from "../../dom-agent/problem.ts";
import { worker } from "./setup.ts";
import { book, pause, problem, put } from "./world.ts";

declare const navigation: EventTarget & { transition: object | null };

const ACTION = { id: "a1", client: "c" };
const box = (more = ""): string => `style='position:fixed;left:10px;top:20px;width:40px;height:20px;${more}'`;

/** What the content script of the page was told, and what it answers. */
let calls: unknown[][] = [];
let busy: (turn: number) => string[] = () => [];
let came: () => boolean = () => true;
let scopes: ActScope[] = [];

/** An act of ACTION, for ms from now on. */
function act(ms = 60_000, signal = new AbortController().signal, whole?: boolean): ActScope {
  const scope = new ActScope(ACTION, { at: Date.now() + ms, signal }, whole);
  scopes.push(scope);
  return scope;
}

/** What an operation of that act works with. */
function environment(ms = 400): Environment {
  const deadline = { at: Date.now() + ms, signal: new AbortController().signal };
  const scope = new ActScope(ACTION, deadline);
  scopes.push(scope);
  return { refs: book(), deadline, act: scope, frame: "" };
}

/** The page goes to another document, or does what looks like it. */
function navigate(more: object = {}): Event {
  const event = new Event("navigate", { cancelable: true });
  const init = { destination: { sameDocument: false }, downloadRequest: null, signal: new AbortController().signal };
  navigation.dispatchEvent(Object.assign(event, init, more));
  return event;
}

/** Has each frame take ms by the clock. during is done in each of them, from 1 on. Returns how many there were. */
async function frames(ms: number, work: () => Promise<unknown>, during: (frame: number) => void = () => {}) {
  const today = Date.now;
  const request = globalThis.requestAnimationFrame;
  let time = 1_000_000;
  let count = 0;
  Date.now = () => time;
  globalThis.requestAnimationFrame = (callback) => {
    time += ms;
    during(++count);
    queueMicrotask(() => callback(0));
    return 0;
  };
  try {
    await work();
    return count;
  } finally {
    Date.now = today;
    globalThis.requestAnimationFrame = request;
  }
}

beforeEach(() => {
  worker.asked.length = 0;
  worker.answer = null;
  calls = [];
  scopes = [];
  busy = () => [];
  came = () => true;
  let turns = 0;
  const heard =
    (name: string) =>
    (...given: unknown[]): void =>
      void calls.push([name, ...given]);
  globalThis.gasolineActs = {
    begin: heard("begin"),
    end: heard("end"),
    perform: (action, work) => {
      calls.push(["perform", action]);
      return work();
    },
    dispatch: (target, event) => target.dispatchEvent(event),
    click: (element) => element.click(),
    expect: heard("expect"),
    came: () => came(),
    refused: () => [],
    held: () => [],
    runs: () => "own",
    busy: (action) => {
      calls.push(["busy", action]);
      return busy(++turns);
    },
  };
});
afterEach(() => {
  for (const scope of scopes) scope.stop();
  globalThis.gasolineActs = undefined;
  Object.defineProperty(worker, "answer", { value: null, writable: true, configurable: true, enumerable: true });
});

describe("an act in a document", () => {
  test("is known to the page's world from its beginning to its end", () => {
    const scope = act();
    expect(scope.perform(() => 7)).toBe(7);
    scope.stop();
    act(1000, undefined, true);
    expect(calls).toEqual([
      ["begin", ACTION, false],
      ["perform", ACTION],
      ["end", ACTION],
      ["begin", ACTION, true],
    ]);
  });
  test("tells the worker what it comes to before it is done, and once", () => {
    const scope = act();
    let before = 0;
    scope.perform(() => (before = worker.asked.length));
    scope.perform(() => {});
    expect(before).toBe(1);
    const result = { match_count: 1, match_strategy: "css" };
    scope.tell(result);
    scope.tell(result);
    scope.perform(() => {});
    const told = (given: object) => ({
      type: "gasoline-performed",
      action: "a1",
      acted: { result: given, settled: { changes: [], busy: [] } },
    });
    expect(worker.asked).toEqual([told({ match_count: 0, match_strategy: "" }), told(result)]);
  });
  test("that only reads is told to nobody, and watches nothing", async () => {
    put("");
    const scope = new ActScope(undefined, { at: Date.now() + 60_000, signal: new AbortController().signal });
    scope.perform(() => document.body.append("more"));
    navigate();
    expect(await scope.settle()).toEqual({ changes: [], busy: [] });
    expect([worker.asked, calls.some(([name]) => name === "begin")]).toEqual([[], false]);
  });
  test("leaves nothing behind that watches the page", async () => {
    const left = new Set<string>();
    const { addEventListener: add, removeEventListener: remove } = navigation;
    const numbers = new Map<unknown, number>();
    const nameOf = (type: string, listener: unknown): string => {
      if (!numbers.has(listener)) numbers.set(listener, numbers.size);
      return `${type} ${numbers.get(listener)}`;
    };
    navigation.addEventListener = (type: string, listener: unknown) => void left.add(nameOf(type, listener));
    navigation.removeEventListener = (type: string, listener: unknown) => void left.delete(nameOf(type, listener));
    try {
      put("");
      const scope = act();
      expect(left.size).toBe(2);
      scope.stop();
      expect(left.size).toBe(0);
      document.body.append("more");
      expect((await scope.settle()).changes).toEqual([]);
    } finally {
      Object.assign(navigation, { addEventListener: add, removeEventListener: remove });
    }
  });
});

describe("an act has settled", () => {
  const settled = async (ms: number, during?: (frame: number) => void, scope?: (made: ActScope) => void) => {
    let result: unknown;
    const count = await frames(
      ms,
      async () => {
        const made = act();
        scope?.(made);
        result = await made.settle();
      },
      during,
    );
    return [count, result];
  };
  test("after a frame in which nothing happens", async () => {
    put("");
    expect(await settled(16)).toEqual([1, { changes: [], busy: [] }]);
  });
  test("after the first frame in which nothing changes any more", async () => {
    put("<p x></p>");
    const change = (frame: number): void =>
      void (frame <= 3 && document.querySelector("p")!.append(document.createElement("i")));
    expect(await settled(16, change)).toEqual([4, { changes: ["3 added in the page"], busy: [] }]);
  });
  test("after six frames of a page that changes by itself", async () => {
    put("<p x></p>");
    const change = (): void => document.querySelector("p")!.append(document.createElement("i"));
    expect(await settled(16, change)).toEqual([6, { changes: ["6 added in the page"], busy: [] }]);
  });
  test("when what it started has ended, however long the page changes meanwhile", async () => {
    put("<p x></p>");
    busy = (turn) => (turn < 12 ? ["GET /a"] : []);
    expect((await settled(16))[0]).toBe(12);
    busy = (turn) => (turn < 25 ? ["GET /a"] : []); // it was asked twice in the twelfth frame
    const change = (): void => document.querySelector("p")!.append(document.createElement("i"));
    const [count, result] = await settled(16, change);
    expect([count, result]).toEqual([12 + 5, { changes: ["17 added in the page"], busy: [] }]);
  });
  test("when what the end of something led to a moment later has ended, too", async () => {
    put("");
    busy = (turn) => (turn === 1 ? ["GET /a"] : turn > 2 && turn < 6 ? ["GET /b"] : []);
    expect(await settled(16)).toEqual([5, { changes: [], busy: [] }]);
  });
  describe("when a movement has ended that it began", () => {
    const move = (): Animation => document.querySelector("p")!.animate([{ opacity: 0 }, { opacity: 1 }], 900);
    /** Whether one is waited for that begins in a frame, of so many ms each, of a page that changes in all of them. */
    const waited = async (ms: number, begins: number): Promise<boolean> => {
      put("<p x></p>");
      const [, result] = await settled(ms, (frame) => {
        if (frame === begins) move();
        document.querySelector("p")!.append(document.createElement("i"));
      });
      return (result as { busy: string[] }).busy.includes("animation of p");
    };
    test.each([
      [200, 1, true],
      [200, 3, true],
      [200, 4, false],
      [24, 4, true],
      [25, 4, false],
    ])("in frames of %s ms, one that began in the frame %s: %s", async (ms, begins, is) =>
      expect(await waited(ms as number, begins as number)).toBe(is),
    );
    test.each([
      [
        "was done",
        9,
        (scope: ActScope) => {
          for (let i = 0; i < 5; i++) requestAnimationFrame(() => {});
          scope.perform(() => {});
        },
      ],
      ["was last waited for", 9, () => (busy = (turn) => (turn < 6 ? ["GET /a"] : []))],
    ])("within a time, counted from when it %s", async (_, begins, work) => {
      for (const [ms, is] of [
        [24, true],
        [25, false],
      ] as const) {
        put("<p x></p>");
        const [, result] = await settled(
          ms,
          (frame) => {
            if (frame === begins) move();
            document.querySelector("p")!.append(document.createElement("i"));
          },
          work as (made: ActScope) => void,
        );
        expect((result as { busy: string[] }).busy.includes("animation of p"), String(ms)).toBe(is);
      }
    });
    test.each([
      [7, true],
      [8, false],
    ])("counted from the last that ran of it: in the frame %s: %s", async (begins, is) => {
      busy = (turn) => (turn < 6 ? ["GET /a"] : []);
      expect(await waited(200, begins as number)).toBe(is);
    });
    test("in frames, counted anew from what ran of it in between", async () => {
      busy = (turn) => (turn === 3 ? ["GET /a"] : []);
      expect(await waited(200, 5)).toBe(true);
    });
    test("which is waited for", async () => {
      put("<p x></p>");
      let one: Animation | undefined;
      const during = (frame: number): void =>
        frame === 1 ? void (one = move()) : frame === 5 ? one?.finish() : undefined;
      expect(await settled(100, during)).toEqual([5, { changes: [], busy: [] }]);
    });
    test("not in a page that nobody sees, of which it is told that it moves", async () => {
      put("<p x></p>");
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      try {
        const scope = act();
        // It begins after the act, and runs, however late the machine draws.
        const one = document.querySelector("p")!.animate([{ opacity: 0 }, { opacity: 1 }], {
          duration: 900,
          fill: "forwards",
        });
        one.startTime = Number(document.timeline.currentTime) + 50;
        Object.defineProperty(one, "playState", { value: "running" });
        expect(await scope.settle()).toEqual({ changes: [], busy: ["animation of p"] });
        expect(calls.filter(([name]) => name === "busy")).toHaveLength(1);
      } finally {
        Reflect.deleteProperty(document, "hidden");
      }
    });
  });
  test("after two seconds at most, and tells what it still waits for", async () => {
    busy = () => ["GET /a"];
    expect(await settled(100)).toEqual([20, { changes: [], busy: ["GET /a"] }]);
  });
  test("in time for an answer before the deadline", async () => {
    busy = () => ["GET /a"];
    expect(await frames(10, () => act(1000).settle())).toBe(85);
  });
  test("two seconds after the last that it did", async () => {
    busy = () => ["GET /a"];
    const later = async (work: (scope: ActScope) => unknown): Promise<number> => {
      const before = await frames(100, async () => {
        const scope = act();
        for (let i = 0; i < 10; i++) await new Promise((next) => requestAnimationFrame(next));
        await work(scope);
        await scope.settle();
      });
      return before - 10;
    };
    expect(await later(() => {})).toBe(10);
    expect(await later((scope) => scope.perform(() => {}))).toBe(20);
    expect(
      await later((scope) =>
        scope.send({ type: "move" }, { x: 1, y: 2 }, { type: "pointer", x: 1, y: 2, press: false }),
      ),
    ).toBe(20);
  });
  test("at once when nobody waits any more", async () => {
    busy = () => ["GET /a"];
    const control = new AbortController();
    control.abort();
    expect(await frames(16, () => act(60_000, control.signal).settle())).toBe(1);
  });
  test("and leaves the document, which is waited for a second", async () => {
    put("");
    const [count, result] = await settled(100, undefined, () => navigate());
    expect(result).toEqual({ changes: [], busy: [], leaving: true });
    expect(count).toBe(11);
  });
  test("in a document that hears of its leaving late, and is given a second from then on", async () => {
    busy = (turn) => (turn < 5 ? ["GET /a"] : []);
    expect(await settled(100, (frame) => void (frame === 4 && navigate()))).toEqual([
      14,
      { changes: [], busy: [], leaving: true },
    ]);
  });
  test.each([
    ["goes to another place in it", () => void navigate({ destination: { sameDocument: true } })],
    ["loads a file", () => void navigate({ downloadRequest: "a.pdf" })],
    ["prevents that it is left", () => navigate().preventDefault()],
    [
      "ends the navigation",
      () => {
        const control = new AbortController();
        navigate({ signal: control.signal });
        control.abort();
      },
    ],
    [
      "takes the navigation for its own",
      () => {
        navigate();
        navigation.dispatchEvent(new Event("currententrychange"));
      },
    ],
    [
      "takes it for its own and is not there yet",
      () => {
        navigate();
        Object.defineProperty(navigation, "transition", { value: {}, configurable: true });
      },
    ],
  ])("as in any other document where the page %s", async (_, work) => {
    put("");
    try {
      expect(await settled(16, undefined, work as () => void)).toEqual([1, { changes: [], busy: [] }]);
    } finally {
      Reflect.deleteProperty(navigation, "transition");
    }
  });
  test("and looks at once when the page leaves, once the page's own listeners were asked", async () => {
    const request = globalThis.requestAnimationFrame;
    globalThis.requestAnimationFrame = () => 0;
    const control = new AbortController();
    try {
      const waiting = act(60_000, control.signal).settle();
      await Promise.resolve();
      navigate();
      expect(calls.filter(([name]) => name === "busy")).toEqual([]);
      await pause(40);
      expect(calls.filter(([name]) => name === "busy")).toEqual([["busy", ACTION]]);
      control.abort();
      await waiting;
    } finally {
      globalThis.requestAnimationFrame = request;
    }
  });
});

describe("an act in a document, told in full", () => {
  const during = async (work: (scope: ActScope) => unknown, more: { whole?: boolean; refs?: RefBook } = {}) => {
    const scope = act(60_000, undefined, more.whole);
    await scope.perform(() => work(scope));
    return scope.settle(more.refs);
  };
  /** An image that loads until it is told that it has come. */
  const slow = (): HTMLElement => Object.defineProperty(document.createElement("img"), "complete", { value: false });
  const answers = (more: Partial<Acts>): void => void Object.assign(globalThis.gasolineActs!, more);
  const hide = async (work: () => Promise<unknown>): Promise<void> => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    try {
      await work();
    } finally {
      Reflect.deleteProperty(document, "hidden");
    }
  };
  afterEach(() => {
    localStorage.clear();
  });
  test("all that is there is news of a document that it led to, and what that stores is its own", async () => {
    put("<div role=dialog>Sure?</div>");
    const store = () => localStorage.setItem("token", "1");
    expect(await during(store)).toEqual({ changes: [], busy: [], stored: ["localStorage: token added"] });
    expect(await during(store, { whole: true })).toEqual({ changes: ['dialog "Sure?" opened'], busy: [] });
  });
  test("what the page did before it is not told, what it does from then on is", async () => {
    put("<p x></p>");
    const add = (): void => document.querySelector("p")!.append(document.createElement("i"));
    const scope = act();
    add();
    scope.perform(add);
    scope.perform(add);
    expect((await scope.settle()).changes).toEqual(["2 added in the page"]);
    const real = act();
    add();
    const gesture = { type: "move" } as const;
    const expected = { type: "pointer", x: 1, y: 2, press: false } as const;
    for (let i = 0; i < 2; i++) {
      await real.send(gesture, { x: 1, y: 2 }, expected);
      add();
    }
    expect((await real.settle()).changes).toEqual(["2 added in the page"]);
  });
  test("controls that came are told by their refs, and the field that was acted on holds what its act says", async () => {
    put("<input id=a aria-label=A><input id=b aria-label=B>");
    const refs = book();
    const [a, b] = [...document.querySelectorAll("input")] as [HTMLInputElement, HTMLInputElement];
    const matched = { tag: "input", ref: refs.refOf(a) };
    const work = (scope: ActScope): void => {
      scope.tell({ match_count: 1, match_strategy: "css", matched, value: "1" } as never);
      a.value += "1";
      b.value += "2";
      document.body.append(Object.assign(document.createElement("button"), { textContent: "Go" }));
    };
    const named = await during(work, { refs });
    expect(named.changes).toEqual([
      expect.stringMatching(/^value "2": e\d+ textbox "B"$|^value "2": .*e\d+.*$/),
      expect.stringMatching(/^new: .*e\d/),
    ]);
    expect((await during(work)).changes).toEqual([
      'value "11": textbox "A"',
      'value "22": textbox "B"',
      'new: button "Go"',
    ]);
    const gone = await during(
      (scope) => (
        scope.tell({ match_count: 1, match_strategy: "css", matched: { tag: "p", ref: "e9" }, value: "" } as never),
        (a.value = "z")
      ),
      { refs },
    );
    expect(gone.changes).toEqual([expect.stringContaining('value "z"')]);
    const other = await during(
      (scope) => (scope.tell({ match_count: 1, match_strategy: "css", matched } as never), (a.value = "y")),
      { refs },
    );
    expect(other.changes).toEqual([expect.stringContaining('value "y"')]);
  });
  test("what the page had of it and could not do is told", async () => {
    put("");
    const refused = [{ what: "a" }] as never;
    answers({ held: () => ["timer"], refused: () => refused });
    expect(await during(() => {})).toEqual({
      changes: [],
      busy: ["timer, which the browser holds back: the tab is in the background"],
      refused,
    });
  });
  test("five things at most are told to run, each once", async () => {
    put("");
    const all = ["a", "b", "b", "c", "d", "e", "f"];
    answers({ busy: () => all });
    expect(
      await frames(500, async () => expect((await during(() => {})).busy).toEqual(["a", "b", "c", "d", "e"])),
    ).toBe(4);
  });
  test("where the page goes is told, and the worker hears of it at once", async () => {
    put("");
    let told: unknown;
    await frames(500, async () => {
      told = await during(() => void navigate({ destination: { sameDocument: false, url: "http://a.test/b" } }));
    });
    expect(told).toEqual({ changes: [], busy: [], leaving: true, to: "http://a.test/b" });
    expect(worker.asked.at(-1)).toEqual({ type: "gasoline-leaving", action: "a1" });
    navigate({ destination: { sameDocument: false, url: "http://a.test/c" }, downloadRequest: "c.pdf" });
    expect(worker.asked.at(-1)).toEqual({
      type: "gasoline-download",
      action: "a1",
      name: "c.pdf",
      url: "http://a.test/c",
    });
  });
  test("a page that leaves in a task of its own is waited for", async () => {
    put("");
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => (port1.close(), navigate());
    await frames(500, async () => {
      const scope = act();
      port2.postMessage(0);
      expect(await scope.settle()).toMatchObject({ leaving: true });
    });
  });
  test("what a page asks for a moment after an answer is waited for", async () => {
    put("");
    let more = false;
    let turns = 0;
    const soon = new MessageChannel();
    soon.port1.onmessage = () => (more = true);
    answers({
      busy: () => {
        // The next task, however late a timer would be on a busy machine.
        if (++turns === 2) soon.port2.postMessage(0);
        return turns === 1 || (more && turns < 6) ? ["GET /a"] : [];
      },
    });
    await during(() => {});
    soon.port1.close();
    expect(turns).toBeGreaterThan(6);
  });
  test.each([
    ["is sent", "", "", true],
    ["is sent to this place", "target=_self", "", true],
    ["is sent to this place by its button", "target=_blank", "formtarget=_self", true],
    ["is sent elsewhere", "target=_blank", "", false],
    ["is sent elsewhere by its button", "", "formtarget=_blank", false],
    ["closes its dialog", "method=dialog", "", false],
    ["closes its dialog by its button", "", "formmethod=DIALOG", false],
    ["is sent by a button in a dialog", "method=dialog", "formmethod=post", true],
  ])("a form that %s leads on soon, or not", async (_, form, button, leads) => {
    put(`<form ${form}><button ${button} x>a</button></form>`);
    const send = (): Event => {
      const event = new SubmitEvent("submit", {
        bubbles: true,
        cancelable: true,
        submitter: document.querySelector("button"),
      });
      document.querySelector("form")!.dispatchEvent(event);
      return event;
    };
    const waits = (work: () => unknown): Promise<number> => frames(100, () => during(work));
    expect(await waits(send)).toBe(leads ? 11 : 1);
    expect(await waits(() => send().preventDefault())).toBe(1);
    expect(await waits(() => (send(), navigate({ downloadRequest: "a" })))).toBe(1);
    // An act that is over hears of nothing.
    const over = act();
    over.stop();
    send();
    expect(await frames(100, () => over.settle())).toBe(1);
  });
  test("what it had the page load is waited for, and what comes of that is its doing", async () => {
    const quiet: unknown[] = [];
    const asked: unknown[] = [];
    answers({
      runs: (action) => (asked.push(action), "own"),
      perform: (action, work, silent) => (quiet.push([action, silent]), work()),
    });
    put("<p x></p>");
    const waits: unknown[] = [];
    answers({ busy: (_, more) => (waits.push(more), []) });
    const image = slow();
    let scope!: ActScope;
    await frames(500, async () => {
      scope = act();
      scope.perform(() => document.querySelector("p")!.append(image), true);
      expect((await scope.settle()).busy).toEqual(["loading of img"]);
    });
    expect(waits).toEqual([true, true, true, true]);
    expect(asked).toEqual([ACTION]);
    expect(quiet).toEqual([[ACTION, true]]);
    image.dispatchEvent(new Event("load"));
    expect(quiet).toEqual([
      [ACTION, true],
      [ACTION, true],
    ]);
    const late = slow();
    document.body.append(late);
    await Promise.resolve();
    scope.stop();
    late.dispatchEvent(new Event("load"));
    expect(quiet).toHaveLength(2);
    act().perform(() => {});
    expect(quiet.at(-1)).toEqual([ACTION, false]);
  });
  test("a movement is waited for like a request", async () => {
    put("<p x></p>");
    const waits: unknown[] = [];
    answers({ busy: (_, more) => (waits.push(more), []) });
    await frames(500, () => during(() => document.querySelector("p")!.animate([{ opacity: 0 }, { opacity: 1 }], 900)));
    expect(waits).toEqual([false, true, true, true]);
  });
  test("its work is not done for nobody, nor late; what goes on with it is", async () => {
    const control = new AbortController();
    const scope = act(60_000, control.signal);
    control.abort();
    expect(() => scope.perform(() => {})).toThrow();
    await frames(100, async () => {
      const wait = () => new Promise((next) => requestAnimationFrame(next));
      const [late, once] = [act(100), act(101)];
      await wait();
      expect(await problem(() => late.perform(() => {}))).toMatchObject({
        code: "timeout",
        message: expect.stringContaining("Nothing was done"),
      });
      expect(once.perform(() => 7)).toBe(7);
      await wait();
      expect(once.perform(() => 8)).toBe(8);
    });
  });
  test("what leads up to it comes to nothing by itself", () => {
    const scope = act();
    expect(scope.prepare(() => 7)).toBe(7);
    expect(worker.asked).toEqual([]);
    scope.perform(() => {});
    expect(worker.asked).toHaveLength(1);
    scope.tell({ match_count: 1, match_strategy: "css" }, true);
    expect(worker.asked.at(-1)).toMatchObject({ type: "gasoline-performed", real: true });
    scope.prepare(() => {});
    expect(worker.asked).toHaveLength(2);
  });
  test("what it waits for is told once, but not that something is not there", () => {
    const scope = act();
    const covered = new AgentProblem("blocked_by_overlay", "It is covered.");
    for (const one of [
      covered,
      covered,
      new AgentProblem("element_not_found", "no"),
      new AgentProblem("nth_out_of_range", "no"),
    ])
      scope.waits(one);
    new ActScope(undefined, { at: 0, signal: new AbortController().signal }).waits(covered);
    expect(worker.asked).toEqual([{ type: "gasoline-waiting", action: "a1", error: covered.brief() }]);
    const expected = { type: "keys", keys: ["a"] } as const;
    scope.announce(expected as never);
    expect(calls.at(-1)).toEqual(["expect", ACTION, expected]);
  });
  test("has a diff of what changed", () => {
    put("<p x></p>");
    const scope = act();
    scope.perform(() => document.querySelector("p")!.append("a"));
    expect(scope.diff?.told(false)).toMatchObject({ elements_added: 0, changes: expect.any(Number) });
    expect(new ActScope(undefined, scope.deadline).diff).toBe(undefined);
  });
  test("in a hidden page it waits by the worker's time, and says that it is hidden", () =>
    hide(async () => {
      put("");
      const ticks: boolean[] = [];
      const isTick = (one: unknown): boolean => (one as { type: string }).type === "gasoline-tick";
      answers({
        busy: () => {
          ticks.push(worker.asked.some(isTick));
          worker.asked.length = 0;
          return ticks.length < 3 ? ["GET /a"] : [];
        },
      });
      const scope = act();
      await scope.attach();
      expect(worker.asked).toEqual([{ type: "gasoline-input", action: "a1", step: "attach", hidden: true }]);
      await scope.settle();
      expect(ticks.slice(0, 3)).toEqual([false, true, true]);
    }));
  test("in a page that is not captured, what loads is waited for", async () => {
    globalThis.gasolineActs = undefined;
    put("");
    const image = slow();
    await frames(500, async () =>
      expect((await during(() => document.body.append(image))).busy).toEqual(["loading of img"]),
    );
  });
});

describe("real input", () => {
  const gesture = { type: "press", button: "left", count: 1 } as const;
  const expected = { type: "pointer", x: 1, y: 2, press: false } as const;
  const send = (scope = act()) => scope.send(gesture, { x: 1, y: 2 }, expected);
  test("is announced to the page's world while the worker makes it", async () => {
    const scope = act();
    await scope.attach();
    expect(await send(scope)).toBe(true);
    expect(worker.asked).toEqual([
      { type: "gasoline-input", action: "a1", step: "attach" },
      { type: "gasoline-input", action: "a1", step: "send", gesture, x: 1, y: 2 },
    ]);
    expect(calls).toEqual([
      ["begin", ACTION, false],
      ["expect", ACTION, expected],
      ["expect", ACTION, undefined],
    ]);
  });
  test("is announced no longer when it was refused", async () => {
    worker.answer = { code: "debugger_refused", message: "no" };
    expect(await problem(() => send())).toEqual({ code: "debugger_refused", message: "no" });
    expect(calls.at(-1)).toEqual(["expect", ACTION, undefined]);
    worker.answer = undefined;
    expect(await problem(() => act().attach())).toEqual({
      code: "not_actionable",
      message: "Real input needs the extension's worker.",
    });
  });
  test("that the document did not hear yet is waited for by a frame", async () => {
    let asked = 0;
    came = () => ++asked > 1;
    expect(await frames(16, async () => expect(await send()).toBe(true))).toBe(1);
    came = () => false;
    expect(await frames(16, async () => expect(await send()).toBe(false))).toBe(1);
    came = () => true;
    expect(await frames(16, async () => expect(await send()).toBe(true))).toBe(0);
  });
  test("that a hidden document did not hear yet is waited for without the worker", async () => {
    let asked = 0;
    came = () => ++asked > 1;
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    try {
      expect(await send()).toBe(true);
    } finally {
      Reflect.deleteProperty(document, "hidden");
    }
    expect(worker.asked).toHaveLength(1);
  });
  test("that the document did not hear because it is left has come", async () => {
    came = () => false;
    const scope = act();
    navigate();
    expect(await frames(16, async () => expect(await send(scope)).toBe(true))).toBe(0);
  });
});

const PRESS = "pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu".split(" ");

/** Gives what listens on window the events that only a browser makes. Says of each whether the page hears of it. */
async function pressing(work: (press: Press) => unknown): Promise<void> {
  const { addEventListener: add, removeEventListener: remove } = window;
  const listening = new Map<string, Set<(event: unknown) => void>>();
  window.addEventListener = ((type: string, listener: never, capture: unknown) => {
    if (!PRESS.includes(type) || capture !== true) return add.call(window, type, listener, capture as never);
    if (!listening.has(type)) listening.set(type, new Set());
    listening.get(type)!.add(listener);
  }) as never;
  window.removeEventListener = ((type: string, listener: never, capture: unknown) => {
    if (capture === true) listening.get(type)?.delete(listener);
    remove.call(window, type, listener, capture as never);
  }) as never;
  const press: Press = (target, at, { type = "mousedown", isTrusted = true } = {}) => {
    let prevented = false;
    let stopped = false;
    const event = {
      type,
      isTrusted,
      clientX: at.x,
      clientY: at.y,
      composedPath: () => [target],
      preventDefault: () => (prevented = true),
      stopImmediatePropagation: () => (stopped = true),
    };
    for (const listener of listening.get(type) ?? []) listener(event);
    expect(prevented).toBe(stopped);
    return !stopped;
  };
  press.listening = () => [...listening].filter(([, set]) => set.size > 0).map(([type]) => type);
  try {
    await work(press);
  } finally {
    Object.assign(window, { addEventListener: add, removeEventListener: remove });
  }
}
interface Press {
  (target: unknown, at: { x: number; y: number }, more?: { type?: string; isTrusted?: boolean }): boolean;
  /** Which events are listened to. */
  listening?: () => string[];
}

const at = { x: 30, y: 30 };
const never = (): Element => {
  throw new Error("asked");
};

describe("a press that is aimed", () => {
  const page = (): Element[] => {
    put("<button id=a><i>a</i></button><button id=b>b</button><main></main>");
    return ["#a", "#b", "i"].map((selector) => document.querySelector(selector)!);
  };
  test("reaches its element and what is in it, with all of its events", () =>
    pressing((press) => {
      const [a, , inner] = page();
      for (const target of [a, inner]) {
        const aim = new Aim(a!, at, never);
        expect(PRESS.map((type) => press(target, at, { type }))).toEqual(PRESS.map(() => true));
        expect(aim.missed).toBe(false);
        aim.stop();
      }
    }));
  test("reaches nobody where it comes to another element, and none of its events does", () =>
    pressing((press) => {
      const [a, b] = page();
      const aim = new Aim(a!, at, never);
      expect(aim.missed).toBe(false);
      expect(press(b, at)).toBe(false);
      expect(PRESS.map((type) => press(type === "click" ? a : b, at, { type }))).toEqual(PRESS.map(() => false));
      expect(aim.missed).toBe(true);
      aim.stop();
      const page2 = new Aim(a!, at, never);
      expect([press(window, at), page2.missed]).toEqual([false, true]);
      page2.stop();
    }));
  test("goes on where its element was met", () =>
    pressing((press) => {
      const [a, b] = page();
      const aim = new Aim(a!, at, never);
      expect([press(a, at), press(b, at, { type: "mouseup" }), aim.missed]).toEqual([true, true, false]);
      aim.stop();
    }));
  test("is told from events of the page, and from the user's own at another place", () =>
    pressing((press) => {
      const [a, b] = page();
      const aim = new Aim(a!, at, never);
      expect(press(b, at, { isTrusted: false })).toBe(true);
      for (const [x, y] of [
        [31.5, 30],
        [28.5, 30],
        [30, 31.5],
        [30, 28.5],
      ] as const)
        expect(press(b, { x, y }), `${x} ${y}`).toBe(true);
      expect(aim.missed).toBe(false);
      expect(press(b, { x: 31.4, y: 28.6 })).toBe(false);
      aim.stop();
    }));
  test("meets what the page has put into its element's place", () =>
    pressing((press) => {
      const [a, b] = page();
      a!.remove();
      const meets = (again: () => Element): unknown[] => {
        const aim = new Aim(a!, at, again);
        const heard = press(b, at);
        aim.stop();
        return [heard, aim.missed];
      };
      expect(meets(() => b!)).toEqual([true, false]);
      expect(meets(() => document.querySelector("main")!)).toEqual([false, true]);
      expect(meets(never)).toEqual([false, true]);
      document.body.append(a!);
      expect(meets(() => b!)).toEqual([false, true]);
    }));
  test("is listened to until it is over", () =>
    pressing((press) => {
      const [a, b] = page();
      const aim = new Aim(a!, at, never);
      expect(press.listening!()).toEqual(PRESS);
      aim.stop();
      expect(press.listening!()).toEqual([]);
      expect(press(b, at)).toBe(true);
    }));
});

describe("a press whose page moves before its release", () => {
  const page = (): HTMLElement[] => {
    put("<button id=a aria-expanded=false><i>a</i></button><button id=b>b</button>");
    return ["#a", "#b", "i"].map((selector) => document.querySelector<HTMLElement>(selector)!);
  };
  /** The viewport gets lower, as by the debugger's bar. */
  const move = (): void =>
    void Object.defineProperty(window, "innerHeight", { value: window.innerHeight - 40, configurable: true });
  const whole = Object.getOwnPropertyDescriptor(window, "innerHeight")!;
  const back = (): void => void Object.defineProperty(window, "innerHeight", whole);
  afterEach(back);
  const slip = (press: Press, change: (a: HTMLElement) => void, moves = true, released = ""): boolean => {
    const [a, b] = page();
    const aim = new Aim(a!, at, never);
    press(a, at);
    change(a!);
    if (moves) move();
    press(released ? a : b, at, { type: released || "mouseup" });
    aim.stop();
    const { slipped } = aim;
    back();
    return slipped;
  };
  test("slips, and the page hears of no click elsewhere", () =>
    pressing((press) => {
      const [a, b] = page();
      const aim = new Aim(a!, at, never);
      expect([press(a, at), aim.slipped]).toEqual([true, false]);
      expect(press(b, at, { type: "click" })).toBe(true); // nothing has moved
      move();
      expect(press(b, at, { type: "mouseup" })).toBe(true);
      expect(press(b, at, { type: "click" })).toBe(false);
      expect([aim.slipped, aim.missed, aim.acted]).toEqual([true, false, false]);
      expect(press(a, at, { type: "click" })).toBe(true);
      expect(aim.slipped).toBe(false);
      aim.stop();
    }));
  test("has not slipped where it did not move, was let go of on its element, or was enough", () =>
    pressing((press) => {
      const nothing = (): void => {};
      expect(slip(press, nothing)).toBe(true);
      expect(slip(press, nothing, false)).toBe(false);
      for (const type of ["pointerup", "mouseup", "click"]) expect(slip(press, nothing, true, type), type).toBe(false);
      expect(slip(press, (a) => a.remove())).toBe(false);
      for (const name of ["aria-checked", "aria-expanded", "aria-pressed", "aria-selected", "data-state"])
        expect(
          slip(press, (a) => a.setAttribute(name, "true")),
          name,
        ).toBe(false);
      const aim = new Aim(page()[0]!, at, never);
      move();
      expect(aim.slipped).toBe(false); // it came to nobody
      aim.stop();
    }));
  test("says what the page did by the press alone", () =>
    pressing(async (press) => {
      const span = (text: string): Element => Object.assign(document.createElement("span"), { textContent: text });
      for (const [change, acted] of [
        [([, b]) => (b!.className = "x"), true],
        [([, b]) => b!.append(span("")), true],
        [([a]) => a!.append(span("x")), true],
        [([a]) => a!.append(span("")), false],
        [([a]) => (a!.append(span("")), a!.lastChild!.remove()), false],
        [([, , i]) => i!.firstChild!.remove(), true],
        [([, , i]) => ((i!.firstChild as Text).data = "x"), true],
        [([a]) => (a!.className = "x"), false],
        [([a, , i]) => ((a!.style.color = "red"), (i!.style.color = "red")), false],
        [([a]) => a!.setAttribute("data-classes", "x"), true],
        [() => {}, false],
      ] as [(all: HTMLElement[]) => unknown, boolean][]) {
        for (const type of ["pointerdown", "mousedown"]) {
          const all = page();
          const aim = new Aim(all[0]!, at, never);
          press(all[0], at, { type });
          change(all);
          await Promise.resolve();
          expect(aim.acted, `${type}: ${String(change)}`).toBe(acted);
          aim.stop();
        }
      }
      const [a, b] = page();
      const later = new Aim(a!, at, never);
      b!.textContent = "before";
      press(a, at);
      await new Promise((done) => setTimeout(done, 5));
      b!.textContent = "by itself";
      await Promise.resolve();
      expect(later.acted).toBe(false);
      press(a, at, { type: "mouseup" });
      b!.textContent = "by the release";
      await Promise.resolve();
      expect(later.acted).toBe(false);
      press(a, at);
      later.stop();
      b!.textContent = "after it";
      await Promise.resolve();
      expect(later.acted).toBe(false);

      const root = document.querySelector("#a")!.parentElement!.attachShadow({ mode: "open" });
      root.innerHTML = "<button>c</button><p></p>";
      const within = new Aim(root.querySelector("button")!, at, never);
      press(root.querySelector("button"), at);
      root.querySelector("p")!.textContent = "x";
      await Promise.resolve();
      expect(within.acted).toBe(true);
      within.stop();
    }));
});

describe("an act by real input", () => {
  /** Answers each gesture that the worker is sent. */
  const onSend = (work: (n: number) => void): void => {
    let n = 0;
    Object.defineProperty(worker, "answer", {
      configurable: true,
      get: () => {
        if ((worker.asked.at(-1) as { step?: string }).step === "send") work(++n);
        return null;
      },
    });
  };
  const sent = () => worker.asked.filter((at) => (at as { step?: string }).step === "send");
  test("is done again where the element is now, when the press came to nobody", () =>
    pressing(async (press) => {
      const element = put(`<button x ${box()}>a</button><p id=p></p>`);
      onSend((n) => {
        press(n === 1 ? document.querySelector("#p") : element, { x: n === 1 ? 30 : 130, y: 30 });
        element.style.left = "110px";
      });
      const { result } = await click({ selector: "button", trusted: "always" }, environment());
      expect(sent()).toMatchObject([
        { x: 30, y: 30 },
        { x: 130, y: 30 },
      ]);
      expect(result).toMatchObject({ trusted: true, match_count: 1, match_strategy: "css" });
      expect(calls.filter(([name]) => name === "expect")).toEqual([
        ["expect", ACTION, { type: "pointer", x: 30, y: 30, press: true }],
        ["expect", ACTION, undefined],
        ["expect", ACTION, { type: "pointer", x: 130, y: 30, press: true }],
        ["expect", ACTION, undefined],
      ]);
      expect(press.listening!()).toEqual([]);
    }));
  test("reaches the element that the page has put in the place of the one that was found", () =>
    pressing(async (press) => {
      put(`<main><button ${box()}>a</button></main>`);
      onSend(() => {
        document.querySelector("main")!.innerHTML = `<button ${box()}>a</button>`;
        expect(press(document.querySelector("button"), { x: 30, y: 30 })).toBe(true);
      });
      await click({ selector: "button", trusted: "always" }, environment());
      expect(sent()).toHaveLength(1);
    }));
  test("at a point that was named, or by the pointer's move alone, is aimed at no element", () =>
    pressing(async (press) => {
      put(`<button x ${box()}>a</button><p id=p></p>`);
      const listening: unknown[] = [];
      onSend(() => listening.push(press.listening!().length));
      await click({ x: 12, y: 22, trusted: "always" }, environment());
      await hover({ selector: "button" }, environment());
      await click({ selector: "button", trusted: "always" }, environment());
      expect(listening).toEqual([0, 0, PRESS.length]);
    }));
  test("is not repeated where nothing was heard of it, and that is told of a click", async () => {
    put(`<button x ${box()}>a</button>`);
    came = () => false;
    expect(await problem(() => click({ selector: "button", trusted: "always" }, environment()))).toEqual({
      code: "not_actionable",
      message: 'The page heard nothing of a click on <button> "a": look at the page before you repeat it.',
    });
    expect(sent()).toHaveLength(1);
    const right = await click({ selector: "button", trusted: "always", button: "right" }, environment());
    expect([right.result.trusted, sent().length]).toEqual([true, 2]);
  });
  test("is taken back by nobody when the worker refuses it", () =>
    pressing(async (press) => {
      put(`<button x ${box()}>a</button>`);
      onSend(() => {
        throw new AgentProblem("debugger_refused", "no");
      });
      expect((await problem(() => click({ selector: "button", trusted: "always" }, environment()))).code).toBe(
        "debugger_refused",
      );
      expect(press.listening!()).toEqual([]);
    }));
  test("checks a box", async () => {
    const field = put(`<input type=checkbox x ${box()}>`) as HTMLInputElement;
    onSend(() => (field.checked = true));
    const { result } = await check({ selector: "[x]", trusted: "always" }, environment());
    expect(result).toMatchObject({ trusted: true, value: "true", matched: { checked: true } });
  });
  test("presses keys where the focus is", async () => {
    const field = put("<input x>");
    field.focus();
    await keyPress({ text: "Control+a" }, environment());
    expect(sent()).toMatchObject([{ gesture: { type: "keys", keys: "Control+a" }, x: 0, y: 0 }]);
    expect(calls).toContainEqual(["expect", ACTION, { type: "keys", keys: ["a"] }]);
    await type({ selector: "[x]", text: "b", trusted: "always" }, environment());
    expect(calls).toContainEqual(["expect", ACTION, { type: "keys", keys: ["b"] }]);
  });
});

test("a page that is not captured is acted on all the same", async () => {
  globalThis.gasolineActs = undefined;
  const heard: string[] = [];
  const element = put(`<button x ${box()}>a</button>`);
  for (const name of ["a", "click"]) element.addEventListener(name, () => heard.push(name));
  expect(acts().perform(ACTION, () => 7)).toBe(7);
  expect(acts().dispatch(element, new Event("a"))).toBe(true);
  acts().click(element);
  expect(heard).toEqual(["a", "click"]);
  expect([acts().came(), acts().busy(ACTION, false)]).toEqual([true, []]);
  expect((await click({ selector: "button", trusted: "always" }, environment())).result.trusted).toBe(true);
});
