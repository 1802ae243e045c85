import { afterEach, describe, expect, test } from "vitest";
import { Before } from "../../dom-agent/before.ts";
import { Changes } from "../../dom-agent/changes.ts";
import { lend, lender } from "@gasoline/capture/locators/lender";
import { own } from "../../dom-agent/own.ts";
import { put, shadow } from "./world.ts";

const SIZE = "width:100px;height:100px;margin:0";
const x = (style = "", inner = "a"): string => `<p x style='${SIZE};${style}'>${inner}</p>`;
const box = (style: string, inner: string): string => `<div style='${style}'>${inner}</div>`;
const cut = (inner: string): string => box(`${SIZE};overflow:hidden;position:relative`, inner);

describe("what nobody sees before an act", () => {
  test.each([
    ["in view", x(), false],
    ["hidden", x("display:none"), true],
    ["without ink", x("visibility:hidden"), true],
    ["see-through", x("opacity:0"), true],
    ["without a box of its own", x("display:contents", "<b>a</b>"), false],
    ["left out until it is scrolled to", box("margin-top:9000px;content-visibility:auto", x()), false],
    ["far below", x("position:absolute;top:9000px"), false],
    ["far to the right", x("position:absolute;left:9000px"), false],
    ["to the left of the page", x("position:absolute;left:-200px"), true],
    ["above the page", x("position:absolute;top:-200px"), true],
    ["fixed above", x("position:fixed;top:-200px"), true],
    [
      "to the right of a page that does not scroll there",
      `<style>body{overflow-x:hidden}</style>b${x("position:absolute;left:900px")}`,
      true,
    ],
    // What holds it is partly in view.
    ["at the left edge", box("position:absolute;left:-100px;width:300px", x()), true],
    ["a pixel over the left edge", box("position:absolute;left:-100px;width:300px", x("width:101px")), false],
    ["at the upper edge", box("position:absolute;top:-100px;height:300px", x()), true],
    ["a pixel over the upper edge", box("position:absolute;top:-100px;height:300px", x("height:101px")), false],
    ...["100px", "99px"].map((left) => [
      `${left} from the left of what ends 100px from the right edge`,
      `<style>body{overflow-x:hidden}</style>${box("position:absolute;left:calc(100vw - 100px);width:300px", x(`margin-left:${left}`))}`,
      left === "100px",
    ]),
    ["fixed at the lower edge of a long page", box("height:9000px", x("position:fixed;top:100%")), true],
    ["a pixel over the lower edge", box("height:9000px", x("position:fixed;top:calc(100% - 1px)")), false],
    ["beside a box that cuts off", cut(x("position:absolute;left:100px")), true],
    ["partly beside it", cut(x("position:absolute;left:99px")), false],
    ["before it", box("margin:200px", cut(x("position:absolute;right:100px"))), true],
    ["partly before it", box("margin:200px", cut(x("position:absolute;right:99px"))), false],
    ["below it", cut(x("position:absolute;top:100px")), true],
    ["partly below it", cut(x("position:absolute;top:99px")), false],
    ["above it", box("padding:200px", cut(x("position:absolute;bottom:100px"))), true],
    ["partly above it", box("padding:200px", cut(x("position:absolute;bottom:99px"))), false],
    ["beside a box that does not cut off", box(`${SIZE};position:relative`, x("position:absolute;left:100px")), false],
    ["folded up", x("height:0;overflow:hidden", "<b>a</b>"), true],
    ["folded to the side", x("width:0;overflow:clip", "<b>a</b>"), true],
    ["without a size", x("height:0", "<b>a</b>"), false],
    [
      "without a size around what is fixed",
      x("height:0;overflow:hidden", "<style></style><b style='position:fixed'>a</b>"),
      false,
    ],
    ["without a size and with words alone", x("height:0;overflow:hidden"), false],
  ])("%s", (_, html, is) => {
    const at = put(html as string);
    expect(new Before().hidden.has(at)).toBe(is);
  });
  test("is not all of a page whose body has no height and does not scroll", () => {
    const html = "<style>body{overflow:hidden}</style><main style='position:fixed;inset:0'><p x>Words</p></main>";
    expect(words(html, (at) => (at.className = "a"))).toEqual(["1 changed in main"]);
  });
  test("is none of what was scrolled past, and the outermost of what is in one another", () => {
    const at = put(box("height:9000px", x()));
    scrollTo(0, 3000);
    expect(new Before().hidden.has(at)).toBe(false);
    put("<div x hidden><p>a</p></div><p hidden>b</p>");
    expect([...new Before().hidden].map((one) => one.outerHTML)).toEqual([
      '<div x="" hidden=""><p>a</p></div>',
      '<p hidden="">b</p>',
    ]);
  });
  describe("as far as there is time", () => {
    const { now } = performance;
    afterEach(() => void (performance.now = now));
    /** Whether the element behind n others is known where the clock stands at ms at the first look after the beginning. */
    const known = (n: number, ms: number): boolean => {
      const at = put(`${"<i></i>".repeat(n)}<p x hidden>a</p>`);
      let time = 0;
      performance.now = () => {
        const told = time;
        time = ms;
        return told;
      };
      return new Before().hidden.has(at);
    };
    // Before them are the root, the head and the body.
    test.each([
      [4028, 13, true],
      [4029, 13, false],
      [4029, 12, true],
    ])("behind %s others after %s ms: %s", (n, ms, is) => expect(known(n as number, ms as number)).toBe(is));
  });
});

/** What is said of a change. */
function words(html: string, work: (at: HTMLElement) => void, begin: (at: HTMLElement) => void = () => {}): string[] {
  const at = put(html);
  begin(at);
  const changes = new Changes();
  changes.begin();
  work(at);
  const said = changes.inWords();
  changes.stop();
  return said;
}
const show = (at: HTMLElement): void => void (at.hidden = false);

describe("what is known of before an act", () => {
  test("is nothing of what we put into the page", () => {
    expect(words("<p x hidden>Click</p>", show, own)).toEqual([]);
    let inner: HTMLElement;
    const host = (at: HTMLElement): void => {
      own(at);
      inner = shadow(at, "<p hidden>Click</p>").querySelector("p")!;
    };
    expect(words("<x-a x></x-a>", () => show(inner), host)).toEqual([]);
  });
  test("are 400 parts, 1,000 fields and 1,000 hidden elements", () => {
    put("<p hidden></p>".repeat(1001));
    expect(new Before().hidden.size).toBe(1000);
    const opened = (n: number): string | undefined =>
      words(`${"<i role=status></i>".repeat(n)}<div role=dialog aria-label=Sure hidden x><p>a</p></div>`, show)[0];
    expect([399, 400].map(opened)).toEqual(['dialog "Sure" opened', expect.not.stringContaining("dialog")]);
    const typed = (n: number): string[] =>
      words(`${"<input>".repeat(n)}<input aria-label=A x>`, (at) => void ((at as HTMLInputElement).value = "b"));
    expect([999, 1000].map(typed)).toEqual([['value "b": textbox "A"'], []]);
  });
  test.each([
    [
      "what two options of a list say",
      "<select multiple aria-label=Fruit x><option>Fig</option><option>Kiwi</option></select>",
      (at: HTMLElement) => [...(at as HTMLSelectElement).options].forEach((option) => (option.selected = true)),
      ['value "Fig, Kiwi": listbox "Fruit"'],
    ],
    [
      "60 letters of an option",
      `<select aria-label=Fruit x><option>Fig</option><option>${"a".repeat(61)}</option></select>`,
      (at: HTMLElement) => void ((at as HTMLSelectElement).selectedIndex = 1),
      [`value "${"a".repeat(59)}…": combobox "Fruit"`],
    ],
    [
      "60 letters of a field",
      "<input aria-label=Name x>",
      (at: HTMLElement) => void ((at as HTMLInputElement).value = "a".repeat(61)),
      [`value "${"a".repeat(59)}…": textbox "Name"`],
    ],
    [
      "what a button says, which is no value",
      "<input type=submit value=Save x>",
      (at: HTMLElement) => void ((at as HTMLInputElement).value = "Saving"),
      ["1 changed in the page"],
    ],
    [
      "what was see-through",
      "<p x style='opacity:0'>Words</p>",
      (at: HTMLElement) => void (at.style.opacity = "1"),
      ['new in the page: "Words"'],
    ],
  ])("is %s", (_, html, work, said) => expect(words(html as string, work as (at: HTMLElement) => void)).toEqual(said));
  test.each([
    ["expanded", "button"],
    ["selected", "tab"],
    ["checked", "switch"],
    ["pressed", "button"],
  ])("is what a component says of itself: %s", (name, role) => {
    const before = lender();
    const told: Record<string, string> = { role: role as string, [name as string]: "false" };
    lend({ tags: () => ["x-a"], internals: (at) => (at.localName === "x-a" ? { told, labels: [] } : undefined) });
    try {
      expect(words("<x-a aria-label=A x>a</x-a>", () => void (told[name as string] = "true"))).toEqual([
        `${name as string}: ${role as string} "A"`,
      ]);
    } finally {
      lend(before ?? { tags: () => [], internals: () => undefined });
    }
  });
  test("says whether a message told then what it tells now", () => {
    put("<div role=status x>Saving</div>");
    const changes = new Changes();
    changes.begin();
    document.querySelector("[x]")!.textContent = "Saved";
    changes.look();
    expect(changes.diff.told(false).toasts).toEqual([{ text: "Saved", type: "status" }]);
    changes.stop();
  });
});

describe("what is there for readers alone", () => {
  const far = (width: number, height: number, more = ""): string =>
    `position:absolute;left:-999px;overflow:hidden;width:${width}px;height:${height}px;${more}`;
  test.each([
    [far(1, 1), true],
    [far(2, 2), true],
    [far(3, 1), false],
    [far(1, 3), false],
    [far(0, 1), false],
    [far(1, 0), false],
    [far(1, 1, "visibility:hidden"), false],
  ])("tells something: %s: %s", (style, is) => {
    const said = words(`<div role=status x style='${style as string}'></div>`, (at) => void (at.textContent = "Sent"));
    expect(said.includes('status: "Sent"')).toBe(is);
  });
  test("opens nothing", () => {
    const html = `<div role=dialog aria-label=Sure x hidden style='${far(1, 1)}'>Sure?</div>`;
    expect(words(html, show).join()).not.toContain("opened");
  });
});
