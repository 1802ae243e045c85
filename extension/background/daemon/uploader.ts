import { WIRE_VERSION } from "@gasoline/schema/wire";
import type { ExtensionSettings, Group, Sync, SyncAnswer, Tab } from "@gasoline/schema/wire";
import { Backoff } from "./backoff.ts";
import { type DaemonClient, Refused } from "./client.ts";
import { Outbox, type Outgoing, type Parcel, type Stamp, halves, splitGroup } from "./outbox.ts";
import type { Spill } from "./spill.ts";

/** Events wait at most this long for others before they are sent. */
const GATHER_MS = 400;

/** Urgent events wait this long: an error and its console line go in one request. */
const URGENT_MS = 15;

/** Characters of events in one request; the daemon takes 5 MB. */
const REQUEST_SIZE = 1_000_000;

/** What the uploader asks of the parts around it. */
export interface UploaderParts {
  client: DaemonClient;
  spill: Spill;
  session: () => Promise<string>;
  /** The daemon has proved itself. Before that nothing is sent: events are put aside. */
  ready: () => Promise<boolean>;
  version: string;
  settings: () => Promise<ExtensionSettings>;
  tabs: () => Promise<Tab[]>;
  /** The daemon answered. */
  answered: (answer: SyncAnswer) => void;
  /** The daemon was not reached, or refused. */
  failed: (error: unknown) => void;
}

/**
 * Carries events to the daemon: gathered for a moment, one request in flight, kept aside while the
 * daemon is away. What it accepted by add is in memory until settle says that it is delivered or put
 * aside.
 */
export class Uploader {
  readonly #parts: UploaderParts;
  readonly #outbox = new Outbox();
  readonly #backoff = new Backoff(500, 30_000);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = Infinity; // epoch ms at which the timer fires
  #sending: Promise<void> | undefined;
  #next: Promise<void> | undefined; // the sending after that one, which has the newest tabs and settings
  #away = false; // the last request failed: events go to the spill
  #taken = Infinity; // the number of the oldest event that left the outbox and is not yet delivered or put aside
  #waiting: { upTo: number; resolve: () => void }[] = []; // of settle, in the order of upTo
  #sentTabs = "";
  #sentSettings = "";
  #run = "";

  constructor(parts: UploaderParts) {
    this.#parts = parts;
  }

  /** Takes events of one document. */
  add(stamp: Stamp, events: readonly Outgoing[], urgent: boolean): void {
    for (const event of events) this.#outbox.add(stamp, event);
    this.schedule(urgent ? URGENT_MS : GATHER_MS);
  }

  /** Counts events that were lost on the way here. */
  addDropped(stamp: Stamp, byKind: Record<string, number>): void {
    this.#outbox.addDropped(stamp, byKind);
  }

  /**
   * Resolves when everything that was added so far is delivered, counted as lost, or put aside until it can be delivered.
   * It does not wait for what is added later.
   */
  settle(): Promise<void> {
    const upTo = this.#outbox.newest;
    if (upTo < this.#oldest()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ upTo, resolve }));
  }

  /** Sends within delayMS: events, and tabs and settings if they changed. */
  schedule(delayMS: number): void {
    const due = Date.now() + delayMS;
    if (due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => void this.flush(), delayMS);
  }

  /** The daemon can be reached again: sends at once what waits. */
  resume(): void {
    this.#backoff.reset();
    this.#tryAgain();
  }

  /**
   * Sends what there is now: events, and tabs and settings if they changed. Where a sending is under way, another one
   * follows it. Resolves when that is over, whatever came of it; events that are added meanwhile are not waited for.
   */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#due = Infinity;
    if (this.#sending) {
      this.#next ??= this.#sending.then(() => {
        this.#next = undefined;
        return this.flush();
      });
      return this.#next;
    }
    this.#sending = this.#send().finally(() => {
      this.#sending = undefined;
      this.#release();
    });
    return this.#sending;
  }

  #tryAgain(): void {
    this.#away = false;
    this.schedule(0);
  }

  async #send(): Promise<void> {
    try {
      if (this.#away || !(await this.#parts.ready())) {
        await this.#putAside();
        return;
      }
      await this.#deliverSpilled();
      // Events that come meanwhile have a time of their own. Counts alone do not go round: those of a refused parcel leave
      // with the next request.
      const upTo = this.#outbox.newest;
      do {
        const parcel = this.#take();
        await this.#deliver(parcel.groups, parcel.oldest);
        this.#release();
      } while (this.#outbox.oldest <= upTo);
      this.#backoff.reset();
    } catch (error) {
      this.#away = true;
      setTimeout(() => this.#tryAgain(), this.#backoff.next());
      await this.#putAside();
      this.#parts.failed(error);
    }
  }

  async #deliverSpilled(): Promise<void> {
    for (;;) {
      const chunk = await this.#parts.spill.oldest();
      if (!chunk) return;
      await this.#deliver(chunk.groups);
      await chunk.done();
    }
  }

  /**
   * Sends groups in one request. What is refused as too large or malformed is sent again in halves, so that one event that
   * the daemon cannot take costs no other; what is refused alone is counted as lost. Groups of the outbox come with the
   * number of their oldest event, and go back there when the daemon is not reached.
   */
  async #deliver(groups: Group[], oldest?: number): Promise<void> {
    const counts = groups.filter(({ dropped }) => dropped);
    for (let waiting = [groups], part = waiting.shift(); part; part = waiting.shift()) {
      try {
        await this.#post(part);
      } catch (error) {
        const unfit = error instanceof Refused && (error.status === 400 || error.status === 413);
        if (!unfit) {
          if (oldest !== undefined) this.#outbox.putBack([part, ...waiting].flat(), oldest);
          throw error;
        }
        const parts = halves(part);
        if (parts) {
          // The counts are of the whole: they go with the next request.
          if (part === groups)
            for (const { dropped, ...stamp } of counts) this.#outbox.addDropped(stampOf(stamp), dropped ?? {});
          waiting.unshift(...parts);
          continue;
        }
        this.#countLost(part);
        this.#parts.failed(error);
      }
    }
  }

  async #post(groups: Group[]): Promise<void> {
    const { session, version, settings, tabs } = this.#parts;
    const body: Sync = { v: WIRE_VERSION, capture_version: version, session: await session(), version, groups };
    const [nowSettings, nowTabs] = await Promise.all([settings(), tabs()]);
    const settingsJSON = JSON.stringify(nowSettings);
    const tabsJSON = JSON.stringify(nowTabs);
    if (settingsJSON !== this.#sentSettings) body.settings = nowSettings;
    if (tabsJSON !== this.#sentTabs) body.tabs = nowTabs;
    if (groups.length === 0 && !body.settings && !body.tabs) return;
    const response = await this.#parts.client.post("/sync", body, 15_000);
    const answer = (await response.json()) as SyncAnswer;
    this.#sentSettings = settingsJSON;
    this.#sentTabs = tabsJSON;
    this.#noticeRun(answer.server.run);
    this.#parts.answered(answer);
  }

  /** A daemon that was started again knows neither tabs nor settings. */
  #noticeRun(run: string): void {
    if (this.#run !== "" && this.#run !== run) {
      this.#sentSettings = "";
      this.#sentTabs = "";
      this.schedule(0);
    }
    this.#run = run;
  }

  /** Counts the events of groups that go nowhere, and what was lost before them. */
  #countLost(groups: readonly Group[]): void {
    for (const group of groups) {
      const { stamp, events, dropped } = splitGroup(group);
      const byKind: Record<string, number> = { ...dropped };
      for (const { kind } of events) byKind[kind] = (byKind[kind] ?? 0) + 1;
      this.#outbox.addDropped(stamp, byKind);
    }
  }

  /** Puts aside what is in the outbox now. */
  async #putAside(): Promise<void> {
    const upTo = this.#outbox.newest;
    while (this.#outbox.oldest <= upTo) {
      this.#countLost(await this.#parts.spill.keep(this.#take().groups));
      this.#release();
    }
  }

  /** Takes a parcel from the outbox. Its events are waited for until release is called, or until they are put back. */
  #take(): Parcel {
    const parcel = this.#outbox.take(REQUEST_SIZE);
    this.#taken = parcel.oldest;
    return parcel;
  }

  /** What was taken is delivered, put aside, counted as lost or back in the outbox: answers whoever waited for no more. */
  #release(): void {
    this.#taken = Infinity;
    const oldest = this.#oldest();
    while (this.#waiting[0] && this.#waiting[0].upTo < oldest) this.#waiting.shift()?.resolve();
  }

  /** The number of the oldest event that is neither delivered nor put aside; Infinity without one. */
  #oldest(): number {
    return Math.min(this.#taken, this.#outbox.oldest);
  }
}

const stampOf = ({ tab, frame, document, page_url, since }: Stamp): Stamp => ({
  tab,
  frame,
  document,
  page_url,
  since,
});
