import type { ActResult, CommandKind, Receipt } from "@gasoline/schema/commands";
import type { Tab } from "@gasoline/schema/wire";
import type { Acted, AgentOp, AgentOps, Settled } from "../messages/agent.ts";
import type { Context, Left } from "./context.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** An act waits at most so long for what it led to. */
const SETTLE_MS = 2000;

/** Bringing what the act caused to the daemon takes at most so long; what comes later comes by itself. */
const FLUSH_MS = 700;

/** Operations of the agent that act on an element. */
type ActOp = {
  [K in AgentOp]: AgentOps[K]["result"] extends Acted ? K : never;
}[AgentOp];

/** What performing an act came to: its result so far, and what the document said while it settled. */
interface Performed<R> {
  result: R;
  settled: Settled;
}

/**
 * The way of every act: begin, perform, settle, receipt. The executor has begun; perform does the act and settles in the
 * document; then a page that was left is followed to the next one, and what the act caused is brought to the daemon, so
 * that whoever asks next finds it.
 */
export async function pipeline<R extends { receipt?: Receipt }>(
  context: Context,
  perform: () => Promise<Performed<R>>,
): Promise<R & Left & { page: Tab }> {
  const began = Date.now();
  const watch = context.pages.watch(context.tab);
  try {
    const { result, settled } = await perform();
    const until = Math.min(began + SETTLE_MS, context.deadline);
    const left = settled.leaving ? await watch.left(until) : watch.now();
    const loading = left.navigated && !(await context.pages.loaded(context.tab, until));
    const [page] = await Promise.all([
      context.pages.describe(context.tab),
      within(FLUSH_MS, context.deadline, context.flush(context.tab)),
    ]);
    const { url } = page;
    const receipt: Receipt = { settled_ms: Date.now() - began };
    if (settled.from !== undefined && settled.from !== url) Object.assign(receipt, { from: settled.from, to: url });
    if (settled.changes.length > 0 && !left.navigated) receipt.changes = settled.changes;
    const busy = [...settled.busy, ...(loading ? ["loading of the page"] : [])];
    if (busy.length > 0) receipt.busy = busy;
    if (settled.refused) receipt.refused = settled.refused;
    return { ...result, ...left, receipt, page };
  } finally {
    watch.stop();
  }
}

/** Acts in the page, and says whether the tab went elsewhere because of it. */
export async function act<K extends ActOp>(context: Context, op: K, params: AgentOps[K]["params"]): Promise<ActResult> {
  const { navigated, openedTab, page, ...result } = await pipeline(context, async () => {
    const { result, settled } = await acted(context, op, params);
    return { result, settled: settled ?? NOTHING };
  });
  const whole: ActResult = { ...result, url: page.url, title: page.title };
  if (navigated) whole.navigated = true;
  if (openedTab !== undefined) whole.opened_tab = openedTab;
  return whole;
}

/** What a document says that could not be asked. */
const NOTHING: Settled = { changes: [], busy: [] };

/** The frame may go away because of the act; what it came to was told before. */
async function acted<K extends ActOp>(context: Context, op: K, params: AgentOps[K]["params"]): Promise<Acted> {
  try {
    return await context.frames.call(context.tab, op, params, context.deadline);
  } catch (error) {
    const performed = error instanceof CommandProblem && error.code === "page_left" && context.performed();
    if (!performed) throw error;
    return { ...performed, settled: { ...NOTHING, ...performed.settled, leaving: true } };
  }
}

async function within(ms: number, deadline: number, work: Promise<unknown>): Promise<void> {
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
