import { beforeEach, describe, expect, test } from "vitest";
import { click } from "../../dom-agent/act/click.ts";
import { fill } from "../../dom-agent/act/form.ts";
import { select } from "../../dom-agent/act/select.ts";
import { book, problem, put, within } from "./world.ts";

const heard: string[] = [];
beforeEach(() => void (heard.length = 0));

/** Fills the page. What is pressed and has a title is heard by it; changes are heard of. */
function page(html: string): void {
  put(html);
  heard.length = 0;
  document.body.onclick = ({ target }) => {
    const title = (target as Element).closest("[title]")?.getAttribute("title");
    if (title) heard.push(title);
  };
  for (const at of document.querySelectorAll("select"))
    for (const type of ["input", "change"]) at.addEventListener(type, () => heard.push(type));
}
const control = () => document.querySelector<HTMLElement>("#c")!;
const value = async (params: object, ms = 8000): Promise<string | undefined> =>
  (await select({ selector: "#c", ...params } as never, within(ms))).result.value;

/** Another widget's items, which were there before. */
const NAV = `<nav role=menubar><a role=menuitem title=nav>Paris office</a> <a role=menuitem title=delete>Large … DELETED</a></nav>`;
const list = (...names: string[]) =>
  `<ul role=listbox id=l>${names.map((name) => `<li role=option title="${name}">${name}</li>`).join("")}</ul>`;
/** Opens a list when the control is pressed, after ms; in the end of the page, or in its place. */
const opens = (html: string, ms: number, work?: () => void) =>
  control().addEventListener("click", () => {
    setTimeout(() => {
      control().setAttribute("aria-expanded", "true");
      document.body.insertAdjacentHTML("beforeend", html);
      work?.();
    }, ms);
  });

describe("a list that a page built itself", () => {
  const BUTTON = `<button id=c role=combobox aria-haspopup=listbox aria-expanded=false>City</button>`;
  test.each([0, 200, 600])("is waited for: %s ms", async (ms) => {
    page(NAV + BUTTON);
    opens(list("Paris", "Rome"), ms as number);
    expect(await value({ value: "Paris" })).toBe("Paris");
    expect(heard).toEqual(["Paris"]);
  });
  test("is the one that the control names, wherever it is", async () => {
    page(`${NAV}<ul role=listbox><li role=option title=other>Paris</li></ul><button id=c aria-haspopup=true aria-controls=l>City</button>
      <ul role=menu id=l hidden><li role=menuitem title=own>Paris</li></ul>`);
    control().addEventListener("click", () =>
      setTimeout(() => ((document.querySelector("ul[id]") as HTMLElement).hidden = false), 50),
    );
    expect(await value({ value: "paris" })).toBe("Paris");
    expect(heard).toEqual(["own"]);
  });
  test.each([
    [
      "a box around the field",
      "<div role=combobox aria-owns=l><input id=c role=combobox aria-expanded=true></div>",
      "id=l",
    ],
    ["its name", "<button id=c aria-haspopup=listbox aria-expanded=true>City</button>", "aria-labelledby=c"],
    ["what is active in it", "<input id=c role=combobox aria-expanded=true aria-activedescendant=o>", "x"],
    ["a popover", "<button id=c aria-haspopup=listbox popovertarget=p>City</button>", "popover id=p"],
  ])("is known by %s", async (_, html, own) => {
    page(
      `${html as string}<ul role=listbox><li role=option title=other>Rome</li></ul><ul role=listbox ${own as string}><li role=option id=o title=own>Rome</li></ul>`,
    );
    expect(await value({ value: "Rome" })).toBe("Rome");
    expect(heard).toEqual(["own"]);
  });
  test("is no other one that has what is called so, or partly so", async () => {
    page(NAV + BUTTON);
    opens(list("Rome", "Oslo"), 50);
    expect(await problem(() => value({ value: "Large" }, 2000))).toMatchObject({
      code: "option_not_found",
      message: 'No option is called "Large". There are: "Rome", "Oslo".',
    });
    expect(await problem(() => (page(NAV + BUTTON), value({ value: "Paris" }, 1000)))).toMatchObject({
      code: "option_not_found",
      message: 'No option is called "Paris". There are: none.',
    });
    expect(heard).toEqual([]);
  });
  test("may be there while it is closed, and only not be seen", async () => {
    page(`${BUTTON.replace("id=c", "id=c aria-controls=l")}${list("Paris", "Rome")}`);
    const there = document.querySelector<HTMLElement>("#l")!;
    there.style.cssText = "opacity:0;pointer-events:none";
    control().onclick = () => {
      there.style.cssText = "";
      control().setAttribute("aria-expanded", "true");
    };
    expect(await value({ value: "Paris" })).toBe("Paris");
    expect(heard).toEqual(["Paris"]);
  });
  test("is no other one that is rendered anew by the press", async () => {
    page(`<div id=n>${NAV}</div>${BUTTON}`);
    control().onclick = () => void (document.querySelector("#n")!.innerHTML = NAV);
    opens(list("Paris"), 300);
    expect(await value({ value: "Paris" })).toBe("Paris");
    expect(heard).toEqual(["Paris"]);
  });
  test("may be open already, and closed by the press", async () => {
    page(`${NAV}<button id=c aria-haspopup=listbox>City</button>${list("Paris", "Rome")}`);
    const there = document.querySelector<HTMLElement>("#l")!;
    control().onclick = () => void (there.hidden = !there.hidden);
    expect(await value({ value: "Paris" })).toBe("Paris");
    expect(heard).toEqual(["Paris"]);
    expect(there.hidden).toBe(false);
  });
  test("may come bit by bit: a part of a name is not taken for the whole one", async () => {
    page(BUTTON);
    opens(list("New York City"), 0, () =>
      setTimeout(
        () => document.querySelector("#l")!.insertAdjacentHTML("beforeend", "<li role=option title=whole>York</li>"),
        100,
      ),
    );
    expect(await value({ value: "York" })).toBe("York");
    page(BUTTON);
    opens(list("New York City"), 0);
    expect(await value({ value: "York" })).toBe("New York City");
  });
  test("may be one of several: exactly those that are named are chosen then, and all are told", async () => {
    page(
      `<ul id=c role=listbox aria-multiselectable=true>${["a", "b", "c"].map((at) => `<li role=option aria-selected=${at === "b"}>${at}</li>`).join("")}</ul>`,
    );
    control().onclick = ({ target }) => {
      const at = target as Element;
      at.setAttribute("aria-selected", String(at.getAttribute("aria-selected") !== "true"));
    };
    expect(await value({ values: ["a", "c"] })).toBe("a,c");
    expect(await value({ value: "b" })).toBe("a,b,c");
    expect(await value({ values: [] })).toBe("");
    expect(document.querySelectorAll("[aria-selected=true]").length).toBe(0);
  });
  test("takes one where it is a list of one", async () => {
    page(`<ul id=c role=listbox><li role=option title=a>a</li><li role=option>b</li></ul>`);
    expect(await value({ values: ["a"] })).toBe("a");
    expect((await problem(() => value({ values: ["a", "b"] }))).code).toBe("invalid_param");
    expect((await problem(() => value({}))).code).toBe("invalid_param");
    expect((await problem(() => value({ value: "a", values: ["a"] }))).code).toBe("invalid_param");
    expect(heard).toEqual(["a"]);
  });
});

const TAGS = `<select multiple id=c size=4><option value=a>Alpha</option><option value=b selected>Beta</option><option value=d>Delta</option></select>`;
const ONE = `<select id=c><option value=1>Uno</option><option value=2>Due</option></select>`;

describe("a list of the browser's", () => {
  test("takes one more, or exactly those that are named, and tells all", async () => {
    page(TAGS);
    expect((await select({ selector: "#c", value: "Alpha" }, within(1000))).result).toMatchObject({
      value: "a,b",
      option: "Alpha, Beta",
    });
    expect(heard.splice(0)).toEqual(["input", "change"]);
    expect(await value({ values: ["Delta", "a"] })).toBe("a,d");
    expect(heard.splice(0)).toEqual(["input", "change"]);
    expect(await value({ values: ["a", "d"] })).toBe("a,d");
    expect(heard).toEqual([]);
    expect(await value({ values: [] })).toBe("");
    expect((await fill({ selector: "#c", value: "", values: ["b", "d"] }, within(1000))).result.value).toBe("b,d");
  });
  test("takes no more than it can, and nothing that is not there", async () => {
    page(ONE);
    expect((await problem(() => value({ values: ["1", "2"] }))).code).toBe("invalid_param");
    expect((await problem(() => value({ values: [] }))).code).toBe("invalid_param");
    expect(await value({ values: ["Due"] })).toBe("2");
    page(TAGS);
    expect((await problem(() => value({ values: ["a", "x"] }, 200))).code).toBe("option_not_found");
    expect([...document.querySelectorAll("option")].map((at) => at.selected)).toEqual([false, true, false]);
    expect((await problem(() => fill({ selector: "body", value: "", values: ["a"] }, within(100)))).code).toBe(
      "not_select",
    );
  });
  test("waits for its options", async () => {
    page("<select id=c><option>…</option></select>");
    setTimeout(() => control().insertAdjacentHTML("beforeend", "<option>Late</option>"), 100);
    expect(await value({ value: "Late" })).toBe("Late");
  });
  test.each([
    [ONE, "#c >> option", "role=option[name=Due]", "2"],
    [TAGS, "", "role=option[name=Alpha]", "a"],
    [
      `<select id=c size=3><option value=1>Uno</option><optgroup label=g><option value=2>Due</option></optgroup></select>`,
      "",
      "role=option[name=Due]",
      "2",
    ],
  ])("is chosen from by a click on an option: %s", async (html, _, selector, chosen) => {
    page(html as string);
    const { result } = await click({ selector: selector as string }, within(1000));
    expect([result.value, (control() as HTMLSelectElement).value]).toEqual([chosen, chosen]);
    expect(result.matched?.tag).toBe("option");
    expect(heard).toEqual(["input", "change"]);
    expect(document.querySelectorAll("option:checked").length).toBe(1);
  });
  test.each([
    ["disabled", `<select id=c><option>a</option><option disabled>Due</option></select>`, "not_actionable"],
    ["of a disabled list", `<select id=c disabled><option>a</option><option>Due</option></select>`, "not_actionable"],
    ["under something", `${ONE}<div style='position:fixed;inset:0'>wall</div>`, "blocked_by_overlay"],
  ])("is not chosen from by a click on an option: %s", async (_, html, code) => {
    page(html as string);
    expect((await problem(() => click({ selector: "text=Due" }, within(100, book())))).code).toBe(code);
    expect(heard).toEqual([]);
  });
});
