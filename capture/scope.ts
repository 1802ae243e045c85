import {
  append,
  apply,
  bare,
  cancelLater,
  defineProperty,
  getter,
  hasOwn,
  later,
  listen,
  lower,
  mapDelete,
  mapGet,
  mapSet,
  method,
  NativeMap,
  NativeWeakMap,
  now,
  prototypeOf,
  settled,
  slice,
  weakGet,
  weakSet,
} from "./natives.ts";
import { type Refusal, watchRefusals } from "./activation.ts";
import { proxyMethod, proxySetter, type Stop } from "./patch.ts";

/** What the other world says to the page's: one message each, as JSON. */
export type Downward<Change> =
  | { type: "configure"; change: Change }
  | {
      /** An action begins, and what runs next is its doing. */
      type: "begin";
      action: string;
      /** for how long it is followed at most */
      ms: number;
      /** nobody ends it: it ends once nothing that it started runs */
      alone: boolean;
      /** it led to the document: what the document has asked for so far and waits for is its doing by time */
      whole: boolean;
    }
  /** An action is over: what it started is followed no longer. */
  | { type: "end"; action: string }
  /** Say at once, by a message up, what an action is still waiting for. waits: it waits for what only the other world sees. */
  | { type: "ask"; action: string; waits: boolean }
  /** Nobody listens any more. */
  | { type: "stop" };

/** What of it is about actions. */
export type ActionMessage = Extract<Downward<unknown>, { action: string }>;

/** What the page's world answers to "ask". */
export interface Upward {
  /** What runs, in words; empty when all that the action started has ended. */
  busy: string[];
  /** What else runs and is not to be waited for: the browser holds it back in a hidden page. In words. */
  held?: string[];
  /** What runs at this moment is the action's doing: own; near: nothing but the time speaks for it. */
  runs?: "own" | "near" | undefined;
  /** What the browser refused the page since the action began, because no user had acted. */
  refused?: Refusal[];
}

/** Cause says which action led to something. */
export interface Cause {
  action: string;
  /** nothing but the time speaks for it */
  inferred: boolean;
}

/** A timer above this many ms is told apart when it fires, but nobody waits for it. */
const patience = 1000;
/** Timers above this many ms are left alone. */
const longest = 10_000;
/** What an action started and has not ended is counted up to this many; more is not followed. */
const maxWorks = 300;
/** A socket over which so many messages came by themselves speaks of other things, too: an answer is waited for so long, in ms. */
const pushing = 2;
const pushingPatience = 200;
/** A request this soon after something that the action started is taken for its doing, in ms. */
const closeBy = 50;
/** A turn whose end did not come is believed this long when others begin, in ms. */
const turnPatience = 100;
/** A timer is late by this long in a hidden page before the browser is taken to hold it back, in ms. */
const heldAfter = 50;
/** An action that nobody ends is looked at this often, in ms. */
const lookEvery = 100;

/** Work is one thing that an action waits for. */
interface Work {
  words: string;
  /** of a request */
  url: string | undefined;
  /** of a request; undefined when nothing is known to have led to it */
  cause: Cause | undefined;
  over: boolean;
  /** performance.now from which on a hidden page has only not been let do it; undefined: hidden pages do it as others */
  due: number | undefined;
  next: Work | undefined;
}

/** What somebody waits for, newest first. */
interface Works {
  works: Work | undefined;
  count: number;
}

interface Running extends Works {
  action: string;
  /** performance.now at which it is followed no longer */
  until: number;
  /** it ends by itself as soon as it waits for nothing */
  alone: boolean;
  /** performance.now when something of it ran last */
  last: number;
  /** performance.now until which the other world waits for something of it, unless it says before that it does not */
  waits: number;
  live: boolean;
  refused: Refusal[];
  next: Running | undefined;
}

/** Turn is a stretch of time in which what runs is an action's. */
interface Turn {
  at: Running;
  /** false: by time alone */
  sure: boolean;
  /** behind its task; undefined in a frame */
  next: NextFrame | undefined;
  /** performance.now at its beginning */
  began: number;
  /** the one that it began in */
  outer: Turn | undefined;
}

/** What is known of how somebody answers over a socket. */
interface Talk {
  /** whose message was sent last, and what waits for its answer */
  at: Running | undefined;
  work: Work | undefined;
  /** performance.now of the last message that an action sent */
  sent: number;
  /** the last one got no answer in time: the next ones are not waited for */
  mute: boolean;
  /** messages that came without being asked for, up to pushing */
  pushed: number;
}

/** A request as far as it is followed. */
interface Asked {
  type: string;
  method: string;
  /** absolute */
  url: string;
}

const complete = getter<boolean>("HTMLImageElement", "complete");
const lazy = getter<string>("HTMLImageElement", "loading");
const srcOf = getter<string>("HTMLImageElement", "src");
const once = bare({ capture: true, once: true });
const hidden = getter<boolean>("Document", "hidden");

const frame = requestAnimationFrame.bind(globalThis);
const every = setInterval.bind(globalThis) as (fn: () => void, ms: number) => number;
const scheduler = (globalThis as { scheduler?: object }).scheduler;
const postTask = method<[() => void, { priority: string }], Promise<unknown>>("Scheduler", "postTask");
/** nextTask calls in a task of its own, before those that wait already where the browser can do that. */
const nextTask = (call: () => void): void => {
  if (scheduler) void postTask(scheduler, call, bare({ priority: "user-blocking" }));
  else later(call, 0);
};

/** The frame that comes behind a task; time is the one that its callbacks are given, undefined before. */
interface NextFrame {
  time: number | undefined;
}

const nextFrame = (): NextFrame => {
  const next: NextFrame = { time: undefined };
  frame((time) => (next.time = time));
  return next;
};

/**
 * Scope knows which action the code that runs now belongs to. When a followed action starts a timer or an animation frame,
 * one of our own is started before it and one after it. The first notes which action runs, the second that it has ended;
 * the browser calls the page's callback between them as ever, with nothing of us in its stack. What starts in no known
 * turn belongs to an action by time alone. Nothing is patched while no action is followed.
 */
export class Scope {
  #running: Running | undefined; // newest first
  #turn: Turn | undefined; // what runs now, newest first
  #before: Running | undefined; // whose task ended last
  #left = 0; // counts the tasks that ended
  #stops: Stop | undefined;
  readonly #requests = new NativeWeakMap<object, Work>();
  readonly #own: Works = { works: undefined, count: 0 }; // requests and bodies that nothing is known to have led to
  readonly #timers = new NativeMap<unknown, () => void>();
  readonly #talks = new NativeWeakMap<object, Talk>(); // by connection
  readonly #ports = new NativeWeakMap<object, boolean>(); // of shared workers

  /** begin follows an action for at most ms. One that ends by itself does so once nothing that it started runs. */
  begin(action: string, ms: number, alone: boolean, whole: boolean): void {
    let at = this.#find(action);
    if (at) {
      at.until = now() + ms;
    } else {
      at = {
        action,
        until: now() + ms,
        alone,
        works: undefined,
        count: 0,
        last: now(),
        waits: 0,
        live: true,
        refused: [],
        next: this.#running,
      };
      this.#running = at;
      this.#stops ??= this.#patch();
      this.#watch(at);
    }
    if (whole) this.#adopt(at);
    this.#enter(at);
  }

  /** Requests that were made before anything was known of an action are its doing by time. */
  #adopt(at: Running): void {
    for (let work = this.#own.works; work;) {
      const { next } = work;
      work.cause = { action: at.action, inferred: true };
      if (!work.over) this.#link(at, work);
      work = next;
    }
    this.#own.works = undefined;
    this.#own.count = 0;
  }

  /** end follows an action no longer. What it started keeps its name. */
  end(action: string): void {
    const at = this.#find(action);
    if (at) this.#drop(at);
  }

  /** take does what the other world says, and gives the answer to what it asks. */
  take(message: ActionMessage): Upward | undefined {
    switch (message.type) {
      case "begin":
        this.begin(message.action, message.ms, message.alone, message.whole);
        return undefined;
      case "end":
        this.end(message.action);
        return undefined;
      case "ask": {
        const at = this.#find(message.action);
        if (at) at.waits = message.waits ? now() + patience : 0;
        const runs = this.#turn ? this.#turn.at === at && "own" : at && now() - at.last < closeBy && "near";
        return {
          busy: this.busy(message.action),
          held: this.busy(message.action, true),
          runs: runs || undefined,
          refused: at?.refused ?? [],
        };
      }
    }
  }

  /** stop follows nothing any more. */
  stop(): void {
    while (this.#running) this.#drop(this.#running);
  }

  /** busy says in words what an action waits for: at most five. held: what of it the browser holds back. */
  busy(action: string, held = false): string[] {
    const words: string[] = [];
    const at = this.#find(action);
    for (let work = at?.works; work && words.length < 5; work = work.next) {
      if (work.over || held !== isHeld(work)) continue;
      const what = work.url === undefined ? work.words : work.words + " " + pathOf(work.url);
      let told = false;
      for (let i = 0; i < words.length; i++) told ||= words[i] === what;
      if (!told) append(words, what);
    }
    return words;
  }

  /** cause says what led to an event of this moment; late ones may come a task after what led to them. */
  cause(late = false): Cause | undefined {
    if (this.#turn) return { action: this.#turn.at.action, inferred: !this.#turn.sure };
    if (late && this.#before) return { action: this.#before.action, inferred: false };
    return this.#running && { action: this.#running.action, inferred: true };
  }

  /** stamp writes the cause of this moment into an event that has none. */
  stamp(event: object, late: boolean): void {
    const cause = this.cause(late);
    if (cause) writeCause(event, cause);
  }

  /** requested notes whose a request is, and waits for its end. */
  requested(call: Asked): void {
    const cause = this.cause();
    const at: Works | undefined = cause ? this.#near() : this.#own;
    const work: Work = {
      words: call.type + " " + call.method,
      url: call.url,
      cause,
      over: false,
      due: undefined,
      next: undefined,
    };
    if (at && call.type !== "beacon") this.#link(at, work);
    weakSet(this.#requests, call, work);
  }

  /** near says whose doing something of this moment is, if only by time. */
  #near(): Running | undefined {
    const at = this.#running;
    if (this.#turn) return this.#turn.at;
    return at && (now() < at.waits || now() - at.last < closeBy) ? at : undefined;
  }

  /**
   * reading notes that a body is read while no action is followed: one that led to the document waits for it. The returned
   * function says that its end has come, before the page hears of it.
   */
  reading(): () => void {
    const work = this.#running ? undefined : this.#add(this.#own, "body of a response");
    return () => {
      if (!work) return;
      work.over = true;
      const at = this.#find(work.cause?.action);
      if (at) at.last = now();
    };
  }

  /** caused says what led to a request; undefined when nothing is known to have. */
  caused(call: object): Cause | undefined {
    return this.#asked(call)?.cause;
  }

  /** answered says that what waits for a request runs now. */
  answered(call: object): void {
    const cause = this.#asked(call)?.cause;
    const at = cause && this.#find(cause.action);
    if (!at) return;
    at.last = now();
    if (!cause.inferred) this.#enter(at);
  }

  /** finished ends what requested began. */
  finished(call: object): void {
    const work = this.#asked(call);
    if (work) work.over = true;
    this.answered(call);
  }

  /**
   * sent notes that a message went out over a connection. Who sends one as an action's doing waits for what comes next over
   * it: nothing tells which message answers which. Where nothing comes in time, later messages are not waited for, until one
   * is answered.
   */
  sent(connection: object, url: string | undefined, words = "answer over"): void {
    const at = this.#turn?.at;
    if (!at) return;
    const talk = this.#talk(connection);
    talk.sent = now();
    if (talk.mute || (talk.work && !talk.work.over)) return;
    const work = this.#add(at, words);
    if (!work) return;
    work.url = url;
    work.due = now() + patience;
    talk.at = at;
    talk.work = work;
    const pushes = talk.pushed >= pushing;
    later(
      () => {
        if (work.over) return;
        work.over = true;
        talk.mute = !pushes;
      },
      pushes ? pushingPatience : patience,
    );
  }

  /**
   * told notes that something was said to a worker, or that it was started: an answer comes as a message to what hears of
   * it, as over a socket.
   */
  told(hears: object): void {
    if (!this.#turn) return;
    if (!weakGet(this.#talks, hears)) listen(hears, "message", () => this.heard(hears), true);
    this.sent(hears, undefined, "answer of a worker");
  }

  /** port notes the port of a shared worker. */
  port(port: object): void {
    weakSet(this.#ports, port, true);
  }

  /** heard says that what waits for a message of a connection runs now. */
  heard(connection: object): void {
    const talk = this.#talk(connection);
    const soon = now() - talk.sent < patience;
    if (soon) talk.mute = false;
    else if (talk.pushed < pushing) talk.pushed++;
    if (!talk.work || talk.work.over) return;
    talk.work.over = true;
    if (talk.at?.live) this.#enter(talk.at, false);
  }

  #talk(connection: object): Talk {
    let talk = weakGet(this.#talks, connection) as Talk | undefined;
    if (!talk)
      weakSet(
        this.#talks,
        connection,
        (talk = { at: undefined, work: undefined, sent: -patience, mute: false, pushed: 0 }),
      );
    return talk;
  }

  #asked(call: object): Work | undefined {
    return weakGet(this.#requests, call) as Work | undefined;
  }

  #find(action: string | undefined): Running | undefined {
    let at = this.#running;
    while (at && at.action !== action) at = at.next;
    return at;
  }

  #drop(at: Running): void {
    at.live = false;
    if (this.#running === at) this.#running = at.next;
    for (let other = this.#running; other; other = other.next) if (other.next === at) other.next = at.next;
    if (this.#running) return;
    this.#stops?.();
    this.#stops = undefined;
  }

  #watch(at: Running): void {
    later(() => {
      if (!at.live) return;
      if (now() >= at.until || (at.alone && this.busy(at.action).length === 0 && now() - at.last > closeBy))
        this.#drop(at);
      else this.#watch(at);
    }, lookEvery);
  }

  #add(at: Works, words: string): Work | undefined {
    const work: Work = { words, url: undefined, cause: undefined, over: false, due: undefined, next: undefined };
    return this.#link(at, work) ? work : undefined;
  }

  /** link has a work waited for; false: there are too many. */
  #link(at: Works, work: Work): boolean {
    if (at.count >= maxWorks) {
      // Those that are over make room.
      let kept: Work | undefined;
      at.count = 0;
      for (let old = at.works; old;) {
        const { next } = old;
        if (!old.over) {
          old.next = kept;
          kept = old;
          at.count++;
        }
        old = next;
      }
      at.works = kept;
      if (at.count >= maxWorks) return false;
    }
    work.next = at.works;
    at.works = work;
    at.count++;
    return true;
  }

  /** enter says that this task is an action's, until it ends; where that is not sure, by time alone. */
  #enter(at: Running, sure = true): void {
    const turn = this.#open(at, sure, nextFrame());
    nextTask(() => this.#leave(turn));
  }

  /** open says that what the browser calls next is an action's. leave follows it. */
  #open(at: Running, sure: boolean, next: NextFrame | undefined): Turn {
    const began = (at.last = now());
    let outer = this.#turn;
    if (outer && began - outer.began > turnPatience) outer = undefined; // its end did not come
    return (this.#turn = { at, sure, next, began, outer });
  }

  /** leave ends a turn. The one that it began in goes on: the browser may come with something else between a timer and ours. */
  #leave(turn: Turn | undefined): void {
    if (!turn) return;
    if (this.#turn === turn) {
      this.#turn = turn.outer;
    } else {
      for (let other = this.#turn; other; other = other.outer) if (other.outer === turn) other.outer = turn.outer;
    }
    this.#before = turn.sure ? turn.at : undefined;
    turn.at.last = now();
    const left = ++this.#left;
    // What this task queued comes before what is queued now.
    later(() => {
      if (this.#left === left) this.#before = undefined;
    }, 0);
  }

  #patch(): Stop {
    const stops: Stop[] = [];
    append(
      stops,
      watchRefusals((what) => {
        const at = this.#turn?.at ?? this.#running;
        let told = !at;
        for (let i = 0; at && i < at.refused.length; i++) told ||= at.refused[i] === what;
        if (at && !told) append(at.refused, what);
      }),
    );
    const clear = (name: string): void =>
      append(
        stops,
        proxyMethod(globalThis, name, (target, self, args) => {
          const result: unknown = apply(target, self, args);
          const over = args.length > 0 ? (mapGet(this.#timers, args[0]) as (() => void) | undefined) : undefined;
          over?.();
          return result;
        }),
      );
    const timer = (name: string, set: typeof later, once: boolean): void =>
      append(
        stops,
        proxyMethod(globalThis, name, (target, self, args) => {
          const from = this.#turn;
          const ms = delayOf(args);
          if (!from || ms < 0 || ms > longest) return apply(target, self, args);
          const { at, sure } = from;
          const work = ms <= patience ? this.#add(at, "timer " + (once ? "of " : "every ") + ms + " ms") : undefined;
          if (work) work.due = now() + ms + heldAfter;
          let turn: Turn | undefined;
          let cleared = once;
          const before = set(() => {
            if (once || at.live) turn ??= this.#open(at, sure, nextFrame());
            else over();
          }, ms);
          const id: unknown = apply(target, self, args);
          const after = set(() => {
            if (once) over();
            this.#leave(turn);
            turn = undefined;
            if (cleared) cancelLater(after);
          }, ms);
          const over = (): void => {
            cleared = true;
            if (work) work.over = true;
            mapDelete(this.#timers, id);
            cancelLater(before);
            if (!turn) cancelLater(after); // a turn that began has an end
          };
          // One that goes on has no end that anybody could wait for.
          if (!once) later(() => work && (work.over = true), patience);
          mapSet(this.#timers, id, over);
          return id;
        }),
      );
    timer("setTimeout", later, true);
    timer("setInterval", every, false);
    clear("clearTimeout");
    clear("clearInterval");
    // Ids of frames are numbers of their own.
    const frames = new NativeMap<unknown, Work | undefined>();
    append(
      stops,
      proxyMethod(globalThis, "requestAnimationFrame", (target, self, args) => {
        const from = this.#turn;
        if (!from || args.length === 0 || typeof args[0] !== "function") return apply(target, self, args);
        const { at, sure, next } = from;
        const work = this.#add(at, "animation frame");
        if (work) work.due = 0;
        let turn: Turn | undefined;
        frame((time) => {
          // What the task asks for comes in the frame behind it. A frame may come before we hear that the task has ended: what
          // the page asks for in there comes in the one after, and is its own.
          if (!next || next.time === time) turn = this.#open(at, sure, undefined);
        });
        const id: unknown = apply(target, self, args);
        mapSet(frames, id, work);
        frame(() => {
          if (work) work.over = true;
          mapDelete(frames, id);
          this.#leave(turn);
        });
        return id;
      }),
    );
    append(
      stops,
      proxyMethod(globalThis, "cancelAnimationFrame", (target, self, args) => {
        const result: unknown = apply(target, self, args);
        const work = args.length > 0 ? (mapGet(frames, args[0]) as Work | undefined) : undefined;
        if (work) work.over = true;
        return result;
      }),
    );
    append(
      stops,
      // One that is in no document, too. What loads in the document is seen from the other world.
      proxySetter(HTMLImageElement.prototype, "src", (target, self, args) => {
        const result: unknown = apply(target, self, args);
        const from = this.#turn;
        const image = self as object;
        if (!from || complete(image) || lazy(image) === "lazy") return result;
        const work = this.#add(from.at, "loading of img");
        if (!work) return result;
        work.url = srcOf(image);
        const over = (): void => {
          work.over = true;
          this.#enter(from.at, from.sure);
        };
        listen(image, "load", over, once);
        listen(image, "error", over, once);
        return result;
      }),
    );
    const says = (owner: object | undefined, hears: (self: object) => object | undefined): void => {
      if (owner)
        append(
          stops,
          proxyMethod(owner, "postMessage", (target, self, args) => {
            const result: unknown = apply(target, self, args);
            const heard = hears(self as object);
            if (heard) this.told(heard);
            return result;
          }),
        );
    };
    // What posts to others than workers speaks of anything.
    says(prototypeOf("Worker"), (self) => self);
    says(prototypeOf("ServiceWorker"), () => navigator.serviceWorker);
    says(prototypeOf("MessagePort"), (self) => (weakGet(this.#ports, self) ? self : undefined));
    const readers = ["json", "text", "blob", "arrayBuffer", "formData", "bytes"];
    for (let i = 0; i < readers.length; i++)
      append(
        stops,
        proxyMethod(Response.prototype, readers[i]!, (target, self, args) => {
          const from = this.#turn;
          // The answer to a request by time opens no turn, and its body may take longer than closeBy.
          const at = this.#near();
          const promise: unknown = apply(target, self, args);
          const work = at && this.#add(at, "body of a response");
          if (!work) return promise;
          const over = (): void => {
            work.over = true;
            at.last = now();
            if (from) this.#enter(at, from.sure);
          };
          try {
            // First in line: the page's own reactions run in the same task. A body that fails and that nobody looks at is no
            // unhandled rejection any more, which is all that a page could notice.
            settled(promise, over, over);
          } catch {
            work.over = true; // Somebody replaced the method by one that gives no native promise.
          }
          return promise;
        }),
      );
    return () => {
      for (let i = 0; i < stops.length; i++) stops[i]!();
    };
  }
}

/** Says whether the browser has not let a hidden page do what is due. */
const isHeld = ({ due }: Work): boolean => due !== undefined && hidden(document) && now() > due;

/** writeCause names the action in an event of ours that names none. */
export function writeCause(event: object, { action, inferred }: Cause): void {
  if (hasOwn(event, "action")) return;
  put(event, "action", action);
  if (!inferred) return;
  const flags: string[] = [];
  const had = hasOwn(event, "flags") ? (event as { flags?: string[] }).flags : undefined;
  for (let i = 0; had && i < had.length; i++) append(flags, had[i]!);
  append(flags, "inferred");
  put(event, "flags", flags);
}

function put(event: object, name: string, value: unknown): void {
  defineProperty(event, name, {
    __proto__: null,
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}

/** The delay of a timer as its arguments name it; -1 where asking would run code of the page. */
function delayOf(args: readonly unknown[]): number {
  const ms = args.length > 1 ? args[1] : 0;
  if (ms === undefined || ms === null) return 0;
  if (typeof ms !== "number" && typeof ms !== "string") return -1;
  const number = +ms;
  return number > 0 ? number : 0;
}

/** The path of an address, without what is asked of it: "/api/x". */
function pathOf(url: string): string {
  let from = 0;
  while (from < url.length && url[from] !== ":" && url[from] !== "?" && url[from] !== "#") from++;
  if (lower(slice(url, from, from + 3)) === "://") {
    from += 3;
    while (from < url.length && url[from] !== "/") from++;
  } else from = 0;
  let end = from;
  while (end < url.length && end < from + 100 && url[end] !== "?" && url[end] !== "#") end++;
  return slice(url, from, end);
}
