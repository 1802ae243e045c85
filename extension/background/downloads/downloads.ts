import type { Download } from "@gasoline/schema/commands";
import type { TellDownload } from "../../messages/agent.ts";
import { onAsked } from "../frames/browser.ts";
import { originOf } from "../../state/origins.ts";

/** Downloads that are told of one act. */
const MAX = 5;

/** A download that has not begun or not ended is waited for so long, ms, after its act has settled. */
const END_MS = 1000;

const MAX_URL = 300;
const MAX_NAME = 300;

/** An act that runs, with what is known of the downloads that it began. */
interface Running {
  tab: number;
  /** What documents asked for, in order: at most MAX. */
  asked: { name: string; url: string }[];
  /** What Chrome began while only this act ran, or what its document asked for: the addresses by id, at most MAX. */
  began: Map<number, string>;
  /** Hears of each that begins. */
  hears: (() => void) | undefined;
}

/** chrome.downloads, where the user allowed it. */
const api = (): typeof chrome.downloads | undefined => (chrome as { downloads?: typeof chrome.downloads }).downloads;

/**
 * What acts download. A document tells the name of what a link of its own with the attribute download asks for. Chrome
 * tells path, size and state, and other downloads too, once the user has given the permission for it.
 */
export class Downloads {
  readonly #running = new Map<string, Running>(); // by action
  readonly #covers: (url: string) => boolean;
  #listens = false;

  /** covers says whether the user granted the site of a URL. */
  constructor(covers: (url: string) => boolean) {
    this.#covers = covers;
  }

  /** Hears of downloads from now on. */
  listen(): void {
    onAsked((message, tab) => {
      const { type, action = "", name = "", url = "" } = message as Partial<TellDownload>;
      if (type !== "gasoline-download") return undefined;
      const running = this.#running.get(action);
      if (running?.tab === tab && running.asked.length < MAX)
        running.asked.push({ name: name.slice(0, MAX_NAME), url });
      return Promise.resolve(null);
    });
  }

  /** An act begins in a tab. */
  open(action: string, tab: number): void {
    if (!this.#listens) this.#hear();
    this.#running.set(action, { tab, asked: [], began: new Map(), hears: undefined });
  }

  /** It is over. */
  close(action: string): void {
    this.#running.delete(action);
  }

  /**
   * What an act downloads, once it has settled; one that Chrome has not begun or not ended is waited for a moment, until the
   * time (epoch ms).
   */
  async of(action: string, until: number): Promise<Download[]> {
    const running = this.#running.get(action);
    if (!running) return [];
    const end = Math.min(until, Date.now() + END_MS);
    // A document asks before Chrome begins, which it does once the server has answered.
    if (this.#listens) await begun(running, end);
    const items = await Promise.all([...running.began.keys()].map((id) => ended(id, end)));
    const found = items.flatMap((item) => (item ? [item] : []));
    const told = found.map((item): Download => ({
      name: nameOf(item.filename) || (running.asked.find(({ url }) => url === item.url)?.name ?? ""),
      url: item.url.slice(0, MAX_URL),
      state: item.state,
      ...(item.filename ? { path: item.filename } : {}),
      ...(item.fileSize >= 0 ? { size: item.fileSize } : item.totalBytes >= 0 ? { size: item.totalBytes } : {}),
      ...(item.mime ? { type: item.mime } : {}),
      ...(item.error ? { error: item.error } : {}),
      ...(running.asked.some(({ url }) => url === item.url) ? {} : { same_time: true }),
    }));
    const unseen = running.asked.filter(({ url }) => !found.some((item) => item.url === url));
    return [
      ...told,
      ...unseen.map(({ name, url }): Download => ({ name, url: url.slice(0, MAX_URL), state: "asked_for" })),
    ].slice(0, MAX);
  }

  #hear(): void {
    const downloads = api();
    if (!downloads) return; // The user may give the permission later.
    this.#listens = true;
    downloads.onCreated.addListener(({ id, url, referrer }) => {
      const acts = [...this.#running.values()];
      // What no document asked for belongs to an act only where no other may have begun it, and no page elsewhere.
      const may = acts.length === 1 && [url, referrer].some((at) => this.#covers(originOf(at)));
      const of = acts.find(({ asked }) => asked.some((at) => at.url === url)) ?? (may ? acts[0] : undefined);
      if (!of || of.began.size >= MAX) return;
      of.began.set(id, url);
      of.hears?.();
    });
  }
}

/** Resolves when Chrome has begun all that an act's documents asked for, or at the time (epoch ms). */
async function begun(running: Running, until: number): Promise<void> {
  const { asked, began } = running;
  const all = (): boolean => asked.every(({ url }) => [...began.values()].includes(url));
  while (!all() && Date.now() < until) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      running.hears = resolve;
      timer = setTimeout(resolve, until - Date.now());
    });
    clearTimeout(timer);
  }
  running.hears = undefined;
}

/** A download as it is when it has ended, or at the time (epoch ms); undefined where it is forgotten. */
async function ended(id: number, until: number): Promise<chrome.downloads.DownloadItem | undefined> {
  const downloads = api();
  if (!downloads) return undefined;
  const now = async (): Promise<chrome.downloads.DownloadItem | undefined> => (await downloads.search({ id }))[0];
  let changed: (delta: chrome.downloads.DownloadDelta) => void = () => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, until - Date.now()));
    changed = (delta) => {
      if (delta.id === id && delta.state && delta.state.current !== "in_progress") resolve();
    };
    downloads.onChanged.addListener(changed);
  });
  try {
    const item = await now();
    if (item?.state !== "in_progress") return item;
    await over;
    return await now();
  } finally {
    clearTimeout(timer);
    downloads.onChanged.removeListener(changed);
  }
}

const nameOf = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
