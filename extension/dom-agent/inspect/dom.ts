import type { DomElement } from "@gasoline/schema/commands";
import type { Asking, Question } from "./main.ts";
import { compared } from "./walk.ts";

const DEFAULT_MATCHES = 20;
const MAX_MATCHES = 50;
const DEFAULT_DEPTH = 3;
const MAX_CHILDREN = 30;
const MAX_ELEMENTS = 500;
const MAX_ATTRIBUTES = 30;
const MAX_VALUE = 300;
const MAX_TEXT = 500;

const STYLES = [
  "display",
  "position",
  "visibility",
  "opacity",
  "color",
  "background-color",
  "font-size",
  "font-weight",
  "width",
  "height",
  "margin",
  "padding",
];

/** Elements as the document has them. */
export const dom: Question<"dom"> = async (asking) => {
  const { params, within = [], environment, tools } = asking;
  const slices = new tools.Slices(environment.deadline);
  const depth = params.include_children ? (params.max_depth ?? DEFAULT_DEPTH) : 0;
  const limit = Math.min(params.limit ?? DEFAULT_MATCHES, MAX_MATCHES);
  const room: Room = { left: MAX_ELEMENTS };
  const matches: DomElement[] = [];
  for (const at of within.slice(0, limit)) {
    if (slices.over) await slices.pause();
    await compared(at, tools, slices);
    if (!at.isConnected) continue;
    const ref = environment.refs.refOf(at);
    const styles = params.include_styles || params.properties ? stylesOf(at, params.properties ?? STYLES) : undefined;
    matches.push({
      ref,
      ...elementOf(at, depth, room, asking),
      bounding_box: tools.rounded(tools.boxOf(at)),
      ...(styles ? { styles } : {}),
    });
  }
  return {
    matches,
    match_count: within.length,
    returned_count: matches.length,
    ...(room.cut ? { children_cut: true } : {}),
  };
};

/** How many elements may still be told, and whether some were left out for it. */
interface Room {
  left: number;
  cut?: boolean;
}

function elementOf(at: Element, depth: number, room: Room, asking: Asking<unknown>): DomElement {
  const { tools } = asking;
  room.left--;
  const root = tools.shadowOf(at);
  const all = [...(root?.children ?? []), ...at.children].filter((child) => !tools.isOwn(child));
  const wanted = depth > 0 ? all.slice(0, MAX_CHILDREN) : [];
  const inner = wanted.slice(0, Math.max(0, room.left));
  if (inner.length < wanted.length) room.cut = true;
  const children = inner.map((child) => elementOf(child, depth - 1, room, asking));
  const text = children.length > 0 ? ownText(at, tools) : tools.shownText(at, MAX_TEXT);
  const role = tools.roleTold(at);
  const attributes = attributesOf(at, tools);
  return {
    tag: at.localName,
    ...(role ? { role } : {}),
    ...(text ? { text } : {}),
    visible: tools.isVisible(at),
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
    ...(root ? { shadow: root.mode } : {}),
    ...(children.length > 0 ? { children } : {}),
    ...(all.length > children.length ? { more_children: all.length - children.length } : {}),
  };
}

const ownText = (at: Element, { clean, fold }: Asking<unknown>["tools"]): string =>
  clean(fold([...at.childNodes].map((node) => (node instanceof Text ? node.data : " ")).join(""), MAX_TEXT), at);

function attributesOf(at: Element, { MASK, clean, isSecret }: Asking<unknown>["tools"]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of at.getAttributeNames().slice(0, MAX_ATTRIBUTES)) {
    const value = at.getAttribute(name) ?? "";
    found[name] = name === "value" && value && isSecret(at) ? MASK : clean(value, at).slice(0, MAX_VALUE);
  }
  return found;
}

function stylesOf(at: Element, properties: readonly string[]): Record<string, string> {
  const style = getComputedStyle(at);
  return Object.fromEntries(properties.map((name) => [name, style.getPropertyValue(name).slice(0, MAX_VALUE)]));
}
