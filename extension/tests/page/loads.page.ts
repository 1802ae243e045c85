import { afterEach, describe, expect, test } from "vitest";
import { Loads } from "../../dom-agent/act/loads.ts";
import { own } from "../../dom-agent/own.ts";
import { put, shadow } from "./world.ts";

let watching: Loads[] = [];
let ended = 0;
let runs: "own" | "near" | undefined = "own";
const heard: string[] = [];
afterEach(() => {
  for (const loads of watching) loads.stop();
  watching = [];
  ended = 0;
  runs = "own";
  heard.length = 0;
});

function loading(): Loads {
  const loads = new Loads(
    () => runs,
    () => {
      ended++;
      heard.push("the act");
    },
  );
  watching.push(loads);
  return loads;
}
/** What is waited for once an observer has heard of it. */
async function after(work: () => unknown): Promise<string[]> {
  const loads = loading();
  work();
  await Promise.resolve();
  return loads.busy();
}
function make<N extends keyof HTMLElementTagNameMap>(name: N, more: object = {}): HTMLElementTagNameMap[N] {
  return Object.assign(document.createElement(name), more);
}
const add = (...nodes: Node[]): void => document.body.append(...nodes);
const come = (at: Element): Promise<unknown> =>
  new Promise((done) => {
    for (const name of ["load", "error"]) at.addEventListener(name, done);
  });
const picture = (): string => URL.createObjectURL(new Blob(["no picture"]));
const NONE = "data:text/javascript,0";
const FAR = "position:absolute;top:9000px;width:9px;height:9px";
const NEAR = "position:fixed;left:0;top:0;width:9px;height:9px";
const html = (text: string) => (): void => document.body.insertAdjacentHTML("beforeend", `<p>${text}<i></i></p>`);

describe("an act waits for what came and loads", () => {
  test.each([
    ["a script", () => add(make("script", { src: "/never.js" })), ["loading of script /never.js"]],
    [
      "a script with a query",
      () => add(make("script", { src: "/never.js?a=secret" })),
      ["loading of script /never.js"],
    ],
    [
      "a script of a long name",
      () => add(make("script", { src: `/${"a".repeat(200)}` })),
      [`loading of script /${"a".repeat(99)}`],
    ],
    ["a script without an address of its own", () => add(make("script", { src: NONE })), ["loading of script"]],
    ["a script in order", () => add(make("script", { src: NONE, async: false })), ["loading of script"]],
    [
      "two scripts at once",
      () => add(make("script", { src: NONE }), make("script", { src: "/b.js" })),
      ["loading of script", "loading of script /b.js"],
    ],
    ["a module", () => add(make("script", { src: NONE, type: "module" })), ["loading of script"]],
    [
      "a script with its type",
      () => add(make("script", { src: NONE, type: "text/javascript" })),
      ["loading of script"],
    ],
    ["data", () => add(make("script", { src: NONE, type: "application/json" })), []],
    ["a script for old browsers", () => add(make("script", { src: NONE, noModule: true })), []],
    ["a script that stands there", () => add(make("script", { textContent: "0" })), []],
    ["a script that was written as markup", html(`<script src="${NONE}"></script>`), []],
    ["a script that was written as markup and says async", html(`<script async src="${NONE}"></script>`), []],
    ["a stylesheet", () => add(make("link", { rel: "stylesheet", href: "/a.css" })), ["loading of link /a.css"]],
    [
      "a stylesheet for another time",
      () => add(make("link", { rel: "alternate stylesheet", href: "/a.css", disabled: true })),
      [],
    ],
    [
      "a part of a program",
      () => add(make("link", { rel: "modulepreload", href: "/a.js" })),
      ["loading of link /a.js"],
    ],
    [
      "what is needed soon",
      () => add(make("link", { rel: "preload", as: "style", href: "/b.css" })),
      ["loading of link /b.css"],
    ],
    ["an icon", () => add(make("link", { rel: "icon", href: "/a.png" })), []],
    ["a stylesheet without an address", () => add(make("link", { rel: "stylesheet" })), []],
    ["an image", html("<img src=/a.png>"), ["loading of img /a.png"]],
    ["an image by itself", () => add(make("img", { src: "/a.png" })), ["loading of img /a.png"]],
    ["no image", html("<img>"), []],
    ["an image far away", html(`<img loading=lazy src=/far.png style='${FAR}'>`), []],
    [
      "an image in view that is put off",
      html(`<img loading=lazy src=/near.png style='${NEAR}'>`),
      ["loading of img /near.png"],
    ],
    ["a frame", html("<iframe src=/a></iframe>"), ["loading of iframe /a"]],
    ["a frame by itself", () => add(make("iframe", { src: "/a" })), ["loading of iframe /a"]],
    ["a frame whose page stands there", html("<iframe srcdoc=a></iframe>"), ["loading of iframe"]],
    ["an empty frame", html("<iframe></iframe>"), []],
    ["a blank frame", html("<iframe src=about:blank></iframe>"), []],
    ["a frame that a script fills", html("<iframe src='javascript:0'></iframe>"), []],
    ["a frame far away", html(`<iframe loading=lazy src=/a style='${FAR}'></iframe>`), []],
    [
      "a frame in view that is put off",
      html(`<iframe loading=lazy src=/a style='${NEAR}'></iframe>`),
      ["loading of iframe /a"],
    ],
    ["nothing else", html("<p>a</p>"), []],
    ["a text", () => add(document.createTextNode("a")), []],
  ])("%s", async (_, work, words) => expect(await after(work as () => void)).toEqual(words));
  test("not for a stylesheet that is there at once", async () => {
    expect(await after(() => add(make("link", { rel: "stylesheet", href: "data:text/css,p{}" })))).toEqual([]);
  });
  test.each([
    [
      "a script that is told later what to load",
      "<script x></script>",
      (at: HTMLElement) => at.setAttribute("src", "/c.js"),
      ["loading of script /c.js"],
    ],
    ["another image", "<img x>", (at: HTMLElement) => at.setAttribute("src", "/c.png"), ["loading of img /c.png"]],
    [
      "an image of another size",
      "<img x>",
      (at: HTMLElement) => at.setAttribute("srcset", "/c.png 2x"),
      ["loading of img"],
    ],
    [
      "a frame's next page",
      "<iframe x></iframe>",
      (at: HTMLElement) => at.setAttribute("src", "/c"),
      ["loading of iframe /c"],
    ],
    [
      "a frame's next text",
      "<iframe x></iframe>",
      (at: HTMLElement) => at.setAttribute("srcdoc", "c"),
      ["loading of iframe"],
    ],
    [
      "another stylesheet",
      "<link rel=stylesheet x>",
      (at: HTMLElement) => at.setAttribute("href", "/c.css"),
      ["loading of link /c.css"],
    ],
    [
      "what becomes a stylesheet",
      "<link href=/d.css x>",
      (at: HTMLElement) => at.setAttribute("rel", "stylesheet"),
      ["loading of link /d.css"],
    ],
    [
      "not what has another name",
      "<iframe srcdoc=a x></iframe>",
      (at: HTMLElement) => at.setAttribute("name", "c"),
      [],
    ],
  ])("%s", async (_, markup, work, words) => {
    const at = put(markup as string);
    expect(await after(() => (work as (at: HTMLElement) => void)(at))).toEqual(words);
  });
  test("in a shadow root that is there, that comes with its host, and that changes afterwards", async () => {
    const root = shadow(put("<x-a x></x-a>"), "");
    expect(await after(() => root.append(make("img", { src: "/r1.png" })))).toEqual(["loading of img /r1.png"]);
    const host = make("div");
    const came = shadow(host, "<img src=/r2.png>");
    const loads = loading();
    add(host);
    await Promise.resolve();
    expect(loads.busy()).toEqual(["loading of img /r2.png"]);
    came.append(make("iframe", { src: "/r3" }));
    await Promise.resolve();
    expect(loads.busy()).toEqual(["loading of img /r2.png", "loading of iframe /r3"]);
  });
  test("not for scripts that were written as markup, beside each other or in a root", async () => {
    const both = `<script src="${NONE}"></script><script src="${NONE}"></script>`;
    expect(await after(() => void (document.body.innerHTML = both))).toEqual([]);
    const host = make("div");
    shadow(host, both);
    expect(await after(() => add(host))).toEqual([]);
  });
  test("not for what loaded before in something that came to be otherwise", async () => {
    const link = put("<a x href=/a><img src=/before.png></a>");
    expect(await after(() => link.setAttribute("href", "/b"))).toEqual([]);
  });
  test("not of what we put into the page", async () => {
    const ours = make("img", { src: "/o.png" });
    own(ours);
    expect(await after(() => add(ours))).toEqual([]);
  });
  test("not of what the page does by itself", async () => {
    runs = undefined;
    expect(await after(() => add(make("img", { src: "/p.png" })))).toEqual([]);
  });
});

describe("what loads has ended", () => {
  test.each([
    ["when it has come", () => make("script", { src: NONE })],
    ["when it failed", () => make("img", { src: picture() })],
  ])("%s: the act hears of it before the page does, and once", async (_, made) => {
    const at = (made as () => HTMLElement)();
    const there = come(at);
    for (const name of ["load", "error"]) at.addEventListener(name, () => heard.push("the page"), { capture: true });
    const loads = loading();
    add(at);
    await Promise.resolve();
    expect([loads.busy().length, ended]).toEqual([1, 0]);
    await there;
    expect([loads.busy(), heard]).toEqual([[], ["the page", "the act"]]);
    at.dispatchEvent(new Event("load"));
    expect(ended).toBe(1);
  });
  test("which of something that nothing but the time speaks for is nobody's doing", async () => {
    runs = "near";
    const at = make("script", { src: NONE });
    const there = come(at);
    const loads = loading();
    add(at);
    await Promise.resolve();
    expect(loads.busy()).toHaveLength(1);
    await there;
    expect([loads.busy(), ended]).toEqual([[], 0]);
  });
  test("when it is given up: with its place, or its address", async () => {
    const [frame, script, image] = [
      make("iframe", { src: "/g" }),
      make("script", { src: NONE }),
      make("img", { src: "/g.png" }),
    ];
    const loads = loading();
    add(frame, script, image);
    await Promise.resolve();
    expect(loads.busy()).toHaveLength(3);
    for (const at of [frame, script, image]) at.remove();
    expect(loads.busy()).toEqual(["loading of script", "loading of img /g.png"]);
    image.removeAttribute("src");
    expect(loads.busy()).toEqual(["loading of script"]);
    await come(script);
    expect([loads.busy(), ended]).toEqual([[], 1]);
  });
  test("for nobody once the act is over", async () => {
    const at = make("script", { src: NONE });
    const there = come(at);
    const loads = loading();
    add(at);
    await Promise.resolve();
    loads.stop();
    add(make("img", { src: "/s.png" }));
    await there;
    expect([ended, loads.busy()]).toEqual([0, ["loading of script"]]);
  });
  test("of a hundred at most, five of which are told; one that changes meanwhile is one", async () => {
    const all = Array.from({ length: 101 }, () => make("img", { src: picture() }));
    const there = Promise.all(all.map(come));
    const loads = loading();
    add(...all);
    await Promise.resolve();
    expect(loads.busy()).toHaveLength(5);
    await there;
    expect(ended).toBe(100);
    const [again] = all;
    const last = come(again!);
    for (let i = 0; i < 2; i++) {
      again!.src = picture();
      await Promise.resolve();
    }
    expect(loads.busy()).toHaveLength(1);
    await last;
    expect(ended).toBe(101);
  });
});
