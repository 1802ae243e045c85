import { type Tree, select } from "@gasoline/capture/locators/deep";
import { componentTags, roleGiven } from "@gasoline/capture/locators/lent";
import { roleOf, roleTold } from "@gasoline/capture/locators/name";
import { plainRole } from "@gasoline/capture/locators/role";
import { seen } from "@gasoline/capture/locators/text";
import type { Element as ElementRecord, ListParams, ListResult } from "@gasoline/schema/commands";
import { viewport } from "../act/scroll_to.ts";
import { withoutHosts } from "../behind.ts";
import { controlOf, inList, kindOf, labelOf } from "../describe.ts";
import type { Environment } from "../environment.ts";
import type { Pass } from "../pass.ts";
import { AgentProblem } from "../problem.ts";
import { find } from "../selector.ts";
import { ROOTS, type Scope, parentOf } from "../shadow.ts";
import { Slices } from "../slices.ts";
import { sortOf } from "../sort.ts";
import { boxOf, isShown, rounded } from "../visible.ts";

/** What may be operated; the rest is asked of each, which is cheaper than a longer selector for the whole page. */
const PERHAPS = "a[href],area[href],button,input,select,textarea,summary,[contenteditable],[onclick],[tabindex],[role]";
export const perhaps = (): string => [PERHAPS, ...componentTags()].join();
const OPERABLE_TAG = /^(a|area|button|input|select|textarea|summary)$/;
const OPERABLE_ROLE =
  /^(button|link|tab|menuitem|menuitemcheckbox|menuitemradio|option|checkbox|radio|switch|combobox|textbox|slider|treeitem)$/i;

/** Elements beyond the known kinds that are asked for their cursor: each asks for its style. */
const MAX_CURSOR_CHECKS = 500;
const MAX_LISTED = 100;
const NAVIGATION = "nav, header, footer, [role=navigation], [role=banner], [role=contentinfo]";

let generation = 0;

/** An element that may be listed, with what decides on its place. */
interface Placed {
  element: Element;
  box: Box;
  visible: boolean;
  distance: number;
}

/** What a look at the page gave. */
interface Look {
  kept: ElementRecord[];
  count: number;
  /** Elements that were not looked at in time, or went away before they were. */
  unread: number;
  /** How many went away. */
  gone: number;
}

/** A page that renders anew meanwhile is looked at so many times in slices, then once without a pause. */
const MAX_LOOKS = 3;

/**
 * Lists what a user could operate, in reading order, visible ones first. It works in slices, and describes no more
 * elements than it lists. What goes away in between is looked for again; a page that does not keep still for that long is
 * looked at in one go, as far as two slices reach. Elements that were not looked at are counted.
 */
export async function listInteractive(params: ListParams, environment: Environment): Promise<ListResult> {
  const rect = scopeRect(params.scope_rect);
  let found: Look | undefined;
  for (let looks = 0; !found || (found.gone > 0 && looks <= MAX_LOOKS); looks++) {
    if (found && Date.now() >= environment.deadline.at) break;
    found = await look(params, rect, environment, new Slices(environment.deadline, looks === MAX_LOOKS));
  }
  const sort = sortOf();
  const filters = (["within", "visible_only", "exclude_nav", "role", "text_contains", "scope_rect"] as const).filter(
    (name) => params[name] !== undefined && params[name] !== false,
  );
  return {
    elements: found.kept,
    candidate_count: found.count,
    ...(sort === "" ? {} : { document: sort }),
    ...(found.unread > 0 ? { unread: found.unread } : {}),
    ...(filters.length > 0 ? { filters_applied: filters } : {}),
    ...(rect ? { scope_rect_used: params.scope_rect as number[] } : {}),
    generation: ++generation,
    url: location.href,
    title: document.title,
    viewport: viewport(),
  };
}

/** Looks at the page once. */
async function look(
  params: ListParams,
  rect: Box | undefined,
  environment: Environment,
  slices: Slices,
): Promise<Look> {
  const found = withoutHosts(await operable(scopeOf(params.within, environment), slices), slices.pass);
  // The layout that boxes are read from takes nothing of the slice.
  document.documentElement?.getBoundingClientRect();
  slices.next();
  const { placed, left, lost } = await place(found, params, rect, slices);
  slices.next();
  const fits = filter(params);
  const limit = params.limit || MAX_LISTED;
  const kept: ElementRecord[] = [];
  const shown = new Set<string>();
  let count = 0;
  let unread = left;
  let gone = lost;
  for (const [i, { element, visible, distance }] of placed.entries()) {
    if (slices.over) {
      if (slices.late && kept.length > 0) {
        unread += placed.length - i;
        break;
      }
      await slices.pause();
    }
    const { pass } = slices;
    // The page may have gone on in a pause.
    if (!element.isConnected) {
      gone++;
      continue;
    }
    if (!fits(element, pass)) continue;
    count++;
    if (kept.length >= limit) {
      if (params.role === undefined && params.text_contains === undefined) {
        count += placed.length - i - 1;
        break;
      }
      continue;
    }
    const record = inList(element, environment.refs, environment.frame, pass, visible);
    const key = `${record.role} ${record.tag} ${record.type} ${record.label}`;
    // Pages keep a hidden copy of a menu or a form for other screens; the visible one is meant.
    if (!visible && shown.has(key)) {
      count--;
      continue;
    }
    if (visible) shown.add(key);
    kept.push({ ...record, index: kept.length, ...(rect ? { distance_px: distance } : {}) });
  }
  return { kept, count, unread: unread + gone, gone };
}

function scopeOf(within: string | undefined, { refs }: Environment): Scope {
  if (within === undefined) return document;
  const [first] = find(within, document, refs).elements;
  if (!first) throw new AgentProblem("scope_not_found", `Nothing fits within: ${within.slice(0, 200)}.`);
  return first;
}

/** The elements that a user could operate, in no order. */
async function operable(scope: Scope, slices: Slices): Promise<Set<Element>> {
  const steps = ROOTS.below(scope);
  let tree = steps.next();
  for (; !tree.done; tree = steps.next()) if (slices.over) await slices.pause();
  const found = new Set<Element>();
  for (const element of select(perhaps(), tree.value)) {
    if (slices.over) await slices.pause();
    if (isOperable(element)) found.add(element);
  }
  let checks = MAX_CURSOR_CHECKS;
  for (const root of rootsOf(tree.value)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    while (checks > 0 && walker.nextNode()) {
      const element = walker.currentNode;
      if (!(element instanceof HTMLElement) || element.firstChild === null || found.has(element)) continue;
      checks--;
      if (slices.over) await slices.pause();
      if (beginsPointer(element)) found.add(element);
    }
  }
  return found;
}

function* rootsOf(tree: Tree): Generator<Scope, void, void> {
  yield tree.scope;
  for (const { tree: inner } of tree.below) yield* rootsOf(inner);
}

/** Whether an element is made to be operated. It is one of perhaps(). */
export function isOperable(element: Element): boolean {
  const { localName } = element;
  if (OPERABLE_TAG.test(localName) && ((localName !== "a" && localName !== "area") || element.hasAttribute("href")))
    return localName !== "input" || (element as HTMLInputElement).type !== "hidden";
  const role = roleGiven(element);
  if (role !== null && (OPERABLE_ROLE.test(role) || OPERABLE_ROLE.test(roleOf(element)))) return true;
  const focusable = element.getAttribute("tabindex");
  if (role === null && focusable === "-1") return false;
  if (focusable !== null || element.hasAttribute("onclick")) return true;
  return element instanceof HTMLElement && element.isContentEditable && !element.parentElement?.isContentEditable;
}

/** The cursor is inherited: only where it begins, something is meant to be clicked. */
export function beginsPointer(element: HTMLElement): boolean {
  if (getComputedStyle(element).cursor !== "pointer") return false;
  const parent = parentOf(element);
  return (
    (parent === null || getComputedStyle(parent).cursor !== "pointer") &&
    element.closest("a[href], button, label") === null
  );
}

/**
 * Those that the filters of place leave, in the order of the list; how many are left that were not looked at, and how many
 * were lost because they had gone.
 */
async function place(
  elements: ReadonlySet<Element>,
  params: ListParams,
  rect: Box | undefined,
  slices: Slices,
): Promise<{ placed: Placed[]; left: number; lost: number }> {
  const placed: Placed[] = [];
  let lost = 0;
  let left = elements.size;
  for (const element of elements) {
    if (slices.over) {
      if (slices.late && placed.length > 0) break;
      await slices.pause();
    }
    left--;
    if (!element.isConnected) {
      lost++;
      continue;
    }
    if (params.exclude_nav && element.closest(NAVIGATION) !== null) continue;
    const box = rounded(boxOf(element));
    const visible = isShown(element, box);
    if (params.visible_only && !visible) continue;
    if (rect && !overlaps(box, rect)) continue;
    placed.push({ element, box, visible, distance: rect ? distance(box, rect) : 0 });
  }
  const row = rowsOf(placed);
  placed.sort(
    (a, b) =>
      Number(b.visible) - Number(a.visible) ||
      a.distance - b.distance ||
      (row.get(a) ?? 0) - (row.get(b) ?? 0) ||
      a.box.x - b.box.x,
  );
  return { placed, left, lost };
}

/**
 * The row of each element in reading order. Elements are in one row while at least half of the lower one is beside what is
 * common to those before it: a tall element takes no others into its row.
 */
function rowsOf(placed: readonly Placed[]): Map<Placed, number> {
  const rows = new Map<Placed, number>();
  let row = 0;
  let top = Infinity;
  let bottom = -Infinity;
  // What is not visible comes behind what is, in rows of its own.
  let visible: boolean | undefined;
  const order = placed.toSorted((a, b) => Number(b.visible) - Number(a.visible) || a.box.y - b.box.y);
  for (const at of order) {
    const { y, height } = at.box;
    const common = Math.min(bottom, y + height) - Math.max(top, y);
    if (at.visible === visible && common >= Math.min(bottom - top, height) / 2) {
      top = Math.max(top, y);
      bottom = Math.min(bottom, y + height);
    } else {
      row++;
      [top, bottom, visible] = [y, y + height, at.visible];
    }
    rows.set(at, row);
  }
  return rows;
}

/** Whether an element has the role and the text that are asked for. */
function filter(params: ListParams): (element: Element, pass: Pass) => boolean {
  const role = params.role === undefined ? undefined : plainRole(params.role);
  const lower = params.text_contains === undefined ? undefined : seen(params.text_contains).toLowerCase();
  const letters = lower?.replace(/\s/g, "");
  return (element, pass) => {
    if (role !== undefined) {
      const own = roleOf(element);
      if (own !== role && kindOf(element, own) !== role) return false;
    }
    if (lower === undefined || letters === undefined) return true;
    const { placeholder = "", value = "" } = controlOf(element);
    if ([placeholder, value].some((text) => text.toLowerCase().includes(lower))) return true;
    return mayBeCalled(element, letters, pass) && labelOf(element, pass).toLowerCase().includes(lower);
  };
}

/** Whether the label can hold a text; what has no name is called by its text. */
const mayBeCalled = (element: Element, letters: string, { names }: Pass): boolean =>
  names.mayHold(element, letters) ||
  roleTold(element) === "" ||
  element.childElementCount > 0 ||
  names.of(element) === "";

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
