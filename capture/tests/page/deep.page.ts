import { beforeEach, describe, expect, test } from "vitest";
import { Roots, type Scope, Search, gather, inOrder, run, select } from "../../locators/deep.ts";

const put = (html: string): void => void (document.body.innerHTML = html);
const shadow = (host: Element, html: string, mode: ShadowRootMode = "open"): ShadowRoot => {
  const root = host.attachShadow({ mode });
  root.innerHTML = html;
  return root;
};
const closed = new Map<Element, ShadowRoot>();
const asked: Element[] = [];
const opening = (): Roots =>
  new Roots((host) => {
    asked.push(host);
    return closed.get(host) ?? null;
  });
const ids = (elements: Iterable<Element>): string[] => [...elements].map((element) => element.id);
const below = (roots: Roots, css = "[id]", scope: Scope = document): string[] =>
  ids(select(css, run(roots.below(scope))));

beforeEach(() => {
  closed.clear();
  asked.length = 0;
});

describe("roots", () => {
  test("are those of the page, in its order", () => {
    put("<p id=a></p><div id=b><i id=f></i></div><x-a id=g></x-a><p id=j></p>");
    const b = shadow(document.querySelector("#b")!, "<i id=c></i><span id=d></span><i></i>");
    shadow(b.querySelector("#d")!, "<i id=e></i>");
    shadow(document.querySelector("#g")!, "<i id=h></i><i id=i></i>");
    expect(below(new Roots())).toEqual("abcdefghij".split(""));
    expect(below(new Roots(), "i")).toEqual(["c", "e", "", "f", "h", "i"]);
  });
  test("are looked for below a scope", () => {
    put("<div id=a><div id=b></div></div><div id=c></div>");
    shadow(document.querySelector("#a")!, "<i id=d></i>");
    shadow(document.querySelector("#b")!, "<i id=e></i>");
    const c = shadow(document.querySelector("#c")!, "<p id=f><span id=g></span></p><p id=h></p>");
    shadow(c.querySelector("#g")!, "<i id=i></i>");
    const roots = new Roots();
    expect(below(roots, "[id]", document.querySelector("#a")!)).toEqual("dbe".split(""));
    expect(below(roots, "[id]", document.querySelector("#b")!)).toEqual(["e"]);
    expect(below(roots, "[id]", document.querySelector("#c")!)).toEqual("fgih".split(""));
    expect(below(roots, "[id]", c)).toEqual("fgih".split(""));
    expect(below(roots, "[id]", c.querySelector("#f")!)).toEqual("gi".split(""));
    expect(below(roots, "[id]", c.querySelector("#h")!)).toEqual([]);
  });
  test.each("article aside blockquote div footer h1 h2 h3 h4 h5 h6 header main nav p section span x-a".split(" "))(
    "may be those of %s",
    (tag) => {
      put(`<${tag as string}></${tag as string}>`);
      shadow(document.body.firstElementChild!, "<i id=a></i>");
      expect(below(new Roots())).toEqual(["a"]);
    },
  );
  test("may be that of the body", () => {
    const body = document.createElement("body");
    document.body.replaceWith(body);
    shadow(body, "<i id=a></i>");
    expect(below(new Roots())).toEqual(["a"]);
  });
  test("that are closed are asked for, of HTML elements that can have one and have none that is open", () => {
    put("<div id=a></div><p id=b></p><i></i><svg><x-a></x-a></svg><div id=c></div>");
    closed.set(document.querySelector("#a")!, shadow(document.querySelector("#a")!, "<i id=d></i>", "closed"));
    shadow(document.querySelector("#c")!, "<i id=e></i>");
    const roots = opening();
    expect(below(roots)).toEqual("adbce".split(""));
    expect(new Set(asked)).toEqual(new Set([document.body, ...document.querySelectorAll("#a,#b")]));
    expect(roots.of(document.querySelector("#a")!)).toBe(closed.get(document.querySelector("#a")!));
    expect(roots.of(document.querySelector("#b")!)).toBeNull();
    expect(new Roots().of(document.querySelector("#a")!)).toBeNull();
  });
  test("are found when they come", () => {
    const roots = new Roots();
    put("<p id=a></p>");
    expect(below(roots)).toEqual(["a"]);
    const late = document.createElement("div");
    late.id = "b";
    late.innerHTML = "<div></div>";
    shadow(late, "<i id=c></i>");
    shadow(late.firstElementChild!, "<i id=d></i>");
    document.body.append(late, "text");
    expect(below(roots)).toEqual("abcd".split(""));
    const inner = document.createElement("span");
    shadow(inner, "<i id=e></i>");
    late.shadowRoot!.append(inner);
    expect(below(roots)).toEqual("abced".split(""));
    late.remove();
    expect(below(roots)).toEqual(["a"]);
    document.body.append(late);
    expect(below(roots)).toEqual("abced".split(""));
  });
  test("of what came and went are not gone through", () => {
    const roots = opening();
    put("");
    below(roots);
    asked.length = 0;
    const gone = document.createElement("div");
    document.body.append(gone);
    gone.remove();
    below(roots);
    expect(asked).not.toContain(gone);
  });
  test("of custom elements are found when these get them", () => {
    put("<x-a></x-a><x-b></x-b>");
    const roots = new Roots();
    expect(below(roots)).toEqual([]);
    shadow(document.querySelector("x-b")!, "<i id=b></i>");
    expect(below(roots)).toEqual(["b"]);
    shadow(document.querySelector("x-a")!, "<i id=a></i>");
    expect(below(roots)).toEqual(["a", "b"]);
    expect(below(roots)).toEqual(["a", "b"]);
  });
  test("of 1,001 custom elements that wait, the last is not watched", () => {
    put("<x-a></x-a>".repeat(1001));
    const roots = new Roots();
    below(roots);
    const all = document.querySelectorAll("x-a");
    shadow(all[999]!, "<i id=a></i>");
    shadow(all[1000]!, "<i id=b></i>");
    expect(below(roots)).toEqual(["a"]);
  });
  test("that are closed and come late are found by and by, 200 elements a search", () => {
    put("<div></div>".repeat(401));
    const roots = opening();
    below(roots);
    const all = document.querySelectorAll("div");
    const outer = document.querySelectorAll("*").length - all.length;
    closed.set(all[199 - outer]!, shadow(all[199 - outer]!, "<i id=a></i>", "closed"));
    closed.set(all[200 - outer]!, shadow(all[200 - outer]!, "<i id=b></i>", "closed"));
    closed.set(all[400]!, shadow(all[400]!, "<i id=c></i>", "closed"));
    expect(below(roots)).toEqual(["a"]);
    expect(below(roots)).toEqual(["a", "b"]);
    expect(below(roots)).toEqual(["a", "b", "c"]);
    // It begins again at the top.
    closed.set(all[0]!, shadow(all[0]!, "<i id=d></i>", "closed"));
    expect(below(roots)).toEqual(["d", "a", "b", "c"]);
  });
  test("are watched again after a page was gone through anew", () => {
    put("<div id=a></div>");
    const root = shadow(document.querySelector("#a")!, "<p id=b></p>");
    const roots = new Roots();
    below(roots);
    document.body.append(...Array.from({ length: 1001 }, () => document.createElement("i")));
    below(roots);
    const late = document.createElement("div");
    shadow(late, "<i id=c></i>");
    // Deep in the root, not only at its top.
    root.querySelector("#b")!.append(late);
    expect(below(roots)).toEqual(["a", "b", "c"]);
  });
  test("that only the page can open are not asked for again", () => {
    put("<div id=a></div>");
    const roots = new Roots();
    below(roots);
    shadow(document.querySelector("#a")!, "<i id=b></i>");
    expect(below(roots)).toEqual(["a"]);
  });
  test("are looked for anew when more than 1,000 elements came", () => {
    for (const [count, again] of [
      [1000, false],
      [1001, true],
    ] as const) {
      put("<div id=a></div>");
      const roots = new Roots();
      below(roots);
      // Nobody hears of this one, except who goes through the page again.
      shadow(document.querySelector("#a")!, "<i id=b></i>");
      document.body.append(...Array.from({ length: count }, () => document.createElement("i")));
      expect(below(roots), String(count)).toEqual(again ? ["a", "b"] : ["a"]);
      document.body.append(document.createElement("i"));
      const late = document.createElement("div");
      shadow(late, "<i id=c></i>");
      document.body.append(late);
      expect(below(roots), String(count)).toEqual(again ? ["a", "b", "c"] : ["a", "c"]);
    }
  });
  test("are looked for anew when more than 1,000 elements came in several goes", async () => {
    put("<div id=a></div>");
    const roots = new Roots();
    below(roots);
    shadow(document.querySelector("#a")!, "<i id=b></i>");
    for (let i = 0; i < 3; i++) {
      document.body.append(...Array.from({ length: 400 }, () => document.createElement("i")));
      await Promise.resolve();
    }
    expect(below(roots)).toEqual(["a", "b"]);
  });
  test("in roots end after 50", () => {
    const nest = (depth: number): number => {
      put("<div></div>");
      let host = document.body.firstElementChild!;
      for (let i = 1; i <= depth; i++) host = shadow(host, `<div id=d${i}></div>`).firstElementChild!;
      return below(new Roots()).length;
    };
    expect(nest(50)).toBe(50);
    expect(nest(51)).toBe(50);
  });
  test("in roots that come later end after 50 too", () => {
    put("<x-a></x-a>");
    const roots = new Roots();
    below(roots);
    let host = document.body.firstElementChild!;
    for (let i = 1; i <= 51; i++) host = shadow(host, `<div id=d${i}></div>`).firstElementChild!;
    expect(below(roots)).toHaveLength(50);
    put("");
    below(roots);
    const top = document.createElement("div");
    host = top;
    for (let i = 1; i <= 51; i++) host = shadow(host, `<div id=d${i}></div>`).firstElementChild!;
    document.body.append(top);
    expect(below(roots)).toHaveLength(50);
    put("<div></div>");
    const asking = opening();
    below(asking);
    host = document.body.firstElementChild!;
    for (let i = 1; i <= 51; i++) {
      const root = shadow(host, `<div id=d${i}></div>`, "closed");
      closed.set(host, root);
      host = root.firstElementChild!;
    }
    expect(below(asking)).toHaveLength(50);
  });
  test("are looked for with a pause every 500 elements", () => {
    const pauses = (count: number): number => {
      put("<i></i>".repeat(count));
      let n = 0;
      const steps = new Roots().below(document);
      while (!steps.next().done) n++;
      return n;
    };
    put("");
    const outer = document.querySelectorAll("*").length;
    expect(pauses(499 - outer)).toBe(0);
    expect(pauses(500 - outer)).toBe(1);
    expect(pauses(999 - outer)).toBe(1);
    expect(pauses(1000 - outer)).toBe(2);
  });
});

describe("gathering", () => {
  test("puts a host before what is in it, found or not", () => {
    put("<div id=a><i id=c></i></div><i id=d></i>");
    shadow(document.querySelector("#a")!, "<i id=b></i>");
    const tree = run(new Roots().below(document));
    expect(ids(gather(tree, (scope) => [...scope.querySelectorAll("div,i")]))).toEqual("abcd".split(""));
    expect(ids(gather(tree, (scope) => [...scope.querySelectorAll("i")]))).toEqual("bcd".split(""));
    expect(ids(gather(tree, (scope) => [...scope.querySelectorAll("div")]))).toEqual(["a"]);
  });
  test("gives what is found as it is, where roots hold nothing", () => {
    put("<div id=a></div><i id=b></i>");
    shadow(document.querySelector("#a")!, "<p></p>");
    expect(
      ids(gather(run(new Roots().below(document)), (scope) => [...scope.querySelectorAll("[id]")].toReversed())),
    ).toEqual(["b", "a"]);
  });
  test("orders elements below a scope, with what is inside of them behind", () => {
    put("<i id=a></i><i id=b></i><i id=c></i><i id=d></i>");
    const [a, b, c, d] = document.querySelectorAll("i");
    expect(ids(inOrder(document.body, new Set([d!, b!, document.body])))).toEqual(["b", "d"]);
    expect(
      ids(
        inOrder(
          document,
          new Set([d!, b!]),
          new Map([
            [a!, [c!]],
            [b!, [a!]],
          ]),
        ),
      ),
    ).toEqual(["c", "b", "a", "d"]);
  });
});

describe("a search", () => {
  const query = (steps: string[], scope: Scope = document, roots = new Roots()): string[] =>
    ids(run(new Search(scope, roots).query(steps)));
  beforeEach(() => {
    put("<x-a id=a></x-a><x-a id=b></x-a><p id=p></p>");
    for (const host of document.querySelectorAll("x-a")) {
      const root = shadow(host, `<x-b id=${host.id}1></x-b><p id=${host.id}2></p>`);
      shadow(root.querySelector("x-b")!, `<p id=${host.id}3></p>`);
    }
  });
  test("steps into roots", () => {
    expect(query(["p"])).toEqual(["p"]);
    expect(query(["x-a", "p"])).toEqual(["a2", "b2"]);
    expect(query(["x-a,x-a", "x-b", "p"])).toEqual(["a3", "b3"]);
    expect(query(["p", "p"])).toEqual([]);
    expect(query(["", "p"])).toEqual(["a3", "a2", "b3", "b2", "p"]);
    expect(query(["", "x-b", "p"])).toEqual(["a3", "b3"]);
    expect(query(["x-b"], document.querySelector("#a")!.shadowRoot!)).toEqual(["a1"]);
  });
  test("of no step throws as the browser does", () => {
    expect(() => query([""])).toThrow("empty");
    expect(() => query([])).toThrow("empty");
    expect(() => query(["p", "["])).not.toThrow();
    expect(() => query(["x-a", "["])).toThrow("valid selector");
  });
  test("looks for roots once", () => {
    const search = new Search(document, new Roots());
    const tree = run(search.tree());
    expect(run(search.tree())).toBe(tree);
    expect(run(new Search(document, search.roots).tree())).not.toBe(tree);
  });
});
