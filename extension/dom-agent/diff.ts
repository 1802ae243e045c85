import { cssPath } from "@gasoline/capture/locators/css";
import type { PageDiff } from "@gasoline/schema/commands";
import { fold, nameOf } from "@gasoline/capture/locators/name";
import { shownText } from "./identity.ts";
import { inWords } from "./describe.ts";
import { isInside, nearest } from "./shadow.ts";
import { isVisible } from "./visible.ts";

const MAX_PARTS = 10;
const MAX_FIELDS = 20;
const MAX_TEXTS = 20;
const MAX_MUTATIONS = 20;
const MAX_TEXT = 120;

/** Of what an act put into the page so many elements are kept to be asked about. */
const MAX_KEPT = 200;

const OVERLAY =
  "dialog, [role=dialog], [role=alertdialog], [aria-modal=true], [popover], [class*=modal i], [class*=overlay i]";
const TOAST =
  "[role=alert], [role=status], [aria-live=polite], [aria-live=assertive], [class*=toast i], [class*=snackbar i]";
const LOADING =
  "[aria-busy=true], [role=progressbar], progress, [class*=spinner i], [class*=loading i], [class*=skeleton i]";
const PARTS = [OVERLAY, TOAST, LOADING].join();

/** What changed in the document from one moment on, as data. Elements that go away are not kept. */
export class Diff {
  readonly #url = location.href;
  readonly #title = document.title;
  readonly #parts = new Kept();
  readonly #fields = new Kept();
  /** Elements whose text is another one, with the text before. */
  readonly #texts: { at: WeakRef<Element>; from: string }[] = [];
  readonly #noted = new WeakSet<Element>();
  readonly #closed = new Set<string>();
  readonly #mutations: string[] = [];
  #added = 0;
  #removed = 0;
  #changes = 0;
  readonly #stood: (part: Element) => boolean;

  /** stood says whether a part was there before, as it is now. */
  constructor(stood: (part: Element) => boolean) {
    this.#stood = stood;
  }

  /** Takes one record. added and removed are its nodes without what we put into the page. */
  note(record: MutationRecord, target: Element | null, added: readonly Node[], removed: readonly Node[]): void {
    this.#changes++;
    if (target?.closest("head")) return; // nobody sees it, but for the title
    const elements = added.filter((node) => node instanceof Element);
    this.#added += elements.length;
    this.welcome(elements);
    for (const element of elements) this.#say(() => `added ${inWords(element)}`);
    for (const node of removed) {
      if (!(node instanceof Element)) continue;
      this.#removed++;
      const overlay = node.matches(OVERLAY) ? node : node.querySelector(OVERLAY);
      if (overlay && this.#closed.size < MAX_PARTS) this.#closed.add(shownText(overlay, MAX_TEXT));
      this.#say(() => `removed ${inWords(node)}`);
    }
    if (!target) return;
    const live = nearest(target, TOAST);
    if (live) this.#parts.keep(live);
    if (record.type === "attributes") {
      if (target.matches(PARTS)) this.#parts.keep(target);
      if (target.matches("[aria-invalid=true]")) this.#fields.keep(target);
      return this.#say(() => `${record.attributeName} changed on ${inWords(target)}`);
    }
    const from = record.type === "characterData" ? record.oldValue : textBefore(target, removed, added);
    if (from === null) return;
    if (this.#noted.has(target) || this.#texts.length >= MAX_KEPT) return;
    this.#noted.add(target);
    this.#texts.push({ at: new WeakRef(target), from: fold(from, MAX_TEXT) });
  }

  /** Takes elements that came, also with a shadow root. */
  welcome(elements: readonly Element[]): void {
    for (const element of elements) {
      if (element.matches(PARTS)) this.#parts.keep(element);
      else for (const inner of element.querySelectorAll(PARTS)) this.#parts.keep(inner);
    }
  }

  /** Takes a field that the browser found wrong. */
  readonly invalid = ({ target }: Event): void => {
    if (target instanceof Element) this.#fields.keep(target);
  };

  /** The fields that the browser or the page found wrong, and that the page still has. */
  wrong(): Element[] {
    return this.#fields.now();
  }

  /** Elements that say something else than before, and are there. */
  texts(): { at: Element; from: string; to: string }[] {
    return this.#texts.flatMap(({ at, from }) => {
      const element = at.deref();
      const to = element?.isConnected ? shownText(element, MAX_TEXT) : undefined;
      return element && to !== undefined && to !== from ? [{ at: element, from, to }] : [];
    });
  }

  /** What there is of it now. */
  told(mutations: boolean): PageDiff {
    const parts = this.#parts.now();
    const overlays = parts.filter((at) => at.matches(OVERLAY));
    const inOverlays = (at: Element) => overlays.some((overlay) => overlay !== at && isInside(at, overlay));
    const opened = overlays.filter((at) => isVisible(at) && !inOverlays(at) && !this.#stood(at));
    const closed = overlays.filter((at) => !isVisible(at)).map((at) => shownText(at, MAX_TEXT));
    const toasts = parts.filter((at) => at.matches(TOAST) && !at.matches(OVERLAY) && isVisible(at) && !this.#stood(at));
    const texts = this.texts().map(({ at, from, to }) => ({ selector: selectorOf(at), from, to }));
    const told: PageDiff = {
      url_changed: location.href !== this.#url,
      title_changed: document.title !== this.#title,
      elements_added: this.#added,
      elements_removed: this.#removed,
      changes: this.#changes,
    };
    const lists = {
      overlays_opened: opened.map((at) => ({ selector: selectorOf(at), text: shownText(at, MAX_TEXT) })),
      overlays_closed: [...new Set([...this.#closed, ...closed])].filter((text) => text !== ""),
      toasts: toasts
        .map((at) => ({ text: shownText(at, MAX_TEXT), type: at.getAttribute("role") ?? "toast" }))
        .filter(({ text }) => text !== ""),
      form_errors: this.wrong()
        .filter((at) => at.matches(":invalid, [aria-invalid=true]") && isVisible(at))
        .map((at) => ({ field: fold(nameOf(at), 80), text: wrongWith(at) })),
      loading_indicators: parts.filter((at) => at.matches(LOADING) && isVisible(at)).map(selectorOf),
      text_changes: texts,
      ...(mutations ? { mutations: this.#mutations } : {}),
    };
    const most = { form_errors: MAX_FIELDS, text_changes: MAX_TEXTS, mutations: MAX_MUTATIONS };
    for (const [name, list] of Object.entries(lists))
      if (list.length > 0) Object.assign(told, { [name]: list.slice(0, most[name as keyof typeof most] ?? MAX_PARTS) });
    return told;
  }

  /** Names take long to compute: only those that are kept are made. */
  #say(mutation: () => string): void {
    if (this.#mutations.length < MAX_MUTATIONS) this.#mutations.push(mutation());
  }
}

/** Elements, as long as the page has them. */
class Kept {
  readonly #seen = new WeakSet<Element>();
  readonly #elements: WeakRef<Element>[] = [];

  keep(element: Element): void {
    if (this.#seen.has(element) || this.#elements.length >= MAX_KEPT) return;
    this.#seen.add(element);
    this.#elements.push(new WeakRef(element));
  }

  now(): Element[] {
    return this.#elements.flatMap((at) => {
      const element = at.deref();
      return element?.isConnected ? [element] : [];
    });
  }
}

/** The text of an element before a record that exchanged nothing but text; else null. */
function textBefore({ childNodes }: Element, removed: readonly Node[], added: readonly Node[]): string | null {
  const isText = (node: Node): boolean => node instanceof Text;
  if (!removed.every(isText) || !added.every(isText)) return null;
  // Text that came beside other nodes says nothing of what was there.
  if (removed.length === 0 && childNodes.length > added.length) return null;
  return removed.map(({ textContent }) => textContent ?? "").join("");
}

const selectorOf = (element: Element): string => cssPath(element) || element.localName;

/** What the page, or else the browser, says is wrong with a field. */
export function wrongWith(field: Element): string {
  for (const attribute of ["aria-errormessage", "aria-describedby"])
    for (const id of field.getAttribute(attribute)?.split(/\s+/) ?? []) {
      const message = (field.getRootNode() as Document | ShadowRoot).getElementById(id);
      const text = message && isVisible(message) ? shownText(message, 100) : "";
      if (text !== "") return text;
    }
  return "validationMessage" in field ? fold(String(field.validationMessage), 100) : "";
}
