import type { CommandError } from "@gasoline/schema/wire";
import type { Debug, Send } from "../../commands/context.ts";
import { DragInput } from "../../commands/drag_input.ts";
import { sendInput } from "../../commands/input.ts";
import { CommandProblem, pageLeft } from "../../commands/problem.ts";
import { onAsked } from "../frames/browser.ts";
import type { May } from "./powers.ts";
import type {
  Acted,
  AskInput,
  DragEnd,
  Gesture,
  TellLeaving,
  TellPerformed,
  TellWaiting,
} from "../../messages/agent.ts";

/** A long press ends so long, ms, before the deadline: the page has to hear of it. */
const RELEASE_MS = 300;

/** Input that ends what was begun, and what is none. */
const LETS_GO: ReadonlySet<string> = new Set(["keyUp", "mouseReleased", "dragCancel", "Input.setInterceptDrags"]);

/** Input that goes to the focus. */
const KEYS: ReadonlySet<string> = new Set(["keyDown", "rawKeyDown", "Input.insertText"]);

/** A document that says that it is leaving has left within so long, ms, or input goes on in it. */
const LEAVING_MS = 1000;

/** Gestures that are nothing but movements of the mouse, or begin with some that the page has to hear of. */
const MOVES: ReadonlySet<string> = new Set(["move", "hold"]);

/** Outside of the viewport, where no element is. */
const OFF = { x: -1, y: -1 };

/** How much of a gesture was made. */
interface Part {
  done: number;
  of: number;
  /** What is counted. */
  what: string;
}

/** An act that runs, as far as real input is concerned. */
interface Running {
  tab: number;
  deadline: number;
  /** Why no input is made for it any more. */
  ended?: CommandProblem;
  /** Documents that say that they are leaving. */
  leaving: Set<string>;
  /** The document of the gesture that is under way, and how much of it was made. */
  under?: { document: string; part: Part; left: boolean };
  /** The button that is pressed by a press that is under way. */
  pressed?: string;
  /** Lets go of the key that is down: once it is known that its page is still there. */
  keyUp?: () => Promise<unknown>;
  /** What the document said that the act comes to, until the first input of it is made. */
  meant?: Acted;
  /** What keeps the act from being made, as its document said last. */
  waits?: CommandError;
  send: Promise<Send> | undefined;
  release: () => void;
  /** Ends a long press; undefined: none is under way. */
  letGo?: () => void;
  /** The page is told that the user sees it. */
  shown?: Promise<unknown>;
  /** It is made to draw. */
  drawn?: Promise<() => Promise<void>>;
  performed: Acted | undefined;
  files: readonly string[];
  drag?: DragInput;
}

interface Point {
  x: number;
  y: number;
}

type Dragging = Extract<Gesture, { type: "hold" | "pull" | "release" }>;

/** Finds where an element of a tab is, in any of its frames, for acts. */
type SpotOf = (tab: number, ref: string, deadline: number) => Promise<Point>;

/** Says where a point of a document's viewport is in the tab's. */
type PointIn = (tab: number, documentId: string, point: Point, deadline: number) => Promise<Point>;

/** Says whether keys come to a document, or to where it may lead on. */
type KeysCome = (tab: number, document: string, deadline: number) => Promise<boolean>;

/** Calls when a document is gone or frozen, until the returned function is called. */
type OnLeft = (document: string, left: () => void) => () => void;

/** Real input for the agents of acts that run: the debugger is attached when the first is asked for, until the act ends. */
export class Inputs {
  readonly #debug: Debug;
  readonly #pointIn: PointIn;
  readonly #spotOf: SpotOf;
  readonly #may: May;
  readonly #keysCome: KeysCome;
  readonly #onLeft: OnLeft;
  readonly #running = new Map<string, Running>(); // by action

  constructor(debug: Debug, pointIn: PointIn, spotOf: SpotOf, keysCome: KeysCome, may: May, onLeft: OnLeft) {
    this.#debug = debug;
    this.#pointIn = pointIn;
    this.#spotOf = spotOf;
    this.#keysCome = keysCome;
    this.#may = may;
    this.#onLeft = onLeft;
  }

  /** Answers agents that ask for input or tell what they are about to do. */
  listen(): void {
    onAsked((message, tab, document) => {
      const { type, action } = message as Partial<AskInput | TellPerformed | TellLeaving | TellWaiting>;
      const running = this.#running.get(action ?? "");
      // Only an act that runs in the sender's own tab is served.
      const own = running?.tab === tab ? running : undefined;
      if (type === "gasoline-performed" && own) {
        const { acted, real } = message as TellPerformed;
        if (real) own.meant = acted;
        else own.performed = acted;
      }
      if (type === "gasoline-waiting" && own) own.waits = (message as TellWaiting).error;
      if (type === "gasoline-leaving") own?.leaving.add(document);
      return type === "gasoline-input" ? this.#serve(own, document, message as AskInput) : undefined;
    });
  }

  /** An act begins in a tab. */
  open(action: string, tab: number, deadline: number): void {
    this.#running.set(action, {
      tab,
      deadline,
      leaving: new Set(),
      send: undefined,
      release: () => undefined,
      performed: undefined,
      files: [],
    });
  }

  /** Nobody waits for it any more: no further input is made. */
  stop(action: string, reason: CommandProblem): void {
    const running = this.#running.get(action);
    if (!running) return;
    running.ended ??= reason;
    running.letGo?.();
  }

  /** It is over: the debugger is let go. */
  close(action: string): void {
    const running = this.#running.get(action);
    if (!running) return;
    this.stop(action, over());
    this.#running.delete(action);
    void this.#letsGo(running).finally(running.release);
  }

  /** Takes back what an act has made of its tab. */
  async #letsGo({ drag, shown, drawn, send }: Running): Promise<void> {
    // The document may have gone with the button pressed.
    if (drag?.held) await drag.cancel().catch(() => undefined);
    await drawn?.then((stop) => stop()).catch(() => undefined);
    if (shown) await (await send)?.("Emulation.setFocusEmulationEnabled", { enabled: false }).catch(() => undefined);
  }

  /** How much was made of the gesture that is under way, in words; undefined: all that does something. */
  part(action: string): string | undefined {
    const part = this.#running.get(action)?.under?.part;
    return part && part.done < part.of ? inWords(part) : undefined;
  }

  /** Files that the act may drag into its tab, by their paths: a document never names one. */
  offer(action: string, files: readonly string[]): void {
    const running = this.#running.get(action);
    if (running) running.files = files;
  }

  /** What a document said that an act comes to. */
  performed(action: string): Acted | undefined {
    return this.#running.get(action)?.performed;
  }

  /** What kept an act from being made when its document was last heard of, or else missing; undefined: nothing, or it was made. */
  waits(action: string, missing?: CommandError): CommandError | undefined {
    const running = this.#running.get(action);
    return running?.performed || running?.meant ? undefined : (running?.waits ?? missing);
  }

  async #serve(running: Running | undefined, documentId: string, ask: AskInput): Promise<CommandError | null> {
    try {
      if (!running) throw over();
      running.send ??= this.#attach(running);
      const raw = await running.send;
      // What moves the mouse comes to a page with its next frame, and a hidden one draws none.
      if (ask.hidden && ask.step === "send" && MOVES.has(ask.gesture.type))
        await (running.shown ??= raw("Emulation.setFocusEmulationEnabled", { enabled: true }));
      // Moves with a button pressed come with frames only.
      if (ask.hidden && ask.step === "send" && ask.gesture.type === "hold")
        await (running.drawn ??= this.#debug.draw(running.tab, raw));
      if (ask.step === "send") {
        const { gesture, x, y } = ask;
        if (gesture.type === "hold" || gesture.type === "pull" || gesture.type === "release") {
          await this.#drag(running, raw, documentId, gesture, { x, y });
          return null;
        }
        const pointed = gesture.type === "press" || gesture.type === "move" || gesture.type === "drag";
        const at = pointed ? await this.#pointIn(running.tab, documentId, { x, y }, running.deadline) : { x, y };
        const { hold_ms = 0 } = gesture.type === "press" ? gesture : {};
        if (hold_ms > 0 && Date.now() + hold_ms + RELEASE_MS > running.deadline)
          throw new CommandProblem("timeout", "The press is longer than the time that is left for it.");
        const gone = this.#begins(running, documentId, partOf(gesture));
        try {
          const send = this.#guarded(running, documentId, raw, gesture.type === "keys" && gesture.into === true);
          await sendInput(send, gesture, at.x, at.y, (ms) => this.#rest(running, ms), running.files);
          // All was made. Where the focus is elsewhere by now, nobody there hears of the last key.
          if (running.keyUp)
            await this.#stays(running, documentId).then(
              () => this.#letUp(running, documentId),
              () => undefined,
            );
        } finally {
          gone();
          delete running.keyUp;
          await letGo(running, raw);
        }
        delete running.under; // all of it was made
      }
      return null;
    } catch (error) {
      return error instanceof CommandProblem ? error.toWire() : { code: "internal", message: String(error) };
    }
  }

  /** A gesture begins in a document: when that is left, no more of it is made. The returned function ends the watching. */
  #begins(running: Running, document: string, part: Part): () => void {
    const under = { document, part, left: false };
    running.under = under;
    return this.#onLeft(document, () => {
      under.left = true;
      running.letGo?.();
    });
  }

  /**
   * Each part of a gesture goes to the document that the gesture was asked for: it could lead the rest to wherever it
   * likes. One that says that it is leaving is waited for. Keys go to the focus, which another frame of the page may have
   * taken; into: they are meant for one. A key that leads away is let go of in no other page: each is let go of with the
   * question that the next one is asked with, or one at the end.
   */
  #guarded(running: Running, document: string, raw: Send, into = false): Send {
    return async (method, params) => {
      const { under } = running;
      const { type, button } = params as { type?: string; button?: string };
      // First: what the document says of leaving comes before its answer.
      const up = !into && type === "keyUp";
      if (!into && (KEYS.has(type ?? method) || (up && running.keyUp))) {
        await this.#stays(running, document);
        await this.#letUp(running, document);
      }
      if (up) {
        running.keyUp = () => raw(method, params);
        return undefined;
      }
      if (running.leaving.has(document)) await this.#leaves(running, document);
      if (!LETS_GO.has(type ?? method)) await this.#may(running.tab, "acts");
      if (running.ended) throw running.ended;
      if (under?.left) throw pageLeft();
      if (under) under.part.done += counted(under.part, method, params);
      if (running.meant && (under?.part.of === 0 || (type !== undefined && type !== "mouseMoved"))) {
        running.performed = running.meant;
        delete running.meant;
      }
      if (type === "mousePressed") running.pressed = button ?? "left";
      if (type === "mouseReleased") delete running.pressed;
      return raw(method, params);
    };
  }

  /** Lets go of the key that is down, in the page where it went down. */
  async #letUp(running: Running, document: string): Promise<void> {
    const { keyUp, under } = running;
    if (!keyUp) return;
    if (running.leaving.has(document)) await this.#leaves(running, document);
    delete running.keyUp;
    if (!under?.left) await keyUp();
  }

  /** Throws where the focus is in a frame that keys for a document are not meant for. */
  async #stays({ tab, deadline, under }: Running, document: string): Promise<void> {
    const why = await this.#keysCome(tab, document, deadline).then(
      (come) => (come ? undefined : "The focus went to another frame, which the keys are not meant for."),
      (error: unknown) => {
        if (error instanceof CommandProblem && error.code === "origin_not_allowed") return error.message;
        throw error;
      },
    );
    if (why) throw new CommandProblem("not_actionable", under?.part.of ? `${why} ${inWords(under.part)}` : why);
  }

  /** Waits until a document that said so has left, or has stayed after all. */
  #leaves(running: Running, document: string): Promise<void> {
    running.leaving.delete(document);
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        off();
        resolve();
      };
      const off = this.#onLeft(document, done);
      const timer = setTimeout(done, LEAVING_MS);
    });
  }

  /** Lets so many ms go by. false: the act is over before. */
  #rest(running: Running, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms, true);
      running.letGo = () => {
        delete running.letGo;
        clearTimeout(timer);
        resolve(false);
      };
    });
  }

  async #drag(running: Running, raw: Send, document: string, gesture: Dragging, at: Point): Promise<void> {
    const { tab, deadline } = running;
    if (gesture.type === "release" && gesture.cancel) return running.drag?.cancel();
    if (gesture.type === "hold") {
      const point = await this.#pointIn(tab, document, at, deadline);
      const gone = this.#begins(running, document, partOf(gesture));
      const send = this.#guarded(running, document, raw);
      running.drag = new DragInput(send, raw, (heard) => this.#debug.on(tab, "Input.dragIntercepted", heard), gone);
      return running.drag.hold(point);
    }
    if (gesture.type === "release") {
      await running.drag?.release(gesture.native === true);
      delete running.under;
    } else await running.drag?.pull(await this.#endOf(running, document, gesture.to));
  }

  /** Where dragging ends, in the tab's viewport. */
  async #endOf({ tab, deadline }: Running, document: string, to: DragEnd): Promise<Point> {
    if (!("ref" in to)) return this.#pointIn(tab, to.document ?? document, to, deadline);
    const { x, y } = await this.#spotOf(tab, to.ref, deadline);
    return { x: x + to.dx, y: y + to.dy };
  }

  /** Resolves when the debugger is attached, and keeps it until release. */
  #attach(running: Running): Promise<Send> {
    return new Promise((resolve, reject) => {
      const over = new Promise<void>((release) => (running.release = release));
      this.#debug
        .run(running.tab, running.deadline, (send) => {
          resolve(send);
          return over;
        })
        .catch(reject);
    });
  }
}

const over = (): CommandProblem => new CommandProblem("cancelled", "Nobody waits for this act any more.");

/** A button that is pressed when the rest of a press is not made is let go of where no element is. */
async function letGo(running: Running, raw: Send): Promise<void> {
  const { pressed: button } = running;
  if (!button) return;
  delete running.pressed;
  const common = { ...OFF, button, pointerType: "mouse" };
  await raw("Input.dispatchMouseEvent", { type: "mouseMoved", ...common, clickCount: 0 });
  await raw("Input.dispatchMouseEvent", { type: "mouseReleased", ...common, clickCount: 1 });
}

/** What a gesture is counted by. */
function partOf(gesture: Gesture): Part {
  switch (gesture.type) {
    case "text":
      return { done: 0, of: Array.from(gesture.text).length, what: "characters were typed" };
    case "press":
      return { done: 0, of: gesture.count, what: "clicks were begun" };
    case "hold":
      return { done: 0, of: 1, what: "" };
    default:
      return { done: 0, of: 0, what: "" };
  }
}

/** How far a command of the protocol takes a gesture. */
function counted({ what }: Part, method: string, params: Record<string, unknown> = {}): number {
  const { type, text } = params as { type?: string; text?: string };
  if (what.startsWith("clicks")) return type === "mousePressed" ? 1 : 0;
  if (what === "") return type === "mouseReleased" || type === "drop" ? 1 : 0;
  return method === "Input.insertText" || type === "keyDown" ? Array.from(text ?? "").length : 0;
}

const inWords = ({ done, of, what }: Part): string =>
  what === "" ? "What was dragged was not let go of there." : `${done} of ${of} ${what}.`;
