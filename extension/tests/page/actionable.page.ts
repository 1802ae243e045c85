import { beforeEach, describe, expect, test } from "vitest";
import { ready, scrollTo } from "../../dom-agent/actionable.ts";
import { around, blocking, checkAround, pointFrom, pointIn } from "../../dom-agent/around.ts";
import { frameElements } from "../../dom-agent/frames.ts";
import { geometry } from "../../dom-agent/read/geometry.ts";
import { worker } from "./setup.ts";
import { book, problem, put, shadow, within } from "./world.ts";

const box = (more = ""): string => `style='position:fixed;left:10px;top:20px;width:40px;height:20px;${more}'`;
const ALL = { enabled: true, hit: true };

describe("an element that is acted on", () => {
  const act = (target: object = { selector: "[x]" }, needs = ALL, ms = 0) =>
    ready(target, book(), needs, within(ms).deadline);
  test("is ready", async () => {
    const element = put(`<button x ${box()}>a</button>`);
    expect(await act()).toEqual({ element, count: 1, strategy: "css", point: { x: 30, y: 30 }, scrolled: false });
  });
  test("is hit at what is in it, in its shadow root, or at its label", async () => {
    put(`<button x ${box()}><b ${box()}>a</b></button>`);
    await act();
    shadow(put(`<div x ${box()}></div>`), `<b ${box()}>a</b>`, "closed");
    await act();
    put(`<label ${box("z-index:1")}><b>a</b></label><input x id=x ${box()}>`);
    document.querySelector("label")!.htmlFor = "x";
    await act();
    document.querySelector("label")!.htmlFor = "y";
    expect((await problem(() => act())).code).toBe("blocked_by_overlay");
  });
  test.each([
    ["hidden", `<button x hidden>a</button>`, '<button> "a" is not visible.'],
    ["disabled", `<button x ${box()} disabled>a</button>`, '<button> "a" is disabled.'],
    [
      "outside of everything",
      "<button x style='position:fixed;left:-900px;top:0;width:9px;height:9px'>a</button>",
      '<button> "a" cannot be scrolled into view.',
    ],
  ])("is not %s", async (_, html, message) => {
    put(html as string);
    expect(await problem(() => act())).toEqual({ code: "not_actionable", message });
  });
  test("is not under something", async () => {
    put(`<button x ${box()}>a</button><div id=wall ${box()}><p ${box()}>Accept</p></div>`);
    expect(await problem(() => act())).toEqual({
      code: "blocked_by_overlay",
      message: '<div#wall> "Accept" lies over <button> "a".',
      blocker: '<div#wall> "Accept"',
    });
  });
  test("may be disabled or under something where that does not matter", async () => {
    put(`<button x ${box()} disabled>a</button><div ${box()}></div>`);
    await act(undefined, { enabled: false, hit: false });
    expect((await problem(() => act(undefined, { enabled: false, hit: true }))).code).toBe("blocked_by_overlay");
  });
  test("may be a point", async () => {
    const element = put(`<button x ${box()}>a</button>`);
    expect(await act({ x: 12, y: 22 })).toEqual({
      element,
      count: 1,
      strategy: "point",
      point: { x: 12, y: 22 },
      scrolled: false,
    });
    element.setAttribute("disabled", "");
    expect((await problem(() => act({ x: 12, y: 22 }))).code).toBe("not_actionable");
  });
  test("is scrolled to", async () => {
    const element = put("<div style='height:5000px'></div><button x>a</button>");
    const { scrolled, point } = await act();
    expect(scrolled).toBe(true);
    expect(scrollY).toBeGreaterThan(1000);
    expect(element.getBoundingClientRect().y).toBeLessThan(point.y);
  });
  test("is scrolled to in the middle, and said so although it was tried again", async () => {
    put(
      `<div style='height:2000px'></div><button x>a</button><div style='height:2000px'></div><div id=wall style='position:fixed;inset:0'></div>`,
    );
    setTimeout(() => document.querySelector("#wall")!.remove(), 50);
    const { scrolled, point } = await act(undefined, ALL, 3000);
    expect(scrolled).toBe(true);
    expect(Math.abs(point.y - innerHeight / 2)).toBeLessThan(30);
  });
  test("is scrolled to only where that is needed", () => {
    const near = put("<button x>a</button><div style='height:5000px'></div>");
    expect(scrollTo(near)).toBe(false);
    const far = put("<div style='height:5000px'></div><button x>a</button>");
    expect(scrollTo(far)).toBe(true);
    expect(scrollTo(far)).toBe(false);
    const inside = put(
      "<div style='height:50px;overflow:auto'><div style='height:300px'></div><button x>a</button></div>",
    );
    expect(scrollTo(inside)).toBe(true);
    expect(scrollTo(inside)).toBe(false);
  });
  /** Moves an element in each frame while it is acted on. */
  const moving = async (property: "left" | "top" | "width" | "height", places: number[]): Promise<unknown> => {
    const element = put(`<button x ${box()}>a</button>`);
    const request = globalThis.requestAnimationFrame;
    let frames = 0;
    globalThis.requestAnimationFrame = (callback) => {
      element.style[property] = `${places[frames++ % places.length]}px`;
      queueMicrotask(() => callback(0));
      return 0;
    };
    element.style[property] = `${places.at(-1)}px`;
    try {
      return await act().catch((error: Error) => error.message);
    } finally {
      globalThis.requestAnimationFrame = request;
    }
  };
  test.each(["left", "top", "width", "height"])("does not move by %s", async (property) => {
    expect(await moving(property as "left", [100, 101])).toBe('<button> "a" is moving.');
    expect(await moving(property as "left", [101, 100])).toBe('<button> "a" is moving.');
  });
  test.each([Infinity, 1])("may move where that never ends; times: %s", async (iterations) => {
    const element = put(`<button x ${box()}>a</button>`);
    element.animate({ transform: ["none", "translateX(600px)"] }, { duration: 6000, iterations });
    const done = await act().catch((error: Error) => error.message);
    if (iterations === 1) expect(done).toBe('<button> "a" is moving.');
    else expect(done).toMatchObject({ count: 1 });
  });
  /** What a pointer comes to where an element is pressed. */
  const pressed = async (): Promise<Element | null> => {
    const { point } = await act();
    return document.elementFromPoint(point.x, point.y);
  };
  test.each([
    ["area of a picture", '<area x shape=rect coords="200,10,204,12" href=#>'],
    ["area whose corners are turned round", '<area x shape=rect coords="204,12,200,10" href=#>'],
    ["round area", '<area x shape=circle coords="150,60,3" href=#>'],
    ["area of many sides", '<area x shape=poly coords="40,80,60,90,50,110" href=#>'],
    ["area that is all of the picture", "<area x shape=default href=#>"],
  ])("%s", async (_, area) => {
    const src = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='300' height='200'/>";
    const img = `<img usemap="#m" width=300 height=200 style="border:3px solid;padding:5px" src="${src}">`;
    const element = put(`<p style="height:3000px"></p>${img}<map name=m>${area}</map>`);
    expect(await pressed()).toBe(element);
    document.querySelector("img")!.style.scale = "0.5 2";
    expect(await pressed()).toBe(element);
  });
  test.each([
    ["child", "<div style='width:90px;height:20px'>a</div>", "div"],
    ["second child", "<div hidden>no</div><b>a</b>", "b"],
    ["text", "a", "a"],
    ["child of another one like it", "<i style='display:contents'><b>a</b></i>", "b"],
  ])("what has no box of its own is pressed at its %s", async (_, html, at) => {
    put(
      `<header ${box("left:0;top:0")}></header><p style="height:3000px"></p><a x style="display:contents">${html}</a>`,
    );
    // A text without a box is its parent's to browsers.
    expect((await pressed())?.localName).toBe(at);
  });
  test("what has no box of its own is scrolled to in a box that scrolls", async () => {
    put(
      `<div style="height:100px;overflow:auto"><p style="height:3000px"></p><a x style="display:contents"><b>a</b></a></div>`,
    );
    expect((await pressed())?.localName).toBe("b");
  });
  test("what has no box of its own moves with its child", async () => {
    put(`<a x style="display:contents"><b ${box()}>a</b></a>`);
    document.querySelector("b")!.animate({ left: ["10px", "600px"] }, 1000);
    expect(await problem(() => act())).toMatchObject({ message: '<a> "a" is moving.' });
  });
  test.each([
    ["flat line of a drawing", "<line x x1=10 y1=60 x2=190 y2=60 stroke=green stroke-width=8 />"],
    [
      "line of a drawing that others cross",
      "<line x x1=10 y1=60 x2=190 y2=60 stroke=green stroke-width=8 /><path d='M90,10 V190' stroke=red stroke-width=30 />",
    ],
    ["upright path of a drawing", '<path x d="M20,10 V190" fill=none stroke=green stroke-width=4 />'],
    ["bow of a drawing", '<path x d="M10,190 A90,150 0 0 1 190,190" fill=none stroke=green stroke-width=2 />'],
  ])("%s", async (_, shape) => {
    const element = put(`<svg width=200 height=200 viewBox="0 0 210 200">${shape}</svg>`);
    const { point } = (await act()) as { point: { x: number; y: number } };
    expect(document.elementFromPoint(point.x, point.y)).toBe(element);
  });
  test("does not move where frames come in a row, in which animations stand still", async () => {
    const element = put(`<button x ${box()}>a</button>`);
    element.animate({ left: ["10px", "600px"] }, { duration: 10_000, iterations: 9 });
    const request = globalThis.requestAnimationFrame;
    let frames = 0;
    globalThis.requestAnimationFrame = (callback) => {
      if (frames++ < 4) queueMicrotask(() => callback(0));
      else setTimeout(() => callback(0), 20);
      return 0;
    };
    try {
      expect((await problem(() => act())).message).toBe('<button> "a" is moving.');
    } finally {
      globalThis.requestAnimationFrame = request;
    }
  });
  test("does not move on a page that is drawn late", async () => {
    const element = put(`<button x ${box()}>a</button>`);
    const request = globalThis.requestAnimationFrame;
    let left = 0;
    globalThis.requestAnimationFrame = (callback) => {
      const late = (): void => {
        element.style.left = `${(left += 50)}px`;
        callback(0);
      };
      return setTimeout(late, 700) as never;
    };
    try {
      expect((await problem(() => act())).message).toBe('<button> "a" is moving.');
    } finally {
      globalThis.requestAnimationFrame = request;
    }
  });
  test("is taken for still where nothing is drawn", async () => {
    put(`<button x ${box()}>a</button>`);
    const request = globalThis.requestAnimationFrame;
    globalThis.requestAnimationFrame = () => 0;
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    try {
      expect(await act()).toMatchObject({ count: 1 });
    } finally {
      Reflect.deleteProperty(document, "hidden");
      globalThis.requestAnimationFrame = request;
    }
  });
  /** Acts on an element that is at one place until frame n, and at another one from then on. Says how it ended. */
  const leavingIn = async (n: number, html: string, work: (element: HTMLElement) => void): Promise<unknown> => {
    const element = put(html);
    work(element);
    const request = globalThis.requestAnimationFrame;
    let frames = 0;
    Object.defineProperty(document.timeline, "currentTime", { get: () => frames * 16, configurable: true });
    globalThis.requestAnimationFrame = (callback) => {
      if (++frames === n) element.style.left = "200px";
      queueMicrotask(() => callback(0));
      return 0;
    };
    try {
      return await act().then(
        () => "ready",
        ({ code }: { code: string }) => code,
      );
    } finally {
      Reflect.deleteProperty(document.timeline, "currentTime");
      globalThis.requestAnimationFrame = request;
    }
  };
  const fading = (element: Element): Animation => element.animate([{ opacity: 0.5 }, { opacity: 1 }], 100_000);
  test.each([
    ["a frame where nothing is animated", () => {}, 1],
    ["two frames while it is animated", (at: Element) => void fading(at), 2],
    ["two frames while something around it is", (at: Element) => void fading(at.parentElement!), 2],
    ["a frame when its animation rests", (at: Element) => fading(at).pause(), 1],
  ])("has to stay for %s", async (_, work, frames) => {
    const html = `<div><button x ${box()}>a</button></div>`;
    const ends = (n: number) => leavingIn(n, html, work as (at: Element) => void);
    expect(await ends(frames as number)).toBe("not_actionable");
    expect(await ends((frames as number) + 1)).toBe("ready");
  });
  test("may tremble by half a pixel", async () => {
    expect(await moving("left", [100, 100.5])).toMatchObject({ count: 1 });
  });
  test("is found by its ref", async () => {
    const element = put(`<button x ${box()}>a</button>`);
    const refs = book();
    const ref = refs.refOf(element);
    expect((await ready({ ref }, refs, ALL, within().deadline)).element).toBe(element);
  });
  test("is waited for", async () => {
    put("");
    setTimeout(() => put(`<button x ${box()}>a</button>`), 50);
    expect((await act(undefined, ALL, 3000)).point).toEqual({ x: 30, y: 30 });
  });
});

/** A frame of the page's own site. */
async function frame(style: string, html = ""): Promise<HTMLIFrameElement> {
  const made = document.createElement("iframe");
  made.id = "frame";
  made.style.cssText = style;
  document.body.append(made);
  made.contentDocument!.body.innerHTML = html;
  return made;
}

describe("a point of a frame", () => {
  const fixed = "position:fixed;left:10px;top:20px;width:100px;height:50px;border:0;";
  beforeEach(() => void put(""));
  test("is a point of the page, beside border and padding, scaled", async () => {
    expect(pointIn(await frame(fixed), { x: 1, y: 2 })).toEqual({ x: 11, y: 22 });
    expect(
      pointIn(await frame(`${fixed}border:3px solid;border-top-width:4px;padding:5px;padding-top:6px`), { x: 1, y: 2 }),
    ).toEqual({ x: 19, y: 32 });
    expect(pointIn(await frame(`${fixed}transform:scale(2,3);transform-origin:0 0`), { x: 1, y: 2 })).toEqual({
      x: 12,
      y: 26,
    });
    expect(pointIn(await frame("display:none"), { x: 1, y: 2 })).toEqual({ x: 0, y: 0 });
  });
  test.each([
    ["rotate:90deg", { x: 83, y: -4 }],
    ["transform:rotate(90deg)", { x: 83, y: -4 }],
    ["rotate:z 1.5707963267948966rad", { x: 83, y: -4 }],
    ["rotate:0 0 2 100grad", { x: 83, y: -4 }],
    ["rotate:y 180deg", { x: 109, y: 22 }],
    ["rotate:x 180deg", { x: 11, y: 68 }],
    ["rotate:1 1 0 180deg", { x: 37, y: -4 }],
    ["rotate:90deg;transform:scaleX(-1)", { x: 83, y: 94 }],
    ["scale:-1 1", { x: 109, y: 22 }],
    ["scale:2", { x: -38, y: -1 }],
    ["rotate:90deg;scale:.5 1", { x: 83, y: 20.5 }],
    ["rotate:180deg;transform:scaleX(-1)", { x: 11, y: 68 }],
    ["zoom:2;left:5px;top:10px;width:50px;height:25px", { x: 12, y: 24 }],
  ])("is a point of the page where the frame is turned: %s", async (style, point) => {
    const made = await frame(`${fixed}${style}`);
    const at = pointIn(made, { x: 1, y: 2 });
    expect([at.x, at.y]).toEqual([expect.closeTo(point.x, 3), expect.closeTo(point.y, 3)]);
    const back = pointFrom(made, at);
    expect([back.x, back.y]).toEqual([expect.closeTo(1, 3), expect.closeTo(2, 3)]);
  });
  test("is a point of the page where what is around the frame is turned, also out of a shadow root", async () => {
    const host = put("<div x style='position:fixed;left:0;top:0;width:200px;height:100px;rotate:180deg'></div>");
    const root = shadow(host, "<slot></slot><p style='rotate:90deg;width:100px;height:100px;margin:0'></p>");
    const made = await frame("width:100px;height:100px;border:0;display:block");
    root.querySelector("p")!.append(made);
    const { x, y } = pointIn(made, { x: 10, y: 30 });
    // Turned by a quarter in 100 by 100: (70, 10). Turned by a half in 200 by 100: (130, 90).
    expect([x, y]).toEqual([expect.closeTo(130, 3), expect.closeTo(90, 3)]);
  });
  test.each([
    ["what has no box of its own around it is", "<div x style='display:contents;rotate:180deg'></div>", "", false],
    ["a part of a line around it is", "<span x style='rotate:180deg'></span>", "", false],
    ["it is, in a line", "<p x></p>", "rotate:180deg", true],
  ])("is a point of the page where %s turned", async (_, html, style, is) => {
    const at = put(html as string);
    const made = await frame(`width:100px;height:50px;border:0;${style as string}`);
    at.append(made);
    const { left, top, right, bottom } = made.getBoundingClientRect();
    const { x, y } = pointIn(made, { x: 1, y: 2 });
    expect([x, y]).toEqual(
      (is ? [right - 1, bottom - 2] : [left + 1, top + 2]).map((n) => expect.closeTo(n, 3) as number),
    );
  });
  test("is told where nothing lies over it", async () => {
    await frame(fixed);
    expect(around({ index: 0, x: 1, y: 2 })).toEqual({ x: 11, y: 22 });
    expect(around({ index: 7, x: 1, y: 2 })).toBeNull();
  });
  test("is told of the frame that is meant", async () => {
    await frame(fixed);
    await frame(`${fixed}left:200px`);
    expect(around({ index: 1, x: 1, y: 2 })).toEqual({ x: 201, y: 22 });
  });
  test("is not told where something lies over it", async () => {
    await frame(fixed);
    document.body.insertAdjacentHTML("beforeend", `<div id=wall style='${fixed}'></div>`);
    expect(await problem(() => around({ index: 0, x: 1, y: 2 }))).toEqual({
      code: "blocked_by_overlay",
      message: "<div#wall> lies over <iframe#frame>.",
      blocker: "<div#wall>",
    });
  });
  test("is scrolled to in the page", async () => {
    put("<div style='height:3000px'></div>");
    await frame("width:100px;height:2000px;border:0;display:block");
    const point = around({ index: 0, x: 50, y: 1500 })!;
    expect([Math.round(point.x), Math.round(point.y)]).toEqual([50 + 8, innerHeight / 2]);
  });
  test("is scrolled to sideways", async () => {
    put("<div style='width:9000px;height:1px'></div>");
    const made = await frame("width:100px;height:100px;border:0;display:block;margin-left:3000px");
    const point = around({ index: 0, x: 50, y: 50 })!;
    expect(Math.round(point.x)).toBe(innerWidth / 2);
    expect(pointIn(made, { x: 50, y: 50 })).toEqual(point);
  });
  test("is scrolled to in a box", async () => {
    // Of two points out of the box one is in the viewport.
    for (const height of [1000, 300]) {
      put(`<div x style='height:100px;width:200px;overflow:auto'><div style='height:${height}px'></div></div>`);
      const made = await frame("width:100px;height:50px;border:0;display:block");
      const outer = document.querySelector("[x]")!;
      outer.append(made);
      const point = around({ index: 0, x: 5, y: 5 })!;
      expect(point).toEqual(pointIn(made, { x: 5, y: 5 }));
      expect(outer.scrollTop).toBeGreaterThan(height - 100);
    }
  });
  test("that cannot be brought into the viewport is told", async () => {
    await frame("position:fixed;left:-900px;top:0;width:100px;height:100px");
    expect(await problem(() => around({ index: 0, x: 5, y: 5 }))).toEqual({
      code: "not_actionable",
      message: "<iframe#frame> cannot be scrolled into view.",
    });
  });
});

test("what lies over something is told by what is outermost and does not hold it", () => {
  put("<main><div id=wall><p><b>word</b></p></div><button x>a</button></main>");
  const told = blocking(document.querySelector("b")!, document.querySelector("button")!);
  expect(told.toWire()).toEqual({
    code: "blocked_by_overlay",
    message: '<div#wall> "word" lies over <button> "a".',
    blocker: '<div#wall> "word"',
  });
  expect(blocking(document.body, document.querySelector("button")!).toWire().blocker).toMatch(/^<body>/);
});

describe("what lies around a frame", () => {
  /** Asks as if this was a frame. */
  const inFrame = async (work: () => Promise<void>): Promise<void> => {
    const { parent } = window;
    Object.defineProperty(window, "parent", { value: {}, configurable: true });
    worker.asked = [];
    try {
      await work();
    } finally {
      Object.defineProperty(window, "parent", { value: parent, configurable: true });
    }
  };
  test("is not asked in the page itself", async () => {
    worker.asked = [];
    await checkAround({ x: 1, y: 2 }, 3);
    expect(worker.asked).toEqual([]);
  });
  test("is asked in a frame", () =>
    inFrame(async () => {
      worker.answer = null;
      await checkAround({ x: 1, y: 2 }, 3);
      expect(worker.asked).toEqual([{ type: "gasoline-around", x: 1, y: 2, deadline: 3 }]);
      worker.answer = { code: "blocked_by_overlay", message: "a lies over b", blocker: "a" };
      expect(await problem(() => checkAround({ x: 1, y: 2 }, 3))).toEqual(worker.answer);
      worker.answer = { code: "internal", message: "broken" };
      expect(await problem(() => checkAround({ x: 1, y: 2 }, 3))).toEqual(worker.answer);
      put(`<button x ${box()}>a</button>`);
      const { at, signal } = within(0).deadline;
      expect((await problem(() => ready({ selector: "[x]" }, book(), ALL, { at, signal }))).code).toBe("internal");
      expect(worker.asked.at(-1)).toEqual({ type: "gasoline-around", x: 30, y: 30, deadline: at });
      worker.answer = null;
    }));
});

describe("geometry", () => {
  test("tells of frames by their index, and of secrets that are shown", async () => {
    put(
      `<input type=password value=abc ${box()}><input type=password value=d ${box("top:90px")}><input type=password ${box("left:300px")}><input type=password hidden value=abc><input value=abc ${box()}>`,
    );
    await frame("position:fixed;left:10px;top:20px;width:100px;height:50px;border:2px solid;padding:3px");
    const hidden = await frame("");
    const host = document.createElement("div");
    document.body.append(host);
    shadow(host, "").append(hidden);
    expect(geometry()).toEqual({
      secrets: 2,
      children: frameElements().map((_, i) =>
        i === 0 ? { x: 15, y: 25, width: 106, height: 56, scale: 1 } : expect.anything(),
      ),
      viewport: { width: innerWidth, height: innerHeight, ratio: devicePixelRatio },
    });
    const frames = document.querySelectorAll("iframe");
    expect(frameElements()[0]).toBe(frames[0]);
    expect(frameElements().at(-1)).toBe(hidden); // not among the window's frames
  });
  test("tells of the whole box of a frame that is turned", async () => {
    put("");
    await frame("position:fixed;left:100px;top:100px;width:100px;height:40px;border:0;rotate:90deg");
    const [box] = geometry().children;
    expect([box?.x, box?.y, box?.width, box?.height].map(Math.round as (n: unknown) => number)).toEqual([
      130, 70, 40, 100,
    ]);
  });
});
