import { type Coverage, type Frame, MUTATING, type Target } from "@gasoline/schema/commands";
import type { CommandError } from "@gasoline/schema/wire";
import type { FrameAnswer, FrameInfo, Frames } from "../../commands/context.ts";
import { MAX_URL, frameOf, inWords, isEvery, isMain } from "../../commands/frame.ts";
import { CommandProblem, problemFrom } from "../../commands/problem.ts";
import type { AgentAnswer, AgentCall, AgentOp, AgentOps, AskAround } from "../../messages/agent.ts";
import type { ActionId } from "../../messages/content.ts";
import { type Choice, choose, toAsk } from "./choose.ts";
import type { RefBlocks } from "./refs.ts";
import { loadAgent, onAsked, runIn } from "./browser.ts";
import { type Known, Silence, type Tree, after, frameTree, inOrder, mainFrame } from "./tree.ts";

/** The agent's object in the isolated world of a document. */
declare const gasolineAgent: { run(call: AgentCall): Promise<AgentAnswer>; cancel(id: string): void } | undefined;

/** Operations that are part of an act; others only help it. */
const ACTING: ReadonlySet<string> = new Set([...MUTATING, "begin", "settle"]);

/** Operations that go to the focus where they name no element. */
const TO_FOCUS: ReadonlySet<string> = new Set(["key_press", "type"]);

/** Problems that only say that something was not there in time. */
const PASSED: ReadonlySet<string> = new Set(["timeout", "element_not_found", "scope_not_found", "cancelled"]);
/** Problems of the call itself, in whichever frame they are found. */
const FAULTS: ReadonlySet<string> = new Set(["invalid_selector", "invalid_param", "ambiguous_target"]);
/** Frames end their calls at the deadline; their answers need some time, ms. */
const LATE_MS = 150;
/** A page that has not answered so long, ms, after the deadline hangs. */
const HANG_MS = 1000;
/** Of the time of a call this is left for the main frame to say what it has instead of the target, ms. */
const EXPLAIN_MS = 200;

/** Frames that one call looks into at most; the others are counted. */
const MAX_ASKED = 50;
/** Frames that are asked at the same time. */
const AT_ONCE = 10;
/** When none of the frames that are asked has answered for so long, ms, those that are left are silent. */
const SILENCE_MS = 1000;
/** A page with frames that come and go is looked at again so many times in one call. */
const MAX_LOOKS = 100;
const MAX_MEMORY = 1000;
/** Frames and origins that an answer names. */
const MAX_NAMED = 10;
/** A child frame in a shadow root is told its place within so long, ms. */
const PLACE_MS = 300;

/** What the rest of the worker knows of documents. */
export interface Documents {
  /** Those of a tab that have a content script. */
  known(tab: number): Known[];
  /** Calls for every document that comes to a tab, until the returned function is called. */
  onCome(tab: number, heard: () => void): () => void;
  /** Says whether the user granted a URL's site. */
  granted(url: string): boolean;
}

type TargetLike = Pick<Target, "ref" | "selector" | "nth" | "x" | "y"> & { frame?: string | undefined };

/** A call that never began, because its document went away before. */
class Gone extends CommandProblem {}

/** What is known of documents from one command to the next: at most MAX_MEMORY of each. */
interface Memory {
  /** Unused numbers for refs, by document. */
  left: Map<string, number>;
  /** Documents that did not answer. They are not waited for again until they do. */
  silent: Set<string>;
}

/** Calls the agent in documents, bringing it there on first use. */
export class AgentFrames implements Frames {
  readonly #refs: RefBlocks;
  readonly #documents: Documents;
  readonly #memory: Memory;
  readonly #signal: AbortSignal | undefined;
  readonly #action: ActionId | undefined;

  constructor(
    refs: RefBlocks,
    documents: Documents,
    memory: Memory = { left: new Map(), silent: new Set() },
    signal?: AbortSignal,
    action?: ActionId,
  ) {
    this.#refs = refs;
    this.#documents = documents;
    this.#memory = memory;
    this.#signal = signal;
    this.#action = action;
  }

  /** The same agents for one command: its calls end in the documents when the signal fires, and are its action's. */
  for(signal: AbortSignal, action?: ActionId): AgentFrames {
    return new AgentFrames(this.#refs, this.#documents, this.#memory, signal, action);
  }

  /** The same agents, until a signal fires. */
  #until(signal: AbortSignal): AgentFrames {
    return this.for(this.#signal ? AbortSignal.any([this.#signal, signal]) : signal, this.#action);
  }

  /** Answers agents that ask what lies around their frame. */
  listen(): void {
    onAsked((message, tab, document) =>
      (message as Partial<AskAround>).type === "gasoline-around"
        ? this.#around(tab, document, message as AskAround)
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
    const target = params as TargetLike;
    const searched = target.ref === undefined && target.selector !== undefined && isEvery(target.frame);
    if (!searched) {
      const frame = await this.#named(tab, target, deadline);
      const unnamed = target.ref === undefined && (target.x === undefined || target.y === undefined);
      const follow = TO_FOCUS.has(op) && unnamed && isEvery(target.frame);
      return this.#run(tab, follow ? await this.#focused(tab, frame, deadline) : frame, op, params, deadline);
    }
    for (let tries = 0; ; tries++) {
      const { frame, nth, unseen } = await this.#fitting(tab, target, deadline);
      try {
        return await this.#run(tab, frame, op, nth === undefined ? params : { ...params, nth }, deadline);
      } catch (error) {
        if (unseen && error instanceof CommandProblem && PASSED.has(error.code))
          throw new CommandProblem(error.code, `${error.message} ${unseen}`, error.more);
        // An iframe that loads anew was left before anything happened there.
        if (!(error instanceof Gone) || frame.name === "" || tries >= MAX_LOOKS || Date.now() >= deadline) throw error;
      }
    }
  }

  async each<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"],
    frame: string | undefined,
    deadline: number,
  ): Promise<{ answers: FrameAnswer<K>[]; coverage: Coverage }> {
    if (!isEvery(frame)) {
      const at = await this.find(tab, frame);
      return { answers: [{ frame: at, value: await this.#run(tab, at, op, params, deadline) }], coverage: {} };
    }
    const tree = await inTime(deadline, this.#tree(tab));
    const { asked, more } = toAsk(tree.frames, MAX_ASKED);
    const { answers, silent } = await this.#ask(tab, asked, op, params, deadline);
    const main = answers.find((answer) => answer.frame.name === "");
    if (main?.error !== undefined) throw main.error;
    if (!main) throw new CommandProblem("timeout", "The page did not answer in time.");
    const late = new CommandProblem("timeout", "The frame did not answer in time.");
    return {
      answers: [...answers, ...silent.map((at) => ({ frame: at, error: late }))],
      coverage: await this.#coverage(tab, tree, silent, more, deadline),
    };
  }

  async first<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"],
    frame: string | undefined,
    deadline: number,
  ): Promise<{ frame: FrameInfo; value: AgentOps[K]["result"] }> {
    const target = params as TargetLike;
    if (target.ref !== undefined || !isEvery(frame)) {
      const at = await this.#named(tab, { ...target, frame }, deadline);
      return { frame: at, value: await this.#run(tab, at, op, params, deadline) };
    }
    return this.#first(tab, deadline, () => ({ op, params }));
  }

  /** The first answer of any frame, of those too that come while it is waited for. */
  #first<K extends AgentOp>(
    tab: number,
    deadline: number,
    callOf: (frame: FrameInfo) => { op: K; params: AgentOps[K]["params"] },
  ): Promise<{ frame: FrameInfo; value: AgentOps[K]["result"] }> {
    const control = new AbortController();
    const frames = this.#until(control.signal);
    const asked = new Set<string>();
    return new Promise<{ frame: FrameInfo; value: AgentOps[K]["result"] }>((resolve, reject) => {
      let last: unknown; // what the main frame failed with
      const ask = async (frame: FrameInfo): Promise<void> => {
        const { op, params } = callOf(frame);
        try {
          resolve({ frame, value: await frames.#run(tab, frame, op, params, deadline) });
        } catch (error) {
          const code = error instanceof CommandProblem ? error.code : "";
          if (FAULTS.has(code) || (frame.name === "" && !PASSED.has(code))) reject(error as Error);
          else if (frame.name === "") last = error;
        }
        // The main frame fails at the deadline; a frame that is frozen then does not answer later.
        if (last !== undefined && Date.now() >= deadline) reject(last as Error);
      };
      const look = async (): Promise<void> => {
        try {
          const { frames: there } = await this.#tree(tab);
          // What is empty now may be filled.
          const { asked: now } = toAsk(
            there.map((at) => ({ ...at, empty: false })),
            MAX_ASKED,
          );
          for (const frame of now) {
            if (asked.has(frame.documentId) || asked.size >= MAX_LOOKS) continue;
            asked.add(frame.documentId);
            void ask(frame);
          }
        } catch (error) {
          reject(error as Error);
        }
      };
      const stop = this.#documents.onCome(tab, () => void look());
      control.signal.addEventListener("abort", stop, { once: true });
      this.#signal?.addEventListener("abort", () => reject(this.#signal?.reason as Error), { once: true });
      // Frames that answer nothing are not waited for; the main frame's own answer says more.
      const late = setTimeout(
        () => reject((last ?? new CommandProblem("timeout", "The page did not answer in time.")) as Error),
        Math.max(0, deadline - Date.now()) + LATE_MS,
      );
      control.signal.addEventListener("abort", () => clearTimeout(late), { once: true });
      void look();
    }).finally(() => control.abort(new CommandProblem("cancelled", "Another frame answered first.")));
  }

  /**
   * Asks frames, some at a time. Those that are left when none has answered for a while are silent; their calls are ended.
   */
  async #ask<K extends AgentOp>(
    tab: number,
    frames: readonly FrameInfo[],
    op: K,
    params: AgentOps[K]["params"] | ((frame: FrameInfo) => AgentOps[K]["params"]),
    deadline: number,
  ): Promise<{ answers: FrameAnswer<K>[]; silent: FrameInfo[] }> {
    const control = new AbortController();
    const own = this.#until(control.signal);
    const answers = new Map<FrameInfo, FrameAnswer<K>>();
    let next = 0;
    let mainAnswered: () => void = () => undefined;
    const first = new Promise<void>((resolve) => (mainAnswered = resolve));
    if (frames[0]?.name !== "") mainAnswered();
    const quiet = new Silence(SILENCE_MS, deadline + LATE_MS, first);
    const one = async (): Promise<void> => {
      for (let frame = frames[next++]; frame && !control.signal.aborted; frame = frames[next++]) {
        const given = typeof params === "function" ? params(frame) : params;
        try {
          answers.set(frame, { frame, value: await own.#run(tab, frame, op, given, deadline) });
        } catch (error) {
          if (!control.signal.aborted) answers.set(frame, { frame, error });
        }
        if (frame.name === "") mainAnswered();
        quiet.heard();
      }
    };
    await Promise.race([Promise.all(Array.from({ length: AT_ONCE }, one)), quiet.over]);
    quiet.stop();
    control.abort(new CommandProblem("cancelled", "The frame did not answer in time."));
    this.#signal?.throwIfAborted();
    return {
      answers: frames.flatMap((frame) => answers.get(frame) ?? []),
      silent: frames.filter((frame) => !answers.has(frame)),
    };
  }

  /** Which frames of a page an answer does not cover. */
  async #coverage(
    tab: number,
    tree: Tree,
    silent: readonly FrameInfo[],
    more: number,
    deadline: number,
  ): Promise<Coverage> {
    const unanswered: Frame[] = [
      ...silent.map(frameOf),
      ...tree.silent.map(({ page_url }) => ({ name: "", url: page_url.slice(0, MAX_URL) })),
    ];
    const ungranted = new Set<string>();
    for (const parent of tree.frames) {
      const reached = new Set(
        tree.frames.flatMap(({ path }) =>
          path.length === parent.path.length + 1 && samePath(path.slice(0, -1), parent.path) ? [path.at(-1)] : [],
        ),
      );
      const indexes = Array.from({ length: Math.min(parent.children, MAX_ASKED) }, (_, i) => i).filter(
        (i) => !reached.has(i),
      );
      if (indexes.length === 0 || tree.more > 0 || tree.silent.length > 0) continue;
      const { origins } = await this.#run(
        tab,
        parent,
        "origins",
        { indexes },
        Math.min(deadline, Date.now() + SILENCE_MS),
      ).catch(() => ({ origins: [] }));
      for (const origin of origins) if (origin !== "" && !this.#documents.granted(`${origin}/`)) ungranted.add(origin);
      if (ungranted.size >= MAX_NAMED) break;
    }
    const uncounted = more + tree.more + Math.max(0, unanswered.length - MAX_NAMED);
    return {
      ...(ungranted.size > 0 ? { ungranted: [...ungranted].slice(0, MAX_NAMED) } : {}),
      ...(unanswered.length > 0 ? { unanswered: unanswered.slice(0, MAX_NAMED) } : {}),
      ...(uncounted > 0 ? { more: uncounted } : {}),
    };
  }

  /** Where a point of a document's viewport is in the tab's viewport. Throws what lies over it. */
  async pointIn(
    tab: number,
    documentId: string,
    point: { x: number; y: number },
    deadline: number,
  ): Promise<{ x: number; y: number }> {
    const { frames } = await this.#tree(tab);
    const frame = frames.find((at) => at.documentId === documentId);
    if (!frame) throw new CommandProblem("page_left", "The page was left while the command ran.");
    const at = await this.#upwards(tab, frames, frame, point, deadline);
    if (!at) throw new CommandProblem("not_actionable", "The frame of the element has no box on the page.");
    return at;
  }

  /** Carries a point of a frame through the frames around it; null where one of them cannot be asked. */
  async #upwards(
    tab: number,
    frames: readonly FrameInfo[],
    { path }: FrameInfo,
    point: { x: number; y: number },
    deadline: number,
  ): Promise<{ x: number; y: number } | null> {
    let at: { x: number; y: number } | null = point;
    for (let depth = path.length - 1; depth >= 0 && at; depth--) {
      // A page of a site that was not granted cannot be asked, nor what is around it.
      const parent = frames.find((other) => samePath(other.path, path.slice(0, depth)));
      const index = path[depth] ?? -1;
      at = parent && index >= 0 ? await this.#run(tab, parent, "around", { index, ...at }, deadline) : null;
    }
    return at;
  }

  /** What lies over a point of a frame, in the frames around it; null when nothing does that can be seen from here. */
  async #around(tab: number, documentId: string, { x, y, deadline }: AskAround): Promise<CommandError | null> {
    try {
      const { frames } = await this.#tree(tab);
      const frame = frames.find((at) => at.documentId === documentId);
      if (frame) await this.#upwards(tab, frames, frame, { x, y }, deadline);
      return null;
    } catch (error) {
      return error instanceof CommandProblem ? error.toWire() : { code: "internal", message: String(error) };
    }
  }

  async find(tab: number, frame: string | undefined): Promise<FrameInfo> {
    if (isEvery(frame) || isMain(frame)) return this.#main(tab);
    const { frames } = await this.#tree(tab);
    if (/^\d+$/.test(frame as string)) {
      const found = frames.find(({ name }) => name === frame);
      if (found) return found;
      throw new CommandProblem("frame_not_found", `The page has ${frames.length - 1} frames; they are counted from 0.`);
    }
    return this.#bySelector(tab, frames, frame as string);
  }

  async #bySelector(tab: number, frames: readonly FrameInfo[], selector: string): Promise<FrameInfo> {
    let problem: unknown;
    const { asked } = toAsk(frames, MAX_ASKED);
    const { answers } = await this.#ask(tab, asked, "frame_index", { selector }, Date.now() + 2000);
    for (const { frame: parent, value, error } of answers) {
      const found = value && frames.find(({ path }) => samePath(path, [...parent.path, value.index]));
      if (found) return found;
      problem ??= error;
      if (error instanceof CommandProblem && (error.code === "ambiguous_target" || error.code === "invalid_param"))
        throw error;
    }
    throw answers.some(({ value }) => value)
      ? new CommandProblem("frame_not_found", `The frame ${selector} cannot be reached: its site is not granted.`)
      : (problem ?? new CommandProblem("frame_not_found", `No iframe fits ${selector.slice(0, 200)}.`));
  }

  async #named(tab: number, target: TargetLike, deadline: number): Promise<FrameInfo> {
    if (target.ref === undefined) return this.#waitFor(tab, target.frame, deadline);
    const document = await this.#refs.documentOf(tab, target.ref);
    const frame = document && (await this.#tree(tab)).frames.find(({ documentId }) => documentId === document);
    if (frame) return frame;
    const given = await this.#refs.isGiven(tab, target.ref);
    const why = given ? "belongs to a page that is gone" : "is unknown: no answer about this tab gave it";
    throw new CommandProblem("stale_ref", `${target.ref} ${why}.`);
  }

  /** The innermost frame that has the focus, from the main frame on. */
  async #focused(tab: number, main: FrameInfo, deadline: number): Promise<FrameInfo> {
    let at = main;
    for (let tree: Tree | undefined; ;) {
      const { index } = await this.#run(tab, at, "focused_frame", {}, deadline);
      if (index === undefined) return at;
      tree ??= await this.#tree(tab);
      const path = [...at.path, index];
      const inner = tree.frames.find((frame) => samePath(frame.path, path));
      if (!inner) {
        const { origins } = await this.#run(tab, at, "origins", { indexes: [index] }, deadline);
        const [origin] = origins;
        const granted = !origin || this.#documents.granted(`${origin}/`);
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

  /** A frame that is not there yet may be about to be loaded. */
  async #waitFor(tab: number, frame: string | undefined, deadline: number): Promise<FrameInfo> {
    if (isEvery(frame) || isMain(frame)) return this.#main(tab);
    for (let looks = 0; ; looks++) {
      const came = this.#come(tab, deadline);
      try {
        return await this.find(tab, frame);
      } catch (error) {
        const missing = error instanceof CommandProblem && error.code === "frame_not_found";
        if (!missing || looks >= MAX_LOOKS || Date.now() >= deadline) throw error;
        this.#signal?.throwIfAborted();
        await came.next();
      } finally {
        came.stop();
      }
    }
  }

  /** next resolves once a document has come to the tab since, one of its documents changes, or at the deadline. */
  #come(tab: number, deadline: number): { next: () => Promise<void>; stop: () => void } {
    const control = new AbortController();
    let come: () => void = () => undefined;
    const heard = new Promise<void>((resolve) => (come = resolve));
    const off = this.#documents.onCome(tab, come);
    const timer = setTimeout(come, Math.max(0, deadline - Date.now()));
    this.#signal?.addEventListener("abort", come, { once: true });
    return {
      next: async () => {
        const changed = this.#until(control.signal).#first(tab, deadline, () => ({ op: "changed", params: {} }));
        await Promise.race([heard, changed.catch(() => heard)]);
      },
      stop: () => {
        off();
        clearTimeout(timer);
        this.#signal?.removeEventListener("abort", come);
        control.abort(new CommandProblem("cancelled", "Nobody waits for a change any more."));
      },
    };
  }

  /** Asks the main frame while the others are looked for: on most pages that is all. */
  async #early(
    tab: number,
    ask: (frame: Pick<FrameInfo, "name">) => AgentOps["probe"]["params"],
    deadline: number,
  ): Promise<({ document: string } & Pick<FrameAnswer<"probe">, "value" | "error">) | undefined> {
    const main = this.#documents.known(tab).find(({ frame }) => frame === 0);
    if (!main) return undefined;
    const { document } = main;
    const at = { documentId: document, name: "" };
    const asking = this.#run(tab, at, "probe", ask(at), deadline).then(
      (value) => ({ document, value }),
      (error: unknown) => (error instanceof Gone ? undefined : { document, error }),
    );
    return Promise.race([asking, after(SILENCE_MS)]);
  }

  /** The one frame in which the target fits; the main frame when it fits nowhere in time, which says what is there instead. */
  async #fitting(
    tab: number,
    target: TargetLike,
    deadline: number,
  ): Promise<{ frame: FrameInfo; nth?: number; unseen?: string }> {
    const until = deadline - Math.min(EXPLAIN_MS, (deadline - Date.now()) / 4);
    const ask = probing(target);
    let early = this.#early(tab, ask, deadline);
    for (let looks = 0; ; looks++) {
      const [tree, first] = await Promise.all([this.#tree(tab), early]);
      const { frames } = tree;
      early = Promise.resolve(undefined);
      const probes: FrameAnswer<"probe">[] = [];
      const silent: FrameInfo[] = [];
      // Beyond the first part frames are asked only where nothing fitted yet.
      let rest: readonly FrameInfo[] = frames;
      if (first && frames[0]?.documentId === first.document) {
        probes.push({ frame: frames[0], ...first });
        rest = frames.slice(1);
      }
      let choice: Choice;
      do {
        const { asked } = toAsk(rest, MAX_ASKED);
        rest = rest.filter((frame) => !asked.includes(frame) && !frame.empty);
        const answered = await this.#ask(tab, asked, "probe", ask, deadline);
        probes.push(...answered.answers);
        silent.push(...answered.silent);
        choice = choose(
          probes.flatMap(({ frame, value }) => (value ? [{ frame, ...value }] : [])),
          target.nth,
        );
      } while (!choice && rest.length > 0 && Date.now() < until);
      if (choice && "frame" in choice) return choice;
      if (choice) throw await this.#ambiguous(tab, target, choice.among, deadline);
      const fault = probes.find(({ error }) => error instanceof CommandProblem && FAULTS.has(error.code));
      if (fault) throw fault.error;
      const main = frames[0] ?? (await this.#main(tab));
      const nowhere = async () => ({
        frame: main,
        unseen: inWords(await this.#coverage(tab, tree, silent, rest.length, deadline)),
      });
      if (Date.now() >= until || looks >= MAX_LOOKS) return nowhere();
      if (target.nth !== undefined) {
        // Some may fit, but not enough.
        const come = this.#come(tab, until);
        await come.next().finally(come.stop);
        continue;
      }
      try {
        await this.#first(tab, until, (frame) => ({ op: "probe", params: { ...ask(frame), wait: true } }));
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (!(error instanceof CommandProblem) || !PASSED.has(error.code)) throw error;
        return nowhere();
      }
    }
  }

  async #ambiguous(
    tab: number,
    target: TargetLike,
    among: readonly FrameInfo[],
    deadline: number,
  ): Promise<CommandProblem> {
    const ask = probing(target);
    const some = among.slice(0, MAX_NAMED);
    const { answers } = await this.#ask(
      tab,
      some,
      "probe",
      (frame) => ({ ...ask(frame), tell: true }),
      Math.min(deadline, Date.now() + SILENCE_MS),
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

  async #run<K extends AgentOp>(
    tab: number,
    frame: Pick<FrameInfo, "documentId" | "name">,
    op: K,
    params: AgentOps[K]["params"],
    deadline: number,
  ): Promise<AgentOps[K]["result"]> {
    const { documentId } = frame;
    const refs = await this.#refs.rangesOf(tab, documentId, this.#memory.left.get(documentId) ?? Infinity);
    const call: AgentCall<K> = {
      id: crypto.randomUUID(),
      op,
      params,
      deadline,
      refs,
      frame: frame.name,
      ...(this.#action && ACTING.has(op) ? { action: this.#action } : {}),
    };
    const stop = () => void this.#stop(tab, documentId, call.id);
    this.#signal?.addEventListener("abort", stop, { once: true });
    let answer: AgentAnswer<K>;
    try {
      this.#signal?.throwIfAborted();
      answer = (await this.#inject(tab, documentId, call)) as AgentAnswer<K>;
    } finally {
      this.#signal?.removeEventListener("abort", stop);
    }
    const { left } = this.#memory;
    if (left.size > MAX_MEMORY) left.clear();
    left.set(documentId, answer.refsLeft);
    if (answer.ok) return answer.value;
    throw problemFrom(answer.error);
  }

  /** Ends a call in its document. A document that is gone has ended it already. */
  async #stop(tab: number, documentId: string, id: string): Promise<void> {
    const cancel = (given: string) => (typeof gasolineAgent === "undefined" ? undefined : gasolineAgent.cancel(given));
    await runIn(tab, { documentIds: [documentId] }, cancel, [id]).catch(() => undefined);
  }

  async #inject(tab: number, documentId: string, call: AgentCall): Promise<AgentAnswer> {
    // The agent's script shares this world with the content script and stays until the page goes.
    const run = (given: AgentCall) => (typeof gasolineAgent === "undefined" ? undefined : gasolineAgent.run(given));
    const ask = () => {
      this.#signal?.throwIfAborted(); // It may have fired while the agent was loaded.
      return runIn(tab, { documentIds: [documentId] }, run, [call]);
    };
    let began = false;
    try {
      let [first] = await ask();
      began = true;
      if (!first?.result) {
        await loadAgent(tab, documentId);
        [first] = await ask();
      }
      if (first?.result) return first.result;
    } catch (error) {
      const problem = unreachable(error);
      throw !began && problem.code === "page_left" ? new Gone(problem.code, problem.message) : problem;
    }
    throw new CommandProblem("page_left", "The page was left while the command ran.");
  }

  async #main(tab: number): Promise<FrameInfo> {
    return mainFrame(tab).catch((error: unknown) => {
      throw unreachable(error);
    });
  }

  async #tree(tab: number): Promise<Tree> {
    const { silent } = this.#memory;
    const tree = await frameTree(tab, this.#documents.known(tab), SILENCE_MS, silent).catch((error: unknown) => {
      throw unreachable(error);
    });
    if (silent.size > MAX_MEMORY) silent.clear();
    for (const { documentId } of tree.frames) silent.delete(documentId);
    for (const { document } of tree.silent) silent.add(document);
    if (!tree.frames.some(({ path }) => path.includes(-1))) return tree;
    return { ...tree, frames: await this.#place(tab, tree.frames) };
  }

  /** Finds the places of frames in shadow roots, which are not among their parents' frames: the parents tell them. */
  async #place(tab: number, frames: FrameInfo[]): Promise<FrameInfo[]> {
    const lost = frames.filter(({ path }) => path.indexOf(-1) === path.length - 1);
    const parents = frames.filter((parent) => lost.some(({ path }) => samePath(path.slice(0, -1), parent.path)));
    const token = crypto.randomUUID();
    await Promise.all(lost.map((frame) => inDocument(tab, frame.documentId, awaitPlace, [token, PLACE_MS])));
    // Frames of sites that were not granted are told nothing.
    const origins = [...new Set(lost.map(({ url }) => (URL.canParse(url) ? new URL(url).origin : "null")))];
    await this.#ask(tab, parents, "call_children", { token, origins }, Date.now() + PLACE_MS);
    const places = await Promise.all(lost.map((frame) => inDocument(tab, frame.documentId, placeOf, [])));
    return inOrder(
      frames.map((frame) => {
        const i = lost.indexOf(frame);
        const place = i < 0 ? undefined : places[i];
        if (place !== undefined) return { ...frame, path: [...frame.path.slice(0, -1), place] };
        // What is in a frame that had no place is in the only one that its parent has there.
        const at = frame.path.indexOf(-1);
        const around = lost.filter(
          ({ path }) => at >= 0 && at < frame.path.length - 1 && samePath(path, frame.path.slice(0, at + 1)),
        );
        const only = around.length === 1 && around[0] ? places[lost.indexOf(around[0])] : undefined;
        return only === undefined ? frame : { ...frame, path: frame.path.with(at, only) };
      }),
    );
  }
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

async function inDocument<A extends unknown[], R>(
  tab: number,
  documentId: string,
  func: (...args: A) => R,
  args: A,
): Promise<Awaited<R> | undefined> {
  const asking = runIn(tab, { documentIds: [documentId] }, func, args)
    .then(([first]) => first?.result ?? undefined)
    .catch(() => undefined);
  return Promise.race([asking, after(SILENCE_MS)]);
}

/** Runs in the frame: listens for the token of its parent, and keeps the message from the page. */
function awaitPlace(token: string, ms: number): void {
  globalThis.gasolinePlace = new Promise((resolve) => {
    const heard = (event: MessageEvent<{ gasoline?: string; place?: number } | null>): void => {
      if (event.source !== window.parent || event.data?.gasoline !== token) return;
      event.stopImmediatePropagation();
      done(event.data.place);
    };
    const done = (place: number | undefined): void => {
      clearTimeout(timer);
      removeEventListener("message", heard, true);
      resolve(place);
    };
    const timer = setTimeout(done, ms, undefined);
    addEventListener("message", heard, true);
  });
}

/** Runs in the frame. */
function placeOf(): Promise<number | undefined> | undefined {
  return gasolinePlace;
}

declare global {
  /** What a frame in a shadow root waits for, in the isolated world of its document. */
  var gasolinePlace: Promise<number | undefined> | undefined;
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

function unreachable(error: unknown): CommandProblem {
  if (error instanceof CommandProblem) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/No tab with id|No window with id/.test(message)) return new CommandProblem("tab_gone", "The tab is closed.");
  if (/Cannot access|must request permission|cannot be scripted|extensions gallery/.test(message)) {
    return new CommandProblem(
      "origin_not_allowed",
      "Gasoline was not granted this page's site. The user can grant it in the Gasoline popup.",
    );
  }
  if (/error page/.test(message)) return new CommandProblem("page_failed", "The tab shows the browser's error page.");
  if (/removed|No document with id|No frame with id|navigat|closed/i.test(message)) {
    return new CommandProblem("page_left", "The page was left while the command ran.");
  }
  return new CommandProblem("internal", message);
}

const samePath = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((n, i) => n === b[i]);
