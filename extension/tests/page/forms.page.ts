import { beforeEach, describe, expect, test } from "vitest";
import { fill, submit } from "../../dom-agent/act/form.ts";
import { scrollPosition } from "../../dom-agent/act/scroll_position.ts";
import { mark } from "../../dom-agent/mark.ts";
import { geometry } from "../../dom-agent/read/geometry.ts";
import { book, pause, problem, put, within } from "./world.ts";

const form = (selector: string, value: string, ms = 400) => fill({ selector, value }, within(ms));

beforeEach(() => scrollTo(0, 0));

describe("a field is filled", () => {
  test("with a text in place of what it held, by its label too", async () => {
    put("<label for=f>Name</label><input id=f value=old><textarea id=t>old</textarea>");
    expect((await form("#f", "new")).result.value).toBe("new");
    await form("label", "newer");
    await form("#t", "text");
    expect(["f", "t"].map((id) => (document.getElementById(id) as HTMLInputElement).value)).toEqual(["newer", "text"]);
  });
  test.each([
    ["true", true],
    ["YES", true],
    ["on", true],
    ["1", true],
    ["checked", true],
    ["false", false],
    ["No", false],
    ["off", false],
    ["0", false],
    ["unchecked", false],
    ["", false],
  ])("%j checks a box: %s", async (value, checked) => {
    const boxed = put("<input type=checkbox x>") as HTMLInputElement;
    boxed.checked = !checked;
    await form("[x]", value as string);
    expect(boxed.checked).toBe(checked);
  });
  test.each([
    "input type=radio",
    "div role=checkbox",
    "div role=radio",
    "div role=switch",
    "div role=menuitemcheckbox",
  ])("of a sort: %s", async (tag) => {
    const element = put(`<${tag} x aria-checked=false style=width:9px;height:9px></${tag}>`);
    element.addEventListener("click", () => element.setAttribute("aria-checked", "true"));
    await form("[x]", "true");
    expect(element.getAttribute("aria-checked")).toBe("true");
  });
  test("a radio button by its value, and by no other word", async () => {
    put("<input type=radio name=r value=red x><input type=checkbox id=c value=c>");
    await form("[x]", "red");
    expect(document.querySelector<HTMLInputElement>("[x]")!.checked).toBe(true);
    expect(await problem(() => form("[x]", `b${"a".repeat(120)}`, 0))).toEqual({
      code: "invalid_param",
      message: `<input> is checked by true and false, not by "b${"a".repeat(99)}".`,
    });
    put("<div role=checkbox x style=width:9px;height:9px></div>");
    expect((await problem(() => form("[x]", "red", 0))).code).toBe("invalid_param");
  });
  test("with an option: of a list, or of one that the page made", async () => {
    put("<select x><option>a<option>b</select>");
    expect((await form("[x]", "b")).result.value).toBe("b");
    for (const attributes of ["role=combobox", "role=listbox", "aria-haspopup=listbox"]) {
      const list = put(`<div x ${attributes} tabindex=0 style=height:9px></div><ul></ul>`);
      let chosen = "";
      list.addEventListener("click", () => {
        document.querySelector("ul")!.innerHTML = "<li role=option>a<li role=option>b";
        document.querySelector("ul")!.onclick = ({ target }) => (chosen = (target as Element).textContent);
      });
      if (attributes === "role=listbox") list.innerHTML = "<p role=option>b</p>";
      await form("[x]", "b", 3000).catch(() => undefined);
      if (attributes !== "role=listbox") expect(chosen).toBe("b");
    }
    const typed = put("<input x role=combobox>") as HTMLInputElement;
    await form("[x]", "b");
    expect(typed.value).toBe("b");
  });
  test("when it comes", async () => {
    put("");
    setTimeout(() => put("<input x>"), 30);
    expect((await form("[x]", "a", 3000)).result.value).toBe("a");
  });
});

describe("a form is sent", () => {
  /** What sent the form around the element with the attribute x. */
  async function sent(html: string): Promise<string> {
    const at = put(html);
    let by = "nothing";
    for (const element of document.forms)
      element.addEventListener("submit", (event) => {
        event.preventDefault();
        by = event.submitter?.id ?? "itself";
      });
    const refs = book();
    await submit({ ref: refs.refOf(at) }, within(400, refs));
    return by;
  }
  test.each([
    ["<form><input x><button id=a>Go</button><button id=b>Other</button></form>", "a"],
    [
      "<form><input x><button type=button>No</button><button type=reset>No</button><button id=b>Go</button></form>",
      "b",
    ],
    ["<form><input x><input type=submit id=a></form>", "a"],
    ["<form><input x><input type=image id=a alt=Go></form>", "a"],
    ["<form><input x><button id=a hidden>Go</button><button id=b>Go</button></form>", "b"],
    ["<form><input x><button id=a hidden>Go</button></form>", "a"],
    ["<form><input x></form>", "itself"],
    ["<form x><button id=a>Go</button></form>", "a"],
    ["<form><p x>in</p><button id=a>Go</button></form>", "a"],
    ["<form id=f></form><input x form=f><button form=f id=a>Go</button>", "a"],
    ["<form id=f></form><form><input x form=f><button id=no>Go</button></form>", "itself"],
  ])("%s by %s", async (html, by) => expect(await sent(html as string)).toBe(by));
  test("where there is one", async () => {
    const refs = book();
    const ref = refs.refOf(put("<input x>"));
    expect(await problem(() => submit({ ref }, within(0, refs)))).toEqual({
      code: "no_submit",
      message: "<input> is in no form: name what sends it by submit_selector.",
    });
  });
  test("and what was pressed is told", async () => {
    const refs = book();
    const ref = refs.refOf(put("<form onsubmit='return false'><input x><button>Go</button></form>"));
    expect((await submit({ ref }, within(400, refs))).result.matched).toMatchObject({ tag: "button", label: "Go" });
    const alone = refs.refOf(put("<form onsubmit='return false'><input x></form>"));
    expect(await submit({ ref: alone }, within(400, refs))).toEqual({ result: { match_count: 0, match_strategy: "" } });
  });
});

describe("a place that is scrolled to", () => {
  test("is the page's, or an element's own", async () => {
    put(
      "<div x style='width:50px;height:50px;overflow:auto'><p style=width:900px;height:900px></p></div><p style=height:3000px>",
    );
    const page = await scrollPosition({ top: 120 }, within());
    expect(page.result).toMatchObject({ match_count: 0, match_strategy: "point", viewport: { scroll_y: 120 } });
    expect(scrollY).toBe(120);
    const own = await scrollPosition({ selector: "[x]", left: 10, top: 20 }, within());
    expect(own.result).toMatchObject({
      match_count: 1,
      match_strategy: "css",
      matched: { tag: "div" },
      viewport: { scroll_y: 120 },
    });
    const element = document.querySelector("[x]")!;
    expect([element.scrollLeft, element.scrollTop]).toEqual([10, 20]);
    await scrollPosition({}, within());
    expect(scrollY).toBe(0);
    expect((await problem(() => scrollPosition({ selector: "#no" }, within()))).code).toBe("element_not_found");
  });
});

test("what an agent's gesture is marked by is in no picture", async () => {
  put("<p>");
  mark({ x: 50, y: 60 });
  await pause(0);
  const box = document.getElementById("gasoline-cursor")!;
  expect([box.style.left, box.style.top]).toEqual(["40px", "50px"]);
  geometry();
  expect(document.getElementById("gasoline-cursor")).toBeNull();
});
