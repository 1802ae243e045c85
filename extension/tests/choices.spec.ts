// Options: of the browser's own lists, of customised ones, and of lists that pages build.
import { open } from "./acting.ts";
import { brief, expect, test } from "./extension.ts";

test.use({ host: "node" });

test("an option is chosen by a click and by select, in lists of every kind", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<style>#p,#p::picker(select){appearance:base-select}</style>
     <select multiple id=t size=4 aria-label=Tags><option value=a>Alpha<option value=b selected>Beta</select>
     <select id=one aria-label=One><option value=1>Uno<option value=2>Due</select>
     <label>Pet <select id=p><button><selectedcontent></selectedcontent></button><option value=cat>Cat<option value=dog>Dog</select></label>
     <input type=search id=q value=old>`,
  );
  const values = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("select")].map((at) => [...at.selectedOptions].map(({ value }) => value).join()),
    );
  const alpha = await run("click", { selector: 'role=option[name="Alpha"]' });
  expect(alpha.error).toBeUndefined();
  expect(alpha.result.value).toBe("a");
  expect((await run("click", { selector: "text=Due", within: "#one" })).error).toBeUndefined();
  expect(await values()).toEqual(["a", "2", "cat"]);

  expect((await run("select", { selector: "#t", value: "Beta" })).result).toMatchObject({
    value: "a,b",
    option: "Alpha, Beta",
  });
  expect((await run("select", { selector: "#t", values: ["b"] })).result.value).toBe("b");
  expect((await run("fill_form", { fields: [{ selector: "#t", values: ["a", "b"] }] })).result.filled?.[0]?.value).toBe(
    "a,b",
  );
  expect((await run("select", { selector: "#t", values: [] })).error).toBeUndefined();
  expect(await values()).toEqual(["", "2", "cat"]);

  // Closed, it is chosen from as any other is; its picker is for users.
  expect((await run("click", { selector: "text=Dog" })).error).toBeUndefined();
  expect((await values())[2]).toBe("dog");
  expect((await run("click", { selector: "#p" })).error).toBeUndefined();
  const cat = await run("click", { selector: 'role=option[name="Cat"]' });
  expect(cat.error).toBeUndefined();
  expect((await values())[2]).toBe("cat");

  expect((await run("key_press", { selector: "#q", text: "Escape" })).result.trusted).toBe(true);
  expect(await page.evaluate("q.value")).toBe("");
});

test("an option is looked for in the control's own list only, once that is there", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<nav role=menubar><a role=menuitem href="#" onclick="out.value = 'navigated to the office'">Paris office</a></nav>
     <button role=combobox aria-haspopup=listbox aria-expanded=false id=c>City</button><output id=out></output>
     <script>c.onclick = () => setTimeout(() => {
       c.setAttribute("aria-expanded", "true"); c.setAttribute("aria-controls", "l");
       document.body.insertAdjacentHTML("beforeend", "<ul role=listbox id=l><li role=option onclick=\\"out.value = 'Paris'\\">Paris</li><li role=option>Rome</li></ul>");
     }, 200)</script>`,
  );
  expect((await run("select", { selector: "#c", value: "Paris" })).result.value).toBe("Paris");
  expect(await page.evaluate("out.value")).toBe("Paris");
  const missing = await run("select", { selector: "#c", value: "office" }, brief());
  expect(missing.error?.message).toBe('No option is called "office". There are: "Paris", "Rome".');
  expect(await page.evaluate("out.value")).toBe("Paris");
});
