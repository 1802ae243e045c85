import { afterEach, describe, expect, test, vi } from "vitest";
import { own } from "../../dom-agent/own.ts";
import { worker } from "./setup.ts";
import { asked, book, pausesEach, pausesOf, put, shadow, within } from "./world.ts";

// What a document is made of: dom, feature_gates, page_summary, page_structure and visual.

afterEach(() => {
  worker.answer = null;
  vi.unstubAllGlobals();
  history.replaceState(null, "", location.pathname);
});

describe("elements", () => {
  const CARDS = `<div class=card id=one data-x=1 role=group><b>Bold</b> text <x-a></x-a><i hidden>gone</i></div><div class=card>two</div>`;
  test("are told as the document has them", async () => {
    put(`<style>.card { --gap: 4px; color: rgb(1, 2, 3); width: 100px; height: 20px; margin: 0 }</style>${CARDS}`);
    shadow(document.querySelector("x-a")!, "<em>deep</em>", "closed");
    expect(await asked("dom", { selector: ".card", include_children: true, properties: ["--gap", "color"] })).toEqual({
      matches: [
        {
          ref: "e1",
          tag: "div",
          role: "group",
          text: "text",
          visible: true,
          attributes: { class: "card", id: "one", "data-x": "1", role: "group" },
          children: [
            { tag: "b", text: "Bold", visible: true },
            { tag: "x-a", visible: true, shadow: "closed", children: [{ tag: "em", text: "deep", visible: true }] },
            { tag: "i", text: "gone", visible: false, attributes: { hidden: "" } },
          ],
          bounding_box: { x: 8, y: 8, width: 100, height: 20 },
          styles: { "--gap": "4px", color: "rgb(1, 2, 3)" },
        },
        {
          ref: "e2",
          tag: "div",
          text: "two",
          visible: true,
          attributes: { class: "card" },
          bounding_box: { x: 8, y: 28, width: 100, height: 20 },
          styles: { "--gap": "4px", color: "rgb(1, 2, 3)" },
        },
      ],
      match_count: 2,
      returned_count: 2,
    });
    expect(
      (await asked("dom", { selector: "#one", include_children: true, max_depth: 1 })).matches[0]!.children,
    ).toEqual([
      { tag: "b", text: "Bold", visible: true },
      { tag: "x-a", visible: true, shadow: "closed", more_children: 1 },
      { tag: "i", text: "gone", visible: false, attributes: { hidden: "" } },
    ]);
    expect((await asked("dom", { selector: "#one" })).matches[0]).toEqual({
      ref: "e1",
      tag: "div",
      role: "group",
      text: "Bold text gone",
      visible: true,
      attributes: { class: "card", id: "one", "data-x": "1", role: "group" },
      more_children: 3,
      bounding_box: { x: 8, y: 8, width: 100, height: 20 },
    });
    expect((await asked("dom", { selector: "b", include_styles: true })).matches[0]!.styles).toEqual({
      display: "inline",
      position: "static",
      visibility: "visible",
      opacity: "1",
      color: "rgb(1, 2, 3)",
      "background-color": "rgba(0, 0, 0, 0)",
      "font-size": "16px",
      "font-weight": "700",
      width: "auto",
      height: "auto",
      margin: "0px",
      padding: "0px",
    });
  });
  test("are cut where there are many", async () => {
    put("<p>x</p>".repeat(60));
    const count = async (params: object) => {
      const { matches, match_count, returned_count } = await asked("dom", { selector: "p", ...params });
      return [matches.length, match_count, returned_count];
    };
    expect([await count({}), await count({ limit: 1 }), await count({ limit: 99 })]).toEqual([
      [20, 60, 20],
      [1, 60, 1],
      [50, 60, 50],
    ]);
    put(`<main>${"<i>x</i>".repeat(31)}</main>`);
    expect((await asked("dom", { selector: "main", include_children: true })).matches[0]).toMatchObject({
      children: { length: 30 },
      more_children: 1,
    });
    put(`<main>${`<div>${`<p>${"<b>x</b>".repeat(30)}</p>`.repeat(30)}</div>`}</main>`);
    const { children_cut: cut, matches } = await asked("dom", { selector: "main", include_children: true });
    expect([cut, JSON.stringify(matches).match(/"tag"/g)!.length]).toEqual([true, 513]);
    put(`<main>${`<div>${"<b>x</b>".repeat(5)}</div>`}</main>`);
    expect((await asked("dom", { selector: "main", include_children: true })).children_cut).toBeUndefined();
    // 500 elements are all that there are.
    const full = `<main>${`<div>${"<b>x</b>".repeat(30)}</div>`.repeat(16)}<p></p><p></p>`;
    put(full);
    expect((await asked("dom", { selector: "main", include_children: true })).children_cut).toBeUndefined();
    put(`${full}<p></p>`);
    expect((await asked("dom", { selector: "main", include_children: true })).children_cut).toBeUndefined();
    put(`${full}<p></p></main><main><p></p></main>`);
    expect((await asked("dom", { selector: "main", include_children: true })).children_cut).toBe(true);
    put(`<main><div><p><b><i>deep</i></b></p></div></main>`);
    expect(
      JSON.stringify(await asked("dom", { selector: "main", include_children: true })).match(/"tag"/g),
    ).toHaveLength(4);
    put(
      `<p x ${Array.from({ length: 31 }, (_, i) => `a${i}=1`).join(" ")}>${"t".repeat(501)}</p><b title="${"v".repeat(301)}" style="--a:${"v".repeat(301)}">o<i></i></b>`,
    );
    const [first] = (await asked("dom", { selector: "p" })).matches;
    expect([Object.keys(first!.attributes!).length, first!.text!.length]).toEqual([30, 500]);
    const [second] = (await asked("dom", { selector: "b", properties: ["--a"] })).matches;
    expect([second!.attributes!["title"]!.length, second!.styles!["--a"]!.length]).toEqual([300, 300]);
    put(`<p>${"t".repeat(501)}<i>i</i>u</p>`);
    expect((await asked("dom", { selector: "p", include_children: true })).matches[0]!.text!.length).toBe(500);
    put("<p>one<i>two</i>three</p>");
    expect((await asked("dom", { selector: "p", include_children: true })).matches[0]!.text).toBe("one three");
  });
  test("have no secrets, and nothing of Gasoline's", async () => {
    put(
      `<input type=password value=hunter2xyz name=p><input type=password value=""><main title=hunter2xyz>hunter2xyz<b>x</b><i x></i></main>`,
    );
    own(document.querySelector("[x]")!);
    expect(await asked("dom", { selector: "input, main", include_children: true })).toMatchObject({
      matches: [
        { attributes: { value: "••••••", name: "p" } },
        { attributes: { value: "" } },
        { attributes: { title: "••••••" }, text: "••••••", children: [{ tag: "b" }] },
      ],
    });
  });
  test("have no secret that is short", async () => {
    put("<input type=password value=ab title=ab>");
    expect((await asked("dom", { selector: "input" })).matches[0]!.attributes!["value"]).toBe("••••••");
    put("<p>x</p>");
    expect((await asked("dom", { selector: "p", include_children: true, max_depth: 0 })).children_cut).toBeUndefined();
  });
  test("are looked at in slices, as far as they are there", async () => {
    put("<p>1</p><p>2</p>");
    expect(await pausesOf(0, () => asked("dom", { selector: "p" }))).toBe(0);
    let told: Awaited<ReturnType<typeof asked<"dom">>> | undefined;
    expect(
      await pausesOf(
        20,
        async () => (told = await asked("dom", { selector: "p" })),
        (nth) => nth === 1 && document.querySelectorAll("p")[1]!.remove(),
      ),
    ).toBeGreaterThanOrEqual(2);
    expect(told).toMatchObject({ match_count: 2, returned_count: 1 });
  });
});

test("each of what is looked at has a slice of its own, and its namesakes have", async () => {
  const each = (one: string, work: () => Promise<unknown>, before = "") =>
    pausesEach((n) => before + one.repeat(n), work);
  const p = "<p>p</p>";
  expect(await each(p, () => asked("dom", { selector: "p:first-of-type" }))).toBeGreaterThanOrEqual(1);
  expect(await each(p, () => asked("feature_gates", { selector: "b" }), "<p><b>Upgrade to Pro</b></p>")).toBe(0);
  expect(
    await each("<b>b</b>", () => asked("feature_gates", { selector: "[x]" }), "<b x>Upgrade to Pro</b>"),
  ).toBeGreaterThanOrEqual(1);
  expect(Math.floor(await each(p, () => asked("page_summary")))).toBe(2);
  expect(Math.floor(await each("<nav>p</nav>", () => asked("page_summary")))).toBe(3);
  const modal = "<p role=dialog>d</p>";
  expect(await each(p, () => asked("page_structure"), modal)).toBeGreaterThanOrEqual(
    (await each(p, () => asked("page_structure"))) + 1,
  );
  const box = "<p style=height:9px;overflow:auto><i style=display:block;height:99px></i></p>";
  expect(await each(p, () => asked("page_structure"), box)).toBeGreaterThanOrEqual(
    (await each(p, () => asked("page_structure"))) + 1,
  );
  const under = (boxes: number[]) => () => asked("visual", { boxes });
  expect(Math.floor(await each(p, under([]), p))).toBe(1);
  expect(
    Math.floor(await each("<i>i</i>", under([1, 1, 9, 9]), "<i style=position:fixed;inset:0;display:block></i>")),
  ).toBeGreaterThanOrEqual(2);
  expect(Math.floor(await each("<i>i</i>", under([1, 5000, 9, 9])))).toBeGreaterThanOrEqual(2);
});

describe("words of plans, sign-ins and limits", () => {
  test("are told where they stand", async () => {
    put(`<section><h2>Exports</h2><p>Available on the <b>Pro</b> plan only</p><button disabled>Upgrade to Pro</button><a href=/x><i>Unlock all of it</i></a></section>
      <li><b role=heading>Sign in to see more</b></li><button>Continue with Google</button><p>3 of 5 seats used</p><p>1,000 / 2,000 credits left</p><p>Rate limited</p><p hidden>Upgrade to Team</p><p>Upgrade to Pro</p><p>Log in</p><a href=/>Pro tips</a>
      <p>We upgrade our servers every night, and the team of the shop signs in at nine to see that all went well; nobody notices. Upgrade to Pro, please, so that it is long.</p>
      <script>Upgrade to Pro or Team</script><style>Upgrade to Pro or Plus</style><select><option>Upgrade to Pro or Max</select><fieldset><legend>Limits</legend><u>Quota exceeded</u></fieldset><x-a></x-a><div>ab</div>`);
    shadow(document.querySelector("x-a")!, "<p>Members only</p>");
    expect(await asked("feature_gates")).toEqual({
      plan_gates: [
        { ref: "e1", text: "Available on the Pro plan only", feature: "Exports", required_plan: "Pro" },
        { ref: "e2", text: "Upgrade to Pro", feature: "Exports", required_plan: "Pro", disabled: true },
        { ref: "e3", text: "Unlock all of it", feature: "Exports" },
      ],
      auth_gates: [
        { ref: "e4", text: "Sign in to see more" },
        { ref: "e5", text: "Continue with Google", provider: "Google" },
        { ref: "e10", text: "Members only" },
      ],
      usage_limits: [
        { ref: "e6", text: "3 of 5 seats used", used: "3 of 5" },
        { ref: "e7", text: "1,000 / 2,000 credits left", used: "1,000 of 2,000" },
        { ref: "e8", text: "Rate limited" },
        { ref: "e9", text: "Quota exceeded", feature: "Limits" },
      ],
      total_gates: 10,
    });
    expect(await asked("feature_gates", { selector: "section b, button" })).toMatchObject({ total_gates: 2 });
  });
  test("are told by what takes a click, and by who says more of them than two letters", async () => {
    const refs = book();
    put("<button x><b>Upgrade to Pro</b></button>");
    const { plan_gates: gates } = await asked("feature_gates", {}, within(5000, refs));
    expect(gates.map(({ ref }) => refs.elementOf(ref))).toEqual([document.querySelector("[x]")]);
    const told = async (html: string) => (put(html), (await asked("feature_gates")).plan_gates.map(({ text }) => text));
    expect(await told("<p>1.<b> Pro plan</b></p>")).toEqual(["Pro plan"]);
    expect(await told("<p>Get<b> Pro plan</b></p>")).toEqual(["Get Pro plan", "Pro plan"]);
  });
  test("are cut where there are many", async () => {
    put(Array.from({ length: 21 }, (_, i) => `<p>Upgrade to Pro ${i}</p>`).join(""));
    expect(await asked("feature_gates")).toMatchObject({ plan_gates: { length: 20 }, total_gates: 21 });
    const told = async (text: string) => (put(`<p>${text}</p>`), (await asked("feature_gates")).total_gates);
    const line = "Upgrade to Pro".padEnd(160, "x").replace("Prox", "Pro ");
    expect([line.length, await told(line), await told(`${line}x`)]).toEqual([160, 1, 0]);
    expect([
      await told(`Upgrade to Pro${"<i hidden></i>".repeat(3)}${"<script>".concat("x".repeat(626), "</script>")}`),
      await told(`Upgrade to Pro${"<script>".concat("x".repeat(627), "</script>")}`),
    ]).toEqual([1, 0]);
    put(`<section><h2>${"h".repeat(90)}</h2><p>Upgrade to Pro</p></section>`);
    expect((await asked("feature_gates")).plan_gates[0]!.feature!.length).toBe(80);
  });
  test("are looked for in slices", async () => {
    put("<p>Upgrade to Pro</p><p x>Log in to see</p>");
    expect(await pausesOf(0, () => asked("feature_gates"))).toBe(0);
    let told: Awaited<ReturnType<typeof asked<"feature_gates">>> | undefined;
    const pauses = await pausesOf(20, async () => (told = await asked("feature_gates")));
    expect(told!.total_gates).toBe(2);
    expect(pauses).toBeGreaterThanOrEqual(8);
    await pausesOf(
      20,
      async () => (told = await asked("feature_gates")),
      (nth) => nth === pauses - 3 && document.querySelector("[x]")!.remove(),
    );
    expect(told!.total_gates).toBe(1);
    own(document.querySelector("p")!);
    expect((await asked("feature_gates")).total_gates).toBe(0);
  });
});

describe("a page in short", () => {
  const summary = (params = {}) => asked("page_summary", params);
  test("is told with what is shown of it", async () => {
    document.head.innerHTML = `<meta name=Keywords content=k><meta name=Description content=" A shop "><meta name=description content=other>`;
    document.documentElement.lang = "en-GB-x-abcdefghijklmnopqrstuvwxyz-longer-than-that";
    put(`<header><h1>Shop</h1></header><nav aria-label=Main><a href=/a>A</a></nav><main><h2>Cart</h2><p>Two things are in it.</p>
      <form aria-label=Pay><label>Mail <input name=mail></label><label>Zip <input></label><input name=bare><select></select><input type=hidden><input type=submit><button>Pay</button></form>
      <h2 hidden>Lost</h2><div role=alert>The card was refused</div><div role=status></div><div role=heading aria-level=1.5>Half</div><div role=heading aria-level=3>Third</div><div role=heading aria-level=0>None</div>
      <div role=heading aria-level=100>High</div><div role=heading>Two</div><h5 aria-label=Five></h5><x-a></x-a><img alt=x width=9 height=9><table><tr><td>1</table><noscript>none</noscript><script>no()</script></main>
      <dialog open><h3>Sure?</h3></dialog><div role=dialog aria-label=News>n</div><section>x</section><iframe></iframe><svg width=1 height=1></svg><input type=search><p>beside</p>`);
    shadow(document.querySelector("x-a")!, "<h2>Deep</h2>");
    expect(await summary()).toEqual({
      type: "form",
      lang: "en-GB-x-abcdefghijklmnopqrstuvwxyz-",
      description: "A shop",
      headings: [
        { level: 1, text: "Shop" },
        { level: 2, text: "Cart" },
        { level: 2, text: "Half" },
        { level: 3, text: "Third" },
        { level: 2, text: "None" },
        { level: 2, text: "High" },
        { level: 2, text: "Two" },
        { level: 2, text: "Deep" },
        { level: 3, text: "Sure?" },
      ],
      heading_count: 9,
      landmarks: ["banner", 'navigation "Main"', "main", 'form "Pay"'],
      dialogs: [
        { ref: "e1", role: "dialog", text: "Sure?" },
        { ref: "e2", role: "dialog", text: "News" },
      ],
      messages: [{ ref: "e3", role: "alert", text: "The card was refused" }],
      forms: [{ ref: "e4", role: "form", text: "Pay: Mail, Zip, bare, select" }],
      interactive_element_count: 8,
      link_count: 1,
      table_count: 1,
      image_count: 1,
      frame_count: 1,
      word_count: 26,
      main_content_preview:
        "Cart Two things are in it. Mail Zip Pay The card was refused Half Third None High Two 1 Deep",
    });
    expect(await summary({ selector: "nav, form" })).toEqual({
      type: "form",
      lang: "en-GB-x-abcdefghijklmnopqrstuvwxyz-",
      description: "A shop",
      headings: [],
      heading_count: 0,
      landmarks: ['navigation "Main"', 'form "Pay"'],
      forms: [{ ref: "e1", role: "form", text: "Pay: Mail, Zip, bare, select" }],
      interactive_element_count: 7,
      link_count: 1,
      table_count: 0,
      image_count: 0,
      frame_count: 0,
      word_count: 4,
      main_content_preview: "A",
    });
  });
  test("is cut where there is much", async () => {
    document.head.innerHTML = `<meta name=description content="${"d".repeat(301)}">`;
    put(`${`<h2>${"h".repeat(121)}</h2>`.repeat(31)}${`<nav aria-label="${"n".repeat(61)}">x</nav>`.repeat(16)}${`<dialog open style=position:static>${"d".repeat(161)}</dialog>`.repeat(11)}
      ${"<div role=alert></div>".repeat(3)}${`<div role=alert>${"a".repeat(161)}</div>`.repeat(6)}${`<form><input aria-label="${"l".repeat(31)}">${"<input name=n>".repeat(8)}</form>`.repeat(11)}<p>${"w ".repeat(400)}</p>`);
    const {
      description,
      headings,
      heading_count,
      landmarks,
      dialogs,
      messages,
      forms,
      main_content_preview: preview,
    } = await summary();
    expect([
      description!.length,
      headings.length,
      headings[0]!.text.length,
      heading_count,
      landmarks.length,
      landmarks[0]!.length,
      dialogs!.length,
      dialogs![0]!.text.length,
    ]).toEqual([300, 30, 120, 31, 15, 73, 10, 120]);
    expect([messages!.length, messages![0]!.text.length, forms!.length, forms![0]!.text, preview.length]).toEqual([
      5,
      160,
      10,
      "llllllllllllllllllllllllllllll, n, n, n, n, n, n, n",
      500,
    ]);
    put(`${"<div role=alert style=height:1px></div>".repeat(20)}<div role=alert>late</div>`);
    expect(await summary()).not.toHaveProperty("messages");
    put(`${"<div role=alert style=height:1px></div>".repeat(19)}<div role=alert>soon</div>`);
    expect(await summary()).toMatchObject({ messages: [{ text: "soon" }] });
  });
  test("has levels and layers as the page gives them", async () => {
    put("<div role=heading aria-level=99>Deep</div><div popover>Pop</div><p>o<b>n</b>e</p>");
    document.querySelector<HTMLElement>("[popover]")!.showPopover();
    expect(await summary()).toMatchObject({ headings: [{ level: 99 }], dialogs: [{ role: "div", text: "Pop" }] });
    put(`<p>${"a".repeat(498)}</p><p>b</p><p>c</p>`);
    expect((await summary()).main_content_preview).toBe(`${"a".repeat(498)} b`);
  });
  test("has the words of two million characters", async () => {
    const words = async (first: number) => {
      put(`<p>${"w".padEnd(first)}</p><p>b</p><p>c</p>`);
      return (await summary()).word_count;
    };
    expect([await words(1_999_998), await words(1_999_999), await words(2_000_000)]).toEqual([3, 2, 1]);
  });
  test("says that the page still loads", async () => {
    put("<h2>One</h2><h2>Two</h2>");
    Object.defineProperty(document, "readyState", { value: "loading", configurable: true });
    const told = await Promise.all([summary(), asked("visual", {})]);
    Reflect.deleteProperty(document, "readyState");
    expect(told).toMatchObject([{ loading: true }, { page_loads: true }]);
    expect(await summary()).not.toHaveProperty("loading");
  });
  test("begins with its main part, through shadow roots", async () => {
    const begin = async (html: string, inside = "") => {
      put(html);
      const host = document.querySelector("x-a");
      if (host) shadow(host, inside);
      const { main_content_preview: preview, word_count: words } = await summary();
      return [preview, words];
    };
    expect(await begin("<p>before</p><main>main words</main>")).toEqual(["main words", 3]);
    expect(await begin("<p>before</p><article>article</article><main>main</main>")).toEqual(["article", 3]);
    expect(await begin("<p>before</p><main><x-a></x-a></main>", "<p>in it</p>")).toEqual(["in it", 3]);
    expect(await begin("<p>before</p><main>main</main><x-a></x-a>", "<p>not it</p>")).toEqual(["main", 4]);
    expect(await begin("<p>all</p><p>of it</p><p hidden>but not</p><textarea>this</textarea>")).toEqual([
      "all of it",
      3,
    ]);
    put("<h2 aria-label=Named style=height:9px></h2>");
    expect((await summary()).headings).toEqual([{ level: 2, text: "Named" }]);
    expect(await begin("<input type=password value=hunter2xyz><p>is hunter2xyz</p>")).toEqual(["is ••••••", 2]);
  });
  test.each([
    ["", "<p>x</p>", "generic"],
    ["?q=a", "<a href=/>a</a>".repeat(6), "search_results"],
    ["?s=a", "<a href=/>a</a>".repeat(6), "search_results"],
    ["?query=a", "<a href=/>a</a>".repeat(6), "search_results"],
    ["?search=a", "<a href=/>a</a>".repeat(6), "search_results"],
    ["?q=a", "<a href=/>a</a>".repeat(5), "generic"],
    ["?q=", "<a href=/>a</a>".repeat(6), "generic"],
    ["", `<article>${"w ".repeat(201)}</article>`, "article"],
    ["", `<article>${"w ".repeat(200)}</article>`, "generic"],
    ["", `<main>${"w ".repeat(201)}</main>`, "generic"],
    ["", "<table><tr><td>1</table><canvas></canvas><svg></svg><svg></svg>", "dashboard"],
    ["", "<table><tr><td>1</table><canvas></canvas><svg></svg>", "generic"],
    ["", "<canvas></canvas><svg></svg><svg></svg>", "generic"],
    ["", "<form><input><select></select></form>", "form"],
    ["", "<form><input></form>", "generic"],
    ["", "<input><input>", "generic"],
    ["", `<form><input><input></form>${"w ".repeat(399)}`, "form"],
    ["", `<form><input><input></form>${"w ".repeat(400)}`, "article"],
    ["", `<form><input><input>${"<a href=/></a>".repeat(40)}</form>${"w ".repeat(399)}`, "form"],
    ["", `<form><input><input>${"<a href=/></a>".repeat(40)}</form>${"w ".repeat(400)}`, "generic"],
    ["", "<div role=tree></div>", "app"],
    ["", "w ".repeat(301), "article"],
    ["", "w ".repeat(300), "generic"],
    ["", `${"w ".repeat(360)}${"<a href=/></a>".repeat(30)}`, "generic"],
    ["", `${"w ".repeat(361)}${"<a href=/></a>".repeat(30)}`, "article"],
    ["", "<a href=/>a</a> ".repeat(16), "link_list"],
    ["", "<a href=/>a</a> ".repeat(15), "generic"],
    ["", "<a href=/>a b c d e f g h</a> ".repeat(16), "generic"],
    ["", "<button>b</button>".repeat(21), "app"],
    ["", "<button>b</button>".repeat(20), "generic"],
    ["", `${"<button>b</button>".repeat(11)}${"<a href=/>a</a>".repeat(10)}`, "app"],
    ["", `${"<button>b</button>".repeat(11)}${"<a href=/>a</a>".repeat(11)}`, "generic"],
  ])("is of a sort by what there is most of: %s %s", async (search, html, type) => {
    history.replaceState(null, "", location.pathname + (search as string));
    put(
      (html as string)
        .replaceAll("<a href=/>", "<a href=/ style=display:inline-block;min-width:5px;height:5px>")
        .replaceAll("<canvas>", "<canvas width=9 height=9>"),
    );
    expect((await summary()).type).toBe(type);
  });
  test("is looked at in slices", async () => {
    put("<h1>a</h1><nav>b</nav><p>c</p><form><input></form>");
    const refs = book();
    expect(await pausesOf(0, () => asked("page_summary", {}, within(5000, refs)))).toBe(0);
    expect(await pausesOf(20, () => asked("page_summary", {}, within(5000, refs)))).toBeGreaterThanOrEqual(10);
    own(document.querySelector("h1")!);
    expect(await summary()).toMatchObject({ heading_count: 0 });
  });
});

describe("how a document is made", () => {
  const structure = (params = {}) => asked("page_structure", params);
  test("is told with what scrolls, lies over the page, and has a root", async () => {
    document.head.innerHTML = `<meta name=viewport content="width=device-width"><meta property=og:title content=Shop><meta name=Generator content="WordPress 6.4"><meta name=generator content=other><meta name=robots><meta name=author content=x><meta name=description content="${"d".repeat(201)}">`;
    put(`<div style="height:3000px"></div><div aria-label=Log style="width:40px;height:50px;overflow:auto"><p style="height:500px;width:500px;margin:0">x</p></div><div style="height:20px;overflow:hidden"><p style="height:90px">y</p></div>
      <div id=wide style="width:50px;height:20px;overflow-x:scroll"><p style="width:90px;height:5px;margin:0">y</p></div><div style="height:0;overflow:auto"><p style="height:9px">z</p></div>
      <div style="height:20px;overflow:auto"><p style="height:21px;margin:0">y</p></div><dialog open aria-label=News>n</dialog><div role=alertdialog>Alert</div><div aria-modal=true hidden>Hidden</div><p aria-modal=true>Modal</p>
      <x-open></x-open><x-lost></x-lost><x-lost></x-lost><x-shut></x-shut>`);
    shadow(document.querySelector("x-open")!, "<x-open></x-open>");
    shadow(document.querySelector("x-shut")!, "", "closed");
    worker.answer = [
      { name: "React", version: "19", evidence: "__react", sure: true },
      { name: "n".repeat(41), version: "v".repeat(41), evidence: "e".repeat(121) },
      { name: "bad" },
      null,
      { evidence: "x" },
      { name: "Lit", version: 3, evidence: "e" },
    ];
    const told = await structure();
    expect(told.scroll_containers.map(({ scroll_height: height }) => height).slice(1)).toEqual([500, 20]);
    // How high lines are is the machine's.
    for (const box of told.scroll_containers) box.scroll_height = Number(box.scroll_height > box.height);
    expect(told).toEqual({
      frameworks: [
        { name: "React", version: "19", evidence: "__react" },
        {
          name: "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
          version: "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv",
          evidence:
            "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
          hint: true,
        },
        { name: "Lit", evidence: "e", hint: true },
      ],
      scroll_containers: [
        { ref: "e1", label: "the page", scroll_top: 0, height: 600, scroll_height: 1 },
        { ref: "e2", label: "Log", scroll_top: 0, height: 50, scroll_height: 1, across: true },
        { ref: "e3", label: '<div#wide> "y"', scroll_top: 0, height: 20, scroll_height: 0, across: true },
      ],
      modals: [
        { ref: "e4", role: "dialog", text: "News" },
        { ref: "e5", role: "alertdialog", text: "Alert" },
        { ref: "e6", role: "p", text: "Modal" },
      ],
      shadow_roots: { open: 1, closed: 1, hosts: ["x-open", "x-shut"], undefined: ["x-open", "x-lost"] },
      meta: {
        charset: "UTF-8",
        viewport: "width=device-width",
        "og:title": "Shop",
        generator: "WordPress 6.4",
        description:
          "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd",
      },
      routing: { type: "document", evidence: "no navigation within this document was seen" },
    });
    scrollTo(0, 30);
    document.querySelector("#wide")!.scrollTop = 3;
    expect((await structure()).scroll_containers.map(({ scroll_top: top }) => top)).toEqual([30, 0, 0]);
  });
  test("is told with what its head says of it", async () => {
    const names = ["viewport", "description", "robots", "theme-color", "generator"];
    document.head.innerHTML = `${names.map((name) => `<meta name=${name} content=1>`).join("")}<meta property=og:type content=1><meta property=OG:title content=1>`;
    expect(Object.keys((await structure()).meta)).toEqual(["charset", ...names, "og:type", "og:title"]);
    put(`<div role=dialog>${"w".repeat(121)}</div>`);
    expect((await structure()).modals[0]!.text.length).toBe(120);
    history.replaceState(null, "", "#/route");
    expect((await structure()).routing!.type).toBe("hash");
  });
  test("is told with one root, and with what scrolls by a little", async () => {
    put("<p>p</p>");
    expect((await structure()).shadow_roots).toEqual({ open: 0, closed: 0 });
    put("<x-a></x-a><x-u></x-u>");
    shadow(document.querySelector("x-a")!, "");
    expect((await structure()).shadow_roots).toEqual({ open: 1, closed: 0, hosts: ["x-a"], undefined: ["x-u"] });
    const boxes = [
      [20, 22],
      [52, 20],
      [51, 20],
    ].map(
      ([width, height]) =>
        `<div style="width:50px;height:20px;overflow:auto;scrollbar-width:none"><p style="margin:0;width:${width}px;height:${height}px"></p></div>`,
    );
    put(boxes.join(""));
    expect((await structure()).scroll_containers.map(({ across }) => across)).toEqual([undefined, true]);
  });
  test("is told without what nobody knows", async () => {
    worker.answer = undefined;
    const told = await structure();
    expect([told.world_unread, told.frameworks]).toEqual([true, []]);
    worker.answer = Array.from({ length: 21 }, (_, i) => ({ name: `n${i}`, evidence: "e" }));
    expect((await structure()).frameworks).toHaveLength(20);
  });
  test("is told with how its address changes", async () => {
    const routing = async (frameworks: object[] = []) => {
      worker.answer = frameworks;
      return (await structure()).routing;
    };
    expect(await routing()).toEqual({ type: "document", evidence: "no navigation within this document was seen" });
    expect(await routing([{ name: "Next.js", evidence: "e" }])).toEqual({
      type: "history",
      evidence: "Next.js changes the address without a new document",
    });
    history.replaceState({ a: 1 }, "");
    expect(await routing()).toEqual({ type: "history", evidence: "the present entry of the history has a state" });
    for (const hash of ["#/route", "#!/route", "#route", `#/${"r".repeat(60)}`]) {
      history.replaceState(null, "", location.pathname + hash);
      expect((await routing())!.evidence).toBe(
        hash === "#route" ? "no navigation within this document was seen" : `the address ends in ${hash.slice(0, 60)}`,
      );
    }
    const real = performance.getEntriesByType.bind(performance);
    performance.getEntriesByType = ((type: string) =>
      type === "soft-navigation" ? [{} as PerformanceEntry] : real(type)) as typeof performance.getEntriesByType;
    history.replaceState(null, "", location.pathname);
    expect(await routing()).toEqual({ type: "history", evidence: "1 navigations within this document" });
    delete (performance as { getEntriesByType?: unknown }).getEntriesByType;
  });
  test("is told with the viewport's scrolling by the style of the root or of the body", async () => {
    const scrolls = async (root: string, body: string) => {
      document.documentElement.setAttribute("style", root);
      document.body.setAttribute("style", `height:100%;margin:0;${body}`);
      put("<div style=height:4000px></div>");
      return (await structure()).scroll_containers.map(({ label }) => label);
    };
    expect([
      await scrolls("height:100%", "overflow:auto"),
      await scrolls("height:100%", "overflow:hidden"),
      await scrolls("height:100%", ""),
    ]).toEqual([["the page"], [], ["the page"]]);
    expect([
      await scrolls("height:100%;overflow:hidden", "overflow:auto"),
      await scrolls("height:100%;overflow:auto hidden", ""),
    ]).toEqual([["<body>"], []]);
    // In documents without a doctype the body is what scrolls.
    Object.defineProperty(document, "scrollingElement", { value: document.body, configurable: true });
    const quirky = await scrolls("height:100%;overflow:auto", "");
    Reflect.deleteProperty(document, "scrollingElement");
    expect(quirky).toEqual(["the page"]);
  });
  test("is cut where there is much", async () => {
    put(
      `${"<dialog open style=position:static>d</dialog>".repeat(21)}${"<div style=height:9px;overflow:auto><p style=height:90px></p></div>".repeat(21)}${Array.from({ length: 11 }, (_, i) => `<x-u${i}></x-u${i}><p><x-h${i}></x-h${i}></p>`).join("")}`,
    );
    for (let i = 0; i < 11; i++) shadow(document.querySelector(`x-h${i}`)!, "");
    const { modals, scroll_containers: boxes, shadow_roots: roots } = await structure();
    expect([modals.length, boxes.length, roots.hosts!.length, roots.undefined!.length, roots.open]).toEqual([
      20, 20, 10, 10, 11,
    ]);
  });
  test("is told of elements by their components", async () => {
    put(`<input type=password value='hunter"2'><p id=a>x</p><p id=b>y</p>`);
    const answer: Record<string, object> = {
      a: {
        framework: "React",
        names: ["Pay", "App"],
        source: "a.tsx:1",
        props: { typed: 'hunter"2', list: ['is hunter"2'] },
        state: [1],
      },
    };
    // The page's world answers.
    let ended = 0;
    crypto.getRandomValues = (list) => list; // zeros
    const tell = (event: Event) => {
      const told = answer[(event.target as Element).id];
      if (told) window.dispatchEvent(new CustomEvent("gasoline-0-0-0-0-told", { detail: JSON.stringify(told) }));
    };
    window.addEventListener("gasoline-0-0-0-0", tell, true);
    window.addEventListener("gasoline-0-0-0-0-end", () => ended++, { once: true });
    try {
      expect(await structure({ selector: "p" })).toEqual({
        frameworks: [],
        scroll_containers: [],
        modals: [],
        shadow_roots: { open: 0, closed: 0 },
        meta: { charset: "UTF-8" },
        components: [
          {
            ref: "e1",
            framework: "React",
            names: ["Pay", "App"],
            source: "a.tsx:1",
            props: '{"typed":"••••••","list":["is ••••••"]}',
            state: "[1]",
          },
        ],
        no_component: 1,
      });
      expect(ended).toBe(1);
      expect(worker.asked.at(-1)).toEqual({ type: "gasoline-components", name: "gasoline-0-0-0-0" });
      answer["a"] = { framework: "Lit", names: ["x-a"], props: "p".repeat(2001) };
      const [lit] = (await structure({ selector: "#a" })).components!;
      expect([lit!.props!.length, lit!.state, lit!.source]).toEqual([2000, undefined, undefined]);
      expect(await structure({ selector: "#a" })).not.toHaveProperty("no_component");
      expect(await structure({ selector: "#b" })).toMatchObject({ no_component: 1 });
      expect(await structure({ selector: "#b" })).not.toHaveProperty("components");
      put("<p id=a>x</p>".repeat(11));
      expect((await structure({ selector: "p" })).components).toHaveLength(10);
      // Roots are looked for in slices, too.
      const pauses = async (elements: number) => {
        put(`<p>p</p><div>${"<b></b>".repeat(elements)}</div>`);
        return pausesOf(20, () => structure({ selector: "p" }));
      };
      expect((await pauses(900)) - (await pauses(1))).toBeGreaterThanOrEqual(1);
    } finally {
      Reflect.deleteProperty(crypto, "getRandomValues");
      window.removeEventListener("gasoline-0-0-0-0", tell, true);
    }
  });
  test("is looked at in slices", async () => {
    put("<p>a</p><p style=height:9px;overflow:auto x><i style=display:block;height:99px></i></p>");
    expect(await pausesOf(0, () => structure())).toBe(0);
    let told: Awaited<ReturnType<typeof structure>> | undefined;
    expect(await pausesOf(20, async () => (told = await structure()))).toBeGreaterThanOrEqual(5);
    expect(told!.scroll_containers).toHaveLength(1);
    own(document.querySelector("[x]")!);
    expect((await structure()).scroll_containers).toHaveLength(0);
  });
});

describe("what lies under boxes of a picture", () => {
  const under = async (...boxes: number[][]) => (await asked("visual", { boxes: boxes.flat() })).under;
  const PAGE = `<style>body { margin: 0 } div { height: 100px; overflow: hidden } p { margin: 20px; height: 40px }</style><div id=a><p id=one>One</p></div>
    <div id=b><button id=pay style="width:100px;height:30px">Pay <b>now</b></button></div><div id=host></div><div style="height:3000px"></div>
    <section aria-label=Far id=far style="height:60px"><i id=deep style="display:block;height:30px">Deep</i><i style="display:block;height:30px;visibility:hidden;margin-top:-30px">no</i></section>
    <div id=over style="position:fixed;top:20px;left:300px;width:100px;height:50px;pointer-events:none">Over</div>`;
  test("is the innermost element that each is of", async () => {
    put(PAGE);
    shadow(document.querySelector("#host")!, "<em id=inner style='display:block;height:40px'>Inner</em>");
    const far = document.querySelector("#far")!.getBoundingClientRect().top;
    expect(
      await under(
        [30, 25, 50, 20],
        [5, 5, 500, 90],
        [10, 105, 40, 20],
        [0, 50, 600, 100],
        [10, 210, 50, 20],
        [10, far + 5, 50, 20],
        [10, far + 5, 50, 50],
        [-50, -50, 10, 10],
        [20, 20, 50, 44],
        [20, 20, 50, 45],
        [1, 2, 3],
      ),
    ).toEqual([
      { ref: "e1", tag: "p", selector: "#one" },
      { ref: "e2", tag: "div", selector: "#a" },
      { ref: "e3", tag: "button", role: "button", name: "Pay now", selector: "#pay" },
      { ref: "e4", tag: "body", selector: "body" },
      { ref: "e5", tag: "em", selector: "#host >>> #inner" },
      { ref: "e6", tag: "i", selector: "#deep" },
      { ref: "e7", tag: "section", role: "region", name: "Far", selector: "#far" },
      { ref: "e8", tag: "html", role: "document", selector: "html" },
      { ref: "e1", tag: "p", selector: "#one" },
      { ref: "e2", tag: "div", selector: "#a" },
    ]);
    own(document.querySelector("#pay")!);
    own(document.querySelector("#deep")!);
    expect((await under([10, 105, 40, 20], [10, far + 5, 50, 20])).map(({ tag, selector }) => [tag, selector])).toEqual(
      [
        ["div", "#b"],
        ["section", "#far"],
      ],
    );
  });
  test("is the smallest around it beyond the viewport, and what a pointer comes to at its edges", async () => {
    const at = (id: string, place: string) => `<i id=${id} style="position:absolute;display:block;${place}"></i>`;
    put(`<style>html,body{margin:0;height:100%}</style>${at("small", "left:0;top:2000px;width:20px;height:20px")}${at("large", "left:0;top:2000px;width:40px;height:40px")}${at("same", "left:0;top:3000px;width:20px;height:20px")}${at("inner", "left:0;top:3000px;width:20px;height:20px")}
      ${at("low", "left:-19px;top:-19px;width:38px;height:38px")}${at("corner", "left:-20px;top:-20px;width:40px;height:40px")}${at("end", "left:780px;top:580px;width:40px;height:40px")}${at("wide", "left:100px;top:100px;width:100px;height:100px")}${at("tall", "left:300px;top:100px;width:9px;height:9px")}`);
    const ids = async (...boxes: number[][]) => (await under(...boxes)).map(({ selector }) => selector);
    expect(await ids([5, 2005, 9, 9], [5, 3005, 9, 9])).toEqual(["#small", "#inner"]);
    expect(await ids([-4, -4, 8, 8], [796, 596, 8, 8], [795, 595, 8, 8])).toEqual(["#corner", "#end", "#end"]);
    // Nine tenths of a box are enough.
    expect(
      await ids(
        [100, 100, 100, 100],
        [110, 100, 100, 100],
        [111, 100, 100, 100],
        [100, 110, 100, 100],
        [100, 111, 100, 100],
      ),
    ).toEqual(["#wide", "#wide", "body", "#wide", "body"]);
  });
  test("is told in short, without secrets", async () => {
    put(
      `<input type=password value=secretword><p>o</p><p id=secretword data-testid=secretword aria-label="${"n".repeat(81)}" role=group style="position:fixed;inset:0;margin:0">x</p>`,
    );
    const [told] = await under([10, 10, 10, 10]);
    expect([told!.selector, told!.name!.length]).toEqual([undefined, 80]);
  });
  test("is looked for in slices", async () => {
    put(PAGE);
    expect(await pausesOf(0, () => under([10, 5000, 5, 5]))).toBe(0);
    expect(await pausesOf(20, () => under([10, 5000, 5, 5]))).toBeGreaterThanOrEqual(10);
  });
  test("is told with how the document is shown, and what of it still loads", async () => {
    put(
      `<img id=a alt=A width=50 height=50><img id=b loading=lazy alt=B width=50 height=50><div style=height:9000px></div><img id=c loading=lazy alt=C width=50 height=50><img id=d alt=D hidden>${"<img class=e alt=E width=9 height=9>".repeat(5)}`,
    );
    // A picture that never comes.
    for (const at of document.querySelectorAll("img")) at.src = `https://nowhere.invalid/${at.id}.png`;
    const { document: began, browser, ...told } = await asked("visual", {});
    expect([began, browser]).toEqual([performance.timeOrigin, /\w*Chrome\/[\d.]+/.exec(navigator.userAgent)![0]]);
    expect(told).toEqual({
      scroll_x: 0,
      scroll_y: 0,
      scheme: "light",
      loading: 7,
      loading_elements: [
        { ref: "e1", tag: "img", role: "img", name: "A", selector: "#a" },
        { ref: "e2", tag: "img", role: "img", name: "B", selector: "#b" },
        { ref: "e3", tag: "img", role: "img", name: "E", selector: "img:nth-of-type(5)" },
        { ref: "e4", tag: "img", role: "img", name: "E", selector: "img:nth-of-type(6)" },
        { ref: "e5", tag: "img", role: "img", name: "E", selector: "img:nth-of-type(7)" },
      ],
      under: [],
      lazy: 2,
    });
    expect(await asked("visual", {})).not.toHaveProperty("fonts_load");
    Object.defineProperty(document.fonts, "status", { value: "loading", configurable: true });
    const fonts = await asked("visual", {});
    Reflect.deleteProperty(document.fonts, "status");
    expect([fonts.fonts_load, fonts.page_loads]).toEqual([true, undefined]);
    put(
      [-10, -9, 600, 601]
        .map(
          (top) =>
            `<img loading=lazy src=https://nowhere.invalid/${top}.png style="position:absolute;top:${top}px;width:9px;height:9px">`,
        )
        .join(""),
    );
    expect((await asked("visual", {})).loading).toBe(2);
    put("<p>no picture</p>");
    expect(await asked("visual", {})).not.toHaveProperty("lazy");
    scrollTo(0, 100.4);
    vi.stubGlobal("matchMedia", () => ({ matches: true }));
    expect(await asked("visual", {})).toMatchObject({ scroll_x: 0, scroll_y: Math.round(scrollY), scheme: "dark" });
  });
});
