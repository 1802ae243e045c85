import type { Film as Batch, FilmAnswer, FilmBegin, FilmBegun, FilmFrame, FilmSound } from "@gasoline/schema/wire";
import type { Film, FilmOrder, Films } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import type { Colours, FromFilm, ToFilm } from "../../messages/film.ts";
import { writeFilms } from "../../state/films.ts";
import { type DaemonClient, Refused } from "../daemon/client.ts";
import type { May } from "../execution/powers.ts";
import type { Debuggers } from "../debugger/debugger.ts";
import { captureOf, closePage, connectPage, openPage } from "./browser.ts";
import type { Cover, Covers } from "./cover.ts";

/** Why a film ended, in the words of the wire. */
type Ended = NonNullable<Batch["ended"]>;

/** The daemon ends a film after an hour; the debugger lets go a little later, whatever happened. */
const LONGEST_MS = 3_660_000;

/** So long the first picture is waited for; a tab in the background gives none. */
const FIRST_MS = 2000;

/** The film page has a tab's pictures within so long, or they are the debugger's. */
const CAPTURE_MS = 5000;

/** Most pictures a second of a film that the user begins. */
const FPS = 15;

/** Chrome ends a capture a little before it tells of the closed tab. */
const CLOSING_MS = 300;

/** The documents of frames go so much earlier than the page around them, where that is left. */
const LEAVING_MS = 50;

/** Documents are covered within so long before a film begins, and anew so often while it goes on, in beats. */
const COVER_MS = 3000;
const COVER_BEATS = 3;

/** So long the film page may be silent while the last pictures are encoded, and so long they are waited for at most. */
const SILENT_MS = 5000;
const LAST_MS = 20_000;

/** The daemon hears of a film so often, also while there is nothing new, ms. */
const BEAT_MS = 2000;

/** A batch that did not arrive is sent again after so long, ms, for as long as the daemon waits for a film. */
const AGAIN_MS = 1000;
const PATIENCE_MS = 10_000;

/** Batches that wait to be sent; beyond, the film ends: a film with a hole would mislead. */
const MAX_WAITING = 40;

const PICTURE = { format: "jpeg", quality: 80, maxWidth: 1280, maxHeight: 1280, everyNthFrame: 1 };

interface Shown {
  data: string;
  sessionId: number;
  metadata: { timestamp?: number };
}

/**
 * Films of tabs: Chrome's capture or the debugger gives pictures, the film page encodes them, the daemon keeps them. A
 * picture of the debugger is acknowledged when it is encoded and the time for the next one has come, so that there are never
 * more than two under way.
 */
export class TabFilms implements Films {
  readonly #films = new Map<number, Running>(); // by tab
  readonly #debuggers: Debuggers;
  readonly #client: DaemonClient;
  readonly #covers: Covers;
  readonly #session: () => Promise<string>;
  readonly #may: May;

  constructor(debuggers: Debuggers, client: DaemonClient, covers: Covers, session: () => Promise<string>, may: May) {
    this.#debuggers = debuggers;
    this.#client = client;
    this.#covers = covers;
    this.#session = session;
    this.#may = may;
  }

  /** Closes the film page of a life of the worker that died; the daemon ends its films. */
  async reclaim(): Promise<void> {
    if (this.#films.size === 0) await Promise.all([closePage(), this.#tell()]);
  }

  async start(tab: number, order: FilmOrder, deadline: number): Promise<Film> {
    return this.#start(tab, order, false, deadline);
  }

  /** The user begins a film; browser control has no part in it. Throws what the daemon or Chrome refuses. */
  async begin(wish: Omit<FilmBegin, "session" | "fps">, sound: boolean): Promise<FilmBegun> {
    if (this.#films.has(wish.tab)) throw new CommandProblem("conflict", "The tab is filmed already.");
    const session = await this.#session();
    const answer = await this.#client.post("/films/begin", { ...wish, session, fps: FPS } satisfies FilmBegin, 5000);
    const begun = (await answer.json()) as FilmBegun;
    const order = { name: begun.name, fps: FPS, sound };
    await this.#start(wish.tab, order, true, Date.now() + 10_000);
    return begun;
  }

  async #start(tab: number, order: FilmOrder, byUser: boolean, deadline: number): Promise<Film> {
    if (this.#films.has(tab)) throw new CommandProblem("conflict", "The tab is filmed already.");
    const film = new Running(tab, order, this.#covers.take(tab, !byUser), byUser);
    this.#films.set(tab, film);
    try {
      await openPage();
      this.#listen(film);
      await Promise.race([film.cover.go(), wait(Math.min(COVER_MS, deadline - Date.now() - FIRST_MS))]);
      if (!film.byUser && !film.cover.top) throw film.cover.failure;
      const refused = await this.#capture(film);
      if (refused !== undefined && film.byUser)
        throw new CommandProblem("unsupported", `The tab cannot be captured: ${refused}.`);
      if (refused !== undefined) film.told.refused = refused;
      film.over = this.#record(film, refused === undefined ? () => film.ended : () => this.#screencast(film));
      await Promise.race([film.first, wait(Math.min(FIRST_MS, deadline - Date.now() - 200)), film.failed]);
      await this.#tell();
      return film.told;
    } catch (error) {
      film.end("failed");
      await this.#finish(film);
      throw error;
    }
  }

  /** Has the film page capture the tab. Gives why it cannot. */
  async #capture(film: Running): Promise<string | undefined> {
    const got = await captureOf(film.tab);
    if ("refused" in got) return got.refused;
    film.say({ type: "capture", order: { ...got, sound: film.order.sound, fps: film.order.fps } });
    const late = wait(CAPTURE_MS).then(() => "the browser gave no pictures in time");
    const refused = await Promise.race([film.captured, late]);
    if (refused === undefined) film.told.source = "tab_capture";
    return refused;
  }

  async stop(tab: number): Promise<Film | undefined> {
    const film = this.#films.get(tab);
    if (!film) return undefined;
    await film.checked; // what its tab showed before may have ended it
    film.end("stopped");
    await film.over;
    return film.told;
  }

  /** The tab was closed, or somebody took the debugger away. */
  detached(tab: number | undefined, reason: string): void {
    const film = tab === undefined ? undefined : this.#films.get(tab);
    if (film?.told.source !== "screencast") return;
    film.end(reason === "target_closed" ? "tab_closed" : "debugger_detached");
  }

  closed(tab: number): void {
    this.#films.get(tab)?.end("tab_closed");
  }

  /** The user switched browser control off. */
  forbid(): void {
    for (const film of this.#films.values()) if (!film.byUser) film.end("pilot_off");
  }

  /** A document comes in a tab, or came. No picture is taken until its fields are covered. */
  async came(tab: number): Promise<void> {
    const film = this.#films.get(tab);
    if (!film || film.why !== undefined) return;
    film.coming++;
    film.hold();
    await film.cover.go();
    film.coming--;
    this.#covered(film);
  }

  /** A frame's document is gone: what the frame shows by now may say nothing of itself. No picture is taken until that is known. */
  async left(tab: number): Promise<void> {
    const film = this.#films.get(tab);
    if (!film || film.byUser || film.why !== undefined) return;
    film.coming++;
    film.hold();
    await wait(LEAVING_MS);
    if (film.cover.shown !== undefined) await film.cover.go();
    film.coming--;
    this.#covered(film);
  }

  /** A tab's page is complete. Documents that told nothing of themselves are not covered, which the film tells. */
  async complete(tab: number): Promise<void> {
    const film = this.#films.get(tab);
    if (film?.why === undefined) await this.#cover(film);
  }

  async #cover(film: Running | undefined): Promise<void> {
    await film?.cover.go();
    if (film) this.#covered(film);
  }

  /** Pictures are taken while the page is covered. The user's own films show it as it is, and tell so. */
  #covered(film: Running): void {
    if (film.coming > 0) return;
    if (film.byUser && !film.cover.top) film.cover.shownAsItIs();
    if (film.byUser || film.cover.top) film.go();
    else film.hold();
  }

  /** What agents may reach has changed: films go on where they may. */
  async recheck(): Promise<void> {
    await Promise.all([...this.#films.values()].map((film) => this.#check(film)));
  }

  /**
   * A tab shows another page. What it showed then counts, and not what it shows by the time that a busy worker asks: its
   * page may have led elsewhere and back. Where Chrome does not say the address, the document has to be the same one still.
   */
  async moved(tab: number, url?: string): Promise<void> {
    const film = this.#films.get(tab);
    if (!film) return;
    const document = film.cover.shown;
    await this.#check(film, url, () => url !== undefined || film.cover.shown === document);
  }

  /** Ends a film of an agent whose tab shows, or showed, a page that it may not reach. Each is asked after those before. */
  #check(film: Running, url?: string, still = (): boolean => true): Promise<void> {
    if (film.byUser || film.why !== undefined) return film.checked;
    // It may end meanwhile: what it took before is barred all the same.
    return (film.checked = film.checked.then(async () => {
      await this.#may(film.tab, "acts", undefined, url).catch((problem: unknown) =>
        film.bar((problem as CommandProblem).code === "origin_not_allowed" ? "not_granted" : "pilot_off"),
      );
      if (!still()) film.bar("not_granted");
    }));
  }

  /** Films by the debugger until the end. */
  async #screencast(film: Running): Promise<void> {
    await this.#debuggers.run(film.tab, Date.now() + LONGEST_MS, async (send) => {
      let last = 0; // the time of the acknowledgement before
      film.acknowledge = (id) => {
        const due = Math.max(Date.now(), last + film.every);
        last = due;
        // A film that ended meanwhile needs no more pictures.
        setTimeout(
          () => void send("Page.screencastFrameAck", { sessionId: id }).catch(() => undefined),
          due - Date.now(),
        );
      };
      const silent = this.#debuggers.on(film.tab, "Page.screencastFrame", (params) => film.shown(params as Shown));
      let stop = async (): Promise<void> => {};
      try {
        stop = await this.#debuggers.draw(film.tab, send, PICTURE);
        // Begun anew it gives the picture that is there, though nothing changes.
        film.renew = () => void send("Page.startScreencast", PICTURE).catch(() => undefined);
        await film.ended;
      } finally {
        film.renew = () => {};
        silent();
        await stop();
      }
    });
  }

  /** Films until the end; then sends what is left. */
  async #record(film: Running, work: () => Promise<void>): Promise<void> {
    let beats = 0;
    const beat = setInterval(() => {
      this.#beat(film);
      if (++beats % COVER_BEATS === 0 && film.why === undefined) void this.#cover(film);
    }, BEAT_MS);
    try {
      await work();
    } catch (error) {
      film.fail(error);
    }
    film.say({ type: "end", at: Date.now() });
    await Promise.race([film.encoded, film.silence()]);
    clearInterval(beat);
    await this.#finish(film);
  }

  /** Shows again what was covered, and tells the daemon that nothing more comes. */
  async #finish(film: Running): Promise<void> {
    await this.#covers.letGo(film.tab, !film.byUser);
    film.close();
    await this.#send(film);
    film.port?.disconnect();
    if (this.#films.get(film.tab) === film) this.#films.delete(film.tab);
    await this.#tell();
  }

  /** Keeps which films go on where the popup reads it. */
  async #tell(): Promise<void> {
    const films = [...this.#films.values()].filter(({ why }) => why === undefined);
    await writeFilms(films.map(({ tab, since, told: { name, sound } }) => ({ tab, name, since, sound })));
  }

  #listen(film: Running): void {
    const port = connectPage();
    film.port = port;
    port.onDisconnect.addListener(() => film.end("failed"));
    let taken = Promise.resolve(); // batches are taken one after the other
    port.onMessage.addListener((message: FromFilm) => {
      if (message.type !== "batch") return film.heard(message);
      taken = taken.then(async () => {
        // A picture is a moment old: of a page that may not be filmed there is none in what came before this was asked.
        await this.#check(film);
        film.heard(message);
        void this.#send(film);
      });
    });
  }

  #beat(film: Running): void {
    if (film.waiting.length === 0) film.waiting.push({ frames: [] });
    void this.#send(film);
  }

  /** Sends what waits, in its order, one after the other. */
  #send(film: Running): Promise<void> {
    film.sending = film.sending.then(async () => {
      for (let next = film.waiting.shift(); next; next = film.waiting.shift()) {
        const { name, width, height, source } = film.told;
        const ended = await this.#deliver({
          ...next,
          name,
          width,
          height,
          source,
          ...(film.sound ? { sound: film.sound } : {}),
          covered: film.cover.fields,
          uncovered: film.cover.uncovered,
          ...film.colours,
          session: await this.#session(),
          batch: ++film.batches,
          codec: width > 0 ? "vp8" : "",
          dropped: film.dropped,
        });
        if (ended === undefined) continue;
        film.waiting.length = 0;
        film.end(ended);
      }
    });
    return film.sending;
  }

  /** Returns why the film is over, when it is. */
  async #deliver(batch: Batch): Promise<Ended | undefined> {
    for (const until = Date.now() + PATIENCE_MS; ;) {
      try {
        const answer = (await (await this.#client.post("/films", batch, 10_000)).json()) as FilmAnswer;
        return answer.ended === undefined ? undefined : (answer.ended as Ended);
      } catch (error) {
        // On a busy machine the daemon may prove itself late.
        if (error instanceof Refused || Date.now() >= until) return "failed";
      }
      await wait(AGAIN_MS);
    }
  }
}

/** A batch that was not sent yet. */
type Waiting = Pick<Batch, "frames" | "ended">;

/** A film that goes on. */
class Running {
  readonly #told: Omit<Film, "covered" | "uncovered">;
  readonly since = Date.now();
  readonly every: number; // ms between pictures
  readonly waiting: Waiting[] = [];
  readonly first: Promise<void>;
  readonly ended: Promise<void>;
  readonly encoded: Promise<void>;
  readonly failed: Promise<never>;
  /** Resolves with why the tab is not captured. */
  readonly captured: Promise<string | undefined>;
  /** Documents that came and are not covered yet. */
  coming = 0;
  #held = false;
  #barred = false; // nothing of what was not sent yet may be shown
  sound: FilmSound | undefined;
  /** Has the tab's picture given once more. */
  renew: () => void = () => {};
  port: chrome.runtime.Port | undefined;
  over: Promise<void> = Promise.resolve();
  checked: Promise<void> = Promise.resolve();
  sending: Promise<void> = Promise.resolve();
  batches = 0;
  dropped = 0;
  colours: Colours = { full_range: false };
  why: Ended | undefined;
  #heard = 0; // epoch ms
  #whole = false; // all that was taken is encoded
  #closed = false; // its end is on the way, so that nothing more is sent
  acknowledge: (id: number) => void = () => {};
  readonly #unacknowledged: number[] = [];
  #began: () => void = () => {};
  #end: () => void = () => {};
  #encoded: () => void = () => {};
  #fail: (error: unknown) => void = () => {};
  #captured: (refused?: string) => void = () => {};

  constructor(
    readonly tab: number,
    readonly order: FilmOrder,
    readonly cover: Cover,
    readonly byUser = false,
  ) {
    this.every = 1000 / order.fps;
    this.#told = { name: order.name, width: 0, height: 0, source: "screencast", sound: false };
    this.captured = new Promise((resolve) => (this.#captured = resolve));
    this.first = new Promise((resolve) => (this.#began = resolve));
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.encoded = new Promise((resolve) => (this.#encoded = resolve));
    this.failed = new Promise((_resolve, reject) => (this.#fail = reject));
    this.failed.catch(() => undefined); // start may not wait for it any more
  }

  /** What there is to tell of it. */
  get told(): Film {
    return Object.assign(this.#told, { covered: this.cover.fields, uncovered: this.cover.uncovered });
  }

  /** The first reason counts. */
  end(why: Ended): void {
    this.why ??= why;
    this.#end();
  }

  /** Ends it without the pictures that were not sent yet: nobody knows which of them show the page that ends it. */
  bar(why: Ended): void {
    this.#barred = true;
    this.end(why);
  }

  /** No pictures are taken until go. */
  hold(): void {
    if (!this.#held) this.say({ type: "hold" });
    this.#held = true;
  }

  go(): void {
    if (!this.#held) return;
    this.#held = false;
    this.say({ type: "go" });
    this.renew();
  }

  fail(error: unknown): void {
    this.end("failed");
    this.#fail(error);
  }

  say(message: ToFilm): void {
    try {
      this.port?.postMessage(message);
    } catch {
      this.#encoded(); // the film page is gone
    }
  }

  /** The browser shows a picture. */
  shown({ data, sessionId, metadata }: Shown): void {
    if (this.why !== undefined) return;
    this.#unacknowledged.push(sessionId);
    this.say({
      type: "picture",
      jpeg: data,
      at: metadata.timestamp === undefined ? Date.now() : metadata.timestamp * 1000,
    });
  }

  /** Resolves when the film page was not heard for long, or all of it took too long. */
  async silence(): Promise<void> {
    const end = (this.#heard = Date.now()) + LAST_MS;
    for (let left = SILENT_MS; left > 0; left = Math.min(this.#heard + SILENT_MS, end) - Date.now()) await wait(left);
  }

  /** Queues its end. Pictures that are not encoded by now are counted as not taken: at least one. */
  close(): void {
    this.#closed = true;
    if (!this.#whole && this.told.width > 0) this.dropped += Math.max(1, this.#unacknowledged.length);
    this.waiting.push({ frames: [], ended: this.why ?? "failed" });
  }

  heard(message: FromFilm): void {
    if (this.#closed) return;
    this.#heard = Date.now();
    if (message.type === "failed") {
      this.end("failed");
      return;
    }
    if (message.type === "captured" || message.type === "refused") {
      if (message.type === "captured" && message.sound) [this.sound, this.#told.sound] = [message.sound, true];
      this.#captured(message.type === "refused" ? message.message : undefined);
      return;
    }
    if (message.type === "over") {
      setTimeout(() => this.end("capture_ended"), CLOSING_MS);
      return;
    }
    if (message.type === "batch") {
      if (this.#barred) this.dropped += message.frames.filter(({ sound }) => !sound).length;
      else if (message.frames.length > 0) {
        this.colours = message.colours;
        this.#keep(message.frames);
      }
      this.#whole = message.last;
      if (message.last) this.#encoded();
      return;
    }
    if (message.type === "taken") {
      this.#told.width = message.width;
      this.#told.height = message.height;
      this.#began();
    } else if (message.type === "lost") this.dropped++;
    const id = this.#unacknowledged.shift();
    if (id !== undefined) this.acknowledge(id);
  }

  #keep(frames: FilmFrame[]): void {
    if (this.waiting.length < MAX_WAITING) this.waiting.push({ frames });
    else this.end("failed");
  }
}

const wait = async (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
