import { type Browser, brief, expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";
import type { Site } from "./site.ts";

test.use({ host: "node" });

const SIGNUP = `<!doctype html><title>A</title>
  <form action="/thanks">
    <label>E-mail <input name=mail value=old></label>
    <label>Password <input type=password name=pw></label>
    <label>Size <select name=size><option value=s>Small</option><option value=m>Medium</option></select></label>
    <label><input type=checkbox name=terms> Terms</label>
    <label><input type=radio name=pay value=card> Card</label><label><input type=radio name=pay value=cash> Cash</label>
    <label>Day <input type=date name=day></label>
    <div id=role role=combobox aria-expanded=false aria-label=Country tabindex=0 onclick="this.ariaExpanded='true'; list.hidden=false">none</div>
    <ul id=list role=listbox hidden><li role=option onclick="role.textContent=this.textContent; list.hidden=true">Norway</li><li role=option>Spain</li></ul>
    <button type=button>Help</button><button>Sign up</button>
  </form>`;

async function open(browser: Browser, site: Site, daemon: FakeDaemon, html: string) {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(site.page("/a", html));
  const tab = await browser.tab(page);
  const run: typeof daemon.command = (kind, params, more) => daemon.command(kind, params, { tab, ...more });
  return { page, run };
}

test("fields of every kind are filled in one call", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(browserWithExtension, site, daemon, SIGNUP);
  const { result } = await run("fill_form", {
    fields: [
      { selector: "label=E-mail", value: "a@b.example" },
      { selector: "label=Password", value: "opensesame" },
      { selector: "label=Size", value: "Medium" },
      { selector: "[name=terms]", value: "true" },
      { selector: "[value=cash]", value: "cash" },
      { selector: "label=Day", value: "2026-03-01" },
      { selector: "#role", value: "Norway" },
    ],
  });
  expect(result.filled?.map(({ value }) => value)).toEqual([
    "a@b.example",
    "••••••",
    "m",
    "true",
    "true",
    "2026-03-01",
    "Norway",
  ]);
  const sent = await page.evaluate(() => Object.fromEntries(new FormData(document.querySelector("form")!)));
  expect(sent).toEqual({
    mail: "a@b.example",
    pw: "opensesame",
    size: "m",
    terms: "on",
    pay: "cash",
    day: "2026-03-01",
  });
  expect(
    (await run("fill_form", { fields: [{ selector: "[name=terms]", value: "false" }, { selector: "label=E-mail" }] }))
      .error,
  ).toBeUndefined();
  expect(await page.evaluate(() => [...new FormData(document.querySelector("form")!).keys()])).not.toContain("terms");
  await expect(page.getByLabel("E-mail")).toHaveValue("");
});

test("the first field that cannot be filled ends it, and what was filled is told", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, SIGNUP);
  const { error } = await run(
    "fill_form_and_submit",
    {
      fields: [
        { selector: "label=E-mail", value: "a@b.example" },
        { selector: "label=Size", value: "Huge" },
        { selector: "[name=terms]", value: "true" },
      ],
    },
    brief(),
  );
  expect(error?.code).toBe("option_not_found");
  expect(error?.message).toMatch(
    /^fields\[1\] \(label=Size\): No option is called "Huge".*The 1 before it is filled\.$/,
  );
  await expect(page.getByLabel("E-mail")).toHaveValue("a@b.example");
  await expect(page.getByLabel("Terms")).not.toBeChecked();
  await expect(page).toHaveURL(/\/a$/);
});

test("a form is sent by its own button, and the answer says where that led", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page("/thanks", "<!doctype html><title>Thanks</title>");
  const { page, run } = await open(browserWithExtension, site, daemon, SIGNUP);
  const { result } = await run("fill_form_and_submit", {
    fields: [{ selector: "label=E-mail", value: "a@b.example" }],
  });
  expect(result).toMatchObject({ matched: { label: "Sign up" }, navigated: true, title: "Thanks" });
  expect(result.receipt?.to).toContain("/thanks?mail=a%40b.example");
  await expect(page).toHaveTitle("Thanks");
});

test("a form without a button that is seen is sent as by Enter, with its checks", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<!doctype html><title>A</title><form onsubmit="event.preventDefault(); document.title = 'sent ' + (event.submitter?.value ?? 'by nobody')"><input name=q required><button hidden value=b>Go</button></form>
     <input id=lone>`,
  );
  await run("fill_form_and_submit", { fields: [{ selector: "[name=q]", value: "" }] });
  await expect(page).toHaveTitle("A");
  await run("fill_form_and_submit", { fields: [{ selector: "[name=q]", value: "x" }] });
  await expect(page).toHaveTitle("sent b");
  const lone = await run("fill_form_and_submit", { fields: [{ selector: "#lone", value: "x" }] });
  expect(lone.error).toMatchObject({ code: "no_submit", message: expect.stringContaining("The fields are filled") });
  const named = await run(
    "fill_form_and_submit",
    {
      fields: [{ selector: "#lone", value: "y" }],
      submit_selector: "#none",
    },
    brief(),
  );
  expect(named.error?.code).toBe("element_not_found");
});

test("what a page takes back of a form is told, with what was asked for, also where a later field cannot be filled", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const FORM = `<!doctype html><title>A</title><form onsubmit="event.preventDefault()">
      <label>Quantity <input id=qty type=number value=1></label><label>Phone <input id=phone></label>
      <label>Size <select id=size><option>Small<option>Large</select></label>
      <label><input type=checkbox id=gift> Gift</label><label>Name <input id=name></label>
      <label>Code <input id=code maxlength=3></label><label>Fixed <input id=fixed value=5></label><button hidden disabled>Send</button></form>
    <script>
      phone.oninput = () => (phone.value = phone.value.replace(/^(\\d{3})-?(\\d)/, "$1-$2"));
      fixed.oninput = () => (fixed.value = 5);
      document.getElementById("name").oninput = () => setTimeout(() => { qty.value = 1; size.selectedIndex = 0; gift.checked = false; });
    </script>`;
  const { run } = await open(browserWithExtension, site, daemon, FORM);
  const fields = [
    { selector: "#qty", value: "7" },
    { selector: "#phone", value: "5551234" },
    { selector: "#size", value: "Large" },
    { selector: "#gift", value: "true" },
    { selector: "#fixed", value: "9" },
    { selector: "#code", value: "ABCDE" },
    { selector: "#name", value: "Ada" },
  ];
  const { result } = await run("fill_form", { fields });
  expect(result.filled?.map(({ value, set_to }) => (set_to === undefined ? value : `${set_to} ${value}`))).toEqual([
    "7 1",
    "555-1234",
    "Large Small",
    "true false",
    "9 5",
    "ABCDE ABC",
    "Ada",
  ]);
  const failed = await run("fill_form", { fields: [...fields, { ref: "e999999", value: "x" }] });
  expect(failed.error?.code).toBe("stale_ref");
  expect(failed.error?.message).toContain(
    'The 7 before it are filled. fields[0] (#qty) was set to "7" and is "1": not kept. fields[2] (#size) was set to "Large" and is "Small": not kept. fields[3]',
  );
  const unsent = await run("fill_form_and_submit", { fields, submit_ref: "e999999" });
  expect(unsent.error?.message).toContain(
    'The fields are filled, the form was not sent. fields[0] (#qty) was set to "7" and is "1"',
  );
});

test("what a form says while it is filled is told with what it says when it is sent, wherever that leads", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const form = (more: string): string =>
    `<form action="/sent" ${more}><label>Mail <input name=m onchange="document.querySelector('[role=alert]').textContent = 'This address is taken'"></label>
     <label>Name <input name=n></label><button>Send</button></form><p role=alert></p><p role=status></p>`;
  site.page("/sent", "<!doctype html><title>Sent</title><p>Thank you");
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    form(`onsubmit="event.preventDefault(); document.querySelector('[role=status]').textContent = 'Saved as a draft'"`),
  );
  const fields = [
    { selector: "label=Mail", value: "a@b.test" },
    { selector: "label=Name", value: "Ada" },
  ];
  const stayed = await run("fill_form_and_submit", { fields });
  expect(stayed.error).toBeUndefined();
  expect(stayed.result.receipt?.changes?.join()).toMatch(/This address is taken.*Saved as a draft/);

  await page.goto(site.page("/leads", `<!doctype html><title>Leads</title>${form("")}`));
  const left = await run("fill_form_and_submit", { fields });
  expect(left.result).toMatchObject({ navigated: true, title: "Sent" });
  expect(left.result.receipt?.changes?.join()).toContain("This address is taken");

  await page.goto(
    site.page(
      "/refuses",
      `<!doctype html><title>Refuses</title>${form("")}<script>document.querySelector('[name=m]').addEventListener('change', () => (document.querySelector('button').disabled = true))</script>`,
    ),
  );
  const refused = await run("fill_form_and_submit", { fields, submit_selector: "text=Send" }, brief(6000));
  expect(refused.error?.message).toMatch(/the form was not sent\..*This address is taken/);
});

test("what a form said while it was filled is told also where it went again, in a shadow root, or with a field that was taken back", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<form onsubmit="event.preventDefault()"><label>Mail <input name=m></label><label>Amount <input name=a></label>
     <label>Name <input name=n></label><button>Send</button></form><p role=alert id=gone></p><x-hint></x-hint>
     <script>
       const [mail, amount, name] = document.querySelectorAll("input");
       const hint = document.querySelector("x-hint").attachShadow({ mode: "closed" });
       hint.innerHTML = "<p role=status></p>";
       mail.onchange = () => (gone.textContent = "Checking the address");
       amount.onchange = () => {
         gone.textContent = "";
         amount.value = "10";
         hint.querySelector("p").textContent = "At most 10";
       };
     </script>`,
  );
  const fields = [
    { selector: "label=Mail", value: "a@b.test" },
    { selector: "label=Amount", value: "99" },
    { selector: "label=Name", value: "Ada" },
  ];
  const { result, error } = await run("fill_form_and_submit", { fields });
  expect(error).toBeUndefined();
  expect(result.filled?.[1]).toMatchObject({ value: "10", set_to: "99" });
  const said = result.receipt?.changes?.join("\n") ?? "";
  expect(said).toContain('alert: "Checking the address"');
  expect(said).toContain('status: "At most 10"');
  expect(said).not.toContain("99");
});

test("a message that a field shows only until the next one is told of the filling", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<form onsubmit="event.preventDefault()"><label>Mail <input name=m oninput="say('This address is taken'); setTimeout(say, 60, '')"></label>
     <button>Send</button></form><p role=alert></p><script>const say = (text) => (document.querySelector("p").textContent = text)</script>`,
  );
  const { result } = await run("fill_form_and_submit", { fields: [{ selector: "label=Mail", value: "a@b.test" }] });
  expect(result.receipt?.changes?.join()).toContain('alert: "This address is taken", which went again');
});
