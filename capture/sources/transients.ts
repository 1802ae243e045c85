import { cancelLater, later, now } from "../natives.ts";
import type { Guard } from "../guard.ts";
import type { Realm } from "../realm.ts";
import { cssPath } from "../locators/css.ts";
import { fold, roleTold, textHead } from "../locators/name.ts";

/** Words in class, id or role that make an element one of a kind, in the order they are looked for. */
const kinds: readonly (readonly [classification: string, words: RegExp])[] = [
  ["toast", /(^|[-_\s])toast(ify|er|s)?($|[-_\s])|sonner|Toastify/i],
  ["snackbar", /snack-?bar/i],
  ["flash", /(^|[-_\s])flash([-_\s]?(message|notice))?($|[-_\s])/i],
  ["notification", /(^|[-_\s])(notification|notify|notice|growl)s?($|[-_\s])/i],
  ["tooltip", /(^|[-_\s])tooltip($|[-_\s])/i],
  ["banner", /(^|[-_\s])(banner|callout)($|[-_\s])/i],
  ["alert", /(^|[-_\s])alert($|[-_\s])/i],
];
const roles: Record<string, string> = {
  alert: "alert",
  alertdialog: "alert",
  status: "notification",
  log: "notification",
  tooltip: "tooltip",
};

const selector =
  "[role=alert],[role=alertdialog],[role=status],[role=tooltip],[aria-live=polite],[aria-live=assertive]," +
  "[class*=toast i],[class*=snack i],[class*=flash i],[class*=notif i],[class*=notice i],[class*=growl i],[class*=tooltip i],[class*=banner i],[class*=callout i],[class*=alert i]";

/** A transient that still stands after this long is told without its end, ms. */
const tellAfter = 5000;
/** Frameworks insert first and fill afterwards. */
const fillTime = 50;
const maxShown = 50;
/** Tabs in the background draw no frames; there elements are looked at after this long, ms. */
const frameless = 500;

const frame = requestAnimationFrame.bind(globalThis);

/**
 * afterFrame calls when the next frame is drawn. Whether an element is visible depends on styles, and asking before the
 * browser has computed them by itself makes it compute them once more.
 */
function afterFrame(call: () => void): void {
  let called = false;
  const once = (): void => {
    if (called) return;
    called = true;
    call();
  };
  frame(() => later(once, 0));
  later(once, frameless);
}

interface Shown {
  since: number;
  timer: number;
  classification: string;
  role: string;
  selector: string;
  text: string;
}

/**
 * Transients watches for what appears and goes: toasts, alerts, tooltips. A screenshot or a look at the DOM a second
 * later misses them. Each is told once: when it goes, or after five seconds if it stays.
 */
export class Transients {
  readonly #realm: Realm;
  readonly #guard: Guard;
  readonly #shown = new Map<Element, Shown>();
  readonly #told = new WeakSet<Element>();
  readonly #changes = new Set<Element>(); // of those that are shown, not yet looked at

  constructor(realm: Realm, guard: Guard) {
    this.#realm = realm;
    this.#guard = guard;
  }

  /** appeared looks at a new node, at what is around it and at what is in it. */
  appeared(node: Node): void {
    const element = node instanceof Element ? node : node.parentElement;
    if (!element) return;
    if (element.matches(selector)) return this.#watch(element);
    // Text put into a live region that was always there.
    const around = element.closest("[role=alert],[role=status],[aria-live=polite],[aria-live=assertive]");
    if (around) return this.#watch(around);
    if (node instanceof Element && node.childElementCount > 0) {
      const inside = node.querySelector(selector);
      if (inside) this.#watch(inside);
    }
  }

  /**
   * changed takes an element whose attributes changed: many are shown and hidden by a class. It is looked at when the frame
   * is drawn.
   */
  changed(element: Element): void {
    if (!this.#shown.has(element)) {
      if (element.matches(selector)) this.#watch(element);
      return;
    }
    if (this.#changes.size === 0) afterFrame(() => void this.#guard.run(() => this.#look()));
    this.#changes.add(element);
  }

  /** gone ends what was in a removed node. */
  gone(node: Node): void {
    for (const element of this.#shown.keys()) {
      if (node === element || node.contains(element) || !element.isConnected || textOf(element) === "")
        this.#end(element);
    }
  }

  /** look ends those that a change has hidden. */
  #look(): void {
    for (const element of this.#changes) if (!isVisible(element)) this.#end(element);
    this.#changes.clear();
  }

  stop(): void {
    for (const shown of this.#shown.values()) cancelLater(shown.timer);
    this.#shown.clear();
    this.#changes.clear();
  }

  #watch(element: Element): void {
    const before = this.#shown.get(element);
    if (before) {
      before.text = textOf(element) || before.text;
      return;
    }
    if (this.#shown.size >= maxShown || this.#told.has(element)) return;
    const classification = classify(element);
    if (!classification) return;
    const timer = later(() => afterFrame(() => void this.#guard.run(() => this.#filled(element))), fillTime);
    this.#shown.set(element, {
      since: now(),
      timer,
      classification,
      role: roleTold(element),
      selector: "",
      text: textOf(element),
    });
  }

  #filled(element: Element): void {
    const shown = this.#shown.get(element);
    if (!shown) return;
    shown.text = textOf(element) || shown.text;
    if (!shown.text || !isVisible(element)) {
      this.#shown.delete(element);
      return;
    }
    shown.selector = cssPath(element);
    shown.timer = later(
      () =>
        void this.#guard.run(() => {
          this.#told.add(element);
          this.#tell(element, undefined);
        }),
      tellAfter,
    );
  }

  #end(element: Element): void {
    const shown = this.#shown.get(element);
    if (shown) this.#tell(element, Math.round(now() - shown.since));
  }

  #tell(element: Element, shownMs: number | undefined): void {
    const shown = this.#shown.get(element);
    if (!shown) return;
    this.#shown.delete(element);
    cancelLater(shown.timer);
    if (!shown.text) return;
    const { t, mono } = this.#realm.at();
    const { classification, role, selector: path, text } = shown;
    this.#realm.emit("dom", {
      t,
      mono,
      type: "transient",
      classification,
      role: role || undefined,
      selector: path || undefined,
      text,
      shown_ms: shownMs,
    });
  }
}

function classify(element: Element): string {
  const names = (element.getAttribute("class") ?? "") + " " + element.id;
  for (const [classification, words] of kinds) if (words.test(names)) return classification;
  return roles[element.getAttribute("role") ?? ""] ?? (element.hasAttribute("aria-live") ? "notification" : "");
}

const textOf = (element: Element): string => fold(textHead(element, 1000), 300);

function isVisible(element: Element): boolean {
  return element.isConnected && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
}
