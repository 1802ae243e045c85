import { open } from "../acting.ts";
import { expect, test } from "../extension.ts";

test.use({ host: "node" });

const PAGE = `<h1>Shop</h1><form action="/pay" method=POST aria-label=Payment>
  <label>Mail <input name=mail type=email required placeholder="you@shop.test" value="a@b.test"></label>
  <label>Password <input name=pass type=password></label>
  <label>Note <textarea name=note maxlength=20></textarea></label>
  <fieldset><legend>Size</legend><label><input type=radio name=size value=s> Small</label>
    <label><input type=radio name=size value=l checked> Large</label></fieldset>
  <label><input type=checkbox name=gift> Gift</label>
  <label>Land <select name=land><option value=de>Germany<option value=fr selected>France<option disabled>Other</select></label>
  <label>Off <input name=off value=1 disabled></label><label>Nameless <input value=2></label>
  <input type=hidden name=token value=abc123><my-field name=stars></my-field>
  <button>Pay</button><button type=button>Help</button><button type=reset>Empty</button></form>
  <label>Coupon <input name=coupon form=other></label>
  <section aria-label=Search><input type=search placeholder=Words> <div role=switch aria-checked=true tabindex=0 aria-label=Dark></div></section>
  <form id=other><my-inner></my-inner></form>
  <iframe srcdoc="<label>Card <input name=card pattern='\\d+'></label>"></iframe>
  <script>
    window.fired = [];
    for (const kind of ["invalid", "formdata", "submit", "change", "input", "focus"]) addEventListener(kind, (e) => fired.push(kind), true);
    customElements.define("my-field", class extends HTMLElement { static formAssociated = true;
      constructor() { super(); this.internals = this.attachInternals(); this.internals.role = "spinbutton"; this.internals.ariaLabel = "Stars"; this.internals.setFormValue("5"); } });
    document.querySelector("my-inner").attachShadow({mode: "closed"}).innerHTML = "<label>Deep <input name=deep value=x></label>";
  </script>`;

test("forms are told with their fields, constraints, options and buttons", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, PAGE);
  const [main, inner] = (await run("forms", {})).result.documents;
  expect(main!.answer.count).toBe(3);
  const [pay, other, search] = main!.answer.forms;
  expect(pay).toMatchObject({ label: "Payment", action: "/pay", method: "post", field_count: 9 });
  expect(pay!.fields).toMatchObject([
    { role: "textbox", label: "Mail", type: "email", required: true, value: "a@b.test", hint: "you@shop.test" },
    { label: "Password", type: "password" },
    { label: "Note", constraints: ["maxlength=20"] },
    {
      role: "radiogroup",
      label: "Size",
      name: "size",
      options: [{ label: "Small" }, { label: "Large", chosen: true }],
    },
    { role: "checkbox", label: "Gift" },
    {
      role: "combobox",
      label: "Land",
      options: [{ label: "Germany" }, { label: "France", chosen: true }, { label: "Other", disabled: true }],
    },
    { label: "Off", disabled: true },
    { label: "Nameless" },
    { role: "spinbutton", label: "Stars", name: "stars" },
  ]);
  expect(pay!.buttons).toMatchObject([
    { label: "Pay", does: "submit" },
    { label: "Empty", does: "reset" },
  ]);
  expect(other).toMatchObject({ fields: [{ label: "Coupon" }, { label: "Deep" }] });
  expect(search).toMatchObject({ no_form: true, role: "region", label: "Search" });
  expect(search!.fields).toMatchObject([{ role: "searchbox" }, { role: "switch", label: "Dark", checked: true }]);
  expect(inner).toMatchObject({ frame: { name: "0" } });
  expect(inner!.answer.forms).toMatchObject([
    { no_form: true, fields: [{ label: "Card", constraints: ["pattern=\\d+"] }] },
  ]);
  const large = pay!.fields[3]!.options![0]!.ref!;
  expect((await run("check", { ref: large })).error).toBeUndefined();
  expect(await page.evaluate("document.querySelector('[name=size]:checked').value")).toBe("s");
});

test("what a form holds and would send is read without an event", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(browserWithExtension, site, daemon, PAGE);
  await page.fill("[name=pass]", "hunter2secret");
  await page.fill("[name=note]", "for Ada");
  await page.check("[name=gift]");
  await page.selectOption("[name=land]", "de");
  await page.evaluate("document.querySelector('[name=mail]').value = 'script@b.test'; fired.length = 0");
  const state = await run("form_state", {});
  const sent = new URLSearchParams(
    (await page.evaluate("new URLSearchParams(new FormData(document.forms[0])).toString()")) as string,
  );
  sent.delete("stars");
  await page.evaluate("fired.length = 0");
  const again = await run("form_state", {});
  expect(await page.evaluate("fired")).toEqual([]);
  expect(JSON.stringify(again.result)).toBe(JSON.stringify(state.result));
  const [pay] = state.result.documents[0]!.answer.forms;
  expect(JSON.stringify(state.result)).not.toContain("hunter2");
  sent.set("pass", "••••••");
  sent.set("token", "••••••");
  expect(pay!.submit_data!.map(({ name, value }) => [name, value])).toEqual([...sent]);
  expect(pay!.not_sent).toEqual(["off (disabled)", "Nameless (it has no name)"]);
  expect(pay!.unknown).toEqual(["stars"]);
  expect(pay!.fields).toMatchObject([
    { label: "Mail", value: "script@b.test", initial: "a@b.test", dirty: true },
    { label: "Password", value: "••••••", dirty: true, touched: true },
    { label: "Note", value: "for Ada", touched: true },
    { label: "Large", value: "checked" },
    { label: "Gift", value: "checked", initial: "", dirty: true },
    { label: "Land", value: "Germany", initial: "France", dirty: true },
    { label: "Off", value: "1", disabled: true },
    { label: "Nameless", value: "2" },
    { label: "Stars" },
  ]);
  expect(pay!.fields[0]!.touched).toBeUndefined();
});

test("the browser's verdict and the page's are told, without an event", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<form aria-label=One><label>Mail <input name=mail type=email required value=no></label>
      <label>Zip <input pattern="\\d{5}" value=12></label><label>Age <input type=number min=18 value=3></label>
      <label><input type=radio name=r required>A</label><label><input type=radio name=r required>B</label>
      <label hidden>Lost <input required></label><button>Send</button></form>
    <form novalidate aria-label=Two><label>Name <input aria-invalid=true aria-errormessage=why></label><p id=why>Is taken</p></form>
    <form aria-label=Three><label>Ok <input required value=1></label></form>
    <script>window.fired = []; addEventListener("invalid", () => fired.push(1), true);
      document.querySelector("[pattern]").setCustomValidity("five digits, please")</script>`,
  );
  const { result } = await run("form_validation", {});
  expect(await page.evaluate("fired")).toEqual([]);
  const { forms, ...counts } = result.documents[0]!.answer;
  expect(counts).toEqual({ total_forms: 3, valid: 2, invalid: 1 });
  expect(forms[0]).toMatchObject({ label: "One", valid: false, error_count: 5, checked: 6 });
  expect(forms[0]!.validation_errors).toMatchObject([
    { field: "Mail", by: "browser", rule: "typeMismatch", message: expect.stringContaining("@") },
    { field: "Zip", rule: "patternMismatch" },
    { field: "Age", rule: "rangeUnderflow" },
    { rule: "valueMissing", role: "radio" },
    { rule: "valueMissing", hidden: true },
  ]);
  expect(forms[1]).toMatchObject({
    label: "Two",
    valid: true,
    no_validate: true,
    validation_errors: [{ by: "page", message: "Is taken" }],
  });
  expect(forms[2]).toMatchObject({ label: "Three", valid: true, validation_errors: [] });
});

const LIBRARIES = `<form aria-label=All method=put>
    <select name=two><option selected>A<option selected>B</select>
    <select name=group><optgroup disabled label=g><option>X</optgroup><option>Y</select>
    <select name=many multiple><option selected disabled>P<option selected>Q<optgroup disabled label=g><option selected>R</optgroup></select>
    <fieldset disabled><legend><input name=kept value=1></legend><input name=lost value=1></fieldset>
    <textarea name=text>words</textarea><input name=dir dirname=dir.way value=q><input type=hidden name=_charset_>
    <button type=button role=checkbox aria-checked=true aria-label=Accept>x</button><input type=checkbox name=accept checked aria-hidden=true tabindex=-1 style="opacity:0">
    <button type=button role=combobox aria-label=Fruit aria-expanded=false>Apple</button><select name=fruit aria-hidden=true tabindex=-1><option value=apple>Apple</select>
    <div role=slider aria-label=Loose aria-valuenow=3 tabindex=0></div><md-field name=md></md-field></form>
  <form aria-label=Component><bad-field name=bad></bad-field></form>
  <form aria-label=Apart><my-plain></my-plain></form>
  <form aria-label=Button><button id=judged>B</button></form>
  <script>
    const field = (tag, inside, begin) => customElements.define(tag, class extends HTMLElement { static formAssociated = true;
      constructor() { super(); const at = this.attachInternals(); this.attachShadow({ mode: "open" }).innerHTML = inside; begin(at); } });
    field("md-field", "<label>Inner <input value=deep></label>", (at) => at.setFormValue("deep"));
    field("bad-field", "<p>b</p>", (at) => { at.role = "textbox"; at.ariaLabel = "Bad"; at.setValidity({ valueMissing: true }, "give it", at.shadowRoot.firstChild); });
    document.querySelector("my-plain").attachShadow({ mode: "open" }).innerHTML = "<label>Q <input required></label>";
    judged.setCustomValidity("not yet");
  </script>`;

test("what fields of libraries send is what the browser sends", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(browserWithExtension, site, daemon, LIBRARIES);
  const [all, , apart] = (await run("form_state", {})).result.documents[0]!.answer.forms;
  const sent = (await page.evaluate("[...new FormData(document.forms[0])]")) as [string, string][];
  expect(all!.submit_data!.map(({ name, value }) => [name, value])).toEqual(sent.filter(([name]) => name !== "md"));
  expect(all!.unknown).toEqual(["md"]);
  expect(all!.not_sent).toEqual([
    "lost (disabled)",
    "Loose (no field of the platform: the page's script has to send it)",
  ]);
  expect(all!.fields.filter(({ dirty }) => dirty)).toEqual([]);
  expect(apart!.not_sent).toEqual([expect.stringMatching(/^Q .*shadow root/)]);
  const [form] = (await run("forms", {})).result.documents[0]!.answer.forms;
  expect(form!.method).toBe("get");
  expect(form!.fields.map(({ label, name }) => label || name)).toEqual([
    "two",
    "group",
    "many",
    "kept",
    "lost",
    "text",
    "dir",
    "Accept",
    "Fruit",
    "Loose",
    "Inner",
  ]);
  expect(form!.fields[2]!.options).toMatchObject([{ disabled: true }, { label: "Q" }, { disabled: true }]);
});

test("the verdict of a form is the browser's, of buttons and components, too", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, LIBRARIES);
  const { forms } = (await run("form_validation", {})).result.documents[0]!.answer;
  const real = (await page.evaluate(
    "[...document.forms].map((form) => [form.ariaLabel, form.checkValidity()])",
  )) as unknown[];
  expect(new Map(forms.map(({ label, valid }) => [label, valid]))).toEqual(new Map(real as [string, boolean][]));
  const wrong = new Map(forms.map(({ label, validation_errors: [one] }) => [label, one]));
  expect(wrong.get("Component")).toMatchObject({ field: "Bad", by: "browser" });
  expect(wrong.get("Button")).toMatchObject({ role: "button", message: "not yet" });
  expect(wrong.get("Apart")).toMatchObject({ field: "Q", rule: "valueMissing", apart: true });
});

test("a field that is as it began is not called changed", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<form><input name=colour type=color><input name=slider type=range><input name=high type=range max=9 value=20>
       <input name=mails type=email multiple value="a@b.test, c@d.test"><input name=none type=number value=many><input name=text value=" x "></form>`,
  );
  const changed = async (): Promise<unknown[]> =>
    (await run("form_state", {})).result.documents[0]!.answer.forms[0]!.fields.flatMap(({ name, dirty, initial }) =>
      dirty ? [[name, initial]] : [],
    );
  expect(await changed()).toEqual([]);
  await page.evaluate("document.forms[0].slider.value = 70; document.forms[0].colour.value = '#ff0000'");
  expect(await changed()).toEqual([
    ["colour", "#000000"],
    ["slider", "50"],
  ]);
});

test("what stands outside of a form and names it is a part of it, and buttons tell where they send it", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<input name=first form=f value=1 required><form id=f action=/save><input name=inside value=2><select name=land><option>fr</select></form>
     <main><label>Last <input name=last form=f type=email value=no></label><input name=other>
       <button form=f name=kind value=draft formaction=/draft?x=1 formmethod=post formnovalidate>Draft</button><button form=f formmethod=DIALOG>Done</button></main>
     <div id=part><form id=g><input name=g1></form></div><input name=g2 form=g><my-host></my-host>
     <script>document.querySelector("my-host").attachShadow({ mode: "open" }).innerHTML =
       "<form id=f><input name=deep></form><input name=beside form=f><button form=f formaction=/deep>Deep</button>"</script>`,
  );
  const names = async (selector: string): Promise<unknown> => {
    const { forms } = (await run("forms", { selector })).result.documents[0]!.answer;
    return forms.map(({ fields }) => fields.map(({ name }) => name));
  };
  expect(await names("#f")).toEqual([["first", "inside", "land", "last"]]);
  expect(await names("#part")).toEqual([["g1", "g2"]]);
  expect(await names("main")).toEqual([["last"], ["other"]]);
  expect(await names("my-host >>> form")).toEqual([["deep", "beside"]]);
  const [form] = (await run("forms", { selector: "#f" })).result.documents[0]!.answer.forms;
  expect(form!.buttons).toMatchObject([
    { label: "Draft", does: "submit", sends: "kind=draft", action: "/draft?x=1", method: "post", no_validate: true },
    { label: "Done", does: "submit", method: "dialog" },
  ]);
  for (const none of ["action", "sends"]) expect(form!.buttons![1]).not.toHaveProperty(none);
  const [deep] = (await run("forms", { selector: "my-host >>> form" })).result.documents[0]!.answer.forms;
  expect(deep!.buttons).toMatchObject([{ label: "Deep", action: "/deep" }]);
  const [state] = (await run("form_state", { selector: "#f" })).result.documents[0]!.answer.forms;
  const sent = (await page.evaluate("[...new FormData(document.forms[0])]")) as [string, string][];
  expect(state!.submit_data!.map(({ name, value }) => [name, value])).toEqual(sent);
  const { forms } = (await run("form_validation", { selector: "#f" })).result.documents[0]!.answer;
  expect(forms).toMatchObject([
    { valid: false, validation_errors: [{ name: "last", rule: "typeMismatch" }], checked: 4 },
  ]);
});
