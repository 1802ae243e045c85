import { CONTROLS, DIALOGS, FIELDS, LANDMARKS, LIVE, STRUCTURE, TEXT, UNITS } from "./roles.ts";
import { type Part, childrenOf, isInName } from "./tree.ts";

/** Lists and tables with more are one line of an overview. */
export const MAX_UNFOLDED = 7;

/** What is in a folded list comes behind everything else. */
export const FOLDED_TIER = 20;
/** Places of parts within a tier. */
export const TIER = 1_000_000;

/** What an overview knows of a part. */
export interface Ranked {
  rank: number;
  /** Place of the nearest part around it that an overview shows; 0 for the page. */
  parent: number;
  /** Parts that are counted in it. */
  inside: number;
  /** Of a list or table: its units. */
  units: number;
}

/** Says whether a part is a list or table, and of what. */
export const unitOf = ({ role }: Part): string | undefined => (Object.hasOwn(UNITS, role) ? UNITS[role] : undefined);

/** How many units a list or table has. */
export function unitsOf(parts: readonly Part[], at: number): number {
  const part = parts[at];
  const unit = part && unitOf(part);
  if (unit === undefined) return 0;
  let count = 0;
  for (const child of childrenOf(parts, at)) if (parts[child]?.role.startsWith(unit)) count++;
  return count;
}

/** What is around a part. */
const [DIALOG, ALIVE, MAIN, SIDE, IN_LIST, FORM] = [1, 2, 4, 8, 16, 32];

const AROUND: Readonly<Record<string, number>> = {
  alert: ALIVE,
  alertdialog: DIALOG,
  banner: SIDE,
  complementary: SIDE,
  contentinfo: SIDE,
  dialog: DIALOG,
  form: FORM,
  log: ALIVE,
  main: MAIN,
  navigation: SIDE,
  overlay: DIALOG,
  status: ALIVE,
};

/**
 * Ranks the parts of a page for an overview: what lies over it, what just happened, what is wrong, its main landmark,
 * headings, forms, lists, then the rest; of equals what is in view comes first. seen says whether a part is in view; it is
 * asked for what that decides on only.
 */
export function rank(parts: readonly Part[], seen: (at: number) => boolean): Ranked[] {
  const ranked: Ranked[] = [];
  const around = new Uint8Array(parts.length);
  const shown = new Uint8Array(parts.length);
  const untold = new Uint8Array(parts.length);
  const hasMain = parts.some(({ role }) => role === "main");
  const ups: number[] = []; // the parts around the present one
  for (const [i, part] of parts.entries()) {
    let up = ups.at(-1) ?? -1;
    while (up >= 0 && (parts[up] as Part).last < i) {
      ups.pop();
      up = ups.at(-1) ?? -1;
    }
    const outer = up < 0 ? 0 : (around[up] as number);
    const units = part.last > i ? unitsOf(parts, i) : 0;
    const list = up >= 0 && (ranked[up] as Ranked).units > MAX_UNFOLDED ? IN_LIST : 0;
    const at = outer | (AROUND[part.role] ?? 0) | list;
    // What lies over the page, or just came, is not looked for in the part where it stands.
    const apart = (DIALOGS.has(part.role) || LIVE.has(part.role)) && (outer & DIALOG) === 0;
    const parent = apart || up < 0 ? 0 : shown[up] ? up : (ranked[up] as Ranked).parent;
    around[i] = at;
    shown[i] = isShown(part, units) ? 1 : 0;
    // What waits for news has none yet.
    const empty = LIVE.has(part.role) && part.last === i && part.text === "" && part.label === "";
    untold[i] = empty || isInName(part, parts[up]) ? 1 : 0;
    const main = (at & MAIN) > 0 || (!hasMain && (at & SIDE) === 0);
    const tier = i === 0 ? 0 : untold[i] ? FOLDED_TIER + 1 : tierOf(part, at, main, units, () => seen(i));
    ranked.push({ rank: tier * TIER + i, parent, inside: 0, units });
    if (part.last > i) ups.push(i);
  }
  // What is counted is counted in all that is around it and shown.
  for (let i = parts.length - 1; i > 0; i--) {
    const own = ranked[i] as Ranked;
    const { role, operated } = parts[i] as Part;
    const counts = untold[i] === 0 && (shown[i] || operated || !STRUCTURE.has(role)) ? 1 : 0;
    (ranked[own.parent] as Ranked).inside += own.inside + counts;
  }
  return ranked;
}

/** What says something only by its cells, which have no lines of their own. */
const TABLES: ReadonlySet<string> = new Set(["table", "grid", "treegrid"]);

/** Whether an overview has a line for a part that stands around others. */
const isShown = ({ role, label }: Part, units: number): boolean =>
  LANDMARKS.has(role) ||
  DIALOGS.has(role) ||
  LIVE.has(role) ||
  units > MAX_UNFOLDED ||
  (units > 0 && TABLES.has(role)) ||
  role === "menu" ||
  role === "tablist" ||
  role === "radiogroup" ||
  (role === "group" && label !== "");

function tierOf(part: Part, at: number, main: boolean, units: number, seen: () => boolean): number {
  const { role } = part;
  const control = CONTROLS.has(role) || part.operated === true;
  if (DIALOGS.has(role)) return 0;
  if (STRUCTURE.has(role) && !control && !isShown(part, units)) return FOLDED_TIER + 1;
  if (at & IN_LIST) return FOLDED_TIER;
  if (at & DIALOG) return role === TEXT ? 2 : 1;
  if (at & ALIVE) return role === TEXT || part.text !== "" || part.label !== "" || control ? 1 : 9;
  if (/\binvalid\b/.test(part.state)) return 2;
  if (role === "main" || role === "menu") return 2;
  if (role === "heading") {
    if (main && part.state.includes("level=1")) return 2;
    return (main ? 4 : 7) + (seen() ? 0 : 2);
  }
  if (LANDMARKS.has(role) || role === "iframe") return 3;
  if (units > MAX_UNFOLDED) return main && seen() ? 4 : 6;
  if (FIELDS.has(role) || (role === "button" && at & FORM)) return main ? (seen() ? 4 : 6) : 8;
  if (control) return main ? (seen() ? 5 : 8) : seen() ? 7 : 9;
  if (role === TEXT) return main && seen() ? 8 : 10;
  return main ? 9 : 10;
}
