import { afterEach, describe, expect, test } from "vitest";
import { fitting, probe } from "../../dom-agent/probe.ts";
import { AgentProblem } from "../../dom-agent/problem.ts";
import { turn } from "../../dom-agent/waiting.ts";
import { book, pause, problem, put, within } from "./world.ts";

afterEach(() => document.body.removeAttribute("contenteditable"));

describe("what fits in a frame around which others wait", () => {
  test("is the page itself only where it is an editor that is named", () => {
    put("<p>a</p>");
    document.body.id = "editor";
    const fits = (selector: string) => fitting({ selector, inner: true }, book());
    expect([fits("#editor"), fits("body"), fits("p").length]).toEqual([[], [], 1]);
    document.body.contentEditable = "true";
    expect([fits("#editor"), fits("body"), fits("HTML")]).toEqual([[document.body], [], []]);
    expect(fitting({ selector: "body" }, book())).toEqual([document.body]);
  });
  test("is nothing where its scope is not there, and a problem where it cannot be said", async () => {
    put("<p>a</p>");
    expect(fitting({ selector: "p", within: "main" }, book())).toEqual([]);
    expect((await problem(() => fitting({ ref: "e9" }, book()))).code).toBe("stale_ref");
  });
});

describe("a probe", () => {
  test("finds by refs, what it waits for in the part of a ref too", async () => {
    const refs = book();
    const at = put("<button x>a</button><main></main>");
    const [button, main] = [at, document.querySelector("main")!].map((one) => refs.refOf(one));
    expect(await probe({ ref: button!, wait: true }, within(100, refs))).toEqual({ count: 1, visible: 1 });
    expect(await probe({ ref: button! }, within(100, refs))).toEqual({ count: 1, visible: 1 });
    setTimeout(() => document.querySelector("main")!.append("b", document.createElement("p")), 20);
    const waiting = probe({ selector: "p", within: `ref=${main}`, wait: true, inner: true }, within(5000, refs));
    expect(await waiting).toMatchObject({ count: 1 });
  });
  const late = (html: string): void => void setTimeout(() => put(html), 20);
  test.each([[true], [false]])("waits for what comes, in an inner frame: %s", async (inner) => {
    put("");
    late("<p>a</p>");
    expect(await probe({ selector: "p", wait: true, inner: inner as boolean }, within(5000))).toMatchObject({
      count: 1,
      visible: 1,
    });
  });
  test("waits for no longer than it is asked to", async () => {
    put("");
    expect(await probe({ selector: "p", wait: true, inner: true }, within(30))).toEqual({ count: 0, visible: 0 });
    late("<p>a</p>");
    expect(await probe({ selector: "p" }, within(5000))).toEqual({ count: 0, visible: 0 });
    const control = new AbortController();
    const environment = within(60_000);
    environment.deadline.signal = control.signal;
    const waiting = probe({ selector: "u", wait: true, inner: true }, environment);
    control.abort();
    await expect(waiting).rejects.toThrow();
  });
  test("of an inner frame gives the page ten times what a look took, a second at most, and ends at once", async () => {
    const native = globalThis.setTimeout;
    const { now } = performance;
    const query = document.querySelectorAll;
    const control = new AbortController();
    for (const [took, rest] of [
      [7, 70],
      [101, 1000],
    ] as const) {
      put("");
      let time = 0;
      let looks = 0;
      const waits: number[] = [];
      performance.now = () => time;
      document.querySelectorAll = ((selector: string) => {
        if (selector === "u" && ++looks > 0) time += took;
        return query.call(document, selector);
      }) as never;
      globalThis.setTimeout = ((work: () => void, ms: number) => {
        waits.push(ms);
        time += ms;
        return native(work, 0);
      }) as never;
      try {
        const environment = within(60_000);
        environment.deadline.signal = control.signal;
        const waiting = probe({ selector: "u", wait: true, inner: true }, environment);
        while (looks < 3) await turn();
        put("<u>a</u>");
        expect(await waiting).toMatchObject({ count: 1 });
      } finally {
        performance.now = now;
        document.querySelectorAll = query;
        globalThis.setTimeout = native;
      }
      expect(waits.slice(0, 4)).toEqual([1000, rest, 1000, rest]);
    }
  });
  test("of an inner frame ends at once when nobody waits any more", async () => {
    put("");
    const control = new AbortController();
    const environment = within(60_000);
    environment.deadline.signal = control.signal;
    const waiting = probe({ selector: "u", wait: true, inner: true }, environment).catch(() => "over");
    await pause(0);
    control.abort();
    expect(await Promise.race([waiting, pause(0)])).toBe("over");
  });
  test("asks a hundred of those that fit whether they are visible", async () => {
    put("<p>a</p>".repeat(101));
    expect(await probe({ selector: "p" }, within())).toEqual({ count: 101, visible: 100 });
  });
  test("tells what fits, by its frame", async () => {
    put("<button hidden>a</button><button>b</button>");
    const told = await probe({ selector: "button", tell: true }, within(0, undefined, "2"));
    expect(told).toEqual({ count: 2, visible: 1, candidates: [expect.objectContaining({ frame: "2" })] });
    const own = await probe({ selector: "button", tell: true }, within());
    expect(own.candidates?.[0]).not.toHaveProperty("frame");
  });
});

test("a problem says in brief what costs nothing to say", () => {
  const dear = new AgentProblem("not_found", "It is not there.", () => ({ blocker: "b" }));
  const cheap = new AgentProblem("not_found", "It is not there.", { blocker: "b" });
  const brief = { code: "not_found", message: "It is not there." };
  expect([dear.brief(), cheap.brief()]).toEqual([brief, { ...brief, blocker: "b" }]);
  expect([dear.toWire(), cheap.toWire()]).toEqual([
    { ...brief, blocker: "b" },
    { ...brief, blocker: "b" },
  ]);
});
