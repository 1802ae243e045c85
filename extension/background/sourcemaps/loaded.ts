import type { Area } from "../../state/browser.ts";

/** What a URL was loaded as. */
export type LoadedAs = "script" | "document";

const KEY = "loaded";
const MAX_URLS = 2000;
const MAX_SIZE = 300_000; // characters of URLs
const MAX_URL = 4096;
const SAVE_MS = 1000;

/**
 * The scripts and documents that pages loaded, by the documents' Resource Timing. Stacks come from pages, which can
 * write any URL into them; the timing is Chrome's own. Only what is known here may be fetched again for its source map. Kept in storage.session,
 * because scripts outlive the worker; the oldest go first.
 */
export class LoadedFiles {
  readonly #area: Area;
  #files: Promise<Map<string, LoadedAs>> | undefined; // in order of loading; <= MAX_URLS, <= MAX_SIZE
  #size = 0;
  #saving: ReturnType<typeof setTimeout> | undefined;

  constructor(area: Area) {
    this.#area = area;
  }

  /** Remembers a file. */
  async add(url: string, as: LoadedAs): Promise<void> {
    const name = withoutFragment(url);
    if (name.length > MAX_URL) return;
    const files = await this.#load();
    if (!files.delete(name)) this.#size += name.length;
    files.set(name, as);
    for (const oldest of files.keys()) {
      if (files.size <= MAX_URLS && this.#size <= MAX_SIZE) break;
      files.delete(oldest);
      this.#size -= oldest.length;
    }
    if (this.#saving !== undefined) return;
    this.#saving = setTimeout(() => {
      this.#saving = undefined;
      void this.#area.write({ [KEY]: [...files] }).catch(() => {}); // full: it is known until the worker ends
    }, SAVE_MS);
  }

  /** What the URL was loaded as, undefined when no page loaded it. */
  async as(url: string): Promise<LoadedAs | undefined> {
    return (await this.#load()).get(withoutFragment(url));
  }

  #load(): Promise<Map<string, LoadedAs>> {
    return (this.#files ??= this.#area.read<[string, LoadedAs][]>(KEY).then(
      (kept) => {
        const files = new Map(kept);
        for (const name of files.keys()) this.#size += name.length;
        return files;
      },
      () => new Map<string, LoadedAs>(),
    ));
  }
}

const withoutFragment = (url: string): string => url.replace(/#.*$/s, "");
