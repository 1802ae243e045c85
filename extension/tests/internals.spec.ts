import { type Browser, brief, expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";
import type { Site } from "./site.ts";

test.use({ host: "node" });

/** Components that say what they are by their internals alone. */
const PAGE = `<!doctype html><meta charset=utf-8><title>Settings</title>
  <x-button id=save></x-button> <x-switch id=mail></x-switch> <x-field id=nick></x-field>
  <x-later id=later></x-later> <x-part id=part></x-part> <x-inner></x-inner> <x-off id=off></x-off>
  <p id=words>Delete <b>everything</b></p><x-named id=named></x-named><p id=out></p>
  <script>
    const define = (tag, make) => customElements.define(tag, class extends HTMLElement {
      static formAssociated = true;
      constructor() { super(); make(this, this.attachInternals()); }
    });
    const square = "<span style='display:inline-block;width:40px;height:20px;background:#999'></span>";
    const draw = (at, mode = "open") => (at.attachShadow({ mode }).innerHTML = square);
    define("x-button", (at, own) => {
      own.role = "button"; own.ariaLabel = "Save changes";
      draw(at, "closed"); at.onclick = () => (out.textContent = "saved");
    });
    define("x-switch", (at, own) => {
      own.role = "switch"; own.ariaLabel = "Notifications"; own.ariaChecked = "false"; at.tabIndex = 0; draw(at);
      at.onclick = () => setTimeout(() => (own.ariaChecked = String(own.ariaChecked !== "true")), 30);
    });
    define("x-field", (at, own) => {
      own.role = "textbox"; own.ariaLabel = "Nickname";
      at.attachShadow({ mode: "open", delegatesFocus: true }).innerHTML = "<input>";
    });
    define("x-named", (at, own) => {
      own.role = "button"; own.ariaLabelledByElements = [words]; draw(at); at.onclick = () => (out.textContent = "deleted");
    });
    define("x-off", (at, own) => { own.role = "button"; own.ariaLabel = "Locked"; own.ariaDisabled = "true"; draw(at); });
    define("x-part", (at, own) => {
      const root = at.attachShadow({ mode: "closed" });
      root.innerHTML = "<x-button></x-button>";
    });
    define("x-inner", (at, own) => {
      const root = at.attachShadow({ mode: "open" });
      root.innerHTML = "<b>Inside</b>" + square; own.role = "checkbox"; own.ariaLabelledByElements = [root.firstChild];
    });
    let late;
    customElements.define("x-later", class extends HTMLElement {
      connectedCallback() { late = this.attachInternals(); draw(this); }
    });
  </script>`;

async function open(browser: Browser, site: Site, daemon: FakeDaemon, html = PAGE) {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(site.page("/settings", html));
  const tab = await browser.tab(page);
  const run: typeof daemon.command = (kind, params, more) => daemon.command(kind, params, { tab, ...more });
  return { page, run };
}

test("what a component sets on its internals is its role, its name and its state", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon);
  const { result } = await run("list_interactive", {});
  const told = result.elements.map(({ tag, role, label, checked, disabled }) => [tag, role, label, checked, disabled]);
  expect(told).toContainEqual(["x-button", "button", "Save changes", undefined, undefined]);
  expect(told).toContainEqual(["x-switch", "switch", "Notifications", false, undefined]);
  expect(told).toContainEqual(["x-field", "textbox", "Nickname", undefined, undefined]);
  expect(told).toContainEqual(["x-named", "button", "Delete everything", undefined, undefined]);
  expect(told).toContainEqual(["x-inner", "checkbox", "Inside", undefined, undefined]);
  expect(told).toContainEqual(["x-off", "button", "Locked", undefined, true]);
  // One more of it stands in a shadow root.
  expect(told.filter(([tag]) => tag === "x-button")).toHaveLength(2);
  expect(told.map(([tag]) => tag)).not.toContain("x-later");

  await page.evaluate("late.role = 'link'; late.ariaLabel = 'Help'; 0");
  const again = (await run("list_interactive", { role: "link" })).result;
  expect(again.elements.map(({ label }) => label)).toEqual(["Help"]);
});

test("a component is found by its role and name, clicked, and checked", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon);
  await run("click", { selector: 'role=button[name="Delete everything"]' });
  await expect(page.locator("#out")).toHaveText("deleted");
  await run("click", { selector: 'role=button[name="Save changes"]', nth: 0 });
  await expect(page.locator("#out")).toHaveText("saved");
  expect((await run("query", { selector: "label=Nickname", query_type: "exists" })).result.count).toBe(1);

  const on = await run("check", { selector: "role=switch" });
  expect(on).toMatchObject({ result: { value: "true" } });
  expect((await run("query", { selector: "role=switch[checked]", query_type: "exists" })).result.count).toBe(1);
  const off = await run("check", { selector: "role=switch", checked: false });
  expect(off).toMatchObject({ result: { value: "false" } });
  const locked = await run("click", { selector: 'role=button[name="Locked"]' }, brief());
  expect(locked.error?.code).toBe("not_actionable");

  const { result } = await run("locators", { selector: "#mail" });
  expect(result).toMatchObject({ role: "switch", name: "Notifications" });
  expect(result.selectors).toContain('role=switch[name="Notifications"]');
});

test("an overview tells components by their internals", async ({ daemon, site, browserWithExtension }) => {
  const { run } = await open(browserWithExtension, site, daemon);
  await run("check", { selector: "role=switch" });
  const { snapshot } = (await run("snapshot", {})).result;
  expect(snapshot).toMatch(/switch "Notifications".*checked/);
  expect(snapshot).toContain('button "Save changes"');
  expect(snapshot).toMatch(/button "Locked".*disabled/);
});

test("a page does not notice that its internals are read", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<!doctype html><title>Watching</title><x-watch></x-watch><script>
      const seen = [];
      const { prototype } = ElementInternals;
      customElements.define("x-watch", class extends HTMLElement {
        constructor() {
          super();
          const own = this.attachInternals();
          own.role = "button";
          own.ariaLabel = "Real";
          Object.defineProperty(own, "ariaLabel", { get() { seen.push("own"); return "Fake"; } });
          this.attachShadow({ mode: "open" }).innerHTML = "<span style='display:inline-block;width:9px;height:9px'></span>";
          try { this.attachInternals(); } catch (error) { seen.push(error.name); }
        }
      });
      Object.defineProperty(prototype, "role", { get() { seen.push("role"); return "link"; } });
      Array.prototype[Symbol.iterator] = new Proxy(Array.prototype[Symbol.iterator], {
        apply(target, self, args) { if (self.some?.((at) => at instanceof Event)) seen.push("array"); return Reflect.apply(target, self, args); },
      });
      const { dispatchEvent } = EventTarget.prototype;
      EventTarget.prototype.dispatchEvent = function (event) { seen.push(event.type); return dispatchEvent.call(this, event); };
      document.title = String(HTMLElement.prototype.attachInternals) + HTMLElement.prototype.attachInternals.name;
    </script>`,
  );
  const { result } = await run("list_interactive", {});
  expect(result.elements).toMatchObject([{ tag: "x-watch", role: "button", label: "Real" }]);
  expect(await page.evaluate("seen")).toEqual(["NotSupportedError"]);
  expect(await page.title()).toBe("function attachInternals() { [native code] }attachInternals");
});

test("signs that nobody sees do not keep a text from being found", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<!doctype html><meta charset=utf-8><title>Signs</title><h1>Donau&shy;dampf&shy;schiff</h1>
     <button onclick="out.textContent='a'">Ver&shy;sand&shy;kosten</button>
     <button onclick="out.textContent='b'">Check&#8203;out&#8288; now</button>
     <button aria-label="&#8206;Clo&#173;se&#8207;">x</button><label>Post&shy;leit&shy;zahl <input placeholder="PL&#8203;Z"></label>
     <select aria-label=Unit><option>Kilo<option>Kilo&shy;meter</select><button>می&zwnj;خواهم</button><p id=out></p>`,
  );
  const { result } = await run("list_interactive", {});
  expect(result.elements.map(({ label }) => label)).toEqual([
    "Versandkosten",
    "Checkout now",
    "Close",
    "Postleitzahl",
    "Unit",
    "می\u200cخواهم",
  ]);
  for (const selector of [
    "text=Versandkosten",
    'text="Donaudampfschiff"',
    "text=checkout",
    'role=button[name="Versandkosten"]',
    "role=button[name=Close]",
    "label=Postleitzahl",
    "placeholder=PLZ",
    "role=heading[name=Donaudampfschiff]",
    // As it stands in the page.
    "text=Ver\u00adsand\u00adkosten",
    'role=button[name="Check\u200bout\u2060 now"]',
    "text=می\u200cخواهم",
  ])
    expect((await run("query", { selector, query_type: "exists" })).result.count, selector).toBe(1);
  expect((await run("query", { selector: "text=میخواهم", query_type: "exists" })).result.count).toBe(0);
  expect((await run("list_interactive", { text_contains: "sandkos" })).result.elements).toHaveLength(1);
  expect((await run("wait_for", { text: "Donaudampfschiff" })).error).toBeUndefined();
  await run("click", { selector: "text=Checkout" });
  await expect(page.locator("#out")).toHaveText("b");
  await run("select", { selector: "label=Unit", value: "Kilometer" });
  expect(await page.locator("select").evaluate((at: HTMLSelectElement) => at.selectedIndex)).toBe(1);
});
