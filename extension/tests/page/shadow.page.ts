import { beforeEach, describe, expect, test } from "vitest";
import {
  elementAt,
  everyElement,
  everywhere,
  focused,
  isInside,
  parentOf,
  query,
  shadowOf,
} from "../../dom-agent/shadow.ts";
import { ids, put, shadow } from "./world.ts";

const box = "style='position:fixed;left:0;top:0;width:50px;height:50px'";
let open: ShadowRoot;
let inner: ShadowRoot;

beforeEach(() => {
  put(`<div id=a></div><p id=b></p><svg id=s></svg>`);
  open = shadow(document.querySelector("#a")!, `<div id=c ${box}></div><button id=d></button>`);
  inner = shadow(open.querySelector("#c")!, `<button id=e ${box}></button>`, "closed");
});

describe("shadow roots", () => {
  test("are opened, closed ones too, of HTML elements only", () => {
    expect(shadowOf(document.querySelector("#a")!)).toBe(open);
    expect(shadowOf(open.querySelector("#c")!)).toBe(inner);
    expect(shadowOf(document.querySelector("#b")!)).toBeNull();
    expect(shadowOf(document.querySelector("#s")!)).toBeNull();
  });
  test("are searched", () => {
    expect(ids(query("#a >>> #c >>> button", document))).toEqual(["e"]);
    expect(ids(query("p", document))).toEqual(["b"]);
    expect(ids(query("div", document.querySelector("#b")!))).toEqual([]);
    expect(() => query("text=x", document)).toThrow("valid selector");
    expect(() => query("[[", document)).toThrow();
    expect(ids(everywhere("button", document))).toEqual(["e", "d"]);
    expect(ids(everyElement(document.body))).toEqual("acedbs".split(""));
  });
  test("have parents", () => {
    expect(parentOf(inner.querySelector("#e")!)).toBe(open.querySelector("#c"));
    expect(parentOf(open.querySelector("#c")!)).toBe(document.querySelector("#a"));
    expect(parentOf(document.querySelector("#a")!)).toBe(document.body);
    expect(parentOf(document.documentElement)).toBeNull();
    expect(parentOf(document.createElement("p"))).toBeNull();
    const host = put("<div x><p>a</p></div>");
    const root = shadow(host, "<section><slot></slot></section>");
    expect(parentOf(host.firstElementChild!)).toBe(root.querySelector("slot"));
  });
  test("hold what is in them", () => {
    const e = inner.querySelector("#e")!;
    expect(isInside(e, document.querySelector("#a")!)).toBe(true);
    expect(isInside(e, e)).toBe(true);
    expect(isInside(e, document.querySelector("#b")!)).toBe(false);
    expect(isInside(document.querySelector("#a")!, e)).toBe(false);
  });
  test("hold the focus", () => {
    expect(focused()).toBe(document.body);
    inner.querySelector<HTMLElement>("#e")!.focus();
    expect(focused()).toBe(inner.querySelector("#e"));
    open.querySelector<HTMLElement>("#d")!.focus();
    expect(focused()).toBe(open.querySelector("#d"));
  });
  test("hold no focus where nothing has it", () => {
    Object.defineProperty(document, "activeElement", { get: () => null, configurable: true });
    expect(focused()).toBeNull();
    delete (document as { activeElement?: Element }).activeElement;
  });
  test("hold what is at a point", () => {
    expect(elementAt(10, 10)).toBe(inner.querySelector("#e"));
    expect(elementAt(-1, 10)).toBeNull();
    inner.querySelector("#e")!.remove();
    expect(elementAt(10, 10)).toBe(open.querySelector("#c"));
    const host = put(`<div x ${box}></div>`);
    shadow(host, "");
    expect(elementAt(10, 10)).toBe(host);
  });
  test("are gone down 50 steps for a point", () => {
    let host: Element = put(`<div x id=h0 ${box}></div>`);
    for (let i = 1; i <= 52; i++) host = shadow(host, `<div id=h${i} ${box}></div>`).firstElementChild!;
    expect(elementAt(10, 10)?.id).toBe("h50");
  });
});
