import { open } from "../acting.ts";
import { expect, test } from "../extension.ts";

test.use({ host: "node" });

test("a page is told in short", async ({ daemon, site, browserWithExtension }) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<html lang=en><meta name=Description content="A shop"><header><h1>Shop</h1></header><nav aria-label=Main><a href=/a>A</a></nav>
     <main><h2>Cart</h2><p>Two things are in it.</p><form aria-label=Pay><label>Mail <input name=mail></label><label>Zip <input></label><button>Pay</button></form>
     <h2 hidden>Lost</h2><div role=alert>The card was refused</div><my-part></my-part></main>
     <dialog open><h3>Sure?</h3></dialog><iframe srcdoc="<h2>Card</h2>"></iframe>
     <script>document.querySelector("my-part").attachShadow({ mode: "open" }).innerHTML = "<h2>Deep</h2>"</script>`,
  );
  const [main, inner] = (await run("page_summary", {})).result.documents;
  expect(main!.answer).toMatchObject({
    type: "form",
    lang: "en",
    description: "A shop",
    headings: [
      { level: 1, text: "Shop" },
      { level: 2, text: "Cart" },
      { level: 2, text: "Deep" },
      { level: 3, text: "Sure?" },
    ],
    heading_count: 4,
    landmarks: ["banner", 'navigation "Main"', "main", 'form "Pay"'],
    dialogs: [{ role: "dialog" }],
    messages: [{ role: "alert", text: "The card was refused" }],
    forms: [{ text: "Pay: Mail, Zip" }],
    interactive_element_count: 4,
    link_count: 1,
    frame_count: 1,
  });
  expect(main!.answer.main_content_preview).toMatch(/^Cart/);
  expect(main!.answer.word_count).toBeGreaterThan(10);
  expect(inner).toMatchObject({ frame: { name: "0" }, answer: { headings: [{ text: "Card" }] } });
});

test("elements are told as the document has them, secrets apart", async ({ daemon, site, browserWithExtension }) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<style>.card { --gap: 4px; color: rgb(1, 2, 3) }</style>
     <div class=card id=one data-x=1><b>Bold</b> text <my-part></my-part><i hidden>gone</i></div><div class=card>two</div>
     <input type=password value=hunter2secret>
     <script>document.querySelector("my-part").attachShadow({ mode: "open" }).innerHTML = "<em>deep</em>"</script>`,
  );
  const { result } = await run("dom", {
    selector: ".card",
    include_children: true,
    properties: ["--gap", "color"],
  });
  const { answer } = result.documents[0]!;
  expect(answer).toMatchObject({ match_count: 2, returned_count: 2 });
  expect(answer.matches[0]).toMatchObject({
    tag: "div",
    visible: true,
    attributes: { class: "card", id: "one", "data-x": "1" },
    text: "text",
    styles: { "--gap": "4px", color: "rgb(1, 2, 3)" },
    children: [
      { tag: "b", text: "Bold" },
      { tag: "my-part", shadow: "open", children: [{ tag: "em", text: "deep" }] },
      { tag: "i", visible: false },
    ],
  });
  expect(answer.matches[0]!.bounding_box!.width).toBeGreaterThan(100);
  const one = await run("dom", { selector: ".card", limit: 1 });
  expect(one.result.documents[0]!.answer).toMatchObject({ match_count: 2, returned_count: 1 });
  expect(one.result.documents[0]!.answer.matches[0]).not.toHaveProperty("styles");
  const secret = await run("dom", { selector: "input" });
  expect(JSON.stringify(secret.result)).not.toContain("hunter2");
  const flat = await run("dom", { selector: "#one", include_children: true, max_depth: 1 });
  expect(flat.result.documents[0]!.answer.matches[0]!.children![1]).toMatchObject({ more_children: 1 });
});

test("words of plans, sign-ins and limits are found where they stand", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<section><h2>Exports</h2><p>Available on the <b>Pro</b> plan only</p><button disabled>Upgrade to Pro</button></section>
     <button>Continue with Google</button><p>3 of 5 seats used</p><p hidden>Upgrade to Team</p>
     <p>We upgrade our servers every night, and the team of the shop signs in at nine to see that all went well; nobody notices.</p>
     <a href=/>Pro tips</a>`,
  );
  const { answer } = (await run("feature_gates", {})).result.documents[0]!;
  expect(answer).toMatchObject({
    plan_gates: [
      { feature: "Exports", required_plan: "Pro" },
      { text: "Upgrade to Pro", required_plan: "Pro", disabled: true },
    ],
    auth_gates: [{ text: "Continue with Google", provider: "Google" }],
    usage_limits: [{ text: "3 of 5 seats used", used: "3 of 5" }],
    total_gates: 4,
  });
});

test("a page of components is told by what they show, and levels that are none are the usual one", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<main><my-page></my-page><div role=heading aria-level=1.5>Half</div><div role=heading aria-level=no>No</div><h1 aria-level=3>Third</h1>
     <picture><img alt=x width=10 height=10></picture></main><my-other></my-other>
     <script>for (const [tag, text] of [["my-page", "<h1>Inside</h1><p>All of its words."], ["my-other", "<p>beside"]])
       document.querySelector(tag).attachShadow({ mode: "open" }).innerHTML = text;</script>`,
  );
  const { answer } = (await run("page_summary", {})).result.documents[0]!;
  expect(answer.headings.map(({ level, text }) => `${level} ${text}`)).toEqual([
    "1 Inside",
    "2 Half",
    "2 No",
    "3 Third",
  ]);
  expect(answer.image_count).toBe(1);
  expect(answer.main_content_preview).toContain("All of its words.");
  expect(answer.main_content_preview).not.toContain("beside");
});

test("what the user typed into a secret field is in no answer, wherever the page shows it", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<label>Password <input type=password></label><div id=shows data-typed=hunter2xyz>It is hunter2xyz <b>and hunter2xyz</b></div>
     <a href="/r?is=hunter2xyz">hunter2xyz</a><table><tr><td>hunter2xyz<td><b>hunter2xyz</b></table><h2>hunter2xyz</h2>
     <div role=alert>hunter2xyz</div><div role=textbox contenteditable aria-label=E>hunter2xyz</div><button>Upgrade to hunter2xyz</button>`,
  );
  await page.fill("[type=password]", "hunter2xyz");
  for (const kind of [
    "navigation",
    "forms",
    "form_state",
    "data_table",
    "page_summary",
    "page_structure",
    "feature_gates",
  ] as const)
    expect(JSON.stringify((await run(kind, {})).result), kind).not.toContain("hunter2");
  const { result } = await run("dom", { selector: "#shows", include_children: true });
  expect(result.documents[0]!.answer.matches[0]).toMatchObject({
    text: "It is ••••••",
    attributes: { "data-typed": "••••••" },
  });
  expect(JSON.stringify(result)).not.toContain("hunter2");
});
