import type { ariaOf, hasInternals, roleGiven } from "@gasoline/capture/locators/lent";
import type { AuditNode, AuditRule } from "@gasoline/schema/commands";
import type axeCore from "axe-core";
import type { everywhere } from "../shadow.ts";

/** What the rules say of this document. */
export interface Audit {
  version: string;
  violations: AuditRule[];
  incomplete: AuditRule[];
  passes: number;
  unfinished: string[];
  unchecked?: string[];
}

/** Elements of one rule that are told. */
const MAX_NODES = 50;
const MAX_SELECTOR = 500;
const MAX_HTML = 300;
const MAX_SUMMARY = 500;

/**
 * Members that axe reads of each element. A form shows a field of such a name instead: axe walks from the field to the form
 * and back for ever, or fails, or leaves out what is in the form and does not say so.
 */
const READ = ["parentNode", "nodeName", "nodeType", "childNodes", "getAttribute", "getRootNode"];
const MAX_UNREAD = 10;

/** The rule that takes longest by far: it looks at what lies over each text. It comes last. */
const SLOW = "color-contrast";

/** A rule that asks for next to nothing: what it takes is what every run takes. */
const CHEAP = "document-title";

// Nothing can end a run, and a run holds the page. Each one looks at the whole document first, which is what a cheap rule
// takes; measured on pages of 1,800 to 18,000 elements, all rules but the slow one take 3 to 12 times that, and the slow one
// 1.3 to 3.5 times those. So the rules run a few at a time: as many as hold the page for SLICE_MS, or for twice what every
// run takes. Between two runs the page has its turn. The slow rule cannot be cut.
const SLICE_MS = 1000;
const ALL_TO_CHEAP = 12;
const SLOW_TO_ALL = 4;

/** Rules of the first run where the page is large, and what they may take of what a cheap one takes; rules of any run. */
const FIRST = 8;
const MOST = 12; // what the next rules take nobody knows before: some take twenty times what others do
const FIRST_TO_CHEAP = 4;

/** What the agent knows of components. */
export interface Lent {
  ariaOf: typeof ariaOf;
  everywhere: typeof everywhere;
  hasInternals: typeof hasInternals;
  roleGiven: typeof roleGiven;
}

/**
 * What components have set on their internals, where axe looks for it: it is in the page's world, and rules would blame
 * components for roles and names that they have.
 */
const internals = ({ ariaOf, hasInternals, roleGiven }: Lent) => ({
  get: (component: Element): object | undefined =>
    hasInternals(component)
      ? new Proxy(
          {},
          {
            get: (_, name) =>
              name === "role"
                ? roleGiven(component)
                : /^aria[A-Z]/.test(String(name))
                  ? ariaOf(component, String(name).slice(4).toLowerCase())
                  : undefined,
          },
        )
      : undefined,
});

/** Resolves when the run before this one is over: axe runs once at a time. */
let before: Promise<unknown> = Promise.resolve();

/**
 * Runs the rules over the document, or over these elements, without its iframes. Rules that would not end before until
 * (epoch ms) are not run, and named; undefined: none was.
 */
function run(within: Element[] | undefined, until: number, frame: string, lent: Lent): Promise<Audit | undefined> {
  Object.assign(globalThis, { _elementInternals: internals(lent) });
  const work = before.then(() => runAll(within, until, frame, lent));
  before = work.catch(() => undefined);
  return work;
}

async function runAll(
  asked: Element[] | undefined,
  until: number,
  frame: string,
  { everywhere }: Lent,
): Promise<Audit | undefined> {
  const { axe } = globalThis as unknown as { axe: typeof axeCore };
  const unread = everywhere("form", document).flatMap((form) => {
    const name = READ.find((one) => Reflect.get(form, one) !== Reflect.get(HTMLFormElement.prototype, one, form));
    return name === undefined ? [] : [{ form, name }];
  });
  const within = asked?.filter((one) => !unread.some(({ form }) => form.contains(one)));
  const where = frame === "" ? "" : ` in frame ${frame}`;
  const unchecked = unread
    .slice(0, MAX_UNREAD)
    .map(({ form, name }) => `form${form.id ? `#${form.id}` : ""}${where}, whose field is named ${name}`);
  if (asked && within?.length === 0)
    return { version: axe.version, violations: [], incomplete: [], passes: 0, unfinished: [], unchecked };
  const at = within ? { include: within as unknown as Node[] } : document;
  const common: axeCore.RunOptions = { resultTypes: ["violations", "incomplete"], iframes: false };
  const only = (rule: string): axeCore.RunOptions => ({ ...common, runOnly: { type: "rule", values: [rule] } });
  const timed = async (options: axeCore.RunOptions): Promise<{ found: axeCore.AxeResults; ms: number }> => {
    await new Promise((resolve) => setTimeout(resolve)); // the page's own turn
    const began = Date.now();
    const show = hide(unread.map(({ form }) => form));
    try {
      const found = await axe.run(at as axeCore.ElementContext, options);
      return { found, ms: Date.now() - began };
    } finally {
      show();
    }
  };
  const { ms: cheap } = await timed(only(CHEAP));
  const rules = axe.getRules().map(({ ruleId }) => ruleId);
  const left = rules.filter((rule) => rule !== SLOW);
  const whole = cheap * ALL_TO_CHEAP <= SLICE_MS;
  let count = whole ? left.length : FIRST; // of the next run
  let takes = cheap * (whole ? ALL_TO_CHEAP : FIRST_TO_CHEAP); // at most, about
  if (Date.now() + takes > until) return undefined;
  const audit: Audit = {
    version: axe.version,
    violations: [],
    incomplete: [],
    passes: 0,
    unfinished: [],
    ...(unchecked.length > 0 ? { unchecked } : {}),
  };
  const add = (found: axeCore.AxeResults): void => {
    audit.violations.push(...found.violations.map((rule) => told(rule, frame)));
    audit.incomplete.push(...found.incomplete.map((rule) => told(rule, frame)));
    audit.passes += found.passes.length;
  };
  let all = cheap; // what the rules took, in one run or several
  while (left.length > 0 && Date.now() + takes <= until) {
    const slice = left.splice(0, count);
    // Which of them run by themselves is axe's to say: the others are switched off.
    const off = rules.filter((rule) => !slice.includes(rule)).map((rule) => [rule, { enabled: false }] as const);
    const { found, ms } = await timed({ ...common, rules: Object.fromEntries(off) });
    add(found);
    const own = Math.max(1, ms - cheap);
    all += own;
    const each = own / slice.length;
    count = Math.max(1, Math.min(MOST, Math.floor(Math.max(SLICE_MS - cheap, cheap) / each)));
    takes = cheap + 2 * each * Math.min(count, left.length);
  }
  audit.unfinished.push(...left);
  // Each run finds out again what several rules ask for, so the sum is more than one run would take.
  const slow = Math.min(all, cheap * ALL_TO_CHEAP) * SLOW_TO_ALL;
  if (left.length > 0 || Date.now() + slow > until) audit.unfinished.push(SLOW);
  else add((await timed(only(SLOW))).found);
  return audit;
}

/** Hides forms from axe: in this world alone their parents and roots do not have them. It gives what shows them again. */
function hide(forms: readonly Element[]): () => void {
  const changed: [Node, string][] = [];
  const set = (node: Node, name: string, value: unknown): void => {
    if (!Object.hasOwn(node, name)) changed.push([node, name]);
    Object.defineProperty(node, name, { value, configurable: true });
  };
  for (const form of forms) {
    const { parentNode: parent } = form;
    if (parent)
      set(
        parent,
        "childNodes",
        [...parent.childNodes].filter((node) => node !== form),
      );
    const root = form.getRootNode();
    const all = Reflect.get(root, "querySelectorAll") as (css: string) => NodeListOf<Element>;
    set(root, "querySelectorAll", (css: string) =>
      [...Reflect.apply(all, root, [css])].filter((at) => !form.contains(at)),
    );
  }
  return () => {
    for (const [node, name] of changed) Reflect.deleteProperty(node, name);
  };
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
