// The real program, the real extension, a real Chromium and a real MCP client, each test with a
// state directory, a port and a browser profile of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { type BrowserContext, chromium, expect, type Page, type Worker } from "@playwright/test";
import { findChromium, TEST_FLAGS } from "../scripts/chromium.mjs";
import { holdPort } from "../scripts/port.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The program under test, and the built extension: those of the repository unless others are named. */
export const PROGRAM =
  process.env["GASOLINE_PROGRAM"] ?? join(root, "bin", process.platform === "win32" ? "gasoline.exe" : "gasoline");
export const EXTENSION = process.env["GASOLINE_EXTENSION"] ?? join(root, "extension", "dist");

/** A place for a daemon: a port and a state directory. Remove it when done. */
export class Place {
  readonly dir = mkdtempSync(join(tmpdir(), "gasoline-e2e-"));
  readonly stateDir = join(this.dir, "state");
  private children: ChildProcess[] = [];

  private constructor(
    readonly port: number,
    private readonly release: () => void,
  ) {}

  static async make(): Promise<Place> {
    const { port, release } = await holdPort();
    return new Place(port, release);
  }

  get args(): string[] {
    return ["--port", String(this.port), "--state-dir", this.stateDir];
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get token(): string {
    return readFileSync(join(this.stateDir, "token"), "utf8").trim();
  }

  /** Runs the program to its end. */
  run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
    return new Promise((done, fail) => {
      const child = spawn(PROGRAM, [...args, ...this.args], { stdio: ["ignore", "pipe", "pipe"] });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (d) => (stdout += d));
      child.stderr.on("data", (d) => (stderr += d));
      child.on("error", fail);
      child.on("close", (code) => done({ code, stdout, stderr }));
    });
  }

  /** Tells a browser where the program is, as "gasoline setup browser" tells those of a user. */
  async setUp(profile: string): Promise<void> {
    const { code, stderr } = await this.run("setup", "browser", "--profile", profile);
    if (code !== 0) throw new Error(`setup browser: ${stderr}`);
  }

  /** Starts a daemon of our own and waits until it answers. */
  async serve(...args: string[]): Promise<ChildProcess> {
    const child = spawn(PROGRAM, ["serve", ...this.args, ...args], { stdio: "ignore" });
    this.children.push(child);
    for (let i = 0; i < 12_000; i++) {
      if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}`);
      if (await this.healthy()) return child;
      await new Promise((r) => setTimeout(r, 10));
    }
    throw new Error("the daemon does not answer");
  }

  async healthy(): Promise<boolean> {
    return fetch(`${this.url}/health`)
      .then((r) => r.ok)
      .catch(() => false);
  }

  /** Asks with the token. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${this.token}`);
    return fetch(this.url + path, { ...init, headers });
  }

  /** Who runs here, by the identity file. */
  get pid(): number | undefined {
    const file = join(this.stateDir, "run", `daemon-${this.port}.json`);
    return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).pid : undefined;
  }

  /** Stops whatever runs here and removes all traces. */
  async remove(): Promise<void> {
    await this.run("stop").catch(() => undefined);
    const left = this.pid;
    if (left !== undefined) {
      // The identity file is in this place's own directory, so who wrote it is ours.
      try {
        process.kill(left, "SIGKILL");
      } catch {
        // it has ended
      }
    }
    for (const c of this.children) {
      if (c.exitCode === null && c.signalCode === null) {
        const ended = new Promise((r) => c.once("exit", r));
        c.kill("SIGKILL");
        await ended;
      }
    }
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
    this.release();
  }
}

/**
 * Modes that wait for a page for less than a minute, `tool mode`, by their reference: a busy machine can need that for
 * itself.
 */
const SHORT: ReadonlySet<string> = new Set(
  ["interact", "analyze"].flatMap((tool) =>
    readFileSync(new URL(`../docs/reference/${tool}.md`, import.meta.url), "utf8")
      .split(/^## /m)
      .filter((section) => /^Waits up to \d+s unless/m.test(section))
      .map((section) => `${tool} ${section.slice(0, section.indexOf("\n"))}`),
  ),
);

/** An MCP client on stdio, as an agent starts it. */
export async function agent(place: Place, name = "e2e", cwd?: string): Promise<Agent> {
  const client = new Client({ name, version: "1" });
  const transport = new StdioClientTransport({
    command: PROGRAM,
    args: place.args,
    stderr: "pipe",
    ...(cwd && { cwd }),
  });
  await client.connect(transport);
  return new Agent(client, transport);
}

export class Agent {
  constructor(
    readonly client: Client,
    readonly transport: StdioClientTransport,
  ) {}

  /** Calls a tool and returns the answer's text; a tool error throws. */
  async ask(tool: string, args: Record<string, unknown>): Promise<string> {
    const { text, isError } = await this.call(tool, args);
    if (isError) throw new Error(`${tool} ${JSON.stringify(args)}: ${text}`);
    return text;
  }

  /** Calls a tool for its typed result. */
  async json<T = Record<string, unknown>>(tool: string, args: Record<string, unknown>): Promise<T> {
    return JSON.parse(await this.ask(tool, { ...args, as: "json" })) as T;
  }

  async call(
    tool: string,
    args: Record<string, unknown>,
  ): Promise<{ text: string; isError: boolean; images: { data: string; mimeType: string }[] }> {
    const mode = args["what"] ?? args["action"];
    const named = SHORT.has(`${tool} ${String(mode)}`) ? { timeout_ms: 60_000, ...args } : args;
    const result = await this.client.callTool({ name: tool, arguments: named }, undefined, { timeout: 600_000 });
    const content = result.content as { type: string; text?: string; data?: string; mimeType?: string }[];
    return {
      text: content
        .filter((c) => c.type === "text")
        .map((c) => c.text)
        .join("\n"),
      isError: result.isError === true,
      images: content
        .filter((c) => c.type === "image")
        .map((c) => ({ data: c.data ?? "", mimeType: c.mimeType ?? "" })),
    };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** A Chromium with the extension, paired with the place's daemon when that runs. */
export class Browser {
  constructor(
    readonly context: BrowserContext,
    readonly worker: Worker,
    readonly profile: string,
  ) {}

  /** The extension's id. */
  get id(): string {
    return new URL(this.worker.url()).host;
  }

  static async launch(
    place: Place,
    options: {
      hosts?: string[];
      /** "Network detail" is on. */
      networkDetail?: boolean;
      headless?: boolean;
      args?: string[];
      ignoreDefaultArgs?: string[];
      signals?: boolean;
      /** Whether the browser is told where the program is; true. */
      setup?: boolean;
    } = {},
  ): Promise<Browser> {
    const extension = extensionCopy(place, options.hosts, options.networkDetail);
    const profile = mkdtempSync(join(place.dir, "profile-"));
    mkdirSync(join(profile, "Default"));
    writeFileSync(
      join(profile, "Default", "Preferences"),
      JSON.stringify({ extensions: { ui: { developer_mode: true } } }),
    );
    if (options.setup !== false) await place.setUp(profile);
    const executablePath = findChromium();
    const context = await chromium.launchPersistentContext(profile, {
      ...(executablePath && { executablePath }),
      headless: options.headless ?? true,
      // Playwright's own handlers end the process before the caller could end the rest.
      ...(options.signals === false && { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }),
      // The window as it is: an emulated size is lost when the extension lets its debugger go.
      viewport: null,
      ...(options.ignoreDefaultArgs && { ignoreDefaultArgs: options.ignoreDefaultArgs }),
      args: [
        "--window-size=1280,887",
        ...TEST_FLAGS,
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        `--disable-extensions-except=${extension}`,
        `--load-extension=${extension}`,
        ...(options.args ?? []),
      ],
    });
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    return new Browser(context, worker, profile);
  }

  async page(url?: string): Promise<Page> {
    const page = await this.context.newPage();
    if (url) await page.goto(url);
    return page;
  }

  /** The extension's popup as a page, where a person's clicks go. */
  async popup(): Promise<Page> {
    return this.page(`chrome-extension://${this.id}/popup.html`);
  }

  /** Clicks a switch of the popup, as the user does, until it is as wanted. */
  async set(name: "AI Web Pilot" | "Capture bodies", on: boolean): Promise<void> {
    const popup = await this.popup();
    if (name === "AI Web Pilot") {
      const choice = popup.getByRole("radio", { name: on ? "All sites" : "Off" });
      await choice.check();
      await expect(choice).toBeChecked();
    } else {
      const control = popup.getByRole("switch", { name });
      await control.setChecked(on);
      await expect(control).toBeChecked({ checked: on });
    }
    await popup.close();
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/** A copy of the built extension that looks for the place's port. The id stays: its key is pinned. */
export function extensionCopy(place: Place, hosts: string[] = [], networkDetail = false): string {
  const copy = mkdtempSync(join(place.dir, "extension-"));
  cpSync(EXTENSION, copy, { recursive: true });
  writeFileSync(join(copy, "config.json"), JSON.stringify({ port: place.port }));
  if (hosts.length > 0 || networkDetail) {
    // A permission prompt cannot be answered headless, so these are granted from the start.
    const file = join(copy, "manifest.json");
    const manifest = JSON.parse(readFileSync(file, "utf8"));
    manifest.host_permissions.push(...hosts);
    if (networkDetail) manifest.permissions.push("webRequest");
    writeFileSync(file, JSON.stringify(manifest));
  }
  return copy;
}

/** Asks again until the answer is as wanted, for what arrives a moment later; the last answer is in the error. */
export async function until<T>(
  what: string,
  ask: () => Promise<T>,
  good: (answer: T) => boolean,
  ms = 120_000,
): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (good(answer)) return answer;
    if (performance.now() > end)
      throw new Error(`${what} did not come within ${ms} ms; last: ${JSON.stringify(answer)}`);
    await new Promise((r) => setTimeout(r, 50));
  }
}
