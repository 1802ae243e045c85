import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

/**
 * An editor as today's are: it takes what beforeinput tells into a model of its own, draws its document from there, and
 * undoes whatever else changes the document.
 */
const model = (
  mark: string,
): string => `<div id=editor contenteditable role=textbox aria-label=Text ${mark} style="min-height:20px;white-space:pre-wrap"></div>
<script>
  window.model = "old\\ntext";
  const lines = () => [...editor.children];
  const offset = (node, at) => {
    if (node === editor) return lines().slice(0, at).reduce((sum, line) => sum + line.textContent.length + 1, 0);
    const line = node.nodeType === 3 ? node.parentElement : node;
    const before = lines().slice(0, lines().indexOf(line)).reduce((sum, each) => sum + each.textContent.length + 1, 0);
    return before + (node.nodeType === 3 ? at : 0);
  };
  const observer = new MutationObserver(() => draw());
  function draw(caret) {
    observer.disconnect();
    editor.replaceChildren(...model.split("\\n").map((text) => {
      const line = document.createElement("div");
      line.append(text === "" ? document.createElement("br") : text);
      return line;
    }));
    if (caret !== undefined) {
      let left = caret;
      for (const line of lines()) {
        const { length } = line.textContent;
        if (left <= length) { getSelection().collapse(length ? line.firstChild : line, left); break; }
        left -= length + 1;
      }
    }
    observer.observe(editor, { childList: true, characterData: true, subtree: true });
  }
  editor.addEventListener("beforeinput", (event) => {
    event.preventDefault();
    const [range] = event.getTargetRanges();
    if (!range) return;
    let from = offset(range.startContainer, range.startOffset);
    const to = Math.min(model.length, offset(range.endContainer, range.endOffset));
    const text = event.inputType === "insertParagraph" ? "\\n" : event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    model = model.slice(0, from) + text + model.slice(to);
    draw(from + text.length);
  });
  draw();
</script>`;

const MODEL = model("data-slate-editor");

const LONG = "All work and no play. ".repeat(12).trim();

test("an editor with a model of its own hears what is typed as a user types it", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, MODEL);
  const held = (): Promise<string> => page.evaluate("model");
  const type = async (text: string, more: object = {}) => {
    const { error, result } = await run("type", { selector: "#editor", text, ...more });
    expect(error).toBeUndefined();
    return result;
  };
  expect(await type(" more")).toMatchObject({ insertion_strategy: "slate", trusted: true, value: "old\ntext more" });
  expect(await held()).toBe("old\ntext more");
  await type("one\ntwo", { clear: true });
  expect(await held()).toBe("one\ntwo");
  await type(`${LONG}\nend`, { clear: true });
  expect(await held()).toBe(`${LONG}\nend`);
  await type("", { clear: true });
  expect(await held()).toBe("");
  // A part of it is meant as the whole is, and keys go the same way.
  await run("type", { selector: "#editor > div", text: "ab" });
  await run("key_press", { selector: "#editor > div", text: "Enter" });
  await run("type", { text: "cd" });
  await run("key_press", { text: "Backspace" });
  expect(await held()).toBe("ab\nc");
});

test("an editor that nobody knows and that undoes what scripts do is typed into by real input", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `${model("")}<div id=plain contenteditable></div>`,
  );
  const { result } = await run("type", { selector: "#editor", text: " more" });
  expect(result).toMatchObject({ insertion_strategy: "keyboard", trusted: true, value: "old\ntext more" });
  expect(await page.evaluate("model")).toBe("old\ntext more");
  await run("type", { selector: "#editor", text: "new", clear: true });
  expect(await page.evaluate("model")).toBe("new");
  const never = await run("type", { selector: "#editor", text: "x", trusted: "never" });
  expect(never.result.trusted).toBeUndefined();
  expect(await page.evaluate("model")).toBe("new");
  const plain = await run("type", { selector: "#plain", text: "made up" });
  expect(plain.result).toMatchObject({ insertion_strategy: "execCommand", value: "made up" });
  expect(plain.result.trusted).toBeUndefined();
});

test("scripts that no key types arrive once and whole", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `${MODEL}<input id=field><textarea id=area></textarea>`,
  );
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    addEventListener("input", (event) => heard.push((event as InputEvent).data ?? ""), true);
  });
  for (const text of ["日本語を入力 ok", "👨‍👩‍👧 family 🇯🇵", "한국어 中文", "שלום עולם، مرحبا", "naïve Ünïcödé"]) {
    await run("type", { selector: "#editor", text, clear: true });
    expect(await page.evaluate("model")).toBe(text);
    for (const trusted of ["always", "never"])
      for (const selector of ["#field", "#area"]) {
        expect((await run("type", { selector, text, clear: true, trusted })).error).toBeUndefined();
        expect(await page.locator(selector).inputValue(), `${selector} ${trusted}`).toBe(text);
      }
  }
  const long = "a line that is longer than its number\n".repeat(8);
  await run("type", { selector: "#area", text: long, clear: true, trusted: "always" });
  expect(await page.locator("#area").inputValue()).toBe(long);
  await run("type", { selector: "#editor", text: long, clear: true });
  await run("flush", {});
  // None of it is told as the user's, who did nothing.
  const typed = daemon.events("actions").filter(({ type }) => type === "input" || type === "keypress");
  expect(typed.length).toBeGreaterThan(20);
  expect(typed.filter(({ by }) => by !== "agent")).toEqual([]);

  await page.evaluate("heard.length = 0");
  await run("type", { selector: "#field", text: "👨‍👩‍👧日本", clear: true, trusted: "always" });
  expect(await page.evaluate("heard.join('')")).toBe("👨‍👩‍👧日本");
  expect(await page.evaluate("heard.length")).toBe(1);
});

/** An editor of code: its input is not seen, its text is drawn elsewhere, and it indents each line that is typed. */
const CODE = `<style>.monaco-editor { position: relative; height: 120px; width: 400px; font: 14px monospace }
  .native-edit-context { position: absolute; width: 0; height: 18px; z-index: -1 } .view-line { white-space: pre }</style>
<div class=monaco-editor><div class=native-edit-context role=textbox aria-label=Code tabindex=0></div><div class=view-lines></div></div>
<script>
  window.model = "first();\\nsecond();";
  const input = document.querySelector(".native-edit-context");
  const context = input.editContext = new EditContext();
  let from = 0, to = 0;
  function put(text) {
    model = model.slice(0, from) + text + model.slice(to);
    from = to = from + text.length;
    draw();
  }
  function draw() {
    context.updateText(0, 1e9, model);
    context.updateSelection(from, to);
    // The lines that were drawn last come first: only their place says which they are.
    const drawn = model.split("\\n").map((text, i) => {
      const line = document.createElement("div");
      line.className = "view-line";
      line.style.cssText = "position: absolute; top: " + i * 18 + "px";
      line.textContent = text.replaceAll(" ", "\\u00a0");
      return line;
    });
    document.querySelector(".view-lines").replaceChildren(...drawn.reverse());
  }
  context.addEventListener("textupdate", (event) => {
    from = event.updateRangeStart; to = event.updateRangeEnd;
    put(event.text.replaceAll("\\n", "\\n    ").replaceAll("(", "()"));
  });
  input.addEventListener("paste", (event) => { event.preventDefault(); put(event.clipboardData.getData("text/plain")); });
  input.addEventListener("keydown", (event) => {
    if (event.ctrlKey && event.key === "a") { from = 0; to = model.length; }
    else if (event.ctrlKey && event.key === "End") from = to = model.length;
    else if (event.key === "Backspace") { if (from === to) from = Math.max(0, from - 1); put(""); }
    else return;
    event.preventDefault();
    context.updateSelection(from, to);
  });
  document.querySelector(".monaco-editor").addEventListener("mousedown", (event) => { window.real = event.isTrusted; event.preventDefault(); input.focus(); });
  draw();
</script>`;

test("an editor of code is typed into by an input that nobody sees, and keeps lines as they are", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, CODE);
  const listed = await run("list_interactive", { role: "textbox" });
  const [code] = listed.result.elements;
  expect(code).toMatchObject({ label: "Code", visible: true });
  const ref = code!.ref;
  expect((await run("get_value", { ref })).result.value).toBe("first();\nsecond();");
  const typed = await run("type", { ref, text: " // x" });
  expect(typed.result).toMatchObject({
    insertion_strategy: "monaco",
    trusted: true,
    value: "first();\nsecond(); // x",
  });
  expect(await page.evaluate("model")).toBe("first();\nsecond(); // x");
  const text = "if (a) {\n  b();\n}";
  expect((await run("type", { selector: ".monaco-editor", text, clear: true })).result).toMatchObject({
    insertion_strategy: "paste",
    value: text,
  });
  expect(await page.evaluate("model")).toBe(text);
  await run("type", { ref, text: "", clear: true });
  expect(await page.evaluate("model")).toBe("");
  // What is seen of it is pressed.
  await page.evaluate("input.blur()");
  expect((await run("click", { ref })).error).toBeUndefined();
  expect(await page.evaluate("real")).toBe(true);
  await run("paste", { text: "pasted" });
  expect(await page.evaluate("model")).toBe("pasted");
});

test("an editor that is the body of an iframe is found by its name, and written in without one", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const frame = "<body id=tinymce contenteditable role=textbox aria-label=Letter><p>Dear</p></body>";
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<p>Around</p><iframe srcdoc='${frame}'></iframe>`,
  );
  const typed = await run("type", { selector: "role=textbox[name=Letter]", text: " Ada" });
  expect(typed.result).toMatchObject({ insertion_strategy: "tinymce", value: "Dear Ada" });
  expect((await run("type", { text: "!" })).result.value).toBe("Dear Ada!");
  expect((await run("paste", { text: "?" })).result.value).toBe("Dear Ada!?");
  await expect(page.frameLocator("iframe").locator("body")).toHaveText("Dear Ada!?");
  // The word for the page means the page, whatever its iframes are.
  expect((await run("get_text", { selector: "body" })).result.value).toContain("Around");
});

test("a text that names no field goes to where keys have put the caret", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    "<input id=a value=bcd><input id=n type=number value=12><div id=e contenteditable>xyz</div>",
  );
  const a = page.locator("#a");
  await run("key_press", { selector: "#a", text: "Home" });
  await run("type", { text: "a" });
  await expect(a).toHaveValue("abcd");
  await run("key_press", { text: "Control+a" });
  await run("type", { text: "all" });
  await expect(a).toHaveValue("all");
  await run("key_press", { text: "Control+a" });
  await run("type", { text: "new", trusted: "always" });
  await expect(a).toHaveValue("new");
  await run("key_press", { selector: "#n", text: "Control+a" });
  await run("type", { text: "7" });
  await expect(page.locator("#n")).toHaveValue("7");
  await run("key_press", { selector: "#e", text: "Home" });
  await run("type", { text: "w" });
  await expect(page.locator("#e")).toHaveText("wxyz");
  // A field that is named is written at its end, and so is one that the focus came back to.
  await run("key_press", { selector: "#a", text: "Home" });
  await run("type", { selector: "#a", text: "!" });
  await expect(a).toHaveValue("new!");
  await run("key_press", { selector: "#a", text: "Home" });
  await run("focus", { selector: "#n" });
  await run("focus", { selector: "#a" });
  await run("type", { text: "?" });
  await expect(a).toHaveValue("new!?");
});

test("a paste tells the page of the markup, too, and of the change that follows", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<div id=own contenteditable></div><div id=before contenteditable></div><div id=free contenteditable></div><input id=field>
     <script>
       window.heard = [];
       own.addEventListener("paste", (e) => { e.preventDefault(); own.innerHTML = e.clipboardData.getData("text/html"); });
       before.addEventListener("beforeinput", (e) => {
         heard.push(e.inputType, e.getTargetRanges().length, e.dataTransfer.getData("text/html"));
         e.preventDefault();
       });
       field.addEventListener("beforeinput", (e) => { heard.push(e.inputType, e.data); if (e.data === "no") e.preventDefault(); });
     </script>`,
  );
  const html = "<b onclick='x()'>bold</b> text";
  const params = { text: "bold text", html };
  expect((await run("paste", { selector: "#own", ...params })).result.insertion_strategy).toBe("paste");
  await expect(page.locator("#own b")).toHaveText("bold");
  await run("paste", { selector: "#before", ...params });
  expect(await page.evaluate("heard.splice(0)")).toEqual(["insertFromPaste", 1, html]);
  // Nobody but the page puts markup into it.
  await run("paste", { selector: "#free", ...params });
  expect(await page.locator("#free").innerHTML()).toBe("bold text");
  await run("paste", { selector: "#field", ...params });
  await expect(page.locator("#field")).toHaveValue("bold text");
  await run("paste", { selector: "#field", text: "no" });
  await expect(page.locator("#field")).toHaveValue("bold text");
  expect(await page.evaluate("heard")).toEqual(["insertFromPaste", "bold text", "insertFromPaste", "no"]);
});
