import type {
  ActResult,
  DragParams,
  File,
  PageDiff,
  Search,
  StorageLookParams,
  StorageResult,
  Target,
} from "@gasoline/schema/commands";
import type { Candidate, CommandError } from "@gasoline/schema/wire";
import type { ExpectedInput } from "./acts.ts";
import type { ActionId } from "./content.ts";
import type { KindOps } from "./operations.gen.ts";
import type { OutlineParams, Outlined } from "./outline.ts";
import type { RestoredState, StoredField, TakenForms, TakenState } from "./stored.ts";

/** A rectangle in CSS pixels of a frame's viewport. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What acting in a document came to. */
export interface Acted {
  result: ActResult;
  /** Of the link that was to be opened in a new tab, and was not clicked. */
  href?: string;
  /** Nothing was done: the point of the act lies in a frame inside of this one. */
  inside?: Inside;
  /** What the agent adds once the act has settled. */
  settled?: Settled;
}

/** What a document answers to a question; null: nothing there fits the selector. frame: its name, "" for the main frame. */
export type Asked<R> = { frame: string; answer: R } | null;

/** Where in a child frame the point of an act lies, and how its target was found. */
export interface Inside {
  /** The frame's place; -1 for one that has none. */
  index: number;
  /** In the child's viewport. */
  x: number;
  y: number;
  count: number;
  strategy: ActResult["match_strategy"];
  /** Where dragging ends, in the viewport of the document that says so. */
  end?: { x: number; y: number };
}

/** What a document saw of an act's consequences. */
export interface Settled {
  /** What changed, in words: at most 8 of at most 140 characters. */
  changes: string[];
  /** What the act still waits for, in words. */
  busy: string[];
  /** What the browser refused the page because no user had acted. */
  refused?: string[];
  /** Entries of storages and cookies that were written meanwhile, without values: at most 6. */
  stored?: string[];
  /** The document began to navigate to another one, and was not waited for any longer. */
  leaving?: boolean;
  /** Where to, as far as the document knows. */
  to?: string;
  /** It is an iframe's. */
  inner?: boolean;
}

/** What a person would do with a device at a point, as data: events that are made up and real input do the same. */
export type Gesture =
  /** hold_ms: the button stays down so long at the last of its presses. */
  | { type: "press"; button: "left" | "middle" | "right"; count: number; hold_ms?: number | undefined }
  | { type: "move" }
  /** at_once: not key by key; lines: line breaks are the key Enter, whatever the length. */
  | { type: "text"; text: string; at_once?: boolean; lines?: boolean }
  /** into: what they are for holds another document, which gets them. */
  | { type: "keys"; keys: string; into?: boolean }
  /** Copying or pasting as the browser's own menu does it. */
  | { type: "edit"; command: "copy" | "paste" }
  /** Dragging with the mouse: the button is pressed, the mouse moved, the button let go. */
  | { type: "hold" }
  | { type: "pull"; to: DragEnd }
  /** native: the browser itself carries what is dragged. cancel: it is left where it was. */
  | { type: "release"; native?: boolean; cancel?: boolean }
  /** Files from outside, over the page: those that the command brought. */
  | { type: "drag"; step: "over" | "drop" | "cancel" };

/**
 * Where dragging ends: at a point of the document that it began in or of one around it, or so far off the middle of an
 * element of any frame.
 */
export type DragEnd = { x: number; y: number; document?: string } | { ref: string; dx: number; dy: number };

/**
 * The agent asks the worker for real input: first to attach the debugger, whose bar moves the page, then to make the
 * gesture at a point of the document's viewport. hidden: the document is one that the user does not see. Answered with a
 * problem or null.
 */
export type AskInput = { type: "gasoline-input"; action: string; hidden?: true } & (
  | { step: "attach" }
  | { step: "send"; gesture: Gesture; x: number; y: number }
);

/** The agent tells what an act comes to before it is done: the document may not live to say it. */
export interface TellPerformed {
  type: "gasoline-performed";
  action: string;
  acted: Acted;
  /** By real input that is asked for next: it is done once the first of that is made. */
  real?: boolean;
}

/** The agent tells what keeps an act from being made. */
export interface TellWaiting {
  type: "gasoline-waiting";
  action: string;
  error: CommandError;
}

/**
 * The agent of a hidden page, whose timers Chrome holds back, asks the worker to let ms go by. Answered with null.
 */
export interface AskTick {
  type: "gasoline-tick";
  ms: number;
}

/** The agent tells that its document begins to navigate to another one: input that is under way may end up there. */
export interface TellLeaving {
  type: "gasoline-leaving";
  action: string;
}

/** The agent tells of a download that its document asks for while the act runs. name may be "". */
export interface TellDownload {
  type: "gasoline-download";
  action: string;
  name: string;
  url: string;
}

/** Where a child frame's viewport is in its parent's, and by how much what is in it is scaled. */
export interface FrameBox extends Rect {
  scale: number;
}

/** What a frame shows, and where its child frames are. */
export interface FrameGeometry {
  /** Fields of secrets that have a value. */
  secrets: number;
  /** By place: the index in window.frames, then those in shadow roots; null for one without a box. */
  children: (FrameBox | null)[];
  viewport: { width: number; height: number; ratio: number };
}

/** What an element is to who was told of it: another role or name makes it another thing. */
export interface Identity {
  /** The ARIA role, or the tag where there is none. */
  role: string;
  /** The accessible name; the text of what has no role, such as a div that takes clicks. */
  name: string;
}

/** The operations of the agent in a document: what goes in, what comes out. */
export interface AgentOps extends KindOps {
  /** to_document: the document whose viewport to_x and to_y are in. */
  drag: { params: DragParams & { to_document?: string }; result: Acted };
  /**
   * How many elements fit the target now. wait: once one fits, or at the deadline. inner: of an iframe that was not named,
   * whose root and body stand for themselves only there. tell: with candidates. agree: only elements with this role and
   * name count; others is how many fit beside them, and they are told where none counts. near: nothing but candidates,
   * whose names share a word with the selector.
   */
  probe: {
    params: Target & { wait?: boolean; inner?: boolean; tell?: boolean; agree?: Identity; near?: boolean };
    result: { count: number; visible: number; others?: number; candidates?: Candidate[] };
  };
  /** Place of the iframe that fits the CSS selector. */
  frame_index: { params: { selector: string }; result: { index: number } };
  /** Place of the iframe that has the focus in this document; nothing where no iframe has it. */
  /** here: keys come to this document itself. */
  focused_frame: { params: Record<string, never>; result: { index?: number; here: boolean } };
  /** Scrolls an element into view and says where it is in its frame's viewport, for a crop; frame "" is the main frame. */
  rect: { params: Target; result: { rect: Rect; frame: string } };
  /** Brings an element into view and says where it is in its frame's viewport; frame "" is the main frame. */
  spot: { params: Target; result: { ref: string; frame: string; x: number; y: number } };
  /** Origins of the child frames at these places; "" where they have none. */
  origins: { params: { indexes: number[] }; result: { origins: string[] } };
  /** Resolves at the next change of the document, or at the deadline. */
  changed: { params: Record<string, never>; result: Record<string, never> };
  /** Sends a token into each child frame that is in a shadow root, with its place. */
  call_children: { params: { token: string; origins: string[] }; result: Record<string, never> };
  geometry: { params: Record<string, never>; result: FrameGeometry };
  /** What the document shows, for a snapshot. */
  outline: { params: OutlineParams; result: Outlined };
  /** Where a point of a child frame is in this one; null where the frame cannot be found. Throws what lies over it. */
  around: { params: { index: number; x: number; y: number }; result: { x: number; y: number } | null };
  /** What the last act changed in the document; nothing when there was none. at: epoch ms of its end. */
  diff: { params: { mutations?: boolean }; result: { action?: string; at?: number; diff?: PageDiff } };
  /** Resolves when the document was quiet for so long, or at the deadline. */
  quiet: { params: { stability_ms: number }; result: { quiet: boolean; mutations: number } };
  /**
   * An act that does not go through the document begins; settle follows it. whole: it led to the document. expected: input
   * that the worker will make. near: it does not in a document that the main one's scripts do not reach.
   */
  begin: {
    params: { frame?: string; whole?: boolean; near?: boolean; expected?: ExpectedInput };
    result: Record<string, never>;
  };
  settle: { params: { frame?: string }; result: Settled };
  /** What an act that began in a document and has settled elsewhere changed there. It ends there. */
  changes: { params: { frame?: string }; result: { changes: string[] } };
  /** Brings a field to a value, by the means that its kind of field needs. */
  fill: { params: Search & { value: string; values?: string[] }; result: Acted };
  /** Presses the button that sends the form around an element. */
  submit: { params: { ref: string }; result: Acted };
  /** An act that began in the document was not done. */
  end: { params: { frame?: string }; result: Record<string, never> };
  toast: { params: { text: string }; result: Record<string, never> };
  /** Lets the user draw. replaced: another drawing was not done. */
  draw: { params: { name: string; text: string }; result: { name: string; replaced: boolean } };
  /**
   * Covers secret fields for a film, or shows them again. fields: how many were covered. hides: frames that come are hidden,
   * and of those that are there (frames: how many) all that are not at the places shown; hid: how many of them were seen
   * before. With masks it hides what fits them instead, until it is called with none; fit: how many fit each.
   */
  cover: {
    params: { on: boolean; hides?: boolean; shown?: number[]; masks?: string[] };
    result: { fields: number; frames?: number; hid?: number; fit?: number[] };
  };
  /** Finds what takes files for a target. */
  look_upload: { params: Target & { count: number }; result: UploadTarget };
  /** Puts files into an input, or drops them onto an element, by events that are made up. */
  put_files: { params: { ref: string; files: File[] }; result: Acted };
  /** Posts files to an address of the document's own origin, as a form would. */
  post_files: { params: { endpoint: string; name: string; files: File[]; frame: string }; result: Acted };
  /** The same by the browser's own dragging: the worker has the files. */
  drop_files: { params: { ref: string; files: File[] }; result: Acted };
  /** Opens the file chooser of an input. */
  pick_files: { params: { ref: string }; result: Record<string, never> };
  /** Reads the clipboard, or writes what is given. */
  clipboard: { params: { write?: string }; result: { text: string; types: string[] } };
  /** Takes what the origin has stored, of the parts that are named. */
  take_state: { params: { parts: string[]; frame?: string }; result: TakenState };
  /** What is typed into the document. */
  take_forms: { params: Record<string, never>; result: TakenForms };
  /** A chunk of what restore_state is to bring back. */
  add_state: { params: { token: string; page_section: string; frame?: string }; result: Record<string, never> };
  restore_state: { params: { token: string; parts: string[]; frame?: string }; result: RestoredState };
  /** Types again what take_forms took; differs names what is not as it was. */
  restore_forms: {
    params: { fields: StoredField[]; scroll: [number, number]; frame: string };
    result: { differs: string[] };
  };
  /** What the origin has stored, cookies apart. */
  look_storage: { params: StorageLookParams; result: StorageResult };
}

/** What takes files: a file input, an element to drop onto, or a button that asks for files. */
export interface UploadTarget {
  ref: string;
  how: "input" | "drop" | "button";
  /** The frame's name; "" is the main frame. */
  frame: string;
}

export type AgentOp = keyof AgentOps;

/** The agent of a frame asks the worker: does anything in the frames around mine lie over this point? Answered with a problem or null. */
export interface AskAround {
  type: "gasoline-around";
  x: number;
  y: number;
  /** Epoch ms. */
  deadline: number;
}

/** What is loaded into a document on first use, beside the agent. */
export type Script = "reader" | "snapshot" | "stored" | "upload" | "audit" | "draw" | "cover" | "inspect";

/** The agent of a document asks the worker to load a script. Answered with a problem or null. */
export interface AskScript {
  type: "gasoline-script";
  script: Script;
}

/** The agent of a document asks the worker which frameworks are at work there. Answered with a list. */
export interface AskFrameworks {
  type: "gasoline-frameworks";
}

/** One call into a document. */
export interface AgentCall<K extends AgentOp = AgentOp> {
  /** Names the call, to cancel it. */
  id: string;
  op: K;
  params: AgentOps[K]["params"];
  /** Epoch ms: the agent has answered by then. */
  deadline: number;
  /** Numbers that the document may give to refs: [first, last] pairs, its own and of no other document of the tab. */
  refs: [number, number][];
  /** The frame's name in element records; "" for the main frame. */
  frame: string;
  /** The command's action, when it acts. */
  action?: ActionId;
  /** A child frame that the point of the act lies in cannot be asked: what can be done from here is done. */
  past?: boolean;
}

/** The answer to a call. */
export type AgentAnswer<K extends AgentOp = AgentOp> =
  | { ok: true; value: AgentOps[K]["result"]; refsLeft: number }
  | { ok: false; error: CommandError; refsLeft: number };
