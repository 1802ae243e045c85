import { fold, nameOf } from "@gasoline/capture/locators/name";
import { Before, type Part, partsNow, stateOf } from "./before.ts";
import { roles } from "./control.ts";
import { isDisabled, short } from "./describe.ts";
import { Diff, wrongWith } from "./diff.ts";
import { isOwn } from "./own.ts";
import { contentOf, isControl, isSeen, TELLING, isTelling, kindOf, showing } from "./parts.ts";
import { Pass } from "./pass.ts";
import { isOperable, perhaps } from "./read/list_interactive.ts";
import { type Scope, first, holderOf, isInside, nearest, parentOf } from "./shadow.ts";
import { isVisible } from "./visible.ts";
import { Telling, partInWords, quote } from "./telling.ts";
import { brought, watch } from "./waiting.ts";

/** Controls that came and are told. */
const MAX_NEW = 8;

/** Parts of a page that are told of, and elements of one that are asked. */
const MAX_PARTS = 50;
const MAX_ASKED = 300;

/** Fields that came to hold something else, and are told. */
const MAX_VALUES = 4;

/** What came, and texts that went, are kept up to so many. */
const MAX_CAME = 200;
const MAX_WENT = 500;

/** Of the records of one act so many are looked at; of the others only the number is told. */
const MAX_LOOKED = 2000;

/** So many parts that came are read however long that takes; the others while a slice of work lasts. */
const ALWAYS_READ = 50;

/** Texts of one part that became others, and are told. */
const MAX_TEXTS = 3;

/** Messages that are read as they come: they may be gone again before the act is over. */
const MAX_READ = 40;

/** What a reader would call a part of the page. */
const CONTAINERS = `dialog, form, table, ul, ol, nav, main, section, aside, header, footer, ${roles("list, region, tabpanel, grid, dialog")}`;

/** Attributes that say what a control is like, with what is told of one that comes to be so, and no more. */
const STATES: Record<string, readonly [is: string, isNot: string]> = {
  "aria-expanded": ["expanded", "collapsed"],
  open: ["expanded", "collapsed"],
  "aria-selected": ["selected", ""],
  checked: ["checked", "unchecked"],
  "aria-checked": ["checked", "unchecked"],
  "aria-pressed": ["pressed", "not pressed any more"],
  disabled: ["disabled", "enabled"],
  "aria-disabled": ["disabled", "enabled"],
  "aria-busy": ["busy", "not busy any more"],
  "aria-current": ["current", ""],
};

/** Attributes whose words a user sees or hears: of an icon they are all that tells what it is now. */
const WORDED = ["aria-label", "aria-valuenow", "alt", "title", "placeholder"];

const CHANGES: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  characterDataOldValue: true,
  attributes: true,
  attributeOldValue: true,
  attributeFilter: [
    "class",
    "hidden",
    "value",
    "aria-invalid",
    "aria-hidden",
    "inert",
    ...WORDED,
    ...Object.keys(STATES),
  ],
};

interface Counts {
  added: number;
  removed: number;
  changed: number;
}

/** Watches what an act changes in the document and its shadow roots, to say it in words. */
export class Changes {
  readonly #observer: MutationObserver;
  readonly #watched = new Set<Scope>();
  readonly #whole: boolean;
  #before: Before | undefined;
  readonly #parts = new Map<Element, Counts>();
  /** Messages that were there for a while, with what they said last. */
  readonly #read = new Map<Element, { kind: string; words: string }>();
  /** Nodes that came, and the keys of the controls and the texts that went: what was rendered anew is not new. */
  readonly #came = new Set<Element | Text>();
  readonly #wentControls = new Set<string>();
  readonly #wentTexts = new Map<string, number>();
  readonly #went: { part: Element; texts: string[] }[] = [];
  readonly #states = new Map<Element, Record<string, string | null>>();
  readonly #worded = new Map<Element, Record<string, string | null>>();
  /** Messages that were written, and elements that came alone. */
  readonly #written = new Set<Element>();
  #looked = 0;
  diff = this.#newDiff();
  /** How many changes there were so far. */
  count = 0;

  /** whole: all that there is in the document came of the act. */
  constructor(whole = false) {
    this.#whole = whole;
    this.#observer = new MutationObserver((records) => this.#take(records));
    watch(this.#observer, CHANGES, this.#watched);
    document.addEventListener("invalid", this.diff.invalid, true);
  }

  /** The act begins now: what came before is none of its doing. */
  begin(): void {
    this.look();
    for (const known of [
      this.#parts,
      this.#read,
      this.#came,
      this.#wentControls,
      this.#wentTexts,
      this.#states,
      this.#worded,
      this.#written,
    ])
      known.clear();
    this.#went.length = 0;
    this.#looked = 0;
    document.removeEventListener("invalid", this.diff.invalid, true);
    this.diff = this.#newDiff();
    document.addEventListener("invalid", this.diff.invalid, true);
    if (!this.#whole) this.#before = new Before();
  }

  #newDiff(): Diff {
    return new Diff((at) => this.#before?.stood(at) === true);
  }

  /** Looks at what has not been delivered yet. */
  look(): number {
    this.#take(this.#observer.takeRecords());
    return this.count;
  }

  stop(): void {
    this.#observer.disconnect();
    document.removeEventListener("invalid", this.diff.invalid, true);
  }

  /**
   * The changes in words, the telling ones first: at most 12 of at most 140 characters, 1,000 bytes in all. say names a
   * control by its ref, so that the next act needs no look before it; target is what was acted on, where the act tells itself
   * what it holds.
   */
  inWords(say: (control: Element) => string = short, target?: Element): string[] {
    this.look();
    this.#enter(); // a root may come to an element that is there
    const telling = new Telling(say);
    this.#tellWrong(telling);
    this.#tellParts(telling);
    this.#tellStates(telling, target);
    this.#tellContent(telling);
    if (telling.lines.size === 0) this.#count(telling);
    return [...telling.lines];
  }

  /** Fields that the browser or the page finds wrong. */
  #tellWrong(telling: Telling): void {
    for (const field of this.diff.wrong()) {
      const byPage = field.matches("[aria-invalid=true]") && this.#states.get(field)?.["aria-invalid"] !== "true";
      if ((byPage || field.matches(":invalid")) && isVisible(field))
        telling.add(field, `invalid field ${quote(nameOf(field))} ${quote(wrongWith(field))}`);
    }
  }

  /** What opened, closed or told something. */
  #tellParts(telling: Telling): void {
    if (!this.#before && !this.#whole) return;
    const now = partsNow(telling.pass);
    const before = this.#before?.parts ?? new Map<Element, Part>();
    const closed = [...before].filter(([at, was]) => was.seen && now.get(at)?.seen !== true);
    /** The page rendered anew what stood there. */
    const isAnew = ({ kind, words }: Part): boolean => {
      const i = closed.findIndex(([at, was]) => !at.isConnected && was.kind === kind && was.words === words);
      if (i >= 0) closed.splice(i, 1);
      return i >= 0;
    };
    const opened: [Element, Part][] = [];
    const told: [Element, Part][] = [];
    for (const [at, part] of now) {
      const was = before.get(at);
      const again = isTelling(part.kind) && this.#isWritten(at, part.words, telling.pass);
      if (!part.seen || (!was && isAnew(part) && !again)) continue;
      if (isTelling(part.kind)) {
        const words = was?.seen && !(again && was.words === part.words) ? rest(part.words, was.words) : part.words;
        if (words !== "") told.push([at, { ...part, words }]);
      } else if (!part.hushed && (!was?.seen || was.hushed) && (!this.#whole || part.kind === "dialog"))
        opened.push([at, part]);
    }
    const inside = (list: readonly [Element, Part][], at: Element): boolean =>
      list.some(([other]) => other !== at && isInside(other, at));
    // A layer is what it holds.
    const layers = opened.filter(
      ([at, { kind }]) => kind === "layer" && (inside(opened, at) || contentOf(at, telling.pass).controls.length === 0),
    );
    for (const layer of layers) opened.splice(opened.indexOf(layer), 1);
    for (const [at, { kind, words }] of opened)
      if (!opened.some(([other]) => other !== at && isInside(at, other))) telling.open(at, wordFor(kind), words);
    tellMessages(
      telling,
      told.filter(([at]) => !telling.has(at)),
    );
    const modal = telling.opened.some((at) => now.get(at)?.kind === "dialog");
    for (const [at, was] of before) {
      const part = now.get(at);
      if (was.seen && !was.hushed && !isTelling(was.kind) && !modal && part?.seen && part.hushed)
        closed.push([at, was]);
    }
    const shut = closed.filter(([, { kind }]) => !isTelling(kind));
    const gone = closed.filter(([at, { kind }]) => kind !== "layer" || !inside(shut, at));
    for (const [at, { kind, words }] of gone) {
      if (/^(tooltip|tabpanel)$/.test(kind) || gone.some(([other]) => other !== at && isInside(at, other))) continue;
      const named = words === "" ? "" : `${quote(fold(words, 60))} `;
      if (!isTelling(kind)) telling.add(at, `${wordFor(kind)} ${named}closed`);
      else if (words !== "") telling.add(at, `gone: ${kind} ${named}`);
    }
    for (const [at, { kind, words }] of this.#read)
      if (now.get(at)?.words !== words && before.get(at)?.words !== words && !telling.says(words))
        telling.add(at, `${kind}: ${quote(fold(words, 90))}, which went again`);
  }

  /** Says whether the page wrote a message: what it says again in the same words is said again. */
  #isWritten(message: Element, words: string, pass: Pass): boolean {
    if (message.querySelector(TELLING)) return false;
    if (this.#written.has(message)) return true;
    for (let at = message.parentElement, n = 0; at && n < 3; at = at.parentElement, n++)
      if (this.#written.has(at) && contentOf(at, pass).words.join(" ") === words) return true;
    return false;
  }

  /** Controls that came to be otherwise. */
  #tellStates(telling: Telling, target: Element | undefined): void {
    const states = new Map(this.#states);
    for (const [at, was] of this.#before?.states ?? []) states.set(at, { ...was, ...states.get(at) });
    const lists = new Map<string, Element[]>();
    const values: [Element, string][] = [];
    for (const [at, was] of states) {
      if (!at.isConnected || telling.has(at)) continue;
      const lent = stateOf(at);
      for (const [name, from] of Object.entries(was)) {
        const to = name in lent ? (lent[name] ?? null) : at.getAttribute(name);
        if (name === "value") {
          if (to !== from && to !== null && at !== target && isSeen(at)) values.push([at, to]);
          continue;
        }
        const [on, off] = STATES[name] ?? [];
        const state = isOn(name, to) ? on : off;
        if (!state || isOn(name, from) === isOn(name, to) || (at === target && name === "checked")) continue;
        if (name === "open" && at.localName !== "details") continue;
        // What opened says more.
        if (state === "expanded" && telling.opened.length > 0) continue;
        const control = name === "open" ? (at.querySelector("summary") ?? at) : at;
        if (isSeen(control)) lists.set(state, [...(lists.get(state) ?? []), control]);
      }
    }
    for (const [state, controls] of lists) telling.list(`${state}: `, controls);
    for (const [at, value] of values.slice(0, MAX_VALUES))
      telling.list(value === "" ? "emptied: " : `value ${quote(telling.pass.secrets.clean(value, at))}: `, [at]);
  }

  /** What else the page came to say, and what can be done there. */
  #tellContent(telling: Telling): void {
    const { pass, room } = telling;
    const texts = this.diff.texts().filter(({ at, to }) => to !== "" && !telling.has(at) && isSeen(at));
    const changed = new Set(texts.filter(({ from }) => from !== "").map(({ at }) => at));
    const fresh = new Set<Element | Text>();
    for (const at of [...(this.#before?.shown() ?? []), ...this.#came]) {
      const element = at instanceof Text ? holderOf(at) : at;
      // What is left is more of the same, and the page waits.
      if (telling.late && fresh.size > ALWAYS_READ) {
        telling.cut = true;
        break;
      }
      if (!at.isConnected || !element || telling.has(element) || !isSeen(element)) continue;
      if (!(at instanceof Text && changed.has(element))) fresh.add(at);
    }
    const said = new Map<Element, string[]>();
    const controls: Element[] = [];
    let read = 0;
    const went = new Map(this.#wentTexts);
    const came = new Map<string, number>();
    for (const at of fresh) {
      if (isWithin(at, fresh)) continue;
      if (telling.late && said.size + controls.length > 0 && ++read > ALWAYS_READ) {
        telling.cut = true;
        break;
      }
      const content =
        at instanceof Element && isControl(at)
          ? { words: [], controls: isDisabled(at) ? [] : [at] }
          : contentOf(at, pass, room, telling.is);
      const words = content.words.filter((text) => {
        came.set(text, (came.get(text) ?? 0) + 1);
        return !taken(went, text) && !telling.says(text);
      });
      controls.push(...content.controls.filter((control) => !this.#wentControls.has(keyOf(control))));
      push(said, partOf(at), words.join(" "));
    }
    for (const [part, words] of said) telling.quotes(`new in ${partInWords(part)}: `, words);
    const now = new Map<Element, string[]>();
    for (const { at, from, to } of texts)
      if (from !== "" && !isWithin(at, fresh))
        push(now, partOf(at), `${quote(fold(from, 60))} became ${quote(fold(to, 60))}`);
    for (const [at, was] of this.#worded)
      if (at.isConnected && !telling.has(at) && !isWithin(at, fresh) && isSeen(at))
        for (const [name, from] of Object.entries(was)) {
          const [old, words] = [from, at.getAttribute(name)].map((text) =>
            quote(fold(pass.secrets.clean(text ?? "", at), 60)),
          );
          if (old !== words && words !== "") push(now, partOf(at), `${name} ${old} became ${words}`.replace("  ", " "));
        }
    for (const [part, words] of now)
      for (const one of words.slice(0, MAX_TEXTS)) telling.add(undefined, `in ${partInWords(part)}: ${one}`);
    const gone = new Map<Element, string[]>();
    for (const { part, texts: lost } of this.#went)
      if (part.isConnected && !telling.has(part))
        push(gone, part, lost.filter((text) => !taken(came, text) && !telling.says(text)).join(" "));
    for (const [part, words] of gone) telling.quotes(`gone from ${partInWords(part)}: `, words);
    telling.list("new: ", controls, MAX_NEW);
  }

  /** How many changed, where nothing better is known. */
  #count(telling: Telling): void {
    for (const [part, { added, removed, changed }] of this.#parts) {
      if (!part.isConnected) continue;
      const counts = [
        [added, "added"],
        [removed, "removed"],
        [changed, "changed"],
      ] as const;
      const words = counts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
      telling.add(part, `${words.join(", ")} in ${partInWords(part)}`);
    }
  }

  #take(records: MutationRecord[]): void {
    const touched = new Set<Element>();
    for (const record of records) {
      const target = elementOf(record.target);
      if (target && isOwn(target)) continue;
      const added = [...record.addedNodes].filter(notOurs);
      const removed = [...record.removedNodes].filter(notOurs);
      if (record.type === "childList" && added.length + removed.length === 0) continue;
      this.count++;
      if (this.#looked++ >= MAX_LOOKED) continue;
      this.#note(record, target, added, removed);
      this.diff.note(record, target, added, removed);
      if (target && touched.size < MAX_READ) touched.add(target);
      for (const node of added) if (node instanceof Element && touched.size < MAX_READ) touched.add(node);
    }
    if (touched.size > 0) this.#readMessages(touched);
    if (this.#looked < MAX_LOOKED && brought(records)) this.#enter();
  }

  /** Reads the messages in what has just changed. */
  #readMessages(touched: ReadonlySet<Element>): void {
    const pass = new Pass();
    for (const at of touched) {
      const around = at.isConnected ? nearest(at, showing()) : null;
      for (const message of [around, ...at.querySelectorAll(showing())]) {
        if (!message || this.#read.size >= MAX_READ) continue;
        const kind = kindOf(message);
        if (!isTelling(kind) || !isSeen(message)) continue;
        const words = contentOf(message, pass).words.join(" ");
        if (words !== "") this.#read.set(message, { kind, words });
      }
    }
  }

  /** Watches the shadow roots that came, and looks at what they came with. */
  #enter(): void {
    for (const { children } of watch(this.#observer, CHANGES, this.#watched)) {
      this.#welcome([...children]);
      this.diff.welcome([...children]);
    }
  }

  #welcome(added: readonly Node[]): void {
    for (const node of added)
      if ((node instanceof Element || node instanceof Text) && this.#came.size < MAX_CAME) this.#came.add(node);
  }

  #note(
    { type, attributeName, oldValue }: MutationRecord,
    target: Element | null,
    added: Node[],
    removed: Node[],
  ): void {
    this.#welcome(added);
    const list = target && attributeName ? this.#listOf(attributeName, target) : undefined;
    if (list && target && attributeName) {
      const known = list.get(target) ?? {};
      if (!(attributeName in known)) known[attributeName] = oldValue;
      if (list.size < MAX_CAME) list.set(target, known);
    }
    if (type !== "attributes" && this.#written.size < MAX_CAME) {
      const message = target && nearest(target, TELLING);
      const [only, ...others] = added.filter((node) => (node.textContent ?? "").trim() !== "");
      if (message) this.#written.add(message);
      if (only instanceof Element && others.length === 0) this.#written.add(only);
    }
    for (const node of removed) this.#leave(node, target);
    const part = (target && nearest(target, CONTAINERS)) ?? page();
    if (!part) return;
    const counts = this.#parts.get(part) ?? { added: 0, removed: 0, changed: 0 };
    if (type === "childList") {
      counts.added += added.length;
      counts.removed += removed.length;
    } else counts.changed++;
    if (this.#parts.size < MAX_PARTS) this.#parts.set(part, counts);
  }

  /** Where it is kept what an attribute was. */
  #listOf(name: string, { localName }: Element): Map<Element, Record<string, string | null>> | undefined {
    if (name in STATES || name === "aria-invalid") return this.#states;
    return WORDED.includes(name) || (name === "value" && /^(progress|meter)$/.test(localName))
      ? this.#worded
      : undefined;
  }

  #leave(node: Node, target: Element | null): void {
    if (node instanceof Element && this.#wentControls.size < MAX_ASKED)
      for (const at of controlsIn(node)) this.#wentControls.add(keyOf(at));
    const hidden = this.#before?.hidden;
    if (!target || this.#came.has(node as Element)) return;
    if (first(target, (at) => hidden?.has(at))) return;
    const texts: string[] = [];
    for (const text of textsIn(node, hidden)) {
      if (this.#wentTexts.size >= MAX_WENT) break;
      this.#wentTexts.set(text, (this.#wentTexts.get(text) ?? 0) + 1);
      texts.push(text);
    }
    const part = nearest(target, CONTAINERS) ?? page();
    // What told something by itself is told as that.
    const isPart = node instanceof Element && (node.matches(showing()) || node.querySelector(showing()) !== null);
    if (texts.length > 0 && part && !isPart && !(node instanceof Text) && this.#went.length < MAX_PARTS)
      this.#went.push({ part, texts });
  }
}

/** Messages in one another: those are told that say all, by the word of the one that says what it is. */
function tellMessages(telling: Telling, told: [Element, Part][]): void {
  const left = new Set(told);
  for (const message of told) {
    if (!left.has(message)) continue;
    const [at, { kind, words }] = message;
    const inner = [...left].filter(([other]) => other !== at && isInside(other, at));
    const own = inner.reduce((text, [, part]) => text.replace(part.words, ""), words).trim();
    if (inner.length === 0 || own !== "") {
      for (const other of inner) left.delete(other);
      telling.tell(at, kind, words);
    } else for (const [, part] of inner) if (part.kind === "message") part.kind = kind;
  }
}

/** What was added to words that were there. */
function rest(words: string, before: string): string {
  if (before === "") return words;
  if (words.startsWith(before)) return words.slice(before.length).trim();
  return words.endsWith(before) ? words.slice(0, -before.length).trim() : words;
}

const wordFor = (kind: string): string => (kind === "layer" ? "dialog" : kind);

const isOn = (name: string, value: string | null): boolean =>
  name === "open" || name === "disabled"
    ? value !== null
    : value === "true" || (name === "aria-current" && value !== null && !/^(false)?$/.test(value));

/** What stands for the page as a whole. A drawing or a text of XML has no body. */
const page = (): Element | null => document.body ?? document.documentElement;

const partOf = (at: Element | Text): Element | null => {
  const around = at instanceof Text ? holderOf(at) : parentOf(at);
  return (around && nearest(around, CONTAINERS)) ?? page();
};

/** Says whether a node is in another one of a set. */
function isWithin(node: Node, set: ReadonlySet<Node>): boolean {
  for (let at = node.parentNode; at; at = at instanceof ShadowRoot ? at.host : at.parentNode)
    if (set.has(at)) return true;
  return false;
}

/** Takes one of what is counted. */
function taken(counts: Map<string, number>, text: string): boolean {
  const left = counts.get(text) ?? 0;
  counts.set(text, left - 1);
  return left > 0;
}

function push(lists: Map<Element, string[]>, key: Element | null, words: string): void {
  if (key && words !== "") lists.set(key, [...(lists.get(key) ?? []), words]);
}

/** The first controls of a part, itself among them. */
function* controlsIn(part: Element): Generator<Element, void, void> {
  if (part.matches(perhaps()) && isOperable(part)) yield part;
  let asked = 0;
  for (const at of part.querySelectorAll(perhaps())) {
    if (++asked > MAX_ASKED) return;
    if (isOperable(at)) yield at;
  }
}

/** The texts of a node without those in elements that were hidden, and of controls. */
function* textsIn(node: Node, hidden: ReadonlySet<Element> | undefined): Generator<string, void, void> {
  if (node instanceof Text) {
    const text = fold(node.data, 300);
    if (text !== "") yield text;
    return;
  }
  if (!(node instanceof Element) || hidden?.has(node) || node.matches("script, style, template, noscript, option"))
    return;
  if (node.matches(perhaps()) && isOperable(node)) return;
  for (const inner of node.childNodes) yield* textsIn(inner, hidden);
}

/** What tells two renderings of a control as one. */
const keyOf = (at: Element): string =>
  `${at.localName} ${at.getAttribute("aria-label") ?? at.textContent?.slice(0, 80).trim()}`;

/** The element that a node is, or is of: of a shadow root its host. */
const elementOf = (node: Node): Element | null =>
  node instanceof Element ? node : node instanceof ShadowRoot ? node.host : node.parentElement;

const notOurs = (node: Node): boolean => !isOwn(node);
