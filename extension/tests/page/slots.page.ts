import { beforeEach, describe, expect, test } from "vitest";
import { check } from "../../dom-agent/act/check.ts";
import { click } from "../../dom-agent/act/click.ts";
import { hover } from "../../dom-agent/act/hover.ts";
import { ready } from "../../dom-agent/actionable.ts";
import { elementAt, everywhere, isInside, parentOf, shownIn } from "../../dom-agent/shadow.ts";
import { book, ids, problem, put, shadow, within } from "./world.ts";

/** Elements with a shadow root, outermost first: the root of each of a tag. */
function host(tag: string, html: string, mode: ShadowRootMode = "open"): ShadowRoot[] {
  const roots = [...everywhere(tag, document)].map((at) => shadow(at, html, mode));
  everywhere(tag, document); // as each act does
  return roots;
}
const middle = (at: Element): [number, number] => {
  const { x, y, width, height } = at.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
};
const MODES: ShadowRootMode[] = ["open", "closed"];

describe("what is shown through slots", () => {
  test.each(MODES)("is in what stands around the slot, in roots that are %s", (mode) => {
    put("<x-b><i id=named slot=icon>a</i><b id=other>b</b><u id=nowhere slot=none></u></x-b>");
    const [root] = host("x-b", "<button><slot name=icon></slot></button><p><slot></slot></p>", mode as ShadowRootMode);
    const parent = (id: string) => parentOf(document.getElementById(id)!);
    expect(parent("named")).toBe(root!.querySelector("[name=icon]"));
    expect(parent("other")).toBe(root!.querySelector("p slot"));
    expect(parent("nowhere")).toBe(document.querySelector("x-b"));
    expect(isInside(document.getElementById("named")!, root!.querySelector("button")!)).toBe(true);
  });
  test("may be given to its slot by the page", () => {
    put("<x-b><b id=a>a</b></x-b>");
    const root = document.querySelector("x-b")!.attachShadow({ mode: "closed", slotAssignment: "manual" });
    root.innerHTML = "<button><slot></slot></button>";
    everywhere("x-b", document); // as each act does
    root.querySelector("slot")!.assign(document.getElementById("a")!);
    expect(parentOf(document.getElementById("a")!)).toBe(root.querySelector("slot"));
  });
  test.each(MODES)("lies at its point, in roots that are %s", (mode) => {
    put("<x-b>Save <b>all</b></x-b>");
    const [root] = host("x-b", "<button style='padding:20px'><slot></slot></button>", mode as ShadowRootMode);
    const button = root!.querySelector("button")!;
    const slot = root!.querySelector("slot")!;
    const { x, y, height } = button.getBoundingClientRect();
    expect(elementAt(x + 24, y + height / 2)).toBe(slot);
    expect(elementAt(x + 5, y + height / 2)).toBe(button);
    expect(elementAt(...middle(document.querySelector("b")!))).toBe(document.querySelector("b"));
  });
  test("lies between the edges of its text alone", () => {
    put("<x-b>Save</x-b>");
    const [root] = host("x-b", "<button style='padding:20px'><slot></slot></button>");
    const [button, slot] = [root!.querySelector("button")!, root!.querySelector("slot")!];
    const range = document.createRange();
    range.selectNode(document.querySelector("x-b")!.firstChild!);
    // Whole pixels, so that a point may lie on an edge.
    const { left, top } = range.getBoundingClientRect();
    button.style.cssText += `;position:relative;left:${Math.ceil(left) - left}px;top:${Math.ceil(top) - top}px`;
    const { left: x, top: y, right, bottom } = range.getBoundingClientRect();
    const [across, down] = [(x + right) / 2, (y + bottom) / 2];
    for (const [at, hit] of [
      [[x, down], slot],
      [[x - 1, down], button],
      [[right + 1, down], button],
      [[across, y], slot],
      [[across, y - 1], button],
      [[across, bottom + 1], button],
    ] as const)
      expect(elementAt(at[0], at[1]), at.join()).toBe(hit);
  });
  test("is what the slot itself holds where nothing is given to it", () => {
    put("<x-b></x-b>");
    const [root] = host("x-b", "<slot><i>none</i></slot>");
    expect(shownIn(root!.querySelector("slot")!)).toEqual([root!.querySelector("i")]);
    expect(shownIn(document.querySelector("x-b")!)).toEqual([root!.querySelector("slot")]);
    document.querySelector("x-b")!.append("a");
    expect(shownIn(root!.querySelector("slot")!)).toEqual([document.querySelector("x-b")!.firstChild]);
  });
  test("lies at its point through slots of slots", () => {
    put("<x-o>Save</x-o>");
    const [outer] = host("x-o", "<x-b><slot></slot></x-b>", "closed");
    const [inner] = host("x-b", "<button><slot></slot></button>", "closed");
    const hit = elementAt(...middle(inner!.querySelector("button")!))!;
    expect(hit).toBe(outer!.querySelector("slot"));
    expect(isInside(hit, inner!.querySelector("button")!)).toBe(true);
  });
  test("does not lie where the host itself does, or where it takes no pointer", () => {
    put("<x-b style='display:block;padding:50px'>Save</x-b>");
    const [root] = host("x-b", "<span>own</span><slot></slot>");
    expect(elementAt(20, 20)).toBe(document.querySelector("x-b"));
    root!.innerHTML = "<button style='padding:20px'><slot style='pointer-events:none'></slot></button>";
    expect(elementAt(...middle(root!.querySelector("button")!))).toBe(root!.querySelector("button"));
  });
  test("is searched in a part of a root around its slot", () => {
    put("<x-d><b id=a></b><x-e id=b></x-e><i id=c slot=foot><b id=d></b></i><b id=e slot=none></b></x-d><b id=f></b>");
    shadow(document.querySelector("x-e")!, "<b id=g></b>");
    const [root] = host("x-d", "<p><b id=1></b><slot></slot><b id=2></b></p><footer><slot name=foot></slot></footer>");
    const found = (css: string, part: string) => ids(everywhere(css, root!.querySelector(part)!));
    expect(found("[id]", "p")).toEqual(["1", "a", "b", "g", "2"]);
    expect(found("[id]", "footer")).toEqual(["c", "d"]);
    expect(found("b", "footer slot")).toEqual(["d"]);
  });
});

describe("acts on slotted labels", () => {
  const heard: string[] = [];
  beforeEach(() => void (heard.length = 0));
  const hears = (at: Element, type: string): void =>
    at.addEventListener(type, () => heard.push(`${type} ${at.localName}`));

  test.each(MODES)("reach the button around them, in roots that are %s", async (mode) => {
    put("<x-b>Save</x-b>");
    const [root] = host("x-b", "<button><slot></slot></button>", mode as ShadowRootMode);
    hears(root!.querySelector("button")!, "click");
    hears(root!.querySelector("button")!, "mousemove");
    for (const selector of ['role=button[name="Save"]', "x-b", "text=Save"]) {
      heard.length = 0;
      await click({ selector }, within(1000));
      expect(heard).toEqual(["mousemove button", "click button"]);
    }
    await hover({ selector: 'role=button[name="Save"]', trusted: "never" }, within(1000));
    expect(heard.at(-1)).toBe("mousemove button");
    expect(document.activeElement).toBe(document.querySelector("x-b"));
    expect(root!.activeElement).toBe(root!.querySelector("button"));
  });
  test("reach it through slots of slots, and focus it", async () => {
    put("<x-o>Save</x-o>");
    const [outer] = host("x-o", "<x-b><slot></slot></x-b>");
    const inner = shadow(outer!.querySelector("x-b")!, "<button><slot></slot></button>");
    hears(inner.querySelector("button")!, "click");
    await click({ selector: 'role=button[name="Save"]' }, within(1000));
    expect(heard).toEqual(["click button"]);
    expect(inner.activeElement).toBe(inner.querySelector("button"));
  });
  test("check what stands in a component with them", async () => {
    put("<x-c>Terms</x-c>");
    const [root] = host("x-c", "<label><input type=checkbox style='opacity:0;width:0;height:0'><slot></slot></label>");
    await check({ selector: "role=checkbox" }, within(1000));
    expect(root!.querySelector("input")!.checked).toBe(true);
  });
  test("are found in a dialog of a component", async () => {
    put("<x-d><p>Delete it?</p><x-b>Yes</x-b></x-d><x-b>Yes</x-b>");
    host("x-d", "<div role=dialog aria-label=Sure><slot></slot></div>");
    const [first] = host("x-b", "<button><slot></slot></button>");
    hears(first!.querySelector("button")!, "click");
    for (const selector of ['role=button[name="Yes"]', "x-b", "text=Yes"]) {
      heard.length = 0;
      await click({ selector, within: "role=dialog" }, within(1000));
      expect(heard).toEqual(["click button"]);
    }
    expect((await problem(() => click({ selector: "x-z", within: "role=dialog" }, within(100)))).code).toBe(
      "element_not_found",
    );
  });
  test("are still covered by what lies over them", async () => {
    put("<x-b style='position:fixed;left:10px;top:10px'>Save</x-b><div style='position:fixed;inset:0'>over</div>");
    host("x-b", "<button><slot></slot></button>");
    const acted = ready({ selector: "role=button" }, book(), { enabled: true, hit: true }, within(100).deadline);
    expect((await problem(() => acted)).code).toBe("blocked_by_overlay");
  });
});
