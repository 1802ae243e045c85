import type { ActResult, Target, TargetParams } from "@gasoline/schema/commands";
import type { CommandError } from "@gasoline/schema/wire";
import type { KindOps } from "./operations.gen.ts";

/** A rectangle in CSS pixels of a frame's viewport. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * What acting in a document came to. When trusted is there, the agent found and prepared the element
 * but did not act: the worker has to, with real input at that point.
 */
export interface Acted {
  result: ActResult;
  trusted?: TrustedInput;
  /** The page began to navigate to another document. */
  leaving?: boolean;
  /** Of the link that was to be opened in a new tab, and was not clicked. */
  href?: string;
}

/** Real input that the worker sends through the debugger. */
export type TrustedInput =
  | { type: "click"; x: number; y: number; button: string; count: number }
  | { type: "move"; x: number; y: number }
  | { type: "text"; text: string }
  | { type: "keys"; keys: string };

/** Where a frame shows things that nobody may see, and where its child frames are. */
export interface FrameGeometry {
  secrets: Rect[];
  /** By index in window.frames; null for one without a box. */
  children: (Rect | null)[];
  viewport: { width: number; height: number; ratio: number };
}

/** The operations of the agent in a document: what goes in, what comes out. */
export interface AgentOps extends Omit<KindOps, "hover"> {
  /** The worker says whether the real pointer is moved: the agent cannot know whether that will be refused. */
  hover: { params: TargetParams & { trusted?: string }; result: Acted };
  /** How many elements fit the target now. */
  probe: { params: Target; result: { count: number; visible: number } };
  /** Index in window.frames of the iframe that fits the CSS selector. */
  frame_index: { params: { selector: string }; result: { index: number } };
  /** Scrolls an element into view and says where it is, for a crop. */
  rect: { params: Target; result: { rect: Rect } };
  geometry: { params: Record<string, never>; result: FrameGeometry };
  /** Where a point of a child frame is in this one; null where the frame cannot be found. Throws what lies over it. */
  around: { params: { index: number; x: number; y: number }; result: { x: number; y: number } | null };
  /** Resolves when the document was quiet for so long, or at the deadline. */
  settle: { params: { stability_ms: number }; result: { quiet: boolean; mutations: number } };
  toast: { params: { text: string }; result: Record<string, never> };
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
}

/** The answer to a call. */
export type AgentAnswer<K extends AgentOp = AgentOp> =
  | { ok: true; value: AgentOps[K]["result"]; refsLeft: number }
  | { ok: false; error: CommandError; refsLeft: number };
