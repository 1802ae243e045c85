// The cascade of CSS as far as a page's own sheets tell it: https://www.w3.org/TR/css-cascade-5/, and specificity by
// https://www.w3.org/TR/selectors-4/#specificity-rules.

/** Ids, classes, types. */
export type Specificity = [number, number, number];

/** A rule that fits an element. */
export interface Fitting {
  style: CSSStyleDeclaration;
  /** The rule and its sheet; undefined for what is in no sheet. */
  of?: Ruled;
  selector: string;
  specificity: Specificity;
  source: string;
  /** "" for none. */
  layer: string;
  /** Later layers win; what is in none wins over all. Important declarations turn that round. */
  rank: number;
  /** Conditions that hold, in words. */
  when: string;
  /** How far around the element the root of the rule's @scope is; the nearer wins, and any wins over none, Infinity. */
  far: number;
  /** Later rules win. */
  order: number;
  /**
   * How far inside the sheet is: 0 for one of the root that the element is in, -1 for ::part from around that, 1 and more for
   * ::slotted from the roots that it is shown in, and most for :host from the root that it has.
   */
  depth: number;
}

export interface Ruled {
  rule: CSSRule;
  sheet: CSSStyleSheet;
}

/** Rules that are looked at for one element. */
const MAX_RULES = 50_000;

export interface Sheets {
  /** Rules, flat, in the order of the cascade. */
  rules: {
    of: Ruled;
    style: CSSStyleDeclaration;
    selector: string;
    source: string;
    layer: string;
    rank: () => number;
    when: string;
    within: Scoped | undefined;
    scope: Document | ShadowRoot;
  }[];
  /** Addresses of sheets that the browser does not show. */
  unread: string[];
  /** Custom properties that children do not have from their parents. */
  apart: Set<string>;
}

/** An @scope: what begins it, the parent of its <style> where it does not say, what ends it, and the one that it is in. */
interface Scoped {
  start: string | Node | null | undefined;
  end: string | null;
  outer: Scoped | undefined;
}

/** Declarations between the rules of a rule. Chrome has these from 130 on. */
export const isBetween = (rule: CSSRule | undefined): rule is CSSNestedDeclarations =>
  "CSSNestedDeclarations" in globalThis && rule instanceof CSSNestedDeclarations;

/** The style rules of some roots whose conditions hold. */
export function sheetsOf(scopes: readonly (Document | ShadowRoot)[]): Sheets {
  const found: Sheets = { rules: [], unread: [], apart: new Set() };
  for (const scope of scopes) {
    const layers: string[] = [];
    const rankOf = (layer: string): number => (layer === "" ? Infinity : rankIn(layers, layer));
    let anonymous = 0;
    const known = (layer: string): string => {
      // A layer is as old as its first mention, and so are those around it.
      const parts = layer.split(".");
      for (let i = 1; i <= parts.length; i++) {
        const name = parts.slice(0, i).join(".");
        if (!layers.includes(name)) layers.push(name);
      }
      return layer;
    };
    const inLayer = (outer: string, name: string): string =>
      known([outer, name || `(anonymous ${++anonymous})`].filter(Boolean).join("."));
    let within: Scoped | undefined;
    const walk = (list: CSSRuleList, source: string, layer: string, when: string, outer: string): void => {
      for (const rule of list) {
        const push = (style: CSSStyleDeclaration, selector: string): void => {
          const of = { rule, sheet: rule.parentStyleSheet as CSSStyleSheet };
          found.rules.push({ of, style, selector, source, layer, rank: () => rankOf(layer), when, within, scope });
        };
        if (found.rules.length >= MAX_RULES) return;
        if (rule instanceof CSSStyleRule) {
          const selector = nested(rule.selectorText, outer);
          push(rule.style, selector);
          walk(rule.cssRules, source, layer, when, selector);
        } else if (isBetween(rule)) {
          // What stands behind or in nested rules without a selector is of the rule around them.
          if (outer) push(rule.style, outer);
        } else if (rule instanceof CSSPropertyRule) {
          if (!rule.inherits) found.apart.add(rule.name);
        } else if (rule instanceof CSSMediaRule) {
          if (matchMedia(rule.conditionText).matches)
            walk(rule.cssRules, source, layer, and(when, `@media ${rule.conditionText}`), outer);
        } else if (rule instanceof CSSSupportsRule) {
          if (CSS.supports(rule.conditionText)) walk(rule.cssRules, source, layer, when, outer);
        } else if (rule instanceof CSSLayerStatementRule) {
          for (const name of rule.nameList) known([layer, name].filter(Boolean).join("."));
        } else if (rule instanceof CSSLayerBlockRule) {
          walk(rule.cssRules, source, inLayer(layer, rule.name), when, outer);
        } else if (rule instanceof CSSImportRule) {
          const { styleSheet: sheet, media, layerName } = rule;
          if (media.mediaText && !matchMedia(media.mediaText).matches) continue;
          if (sheet) take(sheet, layerName === null ? layer : inLayer(layer, layerName));
        } else if (rule instanceof CSSContainerRule) {
          // Whether it holds is the browser's to know; what follows from it is compared with the computed value.
          walk(rule.cssRules, source, layer, and(when, `@container ${rule.conditionText}`), outer);
        } else if (rule instanceof CSSScopeRule) {
          const head = rule.cssText.split(" {")[0] as string;
          const before = within;
          const { start, end, parentStyleSheet } = rule;
          within = {
            start:
              start === null
                ? parentStyleSheet?.ownerNode?.parentNode
                : nested(start, start.includes("&") ? outer : ""),
            end,
            outer: before,
          };
          walk(rule.cssRules, source, layer, and(when, head), "");
          within = before;
        }
      }
    };
    const take = (sheet: CSSStyleSheet, layer = ""): void => {
      if (sheet.disabled || (sheet.media.mediaText && !matchMedia(sheet.media.mediaText).matches)) return;
      let rules: CSSRuleList;
      try {
        rules = sheet.cssRules;
      } catch {
        found.unread.push(sheet.href ?? "(a sheet without an address)");
        return;
      }
      walk(rules, nameOf(sheet, scope), layer, "", "");
    };
    for (const sheet of [...scope.styleSheets, ...scope.adoptedStyleSheets]) take(sheet);
  }
  return found;
}

const and = (before: string, more: string): string => (before ? `${before} and ${more}` : more);

/** The place of a layer among all: one stands before what is around it. */
function rankIn(layers: readonly string[], layer: string): number {
  const ordered: string[] = [];
  const visit = (outer: string): void => {
    for (const name of layers) {
      const parent = name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : "";
      if (parent === outer) {
        visit(name);
        ordered.push(name);
      }
    }
  };
  visit("");
  return ordered.indexOf(layer);
}

function nameOf(sheet: CSSStyleSheet, scope: Document | ShadowRoot): string {
  if (sheet.href) return sheet.href.replace(globalThis.origin, "").slice(0, 200);
  const { ownerNode } = sheet;
  if (!(ownerNode instanceof Element)) return "an adopted sheet";
  const all = [...scope.querySelectorAll("style")];
  const name = ownerNode.id || ownerNode.getAttribute("data-vite-dev-id") || ownerNode.getAttribute("data-href");
  return `<style> ${all.indexOf(ownerNode as HTMLStyleElement) + 1}${name ? ` ${name.slice(-120)}` : ""}`;
}

/** The selector of a rule in another one. */
const nested = (selector: string, outer: string): string => {
  if (outer === "") return selector;
  return splitList(selector)
    .map((one) => (one.includes("&") ? one.replaceAll("&", `:is(${outer})`) : `:is(${outer}) ${one}`))
    .join(", ");
};

/** The rules that fit an element, with the specificity that they have for it. slots are those that it is shown in. */
export function fitting(element: Element, slots: readonly Element[], { rules }: Sheets): Fitting[] {
  const root = element.getRootNode();
  const host = root instanceof ShadowRoot ? root.host : null;
  const outside = host?.getRootNode();
  const found: Fitting[] = [];
  for (const [order, { of, style, selector, source, layer, rank, when, within, scope }] of rules.entries()) {
    const slot = slots.findIndex((at) => at.getRootNode() === scope);
    const isHost = scope instanceof ShadowRoot && scope.host === element;
    const depth =
      scope === root ? 0 : isHost ? slots.length + 1 : slot >= 0 ? slot + 1 : scope === outside ? -1 : undefined;
    if (depth === undefined) continue;
    const near = within && nearest(element, within);
    if (within && !near) continue;
    let most: Specificity | undefined;
    for (const one of splitList(selector)) {
      const isIt = isHost
        ? fitsHost(element, one)
        : depth > 0
          ? fitsSlotted(element, slots[slot] as Element, one)
          : depth < 0
            ? fitsPart(element, host as Element, one)
            : fits(element, one, near?.root);
      if (!isIt) continue;
      const own = specificityOf(one);
      if (!most || compare(own, most) > 0) most = own;
    }
    const far = near?.far ?? Infinity;
    if (most)
      found.push({ of, style, selector, specificity: most, source, layer, rank: rank(), when, far, order, depth });
  }
  return found;
}

/** Whether a selector that has no pseudo-element fits. In an @scope it is about what is in the root, unless it says else. */
function fits(element: Element, selector: string, root?: Element): boolean {
  try {
    if (selector.includes("::")) return false;
    if (!root) return element.matches(selector);
    const says = /:scope|&/.test(selector);
    if (element === root) return says && element.matches(selector);
    return [...root.querySelectorAll(says ? selector : `:scope ${selector}`)].includes(element);
  } catch {
    return false;
  }
}

/** The nearest root of an @scope that an element is in, and how far around it that is. */
function nearest(element: Element, { start, end, outer }: Scoped): { root: Element; far: number } | undefined {
  for (let root: Element | null = element, far = 0; root; root = root.parentElement, far++) {
    const around = outer && nearest(root, outer);
    if (outer && !around) break;
    if (typeof start === "string" ? !fits(root, start, around?.root) : root !== start) continue;
    let up = element;
    while (up !== root && !(end && fits(up, end, root))) up = up.parentElement as Element;
    if (up === root) return { root, far };
  }
  return undefined;
}

/** :host, :host(.a). Nothing else of a compound fits a host from inside. */
function fitsHost(element: Element, selector: string): boolean {
  const found = /^:host(?:\((.*)\))?$/s.exec(selector);
  return found !== null && fits(element, found[1] ?? "*");
}

/** slot[name=a]::slotted(p). */
function fitsSlotted(element: Element, slot: Element, selector: string): boolean {
  const found = /^(.*)::slotted\((.*)\)$/s.exec(selector);
  return found !== null && fits(slot, whole(found[1])) && fits(element, found[2] as string);
}

/** my-card::part(title). */
function fitsPart(element: Element, host: Element, selector: string): boolean {
  const found = /^(.*)::part\(([^)]*)\)$/s.exec(selector);
  if (!found || !fits(host, whole(found[1]))) return false;
  const names = (found[2] as string).trim().split(/\s+/);
  return names.every((name) => element.part.contains(name));
}

/** The beginning of a selector, with what a pseudo-element is of. */
const whole = (selector = ""): string => (/(^|[\s>+~])$/.test(selector) ? `${selector}*` : selector);

/** Less than 0: a loses to b. */
export function compare(a: Specificity, b: Specificity): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** The parts of a list of selectors. */
export function splitList(selector: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let begun = 0;
  let quote = "";
  for (let i = 0; i < selector.length; i++) {
    const at = selector[i] as string;
    if (at === "\\") i++;
    else if (quote) quote = at === quote ? "" : quote;
    else if (at === '"' || at === "'") quote = at;
    else if (at === "(" || at === "[") depth++;
    else if (at === ")" || at === "]") depth--;
    else if (at === "," && depth === 0) {
      parts.push(selector.slice(begun, i).trim());
      begun = i + 1;
    }
  }
  return [...parts, selector.slice(begun).trim()].filter(Boolean);
}

const TYPE_PSEUDO = /^(before|after|first-line|first-letter)$/;

/** The specificity of one selector, which is no list. */
export function specificityOf(selector: string): Specificity {
  const total: Specificity = [0, 0, 0];
  const add = ([a, b, c]: Specificity): void => {
    total[0] += a;
    total[1] += b;
    total[2] += c;
  };
  let rest = selector;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = pattern.exec(rest);
    if (found) rest = rest.slice(found[0].length);
    return found;
  };
  const IDENT = String.raw`(?:[\w-]|[^\x00-\x7f]|\\[0-9a-f]{1,6}\s?|\\.)+`;
  while (rest) {
    if (take(/^[\s>+~*&|]+/)) continue;
    if (take(new RegExp(`^#${IDENT}`, "i"))) add([1, 0, 0]);
    else if (take(new RegExp(`^\\.${IDENT}`, "i"))) add([0, 1, 0]);
    else if (take(/^\[(?:"(?:\\.|[^"])*"|'(?:\\.|[^'])*'|[^\]])*\]/)) add([0, 1, 0]);
    else {
      const pseudo = take(new RegExp(`^(::?)(${IDENT})`, "i"));
      if (pseudo) {
        const name = (pseudo[2] ?? "").toLowerCase();
        const inside = rest.startsWith("(") ? takeParens() : undefined;
        if (pseudo[1] === "::" || TYPE_PSEUDO.test(name)) {
          add([0, 0, 1]);
          if (name === "slotted" && inside) add(most(inside));
        } else if (/^(is|not|has|matches|-webkit-any)$/.test(name)) add(most(inside ?? ""));
        else if (name !== "where") {
          add([0, 1, 0]);
          const of = /^nth-(last-)?child$/.test(name) ? /\sof\s(.*)$/s.exec(inside ?? "")?.[1] : undefined;
          if (of !== undefined) add(most(of));
          if (/^host(-context)?$/.test(name) && inside) add(most(inside));
        }
      } else if (take(new RegExp(`^${IDENT}`, "i"))) add([0, 0, 1]);
      else rest = rest.slice(1);
    }
  }
  return total;

  function takeParens(): string {
    let depth = 0;
    let quote = "";
    for (let i = 0; i < rest.length; i++) {
      const at = rest[i] as string;
      if (at === "\\") i++;
      else if (quote) quote = at === quote ? "" : quote;
      else if (at === '"' || at === "'") quote = at;
      else if (at === "(") depth++;
      else if (at === ")" && --depth === 0) {
        const inside = rest.slice(1, i);
        rest = rest.slice(i + 1);
        return inside;
      }
    }
    const inside = rest.slice(1);
    rest = "";
    return inside;
  }
}

function most(list: string): Specificity {
  return splitList(list)
    .map(specificityOf)
    .reduce((a, b) => (compare(a, b) >= 0 ? a : b), [0, 0, 0]);
}

/** The rules that say something of a property by one of its names, the one that wins first. */
export function ranked(all: readonly Fitting[], names: readonly string[]): Fitting[] {
  const important = ({ style }: Fitting): boolean => style.getPropertyPriority(nameIn(style, names)) === "important";
  return all
    .filter(({ style }) => valueIn(style, names) !== "")
    .toSorted((a, b) => {
      const loud = important(a);
      if (loud !== important(b)) return loud ? -1 : 1;
      const turned = loud ? -1 : 1;
      // What is around a shadow root wins over what is in it, but for important declarations.
      if (a.depth !== b.depth) return (a.depth - b.depth) * turned;
      const attached = a.selector === "";
      if (attached !== (b.selector === "")) return attached ? -1 : 1;
      if (a.rank !== b.rank) return (b.rank > a.rank ? 1 : -1) * turned;
      return compare(b.specificity, a.specificity) || a.far - b.far || b.order - a.order;
    });
}

/** The name that a rule calls a property by, the last one of several: padding-top, padding-block-start. */
export function nameIn(style: CSSStyleDeclaration, names: readonly string[]): string {
  const [first = ""] = names;
  if (names.length === 1) return first;
  const said = [...style].filter((name) => names.includes(name));
  return said.findLast((name) => style.getPropertyPriority(name) === "important") ?? said.at(-1) ?? first;
}

/** What a rule says of a property; "" for nothing. Of a shorthand with var() browsers tell the shorthand alone. */
export function valueIn(style: CSSStyleDeclaration, names: readonly string[]): string {
  const property = nameIn(style, names);
  const own = style.getPropertyValue(property);
  if (own !== "") return property === names[0] ? own : `${property}: ${own}`;
  if (![...style].includes(property)) return "";
  const [first = "", ...more] = property.split("-");
  const shorthands = [
    `${first}-${more.at(-1)}`,
    ...more.map((_, i) => [first, ...more.slice(0, i)].join("-")).toReversed(),
  ];
  const name = shorthands.find((short) => style.getPropertyValue(short) !== "");
  return name ? `${name}: ${style.getPropertyValue(name)}` : "(by a shorthand with var())";
}

/** The names of a property, the given one first: sheets say padding-block, and the browser computes padding-top. */
export function namesOf(property: string, { writingMode, direction }: CSSStyleDeclaration): string[] {
  if (property.startsWith("--") || writingMode !== "horizontal-tb") return [property];
  const [start, end] = direction === "rtl" ? ["right", "left"] : ["left", "right"];
  const words = { top: "block-start", bottom: "block-end", [start]: "inline-start", [end]: "inline-end" };
  const sizes = { width: "inline-size", height: "block-size" };
  for (const [physical, logical] of Object.entries({ ...words, ...sizes })) {
    const one = new RegExp(
      `^((?:border|margin|padding|scroll-margin|scroll-padding|min|max)-)?${physical}(-(?:width|style|color))?$`,
    );
    const other = new RegExp(
      `^((?:border|margin|padding|scroll-margin|scroll-padding|min|max|inset)-)?${logical}(-(?:width|style|color))?$`,
    );
    const to = one.exec(property);
    if (to) {
      const before = to[1] ?? (physical in sizes ? "" : "inset-");
      return [property, `${before}${logical}${to[2] ?? ""}`];
    }
    const back = other.exec(property);
    if (back) return [property, `${back[1] === "inset-" ? "" : (back[1] ?? "")}${physical}${back[2] ?? ""}`];
  }
  return [property];
}
