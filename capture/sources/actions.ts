import { cancelLater, later } from "../natives.ts";
import { fold, textHead } from "../locators/name.ts";
import type { Roots } from "../locators/deep.ts";
import { Naming } from "../locators/naming.ts";
import { sketchOf } from "../locators/ranked.ts";
import type { EventFor } from "../record.ts";
import type { Realm, Source } from "../realm.ts";
import type { Actor } from "./actor.ts";
import { mask } from "../redact.ts";
import { PasswordWatch, fieldValue, secretField, secretsIn } from "./fields.ts";

/** Typing is one action until it pauses this long, ms. */
const typingPause = 1000;
const scrollPause = 300;
/** Keys that do something; letters are told by the value of their field. */
const keysOfInterest = new Set([
  "Enter",
  "Tab",
  "Escape",
  "Backspace",
  "Delete",
  "ArrowUp",
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
  "Home",
  "End",
  "PageUp",
  "PageDown",
  " ",
]);

type Action = EventFor<"actions">;

/** Actions wait at most so many for their locators; a flood of keys is not searched for. */
const maxUnnamed = 50;

/** Recorder keeps what is not over yet: typing, scrolling. */
class Recorder {
  readonly #realm: Realm;
  readonly #actor: Actor;
  #typing: { field: Element; timer: number } | undefined;
  #scrolling: number | undefined;
  #typed = new WeakMap<Element, string>();
  readonly #passwords = new PasswordWatch();
  readonly #naming: Naming;
  readonly #run: (work: () => void) => void;

  /** run is what timers work in. */
  constructor(realm: Realm, actor: Actor, naming: Naming, run: (work: () => void) => void) {
    this.#run = run;
    this.#realm = realm;
    this.#actor = actor;
    this.#naming = naming;
  }

  /** on takes one event of the page. */
  on(event: Event): void {
    const target = targetOf(event);
    this.#passwords.look(target);
    // Scripts of the page dispatch events too; they are not the user. While an agent acts, its events are such as well.
    // A change is taken from anybody: test drivers choose options and files by setting them and dispatching one.
    if (!event.isTrusted && this.#actor.by === "user" && event.type !== "change") return;
    switch (event.type) {
      case "click":
      case "dblclick":
        if (target) this.#pointed(event as MouseEvent, target);
        return;
      case "input":
        if (target) this.#typedInto(target);
        return;
      case "change":
        if (target) this.#changed(target);
        return;
      case "keydown":
        return this.#pressed(event as KeyboardEvent, target);
      case "submit":
        this.#endTyping();
        return this.#emit("submit", target);
      case "dragstart":
        return this.#emit("drag", target);
      case "drop":
        return this.#emit("drop", target, { value: dropped(event as DragEvent) });
      case "scroll":
        return this.#scrolled(event.target);
      case "focusout":
        return this.#endTyping();
    }
  }

  /** attach begins to watch the document, also again after document.open(). */
  attach(): void {
    this.#passwords.observe(document);
  }

  stop(): void {
    this.#passwords.stop();
  }

  /** settle records everything that is not over yet: typing that has not paused, actions without locators. */
  settle(): void {
    this.#endTyping();
    this.#naming.settle();
  }

  #endTyping(): void {
    const typing = this.#typing;
    if (!typing) return;
    this.#typing = undefined;
    cancelLater(typing.timer);
    this.#tellValue(typing.field);
  }

  #pointed(event: MouseEvent, target: Element): void {
    this.#endTyping();
    const actionable =
      target.closest("a,button,input,select,textarea,label,summary,option,[role],[onclick],[tabindex]") ?? target;
    this.#emit(event.type, actionable, {
      x: Math.round(event.clientX),
      y: Math.round(event.clientY),
    });
  }

  #typedInto(field: Element): void {
    if (discrete(field)) return;
    if (this.#typing && this.#typing.field !== field) this.#endTyping();
    if (this.#typing) cancelLater(this.#typing.timer);
    this.#typing = { field, timer: later(() => this.#run(() => this.#endTyping()), typingPause) };
  }

  #changed(field: Element): void {
    if (field instanceof HTMLSelectElement)
      return this.#emit("select", field, { value: fieldValue(field, this.#realm.config.salt) });
    if (field instanceof HTMLInputElement && field.type === "file")
      return this.#emit("upload", field, { value: fieldValue(field, this.#realm.config.salt) });
    if (discrete(field)) return this.#emit("check", field, { value: fieldValue(field, this.#realm.config.salt) });
    if (this.#typing?.field === field) this.#endTyping();
    else this.#tellValue(field);
  }

  #tellValue(field: Element): void {
    const value = fieldValue(field, this.#realm.config.salt);
    // change and focusout follow on typing that was told already.
    if (this.#typed.get(field) === value) return;
    this.#typed.set(field, value);
    this.#emit("input", field, { value });
  }

  #pressed(event: KeyboardEvent, target: Element | undefined): void {
    const chord = event.ctrlKey || event.metaKey || event.altKey;
    if (event.repeat || (!chord && !keysOfInterest.has(event.key))) return;
    // A chord with a character can spell a password out; other keys are none of it.
    if (target && secretField(target) && event.key.length === 1) return;
    if (event.key === " " && target && target.matches("input,textarea,[contenteditable]")) return;
    if (event.key === "Enter") this.#endTyping();
    const key =
      (event.ctrlKey ? "Control+" : "") +
      (event.metaKey ? "Meta+" : "") +
      (event.altKey ? "Alt+" : "") +
      (event.shiftKey ? "Shift+" : "") +
      event.key;
    if (event.key !== "Control" && event.key !== "Meta" && event.key !== "Alt") this.#emit("keypress", target, { key });
  }

  #scrolled(target: EventTarget | null): void {
    if (this.#scrolling !== undefined) cancelLater(this.#scrolling);
    const over = (): void => {
      this.#scrolling = undefined;
      const element = target instanceof Element ? target : undefined;
      const x = Math.round(element ? element.scrollLeft : window.scrollX);
      const y = Math.round(element ? element.scrollTop : window.scrollY);
      this.#emit("scroll", element, { x, y });
    };
    this.#scrolling = later(() => this.#run(over), scrollPause);
  }

  /** emit reads the element now and searches for it later: the page's own handlers come first. */
  #emit(type: string, target: Element | undefined, more?: Partial<Action>): void {
    const { by, client } = this.#actor;
    const sketch = target && sketchOf(target);
    const secret = target !== undefined && secretField(target) !== "";
    const text = target && !secret ? fold(textHead(target, 400), 100) : "";
    const clean = sketch
      ? secretsIn(
          `${sketch.name}\n${sketch.label}\n${sketch.text}\n${sketch.placeholder}`,
          sketch.element,
          (kind, value) => mask(kind, value, this.#realm.config.salt),
        )
      : (part: string) => part;
    const action: Action = {
      ...this.#realm.at(),
      type,
      by,
      client,
      role: sketch?.role || undefined,
      name: (sketch && clean(sketch.name)) || undefined,
      text: text || undefined,
      ...more,
    };
    this.#naming.add(this.#naming.size < maxUnnamed ? sketch : undefined, (locators) => {
      // One with a secret in it would find nothing without it.
      if (locators) action.locators = locators.filter(({ value }) => clean(value) === value);
      this.#realm.emit("actions", action);
    });
  }
}

/** actionSource records what the user does, with ranked ways to find each element again. */
export function actionSource(actor: Actor, settled: (settle: () => void) => void, roots: Roots): Source {
  return {
    name: "actions",
    start(realm, guard) {
      const run = (work: () => void): void => void guard.run(work);
      const naming = new Naming(roots, run);
      const recorder = new Recorder(realm, actor, naming, run);
      settled(() => guard.run(() => recorder.settle()));
      const names = [
        "click",
        "dblclick",
        "input",
        "change",
        "keydown",
        "submit",
        "dragstart",
        "drop",
        "scroll",
        "focusin",
        "focusout",
      ];
      // Passive and capturing on window: first in line, and never in the way of scrolling.
      for (const name of names) {
        realm.hear(guard, window, name, (event) => recorder.on(event), { capture: true, passive: true });
      }
      realm.attached(() => recorder.attach());
      return () => recorder.stop();
    },
  };
}

/** The element that was really meant: event.target is the host for everything inside a shadow root. */
function targetOf(event: Event): Element | undefined {
  const first = event.composedPath()[0] ?? event.target;
  if (first instanceof Element) return first;
  return first instanceof Node ? (first.parentElement ?? undefined) : undefined;
}

function discrete(field: Element): boolean {
  if (field instanceof HTMLSelectElement) return true;
  return field instanceof HTMLInputElement && ["checkbox", "radio", "file", "range", "color"].includes(field.type);
}

function dropped(event: DragEvent): string | undefined {
  const files = [...(event.dataTransfer?.files ?? [])].map((file) => `${file.name} (${file.size} bytes)`);
  return files.length > 0 ? files.slice(0, 10).join(", ") : undefined;
}
