import { describe, expect, test } from "vitest";
import { click } from "../../dom-agent/act/click.ts";
import { hover } from "../../dom-agent/act/hover.ts";
import { isDisabled } from "../../dom-agent/describe.ts";
import { everywhere } from "../../dom-agent/shadow.ts";
import { book, problem, put, shadow, within } from "./world.ts";

const at = () => document.querySelector("[x]")!;

describe("what can be operated is asked of the control", () => {
  test.each([
    ["a button", "<button disabled><span x>a</span></button>"],
    ["a button deeper", "<button disabled><b><svg><path x d='M0 0h10v10z'/></svg></b></button>"],
    ["a group of fields", "<fieldset disabled><button><span x>a</span></button></fieldset>"],
    ["what says so of itself", "<a href=#a aria-disabled=true><span x>a</span></a>"],
    ["what says so of all in it", "<div role=toolbar aria-disabled=true><div role=button><span x>a</span></div></div>"],
    ["what is inert", "<div inert><button><span x>a</span></button></div>"],
    ["a component", "<x-b disabled x>a</x-b>"],
    ["a component around words", "<x-b disabled><span x>a</span></x-b>"],
    ["a choice", "<select disabled><option x>a</select>"],
    ["a group of choices", "<select><optgroup disabled><option x>a</optgroup></select>"],
    ["a label's own", "<label><input type=checkbox disabled><span x>a</span></label>"],
    ["a label's own elsewhere", "<label for=c><span x>a</span></label><input id=c disabled>"],
  ])("disabled: %s", (_, html) => {
    put(html as string);
    expect(isDisabled(at())).toBe(true);
  });
  test.each([
    ["words of a group", "<fieldset disabled><span x>a</span></fieldset>"],
    ["the legend's button of a group", "<fieldset disabled><legend><button><i x>a</i></button></legend></fieldset>"],
    ["a link in a label", "<label><input type=checkbox disabled><a href=#a x>a</a></label>"],
    ["a button of a component", "<x-b disabled><button x>a</button></x-b>"],
    ["a component that says no", "<x-b disabled=false x>a</x-b>"],
    ["a button", "<button><span x>a</span></button>"],
    ["a label of nothing", "<label><span x>a</span></label>"],
  ])("not disabled: %s", (_, html) => {
    put(html as string);
    expect(isDisabled(at())).toBe(false);
  });
  test("a component is disabled with all that it is made of", () => {
    put("<x-o disabled></x-o><x-b><i x>a</i></x-b>");
    const outer = shadow(document.querySelector("x-o")!, "<x-p></x-p>");
    const inner = shadow(outer.querySelector("x-p")!, "<button><b>a</b></button>");
    expect(isDisabled(inner.querySelector("b")!)).toBe(true);
    const slotted = shadow(document.querySelector("x-b")!, "<button disabled><slot></slot></button>", "closed");
    everywhere("x-b", document);
    expect(isDisabled(at())).toBe(true);
    slotted.querySelector("button")!.disabled = false;
    expect(isDisabled(at())).toBe(false);
  });
  test("a handler of a disabled button does not run by what is in it, and does once it is enabled", async () => {
    put("<button disabled><span x>Save</span></button>");
    const button = document.querySelector("button")!;
    let heard = 0;
    button.addEventListener("click", () => heard++);
    expect(await problem(() => click({ selector: "text=Save" }, within(60)))).toMatchObject({
      code: "not_actionable",
      message: '<span> "Save" is disabled.',
    });
    expect(heard).toBe(0);
    setTimeout(() => (button.disabled = false), 50);
    await click({ selector: "text=Save" }, within(3000));
    expect(heard).toBe(1);
  });
});

describe("words that take no pointer", () => {
  test.each([
    ["button", "<button><span x style='pointer-events:none'>a</span></button>"],
    ["link", "<a href=#there><span x style='pointer-events:none'>a</span></a>"],
    ["role=button", "<div role=button><svg x style='pointer-events:none' width=10 height=10></svg></div>"],
    ["role=link", "<div role=link tabindex=0><i><b x style='pointer-events:none'>a</b></i></div>"],
    ["summary", "<details><summary><b x style='pointer-events:none'>a</b></summary></details>"],
    ["label", "<label><input type=checkbox><b x style='pointer-events:none'>a</b></label>"],
    ["a button with something over its words", OVER("button")],
    ["a link that is stretched", OVER("a href=#a")],
  ])("are pressed through their own control: %s", async (_, html) => {
    put(html as string);
    const targets: (string | undefined)[] = [];
    const control = document.body.firstElementChild!;
    control.addEventListener("click", ({ target }) => targets.push((target as Element).localName));
    await click({ selector: "[x]" }, within(1000));
    expect(targets.length).toBeGreaterThan(0);
    expect(targets[0]).not.toBe(at().localName);
    await hover({ selector: "[x]", trusted: "never" }, within(1000));
  });
  test("are pressed through it in a component, too", async () => {
    put("<x-b><b x style='pointer-events:none'>a</b></x-b>");
    const root = shadow(document.querySelector("x-b")!, "<button><slot></slot></button>");
    let heard = 0;
    root.querySelector("button")!.addEventListener("click", () => heard++);
    await click({ selector: "[x]" }, within(1000));
    expect(heard).toBe(1);
  });
  test.each([
    ["a control of its own", "<div role=button><a href=#a x style='pointer-events:none'>a</a></div>"],
    ["no control at all", "<div><b x style='pointer-events:none'>a</b></div>"],
    [
      "another control over them",
      "<div role=button style='position:relative'><b x>a</b><button style='position:absolute;inset:0'>over</button></div>",
    ],
    ["a control beside them", "<button><b x>a</b></button><button style='position:fixed;inset:0'>over</button>"],
  ])("are not pressed through another one: %s", async (_, html) => {
    put(html as string);
    expect((await problem(() => click({ selector: "[x]" }, within(60, book())))).code).toBe("blocked_by_overlay");
  });
});

/** A control with a layer of its own over its words. */
function OVER(tag: string): string {
  return `<${tag} style='position:relative;display:inline-block'><b x>a</b><i style='position:absolute;inset:0'></i></${tag.split(" ")[0]}>`;
}
