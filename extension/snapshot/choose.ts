import { CONTROLS, DIALOGS, FIELDS, LANDMARKS, LIVE, STRUCTURE, TEXT, UNITS } from "./roles.ts";
import { type Part, childrenOf } from "./tree.ts";

/** Lists and tables with more are one line of an overview. */
export const MAX_UNFOLDED = 7;

/** What is in a folded list comes behind everything else. */
export const FOLDED_TIER = 20;
/** Places of parts within a tier. */
const TIER = 1_000_000;

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

interface Around {
  parent: number;
  dialog: boolean;
  live: boolean;
  main: boolean;
  /** Navigation, header, footer, aside: what is around the page's own content. */
  side: boolean;
  folded: boolean;
  form: boolean;
}

/**
 * Ranks the parts of a page for an overview: what lies over it, what just happened, what is wrong, its main landmark,
 * headings, forms, lists, then the rest; of equals what is in view comes first. seen says whether a part is in view; it is
 * asked for what that decides on only.
 */
export function rank(parts: readonly Part[], seen: (at: number) => boolean): Ranked[] {
  const ranked: Ranked[] = [];
  const around: Around[] = [];
  const hasMain = parts.some(({ role }) => role === "main");
  const ups: number[] = []; // the parts around the present one
  for (const [i, part] of parts.entries()) {
    while (ups.length > 0 && (parts[ups.at(-1) as number] as Part).last < i) ups.pop();
    const up = ups.at(-1);
    const outer = up === undefined ? undefined : around[up];
    const units = unitsOf(parts, i);
    const { role } = part;
    // What lies over the page, or just came, is not looked for in the part where it stands.
    const apart = (DIALOGS.has(role) || LIVE.has(role)) && outer?.dialog !== true;
    const nearest = up === undefined ? 0 : isShown(parts[up] as Part, ranked[up]) ? up : (outer?.parent ?? 0);
    const at: Around = {
      parent: apart ? 0 : nearest,
      dialog: outer?.dialog === true || DIALOGS.has(role),
      live: outer?.live === true || LIVE.has(role),
      main: outer?.main === true || role === "main",
      side: outer?.side === true || /^(banner|complementary|contentinfo|navigation)$/.test(role),
      folded: outer?.folded === true || (up !== undefined && (ranked[up]?.units ?? 0) > MAX_UNFOLDED),
      form: outer?.form === true || role === "form",
    };
    around.push(at);
    const tier = i === 0 ? 0 : tierOf(part, at, hasMain, units, () => seen(i));
    ranked.push({ rank: tier * TIER + i, parent: at.parent, inside: 0, units });
    ups.push(i);
  }
  // What is counted is counted in all that is around it and shown.
  for (let i = parts.length - 1; i > 0; i--) {
    const own = ranked[i] as Ranked;
    const counts = isShown(parts[i] as Part, own) || isCounted(parts[i] as Part) ? 1 : 0;
    (ranked[own.parent] as Ranked).inside += own.inside + counts;
    if (!isShown(parts[i] as Part, own)) own.inside = 0;
  }
  return ranked;
}

/** Whether an overview has a line for a part that stands around others. */
function isShown({ role, label }: Part, ranked: Ranked | undefined): boolean {
  if (LANDMARKS.has(role) || DIALOGS.has(role) || LIVE.has(role)) return true;
  if (ranked && ranked.units > MAX_UNFOLDED) return true;
  return role === "menu" || role === "tablist" || role === "radiogroup" || (role === "group" && label !== "");
}

const isCounted = ({ role }: Part): boolean => !STRUCTURE.has(role);

function tierOf(part: Part, at: Around, hasMain: boolean, units: number, seen: () => boolean): number {
  const { role } = part;
  if (DIALOGS.has(role)) return 0;
  if (STRUCTURE.has(role) && units <= MAX_UNFOLDED) return FOLDED_TIER + 1;
  if (at.folded) return FOLDED_TIER;
  if (at.dialog) return role === TEXT ? 2 : 1;
  if (at.live) return role === TEXT || part.last > 0 ? 1 : 9;
  if (/\binvalid\b/.test(part.state)) return 2;
  if (role === "main" || role === "menu") return 2;
  const main = at.main || (!hasMain && !at.side);
  if (role === "heading") {
    const top = part.state.includes("level=1");
    if (main && top) return 2;
    return (main ? 4 : 7) + (seen() ? 0 : 2);
  }
  if (LANDMARKS.has(role) || role === "iframe") return 3;
  if (units > MAX_UNFOLDED) return main && seen() ? 4 : 6;
  if (FIELDS.has(role) || (role === "button" && at.form)) return main && seen() ? 4 : main ? 6 : 8;
  if (CONTROLS.has(role)) return main ? (seen() ? 5 : 8) : seen() ? 7 : 9;
  if (role === TEXT) return main && seen() ? 8 : 10;
  return main ? 9 : 10;
}
