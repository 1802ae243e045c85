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
  longest_ms: number;
  unchecked?: string[];
}

/** Elements of one rule that are told. */
const MAX_NODES = 50;
const MAX_SELECTOR = 500;
const MAX_HTML = 300;
const MAX_SUMMARY = 500;

/**
 * Members that axe reads of each element. A form shows a field of such a name instead: axe walks from the field to the form
 * and back for ever, or fails, or judges no text of the page, or leaves out what is in the form and does not say so.
 */
const READ = [
  "parentNode",
  "nodeName",
  "nodeType",
  "childNodes",
  "getAttribute",
  "getRootNode",
  "classList",
  "hasAttributes",
  "getBoundingClientRect",
  "getClientRects",
  "compareDocumentPosition",
];
const MAX_UNREAD = 10;

/** The rule that takes longest by far: it looks at what lies under each text. It comes last. */
const SLOW = "color-contrast";

/** A rule that asks for the frame around its elements; a run is of one document. */
const AROUND = "region";

// Nothing can end a rule, and a rule holds the page. axe first makes a tree of the whole document, which takes as long as most
// rules: all rules share one tree. Where all but the slow one may take longer than HOLD_MS, which is ALL_TO_TREE times what the
// tree takes, they are run one after the other, and those that judge each element by itself on some elements at a time.
const HOLD_MS = 200;
const ALL_TO_TREE = 12;
const FIRST_ELEMENTS = 100;
const MOST_GROWTH = 8;

/** What the first rules take of what the tree takes, and what any rule does before it is cut. */
const FIRST_TO_TREE = 4;
const RULE_TO_TREE = 2;

/** What axe's own runs are made of: runs that share a tree need it. The version is that of the lock file. */
interface Inside {
  _tree?: VirtualNode[];
  _runRules: (at: unknown, options: axeCore.RunOptions, told: Told, failed: (error: unknown) => void) => void;
  _audit: {
    run(
      about: About,
      options: axeCore.RunOptions,
      told: (raw: RawResult[]) => void,
      failed: (error: unknown) => void,
    ): void;
    after(results: unknown, options: axeCore.RunOptions): RuleResult[];
    getRule(rule: string): Rule;
    checks: Record<string, { after?: unknown } | undefined>;
  };
  utils: {
    getNodeFromTree(element: Node): VirtualNode | null;
    mergeResults(frames: { results: unknown }[]): object[];
    publishMetaData(result: RuleResult): void;
    finalizeRuleResult(result: RuleResult): RuleResult;
  };
}

interface Rule extends Record<"any" | "all" | "none", (string | { id: string })[]> {
  pageLevel: boolean;
  gather(about: About): VirtualNode[];
}
interface VirtualNode {
  actualNode: Node;
}
/** What a run is about, as axe's own Context. */
interface About {
  include: VirtualNode[];
  flatTree: VirtualNode[];
}
/** What a rule says, with the elements of each outcome. */
type RuleResult = { id: string } & Partial<Record<(typeof OUTCOMES)[number], unknown[]>>;
interface RawResult {
  id: string;
  nodes: { node: object }[];
}
type Told = (results: RuleResult[], end: () => void) => void;

const OUTCOMES = ["violations", "incomplete", "passes"] as const;

/** The tree that axe makes of the document. It is made anew when something in the document has changed. */
class Tree {
  /** What it takes to make one, ms. */
  made = 0;
  /** How many elements the last run found of a rule, where it does not tell all. */
  readonly counts = new Map<string, number>();
  readonly #axe: typeof axeCore & Inside;
  readonly #within: Element[] | undefined;
  readonly #everywhere: typeof everywhere;
  readonly #runRules: Inside["_runRules"];
  readonly #changes = new MutationObserver(() => (this.#old = true));
  #old = true;
  #since = -Infinity; // when the tree was made

  constructor(axe: typeof axeCore & Inside, within: Element[] | undefined, all: typeof everywhere) {
    this.#axe = axe;
    this.#within = within;
    this.#everywhere = all;
    this.#runRules = axe._runRules;
    axe._runRules = (_, options, told, failed) => {
      this.#run(options, told, failed);
    };
  }

  /** Makes the tree if there is none of the document as it is now. A page that changes all the time costs twice as much. */
  renew(): void {
    const now = Date.now();
    if (!this.#old || now - this.#since < 2 * this.made) return;
    this.#changes.disconnect();
    this.#axe.teardown();
    this.#axe.setup(document as unknown as Element);
    const roots = new Set(this.#everywhere("*", document).map((element) => element.getRootNode()));
    for (const root of roots.add(document))
      this.#changes.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    this.#old = false;
    this.#since = now;
    this.made = Math.max(this.made, Date.now() - now);
  }

  /** Whether a rule judges each element by itself. */
  cuts(rule: string): boolean {
    const { _audit: audit } = this.#axe;
    const { any, all, none, pageLevel } = audit.getRule(rule);
    return (
      rule === AROUND ||
      (!pageLevel &&
        [any, all, none].flat().every((check) => !audit.checks[typeof check === "string" ? check : check.id]?.after))
    );
  }

  /** The elements that a rule looks at. */
  of(rule: string): Node[] {
    return this.#axe._audit
      .getRule(rule)
      .gather(this.#about())
      .map(({ actualNode }) => actualNode);
  }

  /** Runs a rule on these elements alone. */
  async on<T>(rule: string, elements: Node[], run: () => Promise<T>): Promise<T> {
    const at = this.#axe._audit.getRule(rule);
    at.gather = () => elements.flatMap((element) => this.#axe.utils.getNodeFromTree(element) ?? []);
    try {
      return await run();
    } finally {
      Reflect.deleteProperty(at, "gather");
    }
  }

  /** Gives axe back as it was. */
  end(): void {
    this.#changes.disconnect();
    this.#axe._runRules = this.#runRules;
    this.#axe.teardown();
  }

  #about(): About {
    const { _tree: flatTree = [], utils } = this.#axe;
    const include = this.#within?.flatMap((element) => utils.getNodeFromTree(element) ?? []) ?? flatTree.slice(0, 1);
    if (include.length === 0) throw new Error("what was asked for is not in axe's tree");
    const page = include.length === 1 && include[0]?.actualNode === document.documentElement;
    return Object.assign(
      { include, flatTree },
      { exclude: [], frames: [], page, initiator: true, focusable: true, size: {} },
    );
  }

  /** Does what axe does in a run between making a tree and the report. */
  #run(options: axeCore.RunOptions, told: Told, failed: (error: unknown) => void): void {
    const { _audit: audit, utils } = this.#axe;
    const ended = (raw: RawResult[]): void => {
      // axe looks for the frame around each element by a path that counts its siblings: twenty thousand take 17 s.
      for (const { id, nodes } of raw)
        if (id === AROUND) for (const { node } of nodes) Object.defineProperty(node, "ancestry", { value: [""] });
      const all = audit.after(utils.mergeResults([{ results: raw }]), options);
      for (const result of all) utils.publishMetaData(result);
      const results = all.map((result) => utils.finalizeRuleResult(result));
      this.counts.clear();
      for (const result of results)
        for (const outcome of OUTCOMES) {
          const found = result[outcome] ?? [];
          this.counts.set(`${result.id} ${outcome}`, found.length);
          // Of each one the report makes a selector that is its alone: twenty thousand take longer than all rules.
          result[outcome] = found.slice(0, MAX_NODES);
        }
      told(results, () => undefined);
    };
    const guarded =
      <A extends unknown[]>(step: (...args: A) => void) =>
      (...args: A): void => {
        try {
          step(...args);
        } catch (error) {
          failed(error);
        }
      };
    guarded(() => {
      audit.run(this.#about(), options, guarded(ended), failed);
    })();
  }
}

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
  const { axe } = globalThis as unknown as { axe: typeof axeCore & Inside };
  const unread = everywhere("form", document).flatMap((form) => {
    const name = READ.find((one) => Reflect.get(form, one) !== Reflect.get(HTMLFormElement.prototype, one, form));
    return name === undefined ? [] : [{ form, name }];
  });
  const within = asked?.filter((one) => !unread.some(({ form }) => form.contains(one)));
  const where = frame === "" ? "" : ` in frame ${frame}`;
  const unchecked = unread
    .slice(0, MAX_UNREAD)
    .map(({ form, name }) => `form${form.id ? `#${form.id}` : ""}${where}, whose field is named ${name}`);
  const audit: Audit = {
    version: axe.version,
    violations: [],
    incomplete: [],
    passes: 0,
    unfinished: [],
    longest_ms: 0,
    ...(unchecked.length > 0 ? { unchecked } : {}),
  };
  if (asked && within?.length === 0) return audit;
  const rules = axe.getRules().map(({ ruleId }) => ruleId);
  const left = [...rules.filter((rule) => rule !== SLOW), SLOW];
  const passed = new Set<string>();
  const tree = new Tree(axe, within, everywhere);
  /** Does some work on a tree of the page as it is, after the page's own turn. It gives what the work took, ms. */
  const held = async (work: () => unknown): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve));
    const began = Date.now();
    // What a run does without the page's having its turn ends before this.
    setTimeout(() => (audit.longest_ms = Math.max(audit.longest_ms, Date.now() - began)));
    const show = hide(unread.map(({ form }) => form));
    try {
      tree.renew();
      await work();
    } finally {
      show();
    }
    return Date.now() - began;
  };
  /** Runs these rules, and reports whether one of them is among those that run. */
  const run = async (some: readonly string[]): Promise<boolean> => {
    // Which rules run by themselves is axe's to say: the others are switched off.
    const off = rules.filter((rule) => !some.includes(rule)).map((rule) => [rule, { enabled: false }] as const);
    const options: axeCore.RunOptions = { resultTypes: ["violations", "incomplete"], iframes: false };
    const found = await axe.run(document, { ...options, rules: Object.fromEntries(off) });
    for (const outcome of ["violations", "incomplete"] as const)
      for (const rule of found[outcome])
        add(audit[outcome], told(rule, tree.counts.get(`${rule.id} ${outcome}`) ?? rule.nodes.length, frame));
    for (const { id } of found.passes) passed.add(id);
    return [found.violations, found.incomplete, found.passes, found.inapplicable].some((list) => list.length > 0);
  };
  /** Runs a rule on as many elements at a time as hold the page for half of HOLD_MS. It reports whether it got to the end. */
  const runCut = async (rule: string): Promise<boolean> => {
    let elements: Node[] | undefined;
    let took = tree.made * RULE_TO_TREE;
    let runs = true;
    for (let at = 0, count = FIRST_ELEMENTS; runs && at < (elements?.length ?? 1); at += count) {
      if (elements) count = Math.ceil(count * Math.min(MOST_GROWTH, HOLD_MS / 2 / Math.max(1, took)));
      if (Date.now() + took > until) return false;
      took = await held(async () => {
        elements ??= tree.of(rule);
        runs = await tree.on(rule, elements.slice(at, at + count), () => run([rule]));
      });
    }
    return true;
  };
  try {
    await held(() => undefined);
    if (Date.now() + tree.made * FIRST_TO_TREE > until) return undefined;
    if (tree.made * ALL_TO_TREE <= HOLD_MS) await held(() => run(left.splice(0, left.length - 1)));
    for (const rule of left) {
      const fits = audit.unfinished.length === 0 && Date.now() + tree.made * RULE_TO_TREE <= until;
      if (fits && !tree.cuts(rule)) await held(() => run([rule]));
      else if (!fits || !(await runCut(rule))) audit.unfinished.push(rule);
    }
    audit.passes = passed.size;
    return audit;
  } finally {
    tree.end();
  }
}

/** Adds what a rule says of some elements to what it said of others. */
function add(all: AuditRule[], more: AuditRule): void {
  const known = all.find(({ id }) => id === more.id);
  if (!known) {
    all.push(more);
    return;
  }
  known.count += more.count;
  known.nodes = [...known.nodes, ...more.nodes].slice(0, MAX_NODES);
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
  if (forms.length > 0) {
    const walk = document.createTreeWalker.bind(document);
    const acceptNode = (node: Node): number =>
      forms.includes(node as Element) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
    set(document, "createTreeWalker", (root: Node, what?: number) => walk(root, what, { acceptNode }));
  }
  return () => {
    for (const [node, name] of changed) Reflect.deleteProperty(node, name);
  };
}

const told = (rule: axeCore.Result, count: number, frame: string): AuditRule => ({
  id: rule.id,
  impact: rule.impact ?? "",
  help: rule.help,
  description: rule.description,
  help_url: rule.helpUrl,
  tags: rule.tags,
  count,
  nodes: rule.nodes.map((node): AuditNode => ({
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
