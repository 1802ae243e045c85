import { readFileSync } from "node:fs";
import { compileFunction } from "node:vm";
import type { Page, Worker } from "@playwright/test";
import type { Door } from "../door.ts";
import type { Browser } from "../extension.ts";
import { Chrome } from "./chrome.ts";
import { built } from "./tab.ts";

const { id: ID } = JSON.parse(readFileSync(new URL("../../id.json", import.meta.url), "utf8")) as { id: string };

/** The globals that the worker is given instead of Node's. */
const GIVEN = ["chrome", "fetch", "setTimeout", "setInterval", "location", "navigator"];

/**
 * The extension's worker in this process, with pages of a plain browser. It is the bundle that Chrome runs; chrome.* is made
 * of the protocol, and content scripts are put into pages by it.
 */
export class NodeHost {
  readonly #chrome: Chrome;
  readonly #page: Page;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #over = false;

  private constructor(page: Page, { key: { id: key_id, key } }: Door) {
    this.#page = page;
    this.#chrome = new Chrome(page.context(), ID, { key_id, key: key.toString("hex") });
  }

  /** Starts the worker for an empty page and those that it opens. */
  static async start(page: Page, door: Door): Promise<NodeHost> {
    const host = new NodeHost(page, door);
    await host.#chrome.tabs.add(page);
    const run = compileFunction(built("background.js"), GIVEN, { filename: "background.js" });
    const navigator = { userAgent: "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/156.0.0.0" };
    const location = { origin: `chrome-extension://${ID}`, href: `chrome-extension://${ID}/background.js` };
    Reflect.apply(run, undefined, [
      host.#chrome.api(),
      async (url: string, init?: RequestInit) =>
        url === "/config.json" ? new Response(JSON.stringify({ port: door.port })) : fetch(url, init),
      (...args: Parameters<typeof setTimeout>) => host.#timer(setTimeout, args),
      (...args: Parameters<typeof setInterval>) => host.#timer(setInterval as unknown as typeof setTimeout, args),
      location,
      navigator,
    ]);
    host.#chrome.installed.tell({ reason: "install" });
    return host;
  }

  /** As a test uses it. */
  browser(): Browser {
    const chrome = this.#chrome;
    const page = this.#page;
    const api = chrome.api();
    const evaluate = async (code: (arg: unknown) => unknown, arg: unknown): Promise<unknown> =>
      compileFunction(`return (${code.toString()})(arg)`, ["chrome", "arg"])(api, arg) as unknown;
    const worker = { evaluate } as unknown as Worker;
    const unknown = (): never => {
      throw new Error("this is about the extension itself: tag the test @extension");
    };
    return {
      context: page.context(),
      page,
      id: ID,
      worker: async () => worker,
      open: unknown,
      tab: async (of) => (await chrome.tabs.add(of)).id,
      set: async (values) => chrome.local.set(values),
      stored: async () => chrome.session.get(null),
      killWorker: unknown,
    };
  }

  /** The worker does nothing any more, and its pages have no scripts of it from their next document on. */
  async stop(): Promise<void> {
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#chrome.close();
  }

  #timer(start: typeof setTimeout, [work, ms, ...args]: Parameters<typeof setTimeout>): unknown {
    if (this.#over) return undefined;
    const timer = start(work as () => void, ms, ...args);
    this.#timers.add(timer);
    return timer;
  }
}
