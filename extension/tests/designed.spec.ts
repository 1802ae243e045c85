// Controls as component libraries make them: the real one is hidden, lists stand twice, what opens is put at the end of
// the page.
import { open } from "./acting.ts";
import { brief, expect, test } from "./extension.ts";

test.use({ host: "node" });

const HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);margin:-1px";

test("a radio button that is kept for screen readers is clicked by its label", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<div style="position:relative;padding:40px">
       <input type=radio name=stars id=s3 style="${HIDDEN}"><label for=s3>3 stars</label>
       <input type=radio name=stars id=s4 style="${HIDDEN}"><label for=s4>4 stars</label>
       <i style="position:absolute;inset:0;pointer-events:auto;z-index:0"></i>
     </div><style>label { position: relative; z-index: 1 }</style>`,
  );
  const { error } = await run("click", { selector: 'role=radio[name="4 stars"]' });
  expect(error).toBeUndefined();
  expect(await page.evaluate("[s3.checked, s4.checked]")).toEqual([false, true]);
});

test("a designed slider around a hidden one is dragged", async ({ daemon, site, browserWithExtension: browser }) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<div style="position:relative;height:40px;width:300px"><span id=thumb style="position:absolute;left:20px;top:10px;width:20px;height:20px;background:navy">
       <input type=range aria-label=Volume style="position:absolute;inset:0;width:100%;height:100%;margin:0;clip-path:inset(50%)"></span></div>
     <script>
       let from;
       thumb.onpointerdown = (e) => { from = e.clientX; thumb.setPointerCapture(e.pointerId); };
       thumb.onpointermove = (e) => { if (from !== undefined) document.title = String(Math.round(e.clientX - from)); };
       thumb.onpointerup = () => (from = undefined);
     </script>`,
  );
  const { error } = await run("drag", { selector: "role=slider", dx: 80 });
  expect(error).toBeUndefined();
  expect(await page.title()).toBe("80");
});

test("what a page puts off to the end of its handler is done before the key goes up", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<input><script>
       window.heard = [];
       const field = document.querySelector("input");
       field.onchange = () => Promise.resolve().then(() => {}).then(() => heard.push("flushed"));
       field.onkeyup = () => heard.push("up");
     </script>`,
  );
  await run("type", { selector: "input", text: "a" });
  await page.evaluate("heard.length = 0");
  expect((await run("key_press", { text: "Enter" })).error).toBeUndefined();
  expect(await page.evaluate("heard")).toEqual(["flushed", "up"]);
});

test("arrows in a control that the page made need no debugger, and scroll where the page does not take them", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<div id=box style="height:60px;overflow:auto"><button id=plain>Plain</button><p style="height:400px">long</p></div>
     <div id=own role=slider tabindex=0 aria-label=Own>0</div><input id=field>
     <script>
       own.onkeydown = (e) => { e.preventDefault(); own.textContent = e.key; };
       addEventListener("resize", () => (document.title = "resized"));
     </script>`,
  );
  const press = async (selector: string) => (await run("key_press", { selector, text: "ArrowDown" })).result;
  expect(await press("#own")).not.toHaveProperty("trusted");
  expect(await page.evaluate("[own.textContent, box.scrollTop]")).toEqual(["ArrowDown", 0]);
  expect(await press("#plain")).not.toHaveProperty("trusted");
  expect(await page.evaluate("[box.scrollTop, document.title]")).toEqual([40, "A"]);
  expect((await press("#field")).trusted).toBe(true);
});

test("a part of a date that takes one digit at a time is typed digit by digit, into the next part too", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<span role=group><span role=spinbutton aria-label=Month contenteditable>MM</span>/<span role=spinbutton aria-label=Day contenteditable>DD</span></span>
     <script>
       const parts = [...document.querySelectorAll("[contenteditable]")];
       const typed = ["", ""];
       for (const [i, part] of parts.entries()) {
         part.onkeydown = (e) => {
           if (!/^\\d$/.test(e.key)) return;
           e.preventDefault();
           typed[i] += e.key;
           part.textContent = typed[i];
           if (typed[i].length === 2) parts[i + 1]?.focus();
           document.title = typed.join("/");
         };
       }
     </script>`,
  );
  await run("click", { selector: 'role=spinbutton[name="Month"]' });
  expect((await run("type", { text: "0704" })).error).toBeUndefined();
  expect(await page.title()).toBe("07/04");
});

test("a receipt names the controls that came by refs to act on, and none that was there before or that nobody sees", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<button id=open>Fruit</button><ul id=list><li><button>Remove a</button></ul>
     <script>
       const menu = () => {
         const box = document.createElement("div");
         box.innerHTML = '<div role=listbox><div role=option onclick="document.title = 1">Apple</div><div role=option onclick="document.title = 2">Pear</div>' +
           '<div role=option style="visibility:hidden">Hidden</div></div><p>no control</p>';
         document.body.append(box);
         list.innerHTML = list.innerHTML;
       };
       open.onclick = menu;
       document.getElementById("open").addEventListener("click", menu, { once: true });
     </script>`,
  );
  const { result } = await run("click", { selector: "#open" });
  const [told = "none"] = result.receipt?.changes?.filter((line) => line.includes("option")) ?? [];
  expect(told).toMatch(/^listbox opened: option "Apple" e\d+, "Pear" e\d+$/);
  const ref = /"Pear" (e\d+)/.exec(told)?.[1] ?? "";
  expect((await run("click", { ref })).error).toBeUndefined();
  expect(await page.title()).toBe("2");
});

test("what is operated in tables and lists has a ref, and what nobody sees is marked", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { run } = await open(
    browser,
    site,
    daemon,
    `<table aria-label=People><tr><th tabindex=0>Age</th><th>Name</th></tr><tr><td>36</td><td>Ada</td></tr></table>
     <div role=grid aria-label=March><div role=row><button role=gridcell>22</button><span role=gridcell>23</span></div></div>
     <ul><li tabindex=0 title=3>3</li><li>none</li></ul>
     <div role=listbox style="height:0;overflow:hidden"><div role=option style="height:0">Copy</div></div>`,
  );
  const { snapshot } = (await run("snapshot", {})).result;
  expect(snapshot).toMatch(/- columnheader "Age" \[ref=e\d+\]/);
  expect(snapshot).toMatch(/- gridcell "22" \[ref=e\d+\]/);
  expect(snapshot).toMatch(/- listitem "3" \[ref=e\d+\]/);
  expect(snapshot).not.toMatch(/"(Name|23|36|none)" \[ref/);
  expect(snapshot).toMatch(/- option "Copy" \[ref=e\d+\] \[invisible\]/);
  const found = (await run("snapshot", { find: "22" })).result.snapshot;
  expect(found).toMatch(/gridcell "22" \[ref=e\d+\]/);
});

test("a list to choose from is no password, though it keeps the browser from filling it in", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { run } = await open(
    browser,
    site,
    daemon,
    `<input role=combobox aria-label=Country autocomplete=new-password><input aria-label=Secret autocomplete=new-password>`,
  );
  const shown = async (name: string) => (await run("type", { selector: `label=${name}`, text: "gre" })).result.value;
  expect(await shown("Country")).toBe("gre");
  expect(await shown("Secret")).toBe("••••••");
});

test("a label with a link in its middle is pressed beside it, by real input too, and only what was read is told", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<style>input{position:absolute;opacity:0;width:0;height:0}i{display:inline-block;width:16px;height:16px;border:1px solid}</style>
     <label><input type=checkbox id=agree><i></i> I agree to the <a href="/terms">Terms of Service and the Privacy Policy of the company</a></label>
     <label><input type=checkbox id=only><a href="/terms">Terms of Service</a></label>`,
  );
  for (const trusted of ["never", "always"]) {
    const { result, error } = await run("check", { selector: "#agree", trusted, checked: trusted === "never" });
    expect(error).toBeUndefined();
    expect(result.value).toBe(String(trusted === "never"));
    expect(await page.evaluate("agree.checked")).toBe(trusted === "never");
  }
  const { result } = await run("fill_form", {
    fields: [
      { selector: "#agree", value: "true" },
      { selector: "#only", value: "true" },
    ],
  });
  expect(result.filled?.map(({ value }) => value)).toEqual(["true", "true"]);
  expect(await page.evaluate("[agree.checked, only.checked]")).toEqual([true, true]);
  const real = await run("check", { selector: "#only", trusted: "always", checked: false }, brief());
  expect(real.error?.code).toBe("blocked_by_overlay");
  const { result: clicked } = await run("click", { selector: "#agree" });
  expect(await page.evaluate("[agree.checked, location.pathname]")).toEqual([false, "/a"]);
  expect(clicked.navigated).toBeUndefined();
});
