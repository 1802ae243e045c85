import { readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { basename, dirname, join } from "node:path";

/** Config is what the environment says. */
export interface Config {
  /** Where the daemon is. It has neither token nor pin. */
  url: URL;
  /** Whether the daemon is on this machine, or a tunnel to it. */
  local: boolean;
  /** The SHA-256 of the key that the daemon's certificate must have, in base64url; "" where the chain decides. */
  pin: string;
  /** Returns the token, "" when there is none yet. */
  token(): string;
  /** Whether the token is from a file of this machine, whose daemon proves that it knows it. */
  prove: boolean;
  service: string;
  version: string;
  instance: string;
  environment: string;
  /** Only requests with a valid gasoline-session are recorded. */
  gated: boolean;
  /** How long an event waits for others, in ms. */
  interval: number;
}

type Environment = Record<string, string | undefined>;

/** Programs that run a project's program in a process of their own: what they log and ask for is not the project's. */
const runners = new Set([
  "npm-cli.js",
  "npx-cli.js",
  "npm",
  "npx",
  "pnpm",
  "pnpm.cjs",
  "pnpx.cjs",
  "yarn",
  "yarn.js",
  "yarn.cjs",
  "corepack",
  "corepack.js",
  "nodemon.js",
  "nodemon",
]);

/** tell writes a line of our own to the program's stderr: what must not fail silently. */
export function tell(line: string): void {
  try {
    process.stderr.write(`gasoline: ${line}\n`);
  } catch {
    // There is none.
  }
}

/**
 * configured returns what to do by the environment, or undefined where nothing is to be done. What is wrong with a pin
 * goes to wrong, as a sentence without secrets.
 */
export function configured(env: Environment, argv: readonly string[], wrong = tell): Config | undefined {
  const off = (env["GASOLINE"] ?? "").toLowerCase();
  if (off === "off" || off === "0" || off === "false") return undefined;
  if (runners.has(basename(argv[1] ?? ""))) return undefined;
  let url: URL;
  let given = env["GASOLINE_TOKEN"] ?? "";
  try {
    url = new URL(env["GASOLINE_URL"] || "http://127.0.0.1:7890");
    given ||= decodeURIComponent(url.username);
  } catch {
    return undefined;
  }
  const production = env["NODE_ENV"] === "production";
  if (production && given === "") return undefined;
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  const pin = url.searchParams.get("pin");
  if (pin !== null && url.protocol === "http:") {
    wrong("GASOLINE_URL has a pin, which needs https: nothing is sent");
    return undefined;
  }
  // 32 bytes: the last of 43 characters has two bits to spare.
  if (pin !== null && !/^[\w-]{42}[AEIMQUYcgkosw048]$/.test(pin)) {
    wrong("the pin of GASOLINE_URL is no SHA-256 in base64url: nothing is sent");
    return undefined;
  }
  url = new URL(`${url.protocol}//${url.host}`);
  const local = url.hostname === "127.0.0.1" || url.hostname === "localhost" || url.hostname === "[::1]";
  // A token never leaves the machine in the clear.
  if (url.protocol === "http:" && !local) return undefined;
  const file = env["GASOLINE_TOKEN_FILE"] || join(env["GASOLINE_STATE_DIR"] || join(homedir(), ".gasoline"), "token");
  const resource = resourceOf(env["OTEL_RESOURCE_ATTRIBUTES"] ?? "");
  const project = packageOf(argv[1]);
  return {
    url,
    local,
    pin: pin ?? "",
    token: () => given || read(file).trim(),
    prove: given === "" && url.protocol === "http:",
    service:
      env["OTEL_SERVICE_NAME"] ||
      resource["service.name"] ||
      project.name ||
      basename(argv[1] ?? "node").replace(/\.[cm]?[jt]s$/, ""),
    version: resource["service.version"] || project.version,
    instance: resource["service.instance.id"] || `${hostname()}:${process.pid}`,
    environment: resource["deployment.environment.name"] || env["NODE_ENV"] || "",
    gated: production,
    interval: production ? 500 : 100,
  };
}

function resourceOf(list: string): Record<string, string> {
  const out: Record<string, string> = {};
  for (const pair of list.split(",")) {
    const at = pair.indexOf("=");
    if (at < 1) continue;
    const value = pair.slice(at + 1).trim();
    try {
      out[pair.slice(0, at).trim()] = decodeURIComponent(value);
    } catch {
      out[pair.slice(0, at).trim()] = value;
    }
  }
  return out;
}

/** packageOf returns name and version of the package that a program is in. */
function packageOf(program: string | undefined): { name: string; version: string } {
  let dir = program ? dirname(program) : process.cwd();
  for (let i = 0; i < 32; i++) {
    const text = read(join(dir, "package.json"));
    if (text !== "") {
      try {
        const { name, version } = JSON.parse(text) as { name?: unknown; version?: unknown };
        if (typeof name === "string") return { name, version: typeof version === "string" ? version : "" };
      } catch {
        // It is somebody else's problem.
      }
    }
    const up = dirname(dir);
    if (up === dir) break;
    dir = up;
  }
  return { name: "", version: "" };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
