import type { Page } from "@playwright/test";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

const PAGE = `<!doctype html><title>A</title><button onclick="document.title = String(confirm('Delete everything?'))">Delete</button>`;

for (const trusted of ["never", "always"]) {
  test(`a click that opens a dialog is answered at once, trusted ${trusted}`, async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { page } = browser;
    await browser.set({ pilot: true });
    await page.goto(site.page("/a", PAGE));
    const tab = await browser.tab(page);
    // With a listener Playwright leaves the dialog open until the test answers it.
    const asked = page.waitForEvent("dialog");
    page.on("dialog", () => {});
    const clicked = await daemon.command("click", { selector: "text=Delete", trusted }, { tab });
    expect(clicked.error).toBeUndefined();
    expect(clicked.result).toMatchObject({
      dialog: { type: "confirm", message: "Delete everything?" },
      overlay_warning: expect.stringContaining("Delete everything?"),
    });
    for (const kind of ["get_text", "click", "screenshot", "list_interactive"] as const) {
      const held = await daemon.command(kind, kind === "click" ? { selector: "text=Delete" } : {}, { tab });
      expect(held.error, kind).toMatchObject({ code: "dialog_open", message: expect.stringContaining("confirm") });
    }
    await (await asked).accept();
    await expect(page).toHaveTitle("true");
    await daemon.until("the dialog is closed", () =>
      daemon.events("lifecycle").find(({ state }) => state === "dialog_closed"),
    );
    expect((await daemon.command("get_text", {}, { tab })).error).toBeUndefined();
  });
}

test("a script that opens a dialog, and a tab that is led away from one", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(site.page("/a", PAGE));
  const tab = await browser.tab(page);
  page.on("dialog", () => {});
  const held = await daemon.command("execute_js", { script: "alert('Hello')" }, { tab });
  expect(held.error).toMatchObject({ code: "dialog_open", message: expect.stringContaining("Hello") });
  expect(
    (await daemon.command("navigate", { url: site.page("/b", "<title>B</title>There") }, { tab })).result.title,
  ).toBe("B");
  expect((await daemon.command("get_text", {}, { tab })).result.value).toContain("There");
});

test("dialogs that an act opens are answered as it says, also what a page asks before it is left", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(
    site.page(
      "/asks",
      `<!doctype html><title>A</title><button onclick="answers.push(confirm('Sure?'))">Ask</button>
       <button onclick="answers.push(prompt('Name?', 'old'))">Name</button><button onclick="alert(1); alert(2); answers.push('told')">Tell</button>
       <input><script>window.answers = []; onbeforeunload = (event) => event.preventDefault();</script>`,
    ),
  );
  const tab = await browser.tab(page);
  page.on("dialog", () => {});
  const click = async (name: string, more: object) => {
    const { error, result } = await daemon.command("click", { selector: `text=${name}`, ...more }, { tab });
    expect(error).toBeUndefined();
    return result.dialog;
  };
  expect(await click("Ask", { dialog: "accept" })).toEqual({ type: "confirm", message: "Sure?", answer: "accept" });
  await click("Ask", { dialog: "dismiss" });
  await click("Name", { dialog_text: "Ada" });
  await click("Name", { dialog: "dismiss", trusted: "always" });
  expect(await click("Tell", { dialog: "accept" })).toEqual({ type: "alert", message: "2", answer: "accept" });
  expect(await page.evaluate("answers")).toEqual([true, false, "Ada", null, "told"]);
  // Without a dialog nothing is told of one.
  await page.evaluate("document.querySelector('button').onclick = null");
  expect(await click("Ask", { dialog: "accept" })).toBeUndefined();
  await daemon.command("click", { selector: "input", trusted: "always" }, { tab }); // a page that nobody used asks nothing
  const left = await daemon.command(
    "navigate",
    { url: site.page("/b", "<title>B</title>There"), dialog: "accept" },
    { tab },
  );
  expect(left.result.title).toBe("B");
});

test(
  "dialogs of scripts, reloads and steps through the history are answered, and none is waited for",
  { tag: "@extension" },
  async ({ daemon, site, browserWithExtension: browser }) => {
    const { page } = browser;
    await browser.set({ pilot: true });
    const asks = (name: string) =>
      `<!doctype html><title>${name}</title><input><script>onbeforeunload = (event) => event.preventDefault()</script>`;
    await page.goto(site.page("/one", asks("One")));
    const tab = await browser.tab(page);
    page.on("dialog", () => {});
    // A page that nobody used asks nothing.
    const use = () => daemon.command("click", { selector: "input", trusted: "always" }, { tab });
    const script = (text: string, more: object) => daemon.command("execute_js", { script: text, ...more }, { tab });
    const told = await script("[confirm('Sure?'), prompt('Name?')].join()", { dialog_text: "Ada" });
    expect(told.result).toMatchObject({ result: "true,Ada", dialog: { type: "prompt", message: "Name?" } });
    expect((await script("confirm('Sure?')", { dialog: "dismiss" })).result.result).toBe(false);

    await use();
    await daemon.command("navigate", { url: site.page("/two", asks("Two")), dialog: "accept" }, { tab });
    for (const kind of ["refresh", "back"] as const) {
      await use();
      const stayed = await daemon.command(kind, { dialog: "dismiss" }, { tab, timeoutMS: 300_000 });
      expect(stayed.error, kind).toMatchObject({
        code: "navigation_failed",
        message: expect.stringContaining("to stay"),
      });
      expect(await page.title()).toBe("Two");
    }
    const refreshed = await daemon.command("refresh", { dialog: "accept" }, { tab });
    expect(refreshed.result).toMatchObject({ title: "Two", dialog: { type: "beforeunload", answer: "accept" } });
    await use();
    const back = await daemon.command("back", { dialog: "accept" }, { tab });
    expect(back.result).toMatchObject({ title: "One", dialog: { type: "beforeunload" } });
    await use();
    const forward = await daemon.command("forward", { dialog: "accept" }, { tab });
    expect(forward.result).toMatchObject({ title: "Two", dialog: { type: "beforeunload" } });

    // Without an answer the user has it, and the call ends by its deadline.
    await use();
    const asked = page.waitForEvent("dialog");
    const left = await daemon.command("refresh", {}, { tab, timeoutMS: 2500 });
    expect(left.error?.code).toBe("timeout");
    await (await asked).dismiss();
  },
);

/** Waits until the page has drawn so many frames that whatever was about to act there has. */
const rested = (page: Page) =>
  page.evaluate(async () => {
    for (let frames = 0; frames < 30; frames++) await new Promise(requestAnimationFrame);
  });

for (const [kind, params] of [
  ["click", { selector: "#pay" }],
  ["click", { selector: "#pay", trusted: "always" }],
  ["click", { selector: "#pay", count: 2 }],
  ["type", { selector: "#field", text: "abc" }],
  ["type", { selector: "#field", text: "abc", trusted: "always" }],
  ["check", { selector: "#box" }],
  ["select", { selector: "#list", value: "b" }],
  ["hover", { selector: "#pay" }],
  ["key_press", { selector: "#pay", text: "Enter" }],
  ["drag", { selector: "#pay", dx: 10 }],
  ["fill_form", { fields: [{ selector: "#field", value: "abc" }] }],
] as const) {
  test(`what still waits when the page shows a dialog is not done, then or later: ${kind} ${JSON.stringify(params)}`, async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { page } = browser;
    await browser.set({ pilot: true });
    await page.goto(
      site.page(
        "/waits",
        `<!doctype html><title>A</title><script>
          window.heard = [];
          for (const name of ["mousedown", "click", "mouseover", "keydown", "input", "change", "focusin"])
            addEventListener(name, () => heard.push(name), true);
          window.later = () => {
            confirm("Your session ends soon");
            document.body.innerHTML = '<button id=pay>Pay</button><input id=field><input id=box type=checkbox><select id=list><option>a<option>b</select>';
          };
        </script>`,
      ),
    );
    const tab = await browser.tab(page);
    const asked = page.waitForEvent("dialog");
    page.on("dialog", () => {});
    const id = daemon.send(kind, params, { tab, timeoutMS: 20_000 });
    await daemon.until("the command is taken", () => daemon.taken.has(id));
    await page.evaluate("void setTimeout(later, 300)");
    const { error } = await daemon.until("the answer", () => daemon.results.get(id));
    expect(error).toMatchObject({
      code: "dialog_open",
      message: expect.stringMatching(/Your session ends soon.*(Nothing was done|No field was filled)\.$/s),
    });
    await (await asked).accept();
    await page.locator("#pay").waitFor();
    await rested(page);
    expect(await page.evaluate("heard")).toEqual([]);
    expect((await daemon.command("click", { selector: "#pay" }, { tab })).error).toBeUndefined();
  });
}

test("an act that is done when a dialog opens gives its own result, and a form what it had filled", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(
    site.page(
      "/own",
      `<!doctype html><title>A</title><button onclick="alert('Sure?')">Ask</button><input id=one oninput="setTimeout(() => alert('Taken'))">`,
    ),
  );
  const tab = await browser.tab(page);
  page.on("dialog", () => {});
  let asked = page.waitForEvent("dialog");
  const clicked = await daemon.command("click", { selector: "text=Ask" }, { tab });
  expect(clicked.result).toMatchObject({
    matched: { label: "Ask" },
    match_strategy: "text",
    dialog: { type: "alert", message: "Sure?" },
    receipt: { busy: [expect.stringContaining("alert")] },
  });
  await (await asked).accept();
  await daemon.until("the dialog is closed", () =>
    daemon.events("lifecycle").find(({ state }) => state === "dialog_closed"),
  );
  asked = page.waitForEvent("dialog");
  const filled = await daemon.command(
    "fill_form",
    {
      fields: [
        { selector: "#one", value: "a" },
        { selector: "#two", value: "b" },
      ],
    },
    { tab },
  );
  expect(filled.error).toMatchObject({
    code: "dialog_open",
    message: expect.stringContaining("The 1 before it is filled."),
  });
  await (await asked).accept();
});

test("a page that was busy until the deadline does nothing afterwards", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(
    site.page(
      "/busy",
      `<!doctype html><title>A</title><script>
        window.heard = [];
        addEventListener("click", () => heard.push("click"), true);
        window.later = (ms) => {
          document.body.innerHTML = "<button id=pay>Pay</button>";
          for (const end = Date.now() + ms; Date.now() < end; );
        };
      </script>`,
    ),
  );
  const tab = await browser.tab(page);
  const id = daemon.send("click", { selector: "#pay" }, { tab, timeoutMS: 3000 });
  await daemon.until("the command is taken", () => daemon.taken.has(id));
  await page.evaluate("void setTimeout(later, 500, 4000)");
  expect((await daemon.until("the answer", () => daemon.results.get(id))).status).toBe("timeout");
  await page.locator("#pay").waitFor();
  await rested(page);
  expect(await page.evaluate("heard")).toEqual([]);
});
