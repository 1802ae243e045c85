import { describe, expect, test } from "vitest";
import { Names, nameOf } from "../../locators/name.ts";

/** Fills the page. Returns the element with the attribute x. */
function put(html: string): Element {
  document.body.innerHTML = html;
  return document.querySelector("[x]")!;
}

describe("the name of", () => {
  test.each([
    ["a button by its text", "<button x> Pay <b>now</b> </button>", "Pay now"],
    ["a paragraph is not its text", "<p x>text</p>", ""],
    ["a paragraph is its title", "<p x title=tip>text</p>", "tip"],
    ["a button without text is its title", "<button x title=tip> </button>", "tip"],
    ["a button with a title is its text", "<button x title=tip>text</button>", "text"],
    ["aria-label wins over text", "<button x aria-label=' label '>text</button>", "label"],
    ["an empty aria-label is none", "<button x aria-label=' '>text</button>", "text"],
    [
      "aria-labelledby wins over aria-label",
      "<button x aria-label=label aria-labelledby=a>text</button><i id=a>named</i>",
      "named",
    ],
    ["several ids in their order", "<button x aria-labelledby=' b  a '>text</button><i id=a>A</i><i id=b>B</i>", "B A"],
    ["ids of nothing are none", "<button x aria-labelledby=zz>text</button>", "text"],
    [
      "an element that names itself and another",
      "<button x id=x aria-label=Delete aria-labelledby='x a'>text</button><i id=a>file</i>",
      "Delete file",
    ],
    [
      "what is named by something hidden",
      "<button x aria-labelledby=a>text</button><i id=a style='display:none'>hidden</i>",
      "hidden",
    ],
    [
      "what names is not named by others",
      "<button x aria-labelledby=a></button><i id=a aria-labelledby=b>A</i><i id=b>B</i>",
      "A",
    ],
    [
      "what names by a part that is named by others",
      "<button x aria-labelledby=a></button><i id=a>1 <b aria-labelledby=b>A</b></i><i id=b>B</i>",
      "1 B",
    ],
    [
      "what names with a field tells its value",
      "<button x aria-labelledby=a></button><input id=a value=typed>",
      "typed",
    ],
    [
      "what names with a field that has a label",
      "<button x aria-labelledby=a></button><input id=a value=typed aria-label=label>",
      "label",
    ],
    ["a heading", "<h2 x>head</h2>", "head"],
    ["a link", "<a x href=#>link</a>", "link"],
    ["a link without href", "<a x>link</a>", ""],
    ["every role that its content names", "<div x role=checkbox>a</div>", "a"],
    ["a list is not its content", "<ul x><li>a</ul>", ""],
    ["a menu inside is left out", "<button x>a<div role=menu>b</div></button>", "a"],
    ["a caption", "<table><caption x>orders</caption></table>", "orders"],
    ["a table by its caption", "<table x><caption>orders</caption><tr><td>a</table>", "orders"],
    ["a table without one", "<table x><tr><td>a</table>", ""],
    ["a fieldset by its legend", "<fieldset x><p>no</p><legend>address</legend></fieldset>", "address"],
    ["a drawing by its title", "<svg x><g><title>no</title></g><title>chart</title></svg>", "chart"],
    ["a drawing without one", "<svg x><g></g></svg>", ""],
    ["a picture", "<img x alt=' cat '>", "cat"],
    ["a picture by its title", "<img x alt='' title=cat>", "cat"],
    ["an area", "<map><area x href=# alt=here></map>", "here"],
    ["a group of options", "<select><optgroup x label=sizes></select>", "sizes"],
    ["an option", "<select><option x>big</select>", "big"],
    ["a button of input", "<input x type=button value=go>", "go"],
    ["a submit by its value", "<input x type=submit value=go>", "go"],
    ["a submit", "<input x type=submit>", "Submit"],
    ["a reset by its value", "<input x type=reset value=go>", "go"],
    ["a reset", "<input x type=reset>", "Reset"],
    ["a submit by its label", "<label>l<input x type=submit value=go></label>", "l"],
    ["a submit with an empty value", "<input x type=submit value=''>", ""],
    ["a picture that submits by alt", "<input x type=image alt=go title=tip>", "go"],
    ["a picture that submits by title", "<input x type=image title=tip>", "tip"],
    ["a picture that submits", "<input x type=image>", "Submit Query"],
    ["a picture that submits by its label", "<label>l<input x type=image alt=go></label>", "l"],
    ["a field by its label", "<label for=x>mail</label><input x id=x value=typed>", "mail"],
    ["a field by the label around it, without itself", "<label>mail <input x value=typed> here</label>", "mail here"],
    [
      "a field by two labels",
      "<label for=x>mail</label><label>more<input x id=x></label><label for=x> </label>",
      "mail more",
    ],
    ["the second field in a label", "<label>every <input value=5> days <input x type=checkbox></label>", ""],
    [
      "a box in whose label a field is",
      "<input x type=checkbox id=x><label for=x>every <input value=5> days</label>",
      "every 5 days",
    ],
    [
      "a label with a search and a text area",
      "<input x type=checkbox id=x><label for=x>a <input type=search value=b> <textarea>c</textarea></label>",
      "a b c",
    ],
    [
      "a label with an editor",
      "<input x type=checkbox id=x><label for=x>a <i role=textbox>b</i> <i role=searchbox>c</i></label>",
      "a b c",
    ],
    [
      "a label with a list",
      "<input x type=checkbox id=x><label for=x>a <select><option>b<option selected>c</select></label>",
      "a c",
    ],
    [
      "a label with a list of many",
      "<input x type=checkbox id=x><label for=x>a <select multiple><option selected>b<option selected>c<option>d</select></label>",
      "a b c",
    ],
    [
      "a label with a custom list",
      "<input x type=checkbox id=x><label for=x>a <i role=listbox><b aria-selected=true>b</b><b>c</b></i></label>",
      "a b",
    ],
    [
      "a label with a custom box",
      "<input x type=checkbox id=x><label for=x>a <i role=combobox><b aria-selected=true>b</b><b aria-selected=true>c</b></i></label>",
      "a b c",
    ],
    [
      "a label with a field that suggests",
      "<input x type=checkbox id=x><label for=x>a <input list=l value=b></label>",
      "a b",
    ],
    ["a label with a range", "<input x type=checkbox id=x><label for=x>a <input type=range value=7></label>", "a 7"],
    ["a label with a number", "<input x type=checkbox id=x><label for=x>a <input type=number value=7></label>", "a 7"],
    [
      "a label with a progress",
      "<input x type=checkbox id=x><label for=x>a <progress value=0.5></progress></label>",
      "a 0.5",
    ],
    [
      "a label with a scrollbar that says how much",
      "<input x type=checkbox id=x><label for=x>a <i role=scrollbar aria-valuenow=7>b</i></label>",
      "a 7",
    ],
    [
      "a label with a slider that says it in words",
      "<input x type=checkbox id=x><label for=x>a <i role=slider aria-valuetext=most aria-valuenow=7>b</i></label>",
      "a most",
    ],
    [
      "a label with a spin button without a value",
      "<input x type=checkbox id=x><label for=x>a <i role=spinbutton>b</i> c</label>",
      "a c",
    ],
    [
      "a label with a meter",
      "<input x type=checkbox id=x><label for=x>a <i role=meter value=' 3 '>b</i></label>",
      "a 3",
    ],
    [
      "a field of which aria-label is there, in a label",
      "<input x type=checkbox id=x><label for=x>a <input aria-label=no value=5></label>",
      "a 5",
    ],
    [
      "a button in a label",
      "<input x type=checkbox id=x><label for=x>a <button aria-label=b>c</button></label>",
      "a b",
    ],
    ["a labelled field is not its value", "<input x value=typed>", ""],
    ["a field is its title", "<input x value=typed title=tip>", "tip"],
    ["a field is its placeholder", "<input x placeholder=hint>", "hint"],
    ["a field's title wins over its placeholder", "<input x placeholder=hint title=tip>", "tip"],
    [
      "a field's placeholder wins over aria-placeholder",
      "<textarea x aria-placeholder=ap placeholder=hint></textarea>",
      "hint",
    ],
    ["a field is its aria-placeholder", "<input x aria-placeholder=ap>", "ap"],
    ["a box shows no placeholder", "<input x type=checkbox placeholder=hint aria-placeholder=ap>", ""],
    ["an editor's aria-placeholder wins over its title", "<p x role=textbox aria-placeholder=ap title=tip>a</p>", "ap"],
    ["other elements have no placeholder", "<p x placeholder=hint aria-placeholder=ap>a</p>", ""],
    ["an empty field in a name", "<button x><input placeholder=hint> go</button>", "hint go"],
    [
      "an empty field in a name that has a label",
      "<button x><input placeholder=hint aria-label=l> go</button>",
      "l go",
    ],
    ["an empty list in a name", "<button x>a <select title=tip></select> b</button>", "a b"],
    ["ids of what has no text are none", "<button x aria-labelledby=n>text</button><i id=n> </i>", "text"],
    ["a meter by its label", "<label>full <meter x value=1></meter></label>", "full"],
    ["an output by its label", "<label for=x>sum</label><output x id=x>5</output>", "sum"],
    ["a select by its label", "<label>size <select x><option>b</select></label>", "size"],
    ["a text area by its label", "<label>note <textarea x>b</textarea></label>", "note"],
    ["a button by its label", "<label>go <button x>no</button></label>", "go"],
    [
      "text without what is hidden",
      "<button x>a<i hidden>b</i><i aria-hidden=true>c</i><i style='display:none'>d</i><i style='visibility:hidden'>e</i><i style='visibility:collapse'>f</i></button>",
      "a",
    ],
    ["text with what is not hidden", "<button x>a<i aria-hidden=false>b</i></button>", "ab"],
    ["text without what is inert", "<button x>a<i inert>b</i><img inert alt=c></button>", "a"],
    ["no inert element that is named", "<button x aria-labelledby=l>a</button><i inert><b id=l>b</b></i>", "a"],
    [
      "a named element without what is inert in it",
      "<button x aria-labelledby=l>a</button><i id=l><b inert>b</b>c</i>",
      "c",
    ],
    [
      "a hidden one with what is inert in it",
      "<button x aria-labelledby=l>a</button><i id=l hidden><b inert>b</b>c</i>",
      "bc",
    ],
    ["an inert label", "<label inert>a <input x></label><label inert for=y>b</label>", "a"],
    ["no inert legend", "<fieldset x><legend inert>a</legend></fieldset>", ""],
    ["no inert caption", "<table x><caption inert>a</caption><tr><td>1</table>", ""],
    [
      "text without scripts",
      "<button x>a<script>1</script><style>b{}</style><noscript>c</noscript><template>d</template></button>",
      "a",
    ],
    [
      "words apart by blocks",
      "<button x>a<div>b</div>c<br>d<i>e</i><i style='display:inline-block'>f</i><i style='display:contents'>g</i></button>",
      "a b c de f g",
    ],
    ["comments are no text", "<button x>a<!-- b -->c</button>", "ac"],
    ["pictures in text", "<button x><img alt=cat> b</button>", "cat b"],
    ["titles in text", "<button x><i title=tip></i> b</button>", "b"],
    ["aria-owns adds", "<button x aria-owns='o p'>a</button><i id=o>b</i><i id=p> c</i>", "a b c"],
    ["aria-owns of itself does not loop", "<button x id=x aria-owns=x>a</button>", "a"],
    [
      "things named by each other",
      "<button x id=a aria-labelledby=b>a</button><i id=b><i aria-labelledby=a>b</i></i>",
      "a",
    ],
    ["a custom element of a form", "<x-a x title=tip>a</x-a>", "tip"],
    ["text is cut at 200 signs", `<button x>${"a".repeat(201)}</button>`, `${"a".repeat(199)}…`],
    ["text of 200 signs is whole", `<button x>${"a".repeat(200)}</button>`, "a".repeat(200)],
  ])("%s", (_, html, name) => expect(nameOf(put(html as string))).toBe(name));
  test.each(
    "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio radio row rowheader switch tab term tooltip doc-backlink doc-biblioref doc-glossref doc-noteref".split(
      " ",
    ),
  )("a %s is its content", (role) => expect(nameOf(put(`<div x role=${role}>a</div>`))).toBe("a"));
  test.each([
    ["option", "<div role=listbox><div x role=option>a</div></div>"],
    ["treeitem", "<div role=tree><div x role=treeitem>a</div></div>"],
    ["legend", "<legend x>a</legend>"],
  ])("an %s is its content", (_, html) => expect(nameOf(put(html as string))).toBe("a"));
  test("something in a shadow root is given by ids of that root", () => {
    const root = put("<div x></div><i id=a>outside</i>").attachShadow({ mode: "open" });
    root.innerHTML = "<button aria-labelledby=a>b</button><i id=a>inside</i>";
    expect(nameOf(root.querySelector("button")!)).toBe("inside");
  });
  test("something detached is given by no ids", () => {
    const top = document.createElement("div");
    top.innerHTML = "<button aria-labelledby=a>b</button><i id=a>c</i>";
    expect(nameOf(top.querySelector("button")!)).toBe("b");
  });
  test("something with a slot is what stands in it, or else what the slot holds", () => {
    const host = put("<div x>light <b>bold</b></div>");
    const root = host.attachShadow({ mode: "open" });
    root.innerHTML = "<button>a <slot></slot> <slot name=none>else</slot></button>";
    expect(nameOf(root.querySelector("button")!)).toBe("a light bold else");
  });
});

describe("a name stays within bounds", () => {
  test("each text is read as far as 2,000 signs", () => {
    const button = put("<button x>a</button>");
    button.textContent = `${" ".repeat(1999)}a`;
    expect(nameOf(button)).toBe("a");
    button.textContent = `${" ".repeat(2000)}a`;
    expect(nameOf(button)).toBe("");
  });
  test("elements are read until there are 2,000 signs", () => {
    const fill = (spaces: number): string => `<button x>${"<!---->" + " ".repeat(spaces)}<i>a</i></button>`;
    expect(nameOf(put(fill(1999)))).toBe("a");
    expect(nameOf(put(fill(2000)))).toBe("");
  });
  test("500 nodes are read", () => {
    const button = put("<button x></button>");
    const fill = (nodes: number): string => {
      button.replaceChildren(...Array.from({ length: nodes }, () => document.createTextNode("")), "a");
      return nameOf(button);
    };
    expect(fill(498)).toBe("a");
    expect(fill(499)).toBe("");
  });
  test("elements are not read when no node is left", () => {
    const button = put("<button x></button>");
    const fill = (nodes: number): string => {
      const last = document.createElement("i");
      last.textContent = "a";
      button.replaceChildren(...Array.from({ length: nodes }, () => document.createTextNode("")), last);
      return nameOf(button);
    };
    expect(fill(497)).toBe("a");
    expect(fill(498)).toBe("");
  });
  test("100 steps down are read", () => {
    const deep = (steps: number): string =>
      nameOf(put(`<button x>${"<i>".repeat(steps)}a${"</i>".repeat(steps)}</button>`));
    expect(deep(99)).toBe("a");
    expect(deep(100)).toBe("");
  });
  test("100 steps of labels and ids count too", () => {
    const deep = (steps: number): string =>
      nameOf(put(`<input type=checkbox x id=x><label for=x>${"<i>".repeat(steps)}a${"</i>".repeat(steps)}</label>`));
    expect(deep(98)).toBe("a");
    expect(deep(99)).toBe("");
    const named = (steps: number): string =>
      nameOf(
        put(`<button x aria-labelledby=i></button><div id=i>${"<i>".repeat(steps)}a${"</i>".repeat(steps)}</div>`),
      );
    expect(named(98)).toBe("a");
    expect(named(99)).toBe("");
  });
  test("100 ids are read", () => {
    const ids = Array.from({ length: 101 }, (_, i) => `n${i}`);
    const name = nameOf(
      put(`<button x aria-labelledby='${ids.join(" ")}'></button>${ids.map((id) => `<i id=${id}>a</i>`).join("")}`),
    );
    expect(name).toBe(Array.from({ length: 100 }, () => "a").join(" "));
  });
  test("100 chosen options are read", () => {
    const options = "<option selected>a".repeat(101);
    const name = nameOf(put(`<input x type=checkbox id=x><label for=x><select multiple>${options}</select></label>`));
    expect(name).toBe(Array.from({ length: 100 }, () => "a").join(" "));
  });
});

describe("names of one pass", () => {
  test("are read once", () => {
    const names = new Names();
    const button = put("<button x>a</button>");
    expect(names.of(button)).toBe("a");
    button.textContent = "b";
    expect(names.of(button)).toBe("a");
    expect(nameOf(button, names)).toBe("a");
    expect(nameOf(button)).toBe("b");
  });
  const texts = (elements: readonly Element[]): (string | null)[] => elements.map((label) => label.textContent);
  test("know the labels of each control, the first that is asked for and the others", () => {
    put(
      "<label for=a>1</label><label>2<input id=a></label><label>3<input></label><input id=c><label><i>no</i></label>",
    );
    const names = new Names();
    const [a, b, c] = document.querySelectorAll("input");
    for (let i = 0; i < 2; i++) {
      expect(texts(names.labelsOf(a!))).toEqual(["1", "2"]);
      expect(texts(names.labelsOf(b!))).toEqual(["3"]);
      expect(texts(names.labelsOf(c!))).toEqual([]);
    }
    expect(texts(new Names().labelsOf(c!))).toEqual([]);
  });
  test("know the labels of a control of many", () => {
    put("<input><label for=a>1</label><label for=a>2</label><input id=a>");
    const names = new Names();
    const [first, a] = document.querySelectorAll("input");
    names.labelsOf(first!);
    expect(texts(names.labelsOf(a!))).toEqual(["1", "2"]);
  });
  test("know the labels in each shadow root, read once", () => {
    put("<input><label>out <input></label><div x></div>").attachShadow({ mode: "open" }).innerHTML =
      "<label>in <input></label>";
    const names = new Names();
    const [first, second] = document.querySelectorAll("input");
    names.labelsOf(first!);
    const inner = document.querySelector("[x]")!.shadowRoot!.querySelector("input")!;
    expect(texts(names.labelsOf(inner))).toEqual(["in "]);
    expect(texts(names.labelsOf(second!))).toEqual(["out "]);
    document.querySelector("label")!.remove();
    document.body.append(second!);
    expect(texts(names.labelsOf(second!))).toEqual(["out "]);
  });
  test.each("input select textarea button meter progress output".split(" "))("know that a %s has labels", (tag) => {
    const control = put(`<label for=x>l</label><${tag as string} x id=x></${tag as string}>`);
    expect(texts(new Names().labelsOf(control))).toEqual(["l"]);
    const names = new Names();
    names.labelsOf(document.createElement("input"));
    expect(texts(names.labelsOf(control))).toEqual(["l"]);
  });
  test("know the labels of custom elements of forms", () => {
    if (!customElements.get("x-field"))
      customElements.define(
        "x-field",
        class extends HTMLElement {
          static formAssociated = true;
        },
      );
    const field = put("<label>l<x-field x></x-field></label><p>");
    const names = new Names();
    expect(names.labelsOf(document.querySelector("p")!)).toEqual([]);
    names.labelsOf(document.createElement("input"));
    expect(texts(names.labelsOf(field))).toEqual(["l"]);
    expect(new Names().labelsOf(document.createElement("x-none"))).toEqual([]);
  });
});

describe("whether a name may hold letters", () => {
  test.each([
    ["in its text", "<button x>Pay now</button>", "paynow", true],
    ["in a part of its text", "<button x>Pay now</button>", "now", true],
    ["with others between", "<button x>Pay <i>or</i> now</button>", "paynow", true],
    ["not in its text", "<button x>Pay now</button>", "later", false],
    ["in another order", "<button x>Pay now</button>", "nowpay", false],
    ["one more than its text", "<button x>Pay</button>", "payy", false],
    ["none", "<button x>Pay</button>", "", true],
    ["aria-label", "<button x aria-label=a>Pay</button>", "zz", true],
    ["aria-labelledby", "<button x aria-labelledby=a>Pay</button>", "zz", true],
    ["aria-owns", "<button x aria-owns=a>Pay</button>", "zz", true],
    ["title", "<button x title=a>Pay</button>", "zz", true],
    ["alt", "<button x alt=a>Pay</button>", "zz", true],
    ["a picture in it", "<button x><i><img></i>Pay</button>", "zz", true],
    ["no more than text in it", "<button x><i>Pay</i></button>", "zz", false],
    ["its label", "<label>mail <input x></label>", "mail", true],
    ["not its label", "<label>mail <input x></label>", "zz", false],
    ["a label with something else in it", "<label>mail <input x> <img></label>", "zz", true],
    ["a label with something else before it", "<label><img> mail <input x></label>", "zz", true],
    ["one of two labels", "<label for=x>a</label><label for=x>b</label><input x id=x>", "b", true],
    ["an input without a label", "<input x>", "zz", true],
    ["a select", "<select x></select>", "zz", true],
    ["a text area", "<textarea x></textarea>", "zz", true],
    ["a fieldset", "<fieldset x></fieldset>", "zz", true],
    ["a table", "<table x></table>", "zz", true],
    ["a caption", "<table><caption x></caption></table>", "zz", true],
    ["a drawing", "<svg x></svg>", "zz", true],
    ["a group of options", "<select><optgroup x></select>", "zz", true],
    ["what has no name of its content", "<p x>Pay</p>", "pay", false],
  ])("%s", (_, html, letters, may) => {
    expect(new Names().mayHold(put(html as string), letters as string)).toBe(may);
  });
  test.each(
    "[aria-label]|[aria-labelledby]|[aria-owns]|[title]|[alt]|[role]|svg|img|input|select|textarea|button|slot|meter|progress|fieldset|table|label|optgroup".split(
      "|",
    ),
  )("is open with %s in it", (css) => {
    const link = put("<a x href=#>Pay</a>");
    const attribute = /^\[(.*)\]$/.exec(css as string)?.[1];
    link.append(document.createElement(attribute ? "i" : (css as string)));
    if (attribute) link.firstElementChild!.setAttribute(attribute, "a");
    expect(new Names().mayHold(link, "zz")).toBe(true);
  });
  test("is told from 10,000 signs", () => {
    const button = put("<button x></button>");
    button.textContent = `${" ".repeat(9999)}a`;
    expect(new Names().mayHold(button, "a")).toBe(true);
    button.textContent = `${" ".repeat(10_000)}a`;
    expect(new Names().mayHold(button, "a")).toBe(false);
  });
});
