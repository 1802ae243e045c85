import type { Coverage, Target } from "@gasoline/schema/commands";
import type { CommandError } from "@gasoline/schema/wire";
import type { FrameAnswer, FrameInfo, Frames } from "../../commands/context.ts";
import { inWords, isEvery } from "../../commands/frame.ts";
import { CommandProblem, pageLeft } from "../../commands/problem.ts";
import type {
  Acted,
  AgentOp,
  AgentOps,
  AskAround,
  AskFrameworks,
  AskScript,
  AskTick,
  Inside,
} from "../../messages/agent.ts";
import type { ActionId } from "../../messages/content.ts";
import type { AskComponents } from "../../messages/drawing.ts";
import { ask } from "./ask.ts";
import { frameworksIn, listenForComponents, loadScript, onAsked } from "./browser.ts";
import { Calls, Gone, operation, unreachable } from "./calls.ts";
import { toAsk } from "./choose.ts";
import { coverageOf } from "./coverage.ts";
import { type Documents, type First, MAX_ASKED, PASSED, Page } from "./page.ts";
import { upwards } from "./points.ts";
import type { RefBlocks } from "./refs.ts";
import type { May } from "../execution/powers.ts";
import { originOf } from "../../state/origins.ts";
import { samePath } from "./tree.ts";
import { type TargetLike, find, fitting, focused, named } from "./targets.ts";

/** A page that has not answered so long, ms, after the deadline hangs. */
const HANG_MS = 1000;

/** Operations that go to the focus where they name no element. */
const TO_FOCUS: ReadonlySet<string> = new Set(["key_press", "type", "paste", "clipboard"]);

/** A target whose frame loads anew whenever it is called is looked for again so many times. */
const MAX_TRIES = 100;

/** Calls the agent in the frames of tabs. */
export class AgentFrames implements Frames {
  readonly #may: May;
  readonly #calls: Calls;
  readonly #documents: Documents;

  constructor(
    refs: RefBlocks,
    documents: Documents,
    may: May,
    calls = new Calls(refs, (document, left) => documents.onLeft(document, left), may),
  ) {
    this.#may = may;
    this.#calls = calls;
    this.#documents = documents;
  }

  /** The same agents for one command: its calls end in the documents when the signal fires, and are its action's and for its site. */
  for(signal: AbortSignal, action?: ActionId, site?: string): AgentFrames {
    return new AgentFrames(this.#calls.refs, this.#documents, this.#may, this.#calls.for(signal, action, site));
  }

  get missing(): CommandProblem | undefined {
    return this.#calls.missing;
  }

  inner(tab: number): boolean {
    const { length } = this.#documents.known(tab);
    return length > 1 && length <= MAX_ASKED;
  }

  /**
   * Answers agents that ask what lies around their frame, for a script, in their own world or in the page's, or that wait in
   * a hidden page.
   */
  listen(): void {
    onAsked((message) => {
      const { type, ms } = message as Partial<AskTick>;
      return type === "gasoline-tick" ? new Promise((went) => setTimeout(went, ms, null)) : undefined;
    });
    onAsked((message, tab, document) => {
      const { type, name } = message as Partial<AskComponents>;
      return type === "gasoline-components" && name
        ? listenForComponents(tab, document, name).then(
            () => null,
            (error: unknown) => unreachable(error).toWire(),
          )
        : undefined;
    });
    onAsked((message, tab, document) =>
      (message as Partial<AskFrameworks>).type === "gasoline-frameworks"
        ? frameworksIn(tab, document).catch(() => [])
        : undefined,
    );
    onAsked((message, tab, document) =>
      (message as Partial<AskAround>).type === "gasoline-around"
        ? this.#around(tab, document, message as AskAround)
        : (message as Partial<AskScript>).type === "gasoline-script"
          ? loadScript(tab, document, (message as AskScript).script).then(
              () => null,
              (error: unknown) => unreachable(error).toWire(),
            )
          : undefined,
    );
  }

  async call<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"],
    deadline: number,
  ): Promise<AgentOps[K]["result"]> {
    return inTime(deadline, this.#call(tab, op, params, deadline));
  }

  async #call<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"],
    deadline: number,
  ): Promise<AgentOps[K]["result"]> {
    this.#calls.missing = undefined;
    await this.#may(tab, operation(op).power); // the frames are looked for by a script in them
    const page = this.#page(tab);
    const target = params as TargetLike;
    const searched = target.ref === undefined && target.selector !== undefined && isEvery(target.frame);
    if (!searched) {
      const frame = await named(page, target, deadline);
      const unnamed = target.ref === undefined && (target.x === undefined || target.y === undefined);
      const follow = TO_FOCUS.has(op) && unnamed && isEvery(target.frame);
      return this.#run(page, follow ? await focused(page, frame, deadline) : frame, op, params, deadline);
    }
    for (let tries = 0; ; tries++) {
      const { frame, nth, unseen } = await fitting(page, target, deadline);
      try {
        return await this.#run(page, frame, op, nth === undefined ? params : { ...params, nth }, deadline);
      } catch (error) {
        if (unseen) throw withWords(error, unseen);
        // An iframe that loads anew was left before anything happened there.
        if (!(error instanceof Gone) || frame.name === "" || tries >= MAX_TRIES || Date.now() >= deadline) throw error;
      } finally {
        this.#calls.missing = undefined;
      }
    }
  }

  /**
   * Calls the agent of a frame; where the point of its act lies in a frame inside of that one, the agent there, as a
   * user's pointer would come to it.
   */
  async #run<K extends AgentOp>(
    page: Page,
    frame: FrameInfo,
    op: K,
    params: AgentOps[K]["params"],
    deadline: number,
  ): Promise<AgentOps[K]["result"]> {
    const { tab } = page;
    let at = frame;
    let given = params;
    let answer = await this.#calls.run(tab, at, op, given, deadline);
    const first = insideOf(answer);
    for (let inside = first; inside; inside = insideOf(answer)) {
      const { index, x, y, end } = inside;
      const path = [...at.path, index];
      const inner = index < 0 ? undefined : (await page.treeWith((other) => samePath(other.path, path))).wanted;
      // Of a frame that is not granted nobody can say what is in it.
      if (!inner) return this.#calls.run(tab, at, op, given, deadline, true);
      const { ref: _ref, selector: _selector, within: _within, nth: _nth, frame: _frame, ...rest } = given as Target;
      const to = end ? { to_x: end.x, to_y: end.y, to_document: at.documentId, dx: 0, dy: 0 } : {};
      given = { ...rest, x, y, ...to } as AgentOps[K]["params"];
      try {
        answer = await this.#calls.run(tab, inner, op, given, deadline);
        const { result } = answer as Acted;
        Object.assign(result, { match_count: first?.count, match_strategy: first?.strategy });
      } finally {
        // The page settles once more; the frames between have nothing more to say.
        const settles = at.name === "" && this.inner(tab);
        if (!settles) this.#calls.run(tab, at, "end", {}, deadline).catch(() => undefined);
      }
      at = inner;
    }
    return answer;
  }

  async each<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"] | ((frame: FrameInfo) => AgentOps[K]["params"]),
    frame: string | undefined,
    deadline: number,
  ): Promise<{ answers: FrameAnswer<K>[]; coverage: Coverage; empty: FrameInfo[] }> {
    if (!isEvery(frame)) {
      const at = await this.find(tab, frame);
      const given = typeof params === "function" ? params(at) : params;
      const value = await this.#calls.run(tab, at, op, given, deadline);
      return { answers: [{ frame: at, value }], coverage: {}, empty: [] };
    }
    const page = this.#page(tab);
    const tree = await inTime(deadline, page.tree());
    const { asked, more } = toAsk(tree.frames, MAX_ASKED);
    const { answers, silent } = await ask(this.#calls, tab, asked, op, params, deadline);
    const main = answers.find((answer) => answer.frame.name === "");
    if (main?.error !== undefined) throw main.error;
    if (!main) throw new CommandProblem("timeout", "The page did not answer in time.");
    const late = new CommandProblem("timeout", "The frame did not answer in time.");
    return {
      answers: [...answers, ...silent.map((at) => ({ frame: at, error: late }))],
      coverage: await coverageOf(page, tree, silent, more, deadline),
      empty: tree.frames.filter(({ empty }) => empty),
    };
  }

  async first<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"],
    frame: string | undefined,
    deadline: number,
  ): Promise<First<K>> {
    return inTime(deadline, this.#first(tab, op, params, frame, deadline));
  }

  async #first<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"],
    frame: string | undefined,
    deadline: number,
  ): Promise<First<K>> {
    const page = this.#page(tab);
    const target = params as TargetLike;
    if (target.ref !== undefined || !isEvery(frame)) {
      const at = await named(page, { ...target, frame }, deadline);
      return { frame: at, value: await this.#calls.run(tab, at, op, params, deadline) };
    }
    let more = 0;
    try {
      return await page.first(
        deadline,
        () => ({ op, params }),
        (unasked) => (more = unasked),
      );
    } catch (error) {
      throw withWords(error, inWords({ more }));
    }
  }

  /** Where a point of a document's viewport is in the tab's viewport. Throws what lies over it. */
  async pointIn(
    tab: number,
    documentId: string,
    point: { x: number; y: number },
    deadline: number,
  ): Promise<{ x: number; y: number }> {
    const page = this.#page(tab);
    const { frames, wanted: frame } = await page.treeWith((at) => at.documentId === documentId);
    if (!frame) throw pageLeft();
    const at = await upwards(page, frames, frame, point, deadline);
    if (!at) throw new CommandProblem("not_actionable", "The frame of the element has no box on the page.");
    return at;
  }

  /** Where an element of any frame is in the tab's viewport, once it was brought into view. */
  async spotOf(tab: number, ref: string, deadline: number): Promise<{ x: number; y: number }> {
    const page = this.#page(tab);
    const { documentId } = await named(page, { ref }, deadline);
    const { x, y } = await this.call(tab, "spot", { ref }, deadline);
    return this.pointIn(tab, documentId, { x, y }, deadline);
  }

  /**
   * Says whether keys come to a document of a tab, or to one of the same origin in its page: there it may lead on. Frames of
   * other sites can take the focus at any moment.
   */
  async keysCome(tab: number, documentId: string, deadline: number): Promise<boolean> {
    const { index, here } = await this.#calls.run(tab, { documentId, name: "" }, "focused_frame", {}, deadline);
    if (here) return true;
    const page = this.#page(tab);
    const main = await page.main();
    if (index === undefined && documentId === main.documentId) return false;
    // Throws where the focus is in a frame of a site that is not granted.
    const at = await focused(page, main, deadline);
    if (at.documentId === documentId) return true;
    const { wanted } = await page.treeWith((frame) => frame.documentId === documentId);
    return wanted !== undefined && originOf(at.url).startsWith("http") && isOfOne(at, wanted);
  }

  /** What lies over a point of a frame, in the frames around it; null when nothing does that can be seen from here. */
  async #around(tab: number, documentId: string, { x, y, deadline }: AskAround): Promise<CommandError | null> {
    try {
      const page = this.#page(tab);
      const { frames, wanted: frame } = await page.treeWith((at) => at.documentId === documentId);
      if (frame) await upwards(page, frames, frame, { x, y }, deadline);
      return null;
    } catch (error) {
      return error instanceof CommandProblem ? error.toWire() : { code: "internal", message: String(error) };
    }
  }

  async find(tab: number, frame: string | undefined): Promise<FrameInfo> {
    return find(this.#page(tab), frame);
  }

  #page(tab: number): Page {
    return new Page(tab, this.#calls, this.#documents);
  }
}

/** Whether two documents have one origin; two in sandboxes have none. */
const isOfOne = (a: FrameInfo, b: FrameInfo): boolean =>
  originOf(a.url) === originOf(b.url) && a.origins.join() === originOf(a.url) && b.origins.join() === originOf(a.url);

const insideOf = (answer: object | null): Inside | undefined => (answer as Acted | null)?.inside;

/** What was not there in time, with the words for where nobody looked. */
function withWords(error: unknown, unseen: string): unknown {
  if (unseen === "" || !(error instanceof CommandProblem) || !PASSED.has(error.code)) return error;
  return new CommandProblem(error.code, `${error.message} ${unseen}`, error.more);
}

/** A page that hangs is not waited for for ever; one that is slow says itself why nothing could be done. */
async function inTime<T>(deadline: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const left = Math.max(0, deadline - Date.now()) + HANG_MS;
    timer = setTimeout(() => reject(new CommandProblem("timeout", "The page did not answer in time.")), left);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
