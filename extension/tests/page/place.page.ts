import { describe, expect, test } from "vitest";
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
