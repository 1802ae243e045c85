import { nameOf, roleOf, fold } from "@gasoline/capture/locators/name";
import { Diff, wrongWith } from "./diff.ts";
import { shownText } from "./identity.ts";
import { PERHAPS, isOperable } from "./read/list_interactive.ts";
import { isOwn } from "./own.ts";
import { isVisible } from "./visible.ts";

const MAX_LINES = 8;
const MAX_LINE = 140;

/** Controls that came and are told. */
const MAX_NEW = 8;

/** Parts that came or went in which controls are looked for, and elements of one that are asked. */
const MAX_PARTS = 50;
const MAX_ASKED = 300;

/** Of the records of one act so many are looked at; of the others only the number is told. */
const MAX_LOOKED = 2000;

/** What tells a user something by itself. */
const TELLING =
  "dialog[open], [role=dialog], [role=alertdialog], [role=alert], [role=status], [aria-live=polite], [aria-live=assertive], " +
  "[class*=toast i], [class*=snackbar i], [class*=error-message i], [class*=field-error i]";

/** What a reader would call a part of the page. */
const CONTAINERS =
  "dialog, form, table, ul, ol, nav, main, section, aside, header, footer, [role=list], [role=region], [role=tabpanel], [role=grid], [role=dialog]";

/** Watches what an act changes in the document, to say it in words. */
export class Changes {
  readonly #observer: MutationObserver;
  readonly #telling = new Set<Element>();
  readonly #parts = new Map<Element, { added: number; removed: number; changed: number }>();
  readonly #gone = new Set<string>();
  /** Parts that came, and the keys of the controls that went: what was rendered anew is not new. */
  readonly #came = new Set<Element>();
  readonly #went = new Set<string>();
  #looked = 0;
  readonly diff = new Diff();
  /** How many changes there were so far. */
  count = 0;

  constructor() {
    document.addEventListener("invalid", this.diff.invalid, true);
    this.#observer = new MutationObserver((records) => this.#take(records));
    this.#observer.observe(document, {
      subtree: true,
      childList: true,
      characterData: true,
      characterDataOldValue: true,
      attributes: true,
      attributeFilter: ["class", "hidden", "open", "disabled", "checked", "value", "aria-invalid", "aria-expanded"],
    });
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
   * The changes in words, the telling ones first: at most 8 of at most 140 characters. say names a control that came, by its
   * ref, so that the next act needs no look before it.
   */
  inWords(say?: (control: Element) => string): string[] {
    this.look();
    const lines = new Set<string>();
    const told: Element[] = [];
    for (const field of this.diff.wrong())
      if (lines.size < MAX_LINES && field.matches(":invalid") && isVisible(field)) {
        told.push(field);
        lines.add(cut(`${invalidInWords(field)} ${quote(wrongWith(field))}`));
      }
    for (const element of this.#telling) {
      if (lines.size >= MAX_LINES) break;
      if (told.some((other) => other.contains(element)) || !isVisible(element)) continue;
      told.push(element);
      const text = isInvalid(element) ? wrongWith(element) : shownText(element, 100);
      if (text !== "" || isDialog(element) || isInvalid(element)) lines.add(cut(`${kindOf(element)} ${quote(text)}`));
    }
    for (const text of this.#gone) if (lines.size < MAX_LINES) lines.add(cut(`gone: ${text}`));
    for (const line of say ? this.#newInWords(say) : []) if (lines.size < MAX_LINES) lines.add(line);
    const parts = [...this.#parts].filter(([part]) => part.isConnected && !told.some((other) => other.contains(part)));
    for (const [part, { added, removed, changed }] of parts) {
      if (lines.size >= MAX_LINES) break;
      const counts = [
        [added, "added"],
        [removed, "removed"],
        [changed, "changed"],
      ] as const;
      const words = counts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
      lines.add(cut(`${words.join(", ")} in ${partInWords(part)}`));
    }
    return [...lines];
  }

  #newInWords(say: (control: Element) => string): string[] {
    const controls = new Set<Element>();
    for (const part of this.#came)
      for (const at of controlsIn(part))
        if (controls.size < MAX_NEW && !this.#went.has(keyOf(at)) && isVisible(at)) controls.add(at);
    const lines: string[] = [];
    for (const words of [...controls].map(say)) {
      const last = lines.length - 1;
      const longer = `${lines[last]}, ${words}`;
      if (last >= 0 && longer.length <= MAX_LINE) lines[last] = longer;
      else lines.push(`new: ${words}`);
    }
    return lines;
  }

  #take(records: MutationRecord[]): void {
    for (const record of records) {
      const target = record.target instanceof Element ? record.target : record.target.parentElement;
      if (target && isOwn(target)) continue;
      const added = [...record.addedNodes].filter(notOurs);
      const removed = [...record.removedNodes].filter(notOurs);
      if (record.type === "childList" && added.length + removed.length === 0) continue;
      this.count++;
      if (this.#looked++ >= MAX_LOOKED) continue;
      this.#note(record.type, target, added, removed);
      this.diff.note(record, target, added, removed);
    }
  }

  #note(type: MutationRecordType, target: Element | null, added: Node[], removed: Node[]): void {
    for (const node of added) {
      if (!(node instanceof Element)) continue;
      if (this.#came.size < MAX_PARTS) this.#came.add(node);
      if (node.matches(TELLING)) this.#telling.add(node);
      else for (const inner of node.querySelectorAll(TELLING)) this.#telling.add(inner);
    }
    const around = target?.closest(TELLING);
    if (around) this.#telling.add(around);
    if (target && isInvalid(target)) this.#telling.add(target);
    for (const node of removed) {
      if (!(node instanceof Element)) continue;
      if (this.#went.size < MAX_ASKED) for (const at of controlsIn(node)) this.#went.add(keyOf(at));
      if (!node.matches(TELLING)) continue;
      const text = shownText(node, 60);
      if (text !== "") this.#gone.add(`${kindOf(node)} ${quote(text)}`);
    }
    const part = target?.closest(CONTAINERS) ?? document.body;
    if (!part) return;
    const counts = this.#parts.get(part) ?? { added: 0, removed: 0, changed: 0 };
    if (type === "childList") {
      counts.added += added.length;
      counts.removed += removed.length;
    } else counts.changed++;
    if (this.#parts.size < 50) this.#parts.set(part, counts);
  }
}

/** The first controls of a part, itself among them. */
function* controlsIn(part: Element): Generator<Element, void, void> {
  if (part.matches(PERHAPS) && isOperable(part)) yield part;
  let asked = 0;
  for (const at of part.querySelectorAll(PERHAPS)) {
    if (++asked > MAX_ASKED) return;
    if (isOperable(at)) yield at;
  }
}

/** What tells two renderings of a control as one. */
const keyOf = (at: Element): string =>
  `${at.localName} ${at.getAttribute("aria-label") ?? at.textContent?.slice(0, 80).trim()}`;

const notOurs = (node: Node): boolean => !isOwn(node);

const isInvalid = (element: Element): boolean => element.matches("[aria-invalid=true]");

const isDialog = (element: Element): boolean => element.matches("dialog, [role=dialog], [role=alertdialog]");

const invalidInWords = (field: Element): string => `invalid field ${quote(nameOf(field))}`;

function kindOf(element: Element): string {
  if (isInvalid(element)) return invalidInWords(element);
  if (isDialog(element)) return "dialog";
  const role = element.getAttribute("role");
  if (role === "status") return role;
  // "alert" is what dialogs of the browser are called.
  if (role === "alert") return "message";
  return /error/i.test(element.className) ? "error" : "message";
}

function partInWords(part: Element): string {
  if (part === document.body) return "the page";
  const name = fold(nameOf(part), 60);
  const role = roleOf(part) || part.localName;
  return name === "" ? role : `${role} ${quote(name)}`;
}

const quote = (text: string): string => (text === "" ? "" : `"${text}"`);

const cut = (line: string): string => {
  const bare = line.trim();
  return bare.length > MAX_LINE ? `${bare.slice(0, MAX_LINE - 1)}…` : bare;
};
