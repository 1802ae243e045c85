import { lend, lender } from "@gasoline/capture/locators/lender";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { own } from "../../dom-agent/own.ts";
import { asked, book, pausesEach, pausesOf, put, shadow, within } from "./world.ts";

// What the document says of its forms: forms, form_state and form_validation.

const forms = async (params = {}) => (await asked("forms", params)).forms;
const states = async (params = {}) => (await asked("form_state", params)).forms;
const judged = async (params = {}) => (await asked("form_validation", params)).forms;
const named = (list: { fields: { name?: string; label: string }[] }[]) =>
  list.map(({ fields }) => fields.map(({ name, label }) => name ?? label));
const files = (field: string, ...names: string[]) => {
  const all = new DataTransfer();
  for (const name of names) all.items.add(new File([""], name));
  document.querySelector<HTMLInputElement>(field)!.files = all.files;
};

/** Elements with internals, which the page's world tells. */
const define = (tag: string, begin: (internals: ElementInternals, host: HTMLElement) => void) => {
  if (customElements.get(tag)) return;
  customElements.define(
    tag,
    class extends HTMLElement {
      static formAssociated = true;
      constructor() {
        super();
        begin(this.attachInternals(), this);
      }
    },
  );
};
define("x-stars", (internals) =>
  Object.assign(internals, { role: "spinbutton", ariaLabel: "Stars" }).setFormValue("5"),
);
define("x-bad", (internals, host) => {
  const { firstChild } = shadow(host, "<p>b</p>");
  Object.assign(internals, { role: "textbox", ariaLabel: "Bad" });
  internals.setValidity({ valueMissing: true }, "give it", firstChild as HTMLElement);
});
define("x-field", (internals, host) => {
  shadow(host, "<label>Inner <input value=deep required></label>");
  internals.setFormValue("deep");
});
define("x-wrong", (internals, host) => {
  const root = shadow(host, "<input value=x required><input required>");
  internals.setValidity({ customError: true }, "wrong", root.lastChild as HTMLElement);
});
define("x-button", (_internals, host) => shadow(host, "<button>Inner</button>"));

const SAID: Record<string, Record<string, string>> = {
  "x-stars": { role: "spinbutton", label: "Stars" },
  "x-bad": { role: "textbox", label: "Bad" },
};
let before: ReturnType<typeof lender>;
beforeEach(() => {
  before = lender();
  lend({
    tags: () => ["x-stars", "x-bad", "x-field", "x-wrong", "x-button"],
    internals: (at) => ({ told: SAID[at.localName] ?? {}, labels: [] }),
  });
});
afterEach(() => lend(before ?? { tags: () => [], internals: () => undefined }));

const ALL = `<h1>Shop</h1><form action="/pay?x=1" method=POST aria-label=Payment>
  <label>Mail <input name=mail type=email required placeholder="you@shop.test" value="a@b.test" autocomplete=email multiple></label>
  <label>Password <input name=pass type=password value=hunter2xyz readonly></label>
  <label>Note <textarea name=note maxlength=20 minlength=2 readonly aria-describedby="one  none two">words</textarea></label>
  <i id=one>Be</i><i id=two>short</i><i id=none></i>
  <fieldset><legend>Size</legend><label><input type=radio name=size value=s> Small</label>
    <label><input type=radio name=size value=l checked required> Large</label><label><input type=radio name=size disabled> Huge</label></fieldset>
  <label><input type=checkbox name=gift> Gift</label><label><input type=checkbox name=wrap checked value=w> Wrap</label>
  <label>Land <select name=land required><option value=de>Germany<option value=fr selected>France<option disabled>Other</select></label>
  <label>Off <input name=off value=1 disabled></label><label>Nameless <input value=2 placeholder=Nameless></label>
  <input name=when type=date min=2020-01-01 max=2030-01-01 step=7 title=When aria-description="A Monday"><input name=file type=file accept=.png>
  <input name=city list=cities pattern=[A-Z].*><datalist id=cities><option value=Rome><option label="City of Paris" value=Paris disabled></datalist>
  <input type=hidden name=token value=abc123><x-stars name=stars aria-required=true aria-readonly=true></x-stars>
  <button>Pay</button><button type=button>Help</button><button type=reset disabled>Empty</button><input type=image alt=Map><input type=submit value=Go hidden></form>
  <label>Coupon <input name=coupon form=other></label>
  <section aria-label=Search><input type=search placeholder=Words> <div role=switch aria-checked=true tabindex=0 aria-label=Dark></div></section>
  <form id=other novalidate></form>`;

test("forms are told with their fields, constraints, options and buttons", async () => {
  put(ALL);
  expect(await asked("forms")).toEqual({
    forms: [
      {
        ref: "e16",
        label: "Payment",
        fields: [
          {
            ref: "e1",
            role: "textbox",
            label: "Mail",
            name: "mail",
            type: "email",
            value: "a@b.test",
            required: true,
            constraints: ["autocomplete=email", "multiple"],
            hint: "you@shop.test",
          },
          {
            ref: "e2",
            role: "textbox",
            label: "Password",
            name: "pass",
            type: "password",
            value: "••••••",
            readonly: true,
          },
          {
            ref: "e3",
            role: "textbox",
            label: "Note",
            name: "note",
            type: "textarea",
            value: "words",
            readonly: true,
            constraints: ["minlength=2", "maxlength=20"],
            hint: "Be short",
          },
          {
            ref: "e4",
            name: "size",
            role: "radiogroup",
            label: "Size",
            type: "radio",
            required: true,
            option_count: 3,
            options: [
              { ref: "e4", label: "Small" },
              { ref: "e5", label: "Large", chosen: true },
              { ref: "e6", label: "Huge", disabled: true },
            ],
          },
          { ref: "e7", role: "checkbox", label: "Gift", name: "gift", type: "checkbox" },
          { ref: "e8", role: "checkbox", label: "Wrap", name: "wrap", type: "checkbox", checked: true },
          {
            ref: "e9",
            role: "combobox",
            label: "Land",
            name: "land",
            type: "select-one",
            required: true,
            option_count: 3,
            options: [{ label: "Germany" }, { label: "France", chosen: true }, { label: "Other", disabled: true }],
          },
          { ref: "e10", role: "textbox", label: "Off", name: "off", disabled: true, type: "text", value: "1" },
          { ref: "e11", role: "textbox", label: "Nameless", type: "text", value: "2" },
          {
            ref: "e12",
            role: "textbox",
            label: "When",
            name: "when",
            type: "date",
            constraints: ["min=2020-01-01", "max=2030-01-01", "step=7"],
            hint: "A Monday",
          },
          { ref: "e13", role: "button", label: "", name: "file", type: "file", constraints: ["accept=.png"] },
          {
            ref: "e14",
            role: "combobox",
            label: "",
            name: "city",
            type: "text",
            constraints: ["pattern=[A-Z].*"],
            option_count: 2,
            options: [{ label: "Rome" }, { label: "City of Paris", disabled: true }],
          },
          {
            ref: "e15",
            role: "spinbutton",
            label: "Stars",
            name: "stars",
            hidden: true,
            required: true,
            readonly: true,
          },
        ],
        field_count: 13,
        method: "post",
        action: "/pay?x=1",
        buttons: [
          { ref: "e17", label: "Pay", does: "submit" },
          { ref: "e18", label: "Empty", does: "reset", disabled: true },
          { ref: "e19", label: "Map", does: "submit" },
          { ref: "e20", label: "Go", does: "submit", hidden: true },
        ],
      },
      {
        ref: "e22",
        fields: [{ ref: "e21", role: "textbox", label: "Coupon", name: "coupon", type: "text" }],
        field_count: 1,
        method: "get",
        action: "",
        no_validate: true,
      },
      {
        no_form: true,
        ref: "e25",
        label: "Search",
        role: "region",
        fields: [
          { ref: "e23", role: "searchbox", label: "Words", type: "search" },
          { ref: "e24", role: "switch", label: "Dark", hidden: true, checked: true },
        ],
        field_count: 2,
      },
    ],
    count: 3,
  });
});

test("what forms hold and would send is told", async () => {
  put(ALL);
  files("[name=file]", "a.png");
  expect(await asked("form_state")).toEqual({
    forms: [
      {
        ref: "e1",
        label: "Payment",
        fields: [
          { ref: "e2", role: "textbox", label: "Mail", name: "mail", value: "a@b.test" },
          { ref: "e3", role: "textbox", label: "Password", name: "pass", value: "••••••" },
          { ref: "e4", role: "textbox", label: "Note", name: "note", value: "words" },
          { ref: "e5", role: "radio", label: "Large", name: "size", value: "checked" },
          { ref: "e6", role: "checkbox", label: "Wrap", name: "wrap", value: "checked" },
          { ref: "e7", role: "combobox", label: "Land", name: "land", value: "France" },
          { ref: "e8", role: "textbox", label: "Off", name: "off", disabled: true, value: "1" },
          { ref: "e9", role: "textbox", label: "Nameless", value: "2" },
          { ref: "e10", role: "textbox", label: "When", name: "when", value: "" },
          { ref: "e11", role: "button", label: "", name: "file", value: "a.png", dirty: true, initial: "" },
          { ref: "e12", role: "combobox", label: "", name: "city", value: "" },
          { ref: "e13", role: "spinbutton", label: "Stars", name: "stars", hidden: true, value: "" },
        ],
        field_count: 12,
        submit_data: [
          { name: "mail", value: "a@b.test" },
          { name: "pass", value: "••••••" },
          { name: "note", value: "words" },
          { name: "size", value: "l" },
          { name: "wrap", value: "w" },
          { name: "land", value: "fr" },
          { name: "when", value: "" },
          { name: "file", value: "a.png" },
          { name: "city", value: "" },
          { name: "token", value: "••••••" },
        ],
        not_sent: ["off (disabled)", "Nameless (it has no name)"],
        unknown: ["stars"],
      },
      {
        ref: "e14",
        fields: [{ ref: "e15", role: "textbox", label: "Coupon", name: "coupon", value: "" }],
        field_count: 1,
        submit_data: [{ name: "coupon", value: "" }],
      },
      {
        no_form: true,
        ref: "e16",
        label: "Search",
        role: "region",
        fields: [
          { ref: "e17", role: "searchbox", label: "Words", value: "" },
          { ref: "e18", role: "switch", label: "Dark", hidden: true, value: "checked" },
        ],
        field_count: 2,
      },
    ],
    count: 3,
  });
});

test("what is wrong with forms is told", async () => {
  put(ALL);
  expect(await asked("form_validation")).toEqual({
    forms: [
      { ref: "e1", label: "Payment", valid: true, validation_errors: [], error_count: 0, checked: 10 },
      { ref: "e2", valid: true, no_validate: true, validation_errors: [], error_count: 0, checked: 1 },
      {
        no_form: true,
        ref: "e3",
        label: "Search",
        role: "region",
        valid: true,
        validation_errors: [],
        error_count: 0,
        checked: 1,
      },
    ],
    total_forms: 3,
    valid: 3,
    invalid: 0,
  });
});

test("what fields of libraries send is what the browser sends, and the rest is told", async () => {
  put(`<form aria-label=All>
    <select name=two><option selected>A<option selected>B</select>
    <select name=group><optgroup disabled label=g><option>X</optgroup><option>Y</select>
    <select name=many multiple><option selected disabled>P<option selected>Q<optgroup disabled label=g><option selected>R</optgroup></select>
    <select name=none><option disabled selected>N</select><select name=empty multiple></select>
    <fieldset disabled><legend><input name=kept value=1></legend><input name=lost value=1></fieldset>
    <textarea name=text>words</textarea><input name=dir dirname=dir.way value=q><p dir=rtl><input name=rtl dirname=rtl.way value=q></p>
    <input name=number type=number dirname=number.way value=1>
    <input type=hidden name=_charset_><input type=hidden name=_CharSet_><input type=hidden name=id value=7><input name=_charset_ value=shown>
    <datalist><input name=listed value=1></datalist><input name=none type=file><input name=some type=file multiple>
    <input type=checkbox name=box checked dirname=box.way><input type=radio name=radio value=r checked><input type=radio name=radio value=other><input hidden value=nameless>
    <button type=button role=checkbox aria-checked=true aria-label=Accept>x</button><input type=checkbox name=accept checked aria-hidden=true tabindex=-1>
    <button type=button role=combobox aria-label=Fruit>Apple</button><select name=fruit aria-hidden=true tabindex=-1><option value=apple>Apple</select>
    <div role=slider aria-label=Loose aria-valuenow=3 tabindex=0></div><div role=textbox></div><x-field name=md></x-field>
    <input type=submit name=s value=s><input type=reset name=t value=t><input type=button name=u value=u><input type=image name=v>
    <input type=password name=p value=hunter2xyz><input type=password name=q></form>
    <form aria-label=Apart><x-plain></x-plain></form>`);
  files("[name=some]", "a.txt", "b.txt");
  shadow(document.querySelector("x-plain")!, "<label>Q <input required value=deep></label>");
  const sent = [...new FormData(document.forms[0])].map(([name, value]) => [
    name,
    value instanceof File ? value.name : value,
  ]);
  const [all, apart] = await states();
  const told = all!.submit_data!.map(({ name, value }) => [name, value]);
  const same = ([name]: (string | undefined)[]) => !/^(md|none|p)$/.test(name!);
  expect(told.filter(same)).toEqual(sent.filter(same));
  expect([all!.submit_data, all!.not_sent, all!.unknown]).toEqual([
    [
      { name: "two", value: "B" },
      { name: "group", value: "Y" },
      { name: "many", value: "Q" },
      { name: "kept", value: "1" },
      { name: "text", value: "words" },
      { name: "dir", value: "q" },
      { name: "dir.way", value: "ltr" },
      { name: "rtl", value: "q" },
      { name: "rtl.way", value: "rtl" },
      { name: "number", value: "1" },
      { name: "_charset_", value: "UTF-8" },
      { name: "_CharSet_", value: "UTF-8" },
      { name: "id", value: "7" },
      { name: "_charset_", value: "shown" },
      { name: "listed", value: "1" },
      { name: "none", value: "(no file)" },
      { name: "some", value: "a.txt" },
      { name: "some", value: "b.txt" },
      { name: "box", value: "on" },
      { name: "radio", value: "r" },
      { name: "accept", value: "on" },
      { name: "fruit", value: "apple" },
      { name: "p", value: "••••••" },
      { name: "q", value: "" },
    ],
    [
      "none (nothing is chosen)",
      "empty (nothing is chosen)",
      "lost (disabled)",
      "Loose (no field of the platform: the page's script has to send it)",
      "div (no field of the platform: the page's script has to send it)",
    ],
    ["md"],
  ]);
  expect(apart).toEqual({
    ref: "e27",
    label: "Apart",
    fields: [{ ref: "e28", role: "textbox", label: "Q", value: "deep" }],
    field_count: 1,
    not_sent: ["Q (it belongs to another form, or to none: it is in a shadow root)"],
  });
});

describe("a field begins with", () => {
  const dirty = async (html: string, change: (field: HTMLInputElement) => void = () => {}) => {
    change(put(`<form>${html}</form>`) as HTMLInputElement);
    return (await states())[0]!.fields.map(({ value, dirty: is, initial }) => (is ? [value, initial] : value));
  };
  test("what the browser makes of its value", async () => {
    expect(
      await dirty(`<input type=color><input type=range><input type=range max=9 value=20><input type=range min=20 value=3><input type=range step=7 min=0 value=5><input type=range step=30 value=40>
        <input type=email multiple value="a@b.test, c@d.test"><input type=number value=many><input value=" x ">`),
    ).toEqual(["#000000", "50", "9", "20", "7", "40", "a@b.test,c@d.test", "", "x"]);
  });
  test("what it says, whatever was made of it", async () => {
    expect(await dirty("<input x value=a>", (at) => (at.value = "b"))).toEqual([["b", "a"]]);
    expect(await dirty("<textarea x>a</textarea>", (at) => (at.value = "b"))).toEqual([["b", "a"]]);
    expect(await dirty("<input type=checkbox x>", (at) => (at.checked = true))).toEqual([["checked", ""]]);
    expect(await dirty("<input type=radio checked x>", (at) => (at.checked = false))).toEqual([["", "checked"]]);
    expect(await dirty("<input type=password value=first1 x>", (at) => (at.value = "other1"))).toEqual([
      ["••••••", ""],
    ]);
    expect(await dirty("<input type=password value=first1 x>")).toEqual(["••••••"]);
    expect(await dirty("<input type=color x>", (at) => (at.value = "#ff0000"))).toEqual([["#ff0000", "#000000"]]);
    expect(await dirty("<input type=range x>", (at) => (at.value = "70"))).toEqual([["70", "50"]]);
    expect(await dirty("<input type=file x>", () => files("[x]", "a.txt"))).toEqual([["a.txt", ""]]);
    expect(await dirty("<input type=file multiple x>", () => files("[x]", "a.txt", "b.txt"))).toEqual([
      ["a.txt, b.txt", ""],
    ]);
    expect(await dirty("<input type=file value=a>")).toEqual([""]); // browsers refuse to set it
    expect(await dirty("<div role=textbox>a</div>")).toEqual(["a"]);
  });
  test("the option that is shown where none is marked", async () => {
    const list = (attributes: string, options: string, chosen: number) =>
      dirty(
        `<select x ${attributes}>${options}</select>`,
        (at) => ((at as unknown as HTMLSelectElement).selectedIndex = chosen),
      );
    expect(await list("", "<option>a<option>b", 1)).toEqual([["b", "a"]]);
    expect(await list("", "<option disabled>a<option>b<option>c", 1)).toEqual(["b"]);
    expect(await list("", "<option>a<option selected>b<option selected>c", 0)).toEqual([["a", "c"]]);
    expect(await list("size=2", "<option>a<option>b", 1)).toEqual([["b", ""]]);
    expect(await list("size=1", "<option>a<option>b", 1)).toEqual([["b", "a"]]);
    expect(await list("multiple", "<option>a<option>b", 1)).toEqual([["b", ""]]);
    expect(await list("multiple", "<option selected>a<option selected>b<option>c", 2)).toEqual([["c", "a, b"]]);
  });
});

test("a field that is touched or in use is told, and a box that is off is not", async () => {
  put(`<form><input type=checkbox name=off><input type=radio name=r><input name=used><input type=checkbox x></form>`);
  const used = document.querySelector<HTMLInputElement>("[name=used]")!;
  expect(named(await states())).toEqual([["used"]]);
  used.focus();
  expect((await states())[0]).toMatchObject({ focused: "e2", fields: [{ ref: "e2" }], field_count: 1 });
  document.querySelector<HTMLInputElement>("[x]")!.focus();
  expect((await states())[0]).toMatchObject({ focused: "e3", field_count: 2 });
  const real = used.matches.bind(used);
  used.matches = ((css: string) => css === ":user-valid,:user-invalid" || real(css)) as typeof used.matches;
  expect((await states())[0]!.fields[0]).toMatchObject({ touched: true });
});

test("no more is told than asked for", async () => {
  const field = (i: number) =>
    `<input name=n${i} value=${"v".repeat(201)} placeholder=${"p".repeat(161)} pattern=${"q".repeat(101)} required aria-label=n>`;
  put(`<form title="${"t".repeat(121)}" action="/${"a".repeat(300)}">${Array.from({ length: 61 }, (_, i) => field(i)).join("")}
    ${"<button>".concat("b".repeat(81), "</button>").repeat(6)}</form>${"<form><button>s</button></form>".repeat(20)}`);
  for (const kind of ["forms", "form_state", "form_validation"] as const) {
    const { forms: all } = await asked(kind);
    expect(all).toHaveLength(20);
  }
  expect([(await asked("forms")).count, (await asked("form_state")).count]).toEqual([21, 21]);
  const [form] = await forms();
  expect(
    [form!.label, form!.action, form!.fields.length, form!.buttons!.length, form!.field_count].map((at) =>
      typeof at === "string" ? at.length : at,
    ),
  ).toEqual([120, 300, 25, 5, 61]);
  const { value, hint, constraints } = form!.fields[0]!;
  expect([value!.length, hint!.length, constraints![0]!.length, form!.buttons![0]!.label.length]).toEqual([
    200, 160, 108, 80,
  ]);
  const [state] = await states();
  expect([
    state!.fields.length,
    state!.field_count,
    state!.submit_data!.length,
    state!.submit_data![0]!.value.length,
  ]).toEqual([25, 61, 60, 200]);
  for (const at of document.querySelectorAll("input")) at.value = "";
  const [verdict] = await judged();
  expect([verdict!.validation_errors.length, verdict!.error_count, verdict!.checked]).toEqual([25, 61, 61]);
  expect((await forms({ limit: 2 }))[0]).toMatchObject({ fields: { length: 2 }, field_count: 61 });
  expect((await states({ limit: 2 }))[0]).toMatchObject({ fields: { length: 2 }, field_count: 61 });
  expect((await judged({ limit: 2 }))[0]).toMatchObject({ validation_errors: { length: 2 }, error_count: 61 });
  put(`<form>${"<input>".repeat(16)}${"<x-stars></x-stars>".replace("x-stars>", "x-stars name=n>")}</form>`);
  expect((await states())[0]!.not_sent).toHaveLength(15);
  put(`<form>${Array.from({ length: 16 }, (_, i) => `<x-stars name=n${i}></x-stars>`).join("")}</form>`);
  expect((await states())[0]!.unknown).toHaveLength(15);
  put(
    `<form><div role=textbox aria-label="${"l".repeat(121)}">${"v".repeat(201)}</div><input name=${"n".repeat(101)} aria-label="${"l".repeat(61)}"></form>`,
  );
  expect(
    (await forms())[0]!.fields.map(({ label, name, value: text }) => [label.length, name?.length, text?.length]),
  ).toEqual([
    [120, undefined, 200],
    [61, 100, undefined],
  ]);
});

test("options that are chosen are told however far down they are", async () => {
  const options = (n: number, chosen: (i: number) => boolean) =>
    Array.from({ length: n }, (_, i) => `<option ${chosen(i) ? "selected" : ""}>o${i}`).join("");
  put(`<form><select>${options(20, (i) => i === 15)}</select><select multiple>${options(40, (i) => i > 0)}</select>
    <input list=l><datalist id=l>${options(20, (i) => i === 15)}</datalist><select><option label="${"l".repeat(81)}"></select></form>`);
  const { fields } = (await forms())[0]!;
  expect(
    fields.map(({ options: all, option_count: count }) => [
      all!.map(({ label, chosen }) => (chosen ? `${label.slice(0, 4)}!` : label.slice(0, 4))).join(" "),
      count,
    ]),
  ).toEqual([
    ["o0 o1 o2 o3 o4 o5 o6 o7 o8 o9 o10 o11 o15!", 20],
    [
      "o0 o1! o2! o3! o4! o5! o6! o7! o8! o9! o10! o11! o12! o13! o14! o15! o16! o17! o18! o19! o20! o21! o22! o23!",
      40,
    ],
    ["o0 o1 o2 o3 o4 o5 o6 o7 o8 o9 o10 o11", 20],
    ["llll!", 1],
  ]);
  expect(fields[3]!.options![0]!.label.length).toBe(80);
});

test("radio buttons of one name are one field, called by what is around them", async () => {
  const radios = async (html: string) => {
    put(`<form>${html}</form>`);
    return (await forms())[0]!.fields.map(({ label, role, options, option_count: count }) => [
      label,
      role,
      options?.map((one) => one.label),
      count,
    ]);
  };
  const two = "<input type=radio name=r aria-label=A><input type=radio name=r aria-label=B>";
  expect(await radios(two)).toEqual([["r", "radiogroup", ["A", "B"], 2]]);
  expect(await radios(`<div role=radiogroup aria-label=Group>${two}</div>`)).toEqual([
    ["Group", "radiogroup", ["A", "B"], 2],
  ]);
  expect(await radios(`<div role=group><legend>Legend</legend>${two}</div>`)).toEqual([
    ["Legend", "radiogroup", ["A", "B"], 2],
  ]);
  expect(await radios(`<div role=group>${two}</div>`)).toEqual([["r", "radiogroup", ["A", "B"], 2]]);
  expect(await radios(`<fieldset>${two}</fieldset>`)).toEqual([["r", "radiogroup", ["A", "B"], 2]]);
  expect(await radios("<input type=radio aria-label=A><input type=radio aria-label=B>")).toEqual([
    ["A", "radio", undefined, undefined],
    ["B", "radio", undefined, undefined],
  ]);
  expect((await radios(`<div role=group><legend>${"l".repeat(81)}</legend>${two}</div>`))[0]![0]).toMatch(/^l{79}…$/);
  const [, , options, count] = (await radios("<input type=radio name=r aria-label=A>".repeat(13)))[0]!;
  expect([(options as string[]).length, count]).toEqual([12, 13]);
});

test("what stands outside of a form and names it is a part of it, and buttons tell where they send it", async () => {
  put(`<input name=first form=f value=1 required><form id=f action=/save><input name=inside value=2><select name=land><option>fr</select></form>
    <main><label>Last <input name=last form=f type=email value=no></label><input name=other>
      <button form=f formaction=/draft?x=1 formmethod=post formnovalidate>Draft</button><button form=f formmethod=DIALOG>Done</button>
      <button form=f formaction="" formmethod="" name=act value=save>Plain</button><div form=f>none</div></main>
    <div id=part><form id=g><input name=g1></form></div><input name=g2 form=g><x-host></x-host>`);
  shadow(
    document.querySelector("x-host")!,
    "<form id=f><input name=deep></form><input name=beside form=f><button form=f formaction=http://>Deep</button>",
  );
  expect(named(await forms({ selector: "#f" }))).toEqual([["first", "inside", "land", "last"]]);
  expect(named(await forms({ selector: "#part" }))).toEqual([["g1", "g2"]]);
  expect(named(await forms({ selector: "main" }))).toEqual([["last"], ["other"]]);
  document.querySelector("#part")!.append(Object.assign(document.createElement("input"), { name: "loose" }));
  expect(named(await forms({ selector: "#part" }))).toEqual([["g1", "g2"], ["loose"]]);
  document.querySelector("[name=loose]")!.remove();
  expect(named(await forms({ selector: "#part, #f" }))).toEqual([
    ["first", "inside", "land", "last"],
    ["g1", "g2"],
  ]);
  expect(named(await forms({ selector: "main, [name=last]" }))).toEqual([["last"], ["other"]]);
  expect(named(await forms({ selector: "x-host >>> form" }))).toEqual([["deep", "beside"]]);
  expect((await forms({ selector: "#f" }))[0]!.buttons).toEqual([
    { ref: "e6", label: "Draft", does: "submit", action: "/draft?x=1", method: "post", no_validate: true },
    { ref: "e7", label: "Done", does: "submit", method: "dialog" },
    { ref: "e8", label: "Plain", does: "submit", sends: "act=save", method: "get" },
  ]);
  expect((await forms({ selector: "x-host >>> form" }))[0]!.buttons).toMatchObject([
    { label: "Deep", action: "http://" },
  ]);
  expect((await states({ selector: "#f" }))[0]!.submit_data).toEqual(
    [...new FormData(document.forms[0])].map(([name, value]) => ({ name, value })),
  );
  expect((await judged({ selector: "#f" }))[0]).toMatchObject({
    valid: false,
    validation_errors: [{ name: "last" }],
    checked: 4,
  });
});

test("a form says how and where it sends what it has", async () => {
  const sends = async (attributes: string) => {
    put(`<form ${attributes}><input></form>`);
    const { method, action, no_validate } = (await forms())[0]!;
    return [method, action, no_validate];
  };
  expect(await sends("")).toEqual(["get", "", undefined]);
  expect(await sends("method=put action=''")).toEqual(["get", location.pathname + location.search, undefined]);
  expect(await sends("method=Dialog action=http:// novalidate")).toEqual(["dialog", "http://", true]);
  expect((await sends(`action="http://[${"x".repeat(300)}"`))[1]).toHaveLength(300);
  expect(await sends("method=post action=https://pay.test/x?y=1")).toEqual([
    "post",
    "https://pay.test/x?y=1",
    undefined,
  ]);
  expect(await sends("method=posting action=save")).toEqual(["get", "/save", undefined]);
});

test("buttons of components send a form by what the component says", async () => {
  const buttons = async (html: string) => {
    put(`<form><input>${html}</form>`);
    return ((await forms())[0]!.buttons ?? []).map(({ label, does }) => [label, does]);
  };
  expect(
    await buttons(
      "<x-button type=submit></x-button><x-button type=reset></x-button><x-button type=button></x-button><x-button></x-button>",
    ),
  ).toEqual([
    ["Inner", "submit"],
    ["Inner", "reset"],
    ["Inner", "unknown"],
  ]);
  put("<x-button type=submit></x-button><form><input></form>");
  expect((await forms())[0]).not.toHaveProperty("buttons");
});

test("which elements are fields", async () => {
  const fields = async (html: string) => (put(html), named(await forms()));
  expect(
    await fields(`<div contenteditable aria-label=Editor><p contenteditable>in it</p></div><div contenteditable=false aria-label=Not></div>
      <div role=button aria-label=Button></div><div role=combobox aria-label=Box><input name=inside></div><div role=searchbox aria-label=Seek></div>
      <div role=combobox aria-label=Opens aria-controls="a l1"></div><div role=listbox id=l1 aria-label=List></div>
      <div role=combobox aria-label=Owns aria-owns=l2></div><div role=listbox id=l2></div><div role=listbox id=l3 aria-label=Free></div>
      <div role=textbox id=l4 aria-label=Text></div><div role=combobox aria-label=Last aria-controls=l4></div>
      <input name=carried aria-hidden=true tabindex=-1><input name=hidden aria-hidden=true>`),
  ).toEqual([["Editor", "inside", "Seek", "Opens", "Owns", "Free", "Text", "Last", "hidden"]]);
});

test("a field belongs to its form, else to the part of the page that it is in", async () => {
  const told = async (html: string) => {
    put(html);
    return (await forms()).map(({ ref, role, label, hidden, no_form, fields }) => [
      role,
      label,
      hidden,
      no_form,
      fields.map(({ name }) => name).join(),
      ref !== undefined,
    ]);
  };
  expect(
    await told(`<input name=a><main><h2>Title</h2><input name=b><section aria-label=Part><input name=c></section><input name=d></main>
      <div role=dialog><p role=heading>Dialog</p><input name=e></div><form><input name=f></form><form hidden><legend>Lost</legend><input name=g></form>
      <form></form><form hidden></form><form hidden><input name=only></form><form aria-label="Own name"><h3>Heading</h3></form><div role=group><h4>${"h".repeat(90)}</h4><input name=h></div>`),
  ).toEqual([
    [undefined, undefined, undefined, true, "a", false],
    ["main", "Title", undefined, true, "b,d", true],
    ["region", "Part", undefined, true, "c", true],
    ["dialog", "Dialog", undefined, true, "e", true],
    [undefined, undefined, undefined, undefined, "f", true],
    [undefined, "Lost", true, undefined, "g", true],
    [undefined, undefined, undefined, undefined, "", true],
    [undefined, undefined, undefined, undefined, "", true],
    [undefined, undefined, true, undefined, "only", true],
    [undefined, "Own name", undefined, undefined, "", true],
    [
      "group",
      "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh…",
      undefined,
      true,
      "h",
      true,
    ],
  ]);
  const { form } = put("<form><input name=f x></form>") as HTMLInputElement;
  own(form!);
  expect(await forms()).toMatchObject([{ fields: [{ name: "f" }] }]);
  own(document.querySelector("[x]")!);
  expect(await forms()).toEqual([]);
  // Fields in a shadow root are of the form around it.
  put("<form aria-label=Around><x-host></x-host></form>");
  shadow(document.querySelector("x-host")!, "<input name=deep>");
  expect(await forms()).toMatchObject([{ label: "Around", fields: [{ name: "deep" }] }]);
  // A control named form is not the form.
  put("<form><input name=form><input name=x></form>");
  expect(named(await forms())).toEqual([["form", "x"]]);
});

test("a field whose role the page takes away is of the sort that the browser knows", async () => {
  put("<form><input type=checkbox disabled role=none><select disabled role=none></select></form>");
  expect((await forms())[0]!.fields.map(({ role }) => role)).toEqual(["checkbox", "select"]);
});

test("a page with one component, and what stands in components without a field of the platform", async () => {
  lend({ tags: () => ["x-part"], internals: () => undefined });
  put(`<form><label>${"l".repeat(130)}<x-part name=note></x-part></label><x-part></x-part></form>`);
  const [named, bare] = document.querySelectorAll("x-part");
  shadow(named!, "<div contenteditable></div>");
  shadow(bare!, "<input>");
  expect((await forms())[0]!.fields.map(({ name, label }) => [name, label])).toEqual([
    ["note", `${"l".repeat(119)}…`],
    [undefined, ""],
  ]);
  const { not_sent, unknown } = (await states())[0]!;
  expect([not_sent, unknown]).toEqual([
    ["note (no field of the platform: the page's script has to send it)"],
    ["x-part"],
  ]);
});

test("a component's field has its name and its label", async () => {
  put(
    "<form><label>Outer <x-wrong name=wrong></x-wrong></label><label>Other <x-field name=field></x-field></label></form>",
  );
  expect((await forms())[0]!.fields.map(({ name, label }) => [name, label])).toEqual([
    ["wrong", "Outer"],
    ["wrong", "Outer"],
    ["field", "Inner"],
  ]);
  expect(await asked("form_validation")).toEqual({
    forms: [
      {
        ref: "e2",
        valid: false,
        validation_errors: [
          {
            ref: "e1",
            role: "textbox",
            field: "Outer",
            name: "wrong",
            by: "browser",
            rule: "valueMissing",
            message: "Please fill out this field.",
          },
        ],
        error_count: 1,
        checked: 3,
      },
    ],
    total_forms: 1,
    valid: 0,
    invalid: 1,
  });
  expect((await states())[0]).toEqual({
    ref: "e1",
    fields: [
      { ref: "e2", role: "textbox", label: "Outer", name: "wrong", value: "x" },
      { ref: "e3", role: "textbox", label: "Outer", name: "wrong", value: "" },
      { ref: "e4", role: "textbox", label: "Inner", name: "field", value: "deep" },
    ],
    field_count: 3,
    unknown: ["wrong", "field"],
  });
});

test("what a field holds is what a user sees in it", async () => {
  put(`<form><div role=checkbox aria-checked=true></div><div role=checkbox aria-checked=mixed></div><div role=checkbox aria-checked=false></div>
    <div role=slider aria-valuenow=3></div><div role=slider aria-valuenow=3 aria-valuetext=Three></div><div role=textbox>text</div>
    <select multiple><option selected>a<option selected label=B></select><input type=radio checked><input type=password><input value=" a  b "></form>`);
  expect((await states())[0]!.fields.map(({ value }) => value)).toEqual([
    "checked",
    "mixed",
    "",
    "3",
    "Three",
    "text",
    "a, B",
    "checked",
    "",
    "a b",
  ]);
  put(`<form><div role=checkbox aria-checked=true aria-label=C></div><input type=checkbox checked value=v><input type=checkbox value=v><div role=textbox aria-required=false aria-readonly=false></div>
    <select aria-readonly=true required><option>a</select><input readonly placeholder=P aria-label=P><input placeholder=P aria-describedby=d><p id=d> </p></form>`);
  expect((await forms())[0]!.fields.map(({ label: _label, ref: _ref, ...field }) => field)).toEqual([
    { role: "checkbox", hidden: true, checked: true },
    { role: "checkbox", type: "checkbox", checked: true },
    { role: "checkbox", type: "checkbox" },
    { role: "textbox", hidden: true },
    {
      role: "combobox",
      type: "select-one",
      required: true,
      readonly: true,
      option_count: 1,
      options: [{ label: "a", chosen: true }],
    },
    { role: "textbox", type: "text", readonly: true },
    { role: "textbox", type: "text" },
  ]);
});

describe("a verdict", () => {
  test("is the browser's by the rule that says most, and the page's where it marks a field", async () => {
    put(`<form aria-label=One><label>Mail <input type=email required value=no></label><label>Zip <input pattern="\\d{5}" value=12></label>
      <label>Age <input type=number min=18 value=3></label><label>Most <input type=number max=1 value=3></label><label>Step <input type=number min=0 step=2 value=3></label>
      <label>Own <input id=own></label><label><input type=radio name=r required>A</label><label><input type=radio name=r required>B</label>
      <label><input type=radio name=s required>C</label><label hidden>Lost <input required></label><input disabled required><button>Send</button></form>
      <form novalidate aria-label=Two><label>Name <input name=n aria-invalid=true aria-errormessage=why aria-describedby=hint></label><p id=why>Is taken</p><p id=hint>hint</p>
      <input aria-label=No aria-invalid=false><input aria-label=Empty aria-invalid=""><input aria-label=Spelt aria-invalid=spelling aria-describedby="gone hint  more unseen"><i id=more>more</i><i id=unseen hidden>x</i><i id=gone></i>
      <input aria-label=Silent aria-invalid=true></form>
      <form aria-label=Three><label>Ok <input required value=1></label></form><section aria-label=Loose><input required aria-label=Alone></section><section aria-label=Good><input></section>`);
    document.querySelector<HTMLInputElement>("#own")!.setCustomValidity("m".repeat(201));
    expect(await asked("form_validation")).toEqual({
      forms: [
        {
          ref: "e14",
          label: "One",
          valid: false,
          validation_errors: [
            {
              ref: "e1",
              role: "textbox",
              field: "Mail",
              by: "browser",
              rule: "typeMismatch",
              message: "Please include an '@' in the email address. 'no' is missing an '@'.",
            },
            {
              ref: "e2",
              role: "textbox",
              field: "Zip",
              by: "browser",
              rule: "patternMismatch",
              message: "Please match the requested format.",
            },
            {
              ref: "e3",
              role: "spinbutton",
              field: "Age",
              by: "browser",
              rule: "rangeUnderflow",
              message: "Value must be greater than or equal to 18.",
            },
            {
              ref: "e4",
              role: "spinbutton",
              field: "Most",
              by: "browser",
              rule: "rangeOverflow",
              message: "Value must be less than or equal to 1.",
            },
            {
              ref: "e5",
              role: "spinbutton",
              field: "Step",
              by: "browser",
              rule: "stepMismatch",
              message: "Please enter a valid value. The two nearest valid values are 2 and 4.",
            },
            {
              ref: "e6",
              role: "textbox",
              field: "Own",
              by: "browser",
              rule: "customError",
              message:
                "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm…",
            },
            {
              ref: "e7",
              role: "radio",
              field: "A",
              name: "r",
              by: "browser",
              rule: "valueMissing",
              message: "Please select one of these options.",
            },
            {
              ref: "e8",
              role: "radio",
              field: "C",
              name: "s",
              by: "browser",
              rule: "valueMissing",
              message: "Please select one of these options.",
            },
            {
              ref: "e9",
              role: "textbox",
              field: "Lost",
              by: "browser",
              rule: "valueMissing",
              message: "Please fill out this field.",
              hidden: true,
            },
          ],
          error_count: 9,
          checked: 10,
        },
        {
          ref: "e15",
          label: "Two",
          valid: true,
          no_validate: true,
          validation_errors: [
            { ref: "e10", role: "textbox", field: "Name", name: "n", by: "page", message: "Is taken" },
            { ref: "e11", role: "textbox", field: "Spelt", by: "page", message: "hint more" },
            { ref: "e12", role: "textbox", field: "Silent", by: "page" },
          ],
          error_count: 3,
          checked: 5,
        },
        {
          no_form: true,
          ref: "e16",
          label: "Loose",
          role: "region",
          valid: false,
          validation_errors: [
            {
              ref: "e13",
              role: "textbox",
              field: "Alone",
              by: "browser",
              rule: "valueMissing",
              message: "Please fill out this field.",
            },
          ],
          error_count: 1,
          checked: 1,
        },
        { ref: "e17", label: "Three", valid: true, validation_errors: [], error_count: 0, checked: 1 },
        {
          no_form: true,
          ref: "e18",
          label: "Good",
          role: "region",
          valid: true,
          validation_errors: [],
          error_count: 0,
          checked: 1,
        },
      ],
      total_forms: 5,
      valid: 3,
      invalid: 2,
    });
  });
  test("is on buttons, components and fields in roots, too", async () => {
    put(`<form aria-label=Component><x-bad name=bad></x-bad></form><form aria-label=Button id=b><button id=judged>B</button></form><button form=b aria-label=Outside id=outside>B</button>
      <form aria-label=Apart><x-plain></x-plain></form><form aria-label=Fine><fieldset><input></fieldset><button>x</button></form>`);
    shadow(document.querySelector("x-plain")!, "<label>Q <input required></label>");
    for (const id of ["judged", "outside"])
      document.querySelector<HTMLButtonElement>(`#${id}`)!.setCustomValidity(`not ${id}`);
    const real = new Map([...document.forms].map((form) => [form.ariaLabel, form.checkValidity()]));
    const answer = await asked("form_validation");
    expect(new Map(answer.forms.map(({ label, valid }) => [label as string | null, valid]))).toEqual(real);
    expect(answer).toEqual({
      forms: [
        {
          ref: "e5",
          label: "Component",
          valid: false,
          validation_errors: [
            {
              ref: "e1",
              role: "textbox",
              field: "Bad",
              name: "bad",
              by: "browser",
              rule: "customError",
              message: "its component says that it is not valid",
            },
          ],
          error_count: 1,
          checked: 0,
        },
        {
          ref: "e6",
          label: "Button",
          valid: false,
          validation_errors: [
            { ref: "e2", role: "button", field: "B", by: "browser", rule: "customError", message: "not judged" },
            { ref: "e3", role: "button", field: "Outside", by: "browser", rule: "customError", message: "not outside" },
          ],
          error_count: 2,
          checked: 2,
        },
        {
          ref: "e7",
          label: "Apart",
          valid: true,
          validation_errors: [
            {
              ref: "e4",
              role: "textbox",
              field: "Q",
              by: "browser",
              rule: "valueMissing",
              apart: true,
              message: "Please fill out this field.",
            },
          ],
          error_count: 1,
          checked: 1,
        },
        { ref: "e8", label: "Fine", valid: true, validation_errors: [], error_count: 0, checked: 1 },
      ],
      total_forms: 4,
      valid: 2,
      invalid: 2,
    });
  });
});

test("why a form is not valid is told where a component sends its value by a hidden field, or a button is a field", async () => {
  put(`<form><button type=button role=combobox aria-label=Land>Choose</button><select name=land aria-hidden=true tabindex=-1 required><option value=""></select>
    <input type=submit value=Send><x-host></x-host></form>`);
  document.querySelector<HTMLInputElement>("[type=submit]")!.setCustomValidity("not now");
  const root = shadow(document.querySelector("x-host")!, "<form><input type=submit></form>");
  root.querySelector("input")!.setCustomValidity("of another form");
  expect((await judged())[0]).toMatchObject({
    valid: false,
    validation_errors: [
      { name: "land", by: "browser", rule: "valueMissing" },
      { field: "Send", by: "browser", rule: "customError", message: "not now" },
    ],
    error_count: 2,
  });
});

test("texts are cut where they are long", async () => {
  const long = "v".repeat(301);
  put(`<form action="http://${long}"><input type=file><select><option selected>${long}</select><x-field>${long}</x-field><label>${long}<input aria-describedby=d></label><p id=d>${long}</p>
    <input type=hidden name=h value=${long}><input type=checkbox checked name=b value=${long}><select name=s><option value=${long} selected>s</select><input aria-label=${long}><div role=slider aria-label=${long}></div>
    <x-stars aria-label=${long}></x-stars><input type=file name=f><textarea name=t>${long}</textarea></form>`);
  files("[name=f]", long);
  files("[type=file]", long);
  const lengths = (value: unknown): unknown =>
    typeof value === "string"
      ? value.length
      : value && typeof value === "object"
        ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, lengths(one)]))
        : value;
  const [{ action, fields: found }] = (await forms()) as [Awaited<ReturnType<typeof forms>>[0]];
  expect([action!.length, found.map(({ value, label, hint }) => [value?.length, label?.length, hint?.length])]).toEqual(
    [
      300,
      [
        [100, 0, undefined],
        [undefined, 0, undefined],
        [4, 5, undefined],
        [undefined, 120, 160],
        [undefined, 0, undefined],
        [undefined, 0, undefined],
        [undefined, 120, undefined],
        [undefined, 120, undefined],
        [undefined, 120, undefined],
        [100, 0, undefined],
        [200, 0, undefined],
      ],
    ],
  );
  const [state] = await states();
  expect([
    state!.fields.map(({ value, initial }) => [value?.length, initial?.length]),
    lengths(state!.submit_data),
    lengths(state!.not_sent),
    state!.unknown?.map((text) => text.length),
  ]).toEqual([
    [
      [100, 0],
      [100, undefined],
      [4, undefined],
      [0, undefined],
      [7, undefined],
      [1, undefined],
      [0, undefined],
      [0, undefined],
      [0, undefined],
      [100, 0],
      [200, undefined],
    ],
    {
      "0": { name: 1, value: 200 },
      "1": { name: 1, value: 200 },
      "2": { name: 1, value: 200 },
      "3": { name: 1, value: 200 },
      "4": { name: 1, value: 200 },
    },
    { "0": 22, "1": 23, "2": 77, "3": 77, "4": 121 },
    [5, 60],
  ]);
});

test("a field without a name is called by what it is", async () => {
  put(`<form><select><option>o</select><textarea>t</textarea><input title=Title><div contenteditable>text</div><input type=color><input type=datetime-local><x-field></x-field>
    <x-field aria-label=Labelled></x-field><x-stars></x-stars><div role=slider></div></form>`);
  expect((await forms())[0]!.fields.map(({ role, label }) => [role, label])).toEqual([
    ["combobox", ""],
    ["textbox", ""],
    ["textbox", "Title"],
    ["textbox", "text"],
    ["textbox", ""],
    ["textbox", ""],
    ["textbox", "Inner"],
    ["textbox", "Inner"],
    ["spinbutton", "Stars"],
    ["slider", ""],
  ]);
  const { not_sent, unknown } = (await states())[0]!;
  expect([not_sent, unknown]).toEqual([
    [
      "select (it has no name)",
      "textarea (it has no name)",
      "Title (it has no name)",
      "input (it has no name)",
      "input (it has no name)",
      "text (no field of the platform: the page's script has to send it)",
      "div (no field of the platform: the page's script has to send it)",
    ],
    ["Inner", "Stars"],
  ]);
});

test("what a user typed wrong is told by its rule", async () => {
  put("<form><input type=number></form>");
  document.querySelector("input")!.focus();
  document.execCommand("insertText", false, "e");
  expect((await judged())[0]!.validation_errors).toMatchObject([{ rule: "badInput" }]);
});

test("what a page shows as an error is cut where it is long", async () => {
  put(`<form><input aria-invalid=true aria-errormessage=e><p id=e>${"e".repeat(170)}</p></form>`);
  expect((await judged())[0]!.validation_errors[0]!.message).toBe(`${"e".repeat(159)}…`);
});

describe("the page works in between", () => {
  const PAGE = `<input name=o form=f required><form id=f title=F><input name=a required><input name=b required></form><section><input name=c required></section>`;
  const kinds = ["forms", "form_state", "form_validation"] as const;
  beforeEach(() => void put(PAGE));
  test("as often as there is something to look at", async () => {
    const refs = book();
    const counts: number[] = [];
    for (const kind of kinds) {
      expect(await pausesOf(0, () => asked(kind, {}, within(5000, refs)))).toBe(0);
      counts.push(await pausesOf(20, () => asked(kind, {}, within(5000, refs))));
      counts.push(await pausesOf(20, () => asked(kind, { selector: "#f" }, within(5000, refs))));
    }
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(15);
  });
  test("while each field is looked at, of a form that is asked about, too, and of what else is there none", async () => {
    const least = { forms: [5, 6, 1, 2, 0], form_state: [6, 7, 2, 2, 0], form_validation: [5, 6, 1, 2, 0] };
    const page =
      (one: string, before = "", after = "") =>
      (n: number) =>
        `<form id=f>${before}${one.repeat(n)}</form>${after}`;
    const beside = (more: string) => (n: number) =>
      `<form id=f><input form=f></form>${more}${"<select></select>".repeat(n)}`;
    for (const kind of kinds) {
      const each = async (html: (n: number) => string, selector?: string) =>
        pausesEach(html, () => asked(kind, selector ? { selector } : {}));
      const counts = [
        await each(page("<input required>")),
        await each(page("<input required>"), "form"),
        await each(page("<input type=hidden name=h>")),
        await each(beside("<input form=f>"), "form"),
        await each(beside(""), "form"),
      ];
      expect(counts.map(Math.floor), kind).toEqual(least[kind]);
    }
  });
  test("and may take away what is told", async () => {
    for (const kind of kinds) {
      put(PAGE);
      const pauses = await pausesOf(20, () => asked(kind));
      for (let at = 1; at <= pauses; at++) {
        put(PAGE);
        let told = "";
        await pausesOf(
          20,
          async () => (told = JSON.stringify(await asked(kind))),
          (nth) => nth === at && document.querySelector("[name=b]")!.remove(),
        );
        // What is gone would be called hidden.
        expect(told).not.toContain("hidden");
        if (at === 1) expect(told).not.toContain('"b"');
        if (at === pauses) expect(told).toContain('"a"');
      }
    }
  });
});
