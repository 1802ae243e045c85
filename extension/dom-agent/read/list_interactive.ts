import type { Element as ElementRecord, ListParams, ListResult } from "@gasoline/schema/commands";
import { viewport } from "../act/scroll_to.ts";
import { describe } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { find } from "../selector.ts";
import { type Scope, everyElement, parentOf } from "../shadow.ts";
import { isVisible } from "../visible.ts";

const OPERABLE =
  "a[href], area[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable=''], [contenteditable=true], [onclick], [tabindex], " +
  "[role=button], [role=link], [role=tab], [role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], [role=option], [role=checkbox], [role=radio], [role=switch], [role=combobox], [role=textbox], [role=slider], [role=treeitem]";

/** Elements beyond the known kinds that are asked for their cursor: each asks for its style. */
const MAX_CURSOR_CHECKS = 500;
const MAX_LISTED = 100;
/** Tops within so many pixels are one row in reading order. */
const ROW_PX = 10;

let generation = 0;

/** Lists what a user could operate, in reading order, visible ones first. */
export function listInteractive(params: ListParams, environment: Environment): ListResult {
  const rect = scopeRect(params.scope_rect);
  const filters: string[] = [];
  let elements = operable(scopeOf(params.within, environment));
  if (params.within !== undefined) filters.push("within");
  if (params.visible_only) {
    filters.push("visible_only");
    elements = elements.filter(isVisible);
  }
  if (params.exclude_nav) {
    filters.push("exclude_nav");
    elements = elements.filter(
      (element) =>
        element.closest("nav, header, footer, [role=navigation], [role=banner], [role=contentinfo]") === null,
    );
  }
  let records = elements.map((element) => describe(element, environment.refs, environment.frame));
  const { role, text_contains: part } = params;
  if (role !== undefined) {
    filters.push("role");
    records = records.filter((record) => record.role === role || record.element_type === role);
  }
  if (part !== undefined) {
    filters.push("text_contains");
    const lower = part.toLowerCase();
    records = records.filter((record) =>
      [record.label, record.placeholder, record.value].some((text) => text?.toLowerCase().includes(lower)),
    );
  }
  if (rect) {
    filters.push("scope_rect");
    records = records
      .filter(({ bbox }) => overlaps(bbox, rect))
      .map((record) => ({ ...record, distance_px: distance(record.bbox, rect) }));
  }
  const kept = order(withoutHiddenTwins(records)).slice(0, params.limit || MAX_LISTED);
  return {
    elements: kept.map((record, index) => ({ ...record, index })),
    candidate_count: records.length,
    ...(filters.length > 0 ? { filters_applied: filters } : {}),
    ...(rect ? { scope_rect_used: params.scope_rect as number[] } : {}),
    generation: ++generation,
    url: location.href,
    title: document.title,
    viewport: viewport(),
  };
}

function scopeOf(within: string | undefined, { refs }: Environment): Scope {
  if (within === undefined) return document;
  const [first] = find(within, document, refs).elements;
  if (!first) throw new AgentProblem("scope_not_found", `Nothing fits within: ${within.slice(0, 200)}.`);
  return first;
}

function operable(scope: Scope): Element[] {
  const found: Element[] = [];
  let checks = 0;
  for (const element of everyElement(scope)) {
    if (
      element.matches(OPERABLE) ||
      (element instanceof HTMLElement && element.isContentEditable && !element.parentElement?.isContentEditable)
    ) {
      if (element.getAttribute("tabindex") !== "-1" || element.matches("a, button, input, select, textarea, [role]"))
        found.push(element);
      continue;
    }
    if (checks >= MAX_CURSOR_CHECKS || element.firstChild === null || !(element instanceof HTMLElement)) continue;
    checks++;
    // The cursor is inherited: only where it begins, something is meant to be clicked.
    const parent = parentOf(element);
    if (getComputedStyle(element).cursor !== "pointer" || (parent && getComputedStyle(parent).cursor === "pointer"))
      continue;
    if (element.closest("a[href], button, label") === null) found.push(element);
  }
  return found;
}

/** Pages keep a hidden copy of a menu or a form for other screens; the visible one is meant. */
function withoutHiddenTwins(records: readonly ElementRecord[]): ElementRecord[] {
  const key = (record: ElementRecord) => `${record.role} ${record.tag} ${record.type} ${record.label}`;
  const shown = new Set(records.filter((record) => record.visible).map(key));
  return records.filter((record) => record.visible || !shown.has(key(record)));
}

function order(records: ElementRecord[]): ElementRecord[] {
  const row = ({ bbox }: ElementRecord) => Math.round(bbox.y / ROW_PX);
  return records.sort(
    (a, b) =>
      Number(b.visible) - Number(a.visible) ||
      (a.distance_px ?? 0) - (b.distance_px ?? 0) ||
      row(a) - row(b) ||
      a.bbox.x - b.bbox.x,
  );
}

type Box = ElementRecord["bbox"];

function scopeRect(given: number[] | undefined): Box | undefined {
  if (given === undefined) return undefined;
  const [x, y, width, height] = given;
  if (given.length !== 4 || x === undefined || y === undefined || !width || !height || width < 0 || height < 0) {
    throw new AgentProblem("invalid_scope_rect", "scope_rect is [x, y, width, height] in CSS pixels of the viewport.");
  }
  return { x, y, width, height };
}

const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function distance(a: Box, b: Box): number {
  return Math.round(Math.hypot(a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2));
}
