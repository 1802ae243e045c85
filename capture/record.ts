import type { Builtins } from "./builtins.ts";
import type {
  Action,
  DOM,
  Exception,
  Exchange,
  Lifecycle,
  Log,
  Message,
  Performance as PerformanceSnapshot,
  ResourceTiming,
} from "@gasoline/schema/wire";
import type { OpenShadow } from "./locators/deep.ts";
import type { Internals } from "./locators/lender.ts";
import type { ActionMessage, Upward } from "./scope.ts";
import type { Actors } from "./sources/actor.ts";

interface EventOf {
  logs: Log;
  exceptions: Exception;
  network: Exchange;
  waterfall: ResourceTiming;
  websocket: Message;
  actions: Action;
  dom: DOM;
  lifecycle: Lifecycle;
  performance: PerformanceSnapshot;
}

/** Kind names the list of a wire Group that a record belongs to. */
export type Kind = keyof EventOf;

/** EventFor is the wire event of a kind before it has its number; the Batcher numbers it and leaves out what is undefined. */
export type EventFor<K extends Kind> = Loose<Omit<EventOf[K], "seq">>;

/** Events are written as one literal each, where an optional member that is not there says undefined. */
type Loose<T> = T extends readonly (infer I)[]
  ? Loose<I>[]
  : T extends object
    ? {
        [K in keyof T]: Record<never, never> extends Pick<T, K> ? Loose<T[K]> | undefined : Loose<T[K]>;
      }
    : T;

/** RecordOf is one captured event on its way to the Batcher. `urgent` ones leave at once. */
export interface RecordOf<K extends Kind> {
  kind: K;
  urgent?: boolean | undefined;
  event: EventFor<K>;
}

/** CaptureRecord is a record of any kind, told apart by `kind`. */
export type CaptureRecord = { [K in Kind]: RecordOf<K> }[Kind];

/** CaptureConfig is what may change while capture runs, by Capture.configure. */
export interface CaptureConfig {
  /** request and response bodies are captured; the user decides, off unless told */
  bodies: boolean;
  /** bytes of one captured body */
  bodyLimit: number;
  /** keys the pseudonyms that replace secrets; "" where who takes the records keys them, by withSalt */
  salt: string;
  /** capture began after the document did: what is replayed from before is flagged "late" */
  lateSince: boolean;
}

/** SourceHealth says how one source fares. A disabled source has failed too often and only passes calls through. */
export interface SourceHealth {
  source: string;
  failures: number;
  disabled: boolean;
}

/** Capture is a running set of sources. */
export interface Capture {
  /** stop ends recording. Natives come back only where nobody wrapped ours; elsewhere our wrapper passes through. */
  stop(): void;
  /** configure changes settings from the next event on. */
  configure(change: Partial<CaptureConfig>): void;
  health(): SourceHealth[];
  /** reattach adds the listeners again that document.open() took away; calling it twice does no harm. */
  reattach(): void;
}

/** PageCapture also follows actions in the page's realm. */
export interface PageCapture extends Capture {
  /** take does what the other world says of an action, and gives the answer to what it asks. */
  take(message: ActionMessage): Upward | undefined;
  /** internals is what a component has set on its internals; undefined for elements without. */
  internals(element: Element): Internals | undefined;
}

/** DocumentCapture can also say who acts. */
export interface DocumentCapture extends Capture {
  /** who knows what an agent does in this document */
  readonly actors: Actors;
  /** settle records at once what waits for a quiet moment: a half-typed field, a mutation summary, vitals so far. */
  settle(): void;
  /** timings records the resources that are loaded and not yet told: a script that fails was loaded just before. */
  timings(): void;
}

/** PageEnv is what the page-realm sources need. */
export interface PageEnv {
  emit(record: CaptureRecord): void;
  config: CaptureConfig;
  /** reopened is called after document.open() removed listeners, so that the other world can add its own again. */
  reopened?(): void;
  /** tagged hears of each tag whose first element attaches internals, of 1,000 at most. */
  tagged?(tag: string): void;
  /** component hears of each element that attaches internals. */
  component?(element: Element): void;
}

/** DocumentEnv is what the DOM sources need. */
export interface DocumentEnv {
  emit(record: CaptureRecord): void;
  config: CaptureConfig;
  /** Opens closed shadow roots, where the world of the script can. */
  closedShadow?: OpenShadow;
  /** In the page's own realm, and there only: made at document_start. */
  builtins?: Builtins;
  /** began is called before the page's own handlers hear of an action of the user. */
  began?(action: string): void;
}

/** defaultConfig is the state before the user and the daemon have spoken. */
export const defaultConfig: CaptureConfig = {
  bodies: false,
  bodyLimit: 16_384,
  salt: "",
  lateSince: false,
};
