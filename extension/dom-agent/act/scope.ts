import type { AskInput, Gesture, Settled, TellPerformed } from "../../messages/agent.ts";
import type { Acts, ExpectedInput } from "../../messages/acts.ts";
import type { ActionId } from "../../messages/content.ts";
import type { ActResult } from "@gasoline/schema/commands";
import { askWorker, tellWorker } from "../browser.ts";
import { Changes } from "../changes.ts";
import { inShort, short } from "../describe.ts";
import type { Diff } from "../diff.ts";
import type { Deadline } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import type { RefBook } from "../refs.ts";
import { Loads } from "./loads.ts";
import { Motions } from "./motions.ts";
import { Writes } from "../writes.ts";
import { beat, frame, pause, turn } from "../waiting.ts";

/** What an act led to is waited for at most so long, ms. */
const SETTLE_MS = 2000;

/** The answer needs some of the time before the deadline, ms. */
const ANSWER_MS = 150;

/** What the end of some work leads to begins so long, ms, after it at the latest: a page reads an answer, then asks again. */
const NEXT_MS = 5;

/** A document that begins to navigate is gone within so long, ms, or stays for all that is known. */
const LEAVING_MS = 1000;

/**
 * A movement that begins so long, ms, after something of the act ran is the act's, and one within so many looks after it:
 * the page may be late with its frames.
 */
const LIVE_MS = 100;
const LIVE_LOOKS = 3;

/** What is told of what still runs. */
const MAX_BUSY = 5;

/** A page that changes by itself, without work of the act, is waited for so many frames. */
const RESTLESS_FRAMES = 6;

interface NavigateEvent extends Event {
  destination: { sameDocument: boolean; url: string };
  downloadRequest: string | null;
  signal: AbortSignal;
}

declare const navigation: EventTarget & { transition: object | null };

/** Stands in where a page is not captured: then nobody knows what its events were caused by. */
const UNCAPTURED: Acts = {
  begin: () => undefined,
  end: () => undefined,
  perform: (_action, work) => work(),
  dispatch: (target, event) => target.dispatchEvent(event),
  click: (element) => element.click(),
  expect: () => undefined,
  came: () => true,
  busy: () => [],
  held: () => [],
  runs: () => "near",
  refused: () => [],
};

/** Stands for what nobody needs to be told. */
const UNTOLD: ActResult = { match_count: 0, match_strategy: "" };

const LATE = "The page did nothing until the time for the act was over. Nothing was done.";

/** Whether this document is an iframe's. */
const where = window === window.top ? {} : { inner: true };

/** The content script's half of acts in this document. */
export const acts = (): Acts => globalThis.gasolineActs ?? UNCAPTURED;

/**
 * One act in this document, from its beginning until it has settled: it watches what changes, where the page goes, and
 * what the page still has to do because of it.
 */
export class ActScope {
  readonly #action: ActionId;
  /** Of the call that acts now. */
  deadline: Deadline;
  readonly #changes: Changes | undefined;
  readonly #writes: Writes | undefined;
  readonly #loads: Loads | undefined;
  readonly #motions: Motions | undefined;
  #moving: string[] = [];
  /** When something of the act ran last, movements left out. */
  #worked = Date.now();
  /** How often was looked at movements since then. */
  #looks = 0;
  #navigation: NavigateEvent | undefined;
  #submit: { event: SubmitEvent; at: number } | undefined;
  #told: ActResult | undefined;
  #waits = "";
  #performed = false;
  #began: number;
  #wake: (() => void) | undefined;
  #after: (() => void) | undefined;

  /** Without an action nothing is watched: the operation only reads. whole: the act led to this document. */
  constructor(action: ActionId | undefined, deadline: Deadline, whole = false) {
    this.#action = action ?? { id: "", client: "" };
    this.deadline = deadline;
    this.#began = Date.now();
    if (!action) return;
    this.#changes = new Changes(whole);
    // What a document stores as it is loaded is its own doing, and the first look at a storage holds the page for a while.
    if (!whole) this.#writes = new Writes();
    this.#loads = new Loads(
      () => acts().runs(this.#action),
      // What the page does when it hears of it is the act's.
      () => acts().perform(this.#action, () => undefined, true),
    );
    this.#motions = new Motions();
    acts().begin(action, whole);
    addEventListener("submit", this.#submits, true);
    navigation.addEventListener("navigate", this.#navigates);
    navigation.addEventListener("currententrychange", this.#stays);
  }

  /**
   * Does work at once, as the agent's doing. What settling waits for counts from now on. The worker is told before: a page
   * that goes on with it for long answers nothing. quiet: no input is recorded. Throws where nobody waits for it any more:
   * a dialog or other work may have held the page for long.
   */
  perform<T>(work: () => T, quiet = false): T {
    const { at, signal } = this.deadline;
    signal.throwIfAborted();
    if (!this.#performed && this.#changes && Date.now() >= at) throw new AgentProblem("timeout", LATE);
    this.start();
    this.#performed = true;
    this.#works(Date.now());
    if (!this.#told && this.#changes) this.tell({ match_count: 0, match_strategy: "" });
    this.#began = Date.now();
    return acts().perform(this.#action, work, quiet);
  }

  /** Does what leads up to the act, such as bringing the focus to its element: it counts for nothing by itself. */
  prepare<T>(work: () => T): T {
    const told = this.#told;
    this.#told ??= UNTOLD;
    try {
      return this.perform(work);
    } finally {
      this.#told = told;
    }
  }

  /** Tells the worker what the act comes to, before the page may go away. real: by input that is sent next. */
  tell(result: ActResult, real = false): void {
    if (this.#told === result) return;
    this.#told = result;
    const settled: Settled = { changes: [], busy: [], ...where };
    const acted = { result, settled };
    const told: TellPerformed = { type: "gasoline-performed", action: this.#action.id, acted };
    if (real) told.real = true;
    tellWorker(told); // The command's own answer says it again.
  }

  /** Tells the worker what the act waits for: a page that is busy at the deadline says nothing then. */
  waits(problem: AgentProblem): void {
    // That nothing fits is for who knows all frames to say.
    if (!this.#changes || this.#waits === problem.message || /_not_found|_range/.test(problem.code)) return;
    this.#waits = problem.message;
    tellWorker({ type: "gasoline-waiting", action: this.#action.id, error: problem.brief() });
  }

  /** Announces input that the worker makes, until the act is over. */
  announce(expected: ExpectedInput): void {
    acts().expect(this.#action, expected);
  }

  /** Has the debugger attached: its bar moves the page, so points are looked for after it. */
  async attach(): Promise<void> {
    await this.#ask({ type: "gasoline-input", action: this.#action.id, step: "attach" });
  }

  /**
   * Has the browser make a gesture at a point of this document's viewport. Says whether the document heard of it: one that
   * moves at that moment does not.
   */
  async send(gesture: Gesture, point: { x: number; y: number }, expected: ExpectedInput): Promise<boolean> {
    this.start();
    this.#performed = true;
    this.#began = Date.now();
    acts().expect(this.#action, expected);
    try {
      await this.#ask({ type: "gasoline-input", action: this.#action.id, step: "send", gesture, ...point });
      if (!acts().came() && !this.#leaving()) await this.#turn();
      return acts().came() || this.#leaving();
    } finally {
      acts().expect(this.#action, undefined);
    }
  }

  /**
   * Waits until nothing runs any more that the act started and the document rests for a frame; at most two seconds, and
   * no longer than the page stays. Says what changed and what still runs; with refs also
   * what came that can be operated.
   */
  async settle(refs?: RefBook): Promise<Settled> {
    const until = Math.min(this.#began + SETTLE_MS, this.deadline.at - ANSWER_MS);
    let seen = this.#changes?.look();
    let busy: string[] = [];
    await turn(); // a form that was sent begins to lead on in a task of its own, which a frame may come before
    for (let restless = 0, leaving = 0; ;) {
      await this.#turn(busy.length > 0);
      const before = busy;
      busy = this.#busy();
      if (before.length > 0 && busy.length === 0 && !this.#leaving()) {
        await pause(NEXT_MS);
        busy = this.#busy();
      }
      const now = this.#changes?.look();
      const rests = now === seen;
      seen = now;
      // A page that goes on to another one says what it has to say until then. It may stay: what came was a download.
      if (this.#leaving()) {
        leaving ||= Date.now();
        if (Date.now() - leaving >= LEAVING_MS) break;
      } else if (!this.#submitting() && busy.length === 0 && (rests || ++restless >= RESTLESS_FRAMES)) break;
      if (Date.now() >= until || this.deadline.signal.aborted) break;
    }
    if (!this.#leaving()) this.#after?.();
    busy.push(
      ...acts()
        .held()
        .map((words) => `${words}, which the browser holds back: the tab is in the background`),
    );
    // A hidden page shows no movement to its end.
    if (document.hidden) busy.push(...(this.#motions?.busy(true) ?? []));
    const refused = acts().refused();
    const stored = this.#writes?.inWords() ?? [];
    return {
      changes: this.changes(refs),
      busy: [...new Set(busy)].slice(0, MAX_BUSY),
      ...(refused.length > 0 ? { refused } : {}),
      ...(stored.length > 0 ? { stored } : {}),
      ...(this.#leaving() ? { leaving: true } : {}),
      ...(this.#leaving() && this.#navigation?.destination.url ? { to: this.#navigation.destination.url } : {}),
      ...where,
    };
  }

  /** The act begins to be done, here or elsewhere. What the page did while that was waited for is none of its doing. */
  start(): void {
    if (!this.#performed) this.#changes?.begin();
  }

  /** What was acted on, where it is still there and the act tells what it holds. */
  #target(refs: RefBook | undefined): Element | undefined {
    const ref = this.#told?.value === undefined ? undefined : this.#told.matched?.ref;
    try {
      return ref === undefined ? undefined : refs?.elementOf(ref);
    } catch {
      return undefined;
    }
  }

  /** What changed so far, in words; with refs also by which to act on what came. */
  changes(refs?: RefBook): string[] {
    return this.#changes?.inWords(refs ? (at) => inShort(at, refs) : short, this.#target(refs)) ?? [];
  }

  /** What the act waits for, in words. */
  #busy(): string[] {
    const loads = this.#loads?.busy() ?? [];
    const started = acts().busy(this.#action, loads.length > 0 || this.#moving.length > 0);
    const now = Date.now();
    if (started.length > 0 || loads.length > 0) this.#works(now);
    else this.#looks++;
    // What moves by itself again and again would never be at its end.
    const live = this.#looks <= LIVE_LOOKS || now - this.#worked < LIVE_MS;
    this.#moving = document.hidden ? [] : (this.#motions?.busy(live) ?? []);
    return [...started, ...loads, ...this.#moving];
  }

  #works(now: number): void {
    this.#worked = now;
    this.#looks = 0;
  }

  /** Has work done when the act has settled, unless the page leaves. */
  afterwards(work: () => void): void {
    this.#after = work;
  }

  /** What changed in the document because of it; undefined when nothing was watched. */
  get diff(): Diff | undefined {
    return this.#changes?.diff;
  }

  /** Ends the watching. */
  stop(): void {
    this.#changes?.stop();
    this.#loads?.stop();
    acts().end(this.#action);
    removeEventListener("submit", this.#submits, true);
    navigation.removeEventListener("navigate", this.#navigates);
    navigation.removeEventListener("currententrychange", this.#stays);
  }

  readonly #submits = (event: SubmitEvent): void => {
    this.#submit = { event, at: Date.now() };
  };

  /** Says whether a form was sent whose navigation has not begun: the browser begins it in a task of its own. */
  #submitting(): boolean {
    if (!this.#submit || Date.now() - this.#submit.at > LEAVING_MS) return false;
    const { defaultPrevented, target, submitter } = this.#submit.event;
    const of = (name: "method" | "target"): string =>
      (submitter?.getAttribute(`form${name}`) ?? (target as Element).getAttribute(name) ?? "").toLowerCase();
    return !defaultPrevented && of("method") !== "dialog" && /^(_self)?$/.test(of("target"));
  }

  readonly #navigates = (event: Event): void => {
    const { destination, downloadRequest } = event as NavigateEvent;
    if (destination.sameDocument) return;
    this.#submit = undefined;
    if (downloadRequest !== null) {
      tellWorker({ type: "gasoline-download", action: this.#action.id, name: downloadRequest, url: destination.url });
      return;
    }
    this.#navigation = event as NavigateEvent;
    tellWorker({ type: "gasoline-leaving", action: this.#action.id });
    // The page's own listeners come first.
    void turn().then(() => this.#wake?.());
  };

  /** The address is another one, and the document the same: the page took the navigation for its own. */
  readonly #stays = (): void => {
    this.#navigation = undefined;
  };

  /**
   * Says whether the document goes away. The page may hold a navigation back, or take it for its own and stay, in a
   * listener that hears of it later than this one.
   */
  #leaving(): boolean {
    const { defaultPrevented, signal } = this.#navigation ?? {};
    if (defaultPrevented || signal?.aborted || navigation.transition) this.#navigation = undefined;
    return this.#navigation !== undefined;
  }

  /** One frame, or until the page leaves. long: after many others. */
  async #turn(long = false): Promise<void> {
    await Promise.race([long ? frame() : beat(), new Promise<void>((wake) => (this.#wake = wake))]);
  }

  async #ask(ask: AskInput): Promise<void> {
    const error = await askWorker(document.hidden ? { ...ask, hidden: true } : ask);
    if (error === undefined) throw new AgentProblem("not_actionable", "Real input needs the extension's worker.");
    if (error) throw new AgentProblem(error.code, error.message);
  }
}
