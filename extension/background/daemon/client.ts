import type { Problem } from "@gasoline/schema/wire";
import { inTerminal } from "../../state/connection.ts";

/** The daemon could not be reached, or did not answer in time. */
export class Unreachable extends Error {}

/** The daemon does not know our token. */
export class Unauthorized extends Error {}

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

/** Where the daemon is and who we are to it. */
export interface Door {
  port: number;
  token?: string;
}

/** HTTP to the daemon on this machine. It holds no state but the door it was told. */
export class DaemonClient {
  readonly #door: () => Promise<Door>;

  constructor(door: () => Promise<Door>) {
    this.#door = door;
  }

  /** GET with the token. Throws Unreachable, Unauthorized or Refused. */
  get(path: string, timeoutMS: number, signal?: AbortSignal): Promise<Response> {
    return this.#request(path, { method: "GET" }, timeoutMS, signal);
  }

  /** POST of JSON, compressed when it is large. Throws Unreachable, Unauthorized or Refused. */
  async post(path: string, body: unknown, timeoutMS: number): Promise<Response> {
    const json = new TextEncoder().encode(JSON.stringify(body));
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    let payload: BodyInit = json;
    if (json.byteLength > GZIP_ABOVE) {
      headers["Content-Encoding"] = "gzip";
      // Buffered: a streamed body would need HTTP/2.
      payload = await new Response(new Blob([json]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
    }
    return this.#request(path, { method: "POST", headers, body: payload }, timeoutMS);
  }

  async #request(path: string, init: RequestInit, timeoutMS: number, signal?: AbortSignal): Promise<Response> {
    const door = await this.#door();
    const headers = new Headers(init.headers);
    if (door.token) headers.set("Authorization", `Bearer ${door.token}`);
    const timeout = AbortSignal.timeout(timeoutMS);
    let response: Response;
    try {
      response = await fetch(`http://127.0.0.1:${door.port}${path}`, {
        ...init,
        headers,
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
      });
    } catch (error) {
      throw new Unreachable(`no answer on 127.0.0.1:${door.port}: ${String(error)}`);
    }
    if (response.ok) return response;
    if (response.status === 401) throw new Unauthorized("the daemon does not know this extension");
    throw await refusal(response, door.port);
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
