import type { Film as Batch, FilmAnswer, FilmFrame } from "@gasoline/schema/wire";
import type { Film, Films } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import { type Colours, FILM_PORT, type FromFilm, type ToFilm } from "../../messages/film.ts";
import { type DaemonClient, Refused } from "../daemon/client.ts";
import type { Debuggers } from "../debugger/debugger.ts";

/** Why a film ended, in the words of the wire. */
type Ended = NonNullable<Batch["ended"]>;

/** The daemon ends a film after an hour; the debugger lets go a little later, whatever happened. */
const LONGEST_MS = 3_660_000;

/** So long the first picture is waited for; a tab in the background gives none. */
const FIRST_MS = 2000;

/** So long the last pictures are waited for. */
const LAST_MS = 5000;

/** The daemon hears of a film so often, also while there is nothing new, ms. */
const BEAT_MS = 2000;

/** A batch that did not arrive is sent again after so long, so often. */
const AGAIN_MS = 1000;
const MAX_TRIES = 5;

/** Batches that wait to be sent; beyond, the film ends: a film with a hole would mislead. */
const MAX_WAITING = 40;

const PICTURE = { format: "jpeg", quality: 80, maxWidth: 1280, maxHeight: 1280, everyNthFrame: 1 };

interface Shown {
  data: string;
  sessionId: number;
  metadata: { timestamp?: number };
}

/**
 * Films of tabs: the debugger gives pictures, the film page encodes them, the daemon keeps them. A picture is
 * acknowledged to the browser when it is encoded and the time for the next one has come, so that there are never more
 * than two under way.
 */
export class TabFilms implements Films {
  readonly #films = new Map<number, Running>(); // by tab
  readonly #debuggers: Debuggers;
  readonly #client: DaemonClient;
  readonly #session: () => Promise<string>;

  constructor(debuggers: Debuggers, client: DaemonClient, session: () => Promise<string>) {
    this.#debuggers = debuggers;
    this.#client = client;
    this.#session = session;
  }

  /** Closes the film page of a life of the worker that died; the daemon ends its films. */
  async reclaim(): Promise<void> {
    if (this.#films.size === 0) await chrome.offscreen.closeDocument().catch(() => undefined); // there is none
  }

  async start(tab: number, name: string, fps: number, deadline: number): Promise<Film> {
    if (this.#films.has(tab)) throw new CommandProblem("conflict", "The tab is filmed already.");
    const film = new Running(tab, name, 1000 / fps);
    this.#films.set(tab, film);
    try {
      await openPage();
      this.#listen(film);
      film.over = this.#record(film);
      await Promise.race([film.first, wait(Math.min(FIRST_MS, deadline - Date.now() - 200)), film.failed]);
      return film.told;
    } catch (error) {
      this.#films.delete(tab);
      film.end("failed");
      throw error;
    }
  }

  async stop(tab: number): Promise<Film | undefined> {
    const film = this.#films.get(tab);
    if (!film) return undefined;
    film.end("stopped");
    await film.over;
    return film.told;
  }

  /** The tab was closed, or somebody took the debugger away. */
  detached(tab: number | undefined, reason: string): void {
    if (tab === undefined) return;
    this.#films.get(tab)?.end(reason === "target_closed" ? "tab_closed" : "debugger_detached");
  }

  /** The user switched browser control off. */
  forbid(): void {
    for (const film of this.#films.values()) film.end("pilot_off");
  }

  /** What a tab shows, or where agents may act, has changed: films go on where they may. */
  async recheck(may: (tab: number) => Promise<void>, tab?: number): Promise<void> {
    const meant = [...this.#films.values()].filter((film) => tab === undefined || film.tab === tab);
    await Promise.all(meant.map((film) => may(film.tab).catch(() => film.end("pilot_off"))));
  }

  /** Films until the end; then sends what is left. */
  async #record(film: Running): Promise<void> {
    const beat = setInterval(() => this.#beat(film), BEAT_MS);
    try {
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
        try {
          await send("Page.startScreencast", PICTURE);
          await film.ended;
        } finally {
          silent();
          await send("Page.stopScreencast").catch(() => undefined); // the debugger may be gone
        }
      });
    } catch (error) {
      film.fail(error);
    }
    film.say({ type: "end", at: Date.now() });
    await Promise.race([film.encoded, wait(LAST_MS)]);
    clearInterval(beat);
    film.waiting.push({ frames: [], ended: film.why ?? "failed" });
    await this.#send(film);
    film.port?.disconnect();
    if (this.#films.get(film.tab) === film) this.#films.delete(film.tab);
  }

  #listen(film: Running): void {
    const port = chrome.runtime.connect({ name: FILM_PORT });
    film.port = port;
    port.onDisconnect.addListener(() => film.end("failed"));
    port.onMessage.addListener((message: FromFilm) => {
      film.heard(message);
      if (message.type === "batch") void this.#send(film);
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
        const ended = await this.#deliver({
          ...next,
          ...film.told,
          ...film.colours,
          session: await this.#session(),
          batch: ++film.batches,
          codec: film.told.width > 0 ? "vp8" : "",
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
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 0) await wait(AGAIN_MS);
      try {
        const answer = (await (await this.#client.post("/films", batch, 10_000)).json()) as FilmAnswer;
        return answer.ended === undefined ? undefined : (answer.ended as Ended);
      } catch (error) {
        if (error instanceof Refused) return "failed";
      }
    }
    return "failed";
  }
}

/** A batch that was not sent yet. */
type Waiting = Pick<Batch, "frames" | "ended">;

/** A film that goes on. */
class Running {
  readonly told: Film;
  readonly waiting: Waiting[] = [];
  readonly first: Promise<void>;
  readonly ended: Promise<void>;
  readonly encoded: Promise<void>;
  readonly failed: Promise<never>;
  port: chrome.runtime.Port | undefined;
  over: Promise<void> = Promise.resolve();
  sending: Promise<void> = Promise.resolve();
  batches = 0;
  dropped = 0;
  colours: Colours = { full_range: false };
  why: Ended | undefined;
  acknowledge: (id: number) => void = () => {};
  readonly #unacknowledged: number[] = [];
  #began: () => void = () => {};
  #end: () => void = () => {};
  #encoded: () => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(
    readonly tab: number,
    name: string,
    readonly every: number,
  ) {
    this.told = { name, width: 0, height: 0 };
    this.first = new Promise((resolve) => (this.#began = resolve));
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.encoded = new Promise((resolve) => (this.#encoded = resolve));
    this.failed = new Promise((_resolve, reject) => (this.#fail = reject));
    this.failed.catch(() => undefined); // start may not wait for it any more
  }

  /** The first reason counts. */
  end(why: Ended): void {
    this.why ??= why;
    this.#end();
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

  heard(message: FromFilm): void {
    if (message.type === "failed") {
      this.end("failed");
      return;
    }
    if (message.type === "batch") {
      if (message.frames.length > 0) {
        this.colours = message.colours;
        this.#keep(message.frames);
      }
      if (message.last) this.#encoded();
      return;
    }
    if (message.type === "taken") {
      this.told.width = message.width;
      this.told.height = message.height;
      this.#began();
    } else this.dropped++;
    const id = this.#unacknowledged.shift();
    if (id !== undefined) this.acknowledge(id);
  }

  #keep(frames: FilmFrame[]): void {
    if (this.waiting.length < MAX_WAITING) this.waiting.push({ frames });
    else this.end("failed");
  }
}

const wait = async (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

let opening: Promise<void> | undefined;

/** Opens the film page unless it is open: there can be one. */
async function openPage(): Promise<void> {
  opening ??= open().finally(() => (opening = undefined));
  return opening;
}

async function open(): Promise<void> {
  if (await chrome.offscreen.hasDocument()) return;
  await chrome.offscreen.createDocument({
    url: "film.html",
    reasons: ["BLOBS" as chrome.offscreen.Reason],
    justification: "Pictures of a tab are decoded and encoded into a film, which workers cannot do.",
  });
}
