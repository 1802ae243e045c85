import type { Debug, Failure, Send } from "../../commands/context.ts";
import { CommandProblem, pageLeft } from "../../commands/problem.ts";
import { beforeDeadline } from "../execution/deadline.ts";

const PROTOCOL = "1.3";

/** A screencast has a page draw that the user does not see. Its pictures are as small and as few as can be, and nobody's. */
const SMALLEST = { format: "jpeg", quality: 1, maxWidth: 16, maxHeight: 16, everyNthFrame: 1000 };

/** Between two uses this close the debugger stays: its bar would flicker, and attaching costs time. */
const LINGER_MS = 300;

/** The answer that is an empty document. */
const EMPTY = {
  responseCode: 200,
  responseHeaders: [
    { name: "Content-Type", value: "text/html; charset=utf-8" },
    { name: "Cache-Control", value: "no-store" },
  ],
  body: btoa("<!doctype html><title>Gasoline brings this page's state back</title>"),
};

/** What the browser's error page says of itself, and the status of the answer that it stands for. */
const FAILED = `({
  code: String(globalThis.loadTimeDataRaw?.errorCode ?? ""),
  status: performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0,
})`;

interface Failed {
  code: string;
  status: number;
}

interface Attached {
  users: number;
  ready: Promise<void>;
  timer?: ReturnType<typeof setTimeout>;
}

/** Chrome's debugger, attached only while a command needs it: every window shows a bar meanwhile. */
export class Debuggers implements Debug {
  readonly #attached = new Map<number, Attached>();
  /** Tabs that draw, by how many have them do so. */
  readonly #drawing = new Map<number, number>();

  /** Lets go of what a life of the worker that died in the middle of a command held. */
  async reclaim(): Promise<void> {
    for (const { tabId, attached } of await chrome.debugger.getTargets()) {
      if (!attached || tabId === undefined || this.#attached.has(tabId)) continue;
      // Where developer tools are attached and not this extension, Chrome refuses.
      await chrome.debugger.detach({ tabId }).catch(() => undefined);
    }
  }

  /** Chrome or the user detached us. */
  detached(tab: number | undefined): void {
    if (tab === undefined) return;
    clearTimeout(this.#attached.get(tab)?.timer);
    this.#attached.delete(tab);
  }

  async run<T>(tab: number, deadline: number, work: (send: Send) => Promise<T>): Promise<T> {
    let attached = this.#attached.get(tab);
    if (!attached) {
      attached = { users: 0, ready: attach(tab) };
      this.#attached.set(tab, attached);
    }
    clearTimeout(attached.timer);
    attached.users++;
    const { ready } = attached;
    const done = ready.then(() =>
      work((method, params) =>
        chrome.debugger.sendCommand({ tabId: tab }, method, params).catch((error: unknown) => {
          throw ended(error);
        }),
      ),
    );
    try {
      return await beforeDeadline(deadline, "The page did not answer the debugger in time.", done);
    } finally {
      attached.users--;
      if (attached.users === 0 && this.#attached.get(tab) === attached) this.#letGo(tab, attached);
    }
  }

  /** Two screencasts of a tab are one: cast is that of a film, which has the tab draw for others, too. */
  async draw(tab: number, send: Send, cast?: Record<string, unknown>): Promise<() => Promise<void>> {
    const others = this.#drawing.get(tab) ?? 0;
    this.#drawing.set(tab, others + 1);
    const stop = async (): Promise<void> => {
      const left = (this.#drawing.get(tab) ?? 1) - 1;
      this.#drawing.set(tab, left);
      if (left > 0) return;
      this.#drawing.delete(tab);
      await send("Page.stopScreencast").catch(() => undefined); // the debugger may be gone
    };
    try {
      if (cast || others === 0) await send("Page.startScreencast", cast ?? SMALLEST);
    } catch (error) {
      await stop();
      throw error;
    }
    return stop;
  }

  on(tab: number, method: string, heard: (params: object) => void): () => void {
    const hears = (source: chrome.debugger.Debuggee, name: string, params?: object): void => {
      if (source.tabId === tab && name === method) heard(params ?? {});
    };
    chrome.debugger.onEvent.addListener(hears);
    return () => chrome.debugger.onEvent.removeListener(hears);
  }

  async failure(tab: number, deadline: number): Promise<Failure | undefined> {
    return this.run(tab, deadline, async (send) => {
      const { frameTree } = (await send("Page.getFrameTree")) as {
        frameTree: { frame: { url: string; unreachableUrl?: string } };
      };
      const { unreachableUrl: url } = frameTree.frame;
      // A document without anything in it is one whose answer could not be read. In a page that came no script asks: nothing
      // of a site is in the browser's document, or in an empty one.
      if (!url) {
        const { root } = (await send("DOM.getDocument", { depth: 0 })) as { root: { childNodeCount?: number } };
        await send("DOM.disable");
        if (root.childNodeCount) return undefined;
      }
      const said = await send("Runtime.evaluate", { expression: FAILED, returnByValue: true });
      const { code, status } = (said as { result: { value?: Failed } }).result.value ?? {};
      return {
        url: url ?? frameTree.frame.url,
        ...(/^(net::)?ERR_/.test(code ?? "") ? { error: `net::${code?.replace("net::", "")}` } : {}),
        ...(status ? { status } : {}),
      };
    });
  }

  async blank(tab: number, deadline: number): Promise<void> {
    let heard = (_source: chrome.debugger.Debuggee, _method: string, _params?: object): void => {};
    try {
      await this.run(tab, deadline, async (send) => {
        const shown = new Promise<void>((resolve, reject) => {
          let filled = false;
          heard = (source, method, params) => {
            if (source.tabId !== tab) return;
            const { requestId, type } = (params ?? {}) as { requestId?: string; type?: string };
            // What else the page asks is for the user to answer.
            if (method === "Page.javascriptDialogOpening" && type === "beforeunload")
              send("Page.handleJavaScriptDialog", { accept: true }).catch(() => undefined);
            else if (method === "Fetch.requestPaused" && !filled) {
              filled = true;
              send("Fetch.fulfillRequest", { requestId, ...EMPTY }).catch(reject);
            } else if (method === "Page.loadEventFired" && filled) resolve();
          };
        });
        chrome.debugger.onEvent.addListener(heard);
        await send("Page.enable");
        await send("Fetch.enable", { patterns: [{ urlPattern: "*", resourceType: "Document" }] });
        try {
          // Past the site's service worker, which would answer in its own way.
          await send("Page.reload", { ignoreCache: true });
          await shown;
        } finally {
          await send("Fetch.disable").catch(() => undefined);
          await send("Page.disable").catch(() => undefined);
        }
      });
    } finally {
      chrome.debugger.onEvent.removeListener(heard);
    }
  }

  #letGo(tab: number, attached: Attached): void {
    attached.timer = setTimeout(() => {
      if (attached.users > 0 || this.#attached.get(tab) !== attached) return;
      this.#attached.delete(tab);
      // The tab may be closed by now; then there is nothing to detach from.
      chrome.debugger.detach({ tabId: tab }).catch(() => undefined);
    }, LINGER_MS);
  }
}

async function attach(tab: number): Promise<void> {
  try {
    await chrome.debugger.attach({ tabId: tab }, PROTOCOL);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A worker that died while attached left the debugger behind; it is ours to use.
    if (message.includes("already attached") && (await isOurs(tab))) return;
    throw new CommandProblem("debugger_refused", `Chrome does not let the debugger into this tab: ${message}`);
  }
}

/** What it means where Chrome gave up a step: its words are those of its protocol. */
function ended(error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error);
  if (/navigated or closed/.test(message)) return pageLeft();
  if (/^Detached while|is not attached/.test(message))
    return new CommandProblem(
      "debugger_refused",
      "The debugger was ended while the command ran: the user closed its bar, or developer tools took the tab.",
    );
  return error;
}

async function isOurs(tab: number): Promise<boolean> {
  try {
    await chrome.debugger.sendCommand({ tabId: tab }, "Runtime.evaluate", { expression: "0" });
    return true;
  } catch {
    return false;
  }
}
