import type { ScriptParams, ScriptResult } from "@gasoline/schema/commands";
import { pipeline } from "./act.ts";
import type { Context, FrameInfo, Send } from "./context.ts";
import { frameId, isolatedWorld } from "./frame_id.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";
import { type Outcome, asExpression, asBody, isOutcome } from "./script.ts";

/** Each step of ending a script that is late may take so long. */
const END_MS = 100;

/**
 * Runs an agent's script in a page of this machine, or of a site where the user granted it. The script
 * is an expression or statements with return; promises are awaited. It runs by the browser's own ways
 * for that, never by eval of a string in the page.
 */
export const executeJs: Handler<"execute_js"> = async (params, context) => {
  const frame = await context.frames.find(context.tab, params.frame);
  allowed(frame, context);
  let result: ScriptResult | undefined;
  return pipeline<ScriptResult>(
    context,
    async () => {
      const at = params.frame === undefined ? {} : { frame: params.frame };
      await context.frames.call(context.tab, "begin", at, context.deadline);
      try {
        result = await run(context, frame, params);
      } catch (error) {
        context.frames.call(context.tab, "end", at, Date.now() + END_MS).catch(() => undefined);
        throw error;
      }
      // A script that leads elsewhere takes the document with it.
      const settled = await context.frames
        .call(context.tab, "settle", at, context.deadline)
        .catch(() => ({ changes: [], busy: [], leaving: true }));
      return { settled };
    },
    () => result as ScriptResult, // it is there once the script ran
  );
};

/** Throws where scripts are not allowed in a frame: by the origin that it has, not by its address. */
function allowed({ name, origins }: FrameInfo, { scripts }: Context): void {
  const not = origins.length === 0 ? "no site" : origins.find((origin) => !scripts.allowed(origin));
  if (not === undefined) return;
  throw new CommandProblem(
    "origin_not_allowed",
    name === ""
      ? "Scripts run on localhost only. For this site the user can allow them in the Gasoline popup."
      : `Scripts run on localhost only, and the frame is of ${not === "null" ? "a frame without a site" : not}. The user can allow them for sites in the Gasoline popup.`,
  );
}

async function run(context: Context, frame: FrameInfo, params: ScriptParams): Promise<ScriptResult> {
  const isolated = params.world === "isolated";
  const work = context.scripts.user
    ? byUserScript(context, frame, params.script, isolated)
    : byDebugger(context, frame, params.script, isolated);
  const outcome = await inTime(context.deadline, work).catch((error: unknown) => {
    throw isOfLeaving(error) ? left() : error;
  });
  if (!outcome.ok) throw new CommandProblem(outcome.code, outcome.message);
  return {
    result: outcome.value ?? null,
    type: outcome.type,
    execution_mode: context.scripts.user ? "user_script" : "debugger",
    url: frame.url,
  };
}

async function byUserScript(context: Context, frame: FrameInfo, script: string, isolated: boolean): Promise<Outcome> {
  // Text that does not parse did not run at all, so it can be tried in its other form. Chrome tells it
  // by an empty result or by an error, according to its version; what the script itself throws comes
  // back as an outcome.
  let problem = "SyntaxError: the script is neither an expression nor statements.";
  for (const code of [asExpression(script), asBody(script)]) {
    try {
      const result = await context.scripts.user?.(
        context.tab,
        frame.documentId,
        code,
        isolated ? "USER_SCRIPT" : "MAIN",
      );
      if (isOutcome(result)) return result;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      problem = error.message;
    }
  }
  // A document that was left meanwhile gives an empty result as well; nothing runs in it any more.
  const there = await context.scripts.user?.(
    context.tab,
    frame.documentId,
    asExpression("0"),
    isolated ? "USER_SCRIPT" : "MAIN",
  );
  if (!isOutcome(there)) throw left();
  return { ok: false, code: "execution_error", message: problem };
}

const left = (): CommandProblem =>
  new CommandProblem("page_left", "The page was left while the script ran, so it has no result.");

/** Says whether Chrome tells that a script's document is gone. */
const isOfLeaving = (error: unknown): boolean =>
  error instanceof Error &&
  /was left|context was destroyed|No (document|frame) with id|was removed|Cannot access contents/i.test(error.message);

interface Evaluated {
  result?: { value?: unknown };
  exceptionDetails?: { text: string; exception?: { description?: string; className?: string; value?: unknown } };
}

async function byDebugger(context: Context, frame: FrameInfo, script: string, isolated: boolean): Promise<Outcome> {
  // The agent is answered at the deadline; what is left of the script is ended right after it.
  return context.debug.run(context.tab, context.deadline + 2 * END_MS, (send) =>
    evaluate(send, context.deadline, frame, script, isolated),
  );
}

/** Runs a script by the debugger, in the document of a frame. */
export async function evaluate(
  send: Send,
  deadline: number,
  frame: FrameInfo,
  script: string,
  isolated: boolean,
): Promise<Outcome> {
  const where = await contextOf(send, frame, isolated);
  const run = async (expression: string): Promise<Evaluated> =>
    (await send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
      // Ends a loop, and is all that Chrome allows an extension: what the script does after its first await goes on.
      timeout: Math.max(1, deadline + END_MS - Date.now()),
      ...where,
    })) as Evaluated;
  const there = onlyOn(frame);
  let evaluated = await run(there(asExpression(script)));
  if (evaluated.exceptionDetails) evaluated = await run(there(asBody(script)));
  if (evaluated.exceptionDetails) {
    const { exception, text } = evaluated.exceptionDetails;
    if (exception?.value === LEFT)
      return { ok: false, code: "page_left", message: "The page was left before the script ran." };
    return { ok: false, code: "execution_error", message: exception?.description ?? text };
  }
  const value = evaluated.result?.value;
  if (!isOutcome(value)) throw left();
  return value;
}

/** What is thrown where the page was left. */
const LEFT = "gasoline: left";

/**
 * Has a script run in the document that was asked about only: the debugger's own world of the main frame is that of whatever
 * page is there by then. No page can change what location says. A statement before the script says so, for a script may
 * close what it is put into.
 */
function onlyOn({ url }: FrameInfo): (script: string) => string {
  const { origin, protocol } = new URL(url);
  const [key, value] = origin === "null" ? ["protocol", protocol] : ["origin", origin];
  const elsewhere = `if (location.${key} !== ${JSON.stringify(value)}) throw ${JSON.stringify(LEFT)};`;
  return (script) => `${elsewhere} ${script}`;
}

/** Where Runtime.evaluate has to run: nothing for the page's own world of the main frame. */
async function contextOf(send: Send, frame: FrameInfo, isolated: boolean): Promise<{ contextId?: number }> {
  if (frame.path.length === 0 && !isolated) return {};
  const id = await frameId(send, frame.path);
  if (id === undefined) {
    throw new CommandProblem(
      "frame_not_reachable",
      "This frame runs in a process of its own. Scripts reach it once the user allows user scripts for Gasoline in chrome://extensions.",
    );
  }
  return { contextId: isolated ? await isolatedWorld(send, id) : await ownWorld(send, id) };
}

/** The context of a frame's own world, found through its document: contexts are only announced by events. */
async function ownWorld(send: Send, id: string): Promise<number> {
  await send("DOM.enable");
  const { backendNodeId } = (await send("DOM.getFrameOwner", { frameId: id })) as { backendNodeId: number };
  const { node } = (await send("DOM.describeNode", { backendNodeId, depth: 1, pierce: true })) as {
    node: { contentDocument?: { backendNodeId: number } };
  };
  if (!node.contentDocument) throw new CommandProblem("frame_not_reachable", "The frame's document cannot be reached.");
  const { object } = (await send("DOM.resolveNode", { backendNodeId: node.contentDocument.backendNodeId })) as {
    object: { objectId: string };
  };
  // A remote object's id names its context.
  const world = /^[^.]*\.(\d+)\./.exec(object.objectId)?.[1] ?? /"injectedScriptId":(\d+)/.exec(object.objectId)?.[1];
  await send("DOM.disable");
  if (!world) throw new CommandProblem("frame_not_reachable", "The frame's world cannot be named.");
  return Number(world);
}

const LATE: Outcome = {
  ok: false,
  code: "execution_timeout",
  message:
    "The script did not end in time. What it began goes on; if the page stays silent, a loop holds it until its tab is closed.",
};

async function inTime(deadline: number, work: Promise<Outcome>): Promise<Outcome> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve(LATE), Math.max(0, deadline - Date.now()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
