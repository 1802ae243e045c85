import type { FrameInfo } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import type { AgentOp, AgentOps } from "../../messages/agent.ts";
import { SILENCE_MS, lateness } from "./ask.ts";
import { type Calls, bound, unreachable } from "./calls.ts";
import { toAsk } from "./choose.ts";
import { placed } from "./places.ts";
import { type Known, MAX_SEARCHED, type Tree, frameTree, mainFrame, spoken } from "./tree.ts";

/** Frames that one call looks into at most; the others are counted. */
export const MAX_ASKED = 50;
/** Frames that one call waits in, those that come meanwhile among them. */
const MAX_WAITED = 100;

/** Problems that only say that something was not there in time. */
export const PASSED: ReadonlySet<string> = new Set(["timeout", "element_not_found", "scope_not_found", "cancelled"]);
/** Problems of the call itself, in whichever frame they are found. */
export const FAULTS: ReadonlySet<string> = new Set(["invalid_selector", "invalid_param", "ambiguous_target"]);

/** What the rest of the worker knows of documents. */
export interface Documents {
  /** Those of a tab that have a content script. */
  known(tab: number): Known[];
  /** Calls for every document that comes to a tab, until the returned function is called. */
  onCome(tab: number, heard: () => void): () => void;
  /** Calls when a document is gone or frozen, until the returned function is called. */
  onLeft(document: string, left: () => void): () => void;
  /** Says whether the user granted a URL's site. */
  granted(url: string): boolean;
}

/** The first answer of a page's frames. */
export interface First<K extends AgentOp> {
  frame: FrameInfo;
  value: AgentOps[K]["result"];
}

/** The frames of one tab, as one command sees them. */
export class Page {
  readonly tab: number;
  readonly calls: Calls;
  readonly documents: Documents;

  constructor(tab: number, calls: Calls, documents: Documents) {
    this.tab = tab;
    this.calls = calls;
    this.documents = documents;
  }

  /** The frames that are there now, with their places: the oldest ones, at most max. */
  async tree(max?: number): Promise<Tree> {
    const { memory } = this.calls;
    const { silent } = memory;
    const tree = await frameTree(this.tab, this.documents.known(this.tab), SILENCE_MS, silent, max).catch(
      (error: unknown) => {
        throw unreachable(error);
      },
    );
    bound(memory);
    for (const { documentId } of tree.frames) silent.delete(documentId);
    for (const { document } of tree.silent) silent.add(document);
    return { ...tree, frames: await placed(this.calls, this.tab, tree.frames, tree.silent.length + tree.more) };
  }

  /** The frames that are there now; where the one that is looked for is not among them, those that the tree left out, too. */
  async treeWith(wanted: (frame: FrameInfo) => boolean): Promise<Tree & { wanted: FrameInfo | undefined }> {
    let tree = await this.tree();
    if (tree.more > 0 && !tree.frames.some(wanted)) tree = await this.tree(MAX_SEARCHED);
    return { ...tree, wanted: tree.frames.find(wanted) };
  }

  async main(): Promise<FrameInfo> {
    return mainFrame(this.tab).catch((error: unknown) => {
      throw unreachable(error);
    });
  }

  /**
   * The first answer of any frame, of those too that come while it is waited for: of MAX_WAITED frames at most. What the
   * main frame failed with is thrown at the deadline; unasked is told how many frames nobody asked.
   */
  first<K extends AgentOp>(
    deadline: number,
    callOf: (frame: FrameInfo) => { op: K; params: AgentOps[K]["params"] },
    unasked: (frames: number) => void = () => undefined,
  ): Promise<First<K>> {
    const { signal } = this.calls;
    const control = new AbortController();
    const calls = this.calls.until(control.signal);
    const asked = new Set<string>();
    return new Promise<First<K>>((resolve, reject): void => {
      let last: unknown; // what the main frame failed with
      const ask = async (frame: FrameInfo): Promise<void> => {
        const { op, params } = callOf(frame);
        try {
          resolve({ frame, value: await calls.run(this.tab, frame, op, params, deadline) });
        } catch (error) {
          const code = error instanceof CommandProblem ? error.code : "";
          if (FAULTS.has(code) || (frame.name === "" && !PASSED.has(code))) reject(error as Error);
          else if (frame.name === "") last = error;
        }
        // The main frame fails at the deadline; a frame that is frozen then does not answer later.
        if (last !== undefined && Date.now() >= deadline) reject(last as Error);
      };
      const seen = new Set<string>(); // documents of the looks before
      const mute = new Set<string>(); // those that did not say in time where they are
      let left = 0; // frames that nobody asked
      const look = async (): Promise<void> => {
        // What came since the first look is asked, however many were there before.
        const known = this.documents.known(this.tab);
        const first = seen.size === 0;
        if (first) unasked(Math.max(0, known.length - 1)); // finding them takes its time
        const tree = await this.tree(first ? undefined : MAX_SEARCHED);
        const come = tree.frames.filter(({ documentId }) => !seen.has(documentId));
        // What is empty now may be filled.
        const there = [...come.filter(({ empty }) => !empty), ...come.filter(({ empty }) => empty)];
        for (const frame of toAsk(
          there.map((at) => ({ ...at, empty: false })),
          MAX_ASKED,
        ).asked) {
          if (asked.has(frame.documentId) || asked.size >= MAX_WAITED) continue;
          asked.add(frame.documentId);
          void ask(frame);
        }
        // One that is busy with itself is looked at when it answers.
        for (const { document } of tree.silent) {
          if (seen.has(document) || mute.has(document)) continue;
          mute.add(document);
          void spoken(this.tab, document)
            .then(
              () => this.calls.memory.silent.delete(document),
              () => seen.add(document), // it is gone
            )
            .then(() => {
              mute.delete(document);
              return again();
            });
        }
        for (const { document } of known) if (!mute.has(document)) seen.add(document);
        for (const { documentId } of come) seen.add(documentId);
        left += (first ? tree.more : 0) + come.filter(({ documentId }) => !asked.has(documentId)).length;
        unasked(left + mute.size);
      };
      // Of a thousand frames that come while one look is made, the next one finds all.
      let looks = 0; // that were asked for since the one that is made now
      const again = async (): Promise<void> => {
        if (looks++ > 0) return;
        try {
          for (let made = 0; made < looks && asked.size < MAX_WAITED && !control.signal.aborted;) {
            made = looks;
            await look();
          }
        } catch (error) {
          reject(error as Error);
        }
        looks = 0;
      };
      const stop = this.documents.onCome(this.tab, () => void again());
      control.signal.addEventListener("abort", stop, { once: true });
      if (signal?.aborted) return reject(signal.reason as Error);
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      // Frames that answer nothing are not waited for; the main frame's own answer says more.
      const late = setTimeout(
        () => reject((last ?? new CommandProblem("timeout", "The page did not answer in time.")) as Error),
        Math.max(0, deadline - Date.now()) + lateness(deadline),
      );
      control.signal.addEventListener("abort", () => clearTimeout(late), { once: true });
      void again();
    }).finally(() => control.abort(new CommandProblem("cancelled", "Another frame answered first.")));
  }

  /** next resolves once a document has come to the tab since, one of its documents changes, or at the deadline. */
  change(deadline: number): { next: () => Promise<void>; stop: () => void } {
    const { signal } = this.calls;
    const control = new AbortController();
    let come: () => void = () => undefined;
    const heard = new Promise<void>((resolve) => (come = resolve));
    const off = this.documents.onCome(this.tab, come);
    const timer = setTimeout(come, Math.max(0, deadline - Date.now()));
    signal?.addEventListener("abort", come, { once: true });
    return {
      next: async () => {
        const until = new Page(this.tab, this.calls.until(control.signal), this.documents);
        const changed = until.first(deadline, () => ({ op: "changed", params: {} }));
        await Promise.race([heard, changed.catch(() => heard)]);
      },
      stop: () => {
        off();
        clearTimeout(timer);
        signal?.removeEventListener("abort", come);
        control.abort(new CommandProblem("cancelled", "Nobody waits for a change any more."));
      },
    };
  }
}
