import { describe, expect, test } from "vitest";
import { callChildren, originOf, origins } from "../../dom-agent/frames.ts";
import { probe } from "../../dom-agent/probe.ts";
import { problem, put, shadow, within } from "./world.ts";

const ELSEWHERE = "http://127.0.0.1:9"; // nothing listens there

function iframe(attributes: Record<string, string>, into?: ParentNode): HTMLIFrameElement {
  const made = document.createElement("iframe");
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  into?.append(made);
  return made;
}

describe("the origin of a frame", () => {
  test.each([
    [{ src: `${ELSEWHERE}/a` }, ELSEWHERE],
    [{ src: "data:text/html,a" }, ""],
    [{ src: "http://[" }, ""],
    [{ src: `${ELSEWHERE}/a`, srcdoc: "a" }, ""],
    [{ src: `${ELSEWHERE}/a`, sandbox: "" }, "null"],
    [{ src: `${ELSEWHERE}/a`, sandbox: "allow-scripts" }, "null"],
    [{ src: `${ELSEWHERE}/a`, sandbox: "allow-same-origin" }, ELSEWHERE],
  ])("is that of its address, where it has one", (attributes, origin) => {
    expect(originOf(iframe(attributes as Record<string, string>))).toBe(origin);
  });
  test("is none where it has no address, whatever the page's is", () => {
    document.head.innerHTML = `<base href="${ELSEWHERE}/">`;
    expect([originOf(iframe({})), originOf(iframe({ src: "" })), originOf(iframe({ src: "a" }))]).toEqual([
      "",
      "",
      ELSEWHERE,
    ]);
  });
  test("is none where there is no frame", () => {
    expect(originOf(undefined)).toBe("");
  });
  test("is told by places, also of what was loaded into a sandbox", () => {
    put("");
    for (const attributes of [{ src: `${ELSEWHERE}/a` }, { src: `${ELSEWHERE}/b`, sandbox: "" }, { sandbox: "" }])
      iframe(attributes as Record<string, string>, document.body);
    expect(origins([0, 1, 2, 7])).toEqual([ELSEWHERE, ELSEWHERE, "", ""]);
  });
});

test("frames in shadow roots are told their places, of the origins that may hear of it", () => {
  const root = shadow(put("<div x></div>"), "");
  const told: unknown[] = [];
  const hears = (name: string, frame: HTMLIFrameElement): void => {
    frame.contentWindow!.postMessage = (...given: unknown[]) => void told.push([name, ...given]);
  };
  hears("beside", iframe({}, document.body));
  hears("own", iframe({}, root));
  hears("other", iframe({ src: `${ELSEWHERE}/a` }, root));
  const here = location.origin === "null" ? "*" : location.origin;
  callChildren("t1", []);
  expect(told).toEqual([["own", { gasoline: "t1", place: 1 }, here]]);
  told.length = 0;
  callChildren("t2", ["http://127.0.0.1:10", ELSEWHERE]);
  expect(told).toEqual([
    ["own", { gasoline: "t2", place: 1 }, here],
    ["other", { gasoline: "t2", place: 2 }, here === "*" ? "*" : ELSEWHERE],
  ]);
});

describe("a frame that is asked for a target", () => {
  const ask = (params: object, ms = 0) => probe(params as never, within(ms, undefined, "2"));
  test("says how often it fits, and how often it is seen", async () => {
    put("<button>a</button><button hidden>b</button>");
    expect(await ask({ selector: "button" })).toEqual({ count: 2, visible: 1 });
    expect(await ask({ selector: "i" })).toEqual({ count: 0, visible: 0 });
    expect(await ask({ selector: "button", tell: true })).toMatchObject({
      candidates: [{ frame: "2" }],
    });
    put("<button hidden>b</button>");
    expect((await ask({ selector: "button", tell: true })).candidates).toHaveLength(1);
  });
  test("does not take itself for the page", async () => {
    put("");
    for (const selector of ["body", "html"]) {
      expect((await ask({ selector })).count, selector).toBe(1);
      expect((await ask({ selector, inner: true })).count, selector).toBe(0);
    }
  });
  test.each([[true], [false]])("waits for it, where it is to: in an iframe %s", async (inner) => {
    put("");
    expect((await ask({ selector: "button", inner }, 3000)).count).toBe(0);
    setTimeout(() => put("<button x>a</button>"), 40);
    expect((await ask({ selector: "button", inner, wait: true }, 3000)).count).toBe(1);
  });
  test("tells at the deadline that nothing came: the page by a problem, an iframe by its number", async () => {
    put("");
    expect(await problem(() => ask({ selector: "button", wait: true }, 60))).toMatchObject({
      code: "element_not_found",
      message: "Nothing fits.",
    });
    expect(await ask({ selector: "button", wait: true, inner: true }, 60)).toEqual({ count: 0, visible: 0 });
    expect((await problem(() => ask({ ref: "e999999" }))).code).toBe("stale_ref");
  });
});
