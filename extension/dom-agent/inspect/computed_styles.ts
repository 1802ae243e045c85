import type { Contrast, ElementStyles, StyleOf, StyleRule } from "@gasoline/schema/commands";
import {
  type Fitting,
  type Ruled,
  type Sheets,
  type Specificity,
  fitting,
  nameIn,
  namesOf,
  ranked,
  sheetsOf,
  valueIn,
} from "./cascade.ts";
import { Written, textOf } from "./lines.ts";
import type { Asking, Question } from "./main.ts";
import { compared } from "./walk.ts";

const DEFAULT_ELEMENTS = 3;
const MAX_ELEMENTS = 50;
const MAX_PROPERTIES = 50;
const MAX_LOSERS = 5;
const MAX_VALUE = 200;
const MAX_UNREAD = 10;

const DEFAULT = [
  "display",
  "position",
  "visibility",
  "opacity",
  "z-index",
  "overflow-x",
  "overflow-y",
  "color",
  "background-color",
  "font-family",
  "font-size",
  "font-weight",
  "line-height",
  "width",
  "height",
  "margin-top",
  "padding-top",
  "flex-direction",
  "pointer-events",
  "cursor",
];

/** What children have from their parents where no rule says otherwise, of what is asked for most. */
const INHERITED =
  /^(--|border-collapse$|color$|cursor$|direction$|font|hyphens$|letter-spacing$|line-height$|list-style|overflow-wrap$|pointer-events$|quotes$|tab-size$|text-(align|indent|shadow|transform|wrap)|visibility$|white-space|word-|writing-mode$)/;

/** Why elements look as they do. */
export const computedStyles: Question<"computed_styles"> = async (asking) => {
  const { params, within = [], environment, tools } = asking;
  const slices = new tools.Slices(environment.deadline);
  const limit = Math.min(params.limit ?? DEFAULT_ELEMENTS, MAX_ELEMENTS);
  const asked = params.properties?.flatMap(longhands);
  const chosen = within.slice(0, limit);
  const scopes = new Set<Document | ShadowRoot>([document]);
  for (const at of chosen)
    for (let up: Element | null = at; up; up = tools.parentOf(up)) {
      const own = tools.shadowOf(up);
      if (own) scopes.add(own);
    }
  const sheets = sheetsOf([...scopes]);
  const elements: ElementStyles[] = [];
  const said: Said[] = [];
  const breathe: Breathe = (at) => (at ? compared(at, tools, slices) : slices.over ? slices.pause() : undefined);
  for (const at of chosen) {
    await breathe(at);
    if (at.isConnected) elements.push(await stylesOf(at, asked, sheets, asking, said, breathe));
  }
  const unplaced = await place(said, environment.deadline.signal, breathe);
  const unread = [...new Set(sheets.unread)];
  return {
    elements,
    count: within.length,
    ...(unread.length > 0 ? { unread_sheets: unread.slice(0, MAX_UNREAD) } : {}),
    ...(unplaced.length > 0 ? { lines_unknown: unplaced.slice(0, MAX_UNREAD) } : {}),
  };
};

/** Lets the page work where it is time to; what is given gets a ref next. */
type Breathe = (at?: Element) => Promise<void> | undefined;

/** A rule that was told, and where it is from. */
interface Said extends Ruled {
  told: StyleRule;
}

/** Adds the lines of rules. Returns the sheets of which they are not known, and why. */
async function place(said: readonly Said[], signal: AbortSignal, breathe: Breathe): Promise<string[]> {
  const unknown = new Set<string>();
  for (const sheet of new Set(said.map((one) => one.sheet))) {
    const rules = said.filter((one) => one.sheet === sheet);
    const source = rules[0]?.told.source ?? "";
    if (!sheet.href && !sheet.ownerNode) continue; // a script made it: there is no text
    const found = await textOf(sheet, signal);
    if ("why" in found) {
      unknown.add(`${source}: ${found.why}`);
      continue;
    }
    const written = new Written(found.text);
    await written.read(sheet, breathe);
    for (const { told, rule } of rules) {
      const at = written.placeOf(rule);
      if (at) Object.assign(told, at);
      else unknown.add(`${source}: a script has changed it`);
    }
  }
  return [...unknown];
}

/** The properties that a shorthand stands for. */
function longhands(property: string): string[] {
  if (property.startsWith("--")) return [property];
  const style = declarations();
  style.setProperty(property, "initial");
  return style.length > 0 ? [...style] : [property];
}

/** Declarations that belong to nothing; in documents without HTML, too. */
const declarations = (): CSSStyleDeclaration =>
  (document.createElementNS("http://www.w3.org/1999/xhtml", "i") as HTMLElement).style;

async function stylesOf(
  at: Element,
  asked: readonly string[] | undefined,
  sheets: Sheets,
  asking: Asking<unknown>,
  said: Said[],
  breathe: Breathe,
): Promise<ElementStyles> {
  const { environment, tools } = asking;
  const { refs } = environment;
  const tell = (fitting: Fitting, names: readonly string[]): StyleRule => {
    const rule = told(fitting, names);
    if (fitting.of) said.push({ ...fitting.of, told: rule });
    return rule;
  };
  const computed = getComputedStyle(at);
  const rules = new Map<Element, Fitting[]>();
  const rulesOf = (of: Element): Fitting[] => {
    let known = rules.get(of);
    if (!known) rules.set(of, (known = [...fitting(of, slotsOf(of, tools), sheets), ...inline(of), ...hints(of)]));
    return known;
  };
  const animated = new Set(
    at
      .getAnimations()
      .flatMap(({ effect }) =>
        effect instanceof KeyframeEffect
          ? effect
              .getKeyframes()
              .flatMap((frame) =>
                Object.keys(frame).map((key) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)),
              )
          : [],
      ),
  );
  const custom: Record<string, string> = {};
  const styles: StyleOf[] = [];
  const properties = [...(asked ?? DEFAULT)];
  for (const property of properties) {
    await breathe();
    const value = computed.getPropertyValue(property);
    const names = namesOf(property, computed);
    const one: StyleOf = { property, value: value.slice(0, MAX_VALUE) };
    let [wins, ...loses] = ranked(rulesOf(at), names);
    const isInherited = INHERITED.test(property) && !sheets.apart.has(property);
    // The colour of what has the present colour is the one of what is around it.
    const asAround = property === "color" ? /^(inherit|currentcolor)$/ : /^inherit$/;
    const isParents = (rule: Fitting | undefined): boolean => {
      const said = rule?.style.getPropertyValue(nameIn(rule.style, names)) ?? "";
      return asAround.test(said) || (isInherited && (!rule || said === "unset"));
    };
    const own = computedOf(at, property);
    if (isParents(wins))
      for (let up = tools.parentOf(at); up; up = tools.parentOf(up)) {
        await breathe();
        // What the browser gives to links, buttons and headings is not what is around them.
        if (computedOf(up, property) !== own) break;
        const [theirs] = ranked(rulesOf(up), names);
        if (isParents(theirs)) continue;
        if (!theirs) break;
        if (wins) loses = [wins, ...loses];
        wins = theirs;
        await breathe(up);
        one.inherited = refs.refOf(up);
        break;
      }
    if (animated.has(property)) one.animated = true;
    if (wins) one.wins = tell(wins, names);
    if (loses.length > 0) one.loses = loses.slice(0, MAX_LOSERS).map((rule) => tell(rule, names));
    for (const [, name] of (one.wins?.value ?? "").matchAll(/var\(\s*(--[\w-]+)/g))
      if (name) {
        custom[name] = computed.getPropertyValue(name).trim().slice(0, MAX_VALUE);
        // Who asks for a property asks where its value comes from.
        if (asked && custom[name] && !properties.includes(name) && properties.length < MAX_PROPERTIES)
          properties.push(name);
      }
    // Of what nobody asked for, what is as browsers make it says nothing.
    if (
      asked ||
      wins ||
      one.animated ||
      /^(display|position|color|background-color|font-size|width|height)$/.test(property)
    )
      styles.push(one);
  }
  const sides = (name: string, end = ""): string =>
    ["top", "right", "bottom", "left"]
      .map((side) => computed.getPropertyValue(`${name}-${side}${end}`).replace("px", ""))
      .join(" ");
  const unseen = tools.isVisible(at) ? besides(at, asking) : whyNot(at, asking);
  const kept = unseen.length > 0 ? "" : inTheWay(at, asking);
  const ratio = contrastOf(at, asking);
  return {
    ref: refs.refOf(at),
    tag: at.localName,
    label: tools.labelOf(at, new tools.Pass()).slice(0, 80),
    computed_styles: styles,
    ...(Object.keys(custom).length > 0 ? { custom_properties: custom } : {}),
    box_model: {
      ...tools.rounded(tools.boxOf(at)),
      margin: sides("margin"),
      border: sides("border", "-width"),
      padding: sides("padding"),
    },
    ...(ratio ? { contrast: ratio } : {}),
    ...(unseen.length > 0 ? { not_visible_because: unseen } : {}),
    ...(kept ? { not_clickable_because: [kept] } : {}),
  };
}

/** What children have of a property: of a line height its factor, where styles tell the pixels. */
function computedOf(at: Element, property: string): string {
  try {
    return String(at.computedStyleMap().get(property));
  } catch {
    return ""; // no property
  }
}

/** What is in no sheet: where it stands does not count. */
const BARE = { layer: "", when: "", rank: 0, far: 0, order: 0, specificity: [0, 0, 0] as Specificity };

/** The style attribute as a rule that wins over all sheets. */
const inline = (at: Element): Fitting[] =>
  at instanceof HTMLElement || at instanceof SVGElement
    ? [{ ...BARE, style: at.style, selector: "", source: "style attribute", depth: 0 }]
    : [];

/** Attributes of HTML that say how an element looks, by the property that they are for. */
const HINTS: Record<string, [attribute: string, of: RegExp]> = {
  "background-color": ["bgcolor", /^(body|table|t[a-z]+)$/],
  color: ["color", /^font$/],
  height: ["height", /^(img|table|t[dhr]|iframe|video|object|embed)$/],
  "text-align": ["align", /^(p|div|h\d|t[a-z]+)$/],
  "vertical-align": ["valign", /^(t[a-z]+|col)$/],
  width: ["width", /^(img|table|t[dh]|col|hr|iframe|video|object|embed)$/],
};

/** What attributes say, which every rule of a sheet wins over. */
function hints(at: Element): Fitting[] {
  const given =
    at instanceof SVGElement
      ? at.getAttributeNames().map((name): [string, string] => [name, name])
      : Object.entries(HINTS).flatMap(([property, [name, of]]): [string, string][] =>
          of.test(at.localName) && at.hasAttribute(name) ? [[property, name]] : [],
        );
  return given.flatMap(([property, name]): Fitting[] => {
    const style = declarations();
    const value = at.getAttribute(name) ?? "";
    style.setProperty(property, /^[\d.]+$/.test(value) && !(at instanceof SVGElement) ? `${value}px` : value);
    if (style.length === 0) return [];
    return [{ ...BARE, style, selector: `[${name}]`, source: `attribute ${name}`, depth: Infinity }];
  });
}

/** The slots that an element is shown in, the nearest first. */
function slotsOf(at: Element, { parentOf }: Asking<unknown>["tools"]): Element[] {
  const slots: Element[] = [];
  for (let up = parentOf(at); up instanceof HTMLSlotElement; up = parentOf(up)) {
    if (up.getRootNode() === at.getRootNode()) break; // what it holds of its own
    slots.push(up);
  }
  return slots;
}

const told = ({ style, selector, specificity, source, layer, when }: Fitting, names: readonly string[]): StyleRule => ({
  selector: selector.slice(0, MAX_VALUE),
  value: valueIn(style, names).slice(0, MAX_VALUE),
  ...(style.getPropertyPriority(nameIn(style, names)) === "important" ? { important: true } : {}),
  ...(selector === "" ? {} : { specificity: specificity.join(",") }),
  source,
  ...(layer ? { layer } : {}),
  ...(when ? { when } : {}),
});

/** What an element does to another one that is in it, in words: e5 <div#menu> around it. */
const around = (of: Element, at: Element, asking: Asking<unknown>): string =>
  of === at ? "it" : `${named(of, asking)} around it`;

const named = (of: Element, { environment, tools }: Asking<unknown>): string =>
  `${environment.refs.refOf(of)} ${tools.inWords(of)}`;

/** Why an element is not seen: what hides it, it or what is around it. */
function whyNot(at: Element, asking: Asking<unknown>): string[] {
  const { parentOf } = asking.tools;
  const why: string[] = [];
  for (let up: Element | null = at; up; up = parentOf(up)) {
    const { display, contentVisibility } = getComputedStyle(up);
    const say = (what: string): unknown => why.push(`${around(up as Element, at, asking)} ${what}`);
    if (display === "none") {
      const byWhat = up.hasAttribute("hidden")
        ? " by the attribute hidden"
        : up.localName === "dialog"
          ? ": the dialog is closed"
          : "";
      say(`has display: none${byWhat}`);
    } else if (contentVisibility === "hidden" && up !== at) say("has content-visibility: hidden");
    if (up instanceof HTMLDetailsElement && !up.open && up !== at) say("is closed");
  }
  const { visibility } = getComputedStyle(at);
  if (visibility !== "visible") {
    // Children have it from the outermost that has it.
    let from = at;
    for (let up = parentOf(at); up && getComputedStyle(up).visibility === visibility; up = parentOf(up)) from = up;
    why.push(`${around(from, at, asking)} has visibility: ${visibility}`);
  }
  const { width, height } = at.getBoundingClientRect();
  if (why.length === 0 && (width === 0 || height === 0)) why.push(`its box is ${width} × ${height}`);
  return why.slice(0, 5);
}

const clips = (at: Element): boolean => {
  const { overflowX, overflowY } = getComputedStyle(at);
  return /hidden|clip/.test(`${overflowX} ${overflowY}`);
};

/** What makes an element that has a box hard to see all the same. */
function besides(at: Element, asking: Asking<unknown>): string[] {
  const { parentOf } = asking.tools;
  const why: string[] = [];
  let opacity = 1;
  for (let up: Element | null = at; up; up = parentOf(up)) opacity *= Number(getComputedStyle(up).opacity);
  if (opacity < 0.05) why.push(`its opacity, with those around it, is ${Math.round(opacity * 100) / 100}`);
  const { right, bottom, left, top } = at.getBoundingClientRect();
  if (right + scrollX <= 0 || bottom + scrollY <= 0) why.push("it lies beside the page, where nobody scrolls to");
  for (let up = parentOf(at); up && why.length === 0 && up !== document.body; up = parentOf(up)) {
    const box = up.getBoundingClientRect();
    const outside = left >= box.right || right <= box.left || top >= box.bottom || bottom <= box.top;
    if (outside && clips(up)) why.push(`${named(up, asking)} around it cuts it off by overflow`);
  }
  return why;
}

/** Why a pointer does not come to the middle of an element that is seen; "" where it does, or where that is not in view. */
function inTheWay(at: Element, asking: Asking<unknown>): string {
  const { elementAt, parentOf } = asking.tools;
  const { x, y, width, height } = at.getBoundingClientRect();
  const middle = [x + width / 2, y + height / 2] as const;
  const hit = elementAt(...middle);
  if (getComputedStyle(at).pointerEvents === "none") return "it has pointer-events: none";
  for (let up: Element | null = at; up; up = parentOf(up)) {
    if (up instanceof HTMLElement && up.inert) return `${around(up, at, asking)} is inert`;
    if (up === hit) return "";
    const box = up.getBoundingClientRect();
    const isOut = middle[0] < box.left || middle[0] > box.right || middle[1] < box.top || middle[1] > box.bottom;
    // What is scrolled away is not covered.
    if (isOut && getComputedStyle(up).overflow !== "visible") return "";
  }
  for (let up = hit; up; up = parentOf(up)) if (up === at || (up as HTMLLabelElement).control === at) return "";
  return hit ? `${named(hit, asking)} lies over its middle` : "";
}

type Colour = [red: number, green: number, blue: number, alpha: number];

/** A computed colour; undefined for one in another colour space. */
function colour(text: string): Colour | undefined {
  const found = /^rgba?\(([\d.]+), ?([\d.]+), ?([\d.]+)(?:, ?([\d.]+))?\)$/.exec(text);
  return found ? [Number(found[1]), Number(found[2]), Number(found[3]), Number(found[4] ?? 1)] : undefined;
}

const over = ([r, g, b, a]: Colour, below: Colour): Colour => [
  r * a + below[0] * (1 - a),
  g * a + below[1] * (1 - a),
  b * a + below[2] * (1 - a),
  1,
];

function luminance([r, g, b]: Colour): number {
  const [red, green, blue] = [r, g, b].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of an element's own text; undefined where it has none. */
function contrastOf(at: Element, { tools }: Asking<unknown>): Contrast | undefined {
  const text = [...at.childNodes].find((node) => node instanceof Text && node.data.trim() !== "");
  // A component shows it in a slot, and it has the slot's colour.
  const shown = text && tools.parentOf(text as Text);
  if (!shown) return undefined;
  if (shown !== at && isBacked(at, shown)) return { unknown: "another part of its component may be behind it" };
  const front = colour(getComputedStyle(shown).color);
  if (!front) return { unknown: "the colour is in another colour space" };
  const layers: Colour[] = [];
  for (let up: Element | null = shown; up; up = tools.parentOf(up)) {
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(up);
    if (backgroundImage !== "none") return { unknown: "a picture or a gradient is behind it" };
    if (Number(opacity) < 1) return { unknown: "it, or what is around it, is see-through" };
    const back = colour(backgroundColor);
    if (!back) return { unknown: "a background is in another colour space" };
    layers.push(back);
    if (back[3] === 1) break;
  }
  const back = layers.reduceRight<Colour>((below, layer) => over(layer, below), [255, 255, 255, 1]);
  const [lighter, darker] = [luminance(over(front, back)), luminance(back)].toSorted((a, b) => b - a) as [
    number,
    number,
  ];
  return { ratio: Math.round(((lighter + 0.05) / (darker + 0.05)) * 100) / 100 };
}

/** Whether something of a component that is not around a slot of it has a background where the component is. */
function isBacked(component: Element, slot: Element): boolean {
  const { left, top, width, height } = component.getBoundingClientRect();
  return [...(slot.getRootNode() as ShadowRoot).querySelectorAll("*")].some((part) => {
    const box = part.getBoundingClientRect();
    const [x, y] = [left + width / 2 - box.left, top + height / 2 - box.top];
    const isHere = x >= 0 && y >= 0 && x < box.width && y < box.height && !part.contains(slot);
    return isHere && colour(getComputedStyle(part).backgroundColor)?.[3] !== 0;
  });
}
