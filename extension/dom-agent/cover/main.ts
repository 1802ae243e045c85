import type { AgentOps } from "../../messages/agent.ts";
import type { showers } from "../frames.ts";
import type { everywhere, roots } from "../shadow.ts";
import type { pause } from "../waiting.ts";

// This is a script of its own, loaded on first use. What it needs of the agent it is lent.

/** What the agent of the document lends. */
export interface Tools {
  everywhere: typeof everywhere;
  roots: typeof roots;
  isSecret: (element: Element) => boolean;
  pause: typeof pause;
  /** What fits one of these selectors. */
  fitting: (masks: readonly string[]) => Element[][];
  showers: typeof showers;
}

type How = Omit<AgentOps["cover"]["params"], "masks">;
type Covered = AgentOps["cover"]["result"];

/** The attribute of covered fields. The worker's style sheet, which no page can overrule, makes them black. */
const MARK = "data-gasoline-covered";

/** The attribute of frames that do not say which of their fields are secret. */
const HIDDEN = "data-gasoline-hidden";

/** The attribute of what an agent does not want in its picture. */
const MASKED = "data-gasoline-masked";

const FIELDS = "input,textarea";

/** What says that a field is secret, and the mark, which a page can take away. */
const WATCHED = ["type", "name", "id", "autocomplete", "role", MARK, HIDDEN];

/** A page that takes the marks away so often in one document has it: the two would go on for ever. */
const MAX_AGAIN = 1000;

/** Shadow roots that come without a change of the tree around them are found so often, ms. */
const SEARCH_MS = 300;

/** The worker tells that the film goes on, or the fields are shown again: it may be gone. ms. */
const SILENCE_MS = 20_000;

/** A tab that is not shown paints nothing; in it this is waited for, ms. */
const PAINT_MS = 300;

/** Covers the fields whose values are nobody's business, and hides frames that cannot do so, while a film of the tab is made. */
class Cover {
  readonly #lent: Tools;
  readonly #marked = new Set<Element>();
  readonly #hidden = new Set<Element>();
  readonly #told = new WeakSet<Element>(); // what shows frames of which it was told whether they are hidden, or will be
  #hides = false;
  readonly #roots = new WeakSet<Node>();
  // Its callback runs before the next picture is painted: a field that comes is never seen without its cover.
  readonly #observer = new MutationObserver((records) => this.#take(records));
  readonly #searching: ReturnType<typeof setInterval>;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #again = 0;
  #gone = 0; // covered fields that are in the document no more

  constructor(lent: Tools) {
    this.#lent = lent;
    this.#searching = setInterval(() => this.#search(), SEARCH_MS);
  }

  /** Fields that are or were covered. */
  get fields(): number {
    return this.#gone + this.#marked.size;
  }

  /** Goes on for a while. Gives the number of fields that are or were covered, once those that are there are. */
  go({ hides = false, shown }: How): Required<Omit<Covered, "fit">> {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(end, SILENCE_MS);
    const { all, others } = this.#lent.showers(hides ? shown : undefined);
    // Those that are there are shown until it is told which of them are hidden.
    if (shown || !this.#hides) for (const frame of all) this.#told.add(frame);
    this.#hides = hides;
    const again = shown || !hides ? [...this.#hidden].filter((frame) => !others.includes(frame)) : [];
    show(again, HIDDEN);
    for (const frame of again) this.#hidden.delete(frame);
    const before = this.#hidden.size;
    this.#hide(others);
    const hid = this.#hidden.size - before;
    this.#search();
    return { fields: this.fields, frames: all.length, hid };
  }

  end(): number {
    clearTimeout(this.#silence);
    clearInterval(this.#searching);
    this.#observer.disconnect();
    show(this.#marked, MARK);
    show(this.#hidden, HIDDEN);
    return this.fields;
  }

  #search(): void {
    for (const field of this.#marked) {
      if (field.isConnected) continue;
      this.#marked.delete(field); // one that comes back is found again
      field.removeAttribute(MARK);
      this.#gone++;
    }
    for (const root of this.#lent.roots()) {
      if (this.#roots.has(root)) continue;
      this.#roots.add(root);
      this.#observer.observe(root, {
        subtree: true,
        childList: true,
        attributeFilter: WATCHED,
        attributeOldValue: true,
      });
    }
    for (const field of this.#lent.everywhere(FIELDS, document)) this.#look(field);
    if (this.#hides) this.#hide(this.#lent.showers().all.filter((frame) => !this.#told.has(frame)));
  }

  #take(records: MutationRecord[]): void {
    let came = false;
    for (const { type, target, attributeName, oldValue, addedNodes } of records) {
      if (type === "childList") came ||= [...addedNodes].some((node) => node instanceof Element);
      else if (!(target instanceof Element)) continue;
      else if (attributeName === HIDDEN) this.#hide(this.#hidden.has(target) ? [target] : []);
      else if (attributeName === "type" && oldValue?.toLowerCase() === "password") this.#mark(target);
      else this.#look(target);
    }
    if (came) this.#search();
  }

  #look(field: Element): void {
    if (this.#marked.has(field) || this.#lent.isSecret(field)) this.#mark(field);
  }

  #mark(field: Element): void {
    this.#put(field, this.#marked, MARK);
  }

  #hide(frames: readonly Element[]): void {
    for (const frame of frames) this.#put(frame, this.#hidden, HIDDEN);
  }

  #put(at: Element, marked: Set<Element>, mark: string): void {
    if (at.getAttribute(mark) === "" || (marked.has(at) && ++this.#again > MAX_AGAIN)) return;
    marked.add(at);
    at.setAttribute(mark, "");
  }
}

/** Takes a mark away without a transition to how the elements were. */
function show(marked: Iterable<Element>, mark: string): void {
  for (const at of marked) at.setAttribute(mark, "off");
  // Read, or the browser would see both changes as one.
  for (const at of marked) void getComputedStyle(at).opacity;
  for (const at of marked) at.removeAttribute(mark);
}

let current: Cover | undefined;

function end(): number {
  const covered = current?.end() ?? 0;
  current = undefined;
  return covered;
}

/** Begins, goes on or ends; gives the number of fields that are or were covered, once the screen shows it. */
async function cover({ on, ...how }: How, lent: Tools): Promise<Covered> {
  if (!on) return { fields: end() };
  const before = current?.fields ?? 0;
  const covered = (current ??= new Cover(lent)).go({ on, ...how });
  if (covered.fields !== before || covered.hid > 0) await painted(lent);
  return covered;
}

/** Hides what fits masks, and what comes while it is hidden, in the frame that it comes in. */
class Mask {
  readonly #masked = new Set<Element>();
  readonly #observer = new MutationObserver(() => void this.#find());
  readonly #silence = setTimeout(() => unmask(), SILENCE_MS);
  readonly #lent: Tools;
  readonly #masks: readonly string[];
  readonly fit: number[];

  constructor(masks: readonly string[], lent: Tools) {
    this.#lent = lent;
    this.#masks = masks;
    this.fit = this.#find();
    // Not the mark: a page that takes it away as often would go on for ever with us.
    const watched = { subtree: true, childList: true, attributeFilter: ["class", "id", "role"] };
    for (const root of lent.roots()) this.#observer.observe(root, watched);
  }

  end(): void {
    clearTimeout(this.#silence);
    this.#observer.disconnect();
    show(this.#masked, MASKED);
  }

  #find(): number[] {
    const found = this.#lent.fitting(this.#masks);
    for (const at of found.flat()) {
      this.#masked.add(at);
      if (at.getAttribute(MASKED) !== "") at.setAttribute(MASKED, "");
    }
    return found.map(({ length }) => length);
  }
}

let hiding: Mask | undefined;

function unmask(): void {
  hiding?.end();
  hiding = undefined;
}

/** Hides what fits masks until it is called with none; gives how many fit each, once the screen shows it. */
async function mask(masks: readonly string[], lent: Tools): Promise<{ fit: number[] }> {
  unmask();
  if (masks.length === 0) return { fit: [] };
  hiding = new Mask(masks, lent);
  const { fit } = hiding;
  await painted(lent);
  return { fit };
}

/** Resolves when what was changed is on the screen; in a tab that is not shown, soon. */
const painted = (lent: Tools): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
    void lent.pause(PAINT_MS).then(resolve);
  });

declare global {
  var gasolineCover: { cover: typeof cover; mask: typeof mask } | undefined;
}

globalThis.gasolineCover ??= { cover, mask };
