/** Of the time of a call a tenth is left for its last look at the page, but at least LEAST_MS and at most MOST_MS. */
const SHARE = 10;
const LEAST_MS = 200;
const MOST_MS = 3000;
/** Where a look takes long the last one is given so many times as long: it looks once more, and then at all names. */
const LOOKS = 10;

/**
 * How long before its deadline a call of so many ms stops to wait, and says what is there instead, ms: never more than a
 * quarter of it. took: the time of its looks so far, ms; the longest counts, for a machine may be busy again.
 */
export const lastLook = (whole: number, took = 0): number =>
  Math.min(Math.max(LEAST_MS, Math.min(whole / SHARE, MOST_MS), LOOKS * took), whole / 4);
