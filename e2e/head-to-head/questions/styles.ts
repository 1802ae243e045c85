// Why something is not seen, and which rule wins.
import type { Page } from "@playwright/test";
import { type Question, script, uid } from "./question.ts";

const analyze = (what: string, args: object): Question["gasoline"] => [["analyze", { what, ...args }]];

/** What an agent asks of an element that is not seen, without knowing why. */
const chain = (find: string): Pick<Question, "playwright" | "devtools"> =>
  script(`() => {
  const element = ${find}, lines = [];
  for (let e = element; e; e = e.parentElement) {
    const s = getComputedStyle(e), b = e.getBoundingClientRect();
    lines.push(\`\${e.tagName}#\${e.id}.\${e.className} display: \${s.display}; visibility: \${s.visibility}; opacity: \${s.opacity}; position: \${s.position}; overflow: \${s.overflow}; clip-path: \${s.clipPath}; content-visibility: \${s.contentVisibility}; inert: \${e.inert}; box: \${[b.x, b.y, b.width, b.height].map(Math.round)}\`);
  }
  const b = element.getBoundingClientRect();
  const top = document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2);
  return { visible: element.checkVisibility({ visibilityProperty: true, opacityProperty: true }), viewport: [innerWidth, innerHeight], top: top?.outerHTML.slice(0, 200), lines };
}`);

const hidden = (
  ask: string,
  page: Question["page"],
  selector: string,
  says: RegExp[],
  more: Partial<Question> = {},
): Question => ({
  group: "why it is not seen",
  ask,
  page,
  says,
  gasoline: analyze("computed_styles", { selector }),
  ...chain(`document.querySelector(${JSON.stringify(selector)})`),
  ...more,
});

/** The rules of a property that fit an element, as an agent collects them that has no tool for the cascade. */
const rules = (find: string, property: string): Question["playwright"] =>
  script(`() => {
  const element = ${find}, found = [];
  const walk = (rules, at) => { for (const rule of rules) {
    if (rule.selectorText && element.${property.startsWith("--") ? "closest" : "matches"}(rule.selectorText) && rule.style.getPropertyValue("${property}"))
      found.push(\`\${at} \${rule.selectorText} { ${property}: \${rule.style.getPropertyValue("${property}")} \${rule.style.getPropertyPriority("${property}")} }\`);
    if (rule.cssRules) walk(rule.cssRules, \`\${at} \${rule.cssText.split("{")[0]}\`);
  } };
  for (const sheet of document.styleSheets) try { walk(sheet.cssRules, sheet.href ?? "style") } catch {}
  return { computed: getComputedStyle(element).getPropertyValue("${property}"), inline: element.style.getPropertyValue("${property}"), found };
}`).playwright;

const cascade = (
  ask: string,
  page: Question["page"],
  [selector, find, line]: [selector: string, find: string, line: RegExp],
  property: string,
  says: RegExp[],
  more: Partial<Question> = {},
): Question => ({
  group: "which rule wins",
  ask,
  page,
  says,
  gasoline: analyze("computed_styles", { selector, properties: [property] }),
  playwright: rules(find, property),
  devtools: [
    ["take_snapshot", {}],
    ["get_css_styles", uid(line)],
  ],
  ...more,
});

const PAY: [string, string, RegExp] = ["#pay", 'document.querySelector("#pay")', /button "Pay"/];

export const styles: Question[] = [
  hidden(
    "Why is the button #save not seen?",
    {
      "": `<title>Tabs</title><style>.tab:not(.open) { display: none }</style><div class="tab open">Profile</div>
        <div class=tab id=billing><form><button id=save>Save</button></form></div>`,
    },
    "#save",
    [/billing/, /display: ?none/],
  ),
  hidden(
    "Why is the message #toast not seen?",
    {
      "": `<title>Toast</title><style>#toast { position: fixed; top: 20px; left: -9999px; width: 200px }</style>
        <p>Orders</p><div id=toast role=status>Your order was sent</div>`,
    },
    "#toast",
    [/-9,?9\d\d/],
  ),
  hidden(
    "Why is the button #more not seen?",
    {
      "": `<title>Card</title><style>#card { height: 60px; overflow: hidden } #card p { height: 90px; margin: 0 }</style>
        <div id=card><p>A long story</p><button id=more>More</button></div><p>Below</p>`,
    },
    "#more",
    [/#?card/, /overflow|clip|cut/i],
  ),
  hidden(
    "Why does nothing happen when #order is clicked?",
    {
      "": `<title>Shop</title><main id=shop inert><h1>Shop</h1><button id=order onclick="this.textContent = 'Ordered'">Order</button></main>`,
    },
    "#order",
    [/#?shop[^\n]*inert|inert[^\n]*shop/i],
  ),
  hidden(
    "Why is the note #note not seen?",
    {
      "": `<title>Notes</title><style>.folded { content-visibility: hidden }</style>
        <section id=notes class=folded><p id=note>Call Ada</p></section><p>End</p>`,
    },
    "#note",
    [/#?notes[^\n]*content-visibility: ?hidden|content-visibility: ?hidden[^\n]*#?notes/],
  ),
  hidden("Why is the checkbox Send me news not seen?", "mui", ".MuiAccordionDetails-root input", [
    /MuiCollapse/,
    /visibility: ?hidden|height: ?0|no (size|height)/,
  ]),
  hidden(
    "Why can the button Actions not be clicked?",
    "mui",
    "[aria-haspopup=menu]",
    [/MuiBackdrop|MuiDialog|MuiModal/],
    { before: (page: Page) => page.getByRole("button", { name: "Rename" }).click() },
  ),

  cascade(
    "Which rule gives #pay its background colour?",
    {
      "": `<title>Pay</title><style>@layer base, theme;
        @layer base { button { background-color: rgb(10, 20, 30) !important } }
        @layer theme { #pay.pay { background-color: rgb(40, 50, 60) !important } }
        #pay { background-color: rgb(70, 80, 90) !important }</style><button id=pay class=pay>Pay</button>`,
    },
    PAY,
    "background-color",
    [/rgb\(10, 20, 30\)/, /@layer base|layer:? "?base/],
  ),
  cascade(
    "Where does the colour of #pay come from?",
    {
      "": `<title>Pay</title><style>:root { --brand: rgb(1, 2, 3) } .dark { --brand: rgb(4, 5, 6) } .pay { color: var(--brand) }</style>
        <main class=dark><button id=pay class=pay>Pay</button></main>`,
    },
    PAY,
    "color",
    [/var\(--brand\)/, /rgb\(4, 5, 6\)/, /\.dark/],
    { playwright: [...rules(PAY[1], "color"), ...rules(PAY[1], "--brand")] },
  ),
  cascade(
    "Which rule gives #pay its padding on the left?",
    {
      "": `<title>Pay</title><style>@media (min-width: 100px) { @scope (.card) { button { padding-left: 21px } } }
        @media print { #pay { padding-left: 5px } } button { padding-left: 9px }</style><div class=card><button id=pay>Pay</button></div>`,
    },
    PAY,
    "padding-left",
    [/21px/, /@scope ?\(\.card\)/],
  ),
  cascade(
    "Why is the application's radius of buttons not that of New project?",
    "antd",
    [
      'role=button[name="New project"]',
      '[...document.querySelectorAll("button")].find((b) => b.textContent === "New project")',
      /button "New project"/,
    ],
    "border-radius",
    [/button ?\{|button/, /6px/],
    { before: (page: Page) => page.addStyleTag({ content: "@layer app { button.ant-btn { border-radius: 1px } }" }) },
  ),
  cascade(
    "Why is Actions in capitals although the application says that buttons are not?",
    "mui",
    ["[aria-haspopup=menu]", 'document.querySelector("[aria-haspopup=menu]")', /button "Actions"/i],
    "text-transform",
    [/\.css-[\w-]+/, /uppercase/],
    { before: (page: Page) => page.addStyleTag({ content: "button { text-transform: none }" }) },
  ),
];
