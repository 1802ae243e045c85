import type { Command, PairAnswer, Poll } from "@gasoline/schema/wire";
import { type DaemonClient, Refused, Unauthorized } from "./client.ts";
import type { Identity } from "./identity.ts";

/** The daemon holds a poll this long when there is nothing to do. */
const HOLD_S = 25;

/** While the user has not confirmed the code, the daemon is asked this often. */
const PAIR_EVERY_MS = 1500;

/** Pauses between tries while the daemon is away: a loopback connect costs nothing, so they stay short. */
const RETRY_MS = [300, 600, 1000, 1000, 1500, 1500] as const;

/** What happens on the line, told to the worker. */
export interface LineEvents {
  connected: () => void;
  pairing: (code: string) => void;
  lost: (error: unknown) => void;
  refused: (error: Refused) => void;
  command: (command: Command) => void;
  /** Nobody waits for a command any more. */
  cancel: (id: string) => void;
}

/**
 * The line to the daemon: pairs if need be, then polls for commands for ever. Fetch does not count as
 * life for Chrome; one write to storage.session per cycle does, and keeps the worker for as long as
 * the daemon answers or is looked for.
 */
export class CommandLine {
  readonly #client: DaemonClient;
  readonly #identity: Identity;
  readonly #events: LineEvents;
  #running = false;
  #greeted = false; // the last poll was answered
  readonly #life = crypto.randomUUID(); // of the worker: the daemon sees when what it began was lost
  #acks: string[] = []; // commands taken since the last poll was sent
  #cancelled: string[] = []; // commands cancelled since then
  #abort = new AbortController();

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

  /** Drops the poll that is open and looks again, on a port that may have changed. */
  restart(): void {
    this.#abort.abort();
    this.ensure();
  }

  async #loop(): Promise<never> {
    for (let failures = 0; ;) {
      try {
        await chrome.storage.session.set({ alive: Date.now() });
        const { token } = await this.#identity.door();
        if (!token) {
          if (!(await this.#pair())) await pause(PAIR_EVERY_MS);
          continue;
        }
        await this.#poll(failures > 0);
        failures = 0; // Only now: a token that was given may still not be taken.
      } catch (error) {
        if (error instanceof Unauthorized) await this.#identity.forgetToken();
        else if (this.#abort.signal.aborted) {
          this.#abort = new AbortController();
          continue;
        }
        if (error instanceof Refused) this.#events.refused(error);
        else this.#events.lost(error);
        await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1000);
        failures++;
      }
    }
  }

  async #pair(): Promise<boolean> {
    const body = { session: await this.#identity.session(), name: await this.#identity.name() };
    const response = await this.#client.post("/pair", body, 5000);
    const answer = (await response.json()) as PairAnswer;
    if (answer.token) {
      await this.#identity.keepToken(answer.token);
      return true;
    }
    if (answer.code) this.#events.pairing(answer.code);
    return false;
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
