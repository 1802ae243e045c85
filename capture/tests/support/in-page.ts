// What stands for "vitest" in a page: tests of *.page.ts run in a document of Chromium, one after the other, without a
// process between them. expect is Vitest's own.
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  type ExpectStatic,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
} from "@vitest/expect";
import * as chai from "chai";
import { Clock } from "./in-page-clock.ts";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

type Work = () => unknown;

interface Test {
  name: string;
  work: Work;
  before: Work[];
  after: Work[];
}

/** How one run of a test ended. */
export interface Run {
  name: string;
  /** ms */
  took: number;
  /** why it failed; "" when it did not */
  failed: string;
}

/** Tests may stop the page's clock. */
const clock = performance.now.bind(performance);
const { setTimeout: start, clearTimeout: stop } = globalThis;

const tests: Test[] = [];
let group: Pick<Test, "name" | "before" | "after"> = { name: "", before: [], after: [] };

export const expect = Object.assign(
  (value: unknown, message?: string) => chai.expect(value, message),
  chai.expect,
  (globalThis as Record<symbol, object>)[ASYMMETRIC_MATCHERS_OBJECT],
) as unknown as ExpectStatic;

/** A file's tests follow: what was to be done around those of the file before is not done around them. */
export function file(): void {
  group = { name: "", before: [], after: [] };
}

export function test(name: string, work: Work): void {
  tests.push({ ...group, name: group.name + name, work });
}

/** As Vitest's; %s is the row's next value. */
test.each =
  (rows: readonly unknown[]) =>
  (name: string, work: (...row: unknown[]) => unknown): void => {
    for (const given of rows) {
      const row: unknown[] = Array.isArray(given) ? given : [given];
      let next = 0;
      test(
        name.replaceAll("%s", () => String(row[next++])),
        () => work(...row),
      );
    }
  };

export function describe(name: string, declare: () => void): void {
  const around = group;
  group = { name: `${around.name}${name}: `, before: [...around.before], after: [...around.after] };
  declare();
  group = around;
}

export const beforeEach = (work: Work): void => void group.before.push(work);
export const afterEach = (work: Work): void => void group.after.push(work);

/** Runs one test in an empty document. A test may take ms. */
async function run(index: number, ms: number): Promise<Run> {
  const { name, work, before, after } = tests[index] as Test;
  document.head.replaceChildren();
  document.body.replaceWith(document.createElement("body"));
  for (const attribute of document.documentElement.getAttributeNames())
    document.documentElement.removeAttribute(attribute);
  scrollTo(0, 0);
  const began = clock();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = start(() => reject(new Error(`it took longer than ${ms} ms`)), ms);
  });
  let failed = "";
  const whole = async (): Promise<void> => {
    for (const first of before) await first();
    await work();
  };
  try {
    await Promise.race([whole(), late]);
  } catch (error) {
    failed = String((error as Error)?.stack ?? error) || "failed";
  } finally {
    stop(timer);
    for (const last of after) await last();
  }
  return { name, took: clock() - began, failed };
}

const stopped = new Clock();
const stubbed = new Map<string, PropertyDescriptor | undefined>();

/** As much of Vitest's as tests use that run in Node and in a page. */
export const vi = {
  useFakeTimers: (options: { now?: number | Date } = {}): void => stopped.install(options.now),
  useRealTimers: (): void => stopped.uninstall(),
  setSystemTime: (time: number | Date): void => stopped.set(time),
  advanceTimersByTime: (ms: number): void => stopped.advance(ms),
  advanceTimersByTimeAsync: (ms: number): Promise<void> => stopped.advanceAsync(ms),
  runAllTimersAsync: (): Promise<void> => stopped.runAll(),
  clearAllTimers: (): void => stopped.clear(),
  getTimerCount: (): number => stopped.count,
  stubGlobal: (name: string, value: unknown): void => {
    if (!stubbed.has(name)) stubbed.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
  },
  unstubAllGlobals: (): void => {
    for (const [name, own] of stubbed) {
      if (own) Object.defineProperty(globalThis, name, own);
      else Reflect.deleteProperty(globalThis, name);
    }
    stubbed.clear();
  },
};

const inPage = { names: (): string[] => tests.map(({ name }) => name), run };
/** What the page's script gives to who opened it. */
export type InPage = typeof inPage;
Object.assign(globalThis, { inPage });
