import { isPort, readSettings } from "../../state/settings.ts";
import type { Place } from "./client.ts";
import { local, session } from "../../state/browser.ts";

const SESSION_KEY = "session";
const PAIRING_KEY = "pairing";

/**
 * Who this extension is to the daemon: the session is one run of this browser profile, the key of
 * the pairing belongs to a port and outlives the run. Both are out of reach of content scripts.
 */
export class Identity {
  #session: Promise<string> | undefined;
  #packedPort: Promise<number> | undefined;

  /** The session's name, made on first use after the browser started. */
  session(): Promise<string> {
    this.#session ??= (async () => {
      const stored = await session.read(SESSION_KEY);
      if (typeof stored === "string") return stored;
      const made = crypto.randomUUID();
      await session.write({ [SESSION_KEY]: made });
      return made;
    })();
    return this.#session;
  }

  /** The port in use, and the pairing for it, if there is one. */
  async place(): Promise<Place> {
    const port = await this.port();
    const stored = await local.read<Place>(PAIRING_KEY);
    return stored?.port === port ? stored : { port };
  }

  /** The user's port, else the packed one. */
  async port(): Promise<number> {
    const { port } = await readSettings();
    return port ?? (await this.packedPort());
  }

  /** The port in the packed config.json; 7890 when that is unreadable. */
  packedPort(): Promise<number> {
    this.#packedPort ??= (async () => {
      try {
        const response = await fetch("/config.json");
        const { port } = (await response.json()) as { port?: unknown };
        if (isPort(port)) return port;
      } catch {
        // Falls through to the port that everybody knows.
      }
      return 7890;
    })();
    return this.#packedPort;
  }

  /** Keeps a pairing for a port. */
  async keepPairing(pairing: Required<Place>): Promise<void> {
    await local.write({ [PAIRING_KEY]: pairing });
  }

  /** What the user sees in the daemon's list of browsers. */
  async name(): Promise<string> {
    return (await readSettings()).name ?? browserName(navigator.userAgent);
  }
}

/** "Chrome 156 on Linux" from a user agent string. */
export function browserName(userAgent: string): string {
  const brand = /\b(Edg|OPR|HeadlessChrome|Chrome)\/(\d+)/.exec(userAgent);
  const names: Record<string, string> = {
    Edg: "Edge",
    OPR: "Opera",
    HeadlessChrome: "Headless Chrome",
    Chrome: "Chrome",
  };
  const system = /Windows|Mac OS X|CrOS|Android|Linux/.exec(userAgent)?.[0] ?? "this machine";
  const edition = /\b(Edg|OPR)\/(\d+)/.exec(userAgent) ?? brand;
  return `${edition ? `${names[edition[1] ?? ""]} ${edition[2]}` : "Chrome"} on ${system === "Mac OS X" ? "macOS" : system}`;
}
