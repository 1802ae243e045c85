import type { Target } from "@gasoline/schema/commands";
import type { FrameAnswer, FrameInfo } from "../../commands/context.ts";
import { inWords, isEvery, isMain } from "../../commands/frame.ts";
import { lastLook } from "../../commands/last-look.ts";
import { CommandProblem } from "../../commands/problem.ts";
import type { AgentOps } from "../../messages/agent.ts";
import { SILENCE_MS, ask } from "./ask.ts";
import { Gone } from "./calls.ts";
import { type Choice, choose, toAsk } from "./choose.ts";
import { MAX_NAMED, coverageOf } from "./coverage.ts";
import { FAULTS, MAX_ASKED, PASSED, type Page } from "./page.ts";
import { MAX_SEARCHED, type Tree, after, samePath } from "./tree.ts";

/** A parent's agent finds the iframe that a selector fits within so long, ms. */
const SELECT_MS = 2000;
/** Between two searches a page that changes all the time gets so many times the time that one took, at most REST_MS. */
const SHARE = 3;
const REST_MS = 500;

/** What names a frame, or a target whose frame is to be found. */
export type TargetLike = Pick<Target, "ref" | "selector" | "nth" | "x" | "y"> & { frame?: string | undefined };

/** The frame of a target. */
export interface Fitting {
  frame: FrameInfo;
  /** Which of the frame's elements that fit, when the target counts through frames. */
  nth?: number;
  /** When it fits nowhere: in words, the frames that were not looked into. */
  unseen?: string;
}

/** The frame of a ref, or the one that frame= names, which may be about to be loaded. */
export async function named(page: Page, target: TargetLike, deadline: number): Promise<FrameInfo> {
  if (target.ref === undefined) return waitFor(page, target.frame, deadline);
  const document = await page.calls.refs.documentOf(page.tab, target.ref);
  const frame = document && (await page.treeWith(({ documentId }) => documentId === document)).wanted;
  if (frame) return frame;
  const given = await page.calls.refs.isGiven(page.tab, target.ref);
  const why = given ? "belongs to a page that is gone" : "is unknown: no answer about this tab gave it";
  throw new CommandProblem("stale_ref", `${target.ref} ${why}.`);
}

/** The innermost frame that has the focus, from the main frame on. */
export async function focused(page: Page, main: FrameInfo, deadline: number): Promise<FrameInfo> {
  const { tab, calls, documents } = page;
  let at = main;
  for (let known: Tree | undefined; ;) {
    const { index } = await calls.run(tab, at, "focused_frame", {}, deadline);
    if (index === undefined) return at;
    known ??= await page.tree();
    const path = [...at.path, index];
    const inner = known.frames.find((frame) => samePath(frame.path, path));
    if (!inner) {
      const { origins } = await calls.run(tab, at, "origins", { indexes: [index] }, deadline);
      const [origin] = origins;
      const granted = !origin || documents.granted(`${origin}/`);
      throw new CommandProblem(
        granted ? "frame_not_found" : "origin_not_allowed",
        granted
          ? "The focus is in an iframe that does not answer."
          : `The focus is in an iframe of ${origin}, which is not granted.`,
      );
    }
    at = inner;
  }
}

/** The frame that frame= names now; the main frame when it names none. */
export async function find(page: Page, frame: string | undefined): Promise<FrameInfo> {
  if (frame === undefined || isEvery(frame) || isMain(frame)) return page.main();
  if (!/^\d+$/.test(frame)) return bySelector(page, frame);
  const { frames, wanted: found, silent, more } = await page.treeWith(({ name }) => name === frame);
  if (found) return found;
  const count = frames.length - 1 + silent.length + more;
  if (Number(frame) < count) throw new CommandProblem("frame_not_found", `Frame ${frame} does not answer.`);
  throw new CommandProblem("frame_not_found", `The page has ${count} frames; they are counted from 0.`);
}

async function bySelector(page: Page, selector: string): Promise<FrameInfo> {
  const { frames, more } = await page.tree();
  let problem: unknown;
  const { asked } = toAsk(frames, MAX_ASKED);
  const { answers } = await ask(page.calls, page.tab, asked, "frame_index", { selector }, Date.now() + SELECT_MS);
  for (const { frame: parent, value, error } of answers) {
    const fits = ({ path }: FrameInfo): boolean => value !== undefined && samePath(path, [...parent.path, value.index]);
    const found = frames.find(fits) ?? (value && more > 0 ? (await page.treeWith(fits)).wanted : undefined);
    if (found) return found;
    problem ??= error;
    if (error instanceof CommandProblem && (error.code === "ambiguous_target" || error.code === "invalid_param"))
      throw error;
  }
  throw answers.some(({ value }) => value)
    ? new CommandProblem("frame_not_found", `The frame ${selector} cannot be reached: its site is not granted.`)
    : (problem ?? new CommandProblem("frame_not_found", `No iframe fits ${selector.slice(0, 200)}.`));
}

async function waitFor(page: Page, frame: string | undefined, deadline: number): Promise<FrameInfo> {
  if (isEvery(frame) || isMain(frame)) return page.main();
  for (;;) {
    const came = page.change(deadline);
    const began = Date.now();
    try {
      return await find(page, frame);
    } catch (error) {
      const missing = error instanceof CommandProblem && error.code === "frame_not_found";
      if (!missing || Date.now() >= deadline) throw error;
      page.calls.signal?.throwIfAborted();
      await Promise.all([came.next(), rest(Date.now() - began, deadline)]);
    } finally {
      came.stop();
    }
  }
}

/**
 * The one frame in which the target fits; the main frame when it fits nowhere in time, which says what is there instead.
 */
export async function fitting(page: Page, target: TargetLike, deadline: number): Promise<Fitting> {
  const whole = deadline - Date.now();
  let until = deadline - lastLook(whole);
  const { calls } = page;
  const { signal } = calls;
  const params = probing(target);
  let first = early(page, params, deadline);
  for (let looks = 0; ; looks++) {
    const began = Date.now();
    const [near, main] = await Promise.all([page.tree(), first]);
    first = Promise.resolve(undefined);
    let tree = near;
    let found = await probed(page, near.frames, main, target, until, deadline);
    if (!found.choice && near.more > 0 && Date.now() < until) {
      const asked = new Set(near.frames.map(({ documentId }) => documentId));
      tree = await page.tree(MAX_SEARCHED);
      const others = tree.frames.filter(({ documentId }) => !asked.has(documentId));
      found = await probed(page, others, undefined, target, until, deadline, found);
    }
    const { probes, silent, left, choice } = found;
    const took = Date.now() - began;
    until = Math.min(until, deadline - lastLook(whole, took));
    if (choice && "frame" in choice) return choice;
    if (choice) throw await ambiguous(page, target, choice.among, deadline);
    const fault = probes.find(({ error }) => error instanceof CommandProblem && FAULTS.has(error.code));
    if (fault) throw fault.error;
    const nowhere = async (): Promise<Fitting> => ({
      frame: tree.frames[0] ?? (await page.main()),
      unseen: inWords(await coverageOf(page, tree, silent, left, deadline)),
    });
    if (Date.now() >= until) {
      if (probes.some(isNone)) calls.missing = nothing(target);
      return nowhere();
    }
    if (target.nth !== undefined) {
      // Some may fit, but not enough.
      const came = page.change(until);
      await Promise.all([came.next(), rest(took, until)]).finally(came.stop);
      signal?.throwIfAborted();
      continue;
    }
    // What comes and goes again and again is not looked for without a pause.
    if (looks > 0) await rest(took, until);
    try {
      await page.first(until, (frame) => ({ op: "probe", params: { ...params(frame), wait: true } }));
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof CommandProblem) || !PASSED.has(error.code)) throw error;
      if (error.code === "element_not_found") calls.missing = nothing(target);
      return nowhere();
    }
  }
}

/** Says whether the main frame has nothing that fits. */
const isNone = ({ frame, value }: FrameAnswer<"probe">): boolean => frame.name === "" && value?.count === 0;

const nothing = ({ selector = "" }: TargetLike): CommandProblem =>
  new CommandProblem(
    "element_not_found",
    `Nothing fits ${selector.slice(0, 200)}. The page is busy: it did not say in time what it has instead.`,
  );

/** Where a target fits, as far as frames were asked. left: how many were not. */
interface Probed {
  probes: FrameAnswer<"probe">[];
  silent: FrameInfo[];
  left: number;
  choice: Choice;
}

/**
 * Asks the frames where the target fits, the first part of them before the others; main answered before, and what
 * other frames did counts along.
 */
async function probed(
  page: Page,
  frames: readonly FrameInfo[],
  main: Early | undefined,
  target: TargetLike,
  until: number,
  deadline: number,
  before?: Probed,
): Promise<Probed> {
  const probes = before?.probes ?? [];
  const silent = before?.silent ?? [];
  let left: readonly FrameInfo[] = frames;
  if (main && frames[0]?.documentId === main.document) {
    probes.push({ frame: frames[0], ...main });
    left = frames.slice(1);
  }
  for (;;) {
    // Beyond the first part frames are asked only where nothing fitted yet.
    const { asked } = toAsk(left, MAX_ASKED);
    left = left.filter((frame) => !asked.includes(frame) && !frame.empty);
    const answered = await ask(page.calls, page.tab, asked, "probe", probing(target), deadline);
    probes.push(...answered.answers);
    silent.push(...answered.silent);
    const choice = choose(
      probes.flatMap(({ frame, value }) => (value ? [{ frame, ...value }] : [])),
      target.nth,
    );
    if (choice || left.length === 0 || Date.now() >= until) return { probes, silent, left: left.length, choice };
  }
}

type Early = { document: string } & Pick<FrameAnswer<"probe">, "value" | "error">;

/** Asks the main frame while the others are looked for: on most pages that is all. */
async function early(page: Page, params: ReturnType<typeof probing>, deadline: number): Promise<Early | undefined> {
  const main = page.documents.known(page.tab).find(({ frame }) => frame === 0);
  if (!main) return undefined;
  const { document } = main;
  const at = { documentId: document, name: "" };
  const asking = page.calls.run(page.tab, at, "probe", params(at), deadline).then(
    (value) => ({ document, value }),
    (error: unknown) => (error instanceof Gone ? undefined : { document, error }),
  );
  return Promise.race([asking, after(SILENCE_MS)]);
}

async function ambiguous(
  page: Page,
  target: TargetLike,
  among: readonly FrameInfo[],
  deadline: number,
): Promise<CommandProblem> {
  const params = probing(target);
  const some = among.slice(0, MAX_NAMED);
  const until = Math.min(deadline, Date.now() + SILENCE_MS);
  const { answers } = await ask(
    page.calls,
    page.tab,
    some,
    "probe",
    (frame) => ({ ...params(frame), tell: true }),
    until,
  );
  // One of each frame comes first.
  const lists = answers.flatMap(({ value }) => (value?.candidates ? [value.candidates] : []));
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const candidates = Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list[i] ?? []))
    .flat()
    .slice(0, MAX_NAMED);
  const names = some.map(({ name, url }) => (name === "" ? "the page" : `frame ${name} (${url.slice(0, 100)})`));
  return new CommandProblem(
    "ambiguous_target",
    `${(target.selector ?? "The target").slice(0, 200)} fits in ${among.length} frames: ${names.join(", ")}.`,
    candidates.length > 0 ? { candidates } : {},
  );
}

/** The params of a probe in a frame. */
const probing =
  (target: TargetLike) =>
  (frame: Pick<FrameInfo, "name">): AgentOps["probe"]["params"] => {
    const { ref: _ref, frame: _frame, nth: _nth, ...rest } = target as Target;
    const { selector, within } = rest;
    return {
      ...(selector === undefined ? {} : { selector }),
      ...(within === undefined ? {} : { within }),
      ...(frame.name === "" ? {} : { inner: true }),
    };
  };

/** Leaves a page that changes all the time alone after a search that took so many ms. */
async function rest(took: number, until: number): Promise<void> {
  await after(Math.max(0, Math.min(SHARE * took, REST_MS, until - Date.now())));
}
