import type { SnapshotParams } from "@gasoline/schema/commands";
import { open } from "./acting.ts";
import { type Browser, brief, expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";
import type { Site } from "./site.ts";

test.use({ host: "node" });

const ROWS = Array.from(
  { length: 60 },
  (_, i) => `<tr><td>Order ${i}</td><td>${i * 3} EUR</td><td><button>Cancel ${i}</button></td></tr>`,
).join("");

/** A shop with a table of sixty rows. */
const SHOP = `<header><a href="/">Shop</a><nav aria-label=Main><ul><li><a href="/new">New</a><li><a href="/sale">Sale</a></ul></nav></header>
  <main><h1>Orders</h1><form aria-label="Search orders"><label>Number <input name=q value="7"></label><label>Password <input type=password value=hunter22></label><button>Search</button></form>
  <table aria-label=Orders><thead><tr><th>Order</th><th>Total</th><th></th></tr></thead><tbody>${ROWS}</tbody></table>
  <h2>Gift</h2><p>Pay with a <b>gift card</b> here.</p><label>Gift card number <input id=gift></label><button onclick="
    const toast = document.createElement('div'); toast.setAttribute('role', 'status'); toast.textContent = 'Gift card added'; document.body.append(toast);
    document.getElementById('cart').textContent = 'Cart (1)'">Add gift card</button><a id=cart href="/cart">Cart (0)</a></main>
  <footer><a href="/imprint">Imprint</a></footer>`;

/** Opens a page; gives what takes snapshots of it. */
async function show(browser: Browser, site: Site, daemon: FakeDaemon, body: string) {
  const { page, run } = await open(browser, site, daemon, body);
  const snap = async (params: SnapshotParams = {}, timeoutMS = 20_000) => {
    const { result, error } = await run("snapshot", params, { timeoutMS });
    expect(error, JSON.stringify(params)).toBeUndefined();
    return result;
  };
  return { page, run, snap };
}

const bytes = (text: string): number => new TextEncoder().encode(text).length;

test("an overview tells the most useful parts first, and folds what is long", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { run, snap } = await show(browser, site, daemon, SHOP);
  const { snapshot, sections, view, cursor, title, viewport } = await snap();
  expect(view).toBe("overview");
  expect(title).toBe("A");
  expect(viewport.width).toBeGreaterThan(0);
  expect(cursor).toMatch(/^s[0-9a-z]{5}$/);
  const list = (await run("list_interactive", {})).result.elements;
  const refOf = (label: string): string => list.find((at) => at.label === label)?.ref ?? "none";
  const table = sections?.find(({ role }) => role === "table");
  expect(table).toMatchObject({ name: "Orders", count: 60 });
  expect(snapshot).toBe(`- main:
  - heading "Orders" [level=1]
  - form "Search orders":
    - textbox "Number" [ref=${refOf("Number")}]: "7"
    - textbox "Password" [ref=${refOf("Password")}]: ••••••
    - button "Search" [ref=${refOf("Search")}]
  - table "Orders": 60 rows of "Order Total", first "Order 0 0 EUR Cancel 0", section:"${table?.ref}"
  - heading "Gift" [level=2]
  - text: Pay with a gift card here.
  - textbox "Gift card number" [ref=${refOf("Gift card number")}]
  - button "Add gift card" [ref=${refOf("Add gift card")}]
  - link "Cart (0)" [ref=${refOf("Cart (0)")}]
- banner:
  - link "Shop" [ref=${refOf("Shop")}]
  - navigation "Main":
    - link "New" [ref=${refOf("New")}]
    - link "Sale" [ref=${refOf("Sale")}]
- contentinfo:
  - link "Imprint" [ref=${refOf("Imprint")}]`);
  expect(JSON.stringify(await snap({ elements: true }))).not.toContain("hunter22");
  expect((await run("click", { ref: refOf("Add gift card") })).error).toBeUndefined();
});

test("what lies over the page, what just happened and what is wrong come first", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { snap } = await show(
    browser,
    site,
    daemon,
    `<main><h1>Checkout</h1><form><input aria-label=Mail aria-invalid=true value=x></form><p role=alert>Mail is wrong</p>
     ${"<section><h3>Card</h3><button>Buy</button></section>".repeat(300)}
     <div role=dialog aria-label=Cookies><p>We use cookies</p><button>Accept</button></div></main>`,
  );
  const { snapshot, sections } = await snap();
  expect(snapshot.split("\n").slice(0, 7).join("\n")).toMatch(
    /^- dialog "Cookies":\n {2}- text: We use cookies\n {2}- button "Accept" \[ref=e\d+\]\n- alert: Mail is wrong\n- main:\n {2}- heading "Checkout" \[level=1\]\n {2}- form:$/,
  );
  expect(snapshot).toMatch(/- textbox "Mail" \[ref=e\d+\] \[invalid\]: x/);
  const main = sections?.find(({ role }) => role === "main")?.ref;
  expect(snapshot).toMatch(new RegExp(`\n {2}- … \\d+ more: section:"${main}"$`));
  expect(bytes(snapshot)).toBeLessThanOrEqual(1500);
  const layer = await show(
    browser,
    site,
    daemon,
    `<main><h1>Shop</h1></main><div style="position:fixed;inset:20%;z-index:99;background:#fff">Sale! <button>No thanks</button></div>`,
  );
  expect((await layer.snap()).snapshot).toMatch(
    /^- overlay "Sale! No thanks":\n {2}- text: Sale!\n {2}- button "No thanks" \[ref=e\d+\]\n- main/,
  );
});

test("words are found in roles, names and texts, the best first, at most ten", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { snap, run } = await show(browser, site, daemon, SHOP);
  const one = await snap({ find: "cancel 58" });
  expect(one.snapshot.split("\n")).toHaveLength(1);
  expect(one.snapshot).toMatch(/^- button "Cancel 58" \[ref=e\d+\] \(in table "Orders"\)$/m);
  expect(one).toMatchObject({ view: "find", shown: 1, total: 1 });
  expect(bytes(one.snapshot)).toBeLessThan(100);
  const ref = /\[ref=(e\d+)\]/.exec(one.snapshot)?.[1] ?? "";
  expect((await run("click", { ref })).error).toBeUndefined();
  expect((await snap({ find: "53 159" })).snapshot).toBe('- row: Order 53 159 EUR Cancel 53 (in table "Orders")');
  const many = await snap({ find: "button cancel" });
  expect(many).toMatchObject({ shown: 10, total: 60 });
  expect(await snap({ find: "cancel", limit: 2 })).toMatchObject({ shown: 2, total: 60 });
  const gift = await snap({ find: "gift card" });
  expect(gift.snapshot.split("\n").map((line) => line.replace(/ \[ref=e\d+\]/, ""))).toEqual([
    '- textbox "Gift card number" (in main)',
    '- button "Add gift card" (in main)',
    "- text: Pay with a gift card here. (in main)",
  ]);
  expect(await snap({ find: "nothing such" })).toMatchObject({ shown: 0, total: 0, snapshot: "" });
  expect((await snap({ find: "hunter22" })).total).toBe(0);
});

test("a section is opened by its ref, its role, its name or its heading, as deep as asked", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { snap, run, page } = await show(browser, site, daemon, SHOP);
  const { sections } = await snap();
  const table = sections?.find(({ role }) => role === "table")?.ref ?? "";
  const rows = await snap({ section: table, depth: 1 });
  expect(rows.snapshot.split("\n").slice(0, 3)).toEqual([
    '- table "Orders":',
    "  - row: Order Total",
    "  - row: Order 0 0 EUR Cancel 0",
  ]);
  expect(rows.shown).toBe(61);
  const whole = await snap({ section: table, bytes: 20_000 });
  expect(whole.snapshot).toMatch(
    /\n {2}- row:\n {4}- cell "Order 59"\n {4}- cell "177 EUR"\n {4}- cell "Cancel 59":\n {6}- button "Cancel 59" \[ref=e\d+\]$/,
  );
  const part = await snap({ section: table });
  expect(part.snapshot).toMatch(new RegExp(`- … \\d+ more: section:"${table}"`));
  expect(bytes(part.snapshot)).toBeLessThanOrEqual(5400);
  for (const section of ["form", "Search orders", "form Search orders", 'form "search orders"'])
    expect((await snap({ section })).snapshot, section).toMatch(/^- form "Search orders":\n {2}- textbox "Number"/);
  const gift = (await snap({ section: "Gift" })).snapshot;
  expect(gift).toMatch(/^- heading "Gift" \[level=2\]:\n {2}- text: Pay with/);
  expect(gift).toMatch(/- link "Cart \(0\)" \[ref=e\d+\]:\n {4}- \/url: \/cart$/);
  expect(gift).not.toContain("Imprint");
  expect((await run("snapshot", { section: "Nothing" })).error).toMatchObject({ code: "scope_not_found" });
  expect((await run("snapshot", { section: "e99999999" })).error).toMatchObject({ code: "scope_not_found" });
  expect((await run("snapshot", { section: "a", depth: 1 })).error?.code).toMatch(/ambiguous_target/);
  await page.evaluate(() => document.querySelector("table")?.remove());
  expect((await run("snapshot", { section: table })).error).toMatchObject({ code: "stale_ref" });
});

test("after an act only what changed is told", async ({ daemon, site, browserWithExtension: browser }) => {
  const { snap, run, page } = await show(browser, site, daemon, SHOP);
  const { cursor } = await snap();
  expect(await snap({ since: cursor })).toMatchObject({ view: "delta", snapshot: "", total: 0 });
  await run("click", { selector: "text=Add gift card" });
  const delta = await snap({ since: cursor });
  expect(delta.snapshot.replaceAll(/e\d+/g, "e")).toBe(
    '+ status: Gift card added\n~ link "Cart (1)" [ref=e] (was "Cart (0)")',
  );
  expect(delta).toMatchObject({ added: 1, removed: 0, changed: 1 });
  expect(bytes(delta.snapshot)).toBeLessThan(150);
  await run("type", { selector: "#gift", text: "1234" });
  await page.evaluate(() => {
    document.querySelector("[role=status]")?.remove();
    document.querySelector("nav")?.setAttribute("aria-label", "Top");
    // Rendered anew, with one row less.
    const body = document.querySelector("tbody")!;
    body.innerHTML = body.innerHTML.replace(/<tr><td>Order 7<.*?<\/tr>/s, "");
    document.querySelector("form button")?.setAttribute("disabled", "");
    document.body.append("Plain words");
  });
  const next = await snap({ since: delta.cursor });
  expect(next.snapshot.replaceAll(/e\d+/g, "e").split("\n").sort()).toEqual(
    [
      "+ text: Plain words",
      '- row "Order 7 21 EUR Cancel 7"',
      '- status "Gift card added"',
      '~ button "Search" [ref=e] [disabled] (was not disabled)',
      '~ navigation "Top" [ref=e] (was "Main")',
      '~ textbox "Gift card number" [ref=e] [active]: "1234" (was empty)',
    ].sort(),
  );
  // A dialog that opens is told with what is in it.
  const before = await snap();
  await page.evaluate(() => {
    const dialog = document.createElement("dialog");
    dialog.innerHTML = "<h2>Sure?</h2><button>Yes</button><button>No</button>";
    document.body.append(dialog);
    dialog.showModal();
  });
  expect((await snap({ since: before.cursor })).snapshot.replaceAll(/e\d+/g, "e")).toBe(
    '+ dialog:\n  - heading "Sure?" [level=2]\n  - button "Yes" [ref=e] [active]\n  - button "No" [ref=e]',
  );
  await page.reload();
  const other = await snap({ since: before.cursor });
  expect(other).toMatchObject({ view: "overview", fresh: true });
  expect(other.snapshot).toContain("- main:");
});

test("frames are part of the page", async ({ daemon, site, browserWithExtension: browser }) => {
  const inner = `<title>Deep</title><button>Deep</button>`;
  site.page(
    "/pay",
    `<title>Pay</title><h2>Payment</h2><label>Card <input></label><button>Pay now</button><iframe srcdoc="${inner}"></iframe>`,
  );
  site.page("/same", "<title>Same</title><main><p>Terms of sale</p></main>");
  const { snap, run, page } = await show(
    browser,
    site,
    daemon,
    `<main><h1>Checkout</h1><iframe src="${site.url("/pay", "localhost")}"></iframe><iframe src="/same"></iframe>
     <iframe title=Help srcdoc="<a href='/x'>More help</a>"></iframe><iframe style="display:none" srcdoc="<button>Unseen</button>"></iframe></main>`,
  );
  await page.waitForLoadState("networkidle");
  const { snapshot, cursor, coverage } = await snap();
  expect(coverage).toBeUndefined();
  expect(snapshot.replaceAll(/e\d+/g, "e")).toBe(`- main:
  - heading "Checkout" [level=1]
  - iframe "Pay" [frame=0]:
    - heading "Payment" [level=2]
    - textbox "Card" [ref=e]
    - button "Pay now" [ref=e]
    - iframe "Deep" [frame=1]:
      - button "Deep" [ref=e]
  - iframe "Same" [frame=2]:
    - main: Terms of sale
  - iframe "Help" [frame=3]:
    - link "More help" [ref=e]`);
  const found = await snap({ find: "button deep" });
  expect(found.snapshot).toMatch(/^- button "Deep" \[ref=e\d+\] \(in frame 1\)$/);
  const ref = /ref=(e\d+)/.exec(found.snapshot)?.[1] ?? "";
  expect((await run("click", { ref })).result.matched).toMatchObject({ frame: "1" });
  expect((await snap({ frame: "1" })).snapshot).toBe(`- button "Deep" [ref=${ref}] [active]`);
  await run("type", { selector: "label=Card", text: "4242" });
  expect((await snap({ since: cursor })).snapshot).toMatch(
    /^~ textbox "Card" \[ref=e\d+\].*: "4242" \(was empty\) \(frame 0\)$/m,
  );
  expect((await snap({ section: "Payment" })).snapshot).toMatch(/- iframe "Deep" \[frame=1\]:\n {4}- button "Deep"/);
});

test("a small table is told, with buttons in it and without", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { snap } = await show(
    browser,
    site,
    daemon,
    `<h1>Orders</h1><table><caption>Open</caption><tr><th>Order<th>State<tr><td>7<td>Payment failed</table>
     <table aria-label=Mine><tr><th>Name<th></th><tr><td>Ann<td><button>Delete</button></table>
     <div role=grid aria-label=Days><div role=row><span role=gridcell>Monday</span></div></div>`,
  );
  const { snapshot, sections } = await snap();
  const refOf = (named: string): string => sections?.find(({ name }) => name === named)?.ref ?? "none";
  expect(snapshot).toContain(
    `- table "Open": 1 rows of "Order State", first "7 Payment failed", section:"${refOf("Open")}"`,
  );
  expect(snapshot).toMatch(
    /- table "Mine": 1 rows of "Name", first "Ann Delete".*\n {2}- button "Delete" \[ref=e\d+\]/,
  );
  expect(snapshot).toMatch(/- grid "Days" \[ref=e\d+\]: 1 rows, first "Monday"/);
  expect((await snap({ section: refOf("Open") })).snapshot).toContain("Payment failed");
});

/** One of each role, as pages write them. */
const ROLES = `<header><a href=/a>Home</a></header><nav aria-label=Top><a href=/b>B</a></nav><search aria-label=Site><input type=search aria-label=Words></search>
<main><h1>One</h1><h2>Two <b>bold</b></h2><div role=heading aria-level=3>Three</div>
<button>Plain</button><button aria-label=Labelled>x</button><button disabled>Off</button><button aria-pressed=true>Bold</button><div role=button tabindex=0>Div</div><input type=submit value=Send><input type=button value=Do><input type=reset>
<a href=/c>Link <img alt=pic src=data:,></a><a>no link</a><img alt=Photo src=data:,><img alt="" src=data:,><div role=img aria-label=Drawn></div>
<form aria-label=F><label>Text <input></label><label>Area <textarea>words</textarea></label><label>Mail <input type=email value=a@b.c></label><label>Num <input type=number value=3></label>
<label>Range <input type=range></label><label><input type=checkbox checked> Check</label><label><input type=radio name=r> Radio</label><div role=switch aria-checked=true tabindex=0>Switch</div>
<label>Pick <select><option>One<option selected>Two</select></label><label>Many <select multiple><option>One<option>Two</select></label><input list=d aria-label=Combo><datalist id=d><option>x</datalist>
<fieldset><legend>Set</legend><input aria-label=InSet></fieldset></form>
<ul aria-label=L><li>a<li>b</ul><ol><li>c</ol><dl><dt>term<dd>meaning</dl>
<table><caption>T</caption><tr><th>H<th>I<tr><td>1<td>2</table><div role=grid aria-label=G><div role=row><div role=gridcell>g</div></div></div>
<div role=tablist aria-label=Tabs><div role=tab aria-selected=true tabindex=0>Tab</div></div><div role=tabpanel aria-label=Panel>p</div>
<div role=menu aria-label=M><div role=menuitem tabindex=-1>Item</div><div role=menuitemcheckbox aria-checked=true>Box</div></div>
<ul role=tree aria-label=Tr><li role=treeitem>Leaf</ul><div role=listbox aria-label=Lb><div role=option aria-selected=true>Opt</div></div>
<progress value=3 max=5 aria-label=Prog></progress><div role=slider aria-valuenow=5 aria-label=Slide tabindex=0></div><div role=toolbar aria-label=Tools><button>Cut</button></div>
<article aria-label=Art><header>not a banner</header><footer>nor this</footer></article><section aria-label=Named>s</section><section>unnamed</section><figure aria-label=Fig>f</figure>
<div role=alert>Wrong</div><div role=status>Saved</div><output>7</output><div role=alertdialog aria-label=Ad>x</div><dialog open aria-label=Dl>y</dialog>
<p hidden>hidden</p><p aria-hidden=true>aria hidden</p><p style="visibility:hidden">invisible <b style="visibility:visible"><button>shown in it</button></b></p><div style="display:contents"><button>contents</button></div>
<div style="opacity:0"><button>see-through</button></div><details><summary>Sum</summary><button>closed</button></details></main><aside aria-label=Side>s</aside><footer><a href=/i>Imprint</a></footer>`;

/** Chrome's own words for roles of ARIA. */
const CHROME: Readonly<Record<string, string>> = {
  alertdialog: "alertdialog",
  DisclosureTriangle: "button",
  image: "img",
  DescriptionListTerm: "term",
  DescriptionListDetail: "definition",
  Legend: "",
  ListBoxOption: "option",
};

/** What one of both leaves out, and means nothing for an agent. */
const NOT_COMPARED =
  /^(|text|paragraph|generic|none|StaticText|InlineTextBox|ListMarker|LabelText|RootWebArea|rowgroup|row|caption|Legend|DescriptionList|separator|cell|gridcell|Details|DisclosureTriangleGrouped|sectionheader|sectionfooter|strong|MenuListPopup|option|definition|term|listitem|group|Iframe|list|Pre|LineBreak|Canvas|Section)$/;

test("roles and names are those of Chrome's accessibility tree", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { snap, page } = await show(browser, site, daemon, ROLES);
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const fold = (name: unknown): string => (typeof name === "string" ? name : "").replace(/\s+/g, " ").trim();
  const theirs = nodes
    .filter(
      ({ ignored, role }) => !ignored && !NOT_COMPARED.test(CHROME[role?.value as string] ?? (role?.value as string)),
    )
    .map(({ role, name }) => `${CHROME[role?.value as string] ?? role?.value} ${fold(name?.value)}`.trim());
  const shown: string[] = [];
  for (const section of ["banner", "Top", "Site", "main", "Side", "contentinfo"]) {
    const { snapshot } = await snap({ section, bytes: 30_000 });
    for (const [, role = "", name] of snapshot.matchAll(/^ *- '?(\w+)(?: "((?:[^"\\]|\\.)*)")?/gm))
      if (!NOT_COMPARED.test(role)) shown.push(`${role} ${name ?? ""}`.trim());
  }
  expect(shown.sort()).toEqual(theirs.sort());
  expect(shown.length).toBeGreaterThan(60);
});

test("what is not visible is left out on demand", async ({ daemon, site, browserWithExtension: browser }) => {
  const body = `<main><button>Seen</button><div style="height:0;overflow:hidden"><button style="width:0;height:0;padding:0;border:0"></button></div><button style="display:none">Gone</button></main>`;
  const { snap } = await show(browser, site, daemon, body);
  const buttons = async (params: SnapshotParams) => (await snap(params)).snapshot.match(/- button/g)?.length;
  expect(await buttons({})).toBe(2);
  expect(await buttons({ visible_only: true })).toBe(1);
});

/** Forty elements each, four of them controls. */
const cards = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) =>
      `<section><h3>Card ${i}</h3>${"<div><span>label</span> <em>value</em> <b>more</b></div>".repeat(7)}<p>text <i>${i}</i></p>
       <label>Amount ${i} <input></label><button>Buy <span>item ${i}</span></button><a href="#c${i}">Details of ${i}</a><button aria-label="Remove ${i}">×</button></section>`,
  ).join("");

for (const [what, body, size] of [
  ["20,000 nodes", cards(500), 2500],
  ["50,000 nodes", cards(1250), 6000],
  ["10,000 equal elements", "<button>Same</button>".repeat(10_000), 10_000],
] as const) {
  test(`of ${what} an overview has less than 2 KB, and one is found`, async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { snap } = await show(browser, site, daemon, `<main><h1>Large</h1>${body}<p>The needle</p></main>`);
    const { snapshot, total, partial, cursor } = await snap();
    expect(partial).toBeUndefined();
    expect(total).toBeGreaterThan(size);
    expect(bytes(snapshot)).toBeLessThanOrEqual(1500);
    expect(bytes(snapshot)).toBeGreaterThan(1000);
    expect(snapshot).toMatch(/- … \d+ more: section:"e\d+"$/);
    expect(await snap({ find: "needle" })).toMatchObject({ total: 1, snapshot: "- text: The needle (in main)" });
    expect(await snap({ since: cursor })).toMatchObject({ view: "delta", total: 0 });
  });
}

test("a page of 5,000 levels, and one that never keeps still, are answered in time", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { snap, page } = await show(browser, site, daemon, "<main></main>");
  await page.evaluate(() => {
    let at: Element = document.querySelector("main")!;
    for (let i = 0; i < 5000; i++) {
      const inner = document.createElement("div");
      inner.setAttribute("role", i % 2 === 0 ? "list" : "listitem");
      inner.setAttribute("aria-label", `level ${i}`);
      // Chrome does not survive the layout of so many boxes in each other.
      inner.style.display = "contents";
      at.append(inner);
      at = inner;
    }
    at.innerHTML = "<button>Bottom</button>";
  });
  expect((await snap({ find: "bottom" })).snapshot).toMatch(/- button "Bottom" \[ref=e\d+\]/);
  expect((await snap({ section: "main" })).snapshot).toMatch(/: 4961 inside, section:"e\d+"$/);
  await page.setContent(cards(300));
  await page.evaluate(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      const sections = document.querySelectorAll("section");
      const at = sections[Math.floor(Math.random() * sections.length)];
      at?.replaceWith(at.cloneNode(true));
      port2.postMessage(null);
    };
    port2.postMessage(null);
  });
  const { snapshot } = await snap({}, brief().timeoutMS);
  expect(snapshot).toContain('heading "Card');
});
