import { afterEach, describe, expect, test, vi } from "vitest";
import { own } from "../../dom-agent/own.ts";
import { asked, book, pausesOf, put, shadow, within } from "./world.ts";

// What of a document is against the rules of pages: audit.

const HEAD = `<title>Prices of bicycles</title><meta name=description content="What bicycles cost."><meta name=viewport content="width=device-width">
  <link rel=canonical href="http://shop.test/prices">`;

/** The faults of a document with a head, and a body; those of the tests' own document apart. */
async function faults(head: string, body: string) {
  document.head.innerHTML = head;
  put(body);
  await Promise.all(
    [...document.images].map(async (at) => at.complete || new Promise((done) => (at.onload = at.onerror = done))),
  );
  return (await asked("audit")).faults;
}
const rules = async (head: string, body = "<p>Bicycles</p>") => (await faults(head, body)).map(({ rule }) => rule);
const details = async (head: string, body = "<p>Bicycles</p>") =>
  (await faults(head, body)).map(({ rule, count, places }) => [
    rule,
    count,
    places.map(({ detail, element }) => [element, detail].filter(Boolean).join(": ")).join("; "),
  ]);

/** A picture of so many pixels, which is no vector. */
const bitmap = (width: number, height: number) => {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d")!.fillRect(0, 0, 9, 9);
  return canvas.toDataURL();
};
const VECTOR = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'/>";

afterEach(() => {
  vi.unstubAllGlobals();
  history.replaceState(null, "", "/");
});

test.each([
  ["nothing", HEAD, []],
  ["no title", HEAD.replace(/<title>.*<\/title>/, ""), [["title-missing", 1, ""]]],
  ["an empty title", HEAD.replace(/<title>.*<\/title>/, "<title> </title>"), [["title-missing", 1, ""]]],
  ["no description", HEAD.replace(/<meta name=description[^>]*>/, ""), [["description-missing", 1, ""]]],
  ["an empty description", HEAD.replace("What bicycles cost.", " "), [["description-missing", 1, ""]]],
  ["a description in capitals", HEAD.replace("name=description", "name=Description"), []],
  ["no viewport", HEAD.replace(/<meta name=viewport[^>]*>/, ""), [["viewport-missing", 1, ""]]],
  ["a scaled viewport", HEAD.replace("width=device-width", "initial-scale = 1"), []],
  [
    "an odd viewport",
    HEAD.replace("width=device-width", "user-scalable=no"),
    [["viewport-missing", 1, "user-scalable=no"]],
  ],
  [
    "two odd viewports",
    `${HEAD.replace("width=device-width", "a")}<meta name=viewport content=b>`,
    [["viewport-missing", 1, "a; b"]],
  ],
  ["noindex", `${HEAD}<meta name=Robots content="NOINDEX, follow">`, [["noindex", 1, "meta Robots: NOINDEX, follow"]]],
  [
    "none",
    `${HEAD}<meta name=googlebot content=none><meta name=robots content=index>`,
    [["noindex", 1, "meta googlebot: none"]],
  ],
  [
    "two canonical addresses",
    `${HEAD}<link rel="Canonical alternate" href=/other>`,
    [["canonical-wrong", 2, "one of 2: http://shop.test/prices; one of 2: /other"]],
  ],
  ["one canonical address twice", `${HEAD}<link rel=canonical href="http://shop.test/prices">`, []],
  [
    "a canonical address without a host",
    HEAD.replace("http://shop.test", ""),
    [["canonical-wrong", 1, "not absolute: /prices"]],
  ],
  [
    "a canonical link without an address",
    HEAD.replace(/ href="[^"]*"/, ""),
    [["canonical-wrong", 1, "not absolute: "]],
  ],
  [
    "the canonical address of the first page",
    HEAD.replace("/prices", "/"),
    [["canonical-wrong", 1, "the site's first page: http://shop.test/"]],
  ],
  ["one with a query", HEAD.replace("/prices", "/?p=1"), []],
  [
    "languages that are some",
    `${HEAD}<link rel=alternate hreflang=en-gb href=/><link rel=alternate hreflang=X-Default href=/><link rel=alternate hreflang=de href=/><link hreflang=zz-- href=/>`,
    [],
  ],
  [
    "languages that are none",
    `${HEAD}<link rel=Alternate hreflang=english-uk href=/><link rel=alternate hreflang=en-UK href=/><link rel=alternate hreflang="" href=/><link rel=alternate hreflang=english href=/>`,
    [["hreflang-wrong", 4, "english-uk; en-UK; english"]],
  ],
  [
    "broken data",
    `${HEAD}<script type="application/LD+json">{"a":}</script><script type="application/ld+json">{}</script>`,
    [["structured-data-broken", 1, 'Unexpected token \'}\', "{"a":}" is not valid JSON']],
  ],
])("of a head with %s that is told", async (_, head, told) => {
  history.replaceState(null, "", "/page");
  expect(await details(head as string)).toEqual(told);
});

test("a document without a type, or in an old encoding, is told", async () => {
  Object.defineProperty(document, "compatMode", { value: "BackCompat", configurable: true });
  Object.defineProperty(document, "characterSet", { value: "windows-1252", configurable: true });
  const told = await details(HEAD);
  Reflect.deleteProperty(document, "compatMode");
  Reflect.deleteProperty(document, "characterSet");
  expect(told).toEqual([
    ["doctype-missing", 1, ""],
    ["charset-not-utf8", 1, "windows-1252"],
  ]);
});

test("a canonical address of the first page is right there, and a failed document is told", async () => {
  expect(await rules(HEAD.replace("/prices", "/"))).toEqual([]);
  const real = performance.getEntriesByType.bind(performance);
  const answered = async (status: number) => {
    performance.getEntriesByType = ((type: string) =>
      type === "navigation" ? [{ responseStatus: status }] : real(type)) as typeof performance.getEntriesByType;
    const told = await details(HEAD);
    Reflect.deleteProperty(performance, "getEntriesByType");
    return told;
  };
  expect([await answered(399), await answered(400)]).toEqual([[], [["status-of-error", 1, "400"]]]);
});

test.each([
  [
    '<a href=" javascript:go()">Go on</a><a onclick=x()>Do it</a><a>Place</a><area onclick=x()><a href=JAVASCRIPT:x hidden>h</a>',
    [["link-without-address", 2, '<a> "Go on":  javascript:go(); <a> "Do it"']],
  ],
  [
    "<a href=/x>Click here</a><a href=/y> HERE </a><a href=/z>Prices of tyres</a><a href=#x>more</a><a href=mailto:a>mehr</a><a href=/v hidden>here</a>",
    [["link-text-vague", 2, '<a> "Click here"; <a> "HERE"']],
  ],
  [
    "<center>Middle</center><font color=red>Red</font><marquee>M</marquee><b>b</b>",
    [["element-outdated", 3, '<center> "Middle"; <font> "Red"; <marquee> "M"']],
  ],
  ["<i id=x></i><i id=x></i><i id=x></i><i id=y></i>", [["id-twice", 1, "<i#x>: x"]]],
  ["<font>a</font>".repeat(6), [["element-outdated", 6, Array(5).fill('<font> "a"').join("; ")]]],
  [
    `<center class="${"c".repeat(130)}" id=${"i".repeat(130)}>${"w".repeat(50)}</center>`,
    [
      [
        "element-outdated",
        1,
        "<center#iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii",
      ],
    ],
  ],
  [
    `<a href="javascript:${"x".repeat(100)}">Go on</a>`,
    [["link-without-address", 1, `<a> "Go on": javascript:${"x".repeat(69)}`]],
  ],
  [
    "<input type=password value=hunter2xyz><i id=hunter2xyz></i><i id=hunter2xyz></i>",
    [["id-twice", 1, "<i#••••••>: ••••••"]],
  ],
  [
    `<p style="font-size:11.9px">${"s".repeat(41)}</p><p style="font-size:12px">${"l".repeat(59)}</p>`,
    [["text-small", 1, '<p> "sssssssssssssssssssssssssssssssssssssss…": 41 % of the text']],
  ],
  [`<p style="font-size:11.9px">${"s".repeat(40)}</p><p style="font-size:12px">${"l".repeat(60)}</p>`, []],
  [`<p style="font-size:9px" hidden>${"s".repeat(90)}</p><p>${"l".repeat(9)}</p><noscript>n</noscript>`, []],
])("%s is told", async (body, told) => expect(await details(HEAD, body as string)).toEqual(told));

describe("of pictures", () => {
  const told = async (attributes: string, src: string) =>
    details(HEAD, `<div style=width:700px><img id=p alt="" ${attributes} src="${src}"></div>`);
  test("those that do not load are told", async () => {
    expect(await told("width=10 height=10", "data:image/png,none")).toEqual([
      ["image-broken", 1, "<img#p>: data:image/png,none"],
    ]);
    expect(await told("", "")).toEqual([]);
    expect(
      await told("width=9 height=9", "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='0'/>"),
    ).toEqual([]);
    expect(await told("width=9 height=9", "data:image/svg+xml,none")).toEqual([]);
  });
  test("those without a place are told", async () => {
    const src = bitmap(20, 30);
    expect(await told("", src)).toEqual([["image-unsized", 1, "<img#p>: 20×30"]]);
    expect(await told("width=20", src)).toEqual([["image-unsized", 1, "<img#p>: 20×30"]]);
    for (const given of [
      "width=20 height=30",
      "width=20 height=30 style=height:auto",
      "style=width:20px;height:30px",
      "style=aspect-ratio:2/3",
      "style=position:absolute",
      "style=position:fixed",
      "hidden",
    ])
      expect(await told(given, src)).toEqual([]);
    expect((await told("style=width:20px", src)).length).toBe(1);
    expect((await told("height=30", src)).length).toBe(1);
    expect((await told("style=height:30px", src)).length).toBe(1);
    expect((await told("style='aspect-ratio:auto 2/3'", src)).length).toBe(1);
  });
  test("lazy ones in view are told", async () => {
    const src = bitmap(300, 200);
    expect(await told("loading=lazy width=300 height=200", src)).toEqual([["image-lazy-in-view", 1, "<img#p>"]]);
    expect(await told("width=300 height=200", src)).toEqual([]);
    expect(await told("loading=lazy width=240 height=200", bitmap(240, 200))).toEqual([]);
    expect(await told("loading=lazy width=241 height=200", bitmap(241, 200))).toEqual([
      ["image-lazy-in-view", 1, "<img#p>"],
    ]);
    expect(await told("loading=lazy width=300 height=200 style=margin-top:700px", src)).toEqual([]);
  });
  test("stretched ones are told, but for lines and those that are fitted", async () => {
    const src = bitmap(200, 200);
    expect(await told("width=300 height=100", src)).toEqual([
      ["image-distorted", 1, "<img#p>: 200×200, shown as 300×100"],
    ]);
    expect(await told("width=100 height=300", src)).toEqual([
      ["image-distorted", 1, "<img#p>: 200×200, shown as 100×300"],
    ]);
    for (const given of [
      "width=300 height=100 style=object-fit:cover",
      "width=209 height=200",
      "width=200 height=209",
      "width=300 height=4",
    ])
      expect(await told(given, src)).toEqual(given.endsWith("=4") ? [] : []);
    expect((await told("width=212 height=200", src)).length).toBe(1);
    expect((await told("width=300 height=5", src)).length).toBe(1);
    expect((await told("width=200 height=212", src)).length).toBe(1);
    expect(await told("width=30 height=10", VECTOR)).toEqual([]);
    expect(await told("width=0 height=10", src)).toEqual([]);
  });
  test("blurry and oversized ones are told by the pixels of the screen", async () => {
    expect(await told("width=400 height=400", bitmap(50, 50))).toEqual([
      ["image-blurry", 1, "<img#p>: 50×50, shown as 400×400"],
    ]);
    expect(await told("width=400 height=400 style=image-rendering:pixelated", bitmap(50, 50))).toEqual([]);
    expect(await told("width=100 height=100", bitmap(50, 50))).toEqual([]);
    expect(await told("width=101 height=100", bitmap(50, 50))).toEqual([
      ["image-blurry", 1, "<img#p>: 50×50, shown as 101×100"],
    ]);
    expect(await told("width=200 height=100", bitmap(100, 100 / 1))).toEqual([
      ["image-distorted", 1, "<img#p>: 100×100, shown as 200×100"],
    ]);
    expect(await told("width=100 height=100", bitmap(1000, 1000))).toEqual([
      ["image-oversized", 1, "<img#p>: 1000×1000, shown as 100×100"],
    ]);
    expect(await told("width=100 height=100", bitmap(200, 200))).toEqual([]);
    expect(await told("width=200 height=200", bitmap(400, 400))).toEqual([]);
    expect(await told("width=99 height=100", bitmap(199, 201))).toEqual([]);
    expect(await told("width=99 height=100", bitmap(200, 201))).toEqual([
      ["image-oversized", 1, "<img#p>: 200×201, shown as 99×100"],
    ]);
    vi.stubGlobal("devicePixelRatio", 2);
    expect(await told("width=300 height=300", bitmap(1000, 1000))).toEqual([]);
    vi.stubGlobal("devicePixelRatio", 0);
    expect((await told("width=100 height=100", bitmap(1000, 1000))).length).toBe(1);
  });
});

test("faults in shadow roots are told, ids for each root, and none of what is Gasoline's", async () => {
  document.head.innerHTML = HEAD;
  put("<x-a></x-a><i id=x></i><center x>a</center>");
  shadow(document.querySelector("x-a")!, "<i id=x></i><font>a</font><p style=font-size:9px>small words</p>", "closed");
  expect((await asked("audit")).faults.map(({ rule }) => rule)).toEqual(["element-outdated", "text-small"]);
  own(document.querySelector("[x]")!);
  expect((await asked("audit")).faults[0]!.count).toBe(1);
});

test("a fault is told with its element, and cut where it is long", async () => {
  const [fault] = await faults(HEAD, `<i id=${"i".repeat(161)}></i><i id=${"i".repeat(161)}></i>`);
  expect(fault).toMatchObject({ places: [{ ref: "e1", detail: "i".repeat(160) }] });
});

test("a document of many elements is told with their number", async () => {
  document.head.innerHTML = HEAD;
  const around = document.getElementsByTagName("*").length;
  put("<i></i>".repeat(1500 - around));
  const few = await asked("audit");
  expect([few.elements, few.faults]).toEqual([1500, []]);
  put("<i></i>".repeat(1501 - around));
  expect((await asked("audit")).faults).toEqual([
    { rule: "elements-many", count: 1, places: [{ detail: "1501 elements" }] },
  ]);
});

test("the page works in between, and may take elements away", async () => {
  document.head.innerHTML = HEAD;
  const PAGE = "<p>a</p><center x>b</center>";
  put(PAGE);
  const refs = book();
  const answer = () => asked("audit", {}, within(5000, refs));
  expect(await pausesOf(0, answer)).toBe(0);
  const pauses = await pausesOf(20, answer);
  expect(pauses).toBeGreaterThanOrEqual(10); // roots of what stood here before are looked for, too
  const told: number[] = [];
  for (let at = 1; at <= pauses; at++) {
    put(PAGE);
    await pausesOf(
      20,
      async () => told.push((await answer()).faults.length),
      (nth) => nth === at && document.querySelector("[x]")!.remove(),
    );
  }
  expect([told[0], told.at(-1), told.length]).toEqual([0, 1, pauses]);
});
