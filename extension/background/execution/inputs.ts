import type { CommandError } from "@gasoline/schema/wire";
import type { Debug, Send } from "../../commands/context.ts";
import { DragInput } from "../../commands/drag_input.ts";
import { sendInput } from "../../commands/input.ts";
import { CommandProblem } from "../../commands/problem.ts";
import { onAsked } from "../frames/browser.ts";
import type { May } from "./powers.ts";
import type { Acted, AskInput, DragEnd, Gesture, TellPerformed } from "../../messages/agent.ts";

/** A long press ends so long, ms, before the deadline: the page has to hear of it. */
const RELEASE_MS = 300;

/** Input that ends what was begun, and what is none. */
const LETS_GO: ReadonlySet<string> = new Set(["keyUp", "mouseReleased", "dragCancel", "Input.setInterceptDrags"]);

/** An act that runs, as far as real input is concerned. */
interface Running {
  tab: number;
  deadline: number;
  send: Promise<Send> | undefined;
  release: () => void;
  /** Ends a long press; undefined: none is under way. */
  letGo?: () => void;
  /** What is held is being let go of, wherever the tab is. */
  lettingGo?: true;
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

/** Real input for the agents of acts that run: the debugger is attached when the first is asked for, until the act ends. */
export class Inputs {
  readonly #debug: Debug;
  readonly #pointIn: PointIn;
  readonly #spotOf: SpotOf;
  readonly #may: May;
  readonly #running = new Map<string, Running>(); // by action

  constructor(debug: Debug, pointIn: PointIn, spotOf: SpotOf, may: May) {
    this.#debug = debug;
    this.#pointIn = pointIn;
    this.#spotOf = spotOf;
    this.#may = may;
  }

  /** Answers agents that ask for input or tell what they are about to do. */
  listen(): void {
    onAsked((message, tab, document) => {
      const { type, action } = message as Partial<AskInput | TellPerformed>;
      const running = this.#running.get(action ?? "");
      // Only an act that runs in the sender's own tab is served.
      const own = running?.tab === tab ? running : undefined;
      if (type === "gasoline-performed" && own) own.performed = (message as TellPerformed).acted;
      return type === "gasoline-input" ? this.#serve(own, document, message as AskInput) : undefined;
    });
  }

  /** An act begins in a tab. */
  open(action: string, tab: number, deadline: number): void {
    this.#running.set(action, {
      tab,
      deadline,
      send: undefined,
      release: () => undefined,
      performed: undefined,
      files: [],
    });
  }

  /** It is over: the debugger is let go. */
  close(action: string): void {
    const running = this.#running.get(action);
    this.#running.delete(action);
    if (running?.letGo || running?.drag?.held) running.lettingGo = true;
    running?.letGo?.();
    // The document may have gone with the button pressed.
    if (running?.drag?.held) void running.drag.cancel().then(running.release, running.release);
    else running?.release();
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

  async #serve(running: Running | undefined, documentId: string, ask: AskInput): Promise<CommandError | null> {
    try {
      if (!running) throw new CommandProblem("cancelled", "Nobody waits for this act any more.");
      running.send ??= this.#attach(running);
      const send = await running.send;
      if (ask.step === "send") {
        const { gesture, x, y } = ask;
        if (gesture.type === "hold" || gesture.type === "pull" || gesture.type === "release") {
          await this.#drag(running, send, documentId, gesture, { x, y });
          return null;
        }
        const pointed = gesture.type === "press" || gesture.type === "move" || gesture.type === "drag";
        const at = pointed ? await this.#pointIn(running.tab, documentId, { x, y }, running.deadline) : { x, y };
        const { hold_ms = 0 } = gesture.type === "press" ? gesture : {};
        if (hold_ms > 0 && Date.now() + hold_ms + RELEASE_MS > running.deadline)
          throw new CommandProblem("timeout", "The press is longer than the time that is left for it.");
        await sendInput(send, gesture, at.x, at.y, (ms) => this.#rest(running, ms), running.files);
      }
      return null;
    } catch (error) {
      return error instanceof CommandProblem ? error.toWire() : { code: "internal", message: String(error) };
    }
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

  async #drag(running: Running, send: Send, document: string, gesture: Dragging, at: Point): Promise<void> {
    const { tab, deadline } = running;
    if (gesture.type === "release" && gesture.cancel) {
      running.lettingGo = true;
      return running.drag?.cancel();
    }
    if (gesture.type === "hold") {
      const point = await this.#pointIn(tab, document, at, deadline);
      running.drag = new DragInput(send, (heard) => this.#debug.on(tab, "Input.dragIntercepted", heard));
      return running.drag.hold(point);
    }
    if (gesture.type === "release") return running.drag?.release(gesture.native === true);
    await running.drag?.pull(await this.#endOf(running, document, gesture.to));
  }

  /** Where dragging ends, in the tab's viewport. */
  async #endOf({ tab, deadline }: Running, document: string, to: DragEnd): Promise<Point> {
    if (!("ref" in to)) return this.#pointIn(tab, document, to, deadline);
    const { x, y } = await this.#spotOf(tab, to.ref, deadline);
    return { x: x + to.dx, y: y + to.dy };
  }

  /** Resolves when the debugger is attached, and keeps it until release. */
  #attach(running: Running): Promise<Send> {
    return new Promise((resolve, reject) => {
      const over = new Promise<void>((release) => (running.release = release));
      this.#debug
        .run(running.tab, running.deadline, (send) => {
          // Real input goes to whatever the tab shows.
          resolve(async (method, params) => {
            const { type = method } = (params ?? {}) as { type?: string };
            if (!running.lettingGo && !LETS_GO.has(type)) await this.#may(running.tab, "acts");
            return send(method, params);
          });
          return over;
        })
        .catch(reject);
    });
  }
}
