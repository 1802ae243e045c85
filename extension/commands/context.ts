import type { Coverage } from "@gasoline/schema/commands";
import type { Tab } from "@gasoline/schema/wire";
import type { Acted, AgentOp, AgentOps } from "../messages/agent.ts";
import type { CommandProblem } from "./problem.ts";

/** What a command may reach. The worker provides it; commands never touch chrome themselves. */
export interface Context {
  /** The tab to act in; 0 when the command named none and needs none. */
  tab: number;
  /** Epoch ms: the command has answered by then. */
  deadline: number;
  /** Fires when nobody waits for the command any more. */
  signal: AbortSignal;
  /** What a document said that an act came to, before it went away. */
  performed(): Acted | undefined;
  /** How much was made of the real input that is under way, in words; undefined: none is, or all that does something. */
  part(): string | undefined;
  /** Files, by their paths, that the document may have dragged into it while the command acts. */
  offer(files: readonly string[]): void;
  /** The same command in another tab: what happens there from now on until it ends is its act's, too. */
  elsewhere(tab: number): Context;
  pages: Pages;
  frames: Frames;
  debug: Debug;
  images: Images;
  scripts: Scripts;
  films: Films;
  /**
   * Does something for which pictures of a tab are taken, while fields of secrets in it are black, and frames hidden that
   * do not say which those are. It is told the documents in which that is so. Throws why the tab's own document is none of them. alone: no other picture of the tab is taken
   * meanwhile, films apart.
   */
  covered<T>(
    tab: number,
    deadline: number,
    work: (documents: ReadonlySet<string>) => Promise<T>,
    alone?: boolean,
  ): Promise<T>;
  /**
   * Asks documents, of one tab or all, for all they captured and sends it. Those that do not answer within so long, ms, are
   * frozen or busy.
   */
  flush(tab: number | undefined, withinMS: number): Promise<Flushed>;
}

/** What documents gave of what they captured. */
export interface Flushed {
  /** Documents that answered. */
  frames: number;
  /** Tabs with documents that did not. */
  silent: number[];
  /** Some of what they gave was not ready to be sent by then. */
  late: boolean;
}

/** Tabs and their history. Every method throws tab_gone when the tab does not exist (any more). */
export interface Pages {
  describe(tab: number): Promise<Tab>;
  /** The tab that a command without a tab means: the active one of the last focused window. */
  active(): Promise<number | undefined>;
  /** The tab at a position in the last focused window. */
  atIndex(index: number): Promise<number | undefined>;
  /**
   * Moves and waits until the page is there. Throws navigation_failed when the browser shows its error page or the answer
   * was no page, timeout when the page before is still shown at the deadline.
   */
  go(tab: number, how: Move, deadline: number): Promise<Arrival>;
  /**
   * Opens a tab behind the active one, or in front. Throws as go does; a tab without a page is closed again. opened is told
   * the tab before it loads.
   */
  open(
    url: string | undefined,
    active: boolean,
    deadline: number,
    opened: (tab: number) => void,
  ): Promise<Arrival & { tab: number }>;
  activate(tab: number): Promise<void>;
  /** Brings the tab's window to the front of the screen. */
  raise(tab: number): Promise<void>;
  close(tab: number): Promise<void>;
  /** Watches whether a tab begins to load another page, or opens a tab, until stop is called. */
  watch(tab: number): Watch;
  /** Waits until the tab's page is complete. false: it is still loading at the time (epoch ms). */
  loaded(tab: number, until: number): Promise<boolean>;
  /** Resolves when a document of the tab is there anew, or at the time (epoch ms). */
  nextDocument(tab: number, until: number): Promise<void>;
  /** The native dialog that is open in a tab: until the user answers it, none of the tab's documents does anything. */
  dialog(tab: number): Dialog | undefined;
  /** Resolves with the next dialog that opens in a tab; stop ends the waiting. */
  nextDialog(tab: number): { opened: Promise<Dialog>; stop: () => void };
  /** The policy level of the tab's page. */
  policy(tab: number): string | undefined;
  /** Says whether the content script of the tab's main frame is there. */
  captured(tab: number): boolean;
  /**
   * What could not be loaded and why, in words, where the tab shows the browser's error page. before is the document that the
   * tab showed: its line may end only after the error page is complete.
   */
  failure(
    tab: number,
    deadline: number,
    before: string | undefined,
    asked?: string,
  ): Promise<{ url: string; why: string } | undefined>;
  /** Names the document of the tab's main frame; undefined where it has no content script. */
  document(tab: number): string | undefined;
}

/** Whether a tab began to load something, be it in an iframe, and which tab it opened. */
export interface Left {
  loading: boolean;
  openedTab?: number;
}

export interface Watch {
  /** What was seen so far. */
  now(): Left;
  /** Waits for a document that said that it is leaving to begin so, until the time (epoch ms). */
  left(until: number): Promise<Left>;
  stop(): void;
}

/** Why the browser shows its error page. */
export interface Failure {
  /** What could not be loaded. */
  url: string;
  /** Chrome's name, net::ERR_…; undefined where a server answered without a page, or nobody says. */
  error?: string;
  /** Of the server's answer. */
  status?: number;
}

/** An alert, confirm or prompt of a page. */
export interface Dialog {
  type: string;
  /** What it says, ≤ 1,000 characters; "" where the page gave no text. */
  message: string;
}

/** A way through a tab's history. */
export type Move = { type: "url"; url: string } | { type: "reload" } | { type: "back" } | { type: "forward" };

/** How a navigation ended. */
export interface Arrival {
  /** The page is complete; false: still loading at the deadline. */
  loaded: boolean;
}

/** Calls into documents. A page's frames are part of it: what names no frame means every one that can be reached. */
export interface Frames {
  /** That nothing fits a target, where that is known and the page has not said it: the answer of a page that is busy. */
  readonly missing: CommandProblem | undefined;
  /** Says whether the tab's page has iframes that can be acted in, and few enough that acts in them are followed outwards. */
  inner(tab: number): boolean;
  /**
   * Calls the agent in one document: the frame of a ref, or what frame says. A selector without a frame is looked for in
   * every frame, and the one where it fits is called; ambiguous_target tells of several. Anything else means the main frame.
   */
  call<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"],
    deadline: number,
  ): Promise<AgentOps[K]["result"]>;
  /**
   * Calls the agent in every frame, or in the one that frame names; at most 50 of them, those that the user sees first.
   * Throws what the main frame throws; of other frames the failures are among the answers. The main frame's answer is
   * the first. empty: frames that were not asked, for there is nothing in them.
   */
  each<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"] | ((frame: FrameInfo) => AgentOps[K]["params"]),
    frame: string | undefined,
    deadline: number,
  ): Promise<{ answers: FrameAnswer<K>[]; coverage: Coverage; empty: FrameInfo[] }>;
  /** Calls the agent in every frame as each does, in frames that come later too, and takes the first answer. */
  first<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"],
    frame: string | undefined,
    deadline: number,
  ): Promise<{ frame: FrameInfo; value: AgentOps[K]["result"] }>;
  /** The one frame that frame selects; the main frame when absent. */
  find(tab: number, frame: string | undefined): Promise<FrameInfo>;
}

/** What one frame answered. */
export interface FrameAnswer<K extends AgentOp> {
  frame: FrameInfo;
  /** undefined where the call failed: error says why. */
  value?: AgentOps[K]["result"];
  error?: unknown;
}

/** One frame of a tab. */
export interface FrameInfo {
  frameId: number;
  documentId: string;
  url: string;
  /**
   * Its document's own origin, whatever its URL says. A document without one is of what made it, which nobody tells: then
   * those of its URL and of all frames around it, "null" for one that has none either.
   */
  origins: string[];
  title: string;
  /** Places among the frames of each parent, from the top; empty for the main frame, -1 where the place is not known. */
  path: number[];
  /** What frame= takes for it: "" for the main frame, else its number in document order. */
  name: string;
  /** The user can see it: it has more than a pixel, and so have the frames around it. */
  shown: boolean;
  /** Nothing is in it that could be found. */
  empty: boolean;
  /** Windows of child frames, those in shadow roots apart. */
  children: number;
}

/** Chrome's debugger, attached for as long as run runs. */
export interface Debug {
  /** Throws timeout at the deadline (epoch ms) and lets go, also while a page that hangs answers nothing. */
  run<T>(tab: number, deadline: number, work: (send: Send) => Promise<T>): Promise<T>;
  /**
   * Has a tab draw though nobody may see it, until the returned function is called: one that is behind another one gives no
   * picture and hears nothing of what comes with frames. send is of run.
   */
  draw(tab: number, send: Send): Promise<() => Promise<void>>;
  /** Calls back with the params of each event of this name, until the returned function is called. Only while run runs. */
  on(tab: number, method: string, heard: (params: object) => void): () => void;
  /**
   * Puts an empty document of the same address in the place of the tab's page: no script of the page runs there, and the
   * site's server is not asked. A page that asks whether to leave it is left.
   */
  blank(tab: number, deadline: number): Promise<void>;
  /** What the browser's error page in the tab says; undefined where the tab shows no error page. */
  failure(tab: number, deadline: number): Promise<Failure | undefined>;
}

export type Send = (method: string, params?: Record<string, unknown>) => Promise<unknown>;

/** Pictures of tabs. */
export interface Images {
  /** A picture of what the tab shows now; undefined where Chrome does not allow it (no grant, not in front). */
  visible(tab: number, format: "png" | "jpeg", quality: number): Promise<string | undefined>;
  /**
   * Cuts, blacks out, shrinks and greys a picture, which may come in tiles, the upper first. Rectangles are in CSS pixels.
   * Returns base64. Throws unsupported for a tile that shows nothing.
   */
  edit(tiles: readonly string[], edit: Edit): Promise<{ data: string; width: number; height: number; scale?: number }>;
  /** Says whether a png shows its beginning once more from this row on. */
  repeats(png: string, row: number): Promise<boolean>;
}

/** What is done to a picture. */
export interface Edit {
  format: "png" | "jpeg" | "webp";
  quality: number;
  /** Device pixels per CSS pixel. */
  ratio: number;
  hidden: readonly { x: number; y: number; width: number; height: number }[];
  crop?: { x: number; y: number; width: number; height: number };
  maxWidth?: number;
  grayscale?: boolean;
}

/** Scripts of agents. */
export interface Scripts {
  /** Says whether scripts may run on a page of this URL: loopback, or granted in the popup. */
  allowed(url: string): boolean;
  /** Chrome's userScripts.execute; undefined where the user did not allow user scripts. */
  user?: (tab: number, documentId: string, code: string, world: "MAIN" | "USER_SCRIPT") => Promise<unknown>;
}

/** Films of tabs. Their pictures go to the daemon as they come. */
export interface Films {
  /**
   * Begins one. Resolves with the first picture, or a moment later without one: a tab in the background shows none. Throws
   * conflict where the tab is filmed, debugger_refused, unsupported. A tab on which the user has invoked the extension is
   * captured; of others the debugger gives pictures, and no sound.
   */
  start(tab: number, order: FilmOrder, deadline: number): Promise<Film>;
  /** Ends the tab's film; its last pictures are with the daemon then. undefined where the tab is not filmed. */
  stop(tab: number): Promise<Film | undefined>;
}

/** What a film is to be: at most so many pictures a second, with the tab's sound where that can be had. */
export interface FilmOrder {
  name: string;
  fps: number;
  sound: boolean;
}

/** A film; its size is 0 while no picture came. */
export interface Film {
  name: string;
  width: number;
  height: number;
  source: "tab_capture" | "screencast";
  sound: boolean;
  /** Why the tab is not captured. */
  refused?: string;
  /** Fields that are or were covered. */
  covered: number;
  /** Origins of documents that are or were shown as they are; at most 10. */
  uncovered: string[];
}
