import { describe, expect, test } from "vitest";
import { Roots, run } from "../../locators/deep.ts";
import { locate, selectorFor, sketchOf } from "../../locators/ranked.ts";
import type { Locators } from "../support/locators-entry.ts";
import "../support/locators-entry.ts";
import { NASTY } from "../support/nasty.ts";

declare const locators: Locators;

function put(html: string): Element {
  document.body.innerHTML = html;
  return document.querySelector("[x]")!;
}
/** The locators of an element: kind, value, matches and score. */
const ways = (element: Element): unknown[][] =>
  run(locate(sketchOf(element), new Roots())).map(({ kind, value, matches, score }) => [kind, value, matches, score]);

describe("a sketch", () => {
  test("is what an element says of itself", () => {
    const element = put("<label for=name>Your name</label><input x id=name data-testid=t placeholder=' a  b '>");
    expect(sketchOf(element)).toEqual({
      element,
      role: "textbox",
      name: "Your name",
      testid: ["data-testid", "t"],
      label: "Your name",
      placeholder: "a b",
      text: "",
      id: "name",
    });
  });
  test("of something with nothing is empty", () => {
    const element = put("<div x></div>");
    expect(sketchOf(element)).toEqual({
      element,
      role: "",
      name: "",
      testid: ["", ""],
      label: "",
      placeholder: "",
      text: "",
      id: "",
    });
  });
  test.each([
    ["data-testid", "<p x data-testid=a data-cy=b>", ["data-testid", "a"]],
    ["data-qa", "<p x data-testid='' data-qa=b>", ["data-qa", "b"]],
    ["none", "<p x data-testid=''>", ["", ""]],
  ])("has the test id of %s", (_, html, testid) => expect(sketchOf(put(html as string)).testid).toEqual(testid));
  test.each([
    ["aria-label", "<p x aria-label=' a  b '>", "a b"],
    ["the first label", "<label for=x>a</label><label for=x>b</label><input x id=x aria-label=c>", "a"],
    ["a label of 60 signs", `<label>${"a".repeat(60)}<input x></label>`, "a".repeat(60)],
    ["no label of 61 signs", `<label>${"a".repeat(61)}<input x></label>`, ""],
    ["a label of which 240 signs are read", `<label>${" ".repeat(239)}ab<input x></label>`, "a"],
    ["no label", "<p x>a</p>", ""],
  ])("has %s", (_, html, label) => expect(sketchOf(put(html as string)).label).toBe(label));
  test.each([
    ["its text", "<p x> a  b </p>", "a b"],
    ["its text with three parts", "<p x>a<i>b</i><i>c</i><i>d</i></p>", "abcd"],
    ["no text with four parts", "<p x>a<i>b</i><i>c</i><i>d</i><i>e</i></p>", ""],
    ["no text that a child says", "<p x> <i> a </i> </p>", ""],
    ["the text that a child says a part of", "<p x><i>a</i> b</p>", "a b"],
    ["no text of a select", "<select x><option>a<option>b</select>", ""],
    ["no text of a text area", "<textarea x>a</textarea>", ""],
    ["the value of a button", "<input x type=button value=a>", "a"],
    ["no value of a field", "<input x value=a>", ""],
    ["text of 60 signs", `<p x>${"a".repeat(60)}</p>`, "a".repeat(60)],
    ["no text of 61 signs", `<p x>${"a".repeat(61)}</p>`, ""],
    ["text of which 240 signs are read", `<p x>${" ".repeat(239)}ab</p>`, "a"],
    ["text beside a child of which 240 signs are read", `<p x>${" ".repeat(10)}<i>${" ".repeat(229)}ab</i></p>`, "a"],
  ])("has %s", (_, html, text) => expect(sketchOf(put(html as string)).text).toBe(text));
  test("has no text of the page itself", () => {
    put("a");
    expect([sketchOf(document.body).text, sketchOf(document.documentElement).text]).toEqual(["", ""]);
  });
  test.each([
    ["a person's", "<p x id=total>", "total"],
    ["no generated one", "<p x id=css-1a2b>", ""],
    ["none", "<p x>", ""],
  ])("has %s id", (_, html, id) => expect(sketchOf(put(html as string)).id).toBe(id));
  test("has no id in a shadow root, nor where the element is in no page", () => {
    const root = put("<div x></div>").attachShadow({ mode: "open" });
    root.innerHTML = "<p id=total></p>";
    expect(sketchOf(root.querySelector("p")!).id).toBe("");
    expect(sketchOf(Object.assign(document.createElement("p"), { id: "total" })).id).toBe("");
  });
  test("has a placeholder of 1,000 signs", () => {
    expect(sketchOf(put(`<input x placeholder=${"a".repeat(1000)}>`)).placeholder).toBe("a".repeat(1000));
    expect(sketchOf(put(`<input x placeholder=${"a".repeat(1001)}>`)).placeholder).toBe(`${"a".repeat(999)}…`);
  });
});

describe("the ways to an element", () => {
  test("come best first, with their scores", () => {
    expect(
      ways(put("<label for=total>Sum</label><input x type=text id=total class=c data-testid=t placeholder=p>")),
    ).toEqual([
      ["testid", "t", 1, 1],
      ["role", 'textbox[name="Sum"]', 1, 10],
      ["label", "Sum", 1, 20],
      ["placeholder", "p", 1, 30],
      ["id", "total", 1, 50],
      ["css", "#total", 1, 100],
    ]);
    expect(ways(put("<button x>Pay</button>"))).toEqual([
      ["role", 'button[name="Pay"]', 1, 10],
      ["text", "Pay", 1, 40],
      ["css", "button", 1, 100],
    ]);
  });
  test("that fit others too come behind those that do not", () => {
    expect(ways(put("<button x class=a>Pay</button><button>Pay</button><p>Pay</p>"))).toEqual([
      ["css", ".a", 1, 100],
      ["role", 'button[name="Pay"]', 2, 210],
      ["text", "Pay", 3, 440],
    ]);
  });
  test("name the attribute of a test id that is not the usual one", () => {
    expect(ways(put("<p x data-cy=a>"))[0]).toEqual(["testid", "data-cy=a", 1, 1]);
    expect(ways(put("<p x data-testid='data-cy=a'>"))[0]).toEqual(["testid", '"data-cy=a"', 1, 1]);
  });
  test("need a role and a name", () => {
    expect(ways(put("<p x title=a>")).map(([kind]) => kind)).toEqual(["css"]);
    expect(ways(put("<ul x>")).map(([kind]) => kind)).toEqual(["css"]);
  });
  test("of 1,000 signs are given, longer ones are not", () => {
    expect(ways(put(`<p x data-testid=${"a".repeat(1000)}>`))[0]?.[0]).toBe("testid");
    expect(ways(put(`<p x data-testid=${"a".repeat(1001)}>`))[0]?.[0]).toBe("css");
  });
  test("with half a character are not given", () => {
    const element = put("<p x></p>");
    element.setAttribute("data-testid", "\ud83d");
    expect(ways(element)[0]?.[0]).toBe("css");
    element.setAttribute("data-testid", "\ud83d\ude00");
    expect(ways(element)[0]?.[0]).toBe("testid");
  });
  test("that do not find it are left out", () => {
    // The text is found in the element in it that says the same.
    expect(ways(put("<p x><i>a</i><b></b> b</p><p>a b</p>")).map(([kind]) => kind)).toEqual(["css", "text"]);
    expect(ways(put("<div x><x-a></x-a><script>a</script></div>")).map(([kind]) => kind)).toEqual(["css"]);
  });
  test("to what is gone are those that found it, counted beside the others, without a path", () => {
    const element = put("<button x data-testid=t>Pay</button><button>Pay</button>");
    const sketch = sketchOf(element);
    element.remove();
    expect(run(locate(sketch, new Roots())).map(({ kind, matches, score }) => [kind, matches, score])).toEqual([
      ["testid", 1, 1],
      ["role", 2, 210],
      ["text", 2, 240],
    ]);
  });
  test.each([
    ["testid", "<p x data-testid=a>", (x: Element) => x.setAttribute("data-testid", "b"), "testid"],
    ["role", "<p x role=button>a</p>", (x: Element) => x.setAttribute("role", "link"), "role"],
    ["name", "<button x aria-label=a>", (x: Element) => x.setAttribute("aria-label", "b"), "role"],
    ["label", "<input x aria-label=a>", (x: Element) => x.setAttribute("aria-label", "b"), "label"],
    ["placeholder", "<input x placeholder=a>", (x: Element) => x.setAttribute("placeholder", "b"), "placeholder"],
    ["text", "<p x>a</p>", (x: Element) => void (x.textContent = "b"), "text"],
    ["id", "<p x id=a>", (x: Element) => void (x.id = "b"), "id"],
  ])("to what has another %s now is still told", (_, html, change, kind) => {
    const element = put(html as string);
    const sketch = sketchOf(element);
    (change as (x: Element) => void)(element);
    const found = run(locate(sketch, new Roots()));
    expect(found.find((way) => way.kind === kind)).toMatchObject({ matches: 1 });
    expect(found.at(-1)?.kind).toBe("css");
  });
  test("pause between each", () => {
    const steps = locate(sketchOf(put("<button x id=total data-testid=t>Pay</button>")), new Roots());
    let pauses = 0;
    while (!steps.next().done) pauses++;
    // A search through shadow roots pauses too.
    expect(pauses).toBe(4 + 3);
  });
  test("become selectors", () => {
    expect(selectorFor({ kind: "css", value: "a > b" })).toBe("a > b");
    expect(selectorFor({ kind: "id", value: "1a" })).toBe("#\\31 a");
    expect(selectorFor({ kind: "role", value: "button" })).toBe("role=button");
  });
});

test("what is printed for the elements of generated pages is found", () => {
  let checked = 0;
  for (const seed of [3]) {
    document.body.innerHTML = "";
    NASTY(seed);
    const all = locators.everything().filter((element) => !element.closest("head, script, style"));
    expect(all.flatMap((element) => locators.wrongs(element))).toEqual([]);
    checked += all.length;
  }
  expect(checked).toBeGreaterThan(100);
});
