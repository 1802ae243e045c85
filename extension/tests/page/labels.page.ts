import { beforeEach, describe, expect, test } from "vitest";
import { check } from "../../dom-agent/act/check.ts";
import { click } from "../../dom-agent/act/click.ts";
import { fill } from "../../dom-agent/act/form.ts";
import { everywhere } from "../../dom-agent/shadow.ts";
import { problem, put, shadow, within } from "./world.ts";

const HIDDEN = "style='position:absolute;opacity:0;width:0;height:0'";
const CLIPPED = "style='position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)'";
const BOX = "<i style='display:inline-block;width:16px;height:16px;border:1px solid'></i>";
const field = () => document.querySelector<HTMLInputElement>("#f")!;
/** Presses that something in the page heard for itself. */
const stolen: string[] = [];

/** Fills the page; a link, a button or whatever else has the class own and is pressed is told. */
function page(html: string): void {
  put(html);
  stolen.length = 0;
  for (const at of document.querySelectorAll(".own"))
    at.addEventListener("click", (event) => {
      stolen.push(at.localName);
      event.preventDefault();
    });
}

beforeEach(() => void (stolen.length = 0));

/** What stands in the middle of a label, and takes presses for itself. */
const OWN: [string, string][] = [
  ["a link", "<a class=own href=#terms>Terms of Service and the Privacy Policy of the company</a>"],
  ["a button", "<button class=own type=button>Terms of Service and the Privacy Policy of the company</button>"],
  ["a field", "<input class=own value='Terms of Service and the Privacy Policy of the company' size=60>"],
  ["a text that is edited", "<span class=own contenteditable>Terms of Service and the Privacy Policy</span>"],
  [
    "a summary",
    "<details style='display:inline-block;width:80%'><summary class=own>Terms of Service</summary></details>",
  ],
  ["a role", "<span class=own role=button>Terms of Service and the Privacy Policy of the company</span>"],
  ["another choice", "<select class=own style='width:400px'><option>Terms of Service</select>"],
];
/** How the label stands to its field. */
const LABELS: [string, (own: string) => string][] = [
  [
    "around a field that is not seen",
    (own) => `<label><input type=checkbox id=f ${HIDDEN}>${BOX} I agree to the ${own}</label>`,
  ],
  ["around one for screen readers", (own) => `<label><input type=checkbox id=f ${CLIPPED}>${BOX} ${own}</label>`],
  ["elsewhere", (own) => `<input type=checkbox id=f ${HIDDEN}><p><label for=f>I agree to the ${own}</label></p>`],
  [
    "as a block",
    (own) => `<label style='display:block;text-align:center'><input type=checkbox id=f ${HIDDEN}>${own}</label>`,
  ],
  ["without anything else", (own) => `<label><input type=checkbox id=f ${HIDDEN}>${own}</label>`],
  [
    "with a box that is drawn by styles",
    (own) => `<label style='padding-left:20px'><input type=radio id=f ${HIDDEN}>${own}</label>`,
  ],
  [
    "on several lines",
    (own) =>
      `<label style='display:block;width:150px'><input type=checkbox id=f ${HIDDEN}>I do agree to ${own} and so on</label>`,
  ],
];

describe("a label with something of its own in it", () => {
  for (const [what, own] of OWN)
    for (const [where, label] of LABELS)
      test(`is pressed beside ${what}: ${where}`, async () => {
        for (const act of [
          () => check({ selector: "#f" }, within(2000)),
          () => check({ selector: "label" }, within(2000)),
          () => click({ selector: "#f" }, within(2000)),
          () => click({ selector: "label" }, within(2000)),
          () => fill({ selector: "#f", value: "true" }, within(2000)),
        ]) {
          page(label(own));
          await act();
          expect([field().checked, stolen]).toEqual([true, []]);
        }
      });
  test("is pressed at its link where that is what is meant", async () => {
    page(`<label><input type=checkbox id=f ${HIDDEN}>${BOX} I agree to the <a class=own href=#t>Terms</a></label>`);
    await click({ selector: "text=Terms" }, within(1000));
    expect([field().checked, stolen]).toEqual([false, ["a"]]);
  });
  test("stands for its own radio button of a group", async () => {
    const row = (id: string) =>
      `<label style='display:block'><input type=radio name=r id=${id} ${HIDDEN}><a class=own href=#${id} style='display:inline-block;width:90%'>Plan ${id}</a></label>`;
    page(["a", "f", "c"].map(row).join(""));
    const { result } = await check({ selector: "#f" }, within(1000));
    expect([result.value, field().checked, stolen]).toEqual(["true", true, []]);
    expect((await fill({ selector: "#c", value: "true" }, within(1000))).result.value).toBe("true");
    expect([field().checked, stolen]).toEqual([false, []]);
  });
  test("may be one of two, of which the other one is for screen readers", async () => {
    page(`<label for=f ${CLIPPED}>Agree</label><input type=checkbox id=f ${HIDDEN}><label for=f>I agree</label>`);
    await check({ selector: "#f" }, within(1000));
    expect(field().checked).toBe(true);
  });
  test("is pressed for a field that lies beside the page", async () => {
    page(`<input type=checkbox id=f style="position:absolute;left:-9999px"><label for=f>I agree</label>`);
    await check({ selector: "#f" }, within(1000));
    expect(field().checked).toBe(true);
  });
  test("is pressed in a component", async () => {
    put("<x-c>I agree to the <a href=#t class=own>Terms of Service and everything else that there is</a></x-c>");
    const root = shadow(
      document.querySelector("x-c")!,
      `<label><input type=checkbox ${HIDDEN}>${BOX}<slot></slot></label>`,
      "closed",
    );
    everywhere("*", document);
    let followed = 0;
    document.querySelector("a")!.addEventListener("click", () => followed++);
    await check({ selector: "x-c" }, within(1000));
    expect([root.querySelector("input")!.checked, followed]).toEqual([true, 0]);
  });
  test("is no label of what names itself by it, and tells of that all the same", async () => {
    page(`<span id=l>Agree</span><input type=checkbox id=f aria-labelledby=l>`);
    await check({ selector: "text=Agree" }, within(1000));
    expect(field().checked).toBe(true);
  });
});

describe("a field that no pointer comes to", () => {
  test.each([
    ["without a size", `<div class=box style='width:20px;height:20px'><input type=checkbox id=f ${HIDDEN}></div>`],
    ["for screen readers", `<div class=box>${BOX}<input type=checkbox id=f ${CLIPPED}> Agree</div>`],
  ])("is clicked by itself: %s", async (_, html) => {
    page(html as string);
    expect((await check({ selector: "#f" }, within(1000))).result.value).toBe("true");
    page(html as string);
    await click({ selector: "#f" }, within(1000));
    expect(field().checked).toBe(true);
  });
  test.each([
    ["not shown", "<div><input type=checkbox id=f hidden></div>", "not_actionable"],
    ["switched off", `<div>a<input type=checkbox id=f disabled ${HIDDEN}></div>`, "not_actionable"],
    [
      "under something",
      `<div>a<input type=checkbox id=f ${HIDDEN}></div><div style='position:fixed;inset:0'>wall</div>`,
      "blocked_by_overlay",
    ],
  ])("is not clicked where it is %s", async (_, html, code) => {
    page(html as string);
    expect((await problem(() => check({ selector: "#f" }, within(100)))).code).toBe(code);
    expect(field().checked).toBe(false);
  });
});

describe("what is pressed as a whole", () => {
  test.each([
    [
      "a card",
      "<div role=button class=f style='padding:4px 20px'><button class=own style='width:300px'>Delete</button></div>",
    ],
    [
      "a link around buttons",
      "<a href=#f class=f style='display:inline-block;padding:4px 20px'><span class=own role=button>x</span></a>",
    ],
    [
      "what has a handler",
      "<div onclick=1 class=f style='padding:4px'><button class=own style='width:100%'>Delete</button></div>",
    ],
    ["a tab with a button", "<div role=tab class=f>Page <button class=own style='width:200px'>x</button></div>"],
    [
      "a branch",
      "<ul><li role=treeitem class=f>a<ul><li role=treeitem class=own style='height:90px'>b</li></ul></li></ul>",
    ],
    [
      "what is covered by its own",
      "<div role=button class=f><button class=own style='width:100%'>Delete</button></div>",
    ],
  ])("is not pressed at a control in its middle: %s", async (_, html) => {
    page(html as string);
    let heard = 0;
    document.querySelector(".f")!.addEventListener("click", () => heard++);
    await click({ selector: ".f" }, within(1000));
    expect([heard, stolen]).toEqual([1, []]);
  });
  test.each([
    ["a box around a button", "<div class=f><button class=own style='width:100%'>a</button></div>"],
    [
      "a field that nobody sees over it",
      "<div role=button class=f style='position:relative'>a<input type=file class=own style='position:absolute;inset:0;opacity:0'></div>",
    ],
  ])("is pressed at what makes it: %s", async (_, html) => {
    page(html as string);
    await click({ selector: ".f" }, within(1000));
    expect(stolen.length).toBe(1);
  });
});

test("a state is told only once it was read", async () => {
  page("<input type=checkbox id=f>");
  const environment = within(1000);
  const told: unknown[] = [];
  const tell = environment.act.tell.bind(environment.act);
  environment.act.tell = (result) => {
    told.push(structuredClone(result.value));
    tell(result);
  };
  expect((await check({ selector: "#f" }, environment)).result.value).toBe("true");
  expect(told).toEqual([undefined]);
});
