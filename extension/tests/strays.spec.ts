import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

const PAY = '<button id=pay onclick="window.paid = true">Pay</button>';

test("keys for an element come to no other one that takes the focus before the first of them", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const away = 'onfocus="setTimeout(() => document.querySelector(`#pay, #other`).focus())"';
  const other = "<input id=other value=kept>";
  for (const [body, kind, params] of [
    [`<button id=a ${away}>A</button>${PAY}`, "key_press", { text: "Enter" }],
    [`<button id=a ${away}>A</button>${PAY}`, "key_press", { text: " " }],
    [`<input id=a ${away}>${other}`, "type", { text: "hunter2" }],
    [`<input id=a ${away}>${other}`, "type", { text: "hunter2", clear: true }],
    [`<div id=a class=ProseMirror contenteditable ${away}>x</div>${other}`, "type", { text: "hunter2" }],
  ] as const) {
    const { page, run } = await open(browserWithExtension, site, daemon, body);
    const { error } = await run(kind as "type", { selector: "#a", trusted: "always", ...params });
    const name = `${kind} ${JSON.stringify(params)}`;
    expect(error, name).toMatchObject({ code: "not_actionable", message: expect.stringContaining("No key came") });
    expect(await page.evaluate("[window.paid, document.querySelector(`#other`)?.value ?? `kept`]"), name).toEqual([
      undefined,
      "kept",
    ]);
  }
});

test("keys go on where the one before leads on to another element", async ({ daemon, site, browserWithExtension }) => {
  const code = '<input id=a oninput="b.focus()"><input id=b>';
  for (const trusted of ["always", "never"]) {
    const { page, run } = await open(browserWithExtension, site, daemon, code);
    const { result, error } = await run("type", { selector: "#a", text: "12", trusted });
    expect(error, trusted).toBeUndefined();
    expect(result.value, trusted).toBe("1");
    expect(await page.evaluate("[a.value, b.value]"), trusted).toEqual(["1", "2"]);
  }
});

test("a text that a page has led on to another field is not told as typed into the one that was named", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  for (const text of ["hunter2", "long".repeat(40)]) {
    const fields = '<input id=a onbeforeinput="b.focus()"><input id=b>';
    const { page, run } = await open(browserWithExtension, site, daemon, fields);
    const { error } = await run("type", { selector: "#a", text });
    expect(error?.code).toBe("status_mismatch");
    expect(await page.evaluate("a.value")).toBe("");
  }
});

test("a second click comes to nothing that has taken the place of what was clicked", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const deletes = (name: string): string =>
    `<li>${name} <button onclick="(window.gone ??= []).push('${name}'); this.parentNode.remove()">Delete</button></li>`;
  const covers = `onclick="pay.style.cssText = 'position:fixed;inset:0'"`;
  for (const [name, body] of [
    ["rows", `<ul>${["Alice", "Bob", "Carl"].map(deletes).join("")}</ul>`],
    ["alike", `<ul>${["", "", ""].map(deletes).join("")}</ul>`],
    ["covered", `<button ${covers}>A</button>${PAY}`],
  ] as const) {
    const { page, run } = await open(browserWithExtension, site, daemon, body);
    const params = { selector: "li:nth-child(1) button, button:not(li button, #pay)", count: 2, trusted: "always" };
    const { error } = await run("click", params);
    expect(error, name).toMatchObject({
      code: "not_actionable",
      message: expect.stringContaining("not clicked again"),
    });
    expect(await page.evaluate("[window.gone?.length ?? 1, window.paid]"), name).toEqual([1, undefined]);
  }
  // What is rendered anew by the first click is clicked again.
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<main></main><script>
       const draw = () => (document.querySelector("main").innerHTML = "<button>Open</button>");
       draw();
       window.clicks = 0;
       document.querySelector("main").onclick = () => { clicks++; draw(); };
     </script>`,
  );
  const params = { selector: "main button", count: 2, trusted: "always" };
  expect((await run("click", params)).error).toBeUndefined();
  expect(await page.evaluate("clicks")).toBe(2);
});

test("a click that is let go of on another element is told as none", async ({ daemon, site, browserWithExtension }) => {
  for (const [name, does, unclicked] of [
    ["covered", "pay.style.cssText = 'position:fixed;inset:0'", true],
    ["moved", "this.style.cssText = 'position:fixed;left:400px;top:400px'", true],
    ["marked", "this.className = 'pressed'", undefined],
  ] as const) {
    const body = `<button id=a onmousedown="${does}"><b>A</b></button>${PAY}`;
    const { page, run } = await open(browserWithExtension, site, daemon, body);
    const { result, error } = await run("click", { selector: "#a", trusted: "always" });
    expect(error, name).toBeUndefined();
    expect(result.unclicked, name).toBe(unclicked);
    expect(await page.evaluate("window.paid"), name).toBeUndefined();
  }
});
