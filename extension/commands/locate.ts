import type { LocateParams, LocateResult } from "@gasoline/schema/commands";
import type { Candidate } from "@gasoline/schema/wire";
import type { Identity } from "../messages/agent.ts";
import type { Context, FrameAnswer } from "./context.ts";
import type { Handler } from "./handler.ts";
import { lastLook } from "./last-look.ts";
import { CommandProblem } from "./problem.ts";

/** Of the time for the last look so long, ms, is for the way back. */
const BACK_MS = 50;

/** Where the best way finds nothing, the page has to rest so long, ms, before another one counts; it is waited for so long. */
const REST_MS = 300;
const UNREST_MS = 1500;

/** A page that tells of no change is looked at again after so long, ms. */
const LOOK_MS = 250;

/** Lines about what might have been meant, and characters of the names in them. */
const MAX_NEAR = 8;
const MAX_NAME = 80;

type Found = Omit<LocateResult, "waited_ms"> & { beside?: Candidate[] };

/** Finds the first of several selectors that exactly one element fits, in the main frame or in the iframe with an address. */
export const locate: Handler<"locate"> = async (params, context) => {
  const began = Date.now();
  const whole = context.deadline - began;
  let until = context.deadline - lastLook(whole);
  let found: Found = { index: -1, counts: [] };
  for (let rested = false; ;) {
    context.signal.throwIfAborted();
    try {
      const looked = Date.now();
      found = await look(params, context, rested);
      until = Math.min(until, context.deadline - lastLook(whole, Date.now() - looked));
      const better = found.index === 0 || (found.index > 0 && rested);
      if (better || Date.now() >= until) break;
      if (found.index > 0 || !rested) {
        rested = await rest(context, until);
        continue;
      }
      await change(context, until);
    } catch (error) {
      if (!(error instanceof CommandProblem) || error.code !== "page_left" || Date.now() >= until) throw error;
      await context.pages.nextDocument(context.tab, Math.min(until, Date.now() + LOOK_MS));
    }
  }
  const { beside = [], ...told } = found;
  if (params.agree) {
    told.url = (await context.pages.describe(context.tab)).url;
    if (told.index < 0) told.near = await near(params, beside, context);
  }
  return { ...told, waited_ms: Date.now() - began };
};

/**
 * What each selector finds now, up to the first that one element fits. others: iframes of the site with other addresses
 * count, too.
 */
async function look(params: LocateParams, context: Context, others: boolean): Promise<Found> {
  const { selectors, frame_url, agree, site } = params;
  const expected = agree ? { role: params.role ?? "", name: params.name ?? "" } : undefined;
  const counts: number[] = [];
  const besides: number[] = [];
  const beside: Candidate[] = [];
  const told = expected ? { others: besides, beside } : {};
  let strange = site !== undefined;
  for (const [index, selector] of selectors.entries()) {
    const frames = (await probe(selector, frame_url === undefined, expected, context)).filter(
      ({ frame }) => (frame_url === undefined || frame.name !== "") && (site === undefined || isOf(site, frame.url)),
    );
    if (frames.length > 0) strange = false;
    const isOne = expected ? isLike : isSame;
    const same = frames.filter(({ frame }) => frame_url === undefined || isOne(frame_url, frame.url));
    const asked = same.length > 0 || !others || expected || site === undefined ? same : frames;
    const fitting = asked.flatMap(({ frame, value }) => (value && value.count > 0 ? [{ frame, ...value }] : []));
    const visible = fitting.reduce((sum, each) => sum + each.visible, 0);
    // Of several that fit, the visible ones are meant, as everywhere.
    const count = visible || fitting.reduce((sum, each) => sum + each.count, 0);
    counts.push(count);
    besides.push(asked.reduce((sum, { value }) => sum + (value?.others ?? 0), 0));
    const [only] = visible > 0 ? fitting.filter((each) => each.visible > 0) : fitting;
    if (count === 1 && only) {
      const [found] = only.candidates ?? [];
      return { index, frame: only.frame.name || "main", counts, ...told, ...(found ? { ref: found.ref } : {}) };
    }
    if (expected) beside.push(...asked.flatMap(({ value }) => value?.candidates ?? []));
  }
  return { index: -1, counts, ...told, ...(strange ? { strange } : {}) };
}

/** What might have been meant by a name that finds nothing, in lines: what the selectors find, then what is called alike. */
async function near({ role, name }: LocateParams, beside: Candidate[], context: Context): Promise<string[]> {
  const params = { selector: `role=${role}[name=${JSON.stringify(name ?? "")}]`, near: true };
  const until = context.deadline - BACK_MS;
  const alike = await context.frames
    .each(context.tab, "probe", params, undefined, until)
    .then(({ answers }) => answers.flatMap(({ value }) => value?.candidates ?? []))
    .catch(() => []);
  const lines = [...beside, ...alike].map((at) => {
    const line = `${at.ref} ${at.role ?? "element"} ${JSON.stringify((at.name ?? "").slice(0, MAX_NAME))}`;
    return `${line}${at.visible ? "" : " (not visible)"}${at.frame ? ` in frame ${at.frame}` : ""}`;
  });
  return [...new Set(lines)].slice(0, MAX_NEAR);
}

/** Says whether two addresses are of one page, whatever their queries say. */
const isSame = (a: string, b: string): boolean => a.split(/[?#]/, 1)[0] === b.split(/[?#]/, 1)[0];

/**
 * Says whether an address is one of those that a pattern means: of its origin, where a * stands for any part of the path. A
 * site of this machine may have another port.
 */
export function isLike(pattern: string, url: string): boolean {
  const [a, b] = [pattern, url].map((text) => (URL.canParse(text) ? new URL(text) : undefined));
  if (!a || !b || (a.origin !== b.origin && !(isLocal(a) && isLocal(b)))) return false;
  const [wanted, given] = [a, b].map(({ pathname }) => pathname.replace(/\/$/, "").split("/"));
  return wanted?.length === given?.length && (wanted ?? []).every((part, i) => part === "*" || part === given?.[i]);
}

/** Says whether an address is of an origin. */
const isOf = (site: string, url: string): boolean => URL.canParse(url) && new URL(url).origin === site;

const isLocal = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$|\.localhost$/.test(hostname);

/** How often a selector fits in each frame. One that is no selector here fits nothing. */
async function probe(
  selector: string,
  main: boolean,
  expected: Identity | undefined,
  context: Context,
): Promise<FrameAnswer<"probe">[]> {
  const { tab, deadline, frames } = context;
  const params = { selector, tell: true, ...(expected ? { agree: expected } : {}) };
  try {
    const { answers } = await frames.each(tab, "probe", params, main ? "main" : undefined, deadline);
    return answers;
  } catch (error) {
    if (error instanceof CommandProblem && error.code === "invalid_selector") return [];
    throw error;
  }
}

/** Waits until the page rests; true also for one that never does. */
async function rest({ tab, frames }: Context, until: number): Promise<true> {
  await frames.call(tab, "quiet", { stability_ms: REST_MS }, Math.min(until, Date.now() + UNREST_MS));
  return true;
}

/** Waits for a change of the page; iframes are looked at again in between. */
async function change({ tab, frames }: Context, until: number): Promise<void> {
  await frames.call(tab, "changed", {}, Math.min(until, Date.now() + LOOK_MS));
}
