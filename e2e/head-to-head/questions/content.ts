// What is on the page: forms, tables, what it is made with, where it leads, and whether everybody can use it.
import axe from "axe-core";
import type { Page } from "@playwright/test";
import { type Question, script } from "./question.ts";

const analyze = (what: string, args: object = {}): Question["gasoline"] => [["analyze", { what, ...args }]];
const LOOK: Pick<Question, "playwright" | "devtools"> = {
  playwright: [["browser_snapshot", {}]],
  devtools: [["take_snapshot", {}]],
};

/** The rules that axe-core finds broken, each with its count, as a tool may tell them. */
async function axeSays(page: Page): Promise<RegExp[]> {
  const broken = await page.evaluate(`${axe.source}; axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
    violations.filter(({ tags }) => tags.some((tag) => /^wcag/.test(tag))).map(({ id, nodes }) => [id, nodes.length]))`);
  return (broken as [string, number][]).map(
    ([id, count]) =>
      new RegExp(`${id}[^\\n]*\\b${count}\\b|\\b${count}\\b[^\\n]*${id}|${id}[^]{0,600}?Nodes \\(${count}\\)`),
  );
}

/** What fields of forms hold and why the browser would not send them. */
const VALIDITY = `() => [...document.forms].map((form) => ({ form: form.id, valid: form.checkValidity(), fields: [...form.elements].filter((f) => f.willValidate && !f.validity.valid).map((f) => {
  const why = []; for (const key in f.validity) if (f.validity[key]) why.push(key);
  return { name: f.name, value: f.value, why, message: f.validationMessage, pattern: f.pattern, min: f.min, seen: f.checkVisibility() };
}) }))`;

/** The components above an element with what they were given. */
const fiber = (selector: string): string => `() => {
  const element = document.querySelector(${JSON.stringify(selector)}), out = [];
  let fiber = element[Object.keys(element).find((key) => key.startsWith("__reactFiber"))];
  for (; fiber && out.length < 6; fiber = fiber.return) if (typeof fiber.type !== "string" && fiber.type) {
    const props = {}; for (const [key, value] of Object.entries(fiber.memoizedProps ?? {})) props[key] = typeof value === "object" || typeof value === "function" ? typeof value : value;
    out.push({ component: fiber.type.displayName ?? fiber.type.name, props });
  }
  return out;
}`;

const FRAMEWORKS = `() => {
  const root = [...document.querySelectorAll("*")], keys = (e) => Object.keys(e).map((key) => key.replace(/\\$.*/, ""));
  return { react: window.React?.version ?? root.some((e) => keys(e).some((key) => /^__react/.test(key))), vue: root.map((e) => e.__vue_app__?.version).find(Boolean),
    angular: document.querySelector("[ng-version]")?.getAttribute("ng-version"), hook: [...(window.__REACT_DEVTOOLS_GLOBAL_HOOK__?.renderers?.values() ?? [])].map((r) => r.version) };
}`;

export const content: Question[] = [
  {
    group: "forms",
    ask: "What does the button Buy send, and where to?",
    page: {
      "": `<title>Order</title><form id=order action=save method=post><label>E-mail <input name=email value=old@example.com></label>
        <label><input type=checkbox name=news value=yes> News</label><label><input type=checkbox name=gift value=yes checked> Gift</label>
        <label>Price <input name=price value=12 disabled></label><label>Note <input value=nameless></label>
        <label>Size <select name=size><option value=s>Small<option value=l selected>Large</select></label>
        <button name=kind value=save>Save</button> <button id=buy name=kind value=buy formaction=pay>Buy</button></form>
        <label>Coupon <input form=order name=coupon value=TEN></label>`,
    },
    before: (page) => page.getByLabel("E-mail").fill("ada@example.com"),
    says: [
      /email[^]{0,60}ada@example\.com/,
      /coupon[^]{0,30}TEN/,
      /gift[^]{0,30}yes/,
      /size[^]{0,30}\bl\b/,
      /kind[^]{0,30}buy/,
      /\bpay\b/,
    ],
    not: [/"(news|price)"/, /would send [^\n]*(news|price)/],
    gasoline: [...analyze("form_state"), ...analyze("forms")],
    ...script(`() => { const button = document.querySelector("#buy");
      return { action: button.formAction, method: button.formMethod, data: [...new FormData(button.form, button)] }; }`),
  },
  {
    group: "forms",
    ask: "Why does the browser not send the form?",
    page: {
      "": `<title>Join</title><form id=join><label>E-mail <input name=email type=email value=ada required></label>
        <label>Post code <input name=zip pattern="[0-9]{5}" value=12a></label><label>Age <input name=age type=number min=18 value=7></label>
        <label>Name <input name=name required value=Ada></label><button>Join</button></form>`,
    },
    says: [/e-?mail[^]*?(type|@)/i, /(zip|post code)[^]*?pattern/i, /age[^]*?(min|18|underflow)/i],
    gasoline: analyze("form_validation"),
    ...script(VALIDITY),
  },
  {
    group: "forms",
    ask: "Why does Send do nothing, without a message?",
    page: {
      "": `<title>Company</title><form id=company><label>Name <input name=name required value=Acme></label>
        <div style="display:none"><label>VAT number <input name=vat required></label></div><button>Send</button></form>`,
    },
    says: [
      /vat[^]*?(required|valueMissing|empty|fill)/i,
      /hidden|not (seen|shown|visible|focusable)|invisible|"seen": ?false/i,
    ],
    gasoline: analyze("form_validation"),
    ...script(VALIDITY),
  },
  {
    group: "tables",
    ask: "How many rows has the grid, and what does Item 3 cost?",
    page: "aggrid",
    says: [/10,?00[0-2]/, /Item 3\b[^\n]*5831|5831[^\n]*Item 3\b|Item 3"?[^]{0,160}5831/],
    gasoline: analyze("data_table"),
    ...script(`() => { const grid = document.querySelector("[aria-rowcount]");
      return { rows: grid.getAttribute("aria-rowcount"), seen: [...grid.querySelectorAll("[role=row]")].map((row) => row.innerText.replaceAll("\\n", " | ")) }; }`),
  },
  {
    group: "tables",
    ask: "How old is Person 4, and are there more people than the table shows?",
    page: "antd",
    says: [/Person 4\b[^]{0,160}41/, /Next Page|4\\n5"/],
    gasoline: [...analyze("data_table"), ["observe", { what: "page_inventory", find: "page" }]],
    ...script(`() => ({ rows: [...document.querySelectorAll("table tr")].map((row) => row.innerText),
      pages: document.querySelector(".ant-pagination").innerText })`),
  },
  {
    group: "tables",
    ask: "What was sold in the north in the second quarter?",
    page: {
      "": `<title>Sales</title><table><thead><tr><th rowspan=2>Region<th rowspan=2>Quarter<th colspan=2>Sold</tr><tr><th>Lamps<th>Tables</tr></thead>
        <tbody><tr><td rowspan=2>North<td>Q1<td>10<td>4</tr><tr><td>Q2<td>12<td>6</tr><tr><td rowspan=2>South<td>Q1<td>8<td>3</tr><tr><td>Q2<td>9<td>2</tr></tbody></table>`,
    },
    says: [/North[^\n]*Q2[^\n]*12[^\n]*6|North[^]{0,60}rowspan[^]{0,120}Q2[^]{0,60}12[^]{0,40}6/i, /Lamps/],
    gasoline: analyze("data_table"),
    ...script(`() => [...document.querySelectorAll("table tr")].map((row) => [...row.cells].map((cell) =>
      cell.innerText + (cell.rowSpan > 1 ? " (rowspan " + cell.rowSpan + ")" : "") + (cell.colSpan > 1 ? " (colspan " + cell.colSpan + ")" : "")))`),
  },
  {
    group: "what it is made with",
    ask: "Which framework is this, and does the build tell the version?",
    page: "mui",
    // It does not: a version that is told is made up.
    says: [/react(?!": ?false)/i],
    not: [/react[^\n]{0,20}\b\d+\.\d/i],
    gasoline: analyze("page_structure"),
    ...script(FRAMEWORKS),
  },
  {
    group: "what it is made with",
    ask: "Which framework and version is the list made with?",
    page: "vue",
    says: [/vue/i, /3\.5\.45/],
    gasoline: analyze("page_structure"),
    ...script(FRAMEWORKS),
  },
  {
    group: "what it is made with",
    ask: "What was the component of the slider Volume given?",
    page: "mui",
    says: [/value"?[:=] ?\{?30\b/, /aria-label"?[:=] ?"?Volume/],
    gasoline: analyze("page_structure", { selector: ".MuiSlider-root" }),
    ...script(fiber(".MuiSlider-root")),
  },
  {
    group: "what it is made with",
    ask: "What is the state of the list's component?",
    page: "vue",
    says: [/filter"?[:=] ?"?all/, /priority"?[:=] ?"?normal/],
    because: "Of Vue's builds for production no component is told.",
    gasoline: analyze("page_structure", { selector: "main" }),
    ...script(`() => { const root = [...document.querySelectorAll("*")].find((e) => e.__vue_app__);
      return JSON.parse(JSON.stringify((root.__vue_app__._instance ?? root._vnode.component).setupState)); }`),
  },
  {
    group: "the page as a whole",
    ask: "What lies over the page, and what is in it?",
    page: "antd",
    before: async (page) => {
      await page.getByRole("button", { name: "New project" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Create" }).waitFor();
    },
    says: [/dialog[^\n]*New project|New project[^\n]*dialog/i, /Create/],
    gasoline: analyze("page_summary"),
    ...LOOK,
  },
  {
    group: "the page as a whole",
    ask: "What does this user's plan not allow?",
    page: {
      "": `<title>Reports</title><main><h1>Reports</h1><button>Print</button><section aria-label=Export><h2>Export</h2><button disabled>Export as CSV</button><p>Upgrade to Pro to export reports</p></section>
        <section aria-label=Share><h2>Share</h2><button>Share</button></section></main>`,
    },
    says: [/export/i, /\bPro\b/],
    gasoline: analyze("feature_gates"),
    ...LOOK,
  },
  {
    group: "the page as a whole",
    ask: "Where does the page's main navigation lead, and where its footer?",
    page: {
      "": `<title>Site</title><header><nav aria-label=Main><a href=shop>Shop</a> <a href=news>News</a></nav></header>
        <main><h1>Home</h1><p>Read <a href=story>the story</a>.</main><footer><a href=terms>Terms</a> <a href="https://example.org/">Example</a></footer>`,
    },
    says: [/(navigation|nav|Main)[^]*?\bshop\b[^]*?\bnews\b/, /(contentinfo|footer)[^]*?terms/i],
    gasoline: analyze("navigation"),
    ...LOOK,
  },
  {
    group: "the page as a whole",
    ask: "Which links are broken?",
    page: {
      "": `<title>Docs</title><h1 id=top>Docs</h1><a href=guide>Guide</a> <a href=gone>Old guide</a> <a href=guide#install>Install</a> <a href=guide#remove>Remove</a> <a href=#top>Top</a> <a href=#nowhere>Nowhere</a>`,
      guide: `<title>Guide</title><h1 id=install>Install</h1>`,
    },
    because: "Places in other pages are not looked for.",
    says: [/gone[^\n]*404|404[^]*?gone/, /#nowhere/, /#remove/],
    not: [/(missing|broken|no such|404)[^\n]*(#install|#top)/],
    gasoline: analyze("link_health"),
    ...script(`async () => { const bad = [];
      for (const { href } of document.links) { const r = await fetch(href), id = new URL(href).hash.slice(1);
        const page = new DOMParser().parseFromString(await r.text(), "text/html");
        if (!r.ok) bad.push(href + " " + r.status); else if (id && !page.getElementById(id)) bad.push(href + " has no such id"); }
      return bad; }`),
  },
  {
    group: "who can use it",
    ask: "Which rules of accessibility are broken, and how often?",
    page: {
      "": `<html lang=en><title>Shop</title><main><h1>Shop</h1><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width=40 height=40><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width=40 height=40>
        <button></button><input name=q><p style="color:#bbb;background:#fff">Grey on white</p><a href=x></a></main>`,
    },
    says: axeSays,
    gasoline: analyze("accessibility"),
    ...script(`() => ({ imagesWithoutAlt: [...document.querySelectorAll("img:not([alt])")].map((e) => e.outerHTML),
      nameless: [...document.querySelectorAll("button, a[href]")].filter((e) => !e.textContent.trim() && !e.getAttribute("aria-label")).map((e) => e.outerHTML),
      unlabelled: [...document.querySelectorAll("input:not([type=hidden]), select, textarea")].filter((e) => !e.labels.length && !e.getAttribute("aria-label")).map((e) => e.outerHTML) })`),
    devtools: [["lighthouse_audit", { mode: "snapshot" }]],
  },
  {
    group: "who can use it",
    ask: "Which rules of accessibility does this page of a library break?",
    page: "antd",
    says: axeSays,
    gasoline: analyze("accessibility"),
    ...script(`() => ({ imagesWithoutAlt: [...document.querySelectorAll("img:not([alt])")].map((e) => e.outerHTML),
      nameless: [...document.querySelectorAll("button, a[href]")].filter((e) => !e.textContent.trim() && !e.getAttribute("aria-label")).map((e) => e.outerHTML),
      unlabelled: [...document.querySelectorAll("input:not([type=hidden]), select, textarea")].filter((e) => !e.labels.length && !e.getAttribute("aria-label")).map((e) => e.outerHTML) })`),
    devtools: [["lighthouse_audit", { mode: "snapshot" }]],
  },
  {
    group: "what changed",
    ask: "What is different after the reload?",
    page: {
      "": `<title>Lamp</title><h1>Lamp</h1><p id=price>12 €</p><p id=stock>In stock</p><button>Buy</button>`,
    },
    change: (page) => page.evaluate(() => void (document.querySelector("#stock")!.textContent = "Sold out")),
    says: [/Sold out|#stock/],
    gasoline: [
      ["analyze", { what: "visual_baseline", name: "lamp", overwrite: true }],
      "change",
      ["analyze", { what: "visual_diff", baseline: "lamp" }],
    ],
    playwright: [["browser_snapshot", {}], "change", ["browser_snapshot", {}]],
    devtools: [["take_snapshot", {}], "change", ["take_snapshot", {}]],
  },
];
