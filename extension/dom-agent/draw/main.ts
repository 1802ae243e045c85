import type { Rect } from "../../messages/agent.ts";
import { guard, guardMoves, letMove } from "../../messages/guard.ts";
import type { Annotation, Drawing } from "../../messages/drawing.ts";
import { askWorker } from "../browser.ts";
import type { RefBook } from "../refs.ts";
import { LOOK } from "./look.ts";
import { Note } from "./note.ts";
import { Components } from "./components.ts";
import { unguessed } from "./unguessed.ts";
import { type Tools, drawnElement, meant } from "./meant.ts";

// This is a script of its own, loaded on first use. What it needs of the agent it is lent.

const MAX_ANNOTATIONS = 20;
const MAX_COMMENT = 1000;
/** A drag shorter than this is a click: it means what is under it. */
const MIN_DRAG = 4;
/** Steps of the arrow keys, in CSS pixels. */
const STEP = 10;
const SMALL_STEP = 1;
/** The picture is waited for so long, ms. */
const PICTURE_MS = 8000;
/** The page's own world listens for components, and comments can be written, within so long, ms, or the drawing begins without. */
const LISTEN_MS = 500;
/** Keys that are down when it ends are kept from the page until they are up, so long at most, ms. */
const KEYS_MS = 1000;

interface Point {
  x: number;
  y: number;
}

type Shape = Annotation["shape"];

/** Something that was drawn, with its ends in CSS pixels of the page. */
interface Drawn {
  shape: Shape;
  from: Point;
  to: Point;
  note?: Note;
  element?: Annotation["element"];
}

/** What goes to the page again when nobody draws. */
let current: Drawer | undefined;

/** Lets the user draw over the page, in place of a drawing that is not done. Resolves when the page's world listens. */
async function start(
  { name, text }: { name: string; text: string },
  refs: RefBook,
  tools: Tools,
): Promise<{ name: string; replaced: boolean }> {
  const replaced = current !== undefined;
  current?.cancel("replaced");
  const drawer = (current = new Drawer(name, text, refs, tools));
  await Promise.race([
    Promise.all([drawer.listening, drawer.writing]),
    new Promise((resolve) => setTimeout(resolve, LISTEN_MS)),
  ]);
  return { name, replaced };
}

class Drawer {
  readonly #id = unguessed();
  readonly #name: string;
  readonly #refs: RefBook;
  readonly #lent: Tools;
  readonly #host = document.createElement("div");
  readonly #root: ShadowRoot;
  readonly #dialog = document.createElement("dialog");
  readonly #area = make("div", { class: "area", tabindex: "0", role: "application", "aria-label": AREA });
  readonly #svg = document.createElementNS(SVG, "svg");
  readonly #notes = make("div", {});
  readonly #bar = make("div", { class: "bar", role: "toolbar", "aria-label": "Drawing" });
  readonly #status = make("div", { class: "seen", role: "status" });
  readonly #tools: Record<Shape, HTMLButtonElement>;
  readonly #move = button("Move bar", "");
  readonly #undo = button("Undo", "");
  readonly #cancel = button("Cancel", "Escape");
  readonly #done = button("Done", "Enter");
  readonly #components = new Components();
  readonly listening: Promise<void>;
  /** Resolves when a comment can be written. */
  readonly writing: Promise<void>;
  #spare: Note; // of the next drawing: there before it is needed
  #noted: Note | undefined; // the one that is written
  #untold: Drawing | undefined; // what the user is done with
  #unheard = false; // the page did not hear that its window lost the focus, to a comment
  readonly #drawn: Drawn[] = []; // <= MAX_ANNOTATIONS
  readonly #before = document.activeElement;
  readonly #down = new Set<string>(); // codes of keys that are down
  #shape: Shape = "rectangle";
  #going: Drawn | undefined; // what is being drawn
  #pointer: number | undefined; // which pointer draws it
  #pressed: Element | null = null; // the button on which the pointer went down
  #cursor: Point | undefined; // of the keyboard, in the viewport
  #state: "draws" | "ends" | "over" = "draws";

  constructor(name: string, text: string, refs: RefBook, tools: Tools) {
    this.#name = name;
    this.#refs = refs;
    this.#lent = tools;
    guard(); // where there is no content script: else its listeners come first, and these hear nothing
    guardMoves();
    globalThis.gasolineInput = this.#hear;
    this.#host.id = "gasoline-draw";
    tools.own(this.#host);
    this.#host.style.all = "initial";
    this.#root = this.#host.attachShadow({ mode: "closed" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(LOOK);
    this.#root.adoptedStyleSheets = [sheet];
    this.#tools = { rectangle: button("Rectangle", ""), arrow: button("Arrow", "") };
    this.#done.className = "done";
    this.#svg.setAttribute("aria-hidden", "true");
    const asked = make("p", { class: "asked", dir: "auto" });
    asked.textContent = text || "Show your agent what you mean";
    const hint = make("p", { class: "hint" });
    hint.textContent = HINT;
    this.#bar.append(
      asked,
      this.#tools.rectangle,
      this.#tools.arrow,
      this.#undo,
      this.#move,
      this.#cancel,
      this.#done,
      hint,
    );
    this.#dialog.setAttribute("aria-label", "Draw on the page for your agent");
    this.#dialog.append(this.#area, this.#svg, this.#notes, this.#bar, this.#status);
    this.#root.append(this.#dialog);
    document.documentElement.append(this.#host);
    this.listening = this.#components.begin();
    this.#spare = this.#newNote();
    this.writing = this.#spare.ready;
    this.#open();
    this.#choose("rectangle");
    window.addEventListener("scroll", this.#show, { capture: true, passive: true });
    window.addEventListener("resize", this.#show);
    window.addEventListener("pagehide", this.#left);
  }

  /** Ends it without a drawing. */
  cancel(why: NonNullable<Drawing["cancelled"]>): void {
    if (this.#state !== "draws") return;
    this.#state = "ends";
    void tell(this.#told([], why));
    this.#close();
  }

  /** A modal dialog, since those of the page would make anything else inert. */
  #open(): void {
    this.#dialog.showModal();
    this.#area.focus({ preventScroll: true });
  }

  readonly #left = (): void => {
    if (this.#untold) void this.#tells();
    else this.cancel("page_left");
  };

  /** Takes what the user does; the page hears nothing of it. */
  readonly #hear = (event: Event): void => {
    // The window's own focus is not about the page's elements; but while a comment is written, the window is as it was.
    if (event.target === window && !this.#isOurs(event)) return;
    event.stopImmediatePropagation();
    if (event instanceof KeyboardEvent) {
      if (event.type === "keydown") this.#down.add(event.code);
      if (event.type === "keyup") this.#down.delete(event.code);
    }
    if (this.#state === "over") {
      if (this.#down.size === 0) release(this.#hear);
      return;
    }
    if (this.#state === "ends") return event.preventDefault();
    if (event.type === "focusin" && event.target !== this.#host) this.#takeFocus();
    else if (event.type === "focusin" && !this.#inNote()) this.#noted = undefined; // the user went on
    else if (event.type === "keydown") this.#key(event as KeyboardEvent);
    else if (event.type === "pointerdown") this.#press(event as PointerEvent);
    else if (event.type === "pointermove") this.#drag(event as PointerEvent);
    else if (event.type === "pointerup") this.#release(event as PointerEvent);
    else if (event.type === "pointercancel") this.#drop();
    else if (event.type === "click") this.#click(event as MouseEvent);
    else if (event.type === "contextmenu") event.preventDefault();
  };

  #at({ clientX, clientY }: MouseEvent): Element | null {
    return this.#root.elementFromPoint(clientX, clientY);
  }

  #buttonAt(event: MouseEvent): Element | null {
    return this.#at(event)?.closest("button") ?? null;
  }

  /** Says whether the focus of the window goes to a comment, or comes back from one. */
  #isOurs({ type }: Event): boolean {
    const toNote = type === "blur" && this.#inNote();
    const back = type === "focus" && this.#unheard;
    if (toNote || back) this.#unheard = toNote;
    return toNote || back;
  }

  #inNote(): boolean {
    return this.#noted !== undefined && this.#noted.has(this.#root.activeElement);
  }

  /** The page took the focus while the user draws or writes. */
  #takeFocus(): void {
    if (!this.#dialog.open) return; // it is looked at what lies beneath
    const noted = this.#noted;
    this.#dialog.close(); // a modal dialog of the page may lie over it
    this.#dialog.showModal();
    if (noted) this.#write(noted);
    else this.#area.focus({ preventScroll: true });
  }

  /** The user writes a comment, by keys that come here until its frame has the focus. */
  #write(note: Note): void {
    this.#noted = note;
    note.focus(() => this.#noted === note && this.#state === "draws");
  }

  /** The user goes back to the drawing. */
  #leave(code = ""): void {
    this.#noted = undefined;
    if (code) this.#down.add(code); // the page is to hear nothing of its end
    this.#area.focus({ preventScroll: true });
  }

  #newNote(): Note {
    const note = new Note(MAX_COMMENT, `Comment ${this.#drawn.length + 1}`, {
      grows: () => this.#show(),
      leaves: (code) => this.#leave(code),
      ends: (code) => {
        this.#leave(code);
        void this.#end();
      },
    });
    this.#notes.append(note.box);
    return note;
  }

  #press(event: PointerEvent): void {
    this.#noted = undefined;
    this.#pressed = this.#buttonAt(event);
    if (event.button !== 0 || this.#pointer !== undefined || this.#at(event) !== this.#area) return;
    this.#drop();
    this.#pointer = event.pointerId;
    this.#cursor = undefined;
    this.#begin({ x: event.clientX, y: event.clientY });
  }

  #drag(event: PointerEvent): void {
    if (event.pointerId === this.#pointer) this.#draw({ x: event.clientX, y: event.clientY });
  }

  #release(event: PointerEvent): void {
    if (event.pointerId !== this.#pointer) return;
    this.#pointer = undefined;
    this.#draw({ x: event.clientX, y: event.clientY });
    this.#finish();
  }

  #click(event: MouseEvent): void {
    const at = event.detail === 0 ? this.#root.activeElement : this.#buttonAt(event);
    if (event.detail > 0 && at !== this.#pressed) return; // it went down elsewhere
    if (at === this.#move) this.#bar.classList.toggle("low");
    else if (at === this.#tools.rectangle) this.#choose("rectangle");
    else if (at === this.#tools.arrow) this.#choose("arrow");
    else if (at === this.#undo) this.#takeBack();
    else if (at === this.#cancel) this.cancel("by_user");
    else if (at === this.#done) void this.#end();
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing || event.keyCode === 229) return; // an input method has the key
    const { activeElement: at } = this.#root;
    const onButton = at instanceof HTMLButtonElement;
    const undoes = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (this.#noted && (this.#inNote() || at === this.#area)) {
      // The browser has not moved the focus yet.
      const ends = event.key === "Enter" && (event.ctrlKey || event.metaKey);
      if (event.key === "Enter" || event.key === "Escape") this.#leave();
      if (ends) void this.#end();
      else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) this.#noted.insert(event.key);
    } else if (event.key === "Escape") {
      if (this.#going) this.#drop();
      else this.cancel("by_user");
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void this.#end();
    else if (event.key === "Enter" && !onButton) {
      if (this.#going) this.#finish();
      else void this.#end();
    } else if (undoes) this.#takeBack();
    else if (!onButton && event.key in MOVES) this.#steer(event);
    else if (!onButton && event.key === " ") this.#set();
    else return;
    event.preventDefault();
  }

  /** Moves the cursor of the keyboard. */
  #steer(event: KeyboardEvent): void {
    const [dx, dy] = MOVES[event.key] as [number, number];
    const step = event.shiftKey ? SMALL_STEP : STEP;
    const { x, y } = this.#cursor ?? { x: innerWidth / 2, y: innerHeight / 2 };
    this.#cursor = { x: clamp(x + dx * step, 0, innerWidth - 1), y: clamp(y + dy * step, 0, innerHeight - 1) };
    if (this.#going) this.#draw(this.#cursor);
    else this.#show();
  }

  /** Begins or ends a drawing at the cursor. */
  #set(): void {
    this.#cursor ??= { x: innerWidth / 2, y: innerHeight / 2 };
    if (this.#going) return this.#finish();
    this.#begin(this.#cursor);
    this.#say("Begun. Move with the arrow keys, end with Space.");
  }

  #begin(at: Point): void {
    if (this.#drawn.length >= MAX_ANNOTATIONS) return this.#say(`There can be ${MAX_ANNOTATIONS} drawings.`);
    const from = inPage(at);
    this.#going = { shape: this.#shape, from, to: from };
    this.#show();
  }

  #draw(at: Point): void {
    if (!this.#going) return;
    this.#going.to = inPage(at);
    this.#show();
  }

  #drop(): void {
    this.#going = undefined;
    this.#pointer = undefined;
    this.#show();
  }

  /** Something is drawn: what it means is looked up now, while it is there, and the user writes to it. */
  #finish(): void {
    const drawn = this.#going;
    if (!drawn) return;
    this.#going = undefined;
    const element = this.#under(drawn);
    if (element) drawn.element = element;
    const n = this.#drawn.push(drawn);
    drawn.note = this.#spare;
    this.#spare = this.#newNote();
    this.#say(element ? `Drawing ${n}, on ${element.role || element.tag} ${element.name}` : `Drawing ${n}`);
    this.#show();
    this.#write(drawn.note);
  }

  #under(drawn: Drawn): Annotation["element"] {
    const { x, y, width, height } = boxOf(drawn);
    const inView: Rect =
      drawn.shape === "arrow" || Math.max(width, height) < MIN_DRAG
        ? { x: drawn.to.x - scrollX, y: drawn.to.y - scrollY, width: 0, height: 0 }
        : { x: x - scrollX, y: y - scrollY, width, height };
    this.#dialog.close(); // what is behind a modal dialog is not found
    try {
      const element = meant(inView, this.#lent);
      if (!element) return undefined;
      const found = this.#components.of(element);
      const component = found && {
        framework: found.framework,
        names: found.names,
        ...(found.source ? { source: found.source } : {}),
      };
      return { ...drawnElement(element, this.#refs, this.#lent), ...(component ? { component } : {}) };
    } finally {
      this.#open();
    }
  }

  #takeBack(): void {
    if (this.#going) return this.#drop();
    const last = this.#drawn.pop();
    last?.note?.box.remove();
    this.#show();
    this.#leave();
    if (last) this.#say("Taken back.");
  }

  #choose(shape: Shape): void {
    this.#shape = shape;
    for (const [name, at] of Object.entries(this.#tools)) at.setAttribute("aria-pressed", String(name === shape));
    this.#show();
  }

  #say(text: string): void {
    this.#status.textContent = text;
  }

  /** Shows all that is drawn where it is now. */
  readonly #show = (): void => {
    if (this.#state === "over") return;
    const all = this.#going ? [...this.#drawn, this.#going] : this.#drawn;
    const nodes = all.flatMap((drawn) => outline(drawn));
    if (this.#cursor && this.#state === "draws") nodes.push(...crossAt(this.#cursor));
    this.#svg.replaceChildren(...nodes);
    for (const drawn of this.#drawn) place(drawn);
    this.#undo.disabled = all.length === 0;
    this.#done.disabled = this.#drawn.length === 0;
    // What is drawn beneath the bar is to be seen.
    this.#bar.classList.toggle("away", this.#pointer !== undefined);
  };

  /** The user is done: it stays shown until its picture is taken. */
  async #end(): Promise<void> {
    if (this.#state !== "draws" || this.#drawn.length === 0) return;
    this.#state = "ends";
    this.#going = undefined;
    this.#show();
    this.#bar.hidden = true;
    (this.#root.activeElement as HTMLElement | null)?.blur(); // no ring in the picture
    this.#untold = this.#told(this.#drawn.map(annotationOf));
    await painted();
    await Promise.race([this.#tells(), new Promise((resolve) => setTimeout(resolve, PICTURE_MS))]);
    this.#close();
  }

  /** Tells what is drawn, once: when it is on the screen, or when the page goes away before. */
  async #tells(): Promise<void> {
    const untold = this.#untold;
    this.#untold = undefined;
    if (untold) await tell(untold);
  }

  #told(annotations: Annotation[], cancelled?: Drawing["cancelled"]): Drawing {
    return {
      id: this.#id,
      name: this.#name,
      annotations,
      ...(cancelled ? { cancelled } : {}),
      viewport: {
        width: innerWidth,
        height: innerHeight,
        scroll_x: Math.round(scrollX),
        scroll_y: Math.round(scrollY),
        ratio: devicePixelRatio,
      },
    };
  }

  #close(): void {
    window.removeEventListener("scroll", this.#show, { capture: true });
    window.removeEventListener("resize", this.#show);
    window.removeEventListener("pagehide", this.#left);
    this.#components.end();
    this.#dialog.close();
    this.#host.remove();
    if (this.#before instanceof HTMLElement) this.#before.focus({ preventScroll: true });
    this.#state = "over";
    if (current === this) current = undefined;
    if (this.#down.size === 0) release(this.#hear);
    else setTimeout(() => release(this.#hear), KEYS_MS);
  }
}

/** The page hears its user again, unless another drawing has begun. */
function release(hear: (event: Event) => void): void {
  if (globalThis.gasolineInput !== hear) return;
  globalThis.gasolineInput = undefined;
  letMove();
}

const AREA =
  "Drawing area. Arrow keys move the cursor, Space begins and ends a drawing, Enter is done, Escape cancels.";
const HINT = "Drag on the page, then write. Keyboard: arrow keys, Space begins and ends. Enter: done. Escape: cancel.";
const SVG = "http://www.w3.org/2000/svg";

const MOVES: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string>) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function button(text: string, key: string): HTMLButtonElement {
  const made = make("button", { type: "button", ...(key ? { "aria-keyshortcuts": key } : {}) });
  made.textContent = text;
  return made;
}

const clamp = (n: number, least: number, most: number): number => Math.max(least, Math.min(most, n));

const inPage = ({ x, y }: Point): Point => ({ x: x + scrollX, y: y + scrollY });

const boxOf = ({ from, to }: Drawn): Rect => ({
  x: Math.min(from.x, to.x),
  y: Math.min(from.y, to.y),
  width: Math.abs(from.x - to.x),
  height: Math.abs(from.y - to.y),
});

function annotationOf(drawn: Drawn): Annotation {
  const { shape, to, note, element } = drawn;
  const { x, y, width, height } = boxOf(drawn);
  return {
    shape,
    rect: { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) },
    ...(shape === "arrow" ? { to: { x: Math.round(to.x), y: Math.round(to.y) } } : {}),
    comment: note?.text.trim().slice(0, MAX_COMMENT) ?? "",
    ...(element ? { element } : {}),
  };
}

/** A drawing as two lines, the lighter one around the other: it is seen on any ground. */
function outline(drawn: Drawn): SVGElement[] {
  const box = boxOf(drawn);
  const [x, y] = [box.x - scrollX, box.y - scrollY];
  const path =
    drawn.shape === "rectangle"
      ? `M${x} ${y}h${box.width}v${box.height}h${-box.width}z`
      : arrow(
          { x: drawn.from.x - scrollX, y: drawn.from.y - scrollY },
          { x: drawn.to.x - scrollX, y: drawn.to.y - scrollY },
        );
  return lines(path);
}

function arrow(from: Point, to: Point): string {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const side = (turn: number) => `${to.x - 16 * Math.cos(angle + turn)} ${to.y - 16 * Math.sin(angle + turn)}`;
  return `M${from.x} ${from.y}L${to.x} ${to.y}M${side(0.5)}L${to.x} ${to.y}L${side(-0.5)}`;
}

const crossAt = ({ x, y }: Point): SVGElement[] => lines(`M${x - 12} ${y}h24M${x} ${y - 12}v24`);

const lines = (path: string): SVGElement[] =>
  ["under", "over"].map((name) => {
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("class", name);
    line.setAttribute("d", path);
    return line;
  });

/** Puts a comment beside its drawing: to the right, else to the left, else below. */
function place(drawn: Drawn): void {
  const box = drawn.note?.box;
  if (!box) return;
  const { x, y, width, height } = boxOf(drawn);
  const [left, top] = [x - scrollX, y - scrollY];
  const size = box.getBoundingClientRect();
  const fitsRight = left + width + 8 + size.width <= innerWidth;
  const fitsLeft = left - 8 - size.width >= 0;
  const at =
    fitsRight || fitsLeft
      ? { x: fitsRight ? left + width + 8 : left - 8 - size.width, y: top }
      : { x: clamp(left, 8, Math.max(8, innerWidth - size.width - 8)), y: top + height + 8 };
  const shown = top + height > 0 && top < innerHeight;
  box.style.left = `${at.x}px`;
  box.style.top = `${shown ? clamp(at.y, 8, Math.max(8, innerHeight - size.height - 8)) : at.y}px`;
}

/** Resolves when what was changed is on the screen; in a tab that is not shown, soon. */
const painted = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
    setTimeout(resolve, 300);
  });

/** The worker may be gone after a reload of the extension: then nobody waits for it. */
const tell = (drawing: Drawing): Promise<unknown> =>
  askWorker({ type: "gasoline-drawing", drawing }).catch(() => undefined);

declare global {
  var gasolineDraw: { start: typeof start } | undefined;
}

globalThis.gasolineDraw ??= { start };
globalThis.gasolineStopDrawing ??= () => current?.cancel("by_user");
