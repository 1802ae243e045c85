import type { Coverage } from "@gasoline/schema/commands";
import type { Context, FrameAnswer, FrameInfo, Frames } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import { originOf } from "../../state/origins.ts";
import { samePath } from "../frames/tree.ts";
import { addBlack, removeBlack } from "./browser.ts";

/** A document that does not answer in this time is shown as it is. */
const ANSWER_MS = 2000;

/** Documents whose fields are counted, and origins that are named. */
const MAX_DOCUMENTS = 1000;
const MAX_NAMED = 10;

/** Frames that come and go while they are told what to hide are told again so often. */
const MAX_TRIES = 5;

/** What the documents of a tab answer. */
interface Told {
  answers: FrameAnswer<"cover">[];
  coverage: Coverage;
  empty: FrameInfo[];
}

/** The frames that say which of their fields are secret. */
const answered = ({ answers }: Told): FrameInfo[] => answers.flatMap(({ frame, value }) => (value ? frame : []));

/** Whether the same documents are in the same places. */
const isSame = (some: FrameInfo[], others: FrameInfo[]): boolean => {
  const key = (all: FrameInfo[]): string => all.map(({ documentId, path }) => `${documentId} ${path.join()}`).join();
  return key(some) === key(others);
};

/** Calls for every document that comes, until the returned function is called. */
type OnHello = (heard: (stamp: { tab: number }) => void) => () => void;

/** The covers of tabs. All who take pictures of a tab share one, which ends with the last of them. */
export class Covers {
  readonly #frames: Frames;
  readonly #document: (tab: number) => string | undefined;
  readonly #onHello: OnHello;
  readonly #shared = new Map<number, { cover: Cover; users: number }>(); // by tab
  readonly #ending = new Map<number, Promise<void>>(); // by tab
  readonly #turns = new Map<number, Set<{ alone: boolean; over: Promise<void> }>>(); // by tab

  /**
   * document names the document of a tab's main frame, where it has a content script. onHello calls for each document that
   * comes, or comes back.
   */
  constructor(frames: Frames, document: (tab: number) => string | undefined, onHello: OnHello) {
    this.#frames = frames;
    this.#document = document;
    this.#onHello = onHello;
  }

  /** A cover that lasts until it is let go of. hides: frames that do not say what is secret in them are hidden. */
  take(tab: number, hides = true): Cover {
    const shared = this.#shared.get(tab) ?? {
      cover: new Cover(tab, this.#frames, () => this.#document(tab), this.#ending.get(tab)),
      users: 0,
    };
    shared.users++;
    if (hides) shared.cover.hiding++;
    this.#shared.set(tab, shared);
    return shared.cover;
  }

  /** Shows everything again where nobody else takes pictures; hides is as it was taken. */
  async letGo(tab: number, hides = true): Promise<void> {
    const shared = this.#shared.get(tab);
    if (!shared) return;
    if (hides) shared.cover.hiding--;
    if (--shared.users > 0) return hides && shared.cover.hiding === 0 ? shared.cover.go() : undefined;
    this.#shared.delete(tab);
    const ending = shared.cover.end().finally(() => {
      if (this.#ending.get(tab) === ending) this.#ending.delete(tab);
    });
    this.#ending.set(tab, ending);
    await ending;
  }

  /**
   * Does something for which pictures of a tab are taken, and again where a document came meanwhile, which a picture may show
   * as it is. It is told the documents in which nothing secret can be seen. Throws why the tab's page is none of them.
   */
  readonly covered: Context["covered"] = async (tab, deadline, work, alone = false) => {
    const turn = await this.#turn(tab, alone);
    try {
      return await this.#covered(tab, deadline, work);
    } finally {
      turn();
    }
  };

  /** Waits for the pictures that must not be taken at the same time. The function that it gives ends the turn. */
  async #turn(tab: number, alone: boolean): Promise<() => void> {
    let end = (): void => undefined;
    const mine = { alone, over: new Promise<void>((resolve) => (end = resolve)) };
    const turns = this.#turns.get(tab) ?? new Set();
    const before = [...turns].filter((turn) => alone || turn.alone);
    this.#turns.set(tab, turns.add(mine));
    await Promise.all(before.map(({ over }) => over));
    return () => {
      turns.delete(mine);
      if (turns.size === 0) this.#turns.delete(tab);
      end();
    };
  }

  async #covered<T>(tab: number, deadline: number, work: (documents: ReadonlySet<string>) => Promise<T>): Promise<T> {
    const cover = this.take(tab);
    let came = false;
    let failed: unknown;
    const silent = this.#onHello((stamp) => (came ||= stamp.tab === tab));
    try {
      do {
        came = false;
        failed = undefined;
        await cover.go(deadline);
        const { met } = cover;
        if (!cover.top) {
          if (came) continue; // the page was left meanwhile
          throw cover.failure;
        }
        const made = work(cover.documents);
        await made.catch((error: unknown) => (failed = error)); // what came may have kept it from being taken
        await cover.go(deadline);
        if (!came && cover.met === met) return await made;
      } while (Date.now() < deadline);
      throw (
        failed ??
        new CommandProblem("timeout", "New documents came whenever a picture was taken. Nothing of the page is shown.")
      );
    } finally {
      silent();
      await this.letGo(tab);
    }
  }
}

/** Covers secret fields in the documents of a tab, and hides what cannot be covered, while pictures of it are taken. */
export class Cover {
  /** How many of those who take pictures want frames hidden that do not say what is secret in them. */
  hiding = 0;
  readonly #tab: number;
  readonly #frames: Frames;
  readonly #document: () => string | undefined;
  readonly #before: Promise<void> | undefined;
  readonly #fields = new Map<string, number>(); // by document; <= MAX_DOCUMENTS
  readonly #uncovered = new Set<string>(); // <= MAX_NAMED
  #hid = 0; // frames that were shown before
  #top = ""; // the main frame's document that was covered last
  #going: Promise<void> | undefined;
  #again: Promise<void> | undefined;

  /** Why the main frame's document is not covered. */
  failure: CommandProblem = new CommandProblem(
    "timeout",
    "The page did not say in time which of its fields are secret. Nothing of it is shown.",
  );

  /** document names the document of the tab's main frame. before is the end of another cover of the tab. */
  constructor(tab: number, frames: Frames, document: () => string | undefined, before: Promise<void> | undefined) {
    this.#tab = tab;
    this.#frames = frames;
    this.#document = document;
    this.#before = before;
  }

  /** Documents whose secret fields are covered. */
  get documents(): ReadonlySet<string> {
    return new Set(this.#fields.keys());
  }

  /** The document that the tab's main frame shows now. */
  get shown(): string | undefined {
    return this.#document();
  }

  /** It is covered. */
  get top(): boolean {
    return this.#top !== "" && this.#top === this.#document();
  }

  /**
   * Pictures of the tab's page may be taken: it is covered, or the film cannot know of it because it has no content script.
   * Of any other page none is taken before it is covered, so that nothing of it is shown.
   */
  get #pictured(): boolean {
    return this.top || this.#document() === undefined;
  }

  /** Tells that the page is shown though it is not covered, as in films that the user makes. */
  shownAsItIs(): void {
    this.#name("the page");
  }

  /** Documents that were met so far, origins of those that are shown as they are, and frames that were shown before. */
  get met(): number {
    return this.#fields.size + this.#uncovered.size + this.#hid;
  }

  /** Fields that were covered so far. */
  get fields(): number {
    return [...this.#fields.values()].reduce((sum, fields) => sum + fields, 0);
  }

  /** Origins of documents that are or were shown as they are. */
  get uncovered(): string[] {
    return [...this.#uncovered];
  }

  /** Covers what is there now; documents that are covered already go on to be. Never throws. */
  go(deadline = Date.now() + ANSWER_MS): Promise<void> {
    if (!this.#going) return (this.#going = this.#cover(true, deadline).finally(() => (this.#going = undefined)));
    // What came while it went on may have been left out: once more after it, for all who ask meanwhile.
    return (this.#again ??= this.#going.then(() => {
      this.#again = undefined;
      return this.go(deadline);
    }));
  }

  /** Shows everything again. Never throws. */
  async end(): Promise<void> {
    await this.#going;
    await this.#cover(false, Date.now() + ANSWER_MS);
    await removeBlack(this.#tab).catch(() => undefined); // the tab may be gone
  }

  async #cover(on: boolean, deadline: number): Promise<void> {
    try {
      await this.#before;
      if (on) await addBlack(this.#tab);
      const hides = on && this.hiding > 0;
      const first = await this.#frames.each(this.#tab, "cover", { on, hides }, undefined, deadline);
      const { answers, coverage } = hides ? await this.#hide(first, deadline) : first;
      for (const { frame, value, error } of answers) {
        if (value && frame.name === "") this.#top = on ? frame.documentId : "";
        if (value) this.#count(frame.documentId, value.fields);
        else if (error !== undefined && !hides && (frame.name !== "" || this.#pictured)) this.#name(frame.url);
      }
      if (hides) return;
      for (const origin of coverage.ungranted ?? []) this.#name(origin);
      for (const { url } of coverage.unanswered ?? []) this.#name(url);
      if (coverage.more) this.#name("further frames");
    } catch (error) {
      if (on && this.#pictured) this.shownAsItIs();
      if (error instanceof CommandProblem) this.failure = error;
    }
  }

  /** Hides the frames that did not answer. Gives the answers of the documents that did it. */
  async #hide(given: Told, deadline: number): Promise<Told> {
    let told = given;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (told.answers.every(({ value }) => !value?.frames)) return told;
      const known = [...answered(told), ...told.empty];
      const shown = ({ path }: FrameInfo): number[] =>
        known.flatMap((frame) => (samePath(frame.path.slice(0, -1), path) ? (frame.path.at(-1) ?? []) : []));
      const how = (frame: FrameInfo) => ({ on: true, hides: true, shown: shown(frame) });
      const before = told;
      told = await this.#frames.each(this.#tab, "cover", how, undefined, deadline);
      for (const { value } of told.answers) this.#hid += value?.hid ?? 0;
      if (isSame(answered(before), answered(told))) return told;
    }
    throw new CommandProblem("timeout", "The frames of the page did not rest. Nothing of the page is shown.");
  }

  #count(document: string, fields: number): void {
    if (this.#fields.size < MAX_DOCUMENTS || this.#fields.has(document)) this.#fields.set(document, fields);
  }

  #name(url: string): void {
    if (this.#uncovered.size < MAX_NAMED) this.#uncovered.add(originOf(url) || url.slice(0, 100));
  }
}
