import { describe, expect, test } from "vitest";
import { Changes } from "../../dom-agent/changes.ts";
import { own } from "../../dom-agent/own.ts";
import { panel } from "../../dom-agent/panel.ts";
import { pause, put, shadow } from "./world.ts";

/** What is said of a change. */
function words(html: string, work: (at: HTMLElement) => void): string[] {
  put(html);
  const changes = new Changes();
  changes.begin();
  work(document.querySelector<HTMLElement>("[x]") ?? document.body);
  const said = changes.inWords();
  changes.stop();
  return said;
}
const add = (html: string) => (at: HTMLElement) => at.insertAdjacentHTML("beforeend", html);
const named = (n: number, html: (i: number) => string): string => Array.from({ length: n }, (_, i) => html(i)).join("");
const a = (role: string) => `<div role=${role}>Saved</div>`;

describe("changes are told in words", () => {
  test.each([
    ["nothing", "<p x>", () => {}, []],
    ["an element in the page", "<p>", add("<i></i><b></b>"), ["2 added in the page"]],
    ["an element that goes", "<p x>", (at: HTMLElement) => at.remove(), ["1 removed in the page"]],
    [
      "a text",
      "<p x>a",
      (at: HTMLElement) => void ((at.firstChild as Text).data = "b"),
      ['in the page: "a" became "b"'],
    ],
    [
      "several in a part",
      "<ul aria-label=Orders x><li>",
      (at: HTMLElement) => (add("<li>")(at), at.firstElementChild!.remove(), at.lastElementChild!.classList.add("a")),
      ['1 added, 1 removed, 1 changed in list "Orders"'],
    ],
    ["a part without a name", "<form x>", add("<i></i>"), ["1 added in form"]],
    ["a part without a role", "<div role=tabpanel x>", add("<i></i>"), ["1 added in tabpanel"]],
    [
      "what an icon is called",
      "<button x aria-label=Mute>o</button>",
      (at: HTMLElement) => void (at.ariaLabel = "Unmute"),
      ['in the page: aria-label "Mute" became "Unmute"'],
    ],
    [
      "what a picture shows, a field asks for and a bar counts",
      "<section x><img alt=One width=9 height=9><input placeholder=Name><progress value=1 max=9></progress></section>",
      (at: HTMLElement) => {
        at.querySelector("img")!.alt = "Two";
        at.querySelector("input")!.placeholder = "Name is missing";
        at.querySelector("progress")!.value = 6;
      },
      [
        'in section: alt "One" became "Two"',
        'in section: placeholder "Name" became "Name is missing"',
        'in section: value "1" became "6"',
      ],
    ],
    [
      "where one is",
      "<nav x><a href=# aria-current=page>A</a><a href=#>B</a></nav>",
      ({ firstElementChild: a, lastElementChild: b }: HTMLElement) => {
        a!.removeAttribute("aria-current");
        b!.ariaCurrent = "page";
      },
      ['current: link "B"'],
    ],
    [
      "what is unfolded",
      "<details x><summary>More</summary>Direct words <b>bold</b></details>",
      (at: HTMLElement) => void ((at as HTMLDetailsElement).open = true),
      ['expanded: button "More"', 'new in the page: "bold", "Direct words"'],
    ],
    [
      "what was hidden until it is found",
      "<div x hidden=until-found>Direct words</div>",
      (at: HTMLElement) => void (at.hidden = false),
      ['new in the page: "Direct words"'],
    ],
    ["an alert", "<p>", add(a("alert")), ['alert: "Saved"']],
    ["a status", "<p>", add(a("status")), ['status: "Saved"']],
    ["a dialog", "<p>", add(a("dialog")), ['dialog "Saved" opened']],
    ["an alert dialog", "<p>", add(a("alertdialog")), ['dialog "Saved" opened']],
    ["a dialog without a text", "<p>", add("<div role=dialog style='height:9px'></div>"), ["dialog opened"]],
    ["a live part", "<p>", add("<div aria-live=polite>Saved</div>"), ['message: "Saved"']],
    ["a toast", "<p>", add("<div class=MyToast>Saved</div>"), ['message: "Saved"']],
    ["an error", "<p>", add("<div class=field-error>No</div>"), ['error: "No"']],
    ["what tells nothing", "<p>", add("<div role=alert style='height:9px'></div>"), ["1 added in the page"]],
    ["what tells and is hidden", "<p>", add("<div role=alert hidden>Saved</div>"), ["1 added in the page"]],
    ["what tells in what is added", "<p>", add("<div><i role=alert>Saved</i></div>"), ['alert: "Saved"']],
    [
      "what tells in what tells",
      "<p>",
      add("<div role=dialog><i role=alert>Saved</i></div>"),
      ['dialog "Saved" opened'],
    ],
    [
      "what changes in what tells",
      "<div role=status x>a</div>",
      (at: HTMLElement) => void (at.textContent = "b"),
      ['status: "b"'],
    ],
    [
      "a dialog that opens",
      "<dialog x>Sure?</dialog>",
      (at: HTMLElement) => (at as HTMLDialogElement).show(),
      ['dialog "Sure?" opened'],
    ],
    ["a part in what tells", "<div role=status><ul x></ul></div>", add("<li>b"), ['status: "b"']],
    ["what told and goes", "<div role=alert x>Saved</div>", (at: HTMLElement) => at.remove(), ['gone: alert "Saved"']],
    [
      "what told nothing and goes",
      "<div role=alert x></div>",
      (at: HTMLElement) => at.remove(),
      ["1 removed in the page"],
    ],
    [
      "a field that is not valid",
      "<label>Mail <input x></label>",
      (at: HTMLElement) => at.setAttribute("aria-invalid", "true"),
      ['invalid field "Mail"'],
    ],
    [
      "a part that goes",
      "<main><ul x></ul></main>",
      (at: HTMLElement) => (add("<li>")(at), at.remove()),
      ["1 removed in main"],
    ],
    ["what we put in", "<p>", () => void (panel("gasoline-toast", "0", 1000).textContent = "Click"), []],
    ["what changes in what we put in", "<div x>a</div>", (at: HTMLElement) => (own(at), (at.className = "b")), []],
    ["an attribute that says nothing", "<p x>", (at: HTMLElement) => at.setAttribute("data-a", "b"), []],
    ["a text of 100 signs", "<p>", add(`<div role=alert>${"a".repeat(101)}</div>`), [`alert: "${"a".repeat(99)}…"`]],
    [
      "a part of 60 signs",
      `<ul aria-label=${"a".repeat(61)} x>`,
      add("<li>"),
      [`1 added in list "${"a".repeat(59)}…"`],
    ],
    [
      "what goes with 60 signs",
      `<div role=alert x>${"a".repeat(61)}</div>`,
      (at: HTMLElement) => at.remove(),
      [`gone: alert "${"a".repeat(59)}…"`],
    ],
    [
      "a line of 140 signs",
      `<label>${"b".repeat(90)}<input x></label>`,
      (at: HTMLElement) => (at.setAttribute("aria-invalid", "true"), at.setAttribute("value", "c")),
      [`invalid field "${"b".repeat(90)}"`],
    ],
    [
      "a line of more",
      `<label>${"b".repeat(150)}<input x></label>`,
      (at: HTMLElement) => at.setAttribute("aria-invalid", "true"),
      [`invalid field "${"b".repeat(124)}…`],
    ],
    [
      "a line of just so many",
      `<label>${"b".repeat(124)}<input x></label>`,
      (at: HTMLElement) => at.setAttribute("aria-invalid", "true"),
      [`invalid field "${"b".repeat(124)}"`],
    ],
  ])("%s", (_, html, work, said) => expect(words(html as string, work as (at: HTMLElement) => void)).toEqual(said));
  test.each(["class", "hidden", "open", "disabled", "checked", "value", "aria-invalid", "aria-expanded"])(
    "%s of an element",
    (name) => {
      expect(words("<p x>", (at) => at.setAttribute(name, "a"))).toEqual(["1 changed in the page"]);
    },
  );
  test.each("dialog form table ul ol nav main section aside header footer".split(" "))("in a %s", (tag) => {
    expect(words(`<${tag} x>`, (at) => (at.className = "a")).at(-1)).not.toContain("the page");
  });
  test.each("list region tabpanel grid dialog".split(" "))("in something with the role %s", (role) => {
    expect(words(`<div role=${role} aria-label=a x>`, (at) => (at.className = "a")).at(-1)).toContain(role);
  });
  test("twelve lines at most, what tells first", () => {
    const lists = "<ul><li></ul>".repeat(13);
    const all = (): void => document.querySelectorAll("ul").forEach((list, i) => list.setAttribute("class", `c${i}`));
    expect(words(lists, all)).toEqual(["1 changed in list"]);
    const named = Array.from({ length: 13 }, (_, i) => `<ul aria-label=l${i}><li></ul>`).join("");
    expect(words(named, all)).toHaveLength(12);
    expect(words("<p>", add(Array.from({ length: 13 }, (_, i) => `<i role=alert>a${i}</i>`).join("")))).toHaveLength(
      12,
    );
    const gone = Array.from({ length: 13 }, (_, i) => `<i role=alert>a${i}</i>`).join("");
    expect(words(gone, () => document.body.replaceChildren())).toHaveLength(12);
  });
  test("of 50 parts, and of 2,000 changes; all are counted", () => {
    put(Array.from({ length: 51 }, (_, i) => `<ul aria-label=l${i}><li></ul>`).join(""));
    const changes = new Changes();
    changes.begin();
    for (const list of document.querySelectorAll("ul")) list.className = "a";
    for (const list of [...document.querySelectorAll("ul")].slice(0, 49)) list.remove();
    expect(changes.inWords()).toEqual(['1 changed in list "l49"']);
    changes.stop();
    put("<ul x></ul>");
    const many = new Changes();
    many.begin();
    const list = document.querySelector("[x]")!;
    for (let i = 0; i < 2001; i++) list.className = `c${i}`;
    expect(many.inWords()).toEqual(["2000 changed in list"]);
    expect(many.count).toBe(2001);
    expect(many.look()).toBe(2001);
    many.stop();
  });
  test("those that were delivered and those that were not, until they are stopped", async () => {
    put("<p>");
    const changes = new Changes();
    changes.begin();
    document.body.append(document.createElement("i"));
    await pause(0);
    document.body.append(document.createElement("i"));
    expect([changes.look(), changes.look()]).toEqual([2, 2]);
    changes.stop();
    document.body.append(document.createElement("i"));
    expect(changes.look()).toBe(2);
  });
  test("fields that the browser finds wrong, once each, with the part around them", () => {
    const html =
      "<form x><label>Mail <input required></label><label>Age <input type=number max=9 value=10></label></form>";
    const check = (at: HTMLElement) => void (at as HTMLFormElement).checkValidity();
    const message = (selector: string) => document.querySelector<HTMLInputElement>(selector)!.validationMessage;
    expect(words(html, check)).toEqual([
      `invalid field "Mail" "${message("[required]")}"`,
      `invalid field "Age" "${message("[max]")}"`,
    ]);
    const both = (at: HTMLElement) => {
      check(at);
      for (const field of at.querySelectorAll("input")) field.setAttribute("aria-invalid", "true");
    };
    expect(words(html, both)).toEqual([
      `invalid field "Mail" "${message("[required]")}"`,
      `invalid field "Age" "${message("[max]")}"`,
    ]);
    const mended = (at: HTMLElement) => {
      check(at);
      for (const field of at.querySelectorAll("input")) field.value = "1";
    };
    expect(words(html, mended)).toEqual(['value "1": textbox "Mail"', 'value "1": spinbutton "Age"']);
    const hidden = (at: HTMLElement) => {
      check(at);
      for (const label of at.querySelectorAll("label")) label.style.display = "none";
    };
    expect(words(html, hidden)).toEqual([]);
    const many = Array.from({ length: 13 }, (_, i) => `<input required aria-label=f${i}>`).join("");
    expect(words(`<form x>${many}</form>`, check)).toHaveLength(12);
  });
  test("no fields once it is stopped", () => {
    const form = put("<form x><input required aria-label=a></form>") as HTMLFormElement;
    const changes = new Changes();
    changes.begin();
    changes.stop();
    form.checkValidity();
    expect(changes.inWords()).toEqual([]);
  });
  test("in a part without a role or a name", () => {
    expect(words("<ul role=none x><li></ul>", add("<b></b>"))).toEqual(["1 added in ul"]);
  });
  describe("in shadow roots", () => {
    const alert = "<p role=alert>Card declined</p><button>Try again</button>";
    const ways: Record<string, () => { at: ParentNode & { innerHTML: string }; end?: () => void }> = {
      "an open one": () => ({ at: shadow(put("<x-a x></x-a>"), "<main></main>").querySelector("main")! }),
      "a closed one": () => ({ at: put("<x-a x></x-a>").attachShadow({ mode: "closed" }) }),
      "one in another": () => {
        const outer = shadow(put("<x-a x></x-a>"), "<section><x-b></x-b></section>");
        return { at: shadow(outer.querySelector("x-b")!, "<i></i>") };
      },
      "what a slot of one shows": () => {
        const host = put("<x-a x><b></b></x-a>");
        shadow(host, "<main><slot></slot></main>");
        return { at: host.querySelector("b")! };
      },
    };
    test.each(Object.keys(ways))("%s", (way) => {
      const { at } = ways[way]!();
      const changes = new Changes();
      changes.begin();
      at.innerHTML = alert;
      const said = changes.inWords((control) => `button ${control.textContent}`);
      const { toasts } = changes.diff.told(false);
      changes.stop();
      expect(said.slice(0, 2)).toEqual(['alert: "Card declined"', "new: button Try again"]);
      expect(changes.count).toBeGreaterThan(0);
      expect(toasts).toMatchObject([{ text: "Card declined", type: "alert" }]);
    });
    test("one that comes with an element, or to one", async () => {
      const there = put("<x-late x></x-late>");
      const changes = new Changes();
      changes.begin();
      const came = document.createElement("x-a");
      shadow(came, alert);
      document.body.append(came);
      shadow(there, "<p role=status>Saved</p>");
      await pause(0);
      // What it changes afterwards is told, too.
      came.shadowRoot!.querySelector("p")!.textContent = "Card expired";
      const said = changes.inWords();
      changes.stop();
      expect(said).toEqual(expect.arrayContaining(['alert: "Card expired"', 'status: "Saved"']));
    });
    test("not in our own", () => {
      put("");
      const host = document.createElement("x-own");
      own(host);
      document.body.append(host);
      const root = shadow(host, "<i></i>");
      const changes = new Changes();
      changes.begin();
      root.innerHTML = alert;
      expect(changes.inWords()).toEqual([]);
      expect(changes.count).toBe(0);
      changes.stop();
    });
    test.each(["open", "closed"] as const)("a text without an element around it, in an %s one", (mode) => {
      const root = shadow(put("<main><x-a x></x-a></main>"), "", mode);
      const changes = new Changes();
      changes.begin();
      root.append("Saved");
      expect(changes.inWords()).toEqual(['new in main: "Saved"']);
      changes.stop();
    });
    test("no text without an element around it where its host is hidden", () => {
      const root = shadow(put("<x-a x hidden></x-a>"), "");
      const changes = new Changes();
      changes.begin();
      root.append("Saved");
      expect(changes.inWords().join()).not.toContain("Saved");
      changes.stop();
    });
    test("a part is named", () => {
      const root = shadow(put("<x-a x></x-a>"), "<ul aria-label=Orders></ul>");
      const changes = new Changes();
      changes.begin();
      root.querySelector("ul")!.innerHTML = "<li>1<li>2";
      expect(changes.inWords()).toEqual(['new in list "Orders": "1", "2"']);
      changes.stop();
    });
  });
  test("where there is no body", () => {
    put("<p>");
    const changes = new Changes();
    changes.begin();
    const { body } = document;
    body.remove();
    expect(changes.inWords()).toEqual(["1 removed in the page"]);
    changes.stop();
    document.documentElement.append(body);
  });
});

describe("what a page renders anew, writes again or takes away", () => {
  const p = (text: string): string => `<p>${text}</p>`;
  test.each([
    [
      "is no news",
      "<ul x><li>One<li>One</ul>",
      (at: HTMLElement) => void (at.innerHTML = "<li>One<li>One"),
      ["2 added, 2 removed in list"],
    ],
    [
      "is news once for each time that it was not there",
      "<ul x><li>One</ul>",
      (at: HTMLElement) => void (at.innerHTML = "<li>One<li>One"),
      ['new in list: "One"'],
    ],
    [
      "is gone once for each time that it is not there",
      "<ul x><li>One<li>One<li>Two</ul>",
      (at: HTMLElement) => void (at.innerHTML = "<li>One<li>Two"),
      ['gone from list: "One"'],
    ],
    [
      "is no control that came",
      "<section x><button>Go</button></section>",
      (at: HTMLElement) => void (at.innerHTML = "<button>Go</button><button>Stop</button>"),
      ['new: button "Stop"'],
    ],
    [
      "is a field that was wrong before",
      "<input x aria-label=A aria-invalid=true>",
      (at: HTMLElement) => at.setAttribute("aria-invalid", "true"),
      ["1 changed in the page"],
    ],
    [
      "is a message with the same words",
      "<div role=status x>Saved</div>",
      (at: HTMLElement) => void (at.textContent = "Saved"),
      ['status: "Saved"'],
    ],
    [
      "is a message in a box with the same words",
      "<main x><div role=status>Saved</div></main>",
      (at: HTMLElement) => void (at.innerHTML = "<div role=status>Saved</div>"),
      ['status: "Saved"'],
    ],
    ["is what was added to a log", "<div role=log x><p>one</p></div>", add("<p>two</p>"), ['log: "two"']],
    [
      "is what was put before it",
      "<div role=log x><p>one</p></div>",
      (at: HTMLElement) => at.insertAdjacentHTML("afterbegin", "<p>two</p>"),
      ['log: "two"'],
    ],
    [
      "is a word of several that stood in a part",
      "<section aria-label=Cart x><p>Tea</p><p>Milk</p></section>",
      (at: HTMLElement) => at.lastElementChild!.remove(),
      ['gone from region "Cart": "Milk"'],
    ],
    [
      "is nothing that was hidden",
      "<section x><p hidden>Tea</p></section>",
      (at: HTMLElement) => at.firstElementChild!.remove(),
      ["1 removed in section"],
    ],
    [
      "is nothing in what was hidden",
      "<section hidden><div x><p>Tea</p></div></section>",
      (at: HTMLElement) => at.firstElementChild!.remove(),
      ["1 removed in section"],
    ],
    [
      "is nothing that came and went",
      "<section x></section>",
      (at: HTMLElement) => (at.append("a"), at.replaceChildren()),
      ["1 added, 1 removed in section"],
    ],
    [
      "is a dialog that closed",
      "<div role=dialog aria-label=Sure x>Sure?</div>",
      (at: HTMLElement) => at.remove(),
      ['dialog "Sure" closed'],
    ],
    [
      "is a dialog in a dialog that closed",
      "<div role=dialog aria-label=Outer x><div role=dialog aria-label=Inner>a</div></div>",
      (at: HTMLElement) => at.remove(),
      ['dialog "Outer" closed'],
    ],
    [
      "is a dialog without a name",
      "<div role=dialog x style='height:9px'></div>",
      (at: HTMLElement) => at.remove(),
      ["dialog closed"],
    ],
    [
      "is a dialog that another one stands for",
      "<main x><div role=dialog aria-label=Sure>Sure?</div></main>",
      (at: HTMLElement) => void (at.innerHTML = "<div role=dialog aria-label=Sure>Sure?</div>"),
      ["1 added, 1 removed in main"],
    ],
    [
      "is a tooltip, which is told only as it comes",
      "<div role=tooltip x>Tip</div>",
      (at: HTMLElement) => at.remove(),
      ["1 removed in the page"],
    ],
  ])("%s", (_, html, work, said) => expect(words(html as string, work as (at: HTMLElement) => void)).toEqual(said));
  test("is a message that went again before anybody looked", async () => {
    put("<main></main>");
    const changes = new Changes();
    changes.begin();
    document.querySelector("main")!.innerHTML = "<div role=alert>Failed</div>";
    await pause(0);
    document.querySelector("main")!.innerHTML = "";
    expect(changes.inWords()).toEqual(['alert: "Failed", which went again']);
    changes.stop();
  });
  test("is a message in a root that came and went", async () => {
    const root = shadow(put("<x-a x></x-a>"), "<main></main>");
    const changes = new Changes();
    changes.begin();
    root.querySelector("main")!.innerHTML = "<div role=alert>Failed</div>";
    await pause(0);
    root.querySelector("main")!.innerHTML = "";
    expect(changes.inWords()).toEqual(['alert: "Failed", which went again']);
    changes.stop();
  });
  test("of four fields at most it is told what they hold now", () => {
    const fields = "abcde".replace(/./g, "<input aria-label=$&>");
    const fill = (): void => document.querySelectorAll("input").forEach((at) => (at.value = at.ariaLabel ?? ""));
    expect(words(fields, fill)).toEqual("abcd".split("").map((name) => `value "${name}": textbox "${name}"`));
  });
  test.each([
    [
      "checked",
      "<input type=checkbox x aria-label=A>",
      (at: HTMLElement) => void ((at as HTMLInputElement).checked = true),
    ],
    [
      "unchecked",
      "<input type=checkbox x checked aria-label=A>",
      (at: HTMLElement) => void ((at as HTMLInputElement).checked = false),
    ],
  ])("a box is %s", (state, html, work) =>
    expect(words(html as string, work as (at: HTMLElement) => void)).toEqual([`${state}: checkbox "A"`]),
  );
  test("a menu that opened says more than that its button is expanded", () => {
    const html =
      "<button x aria-expanded=false aria-label=File></button><div role=menu hidden><button role=menuitem>New</button></div>";
    const expand = (at: HTMLElement): void => ((at.ariaExpanded = "true"), undefined);
    expect(words(html, expand)).toEqual(['expanded: button "File"']);
    expect(words(html, (at) => (expand(at), at.nextElementSibling!.removeAttribute("hidden")))).toEqual([
      'menu opened: menuitem "New"',
    ]);
  });
  test("a document that came by the act is told of as a whole, with fields that it finds wrong", () => {
    put("<form x><input required aria-label=A></form>");
    const changes = new Changes(true);
    (document.querySelector("form") as HTMLFormElement).checkValidity();
    expect(changes.inWords()[0]).toContain('invalid field "A"');
    changes.stop();
    put("<form x><input required aria-label=B></form>");
    (document.querySelector("form") as HTMLFormElement).checkValidity();
    expect(changes.inWords().join()).not.toContain('"B"');
  });
  test("what is no element, and words apart, are told", () => {
    expect(words("<section x></section>", (at) => at.append("One", document.createElement("br"), "Two"))).toEqual([
      'new in section: "One", "Two"',
    ]);
    expect(words(`<section x>${p("a")}</section>`, (at) => at.append("b"))).toEqual(['new in section: "b"']);
  });
});

describe("what a page does at once is told as one", () => {
  const layer = (html: string): string =>
    `<div class=modal style='position:fixed;left:0;top:0;width:300px;height:200px'>${html}</div>`;
  const sure = "<div role=dialog aria-label=Sure><button>Yes</button></div>";
  test.each([
    ["a layer that holds a dialog", "<p>", add(layer(sure)), ['dialog "Sure" opened: button "Yes"']],
    [
      "a layer that holds a dialog, beside a menu",
      "<p>",
      add(`${layer(sure)}<div role=menu><button role=menuitem>Cut</button></div>`),
      ['dialog "Sure" opened: button "Yes"', 'menu opened: menuitem "Cut"'],
    ],
    ["a layer by itself", "<p>", add(layer("<button>Yes</button>")), ['dialog opened: button "Yes"']],
    ["a layer without anything to press", "<p>", add(layer("Words")), ['new in the page: "Words"']],
    [
      "a menu in a dialog",
      "<p>",
      add("<div role=dialog aria-label=Sure><div role=menu><button role=menuitem>Cut</button></div></div>"),
      ['dialog "Sure" opened: menuitem "Cut"'],
    ],
    [
      "a dialog that hides another one behind it",
      "<div role=dialog aria-label=First x><p>One</p></div><dialog aria-label=Second>Two</dialog>",
      (at: HTMLElement) => {
        at.ariaHidden = "true";
        document.querySelector("dialog")!.showModal();
      },
      ['dialog "Second" opened', 'dialog says: "Two"'],
    ],
    [
      "a dialog that the page hides from readers",
      "<div role=dialog aria-label=First x><p>One</p></div>",
      (at: HTMLElement) => void (at.ariaHidden = "true"),
      ['dialog "First" closed'],
    ],
    [
      "a dialog that goes with its box",
      "<main x><div><div role=dialog aria-label=Sure>Really?</div></div></main>",
      (at: HTMLElement) => at.replaceChildren(),
      ['dialog "Sure" closed'],
    ],
    [
      "a list that comes, and what comes into it",
      "<p>",
      (at: HTMLElement) => (add("<ul><li>One</li></ul>")(at), add("<li>Two</li>")(at.querySelector("ul")!)),
      ['new in the page: "One Two"'],
    ],
    [
      "a message that is written anew in one that stays",
      "<div aria-live=polite>Old <div role=status x>Saved</div></div>",
      (at: HTMLElement) => void (at.textContent = "Saved"),
      ['status: "Saved"'],
    ],
    [
      "a message that is rendered anew with its box",
      "<main x><div><div role=status><p>Saved</p><p>now</p></div></div></main>",
      (at: HTMLElement) => void (at.innerHTML = "<div><div role=status><p>Saved</p><p>now</p></div></div>"),
      ['status: "Saved now"'],
    ],
    [
      "a part of the page that goes",
      "<div><p x>Tea</p></div>",
      (at: HTMLElement) => at.remove(),
      ['gone from the page: "Tea"'],
    ],
    [
      "what was seen of a part that goes",
      "<section><div x><p hidden>Tea</p><p>Milk</p></div></section>",
      (at: HTMLElement) => at.remove(),
      ['gone from section: "Milk"'],
    ],
    [
      "two texts of a part that goes",
      "<section><div x><p>Tea</p><p>Milk</p></div></section>",
      (at: HTMLElement) => at.remove(),
      ['gone from section: "Tea Milk"'],
    ],
    [
      "a control that is disabled",
      "<section x></section>",
      add("<button disabled>Go</button>"),
      ["1 added in section"],
    ],
    [
      "nine controls",
      "<section x></section>",
      add("abcdefghi".replace(/./g, "<button>$&</button>")),
      [
        `new: ${"abcdefgh"
          .split("")
          .map((name) => `button "${name}"`)
          .join(", ")} (and 1 more)`,
      ],
    ],
    [
      "four texts of a part",
      "<section x><p>a</p><p>b</p><p>c</p><p>d</p></section>",
      (at: HTMLElement) => [...at.children].forEach((p) => (p.textContent += "!")),
      ["a", "b", "c"].map((text) => `in section: "${text}" became "${text}!"`),
    ],
    ...["p", "b"].flatMap((tag) => {
      const cut = `${"a".repeat(59)}…`;
      const long = "a".repeat(61);
      const text = (from: string, to: string, told: string): [string, string, (at: HTMLElement) => void, string[]] => [
        `60 letters of the text of a ${tag} that was ${from}`,
        `<${tag} x aria-label="${from}">${from}</${tag}>`,
        (at) => void (tag === "p" ? (at.textContent = to) : (at.ariaLabel = to)),
        [`in the page: ${tag === "p" ? "" : "aria-label "}${told}`],
      ];
      return [text(long, "b", `"${cut}" became "b"`), text("b", long, `"b" became "${cut}"`)];
    }),
    [
      "a layer with a dialog that goes",
      `<main x>${layer(sure)}</main>`,
      (at: HTMLElement) => at.replaceChildren(),
      ['dialog "Sure" closed'],
    ],
    [
      "a layer with a heading and a dialog that goes",
      `<main x>${layer(`<h2>Head</h2>${sure}`)}</main>`,
      (at: HTMLElement) => at.replaceChildren(),
      ['dialog "Sure" closed'],
    ],
    [
      "a layer with a message that goes",
      `<main x>${layer(`<h2>Head</h2><p role=alert>No</p>`)}</main>`,
      (at: HTMLElement) => at.replaceChildren(),
      ['dialog "Head" closed'],
    ],
    [
      "a tooltip",
      "<p x title=One>o</p>",
      (at: HTMLElement) => void (at.title = "Two"),
      ['in the page: title "One" became "Two"'],
    ],
    [
      "what is where one is not",
      "<a href=# x>A</a>",
      (at: HTMLElement) => void (at.ariaCurrent = "false"),
      ["1 changed in the page"],
    ],
    [
      "what is open and cannot be",
      "<p x>A</p>",
      (at: HTMLElement) => at.setAttribute("open", ""),
      ["1 changed in the page"],
    ],
    [
      "what was wrong and is not",
      "<label>Mail <input x aria-invalid=true></label>",
      (at: HTMLElement) => at.setAttribute("aria-invalid", "false"),
      ["1 changed in the page"],
    ],
  ])("%s", (_, html, work, said) => expect(words(html as string, work as (at: HTMLElement) => void)).toEqual(said));
  test.each(["inert", "aria-hidden", "title", "alt", "placeholder", "aria-label", "aria-valuenow", "aria-busy"])(
    "%s of an element",
    (name) => {
      expect(words("<p x>", (at) => at.setAttribute(name, "a"))).toEqual(["1 changed in the page"]);
    },
  );
  test.each([
    ["aria-selected", "true", "selected"],
    ["aria-pressed", "true", "pressed"],
    ["aria-pressed", "false", "not pressed any more"],
    ["aria-expanded", "false", "collapsed"],
    ["aria-checked", "true", "checked"],
    ["aria-checked", "false", "unchecked"],
    ["aria-disabled", "true", "disabled"],
    ["aria-disabled", "false", "enabled"],
    ["aria-busy", "true", "busy"],
    ["aria-busy", "false", "not busy any more"],
  ])("%s that comes to be %s", (name, to, state) => {
    const html = `<div role=button x ${name}=${to === "true" ? "false" : "true"}>A</div>`;
    expect(words(html, (at) => at.setAttribute(name as string, to as string))).toEqual([`${state}: button "A"`]);
  });
  test("what is acted on says itself whether it is checked, and nothing else", () => {
    const box = put("<input type=checkbox x aria-label=A aria-expanded=false>") as HTMLInputElement;
    const changes = new Changes();
    changes.begin();
    box.checked = true;
    expect(changes.inWords(undefined, box)).toEqual([]);
    box.ariaExpanded = "true";
    expect(changes.inWords(undefined, box)).toEqual(['expanded: checkbox "A"']);
    changes.stop();
  });
  test("what came before the act is none of its doing", () => {
    put("<p>");
    const changes = new Changes();
    add("<div role=alert>Saved</div>")(document.body);
    changes.begin();
    expect(changes.inWords()).toEqual([]);
    expect(changes.diff.told(false).elements_added).toBe(0);
    changes.stop();
  });
  test("of a document that came by the act dialogs are told, and no menus", () => {
    put("<div role=menu><button role=menuitem>Cut</button></div>");
    const changes = new Changes(true);
    expect(changes.inWords()).toEqual([]);
    add(sure)(document.body);
    expect(changes.inWords()).toEqual(['dialog "Sure" opened: button "Yes"']);
    changes.stop();
  });
  test("what comes in a root is told with its host, once", () => {
    put("<p>");
    const changes = new Changes();
    changes.begin();
    const host = document.createElement("x-a");
    shadow(host, "<p>Words</p>");
    document.body.append(host);
    expect(changes.inWords()).toEqual(['new in the page: "Words"']);
    changes.stop();
  });
  test("a message is read when what stands in it changes, with 40 elements of one task", async () => {
    for (const [others, told] of [
      [0, ['alert: "Failed", which went again']],
      [39, ['alert: "Failed", which went again']],
      [40, ["1 added, 42 changed, 1 removed in the page"]],
    ] as const) {
      const alert = put(`${"<i></i>".repeat(others)}<div role=alert><b x></b></div>`);
      const changes = new Changes();
      changes.begin();
      for (const at of document.querySelectorAll("i")) at.className = "a";
      alert.textContent = "Failed";
      await pause(0);
      alert.textContent = "";
      const said = changes.inWords();
      expect(said.length > 0 && said[0]!.includes("Failed"), `${others}`).toBe(told[0].includes("Failed"));
      changes.stop();
    }
  });
  test("controls are known again among the first 300 that may be some", () => {
    for (const [others, said] of [
      [299, ["1 added, 1 removed in section"]],
      [300, ['new: button "Go"']],
    ] as const) {
      const html = `<div>${"<input type=hidden>".repeat(others)}<button>Go</button></div>`;
      expect(words(`<section x>${html}</section>`, (at) => void (at.innerHTML = html))).toEqual(said);
    }
  });
  describe("as far as it is read in time", () => {
    const { now } = performance;
    let time = 0;
    const list = (n: number, late = 0): string => {
      put("<ul x></ul>");
      time = 0;
      performance.now = () => time;
      try {
        const changes = new Changes();
        changes.begin();
        const html = Array.from({ length: n }, (_, i) => `<li>text ${i}</li>`).join("");
        add(html)(document.querySelector("ul")!);
        const first = document.querySelector("li")!;
        // It is asked what it is before it is read.
        first.matches = ((selector: string) => (
          (time += late),
          Element.prototype.matches.call(first, selector)
        )) as never;
        const [line = ""] = changes.inWords();
        changes.stop();
        return line;
      } finally {
        performance.now = now;
      }
    };
    const all = (line: string): number =>
      (line.match(/"text/g)?.length ?? 0) + Number(/\(and (\d+) more\)/.exec(line)?.[1]);
    test("200 that came", () => expect([199, 200, 201].map((n) => all(list(n)))).toEqual([199, 200, 200]));
    test("50 behind the first where time is over", () => {
      expect(all(list(51, 20))).toBe(51);
      expect(list(52, 20)).toMatch(/ \(and more\)$/);
    });
    test("51 where no time is left from the beginning", () => {
      const slow = (n: number): string[] => {
        put("<ul x></ul>");
        try {
          return words("<ul x></ul>", (at) => {
            add(Array.from({ length: n }, (_, i) => `<li>text ${i}</li>`).join(""))(at);
            time = 0;
            performance.now = () => (time += 20);
          });
        } finally {
          performance.now = now;
        }
      };
      expect(slow(51)[0]).toMatch(/ \(and \d+ more\)$/);
      expect(slow(52)[0]).toMatch(/ \(and more\)$/);
    });
  });
});

describe("what a page does to its end", () => {
  const dialog = (name: string): string => `<div role=dialog aria-label=${name}>${name}</div>`;
  const set = (html: string) => (at: HTMLElement) => void (at.innerHTML = html);
  const layer = "<div class=modal style='position:fixed;left:0;top:0;width:300px;height:200px'>";
  const boxes = (n: number, html: string): string => "<div>".repeat(n) + html + "</div>".repeat(n);
  const saved = "<i role=status>Saved</i>";
  test.each([
    [
      "the first of two dialogs goes",
      `<main x>${dialog("A")}${dialog("B")}</main>`,
      set(dialog("B")),
      ['dialog "A" closed'],
    ],
    [
      "the second of two dialogs goes",
      `<main x>${dialog("A")}${dialog("B")}</main>`,
      set(dialog("A")),
      ['dialog "B" closed'],
    ],
    [
      "a menu opens before a layer with a dialog",
      "<p>",
      add(`<div role=menu><button role=menuitem>Cut</button></div>${layer}${dialog("A")}</div>`),
      ['menu opened: menuitem "Cut"', 'dialog "A" opened'],
    ],
    [
      "a message is in three boxes that are rendered anew",
      `<main x>${boxes(3, saved)}</main>`,
      set(boxes(3, saved)),
      ['status: "Saved"'],
    ],
    [
      "a message is in four boxes that are rendered anew",
      `<main x>${boxes(4, saved)}</main>`,
      set(boxes(4, saved)),
      ["1 added, 1 removed in main"],
    ],
    [
      "a message stays that looks otherwise",
      "<i role=status x>Saved</i>",
      (at: HTMLElement) => void (at.className = "a"),
      ["1 changed in the page"],
    ],
    [
      "a message is hidden from readers",
      "<i role=status x>Saved</i>",
      (at: HTMLElement) => void (at.ariaHidden = "true"),
      ["1 changed in the page"],
    ],
    [
      "a message has words of its own and a message in it",
      "<p>",
      add("<div role=alert>Failed: <i role=status>no net</i></div>"),
      ['alert: "Failed: no net"'],
    ],
    [
      "a message has another one in it and no more",
      "<p>",
      add("<div aria-live=polite><i role=alert>No</i></div>"),
      ['alert: "No"'],
    ],
    [
      "a message has a box in it and no more",
      "<p>",
      add("<div role=alert><i class=toast>No</i></div>"),
      ['alert: "No"'],
    ],
    [
      "a long text is rendered anew",
      `<section x><p>${"a".repeat(301)}</p></section>`,
      set(`<p>${"a".repeat(301)}</p>`),
      ["1 added, 1 removed in section"],
    ],
    [
      "a control is rendered anew with the first 80 of its letters",
      `<section x><button>${"a".repeat(80)}1</button></section>`,
      set(`<button>${"a".repeat(80)}2</button>`),
      ["1 added, 1 removed in section"],
    ],
    [
      "a control is rendered anew with 79 of its letters",
      `<section x><button>${"a".repeat(79)}1</button></section>`,
      set(`<button>${"a".repeat(79)}2</button>`),
      [`new: button "${"a".repeat(39)}…"`],
    ],
    [
      "a control is another one by its first letter",
      "<section x><button>Go</button></section>",
      set("<button>No</button>"),
      ['new: button "No"'],
    ],
    [
      "a control is rendered anew with its label",
      "<section x><button aria-label=Mute>1</button></section>",
      set("<button aria-label=Mute>2</button>"),
      ["1 added, 1 removed in section"],
    ],
  ])("%s", (_, html, work, said) => expect(words(html as string, work as (at: HTMLElement) => void)).toEqual(said));
  const all = (line = ""): number =>
    (line.match(/"(text|box)/g)?.length ?? 0) + Number(/\(and (\d+) more\)/.exec(line)?.[1] ?? 0);
  test("of a list 50 parts that go, and 200 states, are known", () => {
    const gone = (n: number): string[] =>
      words(`<ul x>${named(n, (i) => `<li>text ${i}</li>`)}</ul>`, (at) =>
        [...at.children].forEach((li) => li.remove()),
      );
    expect([49, 50, 51].map((n) => all(gone(n)[0]))).toEqual([49, 50, 50]);
    const checked = (n: number): string[] =>
      words(`<ul>${named(n, (i) => `<li role=checkbox aria-checked=false>box ${i}</li>`)}</ul>`, () => {
        for (const box of document.querySelectorAll("li")) box.ariaChecked = "true";
      });
    expect([199, 200, 201].map((n) => all(checked(n)[0]))).toEqual([199, 200, 200]);
  });
  test("500 texts and 300 controls that went are known again", () => {
    for (const [n, one, part] of [
      [500, "<p>One</p>", (i: number) => `<p>text ${i}</p>`],
      [300, "<button>One</button>", (i: number) => `<button>text ${i}</button>`],
    ] as const) {
      const anew = (others: number): boolean =>
        words(`<section id=a>${named(others, part)}</section><section x>${one}</section>`, (at) => {
          document.querySelector("#a")!.remove();
          at.innerHTML = one;
        }).some((line) => line.startsWith("new"));
      expect([anew(n - 1), anew(n)]).toEqual([false, true]);
    }
  });
  test("4,000 nodes are read of what came", () => {
    const text = (i: number): string => `<p>${"<i></i>".repeat(490)}text ${i}</p>`;
    expect(all(words("<ul x></ul>", add(named(9, text)))[0])).toBe(8);
  });
  test("90 letters of a message that went again are told", async () => {
    const main = put("<main x></main>");
    const changes = new Changes();
    changes.begin();
    main.innerHTML = `<div role=alert>${"a".repeat(91)}</div>`;
    await pause(0);
    main.innerHTML = "";
    expect(changes.inWords()).toEqual([`alert: "${"a".repeat(89)}…", which went again`]);
    changes.stop();
  });
  test.each([
    ["one that is there", () => shadow(put("<x-a x></x-a>"), ""), 0, true],
    ["one that is there, with 38 others", () => shadow(put(`${"<i></i>".repeat(38)}<x-a x></x-a>`), ""), 38, true],
    ["one that is there, with 39 others", () => shadow(put(`${"<i></i>".repeat(39)}<x-a x></x-a>`), ""), 39, false],
  ])("a message right in a root that went again is told: %s", async (_, made, others, told) => {
    const root = (made as () => ShadowRoot)();
    const changes = new Changes();
    changes.begin();
    for (const at of [...document.querySelectorAll("i")].slice(0, others as number)) at.className = "a";
    root.innerHTML = "<p role=alert>Failed</p>";
    await pause(0);
    root.innerHTML = "";
    expect(changes.inWords().includes('alert: "Failed", which went again')).toBe(told);
    changes.stop();
  });
  test("a message in a root that came and went is told, as data too", async () => {
    put("<section x></section>");
    const changes = new Changes();
    changes.begin();
    const host = document.createElement("x-a");
    const root = shadow(host, "<main></main>");
    document.body.append(host);
    await pause(0);
    root.querySelector("main")!.innerHTML = "<p role=alert>Failed</p>";
    await pause(0);
    root.querySelector("main")!.innerHTML = "";
    expect(changes.inWords()).toEqual(['alert: "Failed", which went again']);
    changes.begin();
    const other = document.createElement("x-b");
    shadow(other, "<p role=alert>Saved</p>");
    document.body.append(other);
    await pause(0);
    expect(changes.diff.told(false).toasts).toEqual([{ text: "Saved", type: "alert" }]);
    changes.stop();
  });
  test("what comes right in a root, or with one to what is there, is told with the part around its host", () => {
    const host = put("<section><x-a x></x-a></section>");
    const changes = new Changes();
    changes.begin();
    const root = shadow(host, "<p>Words</p>");
    expect(changes.inWords()).toEqual(['new in section: "Words"']);
    changes.begin();
    root.append(document.createElement("b"), Object.assign(document.createElement("p"), { textContent: "More" }));
    expect(changes.inWords()).toEqual(['new in section: "More"']);
    changes.stop();
  });
  test("begins with nothing of what was before, and leaves no listener behind", () => {
    const at = put("<section x><p>Tea</p></section>");
    const { addEventListener: on, removeEventListener: off } = document;
    const live = new Set<string>();
    const ids = new Map<unknown, number>();
    const key = (name: string, work: unknown, capture: unknown): string => {
      if (!ids.has(work)) ids.set(work, ids.size);
      return `${name} ${ids.get(work)} ${String(capture)}`;
    };
    document.addEventListener = (...given: [string, never, never]) => (
      live.add(key(...given)),
      on.apply(document, given)
    );
    document.removeEventListener = (...given: [string, never, never]) => (
      live.delete(key(...given)),
      off.apply(document, given)
    );
    try {
      const changes = new Changes();
      at.replaceChildren();
      for (let i = 0; i < 2000; i++) at.className = `c${i}`;
      changes.begin();
      expect(live.size).toBe(1);
      expect(changes.inWords()).toEqual([]);
      at.className = "d";
      expect(changes.inWords()).toEqual(["1 changed in section"]);
      changes.stop();
      expect(live.size).toBe(0);
    } finally {
      Reflect.deleteProperty(document, "addEventListener");
      Reflect.deleteProperty(document, "removeEventListener");
    }
  });
});

describe("what a page does beside what it is told of", () => {
  const long = "a".repeat(90);
  test.each([
    [
      "the words of a dialog that it hides from readers",
      "<div role=dialog aria-label=First x><p>One</p></div>",
      (at: HTMLElement) => {
        at.ariaHidden = "true";
        at.firstElementChild!.textContent = "Two";
      },
      ['dialog "First" closed'],
    ],
    [
      "the list of a message that goes",
      `<div role=status x><ul><li>${long}</li><li>Milk</li></ul></div>`,
      (at: HTMLElement) => {
        at.hidden = true;
        at.firstElementChild!.replaceChildren();
      },
      [`gone: status "${"a".repeat(59)}…"`],
    ],
    [
      "a part of a message that has others in it, with the same words",
      "<div aria-live=polite><b x>Old</b><div role=status>Saved</div></div>",
      (at: HTMLElement) => void (at.textContent = "Old"),
      ["1 added, 1 removed in the page"],
    ],
    [
      "what has no words for its unfolding",
      "<details x>Words</details>",
      (at: HTMLElement) => void ((at as HTMLDetailsElement).open = true),
      ['expanded: group "Words"'],
    ],
    [
      "the name of a button in a dialog that opens",
      "<div role=dialog aria-label=Sure hidden x><button aria-label=Go>o</button></div>",
      (at: HTMLElement) => {
        at.hidden = false;
        at.querySelector("button")!.ariaLabel = "Delete";
      },
      ['dialog "Sure" opened: button "Delete"'],
    ],
    [
      "messages and a dialog without boxes of their own",
      "<p>",
      add(
        "<div style='display:contents' role=alert><p>Saved</p></div><b style='display:contents' role=status>Sent</b>" +
          "<div style='display:contents'><div style='display:contents' role=dialog aria-label=Sure><button>Yes</button></div></div>",
      ),
      ['dialog "Sure" opened: button "Yes"', 'alert: "Saved"', 'status: "Sent"'],
    ],
    [
      "a title where there was none",
      "<p x>o</p>",
      (at: HTMLElement) => void (at.title = "Two"),
      ['in the page: title became "Two"'],
    ],
    [
      "what was in the list of a message",
      "<div role=status><ul x><li>Milk</li></ul></div>",
      (at: HTMLElement) => void (at.innerHTML = "<li>Tea</li>"),
      ['status: "Tea"'],
    ],
    [
      "a part that came and went",
      "<section x></section>",
      (at: HTMLElement) => (add("<p>Tea</p>")(at), at.replaceChildren()),
      ["1 added, 1 removed in section"],
    ],
  ])("%s", (_, html, work, said) => expect(words(html as string, work as (at: HTMLElement) => void)).toEqual(said));
  /** What is said where the page does several things one after the other. */
  function steps(html: string, ...work: ((at: HTMLElement) => unknown)[]): string[] {
    const at = put(html);
    const changes = new Changes();
    changes.begin();
    for (const one of work) {
      one(at);
      changes.look();
    }
    const said = changes.inWords();
    changes.stop();
    return said;
  }
  const empty = (at: Element): void => at.replaceChildren();
  test.each([
    [
      "a dialog goes with a message that had come to look otherwise",
      "<main x><div role=dialog aria-label=Sure><i role=status>Saved</i></div></main>",
      [(at: HTMLElement) => void (at.querySelector("i")!.className = "a"), empty],
      ['dialog "Sure" closed'],
    ],
    [
      "a message is busy for the time that it says so",
      "<div role=status aria-busy=false x style='height:9px'></div>",
      [
        (at: HTMLElement) => {
          at.ariaBusy = "true";
          at.textContent = "Loading";
        },
        empty,
      ],
      ['status: "Loading", which went again'],
    ],
    [
      "a message comes and is rendered anew",
      "<main x></main>",
      [add("<p role=alert>Failed</p>"), (at: HTMLElement) => void (at.innerHTML = "<p role=alert>Failed</p>")],
      ['alert: "Failed"'],
    ],
    [
      "a message comes in a box and goes with it",
      "<main x></main>",
      [add("<div><p role=alert>Failed</p></div>"), empty],
      ['alert: "Failed", which went again'],
    ],
  ])("where %s", (_, html, work, said) =>
    expect(steps(html as string, ...(work as ((at: HTMLElement) => void)[]))).toEqual(said),
  );
  test("40 messages are read as they come, and 200 are known as written", () => {
    const read = (n: number): string[] =>
      steps(
        `<main>${named(n, (i) => `<i role=status>${i}</i>`)}</main><section x></section>`,
        () => (document.querySelector("main")!.className = "a"),
        add("<p role=alert>Failed</p>"),
        empty,
      );
    expect([39, 40].map((n) => read(n).includes('alert: "Failed", which went again'))).toEqual([true, false]);
    const written = (n: number): string | undefined =>
      steps("<ul></ul><i role=status x>Saved</i>", (at) => {
        for (let i = 0; i < n; i++) add("<li>a</li>")(document.querySelector("ul")!);
        at.textContent = "Saved";
      })[0];
    expect([199, 200].map(written)).toEqual(['status: "Saved"', expect.not.stringContaining("status")]);
  });
});
