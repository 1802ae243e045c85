import type { Agent } from "@gasoline/schema/wire";
import { session } from "./browser.ts";

/**
 * How the extension stands with the daemon. The worker writes it to storage.session, the popup reads
 * it there: no message between them can be lost while the worker sleeps.
 */
export interface Connection {
  phase: "searching" | "pairing" | "foreign" | "connected" | "refused";
  port: number;
  /** Epoch ms of the last change of phase. */
  since: number;
  /** What holds the port, as far as it is known; while foreign. */
  holder?: string;
  /** Of the daemon, while connected. */
  version?: string;
  /** The server whose pages the daemon shows without their policy, while connected; "" none. */
  insecure?: string;
  /** The agents that the daemon knows, with their tabs in use; the last ones known while it is away. */
  agents: Agent[];
}

/** The last thing that went wrong, and what to do about it. */
export interface LastError {
  message: string;
  fix: string;
  /** Epoch ms. */
  at: number;
}

/** Where a command in a terminal looks for the daemon when it is told no port. */
const TERMINAL_PORT = 7890;

/** What a command needs so that it means the daemon on this port; "" for the usual one, and for 0: not known yet. */
export function portOption(port: number): string {
  return port === 0 || port === TERMINAL_PORT ? "" : `--port ${port}`;
}

/** A command as it is to be typed, so that it means the daemon on this port. */
export function inTerminal(command: string, port: number): string {
  return `gasoline ${command} ${portOption(port)}`.trimEnd();
}

const KEY = "connection";
const ERROR_KEY = "lastError";

/** Reads the connection; searching when nothing was written yet. */
export async function readConnection(): Promise<Connection> {
  const stored = await session.read<Connection>(KEY);
  return stored ?? { phase: "searching", port: 0, since: Date.now(), agents: [] };
}

/** Replaces the connection. */
export async function writeConnection(connection: Connection): Promise<void> {
  await session.write({ [KEY]: connection });
}

/** Reads the last error; undefined when there was none, or it is over. */
export async function readLastError(): Promise<LastError | undefined> {
  return session.read<LastError>(ERROR_KEY);
}

/** Says whether an error is over: the daemon was connected again after it. */
export function isOver(error: LastError, connection: Pick<Connection, "phase" | "since">): boolean {
  return connection.phase === "connected" && error.at < connection.since;
}

/** Keeps an error for the popup, or forgets it. */
export async function writeLastError(error: LastError | undefined): Promise<void> {
  if (error) await session.write({ [ERROR_KEY]: error });
  else await session.remove(ERROR_KEY);
}

/** Calls back when the connection or the last error changes. */
export function onConnection(changed: () => void): void {
  session.onChange([KEY, ERROR_KEY], changed);
}
