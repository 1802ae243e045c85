import { now, radix, random, slice } from "../natives.ts";

/** Who acts: the user, an agent whose command runs, or a script of the page. */
export type By = "user" | "agent" | "script";

/** Deed is one act: whose it is, and the id that everything it causes carries. */
export interface Deed {
  by: By;
  client: string | undefined;
  /** undefined for what a script does: that has a cause of its own, or none */
  action: string | undefined;
}

/** Input that an agent has the browser make, as the document will hear of it. */
export type Expected =
  | { type: "pointer"; x: number; y: number; press: boolean }
  /** files that an input gets */
  | { type: "files" }
  /** keys in their order, by what KeyboardEvent.key will say */
  | { type: "keys"; keys: string[] };

/** Events that follow a pointer's or a key's come within this time after it, in ms. */
const follows = 500;
/** A pointer that is down, of which no end is heard (a scroll bar), counts so long after the last that came of it, in ms. */
const holds = 5000;
/** What comes of an agent's input is heard this long after its act is over, in ms: the click that ends a drag. */
const trails = 100;
/** Scrolling goes on (a wheel that runs out, a finger that rests) while no pause is longer, in ms. */
const coasts = 1000;
/** A change of the address this long after somebody's act is its doing, in ms. */
const leads = 2000;
/** An agent's act that nobody ends counts no longer, in ms. */
const longest = 60_000;

const documentId = slice(radix(random(), 36), 2, 7);

/** Device is the last that somebody did with a pointer, a wheel or a key. */
interface Device {
  by: "user" | Deed;
  at: number;
  /** a pointer that is still down */
  held: boolean;
  scrolls: boolean;
}

/**
 * Actors says who did what a document hears of. An agent's events are known by themselves: those it dispatched by their
 * object, what the browser does while it dispatches by that moment, and real input by what was announced. That an
 * agent's command runs says nothing: the user may click beside it.
 *
 * Only a pointer that goes down, a wheel and a key say who acts. What else comes (input, change, click, submit, scroll) is
 * the doing of the last of them. A scroll without one that scrolls is a script's: pages scroll themselves, browsers restore
 * and follow anchors, and each event of it is trusted.
 */
export class Actors {
  #agent: (Deed & { until: number }) | undefined;
  #performing = 0;
  #sent = new WeakSet<Event>();
  #expected: Expected | undefined;
  #key: string | undefined; // of the last key that was expected and came
  #clicked: EventTarget | undefined;
  #latest: { deed: Deed; at: number } | undefined;
  #users = 0;
  #device: Device | undefined;
  #over = 0; // when the last act of an agent ended
  readonly #began: (action: string) => void;

  /** began is told of each act of the user before the page's handlers run. */
  constructor(began: (action: string) => void) {
    this.#began = began;
  }

  /** begin says that an agent's command acts in this document from now on. */
  begin(action: string, client: string): void {
    this.#agent = { by: "agent", client, action, until: now() + longest };
  }

  /** end says that it is over. */
  end(action: string): void {
    if (this.#agent?.action !== action) return;
    this.#agent = undefined;
    this.#over = now();
  }

  /** Nothing of what is performed now is to be recorded: its values are nobody's to read. */
  quiet = false;

  /** perform does work whose events are the agent's, as far as the browser makes them. quiet: none is recorded. */
  perform<T>(work: () => T, quiet = false): T {
    const before = this.quiet;
    this.#performing++;
    this.quiet ||= quiet;
    try {
      return work();
    } finally {
      this.#performing--;
      this.quiet = before;
    }
  }

  /** dispatch sends an event of the agent's. */
  dispatch(target: EventTarget, event: Event): boolean {
    this.#sent.add(event);
    return this.perform(() => target.dispatchEvent(event));
  }

  /** click has the browser click an element for the agent; its event counts as untrusted and is none of a script. */
  click(element: HTMLElement): void {
    this.#clicked = element;
    try {
      this.perform(() => element.click());
    } finally {
      this.#clicked = undefined;
    }
  }

  /** expect announces real input; undefined: all of it has come. */
  expect(input: Expected | undefined): void {
    this.#expected = input;
    if (input) this.came = false;
  }

  /** Whether anything came of the input that was announced last; of a press its beginning. */
  came = false;

  /** isAgents says whether an event is the doing of an agent's input. */
  isAgents(event: Event): boolean {
    const agent = this.#acting();
    if (agent === undefined) return false;
    return this.#doer(event) === agent || (event.isTrusted && this.#used(false)?.by === agent);
  }

  /** device notes who uses a pointer or a wheel; the acts that come of it are told by what follows. */
  device(event: Event): void {
    const { type } = event;
    // Of input that an agent makes up, all that it leads to is heard while it is performed.
    if (!event.isTrusted) return;
    if (type === "pointerup" || type === "pointercancel") {
      const device = this.#device;
      if (!device?.held) return;
      device.held = false;
      device.at = now();
      // A finger that pans takes the pointer away.
      device.scrolls = type === "pointercancel";
      return;
    }
    this.#note(this.#doer(event), true, type === "pointerdown");
  }

  /** scrolled says whose scrolling an event belongs to; undefined: nobody's. */
  scrolled(): Deed | undefined {
    const device = this.#used(true);
    if (!device?.scrolls) return undefined;
    device.at = now();
    if (device.by !== "user") return device.by;
    if (this.#latest?.deed.by === "user" && now() - this.#latest.at < coasts) {
      this.#latest.at = now();
      return this.#latest.deed;
    }
    return this.#userActs();
  }

  #note(doer: Deed | undefined, scrolls: boolean, held: boolean): void {
    if (!doer) return;
    this.#device = { by: doer === this.#agent ? doer : "user", at: now(), held, scrolls };
  }

  /** The device that what happens now may come of. */
  #used(scrolling: boolean): Device | undefined {
    const device = this.#device;
    if (!device) return undefined;
    const { by } = device;
    if (by !== "user" && by !== this.#acting() && now() - this.#over > trails) return undefined;
    const most = device.held ? holds : scrolling && device.scrolls ? coasts : follows;
    return now() - device.at < most ? device : undefined;
  }

  /** A new act of the user, which begins before the page hears of it. */
  #userActs(): Deed {
    const own: Deed = { by: "user", client: undefined, action: "u" + radix(++this.#users, 36) + "-" + documentId };
    this.#latest = { deed: own, at: now() };
    this.#began(own.action ?? "");
    return own;
  }

  /**
   * heard says whose doing an event of input is, and that it began before the page hears of it. undefined: a script
   * dispatched it.
   */
  heard(event: Event): Deed | undefined {
    const deed = this.#doer(event);
    if (!deed) return undefined;
    const at = now();
    if (event.type === "keydown" && event.isTrusted)
      this.#note(deed, scrollKeys.has((event as KeyboardEvent).key), false);
    else if (deed !== this.#agent) {
      // The agent's own, also where the command is over by now: a click that ends a drag, a change that a press leads to.
      const device = this.#used(false);
      if (device && device.by !== "user") return device.by;
    }
    const following = this.#latest && at - this.#latest.at < follows ? this.#latest.deed : undefined;
    if (deed === this.#agent) {
      this.#latest = { deed, at };
      return deed;
    }
    // A submit or a change is the doing of the click or the key before it; an agent's act that is over leads to nothing more.
    if (!isPrimary(event) && following && (following.by === "user" || following === this.#acting())) {
      if (following.by === "user") this.#began(following.action ?? "");
      return following;
    }
    return this.#userActs();
  }

  /** recently gives who acted last, if what happens now can come of it. */
  recently(): Deed | undefined {
    if (this.#latest && now() - this.#latest.at < leads) return this.#latest.deed;
    return this.#acting();
  }

  #acting(): Deed | undefined {
    if (this.#agent && now() > this.#agent.until) this.#agent = undefined;
    return this.#agent;
  }

  /** The agent's deed, or any of the user's; undefined for a script's. */
  #doer(event: Event): Deed | undefined {
    const agent = this.#acting();
    if (agent && this.#sent.has(event)) return agent;
    if (!event.isTrusted) return agent && this.#clicked && event.target === this.#clicked ? agent : undefined;
    if (!agent) return user;
    if (this.#performing > 0) return agent;
    if (!this.#matches(event)) return user;
    this.#sent.add(event);
    // The move before a press may be heard and the press not: what lies there moves.
    const expected = this.#expected;
    this.came ||= expected?.type !== "pointer" || !expected.press || event.type === "pointerdown";
    return agent;
  }

  #matches(event: Event): boolean {
    const expected = this.#expected;
    if (!expected) return false;
    if (expected.type === "pointer") {
      if (!(event instanceof MouseEvent)) return false;
      return Math.abs(event.clientX - expected.x) < 1.5 && Math.abs(event.clientY - expected.y) < 1.5;
    }
    if (expected.type === "files") return event.type === "input" || event.type === "change";
    // Text may come without keys; the user's own keys are told by themselves.
    if (event instanceof InputEvent) return this.#latest?.deed.by !== "user" || now() - this.#latest.at > follows;
    if (!(event instanceof KeyboardEvent)) return false;
    if (event.type !== "keydown") return event.key === this.#key;
    if (event.key !== expected.keys[0]) return false;
    this.#key = event.key;
    expected.keys.shift();
    return true;
  }
}

const user: Deed = { by: "user", client: undefined, action: undefined };

/** Keys that scroll what they are pressed in. */
const scrollKeys = new Set([
  "PageUp",
  "PageDown",
  "Home",
  "End",
  "ArrowUp",
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
  " ",
]);

/** What a person does with a device; other events follow on these. */
const isPrimary = ({ type }: Event): boolean =>
  type === "click" || type === "keydown" || type === "drop" || type === "dragstart";
