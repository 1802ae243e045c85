import type * as Crypto from "node:crypto";
import type * as Http from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** Answer is what became of a request. Status 0: nobody took it, or who listens did not prove to be the daemon. */
export interface Answer {
  status: number;
  /** What the answer says besides, at most 4,096 characters. */
  text: string;
  /** Seconds, from Retry-After; 0 without one. */
  retry: number;
  /** Who listens has another key than the pin says: it got nothing. */
  stranger?: boolean;
}

export interface Target {
  protocol: string;
  host: string;
  port: number;
  token: string;
  /** The SHA-256 of the key that the other side must have, in base64url; "" for any whose chain is trusted. */
  pin: string;
  /** Whether a connection has to prove that the daemon is behind it before it gets the token. */
  prove: boolean;
}

export interface Poster {
  post(path: string, body: Uint8Array, gzip: boolean, total: number): Promise<Answer>;
  close(): void;
}

interface Modules {
  request: typeof Http.request;
  Agent: typeof Http.Agent;
  crypto: Pick<typeof Crypto, "createHash" | "createHmac" | "randomBytes">;
  setTimer: typeof setTimeout;
  clearTimer: typeof clearTimeout;
  /** Is called when a request is about to be written: what came before it is our own time, and the network's. */
  ready?: () => void;
}

/**
 * poster sends bodies over one connection that it keeps. It takes all that it uses as arguments and names nothing of
 * this file: its text is also run in a thread, when the process ends.
 */
export function poster(to: Target, modules: Modules): Poster {
  const { request, Agent, crypto, setTimer, clearTimer, ready: connected } = modules;
  // With a pin the key alone decides. A session that is resumed would show no certificate.
  const tls = to.pin === "" ? {} : { rejectUnauthorized: false, maxCachedSessions: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ...tls });
  const proven = new WeakSet<Socket>();
  const matching = new WeakSet<Socket>();
  let last: Socket | undefined;

  /** Reports whether who is behind a connection has the key of the pin. */
  function pinned(socket: Socket): boolean {
    if (to.pin === "" || matching.has(socket)) return true;
    try {
      // Node 20 shows the certificate of a connection once only.
      const key = (socket as TLSSocket).getPeerX509Certificate()?.publicKey.export({ type: "spki", format: "der" });
      if (!key) return false;
      const same = crypto.createHash("sha256").update(new Uint8Array(key)).digest("base64url") === to.pin;
      if (same) matching.add(socket);
      return same;
    } catch {
      return false;
    }
  }

  /**
   * Sends one request. It is never sent on a connection that ready refuses: then the answer is undefined. Until the
   * request ends here, not even its head is written.
   */
  function exchange(
    path: string,
    headers: Record<string, string | number>,
    body: Uint8Array,
    total: number,
    ready: (socket: Socket) => boolean,
  ): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const done = (answer: Answer | undefined) => {
        if (timer) clearTimer(timer);
        timer = undefined;
        resolve(answer);
      };
      const req = request({
        agent,
        protocol: to.protocol,
        host: to.host,
        port: to.port,
        path,
        method: "POST",
        headers: { "content-type": "application/json", "content-length": body.length, ...headers },
      });
      let wait = Math.min(2000, total);
      const expire = () => {
        req.destroy();
        done({ status: 0, text: "no answer in time", retry: 0 });
      };
      timer = setTimer(expire, wait);
      timer.unref();
      req.on("socket", (socket: Socket) => {
        socket.unref();
        const send = () => {
          last = socket;
          if (!pinned(socket)) {
            req.destroy();
            socket.destroy();
            done({ status: 0, text: "another key", retry: 0, stranger: true });
            return;
          }
          if (!ready(socket)) {
            req.destroy();
            done(undefined);
            return;
          }
          connected?.();
          if (timer) clearTimer(timer);
          wait = total;
          timer = setTimer(expire, wait);
          timer.unref();
          req.end(body);
        };
        if (socket.connecting) socket.once(to.protocol === "https:" ? "secureConnect" : "connect", send);
        else send();
      });
      req.on("error", (error: Error) => done({ status: 0, text: error.message, retry: 0 }));
      req.on("response", (res) => {
        let text = "";
        res.setEncoding("utf8");
        res.on("data", (part: string) => {
          if (text.length < 4096) text += part;
        });
        const end = () => {
          const retry = Number(res.headers["retry-after"] ?? 0);
          done({
            status: res.statusCode ?? 0,
            text: text.slice(0, 4096),
            retry: retry > 0 && retry < 3600 ? retry : 0,
          });
        };
        res.on("end", end);
        res.on("error", () => done({ status: 0, text: "the answer was cut", retry: 0 }));
        res.on("close", end);
      });
    });
  }

  /** Has who listens prove that it knows the token, without showing it. */
  async function prove(total: number): Promise<Answer | undefined> {
    const nonce = crypto.randomBytes(32).toString("hex");
    // Of a token that "gasoline run" gave, the daemon knows the hash.
    const [kind, , id, secret] = to.token.split("_");
    const given = kind === "gasoline" && secret !== undefined;
    const keyId = given ? `token-${id}` : "";
    const key = given ? crypto.createHash("sha256").update(secret).digest("hex") : to.token;
    const body = new TextEncoder().encode(JSON.stringify({ nonce, key_id: keyId }));
    const answer = await exchange("/prove", {}, body, total, () => true);
    if (!answer || answer.status !== 200) return answer ?? { status: 0, text: "no proof", retry: 0 };
    try {
      const said = JSON.parse(answer.text) as { server: { run: string }; boot: string; proof: string };
      const want = crypto
        .createHmac("sha256", key)
        .update(`gasoline 1 daemon\n${[nonce, to.port, said.server.run, said.boot, keyId].join("\n")}`)
        .digest("hex");
      if (said.proof === want && last) {
        proven.add(last);
        return undefined;
      }
    } catch {
      // It is no proof.
    }
    last?.destroy();
    return { status: 0, text: "another program is at the daemon's address", retry: 0 };
  }

  return {
    async post(path, body, gzip, total) {
      const headers = {
        authorization: `Bearer ${to.token}`,
        ...(gzip && { "content-encoding": "gzip" }),
      };
      for (let i = 0; i < 2; i++) {
        if (to.prove && !(last && !last.destroyed && proven.has(last))) {
          const failed = await prove(total);
          if (failed) return failed;
        }
        const answer = await exchange(path, headers, body, total, (s) => !to.prove || proven.has(s));
        // A connection that was kept may have been closed meanwhile; a request that nobody got is sent once more.
        if (answer && (answer.status !== 0 || i === 1)) return answer;
        if (answer && (answer.stranger || answer.text === "no answer in time")) return answer;
      }
      return { status: 0, text: "the connection changed", retry: 0 };
    },
    close() {
      agent.destroy();
    },
  };
}
