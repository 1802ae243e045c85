// A program of tests/apps in a process of its own, with the package loaded before it.
import { type ChildProcess, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..");
/** The Node that programs run in; APP_NODE names another one than that of the tests. */
export const NODE = process.env["APP_NODE"] ?? process.execPath;
/** Breaks of tools/mutate-ts are in a build of their own. */
const mutating = Object.entries(process.env).filter(([key]) => key.startsWith("MUTATE_"));
export const REGISTER = join(process.env["MUTATE_DIST"] ?? join(root, "dist"), "register.mjs");

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** How long it ran, in ms. */
  ms: number;
}

/** The clock that the tests were given (scripts/clock.mjs), for a program whose environment is made anew. */
export const CLOCK = Object.fromEntries(
  ["LD_PRELOAD", "GASOLINE_CLOCK"].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
) as Record<string, string>;

export class App {
  stdout = "";
  stderr = "";
  readonly ended: Promise<Ended>;
  private readonly began = performance.now();
  private ports: ((port: number) => void)[] = [];
  private port: number | undefined;

  private constructor(readonly child: ChildProcess) {
    child.stdout?.on("data", (d: Uint8Array) => (this.stdout += String(d)));
    child.stderr?.on("data", (d: Uint8Array) => (this.stderr += String(d)));
    child.on("message", (message) => {
      this.port = (message as { port: number }).port;
      for (const done of this.ports.splice(0)) done(this.port);
    });
    this.ended = new Promise((done) => {
      child.on("close", (code, signal) => {
        const { stdout, stderr } = this;
        done({ code, signal, stdout, stderr, ms: performance.now() - this.began });
      });
    });
  }

  /** Starts a program. GASOLINE_URL is where it sends; env may set more or take away. */
  static start(
    file: string,
    url: string,
    env: Record<string, string | undefined> = {},
    { plain = false, node = NODE, args = [] as string[] } = {},
  ): App {
    const all: Record<string, string | undefined> = {
      PATH: process.env["PATH"],
      HOME: "/nonexistent",
      GASOLINE_URL: url,
      GASOLINE_TOKEN: "the-token",
      OTEL_SERVICE_NAME: "shop",
      ...CLOCK,
      ...Object.fromEntries(mutating),
      ...env,
    };
    for (const key of Object.keys(all)) if (all[key] === undefined) delete all[key];
    const load = plain ? [] : ["--import", pathToFileURL(REGISTER).href];
    const child = spawn(node, [...load, ...args, join(root, "tests/apps", file)], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: all as NodeJS.ProcessEnv,
    });
    return new App(child);
  }

  /** The address of the program's server, when it has told its port. */
  async url(): Promise<string> {
    const port = this.port ?? (await Promise.race([new Promise<number>((d) => this.ports.push(d)), this.failed()]));
    return `http://127.0.0.1:${port}`;
  }

  private async failed(): Promise<never> {
    const { code, stderr } = await this.ended;
    throw new Error(`the program ended with ${code}: ${stderr}`);
  }

  async stop(signal: NodeJS.Signals = "SIGKILL"): Promise<Ended> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    return this.ended;
  }
}
