// What a task is: steps in nobody's words, and a question that only the application's own state answers.
import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * An element as an agent knows it: by role and accessible name, or by a text that it shows. Names and texts are compared
 * without regard to surrounding space; one that is equal goes before one that contains it. nth counts equals from 0, in
 * the order of the page.
 */
export type Target = { role: string; name?: string; nth?: number } | { text: string; nth?: number };

/** One thing that an agent does. */
export type Step =
  | { do: "click"; target: Target; button?: "right" }
  | { do: "double"; target: Target }
  | { do: "hover"; target: Target }
  /** Clicks x, y CSS pixels right of and below the upper left corner of the target, or of the viewport. */
  | { do: "point"; target?: Target; x: number; y: number }
  /** Types into a field that is empty, or that clear empties first; at the caret where no target is named. */
  | { do: "type"; target?: Target; text: string; clear?: boolean }
  /** A key by its DOM name, with modifiers joined by +: Enter, ArrowDown, Control+b. times is 1 unless named. */
  | { do: "key"; target?: Target; key: string; times?: number }
  /** An option of a native select element, by its text. */
  | { do: "select"; target: Target; option: string }
  /** Drags from one element onto the middle of another, or by some CSS pixels. */
  | { do: "drag"; from: Target; to: Target | { dx: number; dy: number } }
  /** Pastes a text, or markup with its text, where the caret is. */
  | { do: "paste"; target?: Target; text: string; html?: string }
  /** Puts a file of FILES into what the target is: an input, or a button that asks for one. */
  | { do: "upload"; target: Target; file: string }
  /** Scrolls by CSS pixels at the target, with the wheel. */
  | { do: "scroll"; target: Target; dx?: number; dy: number }
  /** Answers the native dialog that the last step opened. */
  | { do: "dialog"; accept: boolean; text?: string }
  /** The agent has to be shown this text, by what it did or by a look. */
  | { do: "read"; text: string };

/** A task of a page that was just loaded. */
export interface Task {
  /** Short; unique in its library. */
  name: string;
  /** The class of action that it is about: click, type, select, menu, drag … One row of the table is a library and a kind. */
  kind: string;
  steps: Step[];
  /** Asked in the page until it is true, at most for RIGHT_MS. It sees window.app and nothing of this module. */
  right: () => boolean;
}

/** A page: its application in pages/<name>.tsx or .ts, this as the default export of pages/<name>.tasks.ts. */
export interface Library {
  /** What it is called in the table; the version is added from the package. */
  title: string;
  /** The npm package whose version is told; "" where there is none. */
  package: string;
  tasks: Task[];
  /** Further entry points, by the name that they are served under: workers of editors. */
  entries?: Record<string, string>;
  /** Answers requests that are no file of the page. Returns false where it has no answer. */
  serve?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export const RIGHT_MS = 2_000;

/** Files that tasks may upload; they lie in the directory that the tools work in. */
export const FILES: Record<string, string> = {
  "notes.txt": "Gasoline, unleaded.\n",
  "table.csv": "a,b\n1,2\n",
};

declare global {
  interface Window {
    /** The application's own state, or what gives it. Each page says what it is. */
    app: any; // oxlint-disable-line typescript/no-explicit-any -- each page's own
  }
}
