import { describe, expect, test } from "vitest";
import { Telling, partInWords } from "../../dom-agent/telling.ts";
import { short } from "../../dom-agent/describe.ts";
import { put } from "./world.ts";

/** Lines about what an element of a page became. */
function told(html: string, work: (telling: Telling, at: HTMLElement) => unknown): string[] {
  const at = put(html);
  const telling = new Telling((control) => `button ${control.textContent}`);
  work(telling, at);
  return [...telling.lines];
}
const buttons = (...names: string[]): string => names.map((name) => `<button>${name}</button>`).join("");
const all = (at: HTMLElement): Element[] => [...at.querySelectorAll("button")];
const open = (html: string, kind: string, name = ""): string[] =>
  told(`<div x>${html}</div>`, (telling, at) => telling.open(at, kind, name));

describe("what opened is told", () => {
  test.each([
    ["dialog", "", "Sure?", ['dialog "Sure?" opened']],
    ["dialog", "", `<p>Sure?</p>${buttons("Yes", "No")}`, ['dialog "Sure?" opened: button Yes, button No']],
    [
      "dialog",
      "Delete",
      `Delete ${buttons("Yes")} forever`,
      ['dialog "Delete" opened: button Yes', 'dialog says: "forever"'],
    ],
    ["dialog", "Delete", "It is gone then", ['dialog "Delete" opened', 'dialog says: "It is gone then"']],
    ["dialog", "Delete", "Delete", ['dialog "Delete" opened']],
    ["dialog", "", "<p>Sure?</p><p>It goes</p>", ['dialog "Sure? It goes" opened']],
    ["dialog", "", "", ["dialog opened"]],
    ["dialog", "", "a".repeat(60), [`dialog "${"a".repeat(60)}" opened`]],
    ["dialog", "", "a".repeat(61), [`dialog "${"a".repeat(59)}…" opened`, `dialog says: "${"a".repeat(61)}"`]],
    ["dialog", "", "a".repeat(101), [`dialog "${"a".repeat(59)}…" opened`, `dialog says: "${"a".repeat(99)}…"`]],
    ["menu", "", buttons("Cut", "Copy"), ["menu opened: button Cut, Copy"]],
    ["menu", "Edit", buttons("Cut"), ['menu "Edit" opened: button Cut']],
    ["menu", "", "Nothing", ["menu opened", 'menu says: "Nothing"']],
    ["listbox", "", `Fruit ${buttons("Fig", "Kiwi")}`, ["listbox opened: button Fig, Kiwi", 'listbox says: "Fruit"']],
    [
      "popover",
      "",
      buttons(..."abcdefgh".split("")),
      [
        `popover opened: ${"abcdef"
          .split("")
          .map((name) => `button ${name}`)
          .join(", ")} (and 2 more)`,
      ],
    ],
    [
      "popover",
      "",
      buttons(..."abcdef".split("")),
      [
        `popover opened: ${"abcdef"
          .split("")
          .map((name) => `button ${name}`)
          .join(", ")}`,
      ],
    ],
  ])("%s %s: %s", (kind, name, html, lines) =>
    expect(open(html as string, kind as string, name as string)).toEqual(lines),
  );
  test("and is known as told of, with what is in it", () => {
    told(`<div x>${buttons("a")}</div><p>b</p>`, (telling, at) => {
      telling.open(at, "dialog", "A");
      expect(telling.opened).toEqual([at]);
      expect([at, at.firstElementChild!, document.querySelector("p")!].map(telling.has)).toEqual([true, true, false]);
      expect([at, at.firstElementChild!].map(telling.is)).toEqual([true, false]);
      expect([telling.says('"A" opened'), telling.says("B")]).toEqual([true, false]);
    });
  });
  test("words are known as told by their first 60 letters", () => {
    const begin = "a".repeat(58);
    told("<p x>", (telling) => {
      telling.add(undefined, `status: "${begin}b"`);
      expect([`${begin}b`, `${begin}c`].map(telling.says)).toEqual([true, false]);
      telling.add(undefined, `status: "${begin}de"`);
      expect([`${begin}dx`, `${begin}def`].map(telling.says)).toEqual([false, true]);
    });
  });
  test("no more nodes are read of all parts than there is room for", () => {
    const lines = told(`<div x><p>one</p><p>two</p>${buttons("Go")}</div>`, (telling, at) => {
      telling.room.nodes = 3;
      telling.open(at, "dialog", "");
      telling.tell(at, "status", "one");
    });
    expect(lines).toEqual(['dialog "one" opened', 'status: "one"']);
  });
});

describe("what tells something is told", () => {
  test.each([
    ["by its words", "Saved", ['status: "Saved"']],
    ["with what can be pressed in it", `Saved ${buttons("Undo")}`, ['status: "Saved", button Undo']],
  ])("%s", (_, html, lines) =>
    expect(told(`<div x>${html}</div>`, (telling, at) => telling.tell(at, "status", "Saved"))).toEqual(lines),
  );
});

describe("controls and texts are told as far as a line reaches", () => {
  const listed = (words: string, names: string[], most?: number): string[] =>
    told(`<div x>${buttons(...names)}</div>`, (telling, at) => telling.list(words, all(at), most));
  test("all of them, or those for which there is room, and how many are left", () => {
    expect(listed("new: ", ["a", "b"])).toEqual(["new: button a, button b"]);
    expect(listed("new: ", ["a", "b", "c"], 2)).toEqual(["new: button a, button b (and 1 more)"]);
    expect(listed("new: ", [])).toEqual([]);
  });
  test("to a whole ref", () => {
    const refs = (...names: string[]): string => {
      const at = put(`<div x>${buttons(...names)}</div>`);
      const telling = new Telling((control) => `${short(control)} e12345`);
      telling.list("new: ", all(at));
      return [...telling.lines].join();
    };
    const [a, b] = ["a".repeat(40), "b".repeat(40)];
    const two = `new: button "${a}" e12345, button "${b}" e12345`;
    expect(refs(a, b, "ccc")).toBe(`${two}, button "ccc" e12345`);
    expect(refs(a, b, "ccc")).toHaveLength(140);
    expect(refs(a, b, "cccc")).toBe(`${two} (and 1 more)`);
    // Where others follow, the line ends with how many.
    const at = put(`<div x>${buttons(a, b, "c")}</div>`);
    const telling = new Telling((control) => `${short(control)} e12345`);
    telling.list("dialog opened here: ", all(at));
    expect([...telling.lines]).toEqual([`dialog opened here: button "${a}" e12345 (and 2 more)`]);
  });
  test("of a menu as far as its lines without their roles may reach", () => {
    const menu = (last: string): string[] => {
      const at = put(`<div x>${buttons("a".repeat(40), "b".repeat(40), last)}</div>`);
      const telling = new Telling(short);
      telling.list("menu opened: ", all(at), 6, true);
      return [...telling.lines];
    };
    const line = `menu opened: button "${"a".repeat(40)}", "${"b".repeat(40)}"`;
    expect(menu("c".repeat(19))).toEqual([`${line}, "${"c".repeat(19)}"`]);
    expect(menu("c".repeat(20))).toEqual([`${line} (and 1 more)`]);
  });
  test("behind words that are cut where the first would not fit", () => {
    const behindOf = (length: number, ...names: string[]): string => {
      const at = put(`<div x>${buttons(...names)}</div>`);
      const telling = new Telling((control) => `${short(control)} e12345`);
      telling.tell(at, "status", "w".repeat(length));
      return [...telling.lines].join();
    };
    const behind = (...names: string[]): string => behindOf(100, ...names);
    const one = `button "${"a".repeat(40)}" e12345`;
    expect(behind("a".repeat(40))).toBe(`status: "${"w".repeat(73)}… ${one}`);
    expect(behind("a".repeat(40))).toHaveLength(140);
    expect(behind("a".repeat(40), "b")).toBe(`status: "${"w".repeat(57)}… ${one} (and 1 more)`);
    expect(behindOf(72, "a".repeat(40))).toBe(`status: "${"w".repeat(72)}", ${one}`);
    expect(behindOf(73, "a".repeat(40))).toBe(`status: "${"w".repeat(73)}… ${one}`);
    expect(behind("Undo")).toBe(`status: "${"w".repeat(100)}", button "Undo" e12345`);
  });
  test("texts likewise", () => {
    const quoted = (...texts: string[]): string[] => told("<p x>", (telling) => telling.quotes("new: ", texts));
    expect(quoted("a", "b")).toEqual(['new: "a", "b"']);
    expect(quoted()).toEqual([]);
    expect(quoted("a".repeat(101))).toEqual([`new: "${"a".repeat(99)}…"`]);
    const [first, second] = ["a".repeat(50), "b".repeat(63)];
    expect(quoted(first, second)).toEqual([`new: "${first}", "${second}"`]);
    expect(quoted(first, `${second}b`, "c")).toEqual([`new: "${first}" (and 2 more)`]);
    const words = `new in region "${"n".repeat(40)}": `;
    expect(told("<p x>", (telling) => telling.quotes(words, ["a".repeat(90), "b"]))).toEqual([
      `${words}"${"a".repeat(80)}…`,
    ]);
  });
  test("of what was not read to its end the number that is left is not known", () => {
    expect(
      told(
        `<div x>${buttons("a", "b")}</div>`,
        (telling, at) => ((telling.cut = true), telling.list("new: ", all(at), 1)),
      ),
    ).toEqual(["new: button a (and more)"]);
  });
  test("twelve lines, each once", () => {
    const lines = told(`<div x>${buttons("a")}</div>`, (telling, at) => {
      for (let i = 0; i < 13; i++) for (let n = 0; n < 2; n++) telling.add(undefined, `line ${i}`);
      telling.list("new: ", all(at));
    });
    expect(lines).toEqual(Array.from({ length: 12 }, (_, i) => `line ${i}`));
  });
  test("no control is asked for its ref where no line is left", () => {
    const at = put(`<div x>${buttons("a")}</div>`);
    const asked: Element[] = [];
    const telling = new Telling((control) => (asked.push(control), short(control)));
    for (let i = 0; i < 11; i++) telling.add(undefined, `line ${i}`);
    telling.list("new: ", all(at));
    telling.list("more: ", all(at));
    expect([asked.length, telling.lines.size]).toEqual([1, 12]);
  });
  test("a thousand bytes", () => {
    const add = (telling: Telling, n: number, sign: string): void => {
      for (let i = 0; i < n; i++) telling.add(undefined, sign.repeat(99) + i);
    };
    expect(
      told(
        "<p x>",
        (telling) => (add(telling, 3, "は"), telling.add(undefined, "a".repeat(106)), telling.add(undefined, "b")),
      ),
    ).toHaveLength(4);
    expect(
      told(
        "<p x>",
        (telling) => (add(telling, 3, "は"), telling.add(undefined, "a".repeat(107)), telling.add(undefined, "b")),
      ),
    ).toHaveLength(4);
    expect(
      told(
        "<p x>",
        (telling) => (
          add(telling, 9, "a"),
          telling.add(undefined, "b".repeat(99)),
          telling.add(undefined, "c"),
          telling.add(undefined, "d")
        ),
      ),
    ).toHaveLength(11);
    expect(
      told("<p x>", (telling) => (add(telling, 1, "a"), add(telling, 1, "a"), add(telling, 10, "a"))),
    ).toHaveLength(10);
    // Controls for which no room is left are told by the words before them.
    const full = told(`<div x>${buttons("a")}</div>`, (telling, at) => {
      add(telling, 9, "a");
      telling.add(undefined, "b".repeat(88));
      telling.list("new: ", all(at));
    });
    expect(full.at(-1)).toBe("new");
    // Their refs take room, too, and names of other scripts more of it than they have letters.
    const last = (left: number, ...names: string[]): string | undefined => {
      const at = put(`<div x>${buttons(...names)}</div>`);
      const telling = new Telling((control) => `${short(control)} e1234`);
      add(telling, 9, "a");
      telling.add(undefined, "b".repeat(100 - left));
      telling.list("new: ", all(at));
      return [...telling.lines].at(-1);
    };
    const one = 'new: button "a" e1234';
    expect([23, 22].map((left) => last(left, "a"))).toEqual([one, "new"]);
    expect([28, 27].map((left) => last(left, "はい"))).toEqual(['new: button "はい" e1234', "new"]);
    expect([39, 38].map((left) => last(left, "a", "b"))).toEqual([`${one}, button "b" e1234`, "new"]);
  });
  test("a line is cut at 140 signs, and has no space at its ends", () => {
    expect(
      told(
        "<p x>",
        (telling) => (
          telling.add(undefined, " a "),
          telling.add(undefined, "b".repeat(140)),
          telling.add(undefined, "c".repeat(141))
        ),
      ),
    ).toEqual(["a", "b".repeat(140), `${"c".repeat(139)}…`]);
  });
});

test("what is told is read for twelve milliseconds", () => {
  const { now } = performance;
  let time = 100;
  performance.now = () => time;
  try {
    const telling = new Telling(() => "");
    time = 111;
    expect(telling.late).toBe(false);
    time = 112;
    expect(telling.late).toBe(true);
  } finally {
    performance.now = now;
  }
});

test("a part of the page is called by its role and its name, or by what it is", () => {
  expect(partInWords(put("<nav x aria-label=Main></nav>"))).toBe('navigation "Main"');
  expect(partInWords(put(`<nav x aria-label=${"a".repeat(61)}></nav>`))).toBe(`navigation "${"a".repeat(59)}…"`);
  expect(partInWords(put("<ul role=none x></ul>"))).toBe("ul");
  expect([document.body, document.documentElement].map(partInWords)).toEqual(["the page", "the page"]);
});
