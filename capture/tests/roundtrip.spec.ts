import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { bundle, expect, test } from "./support/fixture.ts";
import type { Locators } from "./support/locators-entry.ts";
import type { TestServer } from "./support/server.ts";
import { NASTY } from "./support/nasty.ts";

declare const locators: Locators;

const script = bundle("./locators-entry.ts");

async function open(page: Page, server: TestServer, html: string): Promise<void> {
  await page.addInitScript({ content: await script });
  await page.goto(server.page(`<!doctype html><meta charset=utf-8>${html}`));
}

/** Checks every element of the page. Returns how many there are. */
async function roundTrip(page: Page): Promise<number> {
  const { count, wrong } = await page.evaluate(() => {
    const all = locators.everything().filter((element) => !element.closest("head, script, style"));
    return { count: all.length, wrong: all.flatMap((element) => locators.wrongs(element)) };
  });
  expect(wrong.slice(0, 20)).toEqual([]);
  return count;
}

test("what the recorder prints for ordinary elements, the engine finds", async ({ page, server }) => {
  await open(
    page,
    server,
    `<button>Say "hello"</button><button>Items [3]</button><button>C:\\temp</button><button>Pay <b>now</b></button>
     <button aria-label="two
     lines">x</button><a href="#">שלום</a><button>Save 💾</button><label>Your "name" <input></label>
     <x-box></x-box><div id=closed></div><input placeholder='it"s'><p data-testid='a"b\\c'>x</p><button><i>Inner</i></button>
     <script>document.querySelector("x-box").attachShadow({ mode: "open" }).innerHTML = "<button>In [the] shadow</button>";
     document.querySelector("#closed").attachShadow({ mode: "closed" }).innerHTML = "<button>Behind</button>";</script>`,
  );
  expect(await roundTrip(page)).toBeGreaterThan(15);
  const named = await page.evaluate(() =>
    locators
      .found("role=button")
      .map((element) => locators.run(locators.locate(locators.sketchOf(element), locators.roots))[0]),
  );
  // Each is found by its name, not only by a path.
  expect(named.map((best) => best?.kind)).toEqual(named.map(() => "role"));
});

test("what the recorder prints for elements of generated pages, the engine finds", async ({ page, server }) => {
  let checked = 0;
  for (let seed = 1; seed <= 12; seed++) {
    await open(page, server, `<body></body><script>(${NASTY.toString()})(${seed})</script>`);
    checked += await roundTrip(page);
  }
  expect(checked).toBeGreaterThan(1500);
});

for (const file of [
  "examples/shop/web/public/index.html",
  "extension/popup/popup.html",
  "extension/options/options.html",
]) {
  test(`what the recorder prints in ${file}, the engine finds`, async ({ page, server }) => {
    const html = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").replace(/<script[^]*?<\/script>/g, "");
    await open(page, server, html);
    expect(await roundTrip(page)).toBeGreaterThan(8);
  });
}

test("what the recorder prints while a page renders itself anew, the engine finds", async ({ page, server }) => {
  await open(
    page,
    server,
    `<main></main><script>
      // A small renderer with a state, keyed rows that are used again, and text nodes beside each other.
      let state = { rows: [1, 2, 3], open: null, filter: "" };
      const h = (tag, props, ...children) => Object.assign(document.createElement(tag), props, {}) && (() => {
        const element = Object.assign(document.createElement(tag), props);
        element.append(...children.flat());
        return element;
      })();
      const set = (change) => { state = { ...state, ...change }; render(); };
      window.set = set;
      function render() {
        const rows = state.rows.map((id) => h("li", { className: "row css-" + (id * 7919).toString(36) },
          h("span", {}, "Item ", String(id)), h("button", { onclick: () => set({ open: id }) }, "Edit ", h("em", {}, "item")),
          h("button", { title: "Delete " + id, onclick: () => set({ rows: state.rows.filter((x) => x !== id) }) }, "×")));
        const dialog = state.open === null ? [] : [h("div", { role: "dialog", ariaLabel: "Edit" }, h("h2", {}, "Edit ", String(state.open)),
          h("label", {}, "Name", h("input", { name: "n" })), h("button", { onclick: () => set({ open: null }) }, "Close"))];
        document.querySelector("main").replaceChildren(h("ul", {}, rows), h("p", {}, String(state.rows.length), " items"), ...dialog);
      }
      render();
    </script>`,
  );
  let checked = 0;
  for (const change of [{}, { open: 2 }, { rows: [3, 2, 5, 8, 13], open: null }, { rows: [] }, { rows: [1, 1, 1] }]) {
    await page.evaluate((to) => (globalThis as unknown as { set(c: object): void }).set(to), change);
    checked += await roundTrip(page);
  }
  expect(checked).toBeGreaterThan(80);
});

test("what the recorder prints in components with slots, the engine finds", async ({ page, server }) => {
  await open(
    page,
    server,
    `<x-card><h3 slot=title>Order "7"</h3><x-button>Pay</x-button><x-button>Cancel</x-button></x-card>
     <x-card><h3 slot=title>Order "8"</h3><x-button>Pay</x-button></x-card><x-field label="E-mail"></x-field><x-field label="Name"></x-field>
     <script>
      const define = (name, mode, html) => customElements.define(name, class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode }).innerHTML = html(this); }
      });
      define("x-button", "open", () => "<button class=inner><slot></slot></button>");
      define("x-card", "closed", () => "<section aria-label=Card><slot name=title></slot><div class=body><slot></slot></div><button>More</button></section>");
      define("x-field", "open", (host) => "<label>" + host.getAttribute("label") + " <input></label>");
     </script>`,
  );
  expect(await roundTrip(page)).toBeGreaterThan(25);
});

test("what the recorder prints in a table with an editor, the engine finds", async ({ page, server }) => {
  const rows = Array.from(
    { length: 30 },
    (_, i) =>
      `<tr><th scope=row>Row ${i}</th><td><input type=checkbox aria-label="Choose row ${i}"></td><td contenteditable>${i % 3}</td>
       <td><select aria-label=Status><option>Open<option${i % 2 ? " selected" : ""}>Done</select></td><td><a href="#${i}">Details</a></td></tr>`,
  );
  await open(
    page,
    server,
    `<table><caption>Orders</caption>${rows.join("")}</table><menu><li><button>Up</button><li><button>Down</button></menu>`,
  );
  expect(await roundTrip(page)).toBeGreaterThan(300);
});

// Chromium itself cannot lay out trees that are much deeper than 2,000 elements; what it does not show can be.
test("names of 10,000 characters and deep trees stay within bounds", async ({ page, server }) => {
  await open(
    page,
    server,
    `<button id=long></button><button id=other></button><div id=deep></div><div id=deeper style="display:none"></div><script>
      document.querySelector("#long").textContent = "word ".repeat(2000);
      document.querySelector("#other").textContent = "word ".repeat(20) + "other ".repeat(2000);
      for (const [id, depth] of [["#deep", 2000], ["#deeper", 5000]]) {
        let at = document.querySelector(id);
        for (let i = 0; i < depth; i++) at = at.appendChild(document.createElement("div"));
        at.innerHTML = "<button>Bottom of " + id + "</button><i></i>";
      }
    </script>`,
  );
  const told = await page.evaluate(() => {
    const wrong = ["#long", "#other", "#deep button", "#deeper button"].flatMap((selector) =>
      locators.wrongs(document.querySelector(selector)!),
    );
    const bottom = locators.found("text=Bottom of #deeper").map((element) => element.localName);
    // Both trees end alike, and no path of 64 steps tells one from the other.
    const path = locators.cssPath(document.querySelector("#deep i")!);
    const top = locators.cssPath(document.querySelector("#deeper div")!);
    const name = new locators.Names().of(document.querySelector("#long")!);
    return { wrong, bottom, path, top, name: name.length };
  });
  expect(told).toEqual({ wrong: [], bottom: ["button"], path: "", top: "#deeper > div", name: 200 });
});
