import type { PairAnswer, PairProof, Problem, ProveAnswer, ProveRequest } from "@gasoline/schema/wire";
import { inTerminal } from "../../state/connection.ts";
import { isHex, isMac, keyOfHex, keyOfText, macOf, makeNonce, unseal } from "./proof.ts";

/** The daemon could not be reached, did not answer in time, or did not prove that it is ours. */
export class Unreachable extends Error {}

/** The daemon refused a request, with its own words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fix: string,
  ) {
    super(message);
  }
}

/** Bodies above this many bytes are sent compressed. */
const GZIP_ABOVE = 8 * 1024;

/** A challenge is answered within this, or the port is held by a stranger. */
const PROOF_WITHIN_MS = 1000;

/** Bytes of an answer that was not proven; the rest is not read. */
const MAX_UNPROVEN = 4096;

/** Where the daemon is, and the key of the pairing with it. The key is never sent. */
export interface Place {
  port: number;
  id?: string;
  /** 64 hexadecimal digits. */
  key?: string;
}

/** Who answers on the port: our daemon; a program that says it is Gasoline; another one; one that says nothing. */
export type Holder = "proven" | "gasoline" | "stranger" | "silent";

/** A daemon that proved that it has our key. */
interface Proven {
  port: number;
  key: CryptoKey;
  boot: string;
  /** What we send in place of the key. Good for this run of the daemon only. */
  bearer: string;
  /** When the newest proof was asked for; performance.now(). */
  asked: number;
}

/**
 * HTTP to the daemon on this machine. Nothing but a challenge leaves before the daemon has proved that
 * it knows our key, and no answer is taken without the proof that it comes from there. A failure of any
 * kind ends the trust: the port may have another holder by then.
 */
export class DaemonClient {
  readonly #place: () => Promise<Place>;
  readonly #lost: () => void;
  #proven: Proven | undefined;

  /** lost is called when a daemon that was proven is so no longer. */
  constructor(place: () => Promise<Place>, lost: () => void) {
    this.#place = place;
    this.#lost = lost;
  }

  /** The daemon has proved itself, and nothing has failed since. */
  get proven(): boolean {
    return this.#proven !== undefined;
  }

  /** Ends the trust. Requests under way are not stopped; their answers are not taken. */
  distrust(): void {
    if (!this.#proven) return;
    this.#proven = undefined;
    this.#lost();
  }

  /** Challenges whoever holds the port. Throws Unreachable when nobody does. */
  async prove(): Promise<Holder> {
    this.#proven = undefined;
    const { port, id, key: hex } = await this.#place();
    const key = hex === undefined ? undefined : await keyOfHex(hex);
    const asked = performance.now();
    const answer = await challenge(port, key, id);
    if (key && answer.boot !== undefined) {
      const bearer = `${id}.${await macOf(key, "bearer", answer.boot)}`;
      this.#proven = { port, key, boot: answer.boot, bearer, asked };
    }
    return answer.holder;
  }

  /**
   * Pairs by a code that the user brought from a terminal. Returns the new key's id and the key; throws
   * an Error for the user when the program on the port does not know the code.
   */
  async redeem(code: string, who: { session: string; name: string }): Promise<{ id: string; key: string }> {
    const { port, id: old } = await this.#place();
    const codeID = code.slice(0, CODE_ID);
    const secret = await keyOfText(code.slice(CODE_ID));
    if ((await challenge(port, secret, `code-${codeID}`)).boot === undefined) throw new Error(unknownCode(port));
    const nonce = makeNonce();
    const ask: PairProof = {
      code_id: codeID,
      nonce,
      mac: await macOf(secret, "pair", nonce),
      ...who,
      ...(old ? { key_id: old } : {}),
    };
    const answer = (await readSmall(await sendOpenly(port, "/pair", ask))) as Partial<PairAnswer> | undefined;
    const { key_id: id = "", nonce: theirs = "", sealed = "", mac } = answer ?? {};
    if (!isHex(theirs) || !isHex(sealed) || !(await isMac(secret, mac, "sealed", nonce, theirs, id, sealed)))
      throw new Error(unknownCode(port));
    return { id, key: await unseal(secret, sealed, nonce, theirs) };
  }

  /** GET. Throws Unreachable or Refused. */
  async get(path: string, timeoutMS: number, signal?: AbortSignal): Promise<Response> {
    await this.#again();
    return this.#request(path, { method: "GET" }, timeoutMS, signal);
  }

  /** POST of JSON, compressed when it is large. Throws Unreachable or Refused. */
  async post(path: string, body: unknown, timeoutMS: number): Promise<Response> {
    const json = new TextEncoder().encode(JSON.stringify(body));
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    let payload: BodyInit = json;
    if (json.byteLength > GZIP_ABOVE) {
      headers["Content-Encoding"] = "gzip";
      // Buffered: a streamed body would need HTTP/2.
      payload = await new Response(new Blob([json]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
    }
    await this.#again();
    return this.#request(path, { method: "POST", headers, body: payload }, timeoutMS);
  }

  /**
   * Challenges the daemon once more before anything else is sent, unless it proved itself just now: when it ended, another
   * program may have its port before the poll that was open is seen to fail. A daemon that stops answers its polls, so
   * even the next poll could go to who comes after it. A daemon that stops keeps its port for two seconds after its
   * last proof; a proof that took half of that is asked for once more, and so is one that does not come in time. A daemon that
   * proves itself too late each time, on a busy machine, stays trusted: nothing is sent for now.
   */
  async #again(): Promise<void> {
    const proven = this.#proven;
    if (!proven) return; // #request says so
    if (performance.now() - proven.asked < JUST_NOW_MS) return;
    const { id } = await this.#place();
    let late = false;
    for (let tries = 0; tries < MAX_PROOFS; tries++) {
      const asked = performance.now();
      const answer = await challenge(proven.port, proven.key, id).catch(() => undefined);
      late = answer?.boot === proven.boot;
      if (!late && answer?.holder !== "silent") break;
      if (late) proven.asked = Math.max(proven.asked, asked);
      if (late && performance.now() - asked < FRESH_MS) return;
    }
    if (late) throw new Unreachable("the daemon proves itself too late");
    this.#drop(proven);
  }

  async #request(path: string, init: RequestInit, timeoutMS: number, signal?: AbortSignal): Promise<Response> {
    const proven = this.#proven;
    if (!proven) throw new Unreachable("the daemon has not proved itself");
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${proven.bearer}`);
    const nonce = makeNonce();
    headers.set("X-Gasoline-Nonce", nonce);
    const timeout = AbortSignal.timeout(timeoutMS);
    const aborted = signal ? AbortSignal.any([timeout, signal]) : timeout;
    let response: Response;
    try {
      response = await fetch(`http://127.0.0.1:${proven.port}${path}`, {
        ...init,
        ...PRIVATE,
        headers,
        signal: aborted,
      });
    } catch (error) {
      this.#drop(proven);
      throw new Unreachable(`no answer on 127.0.0.1:${proven.port}: ${String(error)}`);
    }
    if (!(await isMac(proven.key, response.headers.get("X-Gasoline-Proof"), "answer", nonce, proven.boot))) {
      this.#drop(proven);
      void response.body?.cancel();
      throw new Unreachable(`who answers on 127.0.0.1:${proven.port} is not our daemon`);
    }
    if (response.ok) return response;
    throw await refusal(response, proven.port);
  }

  /** Ends the trust that a request began with; a later one may be well founded. */
  #drop(proven: Proven): void {
    if (this.#proven === proven) this.distrust();
  }
}

/** What an act sends goes by one proof: another one is asked for when the last one was asked for so long ago, ms. */
const JUST_NOW_MS = 100;

/** A proof is relied on this long after it was asked for; so often one is asked for. */
const FRESH_MS = 1000;
const MAX_PROOFS = 5;

/** Characters of a code that name it; the others are secret. */
const CODE_ID = 8;

/** What every request has: nothing of the user's goes along, and nothing is followed. */
const PRIVATE: RequestInit = { cache: "no-store", credentials: "omit", redirect: "error" };

const unknownCode = (port: number): string =>
  `The program on port ${port} does not know this code. Run "${inTerminal("pair", port)}" again: a code is good once, for five minutes.`;

/** Sends what a stranger may read, and waits only a moment for the answer. */
async function sendOpenly(port: number, path: string, body: ProveRequest | PairProof): Promise<Response> {
  try {
    return await fetch(`http://127.0.0.1:${port}${path}`, {
      ...PRIVATE,
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PROOF_WITHIN_MS),
    });
  } catch (error) {
    throw new Unreachable(`no answer on 127.0.0.1:${port}: ${String(error)}`, { cause: error });
  }
}

/** Has whoever holds the port prove that it knows a key. boot is there when it does. */
async function challenge(
  port: number,
  key: CryptoKey | undefined,
  id = "",
): Promise<{ holder: Holder; boot?: string }> {
  const nonce = makeNonce();
  let answer: Partial<ProveAnswer> | undefined;
  try {
    answer = (await readSmall(await sendOpenly(port, "/prove", { nonce, ...(id && { key_id: id }) }))) as
      | Partial<ProveAnswer>
      | undefined;
  } catch (error) {
    const cause = error instanceof Unreachable ? error.cause : error;
    if (cause instanceof DOMException && cause.name === "TimeoutError") return { holder: "silent" };
    throw error;
  }
  const { server, boot, proof } = answer ?? {};
  const run = server?.run;
  if (
    key &&
    typeof run === "string" &&
    isHex(boot) &&
    (await isMac(key, proof, "daemon", nonce, String(port), run, boot, id))
  ) {
    return { holder: "proven", boot };
  }
  return { holder: server?.name === "gasoline" ? "gasoline" : "stranger" };
}

/** The JSON of a small answer; undefined when it is none, or too long. */
async function readSmall(response: Response): Promise<unknown> {
  const reader = response.body?.getReader();
  if (!reader || !response.ok) {
    void reader?.cancel();
    return undefined;
  }
  let text = "";
  const decoder = new TextDecoder();
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > MAX_UNPROVEN) {
      void reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

async function refusal(response: Response, port: number): Promise<Error> {
  let problem: Partial<Problem["error"]> | undefined;
  try {
    problem = ((await response.json()) as Problem).error;
  } catch {
    // Not the daemon's own form: the status has to do.
  }
  const code = problem?.code ?? `http_${response.status}`;
  const message = problem?.message ?? `the daemon answered ${response.status}`;
  const fix = problem?.fix ?? `Run "${inTerminal("doctor", port)}" and look whether another program uses this port.`;
  return new Refused(response.status, code, message, fix);
}
