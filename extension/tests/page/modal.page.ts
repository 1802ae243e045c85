import { beforeEach, describe, expect, test } from "vitest";
import { click } from "../../dom-agent/act/click.ts";
import { confirmTopDialog } from "../../dom-agent/act/confirm_top_dialog.ts";
import { probe } from "../../dom-agent/probe.ts";
import { resolve } from "../../dom-agent/target.ts";
import { everywhere } from "../../dom-agent/shadow.ts";
import { book, problem, put, shadow, within } from "./world.ts";

const BEHIND = "<ul><li>Ada <button>Delete</button></li><li>Bob <button>Delete</button></li></ul>";
const found = (selector: string): string => resolve({ selector }, book()).element.id;
const open = (selector: string): void => document.querySelector<HTMLDialogElement>(selector)!.showModal();
beforeEach(() => put(""));

describe("of several that fit", () => {
  test("the one in the modal dialog is meant", async () => {
    put(`${BEHIND}<dialog id=d><button id=x>Delete</button></dialog>`);
    expect((await problem(() => found("text=Delete"))).code).toBe("ambiguous_target");
    open("#d");
    for (const selector of ["text=Delete", "role=button[name=Delete]", "button"]) expect(found(selector)).toBe("x");
    expect(resolve({ selector: "button", nth: 0 }, book()).element.id).toBe("");
    expect(await probe({ selector: "button" }, within(100))).toMatchObject({ count: 3, visible: 1 });
    document.querySelector<HTMLDialogElement>("#d")!.close();
    expect((await problem(() => found("text=Delete"))).code).toBe("ambiguous_target");
  });
  test("a dialog that is not modal keeps nothing from users", async () => {
    put(`${BEHIND}<dialog open><button>Delete</button></dialog>`);
    expect((await problem(() => found("text=Delete"))).code).toBe("ambiguous_target");
  });
  test.each([
    ["the later one", ["#a", "#b"], "in-b"],
    ["the earlier one", ["#b", "#a"], "in-a"],
  ])("the one in the upper of two is meant: %s", (_, order, id) => {
    put(
      `<button>Yes</button><dialog id=a><button id=in-a>Yes</button></dialog><dialog id=b><button id=in-b>Yes</button></dialog>`,
    );
    for (const at of order as string[]) open(at);
    expect(found("text=Yes")).toBe(id);
  });
  test("the one in a dialog in a dialog is meant", () => {
    put(
      `<dialog id=a style='width:500px;height:400px'><button>Yes</button><dialog id=b><button id=x>Yes</button></dialog></dialog>`,
    );
    open("#a");
    open("#b");
    expect(found("text=Yes")).toBe("x");
  });
  test("the one in the dialog of a component is meant, slotted or not", () => {
    put(`${BEHIND}<x-d><button id=x>Delete</button></x-d>`);
    const root = shadow(
      document.querySelector("x-d")!,
      "<dialog><slot></slot><button id=own>Close</button></dialog>",
      "closed",
    );
    everywhere("x-d", document);
    root.querySelector("dialog")!.showModal();
    expect(found("text=Delete")).toBe("x");
  });
  test.each([
    ["inert", `<div inert>${BEHIND}</div><button id=x>Delete</button>`],
    [
      "hidden for a dialog of a library",
      `<div aria-hidden=true>${BEHIND}</div><div role=dialog aria-modal=true><button id=x>Delete</button></div>`,
    ],
  ])("the one is meant that is not %s", (_, html) => {
    put(html as string);
    expect(found("text=Delete")).toBe("x");
  });
  test("what is within is looked for in what can be reached", async () => {
    put(`<section><button>Go</button></section><dialog id=d><section><button id=x>Go</button></section></dialog>`);
    open("#d");
    expect(resolve({ selector: "button", within: "section" }, book()).element.id).toBe("x");
  });
  test("none is meant where several can be reached, or none can", async () => {
    put(`${BEHIND}<dialog id=d><button>Delete</button><button>Delete</button></dialog>`);
    open("#d");
    expect((await problem(() => found("text=Delete"))).message).toBe("2 elements fit text=Delete.");
    put(`${BEHIND}<dialog id=d>Wait</dialog>`);
    open("#d");
    expect((await problem(() => found("text=Delete"))).message).toBe("2 elements fit text=Delete.");
    // The only one is told as covered when it is acted on.
    put(`<button>Save</button><dialog id=d>Wait</dialog>`);
    open("#d");
    expect((await problem(() => click({ selector: "text=Save" }, within(100)))).code).toBe("blocked_by_overlay");
  });
});

describe("what cannot be told apart by its name", () => {
  const told = async (selector: string) => {
    const { candidates } = (await problem(() => found(selector))) as {
      candidates: { in?: string; selector?: string }[];
    };
    return candidates.map((at) => at.in);
  };
  test("is told with its row", async () => {
    put(
      `<table><tr><td>17</td><td>Ada</td><td><button>Delete</button></td></tr><tr><td>18</td><td>Bob</td><td><button>Delete</button></td></tr></table>`,
    );
    expect(await told("button")).toEqual(['row "17 Ada Delete"', 'row "18 Bob Delete"']);
    put(
      `<div><div><b>Ada</b><div><button>Delete</button></div></div><div><b>Bob</b><div><button>Delete</button></div></div></div>`,
    );
    expect(await told("button")).toEqual(['div "Ada Delete"', 'div "Bob Delete"']);
  });
  test("is told with its dialog", async () => {
    put(
      `<p>Page <button>Save</button></p><div role=dialog aria-label="New order"><form>Name <button>Save</button></form></div>`,
    );
    expect(await told("button")).toEqual(['p "Page Save"', 'dialog "New order"']);
  });
  test("is told with a selector where it has no name at all", async () => {
    put(
      `<a href=#a id=one></a><a href=#b id=two></a>`.replaceAll(
        "></a>",
        "><i style='display:inline-block;width:9px;height:9px'></i></a>",
      ),
    );
    const { candidates } = (await problem(() => found("a"))) as { candidates: { selector?: string }[] };
    expect(candidates.map(({ selector }) => selector)).toEqual(["#one", "#two"]);
  });
  test("is told by its name alone where that is enough", async () => {
    put(`<p>Ada <button>Edit</button></p><p>Bob <button>Delete</button></p>`);
    expect(await told("button")).toEqual([undefined, undefined]);
  });
});

describe("a dialog that is not confirmed", () => {
  test("names what can be pressed in it, links and disabled ones too", async () => {
    put(`<dialog id=d>Sure? <button disabled>Delete</button><button>Cancel</button><a href=#more>More</a></dialog>`);
    open("#d");
    expect(await problem(() => confirmTopDialog({}, within(100)))).toMatchObject({
      code: "element_not_found",
      message:
        'The dialog "Sure? Delete Cancel More" has no button that confirms it by its name: <button> "Delete" is disabled.',
      candidates: [{ name: "Delete" }, { name: "Cancel" }, { name: "More" }],
    });
  });
  test("of a component is confirmed by its slotted button", async () => {
    put(`<x-d><x-b>Delete</x-b><x-b>Cancel</x-b></x-d>`);
    shadow(document.querySelector("x-d")!, "<dialog aria-label=Confirm><slot></slot></dialog>")
      .querySelector("dialog")!
      .showModal();
    const heard: string[] = [];
    for (const at of document.querySelectorAll("x-b")) {
      const root = shadow(at, "<button><slot></slot></button>");
      root.querySelector("button")!.addEventListener("click", () => heard.push(at.textContent));
    }
    await confirmTopDialog({}, within(1000));
    expect(heard).toEqual(["Delete"]);
  });
});
