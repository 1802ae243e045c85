import { describe, expect, test } from "vitest";
import { identityOf, is, shownName, shownText } from "../../dom-agent/identity.ts";
import { MASK } from "../../dom-agent/secret.ts";
import { Pass } from "../../dom-agent/pass.ts";
import { RefBook } from "../../dom-agent/refs.ts";
import { book, problem, put, shadow } from "./world.ts";

describe("an element is", () => {
  test.each([
    ["its role and name", "<button x>Pay</button>", "button", "Pay"],
    ["its tag where it has no role, and its text", "<div x> a  b </div>", "div", "a b"],
    ["its name where it has no role", "<div x title=tip>a</div>", "div", "tip"],
    ["80 signs of its text", `<div x>${"a".repeat(81)}</div>`, "div", `${"a".repeat(79)}…`],
    ["a role without a name", "<ul x>a</ul>", "list", ""],
    ["a field without its value", "<input x value=typed>", "textbox", ""],
    ["a date without its value", "<input type=date x value=2026-01-01>", "textbox", ""],
    ["a text area without its text", "<textarea x>typed</textarea>", "textbox", ""],
    ["an editor without its text", "<div contenteditable x>typed</div>", "div", ""],
    ["a drawing", "<svg x><text>a</text></svg>", "svg", "a"],
    ["a password as a field", "<label>Pass <input type=password x></label>", "textbox", "Pass"],
  ])("%s", (_, html, role, name) => {
    const element = put(html as string);
    expect(identityOf(element)).toEqual({ role, name });
    expect(is(element, { role: role as string, name: name as string })).toBe(true);
    expect(is(element, { role: role as string, name: name as string }, new Pass())).toBe(true);
    expect(is(element, { role: "other", name: name as string })).toBe(false);
    expect(is(element, { role: role as string, name: "other" })).toBe(false);
  });
  test("called without what secret fields hold", () => {
    const element = put("<button x>Show hunter2</button><input type=password value=hunter2>");
    expect(shownName(element)).toBe(`Show ${MASK}`);
    expect(shownText(put("<textarea autocomplete=one-time-code x>1234</textarea>"), 40)).toBe("");
    expect(shownText(put(`<p x>${" ".repeat(99)}ab</p>`), 20)).toBe("a");
    expect(shownText(put("<p x>abcdef</p>"), 5)).toBe("abcd…");
  });
  test.each([
    ["<div x><p>a</p>b<p>c</p></div>", "a b c"],
    ["<div x>Sure?<button>Yes</button><button>No</button></div>", "Sure? Yes No"],
    ["<ul x><li>a<li>b</ul>", "a b"],
    ["<p x>a<br>b</p>", "a b"],
    ["<p x><b>a</b>b<i>c<u>d</u></i>e <span>f</span></p>", "abcde f"],
    ["<nav x><a>a</a><a>b</a></nav>", "a b"],
    ["<div x><div><p>a</p></div>b</div>c", "a b"],
    ["<div x>a<style>b</style><script>c</script><template>d</template><noscript>e</noscript>f</div>", "a f"],
    ["<div x><!-- no --></div>", ""],
    ["<div x></div>after", ""],
  ])("said as %s: %s", (html, words) => expect(shownText(put(html as string), 40)).toBe(words));
  test("read as far as it is told", () => {
    const element = put("<div x></div>");
    element.innerHTML = "<i></i>".repeat(24) + "a";
    expect(shownText(element, 5)).toBe("a");
    element.innerHTML = "<i></i>".repeat(25) + "a";
    expect(shownText(element, 5)).toBe("");
    let deep: Element = element;
    // The parser nests 512 elements at most; one element after the other takes the browser a second.
    for (let i = 0; i < 40; i++) {
      deep.innerHTML = "<span>".repeat(500);
      while (deep.firstElementChild) deep = deep.firstElementChild;
    }
    deep.textContent = "deep";
    expect(shownText(element, 10_000)).toBe("deep");
  });
});

describe("a book of refs", () => {
  test("gives each element its own, and keeps it", () => {
    put("<button>a</button><button>b</button>");
    const [a, b] = document.querySelectorAll("button");
    const refs = book();
    expect([refs.refOf(a!), refs.refOf(b!), refs.refOf(a!)]).toEqual(["e1", "e2", "e1"]);
    expect([refs.elementOf("e1"), refs.elementOf("e2")]).toEqual([a, b]);
    expect(refs.refOf(a!, { role: "button", name: "a" })).toBe("e1");
  });
  test("gives another to what became something else", () => {
    const element = put("<button x>a</button>");
    const refs = book();
    refs.refOf(element);
    element.textContent = "b";
    expect(refs.refOf(element)).toBe("e2");
    element.setAttribute("role", "link");
    expect(refs.refOf(element)).toBe("e3");
  });
  test("gives numbers of its ranges, and counts those that are left", () => {
    const refs = book([3, 4], [7, 8]);
    expect(refs.left).toBe(4);
    const given = Array.from({ length: 4 }, (_, i) =>
      refs.refOf(Object.assign(document.createElement("p"), { textContent: `${i}` })),
    );
    expect(given).toEqual(["e3", "e4", "e7", "e8"]);
    expect(refs.left).toBe(0);
    refs.allow([
      [7, 8],
      [20, 21],
    ]);
    expect(refs.left).toBe(2);
    expect(refs.refOf(document.createElement("p"))).toBe("e20");
    expect(refs.left).toBe(1);
  });
  test("goes from a range into the one right behind it", () => {
    const refs = book([1, 2], [3, 4]);
    const given = Array.from({ length: 4 }, () => refs.refOf(document.createElement("p")));
    expect(given).toEqual(["e1", "e2", "e3", "e4"]);
    expect(refs.left).toBe(0);
  });
  test("counts a range once", () => {
    const refs = book([3, 4]);
    refs.allow([[3, 4]]);
    expect(refs.left).toBe(2);
  });
  test("without numbers gives the first", () => {
    const refs = new RefBook();
    expect(refs.left).toBe(0);
    expect(refs.refOf(document.createElement("p"))).toBe("e1");
    expect(book([1, 0]).left).toBe(0);
  });
  test("gives numbers of what is gone again, then the oldest, and none that was just given", () => {
    put("<p>1</p><p>2</p><p>3</p><p>4</p><p>5</p><p>6</p><p>7</p>");
    const all = [...document.querySelectorAll("p")];
    const refs = book([1, 3]);
    const give = (n: number): string => refs.refOf(all[n - 1]!);
    expect([1, 2, 3].map(give)).toEqual(["e1", "e2", "e3"]);
    all[1]!.remove();
    expect(give(4)).toBe("e2");
    expect(refs.left).toBe(0);
    expect(refs.elementOf("e2")).toBe(all[3]);
    // e2 is the youngest now.
    expect([5, 6, 7].map(give)).toEqual(["e1", "e3", "e2"]);
    expect([1, 2, 3].map((n) => refs.elementOf(`e${n}`))).toEqual([all[4], all[6], all[5]]);
    expect(give(1)).toBe("e1");
    expect(give(3)).toBe("e3");
    refs.allow([[9, 9]]);
    expect(give(4)).toBe("e9");
  });
  test("does not know what it did not give", async () => {
    expect(await problem(() => book().elementOf("e9"))).toEqual({
      code: "stale_ref",
      message: "e9 is not known in this page.",
    });
  });
  test("finds what was rendered anew by its role and name", () => {
    const element = put("<button x>Pay</button><a href=#>Pay</a><button>Cancel</button>");
    const refs = book();
    const ref = refs.refOf(element);
    const copy = element.cloneNode(true) as Element;
    element.replaceWith(copy);
    expect(refs.elementOf(ref)).toBe(copy);
    expect(refs.refOf(copy)).toBe(ref);
    const other = copy.cloneNode(true) as Element;
    copy.after(other);
    expect(refs.elementOf(ref)).toBe(copy);
    other.remove();
    copy.remove();
    document.body.prepend(element);
    expect(refs.elementOf(ref)).toBe(element);
  });
  test.each([
    ["something without a role", "<div x>Card of Carol</div>", "<div>Card of Carol</div>"],
    ["a long name", `<button x>${"word ".repeat(60)}</button>`, `<button>${"word ".repeat(60)}</button>`],
    ["a password field", "<label>Pass <input type=password x></label>", "<label>Pass <input type=password></label>"],
    ["a password field that is shown", "<label>Pass <input type=password x></label>", "<label>Pass <input></label>"],
    [
      "something called otherwise than its text",
      "<button x aria-label=Pay>×</button>",
      "<button aria-label=Pay>+</button>",
    ],
    ["something of another tag with the role", "<button x>Pay</button>", "<div role=button>Pay</div>"],
    ["something in a shadow root", "<button x>Pay</button>", "<div class=host></div>"],
  ])("finds %s again", (_, before, after) => {
    const refs = book();
    const ref = refs.refOf(put(before as string));
    put(after as string);
    const host = document.querySelector(".host");
    const again = host
      ? shadow(host, "<button>Pay</button>", "closed").firstElementChild
      : (document.querySelector("input") ?? document.body.firstElementChild);
    expect(refs.elementOf(ref)).toBe(again);
  });
  test("does not find what has no name", async () => {
    const refs = book();
    const ref = refs.refOf(put("<ul x></ul>"));
    put("<ul></ul>");
    expect(await problem(() => refs.elementOf(ref))).toEqual({
      code: "stale_ref",
      message: 'e1 was list "", and it is gone.',
    });
  });
  test("says what several there are now", async () => {
    const refs = book();
    const ref = refs.refOf(put("<button x>Pay</button>"));
    put("<button>Pay</button>".repeat(2) + "<button>Cancel</button>");
    expect(await problem(() => refs.elementOf(ref))).toEqual({
      code: "stale_ref",
      message: 'e1 was button "Pay"; it was replaced, and now 2 elements are called so.',
      candidates: [
        { ref: "e2", role: "button", name: "Pay", visible: true },
        { ref: "e3", role: "button", name: "Pay", visible: true },
      ],
    });
    for (const [count, words] of [
      [8, "8"],
      [9, "more than 8"],
    ]) {
      put("<button>Pay</button>".repeat(count as number));
      const { message, candidates } = await problem(() => refs.elementOf(ref));
      expect(message).toBe(`e1 was button "Pay"; it was replaced, and now ${words as string} elements are called so.`);
      expect(candidates).toHaveLength(8);
    }
  });
  test("says what is there now", async () => {
    const refs = book();
    const element = put("<button x>Delete Alice</button>");
    const ref = refs.refOf(element);
    element.textContent = "Delete Bob";
    expect(await problem(() => refs.elementOf(ref))).toEqual({
      code: "stale_ref",
      message: 'e1 was button "Delete Alice"; in its place is now button "Delete Bob", e2.',
      candidates: [{ ref: "e2", role: "button", name: "Delete Bob", visible: true }],
    });
  });
  test("finds what moved to another element, rather than what took its place", () => {
    const refs = book();
    put("<button>Alice</button><button>Bob</button>");
    const [first, second] = document.querySelectorAll("button");
    const ref = refs.refOf(first!);
    first!.textContent = "Bob";
    second!.textContent = "Alice";
    expect(refs.elementOf(ref)).toBe(second);
  });
});
