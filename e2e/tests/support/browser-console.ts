import type { CDPSession, Page } from "@playwright/test";

/** A line of the browser's own console, at level error or warning. */
export interface Line {
  level: "error" | "warning";
  /** What was thrown, called, or told by the browser itself. */
  by: "exception" | "console" | "browser";
  /** The first line of it; of a call, its first argument. */
  text: string;
  url: string;
  /** What was thrown and is no error, as text. */
  value?: string;
}

type Send = (method: string, params?: object) => Promise<unknown>;
type Hear = (method: string, params: never) => void;

interface Thrown {
  exceptionDetails: {
    text: string;
    url?: string;
    exception?: { description?: string; value?: unknown; subtype?: string };
  };
}
interface Called {
  type: string;
  args: { value?: string; description?: string }[];
}
interface Added {
  entry: { level: string; text: string; url?: string };
}
interface Attached {
  sessionId: string;
  targetInfo: { type: string };
}

const EVENTS = [
  "Runtime.exceptionThrown",
  "Runtime.consoleAPICalled",
  "Log.entryAdded",
  "Target.attachedToTarget",
  "Target.receivedMessageFromTarget",
] as const;

const levels: Record<string, Line["level"]> = { error: "error", assert: "error", warning: "warning" };

/**
 * The console that developer tools would show of a page: of its frames, and of its workers and their workers from their
 * first line on. Service workers are every page's of their origin; they are heard where that is asked for.
 */
export class BrowserConsole {
  readonly lines: Line[] = [];
  readonly #services: boolean;
  #id = 0;

  private constructor(services: boolean) {
    this.#services = services;
  }

  static async of(page: Page, { services = false } = {}): Promise<BrowserConsole> {
    const shown = new BrowserConsole(services);
    await shown.#attach(await page.context().newCDPSession(page));
    return shown;
  }

  async #attach(session: CDPSession): Promise<void> {
    const send: Send = (method, params) => session.send(method as never, params as never);
    const hear = this.#hearing(send);
    for (const event of EVENTS) session.on(event, (params) => hear(event, params as never));
    await this.#enable(send);
  }

  async #enable(send: Send): Promise<void> {
    // Not every target has every domain; worklets have no log, and one that is gone has none.
    for (const method of ["Runtime.enable", "Log.enable"]) await send(method).catch(() => undefined);
    // Not flat: Playwright hands on no session that it did not make.
    const how = { autoAttach: true, waitForDebuggerOnStart: true, flatten: false };
    await send("Target.setAutoAttach", how).catch(() => undefined);
    await send("Runtime.runIfWaitingForDebugger").catch(() => undefined);
  }

  /** Hears a target and those that it starts. */
  #hearing(send: Send): Hear {
    const children = new Map<string, Hear>();
    return (method, params) => {
      if (method === "Target.attachedToTarget") {
        const { sessionId, targetInfo } = params as Attached;
        const message = (name: string, more: object = {}) =>
          JSON.stringify({ id: ++this.#id, method: name, params: more });
        const child: Send = (name, more) =>
          send("Target.sendMessageToTarget", { sessionId, message: message(name, more) });
        if (targetInfo.type !== "service_worker" || this.#services) children.set(sessionId, this.#hearing(child));
        void this.#enable(child);
      } else if (method === "Target.receivedMessageFromTarget") {
        const { sessionId, message } = params as { sessionId: string; message: string };
        const told = JSON.parse(message) as { method?: string; params: never };
        if (told.method) children.get(sessionId)?.(told.method, told.params);
      } else this.#take(method, params);
    };
  }

  #take(method: string, params: never): void {
    if (method === "Runtime.exceptionThrown") {
      const { text: said, url = "", exception } = (params as Thrown).exceptionDetails;
      // Of a script of another origin there is the text alone.
      const isError = !exception || exception.subtype === "error";
      const text = first(exception ? (exception.description ?? String(exception.value)) : said);
      this.lines.push({
        level: "error",
        by: "exception",
        text,
        url,
        ...(!isError && { value: text }),
      });
    } else if (method === "Runtime.consoleAPICalled") {
      const { type, args } = params as Called;
      const level = levels[type];
      const [said] = args;
      if (level) this.lines.push({ level, by: "console", text: first(`${said?.value ?? said?.description}`), url: "" });
    } else if (method === "Log.entryAdded") {
      const { level, text, url = "" } = (params as Added).entry;
      const known = levels[level];
      if (known) this.lines.push({ level: known, by: "browser", text: text.trim(), url });
    }
  }
}

const first = (text: string): string => (text.split("\n")[0] ?? "").trim();
