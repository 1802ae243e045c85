import type { ActResult, CommandKind, Receipt } from "@gasoline/schema/commands";
import type { Tab } from "@gasoline/schema/wire";
import type { Acted, AgentOp, AgentOps, Settled } from "../messages/agent.ts";
import type { Context, Dialog, Left } from "./context.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** An act waits at most so long for what it led to. */
const SETTLE_MS = 2000;

/** Documents that one act is followed through: a page may lead on by itself. */
const MAX_DOCUMENTS = 3;

/** A page that says that it is leaving is gone within so long, ms. */
const LEAVING_MS = 1000;

/** A document that does not say so long, ms, that an act has begun there is acted on all the same. */
const BEGIN_MS = 300;

/** So long iframes are waited for, to begin with an act and to say what it changed in them. On a busy machine they are slow. */
const FRAMES_MS = 1000;

/** Before the deadline so long, ms, is left to send what the act caused. */
const SEND_MS = 300;

/** Bringing what the act caused to the daemon takes at most so long; what comes later comes by itself. */
const FLUSH_MS = 700;

/** Changes that a receipt tells, and bytes of them. */
const MAX_CHANGES = 12;
const MAX_CHANGES_BYTES = 1000;

/** Written entries that a receipt tells. */
const MAX_STORED = 6;

/** A page that has not answered so long, ms, after the deadline is busy with what the act began. */
const SILENT_MS = 60;

/** Operations of the agent that act on an element. */
type ActOp = {
  [K in AgentOp]: AgentOps[K]["result"] extends Acted ? K : never;
}[AgentOp];

/** What performing an act came to. */
interface Performed {
  /** What the document said while the act settled there; undefined: nobody settled yet. */
  settled?: Settled;
  /** What it said in steps before, which is told wherever the act leads. */
  before?: Settled | undefined;
  /** Where the act led, when that is another tab. */
  at?: Context;
  /** The tab is closed. */
  closed?: boolean;
}

/** A tab or window that an act opened. */
export interface Opened {
  tab: number;
  /** Of its page; "" where the user did not grant its site. */
  url: string;
  title: string;
  /** It had not loaded when the act had settled. */
  loading: boolean;
  /** What could not be loaded and why, in words. */
  failed?: string;
}

/** What was seen of an act. */
export interface Seen {
  /** The tab shows another document than before. */
  navigated: boolean;
  /** It shows the one before, and is about to go to this address; "" where nobody knows it. */
  leaving?: string;
  /** What could not be loaded and why, in words: the browser shows its error page. */
  failed?: string;
  opened: Opened | undefined;
  /** The tab after it; undefined when it is closed. */
  page: Tab | undefined;
}

/**
 * The way of every act: begin, perform, settle, receipt. The executor has begun; perform does the act, in documents whose
 * agents it calls or has begin, and the act settles there; then a page that was left is followed to the next one, where
 * the act settles, too, and what it caused is brought to the daemon, so that whoever asks next finds it. tell gives
 * the result by what was seen.
 */
export async function pipeline<R extends { receipt?: Receipt }>(
  context: Context,
  perform: (begin: () => Promise<void>) => Promise<Performed>,
  tell: (seen: Seen) => R | Promise<R>,
): Promise<R> {
  const began = Date.now();
  const watch = context.pages.watch(context.tab);
  const before = context.tab === 0 ? undefined : context.pages.document(context.tab);
  const from = context.tab === 0 ? undefined : context.pages.describe(context.tab).catch(() => undefined);
  let entered = false;
  const begin = async (): Promise<void> => {
    entered = true;
    await begun(context);
  };
  try {
    const { settled: own, before: said = NOTHING, at = context, closed } = await perform(begin);
    const until = Math.min(began + SETTLE_MS, context.deadline);
    const left = own?.leaving ? await watch.left(until) : watch.now();
    const { settled: last, loading } = closed
      ? { settled: NOTHING, loading: false }
      : await follow(at, before, own, left, until);
    const settled = joined({ ...said, busy: [] }, last);
    const goes = loading && own?.leaving === true && !own.inner;
    const there = !closed && at === context;
    const other = there && at.pages.document(at.tab) !== before;
    const leaving = there && goes && !other ? { leaving: own.to ?? "" } : {};
    const led = there && !loading && (other || own?.leaving === true || left.loading);
    const [page, opened, shown] = await Promise.all([
      closed ? undefined : at.pages.describe(at.tab),
      openedBy(context, left.openedTab ?? watch.now().openedTab),
      led ? failureOf(at, at.tab, before, own?.to) : undefined,
      within(FLUSH_MS, context.deadline, context.flush(at.tab, FLUSH_MS)),
    ]);
    const failed = shown ?? opened?.failed;
    const navigated = other || shown !== undefined;
    const receipt: Receipt = { settled_ms: Date.now() - began };
    const was = (await from)?.url;
    if (page && at === context && was !== undefined && was !== page.url)
      Object.assign(receipt, { from: was, to: page.url });
    if (settled.changes.length > 0) receipt.changes = bounded(settled.changes);
    const busy = [...settled.busy, ...(loading ? ["loading of the page"] : [])];
    if (opened?.loading) busy.push(`loading of tab ${opened.tab}`);
    if (busy.length > 0) receipt.busy = busy;
    if (settled.refused) receipt.refused = settled.refused;
    const stored = new Set([...(own?.stored ?? []), ...(settled.stored ?? [])]);
    if (stored.size > 0) receipt.stored = [...stored].slice(0, MAX_STORED);
    return { ...(await tell({ navigated, ...leaving, ...(failed ? { failed } : {}), opened, page })), receipt };
  } catch (error) {
    // What was begun and not done does not settle: nothing watches for it any more.
    if (entered) end(context);
    throw error;
  } finally {
    watch.stop();
  }
}

/** What an act opened, once its page has loaded, at the latest when an act is to have settled. undefined: nothing, or it is gone again. */
async function openedBy(context: Context, tab: number | undefined): Promise<Opened | undefined> {
  if (tab === undefined) return undefined;
  const { pages, deadline } = context;
  const loaded = await pages.loaded(tab, Math.min(Date.now() + SETTLE_MS, deadline - SEND_MS));
  const page = await pages.describe(tab).catch(() => undefined);
  const failed = loaded ? await failureOf(context, tab, undefined) : undefined;
  return page && { tab, url: page.url, title: page.title, loading: !loaded, ...(failed ? { failed } : {}) };
}

/**
 * What could not be loaded in a tab and why, in words; undefined: there is a page. before: the document that it showed, which
 * said that it goes to an address.
 */
async function failureOf(
  { pages, deadline }: Context,
  tab: number,
  before: string | undefined,
  to?: string,
): Promise<string | undefined> {
  const failure = await pages.failure(tab, deadline, before, to).catch(() => undefined);
  return failure && `${failure.url.slice(0, 200)}: ${failure.why}`;
}

/** Follows an act from document to document, where it settles in each: what the last of them said, and whether it loads still. */
async function follow(
  at: Context,
  before: string | undefined,
  own: Settled | undefined,
  { loading }: Left,
  until: number,
): Promise<{ settled: Settled; loading: boolean }> {
  const { pages, tab, deadline } = at;
  let settled = own;
  let last = before;
  for (let documents = 0; documents < MAX_DOCUMENTS; documents++) {
    const patience = documents === 0 ? until : Math.min(Date.now() + SETTLE_MS, deadline);
    const led = loading || settled?.leaving;
    if (led && !(await pages.loaded(tab, patience))) return { settled: NOTHING, loading: true };
    const document = pages.document(tab);
    const other = document !== last;
    if (settled && !other) break;
    last = document;
    settled = await settle(at, other);
    if (!settled.leaving) break;
    await pages.nextDocument(tab, Math.min(Date.now() + LEAVING_MS, deadline));
  }
  return { settled: settled ?? NOTHING, loading: false };
}

/** Has the act begin in the tab's document, to settle there. A page that cannot be asked is acted on all the same. */
async function begun({ frames, pages, tab, deadline }: Context): Promise<void> {
  if (tab === 0 || !pages.captured(tab) || pages.dialog(tab)) return;
  await within(BEGIN_MS, deadline, frames.call(tab, "begin", { frame: "main" }, deadline));
}

/** An act that began in the tab's document was not done. Nobody waits for the answer. */
function end({ frames, tab }: Context): void {
  frames.call(tab, "end", { frame: "main" }, Date.now() + BEGIN_MS).catch(() => undefined);
}

/** Settles in the tab's document. whole: the act led there, so it waits for all that the document asks for. */
async function settle({ frames, pages, tab, deadline }: Context, whole: boolean): Promise<Settled> {
  const open = pages.dialog(tab);
  if (open) return { changes: [], busy: [dialogInWords(open)] };
  if (!pages.captured(tab)) return NOTHING;
  const until = Math.min(Date.now() + SETTLE_MS, deadline - SEND_MS);
  const { opened, stop } = pages.nextDialog(tab);
  const settled = async (): Promise<Settled> => {
    if (whole) await frames.call(tab, "begin", { frame: "main", whole }, until);
    return frames.call(tab, "settle", { frame: "main" }, until);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silent = new Promise<Settled>((resolve) => {
    timer = setTimeout(
      () => resolve({ changes: [], busy: ["an answer of the page"] }),
      Math.max(0, until - Date.now()),
    );
  });
  try {
    return await Promise.race([
      settled().catch((error: unknown) => ({
        ...NOTHING,
        ...(error instanceof CommandProblem && /^page_(left|failed)$/.test(error.code) ? { leaving: true } : {}),
      })),
      opened.then((dialog) => ({ changes: [], busy: [dialogInWords(dialog)] })),
      silent,
    ]);
  } finally {
    clearTimeout(timer);
    stop();
  }
}

const dialogInWords = ({ type }: Dialog): string => `an answer to a native ${type} dialog`;

/** Acts in the page, and says whether the tab went elsewhere because of it. */
export async function act<K extends ActOp>(context: Context, op: K, params: AgentOps[K]["params"]): Promise<ActResult> {
  return steps(context, () => step(context, op, params));
}

/** What one step of an act came to. */
export interface Step {
  result: ActResult;
  settled: Settled;
  /** What steps before it came to. */
  before?: Settled;
}

/** Does one step of an act in the page. What an iframe's script does to the page around it is seen there only. */
export async function step<K extends ActOp>(context: Context, op: K, params: AgentOps[K]["params"]): Promise<Step> {
  const { frames, tab } = context;
  const around = frames.inner(tab);
  if (around) await Promise.all([begun(context), inFrames(context, "begin")]);
  try {
    const { result, settled = NOTHING } = await acted(context, op, params);
    const all = around && settled.inner ? both(settled, await settle(context, false)) : settled;
    if (!around || all.leaving) return { result, settled: all };
    const more = await inFrames(context, "changes");
    return { result, settled: { ...all, changes: bounded([...all.changes, ...more]) } };
  } catch (error) {
    if (around) {
      end(context);
      void inFrames(context, "end");
    }
    throw error;
  }
}

/** Has an act begin or end in the frames that the main document's scripts reach, too, and hears what changed there. */
async function inFrames(context: Context, op: "begin" | "changes" | "end"): Promise<string[]> {
  const { frames, pages, tab, deadline } = context;
  if (!pages.captured(tab) || pages.dialog(tab)) return [];
  let told: string[] = [];
  const until = Date.now() + FRAMES_MS;
  const work = frames.each(tab, op, op === "begin" ? { near: true } : {}, undefined, until).then(({ answers }) => {
    told = answers.flatMap(({ value }) => (value && "changes" in value ? value.changes : []));
  });
  await within(FRAMES_MS, op === "end" ? until : deadline, work);
  return told;
}

/** What an act of one or more steps comes to: the result of the last one, and what the page shows because of all. */
export async function steps(context: Context, perform: () => Promise<Step>): Promise<ActResult> {
  let done: ActResult = { match_count: 0, match_strategy: "" };
  return pipeline<ActResult>(
    context,
    async () => {
      const { result, settled, before } = await perform();
      done = result;
      return { settled, before };
    },
    ({ page, navigated, leaving, failed, opened }) => ({
      ...done,
      ...(page ? { url: page.url, title: page.title } : {}),
      ...(navigated ? { navigated } : {}),
      ...(leaving === undefined ? {} : { leaving_for: leaving || "another page" }),
      ...(failed ? { failed } : {}),
      ...(opened ? { opened_tab: opened.tab, opened_url: opened.url, opened_title: opened.title } : {}),
    }),
  );
}

/** What an iframe and the page around it say of one act. */
const both = (inner: Settled, outer: Settled): Settled => ({
  changes: bounded([
    ...inner.changes,
    ...(inner.leaving ? ["the frame went on to another page"] : []),
    ...outer.changes,
  ]),
  busy: [...inner.busy, ...outer.busy],
  ...(inner.refused ? { refused: inner.refused } : {}),
  ...(inner.stored || outer.stored ? { stored: [...new Set([...(inner.stored ?? []), ...(outer.stored ?? [])])] } : {}),
  ...(inner.leaving || outer.leaving ? { leaving: true } : {}),
  ...(outer.leaving ? {} : { inner: true }),
});

/** What steps of one act said, one after the other. How many changed somewhere is told where there is room. */
export function joined(first: Settled, then: Settled): Settled {
  const all = [...new Set([...first.changes, ...then.changes])];
  const said = [...all.filter((change) => !COUNTED.test(change)), ...all.filter((change) => COUNTED.test(change))];
  const changes = bounded(said);
  const refused = [...new Set([...(first.refused ?? []), ...(then.refused ?? [])])];
  const stored = [...new Set([...(first.stored ?? []), ...(then.stored ?? [])])];
  return {
    ...then,
    changes,
    ...(refused.length > 0 ? { refused } : {}),
    ...(stored.length > 0 ? { stored: stored.slice(0, MAX_STORED) } : {}),
  };
}

/** The first and the last changes of many: what came last says how it ended. */
function bounded(changes: readonly string[]): string[] {
  const left = [...changes];
  const size = (): number => new TextEncoder().encode(left.join("")).length;
  while (left.length > MAX_CHANGES || (left.length > 1 && size() > MAX_CHANGES_BYTES))
    left.splice(Math.floor(left.length / 2), 1);
  return left;
}

/** A change that says only how many there were. */
const COUNTED = /^\d+ (added|removed|changed)\b/;

/** What a document says that could not be asked. */
const NOTHING: Settled = { changes: [], busy: [] };

/**
 * The frame may go away because of the act, or go on with it past the deadline; what it came to was told before. An act
 * that was not told of has not begun.
 */
async function acted<K extends ActOp>(context: Context, op: K, params: AgentOps[K]["params"]): Promise<Acted> {
  const earlier = context.performed(); // of a step before
  const told = (): Acted | undefined => (context.performed() === earlier ? undefined : context.performed());
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silent = new Promise<Acted>((resolve) => {
    timer = setTimeout(
      () => {
        const performed = told();
        if (performed)
          resolve({ ...performed, settled: { changes: [], busy: ["the page itself: it does not answer yet"] } });
      },
      Math.max(0, context.deadline - Date.now()) + SILENT_MS,
    );
  });
  try {
    return await Promise.race([context.frames.call(context.tab, op, params, context.deadline), silent]);
  } catch (error) {
    const code = error instanceof CommandProblem ? error.code : "";
    // The document is gone, and what the tab shows instead may be the browser's error page.
    const gone = code === "page_left" || code === "page_failed";
    const performed = (gone || code === "dialog_open") && told();
    if (!performed) throw error;
    const part = context.part();
    if (part) throw new CommandProblem(code, `${(error as CommandProblem).message} ${part}`);
    // The dialog holds the page that the act was done in, and the end of the act there.
    const open = context.pages.dialog(context.tab);
    const held = gone ? { leaving: true } : { busy: open ? [dialogInWords(open)] : [] };
    return { ...performed, settled: { ...NOTHING, ...performed.settled, ...held } };
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for work, at most ms and until the deadline. Work that fails is over. */
export async function within(ms: number, deadline: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, Math.min(ms, deadline - Date.now())));
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}

/** Kinds that the page carries out, by what they give. */
type InPage<R> = { [K in AgentOp & CommandKind]: AgentOps[K]["result"] extends R ? K : never }[AgentOp & CommandKind];

/** The handler of a kind that acts in the page and needs nothing of the worker. */
export const acts = <K extends InPage<Acted>>(kind: K): Handler<K> =>
  ((params: AgentOps[K]["params"], context: Context) => act(context, kind, params)) as unknown as Handler<K>;

/** The handler of a kind that reads the page and needs nothing of the worker. */
export const reads = <K extends AgentOp & CommandKind>(kind: K): Handler<K> =>
  ((params: AgentOps[K]["params"], context: Context) =>
    context.frames.call(context.tab, kind, params, context.deadline)) as unknown as Handler<K>;
