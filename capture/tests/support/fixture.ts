import { test as base, expect, type BrowserContext, type Page } from "@playwright/test";
import { build, type BuildOptions } from "esbuild";
import { fileURLToPath } from "node:url";
import type { Batch } from "../../batch.ts";
import type { CaptureConfig, EventFor, Kind } from "../../record.ts";
import { members } from "../../../scripts/members.mjs";
import { TestServer } from "./server.ts";

export { expect };

/** Options of one capture under test. */
export interface Options {
  page?: boolean;
  document?: boolean;
  config?: Partial<CaptureConfig>;
  /** window.capture steers the capture */
  handle?: boolean;
  /** the way out is a native function, which a page that broke its realm cannot break; for pages without frames */
  native?: boolean;
  /** another script than the whole capture */
  entry?: string;
  /** what the bundler is to do otherwise */
  build?: BuildOptions;
}

type Numbered<K extends Kind> = EventFor<K> & { seq: number };

/** Records is what the page has sent so far. */
export class Records {
  readonly batches: Batch[] = [];
  private waiting: (() => void)[] = [];

  take(json: string): void {
    this.batches.push(JSON.parse(json) as Batch);
    for (const wake of this.waiting.splice(0)) wake();
  }

  all<K extends Kind>(kind: K): Numbered<K>[] {
    return this.batches.flatMap((batch) =>
      batch.records.filter((record) => record.kind === kind).map((record) => record.event as unknown as Numbered<K>),
    );
  }

  /** one waits for an event of a kind that fits. The test's own timeout ends the waiting. */
  async one<K extends Kind>(kind: K, fits: (event: Numbered<K>) => boolean = () => true): Promise<Numbered<K>> {
    for (;;) {
      const found = this.all(kind).find(fits);
      if (found) return found;
      await new Promise<void>((wake) => this.waiting.push(wake));
    }
  }

  dropped(kind: Kind): number {
    return this.batches.reduce((sum, batch) => sum + (batch.dropped?.[kind] ?? 0), 0);
  }
}

const bundles = new Map<string, Promise<string>>();

/** bundle makes a script of an entry, once per worker and set of options. */
export function bundle(entry: string, define: Record<string, string> = {}, more: BuildOptions = {}): Promise<string> {
  const key = entry + JSON.stringify([define, more]);
  let made = bundles.get(key);
  if (!made) {
    made = build({
      entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
      bundle: true,
      write: false,
      format: "iife",
      target: "chrome120",
      define,
      plugins: [members()],
      ...more,
    }).then(({ outputFiles }) => outputFiles![0]!.text + "\n//# sourceURL=gasoline-capture.js");
    bundles.set(key, made);
  }
  return made;
}

/** install puts the capture into every document of a context or page. */
export async function install(target: BrowserContext | Page, options: Options = {}): Promise<Records> {
  const records = new Records();
  const full = {
    page: options.page ?? true,
    document: options.document ?? false,
    config: options.config ?? {},
    handle: options.handle ?? false,
  };
  if (options.native) {
    const session = await (target as Page).context().newCDPSession(target as Page);
    session.on("Runtime.bindingCalled", ({ payload }) => records.take(payload));
    await session.send("Runtime.enable");
    await session.send("Runtime.addBinding", { name: "__sink" });
  } else {
    await target.exposeBinding("__sink", (_, json: string) => records.take(json));
  }
  await target.addInitScript({
    content: await bundle(options.entry ?? "./entry.ts", { OPTIONS: JSON.stringify(full) }, options.build),
  });
  return records;
}

interface Fixtures {
  /** capture installs the capture in the test's page; call it before the page is opened */
  capture: (options?: Options) => Promise<Records>;
}

export const test = base.extend<Fixtures, { server: TestServer }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures' names off the pattern
    async ({}, use) => {
      const server = new TestServer();
      await server.start();
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  capture: async ({ page }, use) => {
    await use((options) => install(page, options));
  },
});

/**
 * sameWithAndWithout runs a function in a page without and in a page with the capture and expects the same result:
 * the page must not be able to tell the difference.
 */
export async function sameWithAndWithout<T>(
  context: BrowserContext,
  url: string,
  look: (origin: string) => T | Promise<T>,
): Promise<T> {
  const results: T[] = [];
  for (const captured of [false, true]) {
    const page = await context.newPage();
    // Playwright's binding leaves globals of its own: they are there in both.
    await install(page, { page: captured, document: captured, config: { bodies: true } });
    await page.goto(url);
    results.push((await page.evaluate(look as never, new URL(url).origin)) as T);
    await page.close();
  }
  expect(results[1] as unknown).toEqual(results[0]);
  return results[0]!;
}
