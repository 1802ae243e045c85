import { readFileSync } from "node:fs";
import type { CDPSession, Page } from "@playwright/test";
import { type Heard, ScriptedDocument, closeRoots, makeChrome } from "./document.ts";

const WORLD = "gasoline";

/** A built script. */
export const built = (file: string): string => readFileSync(new URL(`../../dist/${file}`, import.meta.url), "utf8");

/** Documents that have the scripts: those of a site, and what a site's page makes itself. */
const HAVE = `location.protocol.startsWith("http") || (globalThis !== top && location.protocol !== "chrome-error:") || !!opener`;

/** What a tab tells of itself, in the words of chrome.tabs.onUpdated. */
export interface Change {
  status?: "loading" | "complete";
  url?: string;
}

/** A page of the runner as a tab with the extension's scripts. */
export class Tab {
  readonly id: number;
  readonly page: Page;
  readonly session: CDPSession;
  readonly documents = new Map<number, ScriptedDocument>(); // by the context of the isolated world
  url = "about:blank";
  status: "loading" | "complete" = "complete";
  #failed = false; // the browser shows its error page
  readonly #frames = new Map<string, number>(); // chrome's numbers by the protocol's names
  readonly #main: string;
  readonly #mains = new Map<string, number>(); // contexts of the page's world by frame
  readonly #changed: (change: Change) => void;

  private constructor(id: number, page: Page, session: CDPSession, main: string, changed: (change: Change) => void) {
    this.id = id;
    this.page = page;
    this.session = session;
    this.#main = main;
    this.#frames.set(main, 0);
    this.#changed = changed;
  }

  /** Puts the scripts into a page; documents that it has already get them late. */
  static async open(
    id: number,
    page: Page,
    extension: string,
    heard: Heard,
    changed: (change: Change) => void,
  ): Promise<Tab> {
    const session = await page.context().newCDPSession(page);
    const { frameTree } = await session.send("Page.getFrameTree");
    const tab = new Tab(id, page, session, frameTree.frame.id, changed);
    tab.url = frameTree.frame.url;
    session.on("event", ({ method, params }) => tab.#take(method, params as never, extension, heard));
    const isolated = `(${makeChrome.toString()})(${JSON.stringify(extension)});${built("core.js")};${built("content.js")}`;
    const page_ = `(${closeRoots.toString()})();(function () { ${built("page.js")}\n})();`;
    await Promise.all([
      session.send("Page.enable"),
      session.send("Runtime.addBinding", { name: "gasolineHost", executionContextName: WORLD }),
      session.send("Page.addScriptToEvaluateOnNewDocument", {
        source: `if (${HAVE}) { ${page_} }`,
        runImmediately: true,
      }),
      session.send("Runtime.enable"),
      session.send("Page.addScriptToEvaluateOnNewDocument", {
        source: `if (${HAVE}) { ${isolated} }`,
        worldName: WORLD,
        runImmediately: true,
      }),
    ]);
    return tab;
  }

  /** The name of the tab in the protocol. */
  get target(): string {
    return this.#main;
  }

  /** The documents of all frames, or of some. */
  which({ frameIds, documentIds, allFrames }: Which): ScriptedDocument[] {
    const all = [...this.documents.values()];
    if (documentIds) {
      const found = all.filter(({ sender }) => documentIds.includes(sender.documentId));
      if (found.length === 0) throw new Error(`No document with id ${documentIds.join()} in tab with id ${this.id}.`);
      return found;
    }
    if (allFrames) return all;
    if (this.#failed) throw new Error("Frame with ID 0 is showing error page");
    const wanted = frameIds ?? [0];
    const found = all.filter(({ sender }) => wanted.includes(sender.frameId));
    if (found.length === 0) throw new Error(`No frame with id ${wanted.join()} in tab with id ${this.id}.`);
    return found;
  }

  /** The tab begins to go elsewhere: chrome says so before the page comes. */
  loading(): void {
    if (this.status === "loading") return;
    this.status = "loading";
    this.#changed({ status: "loading" });
  }

  /** It was closed. */
  left(): void {
    for (const document of this.documents.values()) document.left();
    this.documents.clear();
  }

  #take(method: string, params: never, extension: string, heard: Heard): void {
    switch (method) {
      case "Runtime.executionContextCreated":
        return this.#context((params as { context: Context }).context, extension, heard);
      case "Runtime.executionContextDestroyed":
        return this.#gone((params as { executionContextId: number }).executionContextId);
      case "Runtime.executionContextsCleared":
        for (const id of this.documents.keys()) this.#gone(id);
        return;
      case "Runtime.bindingCalled": {
        const { name, payload, executionContextId } = params as Called;
        if (name === "gasolineHost") this.documents.get(executionContextId)?.take(payload);
        return;
      }
      case "Page.frameStartedLoading":
        if (this.#isMain(params)) this.loading();
        return;
      case "Page.frameStoppedLoading":
        if (!this.#isMain(params) || this.status === "complete") return;
        this.status = "complete";
        return this.#changed({ status: "complete" });
      case "Page.frameNavigated": {
        const { frame } = params as {
          frame: { id: string; url: string; urlFragment?: string; unreachableUrl?: string };
        };
        if (frame.id !== this.#main) return;
        this.#failed = frame.unreachableUrl !== undefined;
        this.url = frame.unreachableUrl ?? frame.url + (frame.urlFragment ?? "");
        this.status = "loading";
        return this.#changed({ status: "loading", url: this.url });
      }
      case "Page.navigatedWithinDocument": {
        if (!this.#isMain(params)) return;
        this.url = (params as { url: string }).url;
        return this.#changed({ url: this.url });
      }
    }
  }

  #isMain(params: { frameId: string }): boolean {
    return params.frameId === this.#main;
  }

  #context({ id, name, uniqueId, origin, auxData }: Context, extension: string, heard: Heard): void {
    const { frameId, isDefault } = auxData;
    if (isDefault) this.#mains.set(frameId, id);
    if (name === WORLD) {
      const frame = this.#frames.get(frameId) ?? this.id * 1000 + this.#frames.size;
      this.#frames.set(frameId, frame);
      const url = frame === 0 ? this.url : origin;
      const sender = { id: extension, tab: { id: this.id }, frameId: frame, documentId: uniqueId, url, origin };
      this.documents.set(id, new ScriptedDocument(this.session, heard, sender, id));
    }
    for (const document of this.documents.values())
      if (document.sender.frameId === this.#frames.get(frameId)) document.main = this.#mains.get(frameId);
  }

  #gone(context: number): void {
    this.documents.get(context)?.left();
    this.documents.delete(context);
  }
}

/** Which documents chrome.scripting means. */
export interface Which {
  frameIds?: number[];
  documentIds?: string[];
  allFrames?: boolean;
}

interface Context {
  id: number;
  uniqueId: string;
  name: string;
  origin: string;
  auxData: { frameId: string; isDefault: boolean };
}

interface Called {
  name: string;
  payload: string;
  executionContextId: number;
}
