import type { AuditNode, AuditRule } from "@gasoline/schema/commands";
import type axeCore from "axe-core";

/** What the rules say of this document. */
export interface Audit {
  version: string;
  violations: AuditRule[];
  incomplete: AuditRule[];
  passes: number;
  unfinished: string[];
}

/** Elements of one rule that are told. */
const MAX_NODES = 50;
const MAX_SELECTOR = 500;
const MAX_HTML = 300;
const MAX_SUMMARY = 500;

/** The rule that takes longest by far: it looks at what lies over each text. It comes last. */
const SLOW = "color-contrast";

/** Resolves when the run before this one is over: axe runs once at a time. */
let before: Promise<unknown> = Promise.resolve();

/**
 * Runs the rules over the document, or over these elements, without its iframes. until is in epoch ms: a rule that would
 * begin later is not run. Nothing can end a rule that runs.
 */
function run(within: Element[] | undefined, until: number, frame: string): Promise<Audit> {
  const work = before.then(() => runAll(within, until, frame));
  before = work.catch(() => undefined);
  return work;
}

async function runAll(within: Element[] | undefined, until: number, frame: string): Promise<Audit> {
  const { axe } = globalThis as unknown as { axe: typeof axeCore };
  const at = within ? { include: within as unknown as Node[] } : document;
  const common: axeCore.RunOptions = { resultTypes: ["violations", "incomplete"], iframes: false };
  const parts: axeCore.RunOptions[] = [
    { ...common, rules: { [SLOW]: { enabled: false } } },
    { ...common, runOnly: { type: "rule", values: [SLOW] } },
  ];
  const audit: Audit = {
    version: axe.version,
    violations: [],
    incomplete: [],
    passes: 0,
    unfinished: [],
  };
  for (const [i, options] of parts.entries()) {
    if (Date.now() >= until) {
      audit.unfinished.push(...(i === 0 ? axe.getRules().map(({ ruleId }) => ruleId) : [SLOW]));
      break;
    }
    const found = await axe.run(at as axeCore.ElementContext, options);
    audit.violations.push(...found.violations.map((rule) => told(rule, frame)));
    audit.incomplete.push(...found.incomplete.map((rule) => told(rule, frame)));
    audit.passes += found.passes.length;
    await new Promise((resolve) => setTimeout(resolve)); // the page's own turn
  }
  return audit;
}

const told = (rule: axeCore.Result, frame: string): AuditRule => ({
  id: rule.id,
  impact: rule.impact ?? "",
  help: rule.help,
  description: rule.description,
  help_url: rule.helpUrl,
  tags: rule.tags,
  count: rule.nodes.length,
  nodes: rule.nodes.slice(0, MAX_NODES).map((node): AuditNode => ({
    selector: node.target.flat().join(" >>> ").slice(0, MAX_SELECTOR),
    html: node.html.slice(0, MAX_HTML),
    impact: node.impact ?? "",
    summary: (node.failureSummary ?? "").replace(/\s*\n\s*/g, " ").slice(0, MAX_SUMMARY),
    ...(frame === "" ? {} : { frame, url: location.href.slice(0, 300) }),
  })),
});

declare global {
  var gasolineAudit: { run: typeof run } | undefined;
}

globalThis.gasolineAudit ??= { run };
