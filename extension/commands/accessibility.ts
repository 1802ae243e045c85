import type { AuditResult, AuditRule } from "@gasoline/schema/commands";
import { covered, frameOf } from "./frame.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Frames that did not answer, and forms that were not checked, are named up to this many. */
const MAX_NAMED = 10;

/** Rules that were not run are named up to this many. */
const MAX_UNFINISHED = 200;

/** Runs the accessibility rules in every frame of the page, one after the other: they take a page's time at once. */
export const accessibility: Handler<"accessibility"> = async ({ selector, frame }, context) => {
  const { frames, tab, deadline } = context;
  const asked = await frames.each(tab, "probe", { selector: selector ?? ":root", inner: false }, frame, deadline);
  const coverage = { ...asked.coverage };
  const fits = asked.answers.flatMap(({ frame: at, value }) => (value && value.count > 0 ? [at] : []));
  if (fits.length === 0)
    throw new CommandProblem("element_not_found", `Nothing fits ${selector?.slice(0, 200) ?? "the page"}.`);
  let all: AuditResult | undefined;
  for (const at of fits) {
    context.signal.throwIfAborted();
    const params = { frame: at.name === "" ? "main" : at.name, ...(selector === undefined ? {} : { selector }) };
    try {
      const audit = await frames.call(tab, "accessibility", params, deadline);
      if (all) add(all, audit);
      else all = audit;
    } catch (error) {
      if (at.name === "" || fits.length === 1) throw error;
      coverage.unanswered = [...(coverage.unanswered ?? []), frameOf(at)].slice(0, MAX_NAMED);
    }
  }
  if (!all) throw new CommandProblem("timeout", "No frame answered in time.");
  const { url, title } = await context.pages.describe(tab);
  all.unfinished = [...new Set(all.unfinished)].slice(0, MAX_UNFINISHED);
  return { ...all, url, title, ...covered(coverage) };
};

/** Adds what another frame's rules say. Which rules hold is told of the page's own document. */
function add(all: AuditResult, audit: AuditResult): void {
  merge(all.violations, audit.violations);
  merge(all.incomplete, audit.incomplete);
  all.unfinished = [...(all.unfinished ?? []), ...(audit.unfinished ?? [])];
  const unchecked = [...(all.unchecked ?? []), ...(audit.unchecked ?? [])].slice(0, MAX_NAMED);
  if (unchecked.length > 0) all.unchecked = unchecked;
  all.frames += audit.frames;
  all.longest_ms = Math.max(all.longest_ms, audit.longest_ms);
}

function merge(rules: AuditRule[], more: readonly AuditRule[]): void {
  for (const rule of more) {
    const known = rules.find(({ id }) => id === rule.id);
    if (!known) rules.push(rule);
    else {
      known.nodes.push(...rule.nodes);
      known.count += rule.count;
    }
  }
}
