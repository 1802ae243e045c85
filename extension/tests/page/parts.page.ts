import { describe, expect, test } from "vitest";
import { own } from "../../dom-agent/own.ts";
import { contentOf, isInReach, isSeen, titleOf } from "../../dom-agent/parts.ts";
import { Pass } from "../../dom-agent/pass.ts";
import { MASK } from "../../dom-agent/secret.ts";
import { put, shadow } from "./world.ts";

const SIZE = "width:50px;height:20px";
const x = (style = ""): string => `<p x style='margin:0;${SIZE};${style}'>a</p>`;
const box = (style: string, inner: string): string => `<div style='width:100px;height:100px;${style}'>${inner}</div>`;

describe("what no scrolling brings into the viewport is out of reach", () => {
  test.each([
    ["in the page", x(), true],
    ["far below", x("position:absolute;left:0;top:9000px"), true],
    ["far to the right", x("position:absolute;left:5000px;top:0"), true],
    ["to the left of the page", x("position:absolute;right:100%"), false],
    ["with an edge to the left of the page", x("position:absolute;left:-49px"), true],
    ["above the page", x("position:absolute;bottom:100%"), false],
    ["with an edge above the page", x("position:absolute;top:-19px"), true],
    [
      "to the right of a page that does not scroll there",
      `<style>body{overflow-x:hidden}</style>${x("position:absolute;left:100%")}`,
      false,
    ],
    [
      "at the right of a page that does not scroll there",
      `<style>html{overflow-x:clip}</style>${x("position:absolute;left:calc(100% - 1px)")}`,
      true,
    ],
    ["fixed in view", x("position:fixed;left:0;top:0"), true],
    ["fixed below", x("position:fixed;top:100%"), false],
    ["fixed at the lower edge", x("position:fixed;top:calc(100% - 1px)"), true],
    ["fixed above", x("position:fixed;bottom:100%"), false],
    ["fixed at the upper edge", x("position:fixed;bottom:calc(100% - 1px)"), true],
    ["fixed to the right", x("position:fixed;left:100%"), false],
    ["fixed at the right edge", x("position:fixed;left:calc(100% - 1px)"), true],
    ["fixed to the left", x("position:fixed;right:100%"), false],
    ["fixed at the left edge", x("position:fixed;right:calc(100% - 1px)"), true],
    ["fixed in a box that cuts off", box("overflow:hidden;height:0", x("position:fixed;left:0;top:200px")), true],
    ["beside a box that cuts off", box("overflow:hidden;position:relative", x("position:absolute;left:100px")), false],
    ["below a box that cuts off", box("overflow:hidden;position:relative", x("position:absolute;top:100px")), false],
    [
      "partly in a box that cuts off",
      box("overflow:clip;position:relative", x("position:absolute;left:99px;top:99px")),
      true,
    ],
    [
      "below a box that scrolls",
      box("overflow:auto;position:relative", x("position:absolute;left:900px;top:900px")),
      true,
    ],
    [
      "beside a box that scrolls down alone",
      box("overflow-x:hidden;overflow-y:auto;position:relative", x("position:absolute;left:100px")),
      false,
    ],
    [
      "below a box that scrolls down alone",
      box("overflow-x:hidden;overflow-y:auto;position:relative", x("position:absolute;top:900px")),
      true,
    ],
    [
      "below a box that scrolls across alone",
      box("overflow-x:auto;overflow-y:hidden;position:relative", x("position:absolute;top:100px")),
      false,
    ],
    [
      "beside a box that scrolls across alone",
      box("overflow-x:auto;overflow-y:hidden;position:relative", x("position:absolute;left:900px")),
      true,
    ],
    [
      "in no box that cuts off: its place is the page's",
      box("overflow:hidden", x("position:absolute;left:300px")),
      true,
    ],
    [
      "in a box that moves what stands in it",
      box("overflow:hidden;transform:scale(1)", x("position:absolute;left:300px")),
      false,
    ],
    ["in something whose place is the page's", box("overflow:hidden", box("position:absolute;left:300px", x())), true],
    [
      "in something that moves with its box",
      box("overflow:hidden", box("position:relative;left:300px", x("position:absolute"))),
      false,
    ],
    [
      "in a scrolled box of a box that cuts off",
      box("overflow:hidden", box("overflow:auto", box("width:900px;height:900px;padding:500px", x()))),
      true,
    ],
    [
      "in a box that lies beside one that cuts off",
      box("overflow:hidden;position:relative", box("overflow:auto;position:absolute;left:100px", x())),
      false,
    ],
    [
      "in a box that lies below one that cuts off",
      box("overflow:hidden;position:relative", box("overflow:auto;position:absolute;top:100px", x())),
      false,
    ],
    [
      "below a box that cuts off there alone",
      box("overflow-y:clip;position:relative", x("position:absolute;top:100px")),
      false,
    ],
    [
      "beside a box that cuts off below alone",
      box("overflow-y:clip;position:relative", x("position:absolute;left:300px")),
      true,
    ],
    [
      "beside a box that cuts off there alone",
      box("overflow-x:clip;position:relative", x("position:absolute;left:100px")),
      false,
    ],
    [
      "below a box that cuts off beside alone",
      box("overflow-x:clip;position:relative", x("position:absolute;top:300px")),
      true,
    ],
    [
      "beside one that cuts off below alone in one that cuts off",
      box(
        "overflow:hidden;position:relative",
        box("overflow-y:clip;position:relative", x("position:absolute;left:300px")),
      ),
      false,
    ],
    [
      "below one that cuts off beside alone in one that cuts off",
      box(
        "overflow:hidden;position:relative",
        box("overflow-x:clip;position:relative", x("position:absolute;top:300px")),
      ),
      false,
    ],
    ["clipped away", x("clip-path:inset(50%)"), false],
    ["clipped to a point", x("clip-path:circle(0)"), false],
    ["clipped a little", x("clip-path:inset(10%)"), true],
  ])("%s", (_, html, is) => expect(isInReach(put(html as string))).toBe(is));
  test("in a page that is scrolled", () => {
    const at = put(`<div style='width:9000px;height:9000px'></div>${x("position:absolute;left:0;top:0")}`);
    scrollTo(3000, 3000);
    expect(isInReach(at)).toBe(true);
    at.style.left = "-50px";
    expect(isInReach(at)).toBe(false);
    at.style.cssText += ";left:0;top:-20px";
    expect(isInReach(at)).toBe(false);
  });
  test("in a page that goes on to the left", () => {
    document.documentElement.dir = "rtl";
    const at = put(`<div style='width:2000px;height:9px'></div>${x("position:absolute;left:-500px;top:0")}`);
    expect(isInReach(at)).toBe(true);
    document.documentElement.dir = "ltr";
    expect(isInReach(at)).toBe(false);
  });
  test("in a shadow root", () => {
    const root = shadow(
      put(box("overflow:hidden;position:relative", "<x-a x></x-a>")),
      x("position:absolute;left:100px"),
    );
    expect(isInReach(root.querySelector("p")!)).toBe(false);
  });
});

describe("what a user sees of a part", () => {
  const bare = "style='display:contents'";
  test.each([
    ["a part with a box", "<p x>a</p>", true],
    ["a part without one", `<div x ${bare}><p>a</p></div>`, true],
    ["parts without one in one another", `<div x ${bare}><div ${bare}><p>a</p></div></div>`, true],
    ["one of its boxes", `<div x ${bare}><p style='position:fixed;top:100%'>a</p><p>b</p></div>`, true],
    ["none of its boxes", `<div x ${bare}><p style='position:fixed;top:100%'>a</p><p hidden>b</p></div>`, false],
    ["a box that is see-through", `<div x ${bare}><p style='opacity:0'>a</p></div>`, false],
    ["nothing", `<div x ${bare}> </div>`, false],
    ["its text", `<p><b x ${bare}>a</b></p>`, true],
    ["its text in another one", `<p><b ${bare}><i x ${bare}>a</i></b></p>`, true],
    ["no text in what is hidden", `<p hidden><b x ${bare}>a</b></p>`, false],
    ["no text in what is see-through", `<p style='opacity:0'><b x ${bare}>a</b></p>`, false],
    ["no text below the viewport", `<p style='position:fixed;top:100%'><b x ${bare}>a</b></p>`, false],
    ["no text of a box without a size", "<p x style='width:0;height:0'>a</p>", false],
    [
      "a field of an editor that draws its text itself",
      "<div class=CodeMirror><div><textarea x style='all:unset;width:0;height:0'></textarea></div>a</div>",
      true,
    ],
  ])("%s", (_, html, is) => expect(isSeen(put(html as string))).toBe(is));
});

describe("what a part of the page holds", () => {
  const held = (html: string): [string[], string[]] => {
    const { words, controls } = contentOf(put(`<div x>${html}</div>`), new Pass());
    return [words, controls.map((at) => at.textContent || at.localName)];
  };
  test.each([
    [
      "words and controls",
      "<p>One <b>two</b></p><button>Go</button><a href=#>More</a>",
      ["One", "two"],
      ["Go", "More"],
    ],
    ["labels where it holds nothing else", "<label>Name <i>first</i></label>", ["Name", "first"], []],
    ["no labels beside others", "<label>Name</label>words", ["words"], []],
    ["no labels beside their fields", "<label>Name <input></label>", [], ["input"]],
    [
      "no options, scripts and styles",
      "<select><option>a</select><style style='display:block'>b</style><script style='display:block'>c</script>d",
      ["d"],
      ["a"],
    ],
    [
      "nothing hidden",
      "<p hidden>a</p><p style='visibility:hidden'>b</p><p style='opacity:0'>c</p><div style='display:contents'>d</div>",
      ["d"],
      [],
    ],
    [
      "no controls that are disabled or hidden",
      "<button disabled>a</button><button hidden>b</button><button>c</button>",
      [],
      ["c"],
    ],
    [
      "what looks as if it can be pressed",
      "<div style='cursor:pointer'>a</div><div style='cursor:pointer'></div>",
      [],
      ["a"],
    ],
    ["fields of secrets", "<input type=password value=hunter2><input type=password hidden>", [], ["input"]],
    ["no fields of secrets that are disabled", "<input type=password disabled>a", ["a"], []],
    [
      "300 letters",
      `<p>${"a".repeat(200)}</p><p>${"b".repeat(100)}</p><p>c</p>`,
      ["a".repeat(200), "b".repeat(100)],
      [],
    ],
    [
      "300 letters, and a text to its end",
      `<p>${"a".repeat(299)}</p><p>${"b".repeat(99)}</p><p>c</p>`,
      ["a".repeat(299), "b".repeat(99)],
      [],
    ],
  ])("%s", (_, html, words, controls) => expect(held(html as string)).toEqual([words, controls]));
  test("a hundred controls", () => {
    expect(held("<button>a</button>".repeat(101))[1]).toHaveLength(100);
  });
  test("so much as there is room for", () => {
    const part = put("<div x><p>a</p><p>b</p></div>");
    const read = (nodes: number): [string[], number] => {
      const room = { nodes };
      return [contentOf(part, new Pass(), room).words, room.nodes];
    };
    expect([2, 3, 9].map(read)).toEqual([
      [[], 0],
      [["a"], 0],
      [["a", "b"], 4],
    ]);
  });
  test("600 nodes, itself among them", () => {
    const words = (n: number): string[] =>
      contentOf(put(`<div x>${"<i></i>".repeat(n)}a</div>`), new Pass(), { nodes: 4000 }).words;
    expect([598, 599].map(words)).toEqual([["a"], []]);
  });
  test("nothing that we put into it", () => {
    own(put("<div><p>a</p><div x>b</div></div>"));
    expect(contentOf(document.body, new Pass()).words).toEqual(["a"]);
  });
  test("a part that is one control is what stands in it, and what is passed is left out", () => {
    const button = put("<button x>Go <b>on</b></button>");
    expect(contentOf(button, new Pass())).toEqual({ words: ["Go", "on"], controls: [] });
    expect(contentOf(button, new Pass(), undefined, (at) => at.localName === "b").words).toEqual(["Go"]);
  });
  test("a text by itself, where it is seen", () => {
    const text = (html: string): string[] => contentOf(put(html).firstChild as Text, new Pass()).words;
    expect(text("<p x>a</p>")).toEqual(["a"]);
    expect(text("<p x style='opacity:0'>a</p>")).toEqual([]);
    expect(text("<div style='display:contents' x>a</div>")).toEqual(["a"]);
    expect(text("<details x>a<summary>b</summary></details>")).toEqual([]);
    expect(text("<p x> </p>")).toEqual([]);
    expect(text("<p x>Pass hunter2</p><input type=password value=hunter2>")).toEqual([`Pass ${MASK}`]);
    expect(text(`<p x>${"a".repeat(301)}</p>`)).toEqual([`${"a".repeat(299)}…`]);
  });
  test.each([
    ["its name", "<div x role=dialog aria-label=Sure><h2>Head</h2></div>", "Sure"],
    ["60 letters of its name", `<div x role=dialog aria-label=${"a".repeat(61)}></div>`, `${"a".repeat(59)}…`],
    [
      "its first heading that is shown",
      "<div x><h2 hidden>a</h2><p>b</p><h3>The <i>head</i></h3><h2>c</h2></div>",
      "The head",
    ],
    ["nothing where it has none", "<div x><p>a</p></div>", ""],
    ["no heading of a menu", "<div x role=menu><h2>Edit</h2></div>", ""],
    ["60 letters of it", `<div x><h2>${"a".repeat(61)}</h2></div>`, `${"a".repeat(59)}…`],
  ])("is called by %s", (_, html, title) => expect(titleOf(put(html as string), new Pass())).toBe(title));
});
