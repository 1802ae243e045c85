// Every kind of command once in the extension itself, in a real page: most of their tests have the worker in Node.
import { QUESTIONS, type CommandKind, type Commands, type Question } from "@gasoline/schema/commands";
import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

/** Kinds whose own tests have the extension: clipboard, state, draw, film. */
type Elsewhere =
  | "clipboard_read"
  | "clipboard_write"
  | "save_state"
  | "state_part"
  | "state_put"
  | "load_state"
  | "draw_mode_start"
  | "screen_recording_start"
  | "screen_recording_stop";

/** Kinds that are called with what the ones before gave. */
type After = "close_tab" | "switch_tab" | "activate_tab";

type Walk = {
  [K in Exclude<CommandKind, Elsewhere | After | Question>]: [params: Commands[K]["params"], result: object];
};

const PAGE = `<title>A</title><h1>Shop</h1><p id=text>words of the page</p>
  <label>Name <input id=name></label><label><input type=checkbox> Gift</label>
  <select aria-label=Size><option>Small<option>Large</select><input type=file>
  <form onsubmit="event.preventDefault(); text.textContent = 'sent'"><label>Mail <input name=mail></label><button>Send</button></form>
  <div id=slider style="width:40px;height:20px;background:navy"></div>
  <button onclick="box.hidden = false">New message</button>
  <div id=box role=dialog aria-label=Message hidden><textarea aria-label=Text></textarea><button onclick="box.hidden = true">Send message</button></div>
  <script>
    const dialog = (label, button, style) => document.body.insertAdjacentHTML("beforeend",
      '<div role=dialog aria-modal=true aria-label="' + label + '" style="position:fixed;inset:20px;background:#fff;z-index:9;' + style + '"><p>' +
      label + '</p><button onclick="this.parentNode.remove()">' + button + '</button></div>');
    const banner = () => document.body.insertAdjacentHTML("beforeend",
      '<div class="cookie-banner" style="position:fixed;left:0;right:0;bottom:0;background:#eee">We use cookies <button onclick="this.parentNode.remove()">Reject all</button></div>');
  </script>`;

const ACT = { receipt: expect.any(Object) };

test("every kind of command is carried out", async ({ daemon, site, browserWithExtension: browser }) => {
  site.page("/two", "<title>Two</title>two");
  const { page, run } = await open(browser, site, daemon, PAGE);
  const walk: Walk = {
    get_text: [{ selector: "#text" }, { value: "words of the page" }],
    get_value: [{ selector: "#name" }, { value: "" }],
    get_attribute: [{ selector: "#text", name: "id" }, { value: "text" }],
    query: [{ selector: "h1" }, {}],
    get_readable: [{}, {}],
    get_markdown: [{}, {}],
    wait_for: [{ selector: "h1" }, {}],
    wait_for_stable: [{ stability_ms: 100 }, {}],
    execute_js: [{ script: "document.title" }, { result: "A" }],
    list_interactive: [{}, { elements: expect.any(Array) }],
    snapshot: [{}, { snapshot: expect.stringContaining("Shop") }],
    action_diff: [{}, {}],
    screenshot: [{}, { width: 1280 }],
    accessibility: [{}, {}],
    ask_links: [{ urls: [site.url("/two")] }, { links: [{ status: 200, page: expect.stringContaining("Two") }] }],
    storage: [{}, {}],
    indexeddb: [{ database: "shop", store: "things" }, {}],
    locate: [{ selectors: ["#text"] }, {}],
    locators: [{ selector: "#text" }, {}],
    flush: [{}, { frames: 1 }],
    click: [
      { selector: "h1", trusted: "always" },
      { ...ACT, trusted: true },
    ],
    type: [
      { selector: "#name", text: "Ada" },
      { ...ACT, value: "Ada" },
    ],
    paste: [{ selector: "#name", text: "!" }, ACT],
    select: [{ selector: "label=Size", value: "Large" }, ACT],
    check: [{ selector: "label=Gift" }, ACT],
    key_press: [{ selector: "#name", text: "End" }, ACT],
    scroll_to: [{ selector: "h1" }, {}],
    scroll_position: [{ top: 0 }, {}],
    hover: [{ selector: "h1" }, ACT],
    focus: [{ selector: "#name" }, ACT],
    highlight: [{ selector: "h1" }, {}],
    subtitle: [{ text: "said" }, {}],
    set_attribute: [{ selector: "h1", name: "lang", value: "en" }, ACT],
    fill_form: [{ fields: [{ selector: "label=Mail", value: "a@b.test" }] }, ACT],
    fill_form_and_submit: [{ fields: [{ selector: "label=Mail", value: "c@d.test" }] }, ACT],
    upload: [
      {
        selector: "[type=file]",
        files: [
          {
            path: "/nowhere/a.txt",
            name: "a.txt",
            type: "text/plain",
            size: 1,
            modified: 1,
            inline: true,
            data: "YQ==",
          },
        ],
      },
      ACT,
    ],
    drag: [
      { selector: "#slider", dx: 20 },
      { ...ACT, trusted: true },
    ],
    open_composer: [{}, ACT],
    submit_active_composer: [{}, ACT],
    dismiss_top_overlay: [{}, ACT],
    confirm_top_dialog: [{}, ACT],
    auto_dismiss_overlays: [{}, ACT],
    set_storage: [{ key: "k", value: "v" }, {}],
    delete_storage: [{ key: "k" }, {}],
    clear_storage: [{}, {}],
    set_cookie: [{ name: "c", value: "v" }, {}],
    delete_cookie: [{ name: "c" }, {}],
    navigate: [{ url: site.url("/two") }, { title: "Two" }],
    back: [{}, { title: "A" }],
    forward: [{}, { title: "Two" }],
    refresh: [{}, { title: "Two" }],
    new_tab: [{ url: site.url("/two") }, { title: "Two" }],
  };
  /** What has to be in the page before a kind is carried out. */
  const before: Partial<Record<CommandKind, string>> = {
    indexeddb: `new Promise((done) => { const asked = indexedDB.open("shop");
      asked.onupgradeneeded = () => asked.result.createObjectStore("things"); asked.onsuccess = () => (asked.result.close(), done()); })`,
    submit_active_composer: `void (document.querySelector("textarea").value = "hello")`,
    dismiss_top_overlay: `dialog("News", "Close")`,
    confirm_top_dialog: `dialog("Delete it?", "OK")`,
    auto_dismiss_overlays: "banner()",
  };
  // Some need an element, and say so.
  for (const kind of QUESTIONS) {
    const { error, result } = await run(kind, {} as never);
    if (error) expect(error.code, kind).toBe("missing_target");
    else expect(result, kind).toMatchObject({ title: "A", documents: [{ answer: expect.any(Object) }] });
  }
  let opened = 0;
  for (const [kind, [params, result]] of Object.entries(walk) as [keyof Walk, [object, Record<string, unknown>]][]) {
    const first = before[kind];
    if (first !== undefined) await page.evaluate(first);
    const done = await run(kind, params as never, kind === "new_tab" ? { tab: 0 } : {});
    expect(done.error, kind).toBeUndefined();
    expect(done.result, kind).toMatchObject(result);
    if (kind === "new_tab") opened = (done.result as Commands["new_tab"]["result"]).tab;
  }
  for (const kind of ["switch_tab", "activate_tab", "close_tab"] as const)
    expect((await daemon.command(kind, {}, { tab: opened })).error, kind).toBeUndefined();
  await expect.poll(() => browser.context.pages()).toEqual([page]);
});
