// The end of a run of the test suite, as a person reads it: what failed and why, what was left out, what took how long.
import { LAST_LINES } from "./part.mjs";

/** Failed tests that are shown with their output; the rest by name and message. */
const SHOWN = 10;

/** The slowest tests that are named. */
const SLOWEST = 10;

/** Reasons for tests that were left out; the rest is a number. */
const REASONS = 12;

const WIDTH = 140;

const cut = (text, width = WIDTH) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
const indented = (text) => text.replace(/^/gm, "      ");

/** A length of time in seconds, or in minutes and seconds. */
export function time(seconds) {
  if (seconds < 100) return `${seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

/** A number with its noun. */
export const some = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** The title of a test: where it is, and its name. */
export const title = ({ group, name }) => (group && group !== name ? `${group} › ${name}` : name);

/** The last lines of a failed test's output. */
export const last = (output) => output.split("\n").slice(-LAST_LINES).join("\n");

/** One line for a part that has ended. */
export function ended({ name, seconds, cases }) {
  const failed = cases.filter((at) => at.failure).length;
  const skipped = cases.filter((at) => at.skipped !== undefined).length;
  const told = [
    ...(failed > 0 ? [`${failed} FAILED`] : ["passed"]),
    ...(cases.length > 0 ? [some(cases.length, "test")] : []),
    ...(skipped > 0 ? [`${skipped} left out`] : []),
  ];
  return `${name.padEnd(16)} ${time(seconds).padStart(12)}  ${told.join(", ")}`;
}

/**
 * The summary of parts that ended.
 * @param {Awaited<ReturnType<typeof import("./part.mjs").runPart>>[]} parts
 * @param {{name: string, why: string}[]} notRun Parts that did not run.
 * @param {number} seconds What all of them took.
 */
export function summary(parts, notRun, seconds) {
  const out = [];
  const all = parts.flatMap((part) => part.cases.map((at) => ({ ...at, part: part.name })));

  const skipped = new Map();
  for (const at of all.filter(({ skipped }) => skipped !== undefined)) {
    const reason = `${at.part}: ${cut(at.skipped || "the test does not say why", 100)}`;
    skipped.set(reason, [...(skipped.get(reason) ?? []), at]);
  }
  if (skipped.size > 0) {
    out.push("", "Left out");
    for (const [reason, tests] of [...skipped].slice(0, REASONS))
      out.push(cut(`  ${reason} (${tests.length === 1 ? title(tests[0]) : some(tests.length, "test")})`));
    if (skipped.size > REASONS) out.push(`  and ${some(skipped.size - REASONS, "more reason")}`);
  }

  const slow = all.filter(({ seconds }) => seconds >= 1);
  const slowest = slow.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  if (slowest.length > 0) {
    out.push("", "Slowest tests");
    for (const at of slowest) out.push(cut(`  ${time(at.seconds).padStart(12)}  ${at.part}: ${title(at)}`));
  }

  out.push("", "Parts");
  for (const part of parts) out.push(`  ${ended(part)}`);
  for (const { name, why } of notRun) out.push(`  ${name.padEnd(16)} ${"not run".padStart(12)}  ${why}`);

  const failed = all.filter(({ failure }) => failure);
  if (failed.length > 0) {
    out.push("", "Failed");
    for (const at of failed.slice(0, SHOWN)) {
      out.push(cut(`  ${at.part}: ${title(at)}`), cut(`    ${at.failure.message}`));
      if (at.failure.output) out.push(indented(last(at.failure.output)));
    }
    for (const at of failed.slice(SHOWN)) out.push(cut(`  ${at.part}: ${title(at)}`), cut(`    ${at.failure.message}`));
  }

  out.push("");
  const left = all.filter(({ skipped }) => skipped !== undefined).length;
  const counts = `${some(all.length - left, "test")} in ${time(seconds)}, ${left} left out`;
  if (failed.length + notRun.length === 0) out.push(`All passed: ${counts}.`);
  else {
    const problems = [
      ...(failed.length > 0 ? [`${failed.length} failed`] : []),
      ...(notRun.length > 0 ? [`${some(notRun.length, "part")} did not run`] : []),
    ];
    out.push(`${problems.join(", ")}: ${counts}.`);
    // Who sees the end of a long output only still learns what failed, and where.
    for (const at of failed.slice(0, SHOWN)) {
      out.push(cut(`  ✘ ${at.part}: ${title(at)}`), cut(`      ${at.failure.message}`));
      const line = at.failure.output?.match(/^\s*> *(\d+ \|.*)$/m);
      if (line) out.push(cut(`      ${line[1]}`));
    }
    if (failed.length > SHOWN) out.push(`  and ${failed.length - SHOWN} more`);
  }
  return out.join("\n").trimStart();
}
