/** Counting ends at so many of a kind, and after so long, ms; the words say that there are more. */
const MAX_COUNT = 10_000;
const MAX_CACHES = 100;
const COUNT_MS = 500;

/** A count that ends by its bounds. */
class Count {
  readonly #until: number;
  value = 0;
  cut = false;

  constructor(until: number) {
    this.#until = until;
  }

  /** Adds; false: enough. */
  add(more: number): boolean {
    this.value += more;
    if (this.value >= MAX_COUNT || Date.now() >= this.#until) this.cut = true;
    return !this.cut;
  }

  of(one: string, many: string): string {
    return `${this.cut ? "at least " : ""}${this.value} ${this.value === 1 && !this.cut ? one : many}`;
  }
}

/**
 * What the document's origin stores and checkpoints do not have: the Cache API, the origin's private file system, service
 * workers; counted, in words. Empty where there is nothing. What the document may not use is left out.
 */
export async function uncovered(): Promise<string[]> {
  const until = Date.now() + COUNT_MS;
  const found = await Promise.all([inCaches(until), inFiles(until), workers()].map((one) => one.catch(() => "")));
  return found.filter((words) => words !== "");
}

async function inCaches(until: number): Promise<string> {
  const names = await inTime(caches.keys(), until);
  if (!names?.length) return "";
  const entries = new Count(until);
  for (const name of names.slice(0, MAX_CACHES)) {
    const keys = await inTime(
      caches.open(name).then((cache) => cache.keys()),
      until,
    );
    if (!entries.add(keys?.length ?? 0)) break;
  }
  if (names.length > MAX_CACHES) entries.cut = true;
  const many = `${names.length} ${names.length === 1 ? "cache" : "caches"}`;
  return `the Cache API: ${many} with ${entries.of("entry", "entries")}`;
}

async function inFiles(until: number): Promise<string> {
  const root = await inTime(navigator.storage.getDirectory(), until);
  if (!root) return "";
  const files = new Count(until);
  const left: FileSystemDirectoryHandle[] = [root];
  for (let at = left.pop(); at; at = left.pop()) {
    const entries = (at as unknown as { values(): AsyncIterator<FileSystemHandle> }).values();
    for (;;) {
      const next = await inTime(entries.next(), until);
      if (!next || next.done === true) break;
      if (next.value.kind === "directory") left.push(next.value as FileSystemDirectoryHandle);
      else if (!files.add(1)) left.length = 0;
      if (files.cut) break;
    }
    if (Date.now() >= until) {
      files.cut = true;
      break;
    }
  }
  return files.value > 0 ? `the origin's private file system: ${files.of("file", "files")}` : "";
}

async function workers(): Promise<string> {
  const { length } = await navigator.serviceWorker.getRegistrations();
  return length > 0 ? `service workers: ${length} ${length === 1 ? "registration" : "registrations"}` : "";
}

/** undefined where it is not there in time (epoch ms). */
async function inTime<T>(work: Promise<T>, until: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, until - Date.now()));
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
