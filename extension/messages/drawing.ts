import type { Locator } from "@gasoline/schema/wire";
import type { Rect } from "./agent.ts";

/** The components around an element: texts of the page. */
export interface DrawnComponent {
  framework: string;
  /** The innermost first: at most 5 of at most 80 characters. */
  names: string[];
  /** Where the innermost is written, in development builds; ≤ 170 characters. */
  source?: string;
}

/** The script that draws asks the worker to have the page's world tell of components, by events of this name. */
export interface AskComponents {
  type: "gasoline-components";
  name: string;
}

/** An element that a drawing means. */
export interface DrawnElement {
  ref: string;
  tag: string;
  role: string;
  /** The accessible name, ≤ 120 characters. */
  name: string;
  /** ≤ 200 characters. */
  text: string;
  /** In CSS pixels of the page. */
  rect: Rect;
  /** Best first, at most 5. */
  locators: Locator[];
  /** Computed, by property: at most 12 of at most 120 characters. */
  styles: Record<string, string>;
  /** The framework's components around it, where the page's own world tells of them. */
  component?: DrawnComponent;
  /** Where the element is an iframe: what frame= takes for it. What is in it was not looked at. */
  frame?: string;
}

/** What the user drew and wrote. */
export interface Annotation {
  shape: "rectangle" | "arrow";
  /** Of the drawing, in CSS pixels of the page; an arrow's is around its ends. */
  rect: Rect;
  /** Where an arrow points to. */
  to?: { x: number; y: number };
  /** ≤ 1,000 characters. */
  comment: string;
  /** Nothing where nothing is under the drawing. */
  element?: DrawnElement;
}

/** How a drawing ended: with what was drawn, or why not. */
export interface Drawing {
  /** Names this drawing. */
  id: string;
  /** What the agent called it; "" for nothing. */
  name: string;
  /** At most 20; none where it was cancelled. */
  annotations: Annotation[];
  /** Set where nothing came of it. */
  cancelled?: "by_user" | "page_left" | "replaced";
  viewport: { width: number; height: number; scroll_x: number; scroll_y: number; ratio: number };
}

/** What a frame for a comment is given with its port. */
export interface OpenNote {
  /** The fragment of its address. */
  key: string;
  label: string;
  /** Characters that it takes. */
  max: number;
}

/** What the drawing says to a comment. */
export type ToNote = { type: "focus" } | { type: "insert"; text: string };

/** What a comment says: its text and its height in CSS pixels, or that the user leaves it, by the key with this code. */
export type FromNote = { type: "text"; text: string; height: number } | { type: "leaves" | "ends"; code: string };

/** The script that draws tells the worker how it ended. Answered when the picture is taken: until then the drawing is shown. */
export interface TellDrawing {
  type: "gasoline-drawing";
  drawing: Drawing;
}
