import { describe, expect, test } from "vitest";
import { Roots, Search, run } from "../../locators/deep.ts";
import { parse } from "../../locators/grammar.ts";
import { type Findable, cssString, find, labelsOf, textOf } from "../../locators/match.ts";
import { Names } from "../../locators/name.ts";

/** The ids of what a selector finds. */
function ids(selector: string, scope: Document | Element | ShadowRoot = document): string[] {
  return run(find(parse(selector) as Findable, new Search(scope, new Roots()))).map((element) => element.id);
}
const put = (html: string): void => void (document.body.innerHTML = html);

describe("testid=", () => {
  test("finds by every usual attribute, in the order of the page", () => {
    put(
      "<p id=a data-testid=t></p><p id=b data-test-id=t></p><p id=c data-test=t></p><p id=d data-cy=t></p><p id=e data-qa=t></p><p data-id=t></p><p data-testid=T></p>",
    );
    expect(ids("testid=t")).toEqual(["a", "b", "c", "d", "e"]);
    expect(ids("testid=data-cy=t")).toEqual(["d"]);
    expect(ids("testid=data-id=t")).toEqual([""]);
  });
  test("takes any value", () => {
    put("<p id=a></p>");
    for (const value of ['"', "\\", "a\nb", "a\rb", "a\fb", "\\a", "'", "]", "a b"]) {
      document.querySelector("p")!.setAttribute("data-testid", value);
      expect(
        run(find({ kind: "testid", id: value }, new Search(document, new Roots()))),
        JSON.stringify(value),
      ).toHaveLength(1);
    }
    expect(cssString('a"b\\c\nd')).toBe('"a\\"b\\\\c\\a d"');
  });
});

describe("placeholder=", () => {
  test("prefers the whole to other case, and that to a part", () => {
    put(
      "<input id=a placeholder='Your name'><input id=b placeholder=name><input id=c placeholder=Name><input id=d placeholder=NAME><input id=e>",
    );
    expect(ids("placeholder=Name")).toEqual(["c"]);
    expect(ids("placeholder=name")).toEqual(["b"]);
    expect(ids("placeholder=nAme")).toEqual(["b", "c", "d"]);
    expect(ids("placeholder=your")).toEqual(["a"]);
    expect(ids("placeholder=zz")).toEqual([]);
    expect(ids('placeholder="nAme"')).toEqual([]);
    expect(ids('placeholder="Name"')).toEqual(["c"]);
    expect(ids("placeholder=")).toEqual([]);
  });
  test("folds white space, and compares 10,000 signs", () => {
    put("<input id=a placeholder=' a \n b '><input id=b>");
    expect(ids('placeholder="a b"')).toEqual(["a"]);
    const b = document.querySelector("#b")!;
    b.setAttribute("placeholder", "x".repeat(9998) + "yz");
    expect(ids("placeholder=yz")).toEqual(["b"]);
    b.setAttribute("placeholder", "x".repeat(9999) + "yz");
    expect(ids("placeholder=yz")).toEqual([]);
    b.setAttribute("placeholder", " ".repeat(39_999) + "y");
    expect(ids("placeholder=y")).toEqual(["b"]);
    b.setAttribute("placeholder", " ".repeat(40_000) + "y");
    expect(ids("placeholder=y")).toEqual([]);
  });
});

describe("label=", () => {
  test("finds fields by labels, aria-label and their names", () => {
    put(
      `<label for=a>Mail</label><input id=a><textarea id=b aria-label=Note></textarea><i id=n>Total</i><output id=c aria-labelledby=n></output>
       <label>Size <select id=d></select></label><meter id=e aria-label=Full></meter><progress id=f aria-label=Done></progress>
       <div id=g contenteditable aria-label=Text></div><div id=h role=slider aria-label=Volume></div>
       <div id=j aria-labelledby=n></div><p id=k aria-label=Part>`,
    );
    expect(ids("label=Mail")).toEqual(["a"]);
    expect(ids("label=Note")).toEqual(["b"]);
    expect(ids("label=Size")).toEqual(["d"]);
    expect(ids("label=Full")).toEqual(["e"]);
    expect(ids("label=Done")).toEqual(["f"]);
    expect(ids("label=Text")).toEqual(["g"]);
    expect(ids("label=Volume")).toEqual(["h"]);
    expect(ids("label=Total")).toEqual(["c", "j"]);
    expect(ids("label=Part")).toEqual(["k"]);
    expect(ids("label=")).toEqual([]);
    expect(ids("label=zz")).toEqual([]);
  });
  test("finds what no label is for by nothing", () => {
    put("<button id=a title=Tip></button><input id=b title=Tip><input id=c role=textbox title=Tip>");
    expect(ids("label=Tip")).toEqual([]);
  });
  test("finds by the whole text of a label, and by the name that leaves parts out", () => {
    put("<label>Amount <input id=a value=5> in <select><option>EUR<option>USD</select></label>");
    expect(ids("label=Amount in EURUSD")).toEqual(["a"]);
    expect(ids("label=Amount in EUR")).toEqual(["a"]);
    expect(ids('label="Amount in EUR"')).toEqual(["a"]);
    expect(ids('label="Amount in"')).toEqual([]);
  });
  test("finds by aria-label where aria-labelledby gives the name", () => {
    put("<input id=a aria-label=one aria-labelledby=n><i id=n>two</i>");
    expect(ids('label="one"')).toEqual(["a"]);
    expect(ids('label="two"')).toEqual(["a"]);
  });
  test("knows an element by its labels", () => {
    put("<label for=a>1</label><label for=a>2</label><input id=a aria-label=3><input id=b>");
    expect(labelsOf(document.querySelector("#a")!, new Names())).toEqual(["1", "2", "3"]);
    expect(labelsOf(document.querySelector("#b")!, new Names())).toEqual([""]);
  });
});

describe("role=", () => {
  test("finds by role alone, in the order of the page", () => {
    put(
      "<button id=a></button><div id=b role=button></div><button id=c role=link></button><input id=d type=submit><div id=e role='x button'></div>",
    );
    expect(ids("role=button")).toEqual(["a", "b", "d", "e"]);
    expect(ids("role=x")).toEqual([]);
  });
  test("finds elements of several tags in the order of the page, each once", () => {
    put(
      "<input id=a type=submit><div id=b role=BUTTON></div><button id=c role=button></button><details><summary id=d></summary></details><input id=e type=reset><button id=f></button>",
    );
    expect(ids("role=button")).toEqual(["a", "b", "c", "d", "e", "f"]);
  });
  test("finds by name: the whole before other case before a part", () => {
    put(
      "<button id=a>Save all</button><button id=b>SAVE</button><button id=c>Save</button><button id=d>Cancel</button>",
    );
    expect(ids("role=button[name=Save]")).toEqual(["c"]);
    expect(ids("role=button[name=save]")).toEqual(["b", "c"]);
    expect(ids("role=button[name='save a']")).toEqual(["a"]);
    expect(ids("role=button[name='save']")).toEqual(["b", "c"]);
    expect(ids("role=button[name=zz]")).toEqual([]);
    expect(ids("role=button[name='']")).toEqual([]);
    expect(ids("role=button[name=avesall]")).toEqual([]);
  });
  test("finds by words that stand in elements of their own", () => {
    put("<button id=a><div>Pay</div><div>now</div></button>");
    expect(ids("role=button[name='pay now']")).toEqual(["a"]);
  });
  test("finds by names that are cut", () => {
    put(`<button id=a>${"a".repeat(250)}</button><button id=b>${"a".repeat(150)}</button>`);
    expect(ids(`role=button[name="${"a".repeat(250)}"]`)).toEqual(["a"]);
    expect(ids(`role=button[name="${"a".repeat(199)}…"]`)).toEqual(["a"]);
  });
  test("finds by states", () => {
    put(
      `<input type=checkbox id=a checked><input type=checkbox id=b><input type=checkbox id=c><div role=checkbox id=d aria-checked=true></div><div role=checkbox id=e></div>
       <button id=f disabled></button><button id=g aria-disabled=true></button><fieldset disabled><button id=h></button></fieldset><button id=i></button>
       <select><option id=j selected>1<option id=k>2</select><div role=listbox><div role=option id=l aria-selected=true></div></div>
       <details open><summary id=m></summary></details><details><summary id=n></summary></details><button id=o aria-expanded=true></button><div role=button id=p aria-expanded=true></div>
       <button id=q aria-pressed=mixed></button>`,
    );
    document.querySelector<HTMLInputElement>("#c")!.indeterminate = true;
    expect(ids("role=checkbox[checked]")).toEqual(["a", "d"]);
    expect(ids("role=checkbox[checked=false]")).toEqual(["b", "e"]);
    expect(ids("role=checkbox[checked=mixed]")).toEqual(["c"]);
    expect(ids("role=button[disabled]")).toEqual(["f", "g", "h"]);
    expect(ids("role=option[selected]")).toEqual(["j", "l"]);
    expect(ids("role=option[selected=false]")).toEqual(["k"]);
    expect(ids("role=button[expanded]")).toEqual(["m", "o", "p"]);
    expect(ids("role=button[pressed=mixed]")).toEqual(["q"]);
    expect(ids("role=button[pressed][disabled]")).toEqual([]);
    expect(ids("role=button[disabled=false][expanded=true]")).toEqual(["m", "o", "p"]);
  });
});

describe("text=", () => {
  test.each([
    ["the innermost element", "<div><p id=a>Save</p></div>", "Save", ["a"]],
    ["the whole before a part", "<p id=a>Save all</p><p id=b>Save</p>", "Save", ["b"]],
    ["letter for letter before other case", "<p id=a>SAVE</p><p id=b>Save</p>", "Save", ["b"]],
    ["in other case", "<p id=a>SAVE</p><p id=b>Save</p>", "save", ["a", "b"]],
    ["a part", "<p id=a>Save all</p><p id=b>Unsaved</p>", "save", ["a", "b"]],
    ["exactly", "<p id=a>Save all</p><p id=b>Save</p>", '"Save"', ["b"]],
    ["nothing but exactly", "<p id=a>Save all</p>", '"Save"', []],
    ["nothing", "<p id=a>Save all</p>", "Cancel", []],
    ["the empty text nowhere", "<p id=a>Save</p>", '""', []],
    ["over white space", "<p id=a>Save \n  all</p>", "save all", ["a"]],
    ["over elements", "<p id=a>Save <b>all</b></p>", "save all", ["a"]],
    ["over two elements of three", "<p id=a><i>Save</i> <b>all</b> <u>of it</u></p>", "all of it", ["a"]],
    ["twice in one element", "<p id=a>Save, save</p>", "save", ["a"]],
    ["in an element and in one in it", "<p id=a>Save <b id=b>Save</b></p>", "Save", ["b"]],
    ["a part, in an element and in one in it", "<p id=a>Save <b id=b>Save</b></p>", "sav", ["b"]],
    ["a part, in the innermost of many", "<p>Save <b>Save <i id=a>Save</i><i id=b>Save</i></b></p>", "sav", ["a", "b"]],
    ["other case before a part", "<p id=a>Save all</p><p id=b>SAVE</p>", "save", ["b"]],
    ["the value of a button beside one text", "<p id=a>Go</p><input id=b type=button value=Go>", "Go", ["a", "b"]],
    ["in an element around, when the inner does not fit", "<p id=a>Save <b id=b>no</b></p>", "save", ["a"]],
    ["in neighbours", "<p><i id=a>Save</i><i id=b>Save</i></p>", "Save", ["a", "b"]],
    ["signs of patterns", "<p id=a>a.b*c+d?[e](f){g}^h$i|j\\k/l</p><p>axb</p>", "a.b*c+d?[e](f){g}^h$i|j\\k/l", ["a"]],
    ["a dot is a dot", "<p id=a>axb</p>", "a.b", []],
    [
      "the value of buttons",
      "<input id=a type=button value=Go><input id=b type=submit value=go><input id=c type=reset value='Go on'><input id=d value=Go>",
      "Go",
      ["a"],
    ],
    [
      "the value of buttons beside texts, in their order",
      "<p id=a>Go</p><input id=b type=button value=Go><p id=c>Go</p>",
      "Go",
      ["a", "b", "c"],
    ],
    [
      "part of the value of buttons",
      "<input id=a type=button value='Go on'><input id=b type=button value=no>",
      "go",
      ["a"],
    ],
    [
      "not in scripts and the like",
      "<script>Save</script><style>Save</style><noscript>Save</noscript><template>Save</template><title>Save</title><p id=a>unsaved</p>",
      "save",
      ["a"],
    ],
    ["behind a match in a script", "<script>Save</script><p id=a>Save</p>", "Save", ["a"]],
    ["right to left and emoji", "<p id=a>שלום 💾</p>", "שלום 💾", ["a"]],
    ["letters that change their length in lower case", "<p>İİİİ</p><p id=a>Save</p>", "save", ["a"]],
    ["the second of two in one text", "<p>Save</p><p id=a>Save all</p>", "save all", ["a"]],
    ["from the last sign of a node", "<p id=a><i>ab</i><b>c</b></p>", "bc", ["a"]],
    ["behind what goes over two", "<table><tr><td id=a>1</td><td id=b>11</td></tr></table>", "11", ["b"]],
    ["behind what goes over three", "<i>a</i><i>ba</i><i id=a>bab</i>", "bab", ["a"]],
    ["behind emoji that go over two", "<i>💾</i><i id=a>💾💾</i>", "💾💾", ["a"]],
    ["of which others go over two", "<i>a</i><i id=a>aa</i><i>a</i><i id=b>aa</i>", "aa", ["a", "b"]],
    ["the whole last node", "<p id=a><i>ab</i><b id=b>c</b></p>", "c", ["b"]],
  ])("%s", (_, html, text, found) => {
    put(html as string);
    expect(ids(`text=${text as string}`)).toEqual(found);
  });
  test("far apart, between long texts, in deep elements and over their ends", () => {
    const filler = `<div><p>${"long text ".repeat(80)}</p><!-- a comment --><i>more</i></div>`.repeat(20);
    const deep = "<div>".repeat(60) + "<b id=c>needle</b>" + "</div>".repeat(60);
    put(
      `${filler}<p id=a>a needle</p>${filler}<section>${filler}<p id=b><i>need</i><i>le</i></p></section>${filler}${deep}${filler}<p id=d>needle</p>`,
    );
    expect(ids("text=needle")).toEqual(["b", "c", "d"]);
    expect(ids("text=a needle")).toEqual(["a"]);
    put(`${"<u>x</u>".repeat(3000)}<p id=a>needle</p>${"<u>x</u>".repeat(3000)}<p id=b>needle</p>`);
    expect(ids("text=needle")).toEqual(["a", "b"]);
  });
  test("below a scope, and never the scope itself", () => {
    put("<p id=a>Save</p><div id=scope>Save <b id=b>Save all</b></div><div id=other>Save</div>");
    expect(ids("text=Save", document.querySelector("#scope")!)).toEqual(["b"]);
    expect(ids("text=Save", document.querySelector("#other")!)).toEqual([]);
  });
  test("in shadow roots, in the order of the page; the best of all roots counts", () => {
    put("<p id=a>Save all</p><div id=host>light</div><p id=b>Save</p>");
    const root = document.querySelector("#host")!.attachShadow({ mode: "open" });
    root.innerHTML = "<p id=c>Save</p><p id=d>Save all</p>top";
    expect(ids("text=Save")).toEqual(["c", "b"]);
    expect(ids("text=save all")).toEqual(["a", "d"]);
    expect(ids("text=top")).toEqual([]);
    expect(ids('text="Save"')).toEqual(["c", "b"]);
  });
  test("below a scope, whatever fits better in a root elsewhere", () => {
    put("<div id=scope><p id=a>Save all</p></div><div id=host></div>");
    document.querySelector("#host")!.attachShadow({ mode: "open" }).innerHTML = "<p id=b>Save</p>";
    expect(ids("text=Save", document.querySelector("#scope")!)).toEqual(["a"]);
  });
  test("in a document without an element", () => {
    const empty = document.implementation.createHTMLDocument();
    empty.documentElement.remove();
    expect(ids("text=Save", empty)).toEqual([]);
  });
  test("in a scope that an element is moved out of", () => {
    put("<p id=a>Save</p>");
    expect(ids("text=Save", document.querySelector("#a")!.parentElement!)).toEqual(["a"]);
  });
  test("of long texts, 10,000 signs are compared", () => {
    put("<p id=a></p>");
    document.querySelector("#a")!.textContent = `${"x".repeat(12_000)} Save`;
    // Only a part is known of it: it is found as one.
    expect(ids("text=Save")).toEqual(["a"]);
    expect(ids('text="Save"')).toEqual([]);
  });
  test("is what an element says", () => {
    put("<input id=a type=button value=Go><input id=b value=Go><p id=c>a<b>b</b></p>");
    expect("abc".split("").map((id) => textOf(document.getElementById(id)!))).toEqual(["Go", "", "ab"]);
    expect(textOf(document.implementation.createDocument(null, "a").documentElement)).toBe("");
  });
});

test("searches pause in proportion to what they look at", () => {
  const pauses = (selector: string): number => {
    const steps = find(parse(selector) as Findable, new Search(document, new Roots()));
    let n = 0;
    while (!steps.next().done) n++;
    return n;
  };
  for (const [count, more] of [
    [99, 0],
    [100, 1],
  ] as const) {
    put("<button placeholder=a aria-label=b>c</button>".repeat(count));
    expect(["testid=a", "placeholder=a", "label=b", "role=button"].map(pauses)).toEqual([
      1,
      1 + more,
      2 + more,
      1 + more,
    ]);
  }
  put("<button placeholder=a aria-label=b>c</button>".repeat(50));
  const few = ["role=button", "placeholder=a", "label=b"].map(pauses);
  put("<button placeholder=a aria-label=b>c</button>".repeat(1000));
  const many = ["role=button", "placeholder=a", "label=b"].map(pauses);
  expect(many.map((n, i) => n - few[i]!)).toEqual([12, 12, 12]);
  expect(pauses("role=button[name=b]") - pauses("role=button")).toBe(10);
});
