import type { CommandError, Result } from "@gasoline/schema/wire";
import { type DaemonClient, Refused } from "./client.ts";
import { session } from "../../state/browser.ts";

const PREFIX = "done:";

/** Results above this size are not kept for a second try after the worker died: a screenshot would fill the area. */
const KEEP_BELOW = 200_000;

/**
 * Brings results to the daemon, again and again until it has them or nobody can want them any more.
 * A result is written down before it is sent, so that the death of the worker in between loses nothing.
 */
export class Results {
  readonly #client: DaemonClient;
  readonly #session: () => Promise<string>;
  readonly #wait: (ms: number) => Promise<void>;

  constructor(client: DaemonClient, session: () => Promise<string>, wait = sleep) {
    this.#client = client;
    this.#session = session;
    this.#wait = wait;
  }

  /** Sends a result. Gives up a minute after the command's deadline. */
  async send(result: Result, deadline: number): Promise<void> {
    let body: Result = { ...result, session: await this.#session() };
    const key = PREFIX + result.id;
    const json = JSON.stringify(body);
    // A full area must not keep the result from being sent.
    if (json.length < KEEP_BELOW) await session.write({ [key]: { json, deadline } }).catch(() => {});
    for (let pause = 250; ; pause = Math.min(pause * 2, 5000)) {
      try {
        await this.#client.post("/query-result", body, 15_000);
        break;
      } catch (error) {
        if (error instanceof Refused && error.status < 500 && error.status !== 429) {
          // The same bytes would be refused again. The caller learns why, and is not left to wait for its deadline.
          if (body.result === undefined) break;
          body = { ...body, status: "error", result: undefined, error: refusal(error) };
          continue;
        }
        if (Date.now() > deadline + 60_000) break;
        await this.#wait(pause);
      }
    }
    await session.remove(key);
  }

  /** The result of a command that an earlier life of the worker finished, if it was not delivered. */
  async undelivered(id: string): Promise<Result | undefined> {
    const key = PREFIX + id;
    const kept = await session.read<{ json: string }>(key);
    return kept ? (JSON.parse(kept.json) as Result) : undefined;
  }
}

function refusal({ status, message }: Refused): CommandError {
  if (status === 413) return { code: "too_large", message: "The command was carried out; its result is too large." };
  return { code: "internal", message: `The command was carried out; the daemon refused its result: ${message}` };
}

// A call of the browser counts as life; the fetch that follows does not.
async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  await session.read(PREFIX);
}
