import { describe, expect, test } from "vitest";
import { indexing, isAt, namesakes, placeOf } from "../../dom-agent/place.ts";
import { Row } from "../../dom-agent/row.ts";
import { book, problem, put, shadow } from "./world.ts";

/** Ways in which pages show several things with a button each. */
const WAYS: Record<string, (names: string[]) => void> = {
  "items of a list": (names) =>
    void put(`<ul>${names.map((name) => `<li>${name} <button class="${name}">Delete</button></li>`).join("")}</ul>`),
  "rows of a table": (names) =>
    void put(
      `<table>${names.map((name) => `<tr><td>${name}</td><td><button class="${name}">Delete</button></td></tr>`).join("")}</table>`,
    ),
  "rows by role": (names) =>
    void put(
      `<div role=grid>${names.map((name) => `<div role=row><span role=gridcell>${name}</span><span role=gridcell><button class="${name}">Delete</button></span></div>`).join("")}</div>`,
    ),
  "cards without a role": (names) =>
    void put(
      `<main>${names.map((name) => `<div><h3>${name}</h3><div><button>Edit</button><button class="${name}">Delete</button></div></div>`).join("")}</main>`,
    ),
  "items with lists of actions": (names) =>
    void put(
      `<ul>${names.map((name) => `<li>${name}<ul><li><button>Edit</button></li><li><button class="${name}">Delete</button></li></ul></li>`).join("")}</ul>`,
    ),
  "headings and buttons in turn": (names) =>
    void put(`<main>${names.map((name) => `<h3>${name}</h3><button class="${name}">Delete</button>`).join("")}</main>`),
  "terms and descriptions": (names) =>
    void put(
      `<dl>${names.map((name) => `<dt>${name}</dt><dd><button class="${name}">Delete</button></dd>`).join("")}</dl>`,
    ),
  "web components": (names) => {
    put(names.map((name) => `<div class=host data-name="${name}"></div>`).join(""));
    for (const host of document.querySelectorAll<HTMLElement>(".host"))
      shadow(host, `<p>${host.dataset["name"]}</p><button class="${host.dataset["name"]}">Delete</button>`);
  },
  "buttons without a name": (names) =>
    void put(`<ul>${names.map((name) => `<li>${name} <button class="${name}"></button></li>`).join("")}</ul>`),
};

const of = (name: string): Element => {
  const hosts = [...document.querySelectorAll(".host")].map((host) => host.shadowRoot!);
  return [document, ...hosts].map((root) => root.querySelector(`.${name}`)).find((at) => at !== null)!;
};

/** What shows one thing is taken away. */
const remove = (name: string): void => {
  const host = document.querySelector(`.host[data-name=${name}]`);
  if (host) return host.remove();
  const button = of(name);
  const before = button.parentElement!.localName === "dd" ? button.parentElement! : button;
  if (/^(h3|dt)$/i.test(before.previousElementSibling?.localName ?? "") && before.parentElement!.localName !== "div") {
    before.previousElementSibling!.remove();
    return before.remove();
  }
  let row = button.parentElement!;
  while (!row.textContent.includes(name)) row = row.parentElement!;
  row.remove();
};

describe("a ref of one of several", () => {
  test.each(Object.keys(WAYS))("never means another one: %s", async (way) => {
    const show = WAYS[way as string]!;
    show(["Alice", "Bob", "Carol"]);
    const refs = book();
    const ref = refs.refOf(of("Alice"));
    expect(refs.elementOf(ref)).toBe(of("Alice"));
    remove("Alice");
    expect((await problem(() => refs.elementOf(ref))).code).toBe("stale_ref");
    remove("Bob");
    expect((await problem(() => refs.elementOf(ref))).code).toBe("stale_ref");
    expect(refs.heals).toBe(0);
  });
  test.each(Object.keys(WAYS))("never means what its element is used for again: %s", async (way) => {
    const show = WAYS[way as string]!;
    show(["Alice", "Bob", "Carol"]);
    const refs = book();
    const button = of("Alice");
    const ref = refs.refOf(button);
    const walker = document.createTreeWalker(button.getRootNode(), NodeFilter.SHOW_TEXT);
    while (walker.nextNode())
      walker.currentNode.nodeValue = walker.currentNode.nodeValue!.replace("Alice", "Zoe").replace("Bob", "Yves");
    expect(await problem(() => refs.elementOf(ref))).toMatchObject({
      code: "stale_ref",
      message: expect.stringContaining("Alice"),
    });
    expect(refs.refOf(button)).not.toBe(ref);
  });
  test.each(Object.keys(WAYS))("means its own one when all are rendered anew, and in another order: %s", (way) => {
    const show = WAYS[way as string]!;
    show(["Alice", "Bob", "Carol"]);
    const refs = book();
    const ref = refs.refOf(of("Bob"));
    const named = of("Bob").textContent !== "";
    show(["Carol", "Bob", "Alice"]);
    if (!named) return;
    expect(refs.elementOf(ref)).toBe(of("Bob"));
    expect(refs.heals).toBe(1);
    expect(refs.refOf(of("Bob"))).toBe(ref);
  });
});

/** Gives each text the next one, as frameworks do that go by the index, and takes the last row away. */
const shift = (names: string[]): void => {
  const roots = [document, ...[...document.querySelectorAll(".host")].map((host) => host.shadowRoot!)];
  const last = names.at(-1)!;
  remove(last);
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const n = names.findIndex((name) => walker.currentNode.nodeValue!.includes(name));
      if (n >= 0) walker.currentNode.nodeValue = walker.currentNode.nodeValue!.replace(names[n]!, names[n + 1]!);
    }
  }
};

describe("an element", () => {
  const names = ["Alice", "Bob", "Carol", "Dave"];
  const ways: Record<string, (names: string[]) => void> = {
    ...WAYS,
    "buttons that say whose they are": (all) =>
      void put(`<ul>${all.map((name) => `<li><button class="${name}">Delete ${name}</button></li>`).join("")}</ul>`),
    "fields of rows": (all) =>
      void put(`<ul>${all.map((name) => `<li>${name} <input class="${name}"></li>`).join("")}</ul>`),
  };
  test.each(Object.keys(ways))("is another row's once its row has the next one's words: %s", (way) => {
    for (const name of names.slice(0, 3)) {
      ways[way as string]!(names);
      const row = new Row(of(name));
      expect(row.isAnothers).toBe(false);
      shift(names);
      expect(row.isAnothers, name).toBe(true);
    }
  });
  test.each(Object.keys(ways))("stays its row's whatever else goes, and where all is rendered anew: %s", (way) => {
    for (const gone of ["Alice", "Carol", "Dave"]) {
      ways[way as string]!(names);
      const row = new Row(of("Bob"));
      remove(gone);
      expect(row.isAnothers, gone).toBe(false);
    }
    ways[way as string]!(names);
    const row = new Row(of("Bob"));
    ways[way as string]!(names);
    expect(row.isAnothers).toBe(false);
  });
  test("stays its row's where the row says something new, or the same as one that still says it", () => {
    WAYS["items of a list"]!(names);
    const row = new Row(of("Bob"));
    const text = of("Bob").parentElement!.firstChild!;
    for (const words of ["Bob (chosen) ", "Carol ", "Alice ", " "]) {
      text.nodeValue = words;
      expect(row.isAnothers, words).toBe(false);
    }
  });
  test("is another's where two rows change places", () => {
    WAYS["items of a list"]!(names);
    const row = new Row(of("Bob"));
    of("Bob").parentElement!.firstChild!.nodeValue = "Carol ";
    of("Carol").parentElement!.firstChild!.nodeValue = "Bob ";
    expect(row.isAnothers).toBe(true);
  });
  test("is told from eight rows on each side, by what is around it, and not from more", () => {
    for (const [far, told] of [
      [8, true],
      [9, false],
    ] as const) {
      for (const by of [far, -far]) {
        const many = Array.from({ length: 21 }, (_, i) => `Row${String.fromCharCode(65 + i)}`);
        put(`<ul>${many.map((name) => `<li><button class="${name}">Delete ${name}</button></li>`).join("")}</ul>`);
        const [own, other] = [of("RowK"), of(many[10 + by]!)];
        const row = new Row(own);
        own.textContent = other.textContent;
        other.parentElement!.remove();
        expect(row.isAnothers, `${by}`).toBe(told);
      }
    }
  });
  test("in rows that nothing tells apart is nobody else's", () => {
    put("<ul><li><button x>Delete</button></li><li><button>Delete</button></li></ul>");
    const row = new Row(document.querySelector("button")!);
    document.querySelector("li:last-child")!.remove();
    expect(row.isAnothers).toBe(false);
  });
});

describe("a ref", () => {
  test("of what was alone does not mean what came to be called so", async () => {
    for (const way of ["items of a list", "rows of a table", "cards without a role"]) {
      WAYS[way]!(["Alice"]);
      const refs = book();
      const ref = refs.refOf(of("Alice"));
      WAYS[way]!(["Bob"]);
      expect((await problem(() => refs.elementOf(ref))).code, way).toBe("stale_ref");
    }
  });
  test("of what was alone stays with its element, whatever is around it, until others are called so", async () => {
    put("<ul><li>Bread: <i>1</i> <button x>More</button></li></ul>");
    const refs = book();
    const button = document.querySelector("button")!;
    const ref = refs.refOf(button);
    document.querySelector("i")!.textContent = "2";
    expect(refs.elementOf(ref)).toBe(button);
    expect(refs.refOf(button)).toBe(ref);
    document.querySelector("li")!.firstChild!.nodeValue = "Milk: ";
    document.querySelector("ul")!.insertAdjacentHTML("beforeend", "<li>Bread: 2 <button>More</button></li>");
    expect((await problem(() => refs.elementOf(ref))).code).toBe("stale_ref");
  });
  test("is told from those that came, when it is told again", async () => {
    put("<ul><li>Alice <button>Delete</button></li></ul>");
    const refs = book();
    const ref = refs.refOf(document.querySelector("button")!);
    const list = document.querySelector("ul")!;
    list.insertAdjacentHTML("beforeend", "<li>Bob <button>Delete</button></li>");
    expect(refs.refOf(document.querySelector("button")!)).toBe(ref);
    list.firstElementChild!.firstChild!.nodeValue = "Carol ";
    list.lastElementChild!.remove();
    expect((await problem(() => refs.elementOf(ref))).code).toBe("stale_ref");
  });
  test("of what was alone finds it where a number around it is another one", () => {
    const refs = book();
    const ref = refs.refOf(put("<main><p>Count: 1</p><button x>More</button></main>"));
    put("<main><p>Count: 2</p><button x>More</button></main>");
    expect(refs.elementOf(ref)).toBe(document.querySelector("button"));
  });
  test("does not mind what ticks in its row", () => {
    put(
      "<ul><li>Alice <time>1 s ago</time> <button x>Delete</button></li><li>Bob <time>2 s ago</time> <button>Delete</button></li></ul>",
    );
    const refs = book();
    const ref = refs.refOf(document.querySelector("button")!);
    for (const time of document.querySelectorAll("time")) time.textContent = "3 s ago";
    expect(refs.elementOf(ref)).toBe(document.querySelector("button"));
    put(
      "<ul><li>Alice, 59 seconds ago <button>Delete</button></li><li>Bob, a minute ago <button>Delete</button></li></ul>",
    );
    const other = refs.refOf(document.querySelector("button")!);
    document.querySelector("li")!.firstChild!.nodeValue = "Alice, 1 minute ago ";
    expect(refs.elementOf(other)).toBe(document.querySelector("button"));
  });
  test("of two that nothing tells apart means itself only, however far the other is", async () => {
    const names = ["Same", "B", "C", "D", "E", "F", "G", "Same"];
    put(`<ul>${names.map((name) => `<li>${name} <button>Delete</button></li>`).join("")}</ul>`);
    const refs = book();
    const given = [...document.querySelectorAll("button")].map((button) => refs.refOf(button));
    document.querySelector("li")!.remove();
    expect((await problem(() => refs.elementOf(given[0]!))).code).toBe("stale_ref");
    expect(refs.elementOf(given[7]!)).toBe([...document.querySelectorAll("button")].at(-1));
  });
  test("whose row was changed says so, with what there is now", async () => {
    put("<ul><li>Alice <button>Delete</button></li><li>Bob <button>Delete</button></li></ul>");
    const refs = book();
    const ref = refs.refOf(document.querySelector("button")!);
    document.querySelector("li")!.firstChild!.nodeValue = "Alicia ";
    const told = await problem(() => refs.elementOf(ref));
    expect(told.message).toBe(
      'e1 was button "Delete" by "Alice"; what is around it has changed: look again at what is called so now.',
    );
    expect(told.candidates).toHaveLength(2);
    expect(told.candidates![0]!.ref).not.toBe(ref);
  });
});

describe("where an element is", () => {
  const at = (html: string): ReturnType<typeof placeOf> => placeOf(put(html));
  const DELETE = "<button>Delete</button>";
  const X = "<button x>Delete</button>";
  const long = "Carol lives in a house of four rooms by the sea, which has a garden, and two cats";
  test.each([
    ["in its row", `<ul><li>Alice ${X}</li><li>Bob ${DELETE}</li></ul>`, "in", "Alice"],
    ["in its card", `<main><div><h3>Alice</h3>${X}</div><div><h3>Bob</h3>${DELETE}</div></main>`, "in", "Alice"],
    [
      "in a card around a row that says the same as another one's",
      `<main><div>Alice <ul><li>Home ${X}</li></ul></div><div>Bob <ul><li>Home ${DELETE}</li></ul></div></main>`,
      "in",
      "Alice Home",
    ],
    ["behind a text", `<p>Alice</p>${X}<p>Bob</p>${DELETE}`, "before", "Alice"],
    ["behind the text that follows the one before", `${DELETE}<p>Bob</p>${X}`, "before", "Bob"],
    [
      "behind a text of another time",
      `<p>Alice, 2 minutes ago</p>${X}<p>Bob, just now</p>${DELETE}`,
      "before",
      "Alice,",
    ],
    ["behind a text and a clock", `<p>Alice</p><time>12:01</time>${X}<p>Bob</p>${DELETE}`, "before", "Alice"],
    [
      "behind a text and a script",
      `<p>Alice</p><script>0</script><style>p{}</style>${X}<p>Bob</p>${DELETE}`,
      "before",
      "Alice",
    ],
    ["behind the last 80 letters of a text", `<p>${long}</p>${X}<p>Bob</p>${DELETE}`, "before", long.slice(-80)],
    [
      "behind 80 letters, spaces among them, and no other text before",
      `<p>Zoe</p><p>${"a".repeat(39)}  ${"b".repeat(39)}</p>${X}<p>Bob</p>${DELETE}`,
      "before",
      `${"a".repeat(39)} ${"b".repeat(39)}`,
    ],
    [
      "behind the field of a label",
      `<p>Alice</p><input aria-label=n x><p>Bob</p><input aria-label=n>`,
      "before",
      "Alice",
    ],
    [
      "in its row, whatever runs in it",
      `<ul><li>Alice <time>12:01</time><progress>5</progress><i role=timer>9</i> ${X}</li><li>Bob ${DELETE}</li></ul>`,
      "in",
      "Alice",
    ],
    [
      "in its row, a box of choices and a longer text beside it",
      `<ul><li>Alice <select><option>One</select><textarea>Two</textarea><b role=button>Three</b> ${X}</li><li>Bob ${DELETE}</li></ul>`,
      "in",
      "Alice",
    ],
    [
      "in what the first 400 signs of its row say",
      `<ul><li><pre>${" ".repeat(397)}</pre>ab ${X}</li><li>Bob ${DELETE}</li></ul>`,
      "in",
      "a",
    ],
  ])("among others: %s", (_, html, way, near) =>
    expect(at(html as string)).toEqual({ near, way, alone: false, twin: false }),
  );
  test.each([
    ["in rows that say the same", `<ul><li>Same ${X}</li><li>Same ${DELETE}</li></ul>`, "Same"],
    ["behind texts that are the same", `<p>Same</p>${X}<p>Same</p>${DELETE}`, ""],
    ["side by side", `<p>Alice</p>${X}${DELETE}`, ""],
    ["side by side behind a long text", `<p>${long}</p>${X}${DELETE}`, ""],
    ["behind nothing", `${X}<p>Bob</p>${DELETE}`, ""],
  ])("that nothing tells apart: %s", (_, html, near) =>
    expect(at(html as string)).toEqual({ near, way: "in", alone: false, twin: true }),
  );
  test.each([
    ["by its row", `<main>Page <ul><li>Alice ${X}</li></ul></main>`, "in", "Alice"],
    ["by what is around it, its numbers apart", `<main><p>Count: 12</p>${X}</main>`, "about", "Count: 0"],
    ["not by a long text", `<main><p>${long}</p>${X}</main>`, "about", ""],
    ["not by what it says itself", `<main><p>${X}</p></main>`, "about", ""],
    ["not by the page", `Page <p>${X}</p>`, "about", ""],
    [
      "in a row that says what it says itself",
      `<main>Page <ul><li>Go <a href=# x>Go</a></li></ul></main>`,
      "in",
      "Go Go",
    ],
    ["by the row around one without words", `<ul><li>Alice <ul><li>${X}</li></ul></li></ul>`, "in", "Alice"],
  ])("alone: %s", (_, html, way, near) => expect(at(html as string)).toEqual({ near, way, alone: true, twin: false }));
  test("is found out from 30 elements around it, and from 30 texts before it", () => {
    const deep = (n: number): string =>
      `<article>Alice ${"<div>".repeat(n - 1)}${X}${"</div>".repeat(n - 1)}</article>`;
    expect([30, 31].map((n) => at(deep(n)).near)).toEqual(["Alice", ""]);
    const behind = (n: number): string => `<p>Alice</p>${"<p> </p>".repeat(n - 1)}${X}<p>Bob</p>${DELETE}`;
    expect([30, 31].map((n) => at(behind(n)).near)).toEqual(["Alice", ""]);
  });
  test("is where its text is, and nowhere else", () => {
    const button = put(`<ul><li>Alice 12 ${X}</li><li>Bob ${DELETE}</li></ul>`);
    const place = { near: "", way: "in", alone: false, twin: false } as const;
    const is = (near: string, way: "in" | "about" | "before"): boolean => isAt(button, { ...place, near, way });
    expect([is("", "in"), is("Alice 12", "in"), is("Bob", "in"), is("Alice 0", "in")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([is("Alice 0", "about"), is("Alice 12", "about")]).toEqual([true, false]);
    expect([is("Alice 12", "before"), is("12", "before"), is("2", "before")]).toEqual([true, true, false]);
  });
});

describe("namesakes", () => {
  const names = (element: Element): string[] => namesakes(element).map((at) => at.id);
  const buttons = (n: number, html: (i: number) => string): Element[] => {
    put(Array.from({ length: n }, (_, i) => html(i)).join(""));
    return [...document.querySelectorAll("[id]")];
  };
  test("are four on each side", () => {
    const all = buttons(11, (i) => `<button id=b${i}>Delete</button>`);
    expect(names(all[5]!)).toEqual(["b1", "b2", "b3", "b4", "b6", "b7", "b8", "b9"]);
    expect(names(all[0]!)).toEqual(["b1", "b2", "b3", "b4"]);
    expect(names(all[10]!)).toEqual(["b6", "b7", "b8", "b9"]);
  });
  test.each([
    ["their label", "<button id=a aria-label=Delete>x</button><button id=b aria-label=Delete>y</button>", ["b"]],
    ["their text, whatever it stands in", "<button id=a>Delete</button><button id=b><i>De</i>lete</button>", ["b"]],
    ["their text without styles", "<button id=a>Delete</button><button id=b><style>b{}</style>Delete</button>", ["b"]],
    [
      "the beginning of a long text",
      `<button id=a>${"a ".repeat(99)}</button><button id=b><i>${"a ".repeat(99)}</i></button>`,
      ["b"],
    ],
    ["the label of a field", "<label>Name <input id=a></label><input id=b aria-label=Name>", ["b"]],
    ["not the text of a label", "<button id=a aria-label=Delete>x</button><button id=b aria-label=Edit>x</button>", []],
    ["not another tag", "<button id=a>Delete</button><a href=# id=b>Delete</a>", []],
    ["not another role", "<button id=a>Delete</button><button id=b role=tab>Delete</button>", []],
  ])("are called so by %s", (_, html, found) => {
    put(html as string);
    expect(names(document.querySelector("#a")!)).toEqual(found);
  });
  test("of icons are those with the same tooltip, among others in each row", () => {
    const icon = (title: string, i: number): string => `<button id=${title}${i} title=${title}><svg></svg></button>`;
    buttons(
      3,
      (i) => `<p>${["Edit", "Copy", "Move", "Share", "Print", "Delete"].map((title) => icon(title, i)).join("")}</p>`,
    );
    expect(names(document.querySelector("#Delete1")!)).toEqual(["Delete0", "Delete2"]);
  });
  test("are among the first 5,000 of a tag", () => {
    for (const [n, found] of [
      [4999, ["b"]],
      [5000, []],
    ] as const) {
      put(`<b id=a>Delete</b>${"<b></b>".repeat(n - 1)}<b id=b>Delete</b>`);
      expect(names(document.querySelector("#a")!)).toEqual(found);
    }
  });
  test("in shadow roots are looked for anew after half a second, and at each change of the document", () => {
    const { now } = performance;
    let time = 1e9;
    performance.now = () => time;
    try {
      const root = shadow(put("<x-a x></x-a>"), "<button>Delete</button>");
      const button = root.querySelector("button")!;
      expect(namesakes(button)).toHaveLength(0);
      root.append(button.cloneNode(true));
      time += 500;
      expect(namesakes(button)).toHaveLength(0);
      time += 1;
      expect(namesakes(button)).toHaveLength(1);
      root.append(button.cloneNode(true));
      expect(namesakes(button)).toHaveLength(1);
      document.body.className = "a";
      expect(namesakes(button)).toHaveLength(2);
      document.body.removeAttribute("class");
    } finally {
      performance.now = now;
    }
  });
});

test("thousands of elements are compared in steps", () => {
  put("<p>Line</p>".repeat(3000));
  let steps = 0;
  for (const work = indexing("p"); !work.next().done;) steps++;
  expect(steps).toBe(3000);
  expect(namesakes(document.querySelector("p")!)).toHaveLength(4);
});

test("elements that took long to compare are not compared anew", () => {
  put("<div x></div><div x></div>");
  // No change of a shadow root is heard.
  const words = [...document.querySelectorAll("[x]")].map((host) => shadow(host, "<u>Before</u>").querySelector("u")!);
  const { now } = performance;
  let time = now.call(performance) + 1000;
  performance.now = () => time;
  try {
    for (const work = indexing("u"); !work.next().done;) time += 1000;
    for (const at of words) at.textContent = "After";
    expect(namesakes(words[0]!)).toEqual([]);
    time += 1000;
    expect(namesakes(words[0]!)).toEqual([words[1]]);
  } finally {
    performance.now = now;
  }
});
