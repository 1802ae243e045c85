import { describe, expect, test } from "vitest";
import {
  boxOf,
  inViewport,
  intoView,
  isClipped,
  isShown,
  isTransparent,
  isVisible,
  pointOf,
  pointsOf,
  rounded,
} from "../../dom-agent/visible.ts";
import { put, shadow } from "./world.ts";

describe("an element is visible", () => {
  test.each([
    ["with a box", "<p x>a</p>", true],
    ["without a box", "<p x></p>", false],
    ["without a height", "<p x style='width:9px;height:0'></p>", false],
    ["without a width", "<p x style='width:0;height:9px'></p>", false],
    ["that is see-through", "<p x style='opacity:0'>a</p>", true],
    ["not displayed", "<p x style='display:none'>a</p>", false],
    ["hidden", "<p x style='visibility:hidden'>a</p>", false],
    ["collapsed", "<p x style='visibility:collapse'>a</p>", false],
    ["in what is not displayed", "<div hidden><p x>a</p></div>", false],
    ["in what is skipped by content-visibility", "<div style='content-visibility:hidden'><p x>a</p></div>", false],
    [
      "without a box of its own, with a child that has one",
      "<div x style='display:contents'><i></i><b>a</b></div>",
      true,
    ],
    [
      "without a box of its own, in what is hidden",
      "<div hidden><div x style='display:contents'><b>a</b></div></div>",
      false,
    ],
    ["without a box of its own, with a text", "<a x style='display:contents'>a</a>", true],
    ["without a box of its own, with blanks", "<a x style='display:contents'> <i></i> </a>", false],
    [
      "without a box of its own, with a text that is hidden",
      "<a x style='display:contents;visibility:hidden'>a</a>",
      false,
    ],
    [
      "without a box of its own, in one like it",
      "<a x style='display:contents'><i style='display:contents'>a</i></a>",
      true,
    ],
    ["area of a picture", "<img usemap='#m' width=9 height=9><map name=m><area x shape=default href=#></map>", true],
    ["area of a hidden picture", "<img usemap='#m' hidden><map name=m><area x shape=default href=#></map>", false],
    ["area of no picture", "<map name=m><area x shape=default href=#></map>", false],
    ["without a box of its own or a child's", "<div x style='display:contents'><i></i></div>", false],
    [
      "without a box, with a child that is shown elsewhere",
      "<div x style='height:0;width:0'><b style='position:fixed'>a</b></div>",
      false,
    ],
    ["option of a list", "<select><option x>a</select>", true],
    ["option of a hidden list", "<select hidden><option x>a</select>", false],
    ["closed part of details", "<details><summary>a</summary><p x>a</p></details>", false],
  ])("%s", (_, html, visible) => expect(isVisible(put(html as string))).toBe(visible));
  test("far away in what is left out until it is scrolled to", async () => {
    put("<div style='height:9000px'></div><div style='content-visibility:auto'><p x>a</p></div>");
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    expect(isVisible(document.querySelector("[x]")!)).toBe(true);
  });
  test("not where it is gone", () => {
    const element = put("<p x>a</p>");
    element.remove();
    expect(isVisible(element)).toBe(false);
    expect(isShown(element, { x: 0, y: 0, width: 1, height: 1 })).toBe(false);
    expect(isVisible(document.createElement("option"))).toBe(false);
  });
  test("by a box that was read before", () => {
    const element = put("<p x></p>");
    expect(isShown(element, { x: 0, y: 0, width: 1, height: 1 })).toBe(true);
    expect(isShown(element, undefined)).toBe(false);
  });
});

test("see-through is what it or something around it makes so", () => {
  expect(isTransparent(put("<p x>a</p>"))).toBe(false);
  expect(isTransparent(put("<p x style='opacity:0'>a</p>"))).toBe(true);
  expect(isTransparent(put("<div style='opacity:0'><p x>a</p></div>"))).toBe(true);
  expect(isTransparent(put("<div style='opacity:0.1'><p x>a</p></div>"))).toBe(false);
  const root = shadow(put("<div x style='opacity:0'></div>"), "<p>a</p>");
  expect(isTransparent(root.querySelector("p")!)).toBe(true);
});

describe("the point of an element", () => {
  const at = (style: string): { x: number; y: number } => pointOf(put(`<div x style='position:fixed;${style}'></div>`));
  test("is its middle", () => expect(at("left:10px;top:20px;width:30px;height:40px")).toEqual({ x: 25, y: 40 }));
  test("is the middle of the part in the viewport", () => {
    const { innerWidth: width, innerHeight: height } = window;
    expect(at(`left:-20px;top:-40px;width:50px;height:100px`)).toEqual({ x: 15, y: 30 });
    expect(at(`left:${width - 30}px;top:${height - 60}px;width:50px;height:100px`)).toEqual({
      x: width - 15,
      y: height - 30,
    });
  });
  test("is its middle where the viewport shows nothing", () => {
    expect(at("left:-90px;top:10px;width:40px;height:40px")).toEqual({ x: -70, y: 30 });
    expect(at("left:10px;top:-90px;width:40px;height:40px")).toEqual({ x: 30, y: -70 });
    expect(at("left:9000px;top:10px;width:40px;height:40px")).toEqual({ x: 9020, y: 30 });
    expect(at("left:-40px;top:10px;width:40px;height:40px")).toEqual({ x: -20, y: 30 });
    expect(at("left:10px;top:-40px;width:40px;height:40px")).toEqual({ x: 30, y: -20 });
  });
  test("is in the first of its lines that is in the viewport", () => {
    put(
      "<div style='position:absolute;left:0;top:-15px;width:60px;font:10px/30px monospace'><a x href=#>one two three</a></div>",
    );
    const link = document.querySelector("a")!;
    const boxes = [...link.getClientRects()];
    expect(boxes.length).toBeGreaterThan(1);
    const second = boxes.find(({ y, height }) => y + height / 2 >= 0)!;
    expect(pointOf(link).y).toBeCloseTo(Math.max(0, second.y) / 2 + (second.y + second.height) / 2, 3);
  });
  test("is in the first of its lines that is no empty box", () => {
    put("<p style='margin:0;width:200px;font:10px/30px monospace'><a x href=#><br>text</a></p>");
    const link = document.querySelector("[x]")!;
    const box = [...link.getClientRects()].find(({ width, height }) => width > 0 && height > 0)!;
    expect(pointOf(link)).toEqual({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  });
  test("is in the first of its lines where none is in the viewport", () => {
    put(
      "<div style='position:absolute;left:0;top:9000px;width:60px;font:10px/30px monospace'><a x href=#>one two three</a></div>",
    );
    const link = document.querySelector("a")!;
    const [first] = link.getClientRects();
    expect(pointOf(link)).toEqual({ x: first!.x + first!.width / 2, y: first!.y + first!.height / 2 });
  });
  test("is the middle of nothing for what has no size", () => {
    expect(at("left:10px;top:20px;width:0;height:0")).toEqual({ x: 10, y: 20 });
    expect(at("left:10px;top:20px;width:10px;height:0")).toEqual({ x: 15, y: 20 });
    expect(pointOf(put("<p x hidden>"))).toEqual({ x: 0, y: 0 });
  });
});

describe("the points at which an element can be pressed", () => {
  const style = (left: number, top: number, width: number, height: number, place = "fixed"): string =>
    `style='position:${place};left:${left}px;top:${top}px;width:${width}px;height:${height}px;font:10px/20px monospace'`;
  const spread = (from: number, to: number, n: number): number[] =>
    Array.from({ length: n }, (_, i) => from + (i * (to - from)) / (n - 1));
  const grid = (xs: number[], ys: number[]) => ys.flatMap((y) => xs.map((x) => ({ x, y })));
  test("are its middle, those of its words and innermost boxes, and then some all over it", () => {
    put(
      `<div x ${style(100, 100, 180, 84)}><b ${style(10, 10, 20, 30, "absolute")}></b> <u><i ${style(50, 40, 8, 6, "absolute")}></i></u><s>word</s> </div>`,
    );
    const points = [...pointsOf(document.querySelector("[x]")!)];
    const word = document.querySelector("s")!.getBoundingClientRect();
    expect(points.slice(0, 4)).toEqual([
      { x: 190, y: 142 },
      { x: 120, y: 125 },
      { x: 154, y: 143 },
      { x: word.x + word.width / 2, y: word.y + word.height / 2 },
    ]);
    expect(points.slice(4)).toEqual(grid(spread(102, 278, 9), spread(102, 182, 5)));
  });
  test("are in the middle of what is narrow", () => {
    const points = [...pointsOf(put(`<div x ${style(10, 20, 2, 3)}></div>`))];
    expect(points.slice(1)).toEqual(grid(spread(11, 11, 9), spread(21.5, 21.5, 5)));
  });
  test("are those of forty parts at most", () => {
    const all = [
      ...pointsOf(
        put(
          `<div x ${style(0, 0, 200, 99)}>${"<i style='display:inline-block;width:2px;height:2px'></i>".repeat(41)}</div>`,
        ),
      ),
    ];
    expect(all).toHaveLength(1 + 40 + 45);
  });
  test("are those of what a component shows", () => {
    const host = put(`<x-a x ${style(0, 0, 50, 50)}>nowhere</x-a>`);
    shadow(host, `<b ${style(10, 10, 20, 30, "absolute")}></b>`);
    expect([...pointsOf(host)].slice(1, -45)).toEqual([{ x: 20, y: 25 }]);
  });
});

test("the viewport ends before its width and height", () => {
  const { innerWidth: width, innerHeight: height } = window;
  const points = [
    [0, 0],
    [-1, 0],
    [0, -1],
    [width - 1, height - 1],
    [width, 0],
    [0, height],
  ] as const;
  expect(points.map(([x, y]) => inViewport({ x, y }))).toEqual([true, false, false, true, false, false]);
});

test("a point is clipped where a box around it scrolls it away", () => {
  const inner = put(
    "<div id=box style='position:fixed;left:10px;top:10px;width:20px;height:20px;overflow:auto'><p x>a</p></div>",
  );
  const points = [
    [10, 10],
    [30, 30],
    [9, 20],
    [31, 20],
    [20, 9],
    [20, 31],
  ] as const;
  expect(points.map(([x, y]) => isClipped(inner, { x, y }))).toEqual([false, false, true, true, true, true]);
  expect(isClipped(document.querySelector("#box")!, { x: 500, y: 500 })).toBe(false);
  document.querySelector<HTMLElement>("#box")!.style.overflow = "visible";
  expect(isClipped(inner, { x: 500, y: 500 })).toBe(false);
  const root = shadow(put("<div x style='overflow:hidden;width:20px;height:20px'></div>"), "<p>a</p>");
  expect(isClipped(root.querySelector("p")!, { x: 500, y: 500 })).toBe(true);
});

test("a point is not clipped by the page itself", () => {
  const inner = put("<p x>a</p>");
  document.body.style.cssText = "overflow:hidden;height:10px";
  document.documentElement.style.cssText = "overflow:hidden;height:10px";
  expect(isClipped(inner, { x: 0, y: 500 })).toBe(false);
  document.documentElement.removeAttribute("style");
});

test("boxes are told with one decimal", () => {
  expect(rounded({ x: 1.26, y: -1.24, width: 3.04, height: 10 })).toEqual({ x: 1.3, y: -1.2, width: 3, height: 10 });
  const element = put("<div x style='position:fixed;left:1px;top:2px;width:3px;height:4px'></div>");
  expect(boxOf(element)).toEqual({ x: 1, y: 2, width: 3, height: 4 });
});

test("what has no box of its own has that around what of it has a size", () => {
  const part = (x: number, y: number, width: number, height: number): string =>
    `<b style='position:fixed;left:${x}px;top:${y}px;width:${width}px;height:${height}px'></b>`;
  const html = `${part(5, 5, 0, 9)}${part(7, 5, 9, 0)}${part(20, 30, 1, 1)}${part(30, 40, 2, 3)}`;
  const element = put(`<a x style='display:contents'>${html}</a>`);
  expect(boxOf(element)).toEqual({ x: 20, y: 30, width: 12, height: 13 });
  expect(pointOf(element)).toEqual({ x: 20.5, y: 30.5 });
});

test("a line of a drawing is visible that is flat, not one without any length", () => {
  const line = (to: string): HTMLElement => put(`<svg><line x x1=5 y1=5 ${to} stroke=red /></svg>`);
  expect(isVisible(line("x2=6 y2=5"))).toBe(true);
  expect(isVisible(line("x2=5 y2=5"))).toBe(false);
});

test("a line of a drawing is tried in the middle of its length, wherever the drawing stands", () => {
  put("<svg style='position:fixed;left:100px;top:50px' width=100 height=100><path d='M0,0 H40 V80' fill=none /></svg>");
  const [, second] = pointsOf(document.querySelector("path")!);
  expect([second?.x, second?.y]).toEqual([140, 70]); // 60 of 120
});

test("what has no box of its own comes into view as asked, an area of a large picture to the middle", () => {
  const far = "<p style='height:3000px'></p>";
  const inner = put(`${far}<a x style='display:contents'><b style='display:block'>a</b></a>${far}`);
  const top = (): number => inner.querySelector("b")!.getBoundingClientRect().top;
  intoView(inner, { block: "start" });
  expect(Math.round(top())).toBe(0);
  intoView(inner);
  expect(Math.abs(top() - innerHeight / 2)).toBeLessThan(20);
  const area = (x: number, y: number): HTMLElement =>
    put(
      `<img usemap='#m' width=3000 height=5000>
       <map name=m><area x shape=rect coords='${x},${y},${x + 2},${y + 2}' href=#></map>`,
    );
  const middle = area(1500, 2000);
  intoView(middle);
  const at = pointOf(middle);
  expect([Math.round(at.x - innerWidth / 2), Math.round(at.y - innerHeight / 2)]).toEqual([0, 0]);
  // As far as the page can be scrolled.
  const last = area(2900, 4900);
  intoView(last);
  expect(inViewport(pointOf(last))).toBe(true);
});
