import type { Command, Poll, ProblemBody } from "@gasoline/schema/wire";
import { type DaemonClient, type Holder, Refused } from "./client.ts";
import type { Identity } from "./identity.ts";
import { askNativeHost } from "./native.ts";
import { session } from "../../state/browser.ts";

/** The daemon holds a poll this long when there is nothing to do. */
const HOLD_S = 25;

/** While whoever holds the port gives no proof, it is challenged this often. */
const PROVE_EVERY_MS = 1500;

/** While the holder of the port stays the same, the browser starts the native host at least this often. */
const NATIVE_EVERY_MS = 10_000;

/** Pauses between tries while the daemon is away: a loopback connect costs nothing, so they stay short. */
const RETRY_MS = [300, 600, 1000, 1000, 1500, 1500] as const;

/** What happens on the line, told to the worker. */
export interface LineEvents {
  connected: () => void;
  /** A program that says it is Gasoline holds the port, and we have no key that it knows. */
  pairing: () => void;
  /** Another program holds the port. */
  foreign: (problem: ProblemBody | undefined) => void;
  lost: (error: unknown) => void;
  refused: (error: Refused) => void;
  command: (command: Command) => void;
  /** Nobody waits for a command any more. */
  cancel: (id: string) => void;
}

/**
 * The line to the daemon: has it prove itself, pairs if need be, then polls for commands for ever. Fetch does not count as
 * life for Chrome; one write to storage.session per cycle does, and keeps the worker for as long as
 * the daemon answers or is looked for.
 */
export class CommandLine {
  readonly #client: DaemonClient;
  readonly #identity: Identity;
  readonly #events: LineEvents;
  #running = false;
  #restarted = false; // asked to look again since the loop last began
  #greeted = false; // the last poll was answered
  readonly #life = crypto.randomUUID(); // of the worker: the daemon sees when what it began was lost
  #acks: string[] = []; // commands taken since the last poll was sent
  #cancelled: string[] = []; // commands cancelled since then
  #abort = new AbortController();
  /** When the native host may be asked again, and what came of the last time. */
  #asked: { holder?: Holder; again: number; times: number; tell: () => void } = { again: 0, times: 0, tell: () => {} };

  constructor(client: DaemonClient, identity: Identity, events: LineEvents) {
    this.#client = client;
    this.#identity = identity;
    this.#events = events;
  }

  /** Starts the loop unless it runs. Every event of the extension may call it. */
  ensure(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#loop();
  }

  /** Drops the poll that is open and looks again: at a port that may have changed, with a key that may be new. */
  restart(): void {
    this.#asked.again = 0;
    this.#restarted = true;
    this.#client.distrust();
    this.wake();
  }

  /** Drops the poll that is open, because the daemon is not proven any more. */
  wake(): void {
    this.#abort.abort();
    this.ensure();
  }

  async #loop(): Promise<never> {
    for (let failures = 0; ;) {
      try {
        this.#restarted = false;
        if (this.#abort.signal.aborted) this.#abort = new AbortController();
        await session.write({ alive: Date.now() }).catch(() => undefined); // a full area must not end the line
        if (!this.#client.proven) {
          const holder = await this.#client.prove();
          if (holder !== "proven") {
            const paired = await this.#pair(holder);
            await pause(paired ? 0 : PROVE_EVERY_MS);
            continue;
          }
        }
        await this.#poll(failures > 0);
        failures = 0;
      } catch (error) {
        if (this.#restarted) continue;
        if (error instanceof Refused) this.#events.refused(error);
        else this.#events.lost(error);
        await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1000);
        failures++;
      }
    }
  }

  /** Has the browser start the native host, which gets a key from our daemon. True when there is one to try. */
  async #pair(holder: Holder): Promise<boolean> {
    const asked = this.#asked;
    if (asked.holder !== holder) asked.times = 0;
    else if (Date.now() < asked.again) {
      asked.tell();
      return false;
    }
    // Soon again at first: just after its start the browser may not have found the host.
    const again = Date.now() + Math.min(1000 * 2 ** asked.times++, NATIVE_EVERY_MS);
    Object.assign(asked, { holder, again, tell: this.#toldOf(holder, undefined) });
    const [{ port, id }, session, name] = await Promise.all([
      this.#identity.place(),
      this.#identity.session(),
      this.#identity.name(),
    ]);
    const answer = await askNativeHost({ port, session, name, ...(id ? { key_id: id } : {}) });
    if (answer && "key" in answer) {
      await this.#identity.keepPairing({ port, ...answer });
      return true;
    }
    asked.tell = this.#toldOf(holder, answer?.problem);
    asked.tell();
    return false;
  }

  /** How the worker is told who holds the port, and what the native host says of it. */
  #toldOf(holder: Holder, problem: ProblemBody | undefined): () => void {
    if (problem?.code === "no_daemon") return () => this.#events.lost(problem);
    if (problem?.code === "foreign_port" || holder !== "gasoline") return () => this.#events.foreign(problem);
    return () => this.#events.pairing();
  }

  async #poll(first: boolean): Promise<void> {
    const acks = this.#acks;
    const cancelled = this.#cancelled;
    this.#acks = [];
    this.#cancelled = [];
    // The first poll after a failure comes back at once: that is how we learn that the daemon is there.
    const hold = first || !this.#greeted ? 0 : HOLD_S;
    const query = new URLSearchParams({
      wait: String(hold),
      session: await this.#identity.session(),
      life: this.#life,
      ack: acks.join(","),
      cancelled: cancelled.join(","),
    });
    let answer: Poll;
    try {
      const response = await this.#client.get(`/pending-queries?${query}`, (hold + 10) * 1000, this.#abort.signal);
      answer = (await response.json()) as Poll;
    } catch (error) {
      this.#greeted = false;
      this.#acks.unshift(...acks);
      this.#cancelled.unshift(...cancelled);
      throw error;
    }
    if (!this.#greeted) {
      this.#greeted = true;
      this.#events.connected();
    }
    for (const command of answer.commands ?? []) {
      this.#acks.push(command.id);
      this.#events.command(command);
    }
    for (const id of answer.cancel ?? []) {
      this.#cancelled.push(id);
      this.#events.cancel(id);
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
