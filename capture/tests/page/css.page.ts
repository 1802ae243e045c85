import { describe, expect, test } from "vitest";
import { cssPath, stable } from "../../locators/css.ts";

/** Fills the page. Returns the element with the attribute x. */
function put(html: string): Element {
  document.body.innerHTML = html;
  return document.querySelector("[x]")!;
}

const inShadow = (host: Element, html: string, mode: ShadowRootMode = "open"): ShadowRoot => {
  const root = host.attachShadow({ mode });
  root.innerHTML = html;
  return root;
};

describe("a path", () => {
  const many = Array.from(
    { length: 6 },
    (_, i) =>
      `<i class="${"a b c d e f"
        .split(" ")
        .slice(0, i + 1)
        .join(" ")}">`,
  );
  test.each([
    ["an id", "<p id=total x></p><p>", "#total"],
    ["an id that has to be escaped is no name", "<p id='a.b' x></p><p>", "p:nth-of-type(1)"],
    ["an id that stands twice", "<p id=total></p><p id=total x>", "p:nth-of-type(2)"],
    ["a generated id", "<p id=css-1a2b3c x></p><p>", "p:nth-of-type(1)"],
    ["a class", "<p class=total x></p><p>", ".total"],
    ["a class beside another tag's", "<p class=total x></p><i class=total></i><p>", "p.total"],
    [
      "a class of a tag that stands elsewhere too",
      "<div><p class=total x></p><i class=total></i></div><p></p>",
      "p.total",
    ],
    ["the second class", "<p class='a b' x></p><p class=a>", ".b"],
    ["the fourth class", "<p class='a b c d' x></p><p class='a b c'>", ".d"],
    ["no fifth class", "<p class='a b c d e' x></p><p class='a b c d'>", "p:nth-of-type(1)"],
    [
      "the 20th class",
      `<p class='${"css-1 ".repeat(1)}${Array.from({ length: 18 }, (_, i) => `css-${i}0`).join(" ")} last' x></p><p>`,
      ".last",
    ],
    [
      "no 21st class",
      `<p class='css-1 ${Array.from({ length: 19 }, (_, i) => `css-${i}0`).join(" ")} last' x></p><p>`,
      "p:nth-of-type(1)",
    ],
    ["a generated class", "<p class='css-1abc2 sum' x></p><p>", ".sum"],
    ["a tag", "<p x></p><i>", "p"],
    ["a place", "<p></p><i></i><p x></p><p></p>", "p:nth-of-type(2)"],
    ["the first of its tag", "<p x></p><p></p>", "p:nth-of-type(1)"],
    [
      "a class among siblings",
      "<div><p class=a></p></div><div><p></p><p class=a x></p></div>",
      "div:nth-of-type(2) > p.a",
    ],
    [
      "a class that siblings have too",
      "<div><p class=a></p></div><div><p class=a></p><p class=a x></p></div>",
      "p:nth-of-type(2)",
    ],
    ["a later sibling of the tag", "<div><p class=a x></p><p class=a></p></div><p class=a>", "div > p:nth-of-type(1)"],
    [
      "a tag alone below its parent",
      "<div><p><i></i></p></div><div><p><i></i></p><b></b><p><i x></i></p></div>",
      "p:nth-of-type(2) > i",
    ],
    ["an id above", "<p id=one><i></i><i></i></p><p id=two><i></i><i x></i></p>", "#two > i:nth-of-type(2)"],
    ["an id above that stands twice", "<p id=two><i></i></p><p id=two><i></i><b></b><i x></i></p>", "i:nth-of-type(2)"],
    ["a generated id above", "<p id=radix-1><i></i></p><p id=radix-2><i x></i></p>", "p:nth-of-type(2) > i"],
  ])("%s", (_, html, path) => {
    const element = put(html);
    expect([...document.querySelectorAll(path)], path).toEqual([element]);
    expect(cssPath(element)).toBe(path);
  });
  test("of the page itself", () => {
    expect(cssPath(document.documentElement)).toBe("html");
    expect(cssPath(document.body)).toBe("body");
  });
  test("tells each of many apart", () => {
    put(many.join("") + "<i></i>");
    for (const element of document.querySelectorAll("i"))
      expect([...document.querySelectorAll(cssPath(element))]).toEqual([element]);
  });
  test("leads through shadow roots, open and closed", () => {
    const host = put("<x-a></x-a><x-a x></x-a>");
    const root = inShadow(host, "<b></b><x-b class=inner></x-b>");
    const inner = inShadow(root.querySelector("x-b")!, "<button>a</button><button>b</button>", "closed");
    expect(cssPath(inner.lastElementChild!)).toBe("x-a:nth-of-type(2) >>> .inner >>> button:nth-of-type(2)");
    expect(cssPath(inner.firstElementChild!)).toBe("x-a:nth-of-type(2) >>> .inner >>> button:nth-of-type(1)");
  });
  test("of the top of a shadow root says so where something deeper is alike", () => {
    const root = inShadow(put("<p x>"), "<i><i></i></i>");
    expect(cssPath(root.firstElementChild!)).toBe("p >>> :host > i");
    expect(cssPath(root.querySelector("i > i")!)).toBe("p >>> i > i");
  });
  test("of the whole way in a shadow root does not say so where nothing else is alike", () => {
    const root = inShadow(put("<p x>"), "<a><b><i></i></b></a><b><i></i></b><q><i></i></q>");
    expect(cssPath(root.querySelector("i")!)).toBe("p >>> a > b > i");
  });
  test("of a detached element begins at the top of its fragment", () => {
    const top = document.createElement("div");
    top.innerHTML = "<p id=a class=b><i></i><i></i></p>";
    expect(cssPath(top.querySelector("i + i")!)).toBe("div > p > i:nth-of-type(2)");
    document.body.innerHTML = "<i></i>";
    expect(cssPath(document.createElement("i"))).toBe("i");
  });
  test("of equal ways is given as far as 64 steps, and not further", () => {
    const twins = (depth: number): Element => {
      document.body.innerHTML = "<main></main><section id=right></section>";
      let at: Element = document.body;
      for (const top of document.body.children) {
        at = top;
        for (let i = 0; i < depth; i++) at = at.appendChild(document.createElement("div"));
      }
      return at;
    };
    expect(cssPath(twins(63))).toBe(`#right${" > div".repeat(63)}`);
    expect(cssPath(twins(64))).toBe("");
  });
  test("has 1,000 characters at most", () => {
    const named = (length: number): string => {
      document.body.innerHTML = "<x-0></x-0>";
      let host: Element = document.body.firstElementChild!;
      let path = "x-0";
      for (let i = 1; path.length < length; i++) {
        const tag = `x-${"a".repeat(Math.min(89, Math.max(1, length - path.length - 7)))}`;
        host = inShadow(host, `<${tag}></${tag}>`).firstElementChild!;
        path += ` >>> ${tag}`;
      }
      expect(path.length).toBe(length);
      return cssPath(host);
    };
    expect(named(1000)).toHaveLength(1000);
    expect(named(1001)).toBe("");
  });
});

describe("a name", () => {
  test.each([
    "total",
    "a",
    "x1",
    "btn-primary",
    "user_name",
    "col-12",
    "h1",
    "main-nav-2",
    "submitButton",
    "item-1234",
    "TOTAL",
    "myOrderList",
    "area51",
    "versions",
    "cssRules",
    "step22",
    "emails",
    "a".repeat(40).replace(/^/, "").slice(0, 40),
    "rhythm",
    "fooBarBaz",
  ])("%s is a person's", (name) => expect(stable(name)).toBe(true));
  test.each([
    "",
    "a".repeat(41),
    "css-1q2w3e",
    "sc-a1",
    "jss12",
    "ember123",
    "mui-5",
    "radix-:r1:",
    "react-aria-1",
    "headlessui-menu-1",
    "data-v-7ba5bd90",
    "ng-c12",
    "_ngcontent-1",
    "v-1",
    "V-1",
    "makeStyles-root-12",
    "svelte-1abc",
    "emotion-0",
    ":r1:",
    "a:",
    ":a",
    "1a",
    "12",
    "a.b",
    "a b",
    "ü",
    "a1b2c",
    "xk2jd",
    "abc123",
    "order-12345",
    "bdfgh",
    "BDFGH",
    "nav_xkcdq",
    "aBcDe",
    "kZwQpL",
    "iAmHashX",
    "aBcdefG",
  ])("%s is generated", (name) => expect(stable(name)).toBe(false));
});
