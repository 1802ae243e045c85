/** With more rules that say something each element is asked. */
const MAX_SAYING = 100;

/** What style sheets may do to the texts of a page, as far as their rules tell it. */
export interface Said {
  /** Selectors of the elements that a rule may say something before or behind; undefined: it may be any element. */
  at: string[] | undefined;
  /** Parts of the page may be left out while they are far away. */
  far: boolean;
}

/** The end of a selector of what CSS puts before or behind a content, https://drafts.csswg.org/css-pseudo-4/#generated-content */
const ADDED = /::?(?:before|after)/i;
const ADDED_ALONE = /(^|[\s>+~])(?=::?(?:before|after))/gi;
const ADDED_LAST = /::?(?:before|after)(?=\s*(?:,|$))/gi;

/** Selectors that mean something else than they do in the tree that they stand in. */
const ELSEWHERE = /::(?:part|slotted)|:host|:scope|&/i;

/** Content without letters: none, white space, and pictures of fonts. */
const SILENT = /^(?:none|normal|(?:"[\s\ue000-\uf8ff]*"\s*)+)?$/;

/**
 * Reads what the sheets of some trees may do to texts. Asking each element of a large page for its ::before and ::after takes
 * many times as long. So many rules are read at most: behind them all is taken to be said. Sheets that other extensions
 * insert are in no list and are not told.
 */
export function saidBy(scopes: Iterable<Document | ShadowRoot>, rules: number): Said {
  const at = new Set<string>();
  let [far, anywhere, left] = [false, false, rules];
  const take = (list: CSSRuleList, nested: boolean): void => {
    for (const rule of list) {
      if (left-- <= 0) throw new RangeError("too many rules");
      const { style, selectorText, cssRules, styleSheet } = rule as Partial<CSSStyleRule & CSSImportRule>;
      if (styleSheet) take(styleSheet.cssRules, nested);
      if (style?.contentVisibility) far = true;
      const says = style !== undefined && !SILENT.test(style.content);
      const isStyle = rule instanceof CSSStyleRule;
      // What is nested, and keyframes, have no selector that tells where they say it.
      if (says && (nested || !isStyle)) anywhere = true;
      else if (says && ADDED.test(selectorText!))
        at.add(selectorText!.replace(ADDED_ALONE, "$1*").replace(ADDED_LAST, ""));
      if (cssRules?.length) take(cssRules, nested || isStyle);
    }
  };
  try {
    for (const scope of scopes) {
      if (scope.querySelector('[style*="content-visibility"]')) far = true;
      for (const sheet of [...scope.styleSheets, ...scope.adoptedStyleSheets]) take(sheet.cssRules, false);
    }
    anywhere ||= at.size > MAX_SAYING || [...at].some((selector) => ADDED.test(selector) || ELSEWHERE.test(selector));
    if (!anywhere && at.size > 0) document.createDocumentFragment().querySelector([...at].join());
  } catch {
    return { at: undefined, far: true }; // a sheet of another site, too many rules, a selector with namespaces
  }
  return { at: anywhere ? undefined : [...at], far };
}
