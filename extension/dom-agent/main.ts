import type { ActionId } from "../messages/content.ts";
import type { Acted, AgentAnswer, AgentCall, AgentOp, AgentOps } from "../messages/agent.ts";
import { scrollTo } from "./actionable.ts";
import { around } from "./around.ts";
import { spot } from "./act/drag.ts";
import { fill, submit } from "./act/form.ts";
import { noteHealed } from "./act/outcome.ts";
import { ActScope } from "./act/scope.ts";
import type { Deadline, Environment } from "./environment.ts";
import type {} from "./cover/main.ts";
import type {} from "./draw/main.ts";
import { loaded } from "./browser.ts";
import { callChildren, focusedFrame, frameElements, origins, showers } from "./frames.ts";
import { DRAW_TOOLS, later } from "./later.ts";
import { KINDS } from "./operations.gen.ts";
import { AgentProblem } from "./problem.ts";
import { probe } from "./probe.ts";
import { geometry } from "./read/geometry.ts";
import { outline } from "./read/outline.ts";
import { RefBook } from "./refs.ts";
import { everywhere, query, roots, shadowOf } from "./shadow.ts";
import { matches, resolve } from "./target.ts";
import { isSecret } from "./secret.ts";
import { withStores } from "./stored.ts";
import { toast } from "./toast.ts";
import { boxOf, isVisible, rounded } from "./visible.ts";
import { change, frame, pause, quiet, retry } from "./waiting.ts";

type Operation<K extends AgentOp> = (
  params: AgentOps[K]["params"],
  environment: Environment,
) => AgentOps[K]["result"] | Promise<AgentOps[K]["result"]>;

const OPERATIONS: { [K in AgentOp]: Operation<K> } = {
  ...KINDS,
  probe,
  origins: ({ indexes }) => ({ origins: origins(indexes) }),
  changed: async (_params, { deadline }) => {
    await change(Math.max(0, deadline.at - Date.now()), deadline.signal);
    return {};
  },
  call_children: ({ token, origins }) => {
    callChildren(token, origins);
    return {};
  },
  focused_frame: () => focusedFrame(),
  frame_index: ({ selector }) => frameIndex(selector),
  rect: async (params, { refs, deadline, frame: name }) => {
    const { element } = await retry(deadline, () => {
      const resolved = resolve(params, refs);
      if (!isVisible(resolved.element)) throw new AgentProblem("not_actionable", "The element is not visible.");
      return resolved;
    });
    if (scrollTo(element)) await frame();
    return { rect: rounded(boxOf(element)), frame: name };
  },
  spot,
  geometry: () => geometry(),
  outline,
  around: (params) => around(params),
  diff: ({ mutations = false }, { last }) =>
    last ? { action: last.action, at: last.at, diff: last.diff.told(mutations) } : {},
  quiet: ({ stability_ms }, { deadline }) => quiet(stability_ms, deadline),
  begin: ({ expected }, { act }) => {
    if (expected) act.announce(expected);
    act.start();
    return {};
  },
  settle: (_params, { act, refs }) => act.settle(refs),
  changes: (_params, { act, refs }) => ({ changes: act.changes(refs) }),
  fill,
  submit,
  end: () => ({}),
  cover: async ({ masks, ...how }, { refs }) => {
    const { cover, mask } = await loaded("cover", () => globalThis.gasolineCover);
    const fitting = (all: readonly string[]) => all.map((selector) => matches({ selector }, refs));
    const tools = { everywhere, roots, isSecret, pause, fitting, showers };
    return masks ? { fields: 0, ...(await mask(masks, tools)) } : cover(how, tools);
  },
  look_upload: later("look_upload"),
  put_files: later("put_files"),
  drop_files: later("drop_files"),
  post_files: later("post_files"),
  pick_files: later("pick_files"),
  clipboard: later("clipboard"),
  take_state: (params, environment) => withStores(environment, ({ take }, limits) => take(params, limits)),
  take_forms: (_params, environment) =>
    withStores(environment, ({ takeForms }) => takeForms(isSecret, everywhere("input,textarea,select", document))),
  add_state: (params, environment) => withStores(environment, ({ add }) => add(params)),
  restore_state: (params, environment) => withStores(environment, ({ restore }, limits) => restore(params, limits)),
  restore_forms: (params, environment) =>
    withStores(environment, async ({ typeAgain }) => ({
      differs: await typeAgain(params, (change) => environment.act.perform(change, true), shadowOf),
    })),
  look_storage: (params, environment) => withStores(environment, ({ look }, limits) => look(params, limits)),
  draw: async (params, { refs }) =>
    (await loaded("draw", () => globalThis.gasolineDraw)).start(params, refs, DRAW_TOOLS),
  toast: ({ text: said }) => {
    toast(said);
    return {};
  },
};

function frameIndex(selector: string): { index: number } {
  let elements: Element[];
  try {
    elements = query(selector, document);
  } catch {
    throw new AgentProblem("invalid_param", `Not a CSS selector: ${selector.slice(0, 200)}`);
  }
  const frames = elements.filter((at) => at instanceof HTMLIFrameElement || at instanceof HTMLFrameElement);
  const [only] = frames;
  if (!only) throw new AgentProblem("frame_not_found", `No iframe fits ${selector.slice(0, 200)}.`);
  if (frames.length > 1)
    throw new AgentProblem("ambiguous_target", `${frames.length} iframes fit ${selector.slice(0, 200)}.`);
  return { index: frameElements().indexOf(only) };
}

/** Says whether scripts of the main document reach this one. */
function isNear(): boolean {
  try {
    return window.top?.document !== undefined;
  } catch {
    return false;
  }
}

const isActed = (result: object | null): result is Acted => result !== null && "result" in result;

const cancelled = (): AgentProblem => new AgentProblem("cancelled", "Nobody waits for this any more.");

/** Cancellations of calls that have not come are remembered up to this many. */
const MAX_EARLY = 100;

/** The agent of one document: called by the worker, one call at a time or several at once. */
class Agent {
  readonly #refs = new RefBook();
  readonly #running = new Map<string, AbortController>(); // by the call's id
  readonly #acts = new Map<string, ActScope>(); // by action
  #last: Environment["last"];
  readonly #early = new Set<string>(); // calls that were cancelled before they came; <= MAX_EARLY

  async run<K extends AgentOp>(call: AgentCall<K>): Promise<AgentAnswer<K>> {
    this.#refs.allow(call.refs);
    const control = new AbortController();
    this.#running.set(call.id, control);
    const deadline: Deadline = { at: call.deadline, signal: control.signal };
    const act = this.#actOf(call as AgentCall, deadline);
    deadline.waits = (problem) => act.waits(problem);
    const environment: Environment = { refs: this.#refs, heals: this.#refs.heals, deadline, frame: call.frame, act };
    if (call.past) environment.past = true;
    let goesOn = call.op === "begin";
    if (this.#last) environment.last = this.#last;
    try {
      if (this.#early.delete(call.id)) throw cancelled();
      const operation = OPERATIONS[call.op] as Operation<K>;
      const result = await operation(call.params, environment);
      // What acts has settled before it answers.
      if (isActed(result)) noteHealed(result.result, environment);
      if (isActed(result) && result.inside) goesOn = true;
      else if (isActed(result) && result.href === undefined) {
        act.tell(result.result);
        result.settled = await act.settle(this.#refs);
      }
      return { ok: true, value: result, refsLeft: this.#refs.left };
    } catch (error) {
      const problem = error instanceof AgentProblem ? error : new AgentProblem("internal", String(error));
      return { ok: false, error: problem.toWire(), refsLeft: this.#refs.left };
    } finally {
      this.#running.delete(call.id);
      if (!goesOn) this.#stop(call.action);
    }
  }

  /** The act that a call belongs to; an act that begin began goes on. */
  #actOf({ action, op, params }: AgentCall, deadline: Deadline): ActScope {
    const begun = action && this.#acts.get(action.id);
    if (begun) {
      begun.deadline = deadline;
      return begun;
    }
    const { whole = false, near = false } = op === "begin" ? (params as AgentOps["begin"]["params"]) : {};
    // An act that did not begin here changed nothing here that is told.
    if (op === "changes" || op === "end" || (near && !isNear())) return new ActScope(undefined, deadline);
    const act = new ActScope(action, deadline, whole);
    if (action) this.#acts.set(action.id, act);
    return act;
  }

  #stop(action: ActionId | undefined): void {
    if (!action) return;
    const act = this.#acts.get(action.id);
    act?.stop();
    this.#acts.delete(action.id);
    if (act?.diff) this.#last = { action: action.id, at: Date.now(), diff: act.diff };
  }

  /** Ends a call for which nobody waits any more. */
  cancel(id: string): void {
    const running = this.#running.get(id);
    if (running) return running.abort(cancelled());
    // It overtook the call, or came too late.
    if (this.#early.size >= MAX_EARLY) this.#early.clear();
    this.#early.add(id);
  }
}

declare global {
  var gasolineAgent: Agent | undefined;
}

globalThis.gasolineAgent ??= new Agent();
