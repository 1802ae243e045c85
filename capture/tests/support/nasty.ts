/**
 * NASTY fills a page with about 200 elements whose names, attributes and places are hard to write down, the same for each
 * seed. It runs in the page: it uses nothing from outside of it.
 */
export function NASTY(seed: number): void {
  let state = seed * 2_654_435_761;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const one = <T>(list: readonly T[]): T => list[next(list.length)] as T;
  const words = [
    "Save",
    "save",
    'say "hi"',
    "it's",
    "[x]",
    "a]b",
    "C:\\dir\\",
    "\\",
    '"',
    "'quoted'",
    '"quoted"',
    "two\nlines",
    "  wide   space ",
    "שלום עולם",
    "مرحبا",
    "\u200fmark",
    "💾 Save",
    "👩‍👩‍👧",
    "\ud83d",
    "é",
    "İstanbul",
    "straße",
    ">>> x",
    "text=Save",
    "data-x=1",
    "#id",
    ".5",
    "</b>",
    "{}",
    "$1 $&",
    "a.b*c+d?",
    "…",
    "x".repeat(300),
    "word ".repeat(2000),
    "",
    " ",
  ];
  const tags = "button a div span p li label input textarea select h2 img svg section summary td x-host b em".split(
    " ",
  );
  const attributes =
    "id class name title alt aria-label placeholder data-testid data-cy role href aria-labelledby type hidden tabindex".split(
      " ",
    );
  const roles = ["button", "link", "checkbox", "none", "BUTTON", "tab extra", "listitem", "alert"];
  const types = ["text", "button", "submit", "checkbox", "radio", "search", "password", "email", "hidden", "range"];
  let left = 150;
  function fill(parent: ParentNode & Node, depth: number): void {
    for (let count = 2 + next(5); count > 0 && left > 0; count--) {
      left--;
      const element = document.createElement(one(tags));
      for (let i = next(4); i > 0; i--) {
        const name = one(attributes);
        let value = one(words);
        if (name === "role") value = one(roles);
        if (name === "type") value = one(types);
        if (name === "id" || name === "class") value = one(["main", "save-button", "css-1x2y3z", "x1", value]);
        element.setAttribute(name, value);
      }
      if (!element.matches("input,img")) {
        element.append(one(words));
        if (depth < 6 && next(3) > 0) fill(element, depth + 1);
        if (next(3) === 0) element.append(one(words));
      } else if (next(2) === 0 && element instanceof HTMLInputElement && element.type !== "file") {
        element.value = one(words);
      }
      if (element.localName === "x-host" || (element.localName === "div" && next(6) === 0)) {
        const root = element.attachShadow({ mode: one(["open", "closed"] as const) });
        root.append(document.createElement("slot"));
        fill(root, depth + 1);
      }
      parent.append(element);
    }
  }
  while (left > 0) fill(document.body, 0);
}
