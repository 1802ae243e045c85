import { cancelLater, later } from "../natives.ts";
import { fold, textHead } from "../locators/name.ts";
import type { Roots } from "../locators/deep.ts";
import { Naming } from "../locators/naming.ts";
import { sketchOf } from "../locators/ranked.ts";
import type { EventFor } from "../record.ts";
import type { Realm, Source } from "../realm.ts";
import type { Actors, Deed } from "./actor.ts";
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
  readonly #actors: Actors;
  #typing: { field: Element; deed: Deed; timer: number } | undefined;
  #scrolling: { deed: Deed; timer: number; over: () => void } | undefined;
  #typed = new WeakMap<Element, string>();
  readonly #passwords = new PasswordWatch();
  readonly #naming: Naming;
  readonly #run: (work: () => void) => void;

  /** run is what timers work in. */
  constructor(realm: Realm, actors: Actors, naming: Naming, run: (work: () => void) => void) {
    this.#run = run;
    this.#realm = realm;
    this.#actors = actors;
    this.#naming = naming;
  }

  /** on takes one event of the page. */
  on(event: Event): void {
    if (devices.has(event.type)) return this.#actors.device(event);
    const target = targetOf(event);
    this.#passwords.look(target);
    if (this.#actors.quiet) return;
    if (event.type === "scroll") return this.#scrolled(event);
    if (event.type === "focusout") return this.#endTyping();
    if (event.type === "focusin") return;
    // Of what scripts of the page dispatch, changes are told: test drivers choose options and files by setting them and
    // dispatching one.
    const deed = this.#actors.heard(event) ?? (event.type === "change" ? script : undefined);
    if (!deed) return;
    switch (event.type) {
      case "click":
      case "dblclick":
        if (target) this.#pointed(event as MouseEvent, target, deed);
        return;
      case "input":
        if (target) this.#typedInto(target, deed);
        return;
      case "change":
        if (target) this.#changed(target, deed);
        return;
      case "keydown":
        return this.#pressed(event as KeyboardEvent, target, deed);
      case "submit":
        this.#endTyping();
        return this.#emit("submit", target, deed);
      case "dragstart":
        return this.#emit("drag", target, deed);
      case "drop":
        return this.#emit("drop", target, deed, { value: dropped(event as DragEvent) });
    }
  }

  /** attach begins to watch the document, also again after document.open(). */
  attach(): void {
    this.#passwords.observe(document);
  }

  stop(): void {
    this.#passwords.stop();
  }

  /** settle records everything that is not over yet: typing and scrolling that have not paused, actions without locators. */
  settle(): void {
    this.#endTyping();
    this.#scrolling?.over();
    this.#naming.settle();
  }

  #endTyping(): void {
    const typing = this.#typing;
    if (!typing) return;
    this.#typing = undefined;
    cancelLater(typing.timer);
    this.#tellValue(typing.field, typing.deed);
  }

  #pointed(event: MouseEvent, target: Element, deed: Deed): void {
    this.#endTyping();
    const actionable =
      target.closest("a,button,input,select,textarea,label,summary,option,[role],[onclick],[tabindex]") ?? target;
    this.#emit(event.type, actionable, deed, {
      x: Math.round(event.clientX),
      y: Math.round(event.clientY),
    });
  }

  #typedInto(field: Element, by: Deed): void {
    if (discrete(field)) return;
    if (this.#typing && (this.#typing.field !== field || this.#typing.deed.by !== by.by)) this.#endTyping();
    if (this.#typing) cancelLater(this.#typing.timer);
    const deed = this.#typing?.deed ?? by;
    this.#typing = { field, deed, timer: later(() => this.#run(() => this.#endTyping()), typingPause) };
  }

  #changed(field: Element, deed: Deed): void {
    if (field instanceof HTMLSelectElement)
      return this.#emit("select", field, deed, { value: fieldValue(field, this.#realm.config.salt) });
    if (field instanceof HTMLInputElement && field.type === "file")
      return this.#emit("upload", field, deed, { value: fieldValue(field, this.#realm.config.salt) });
    if (discrete(field)) return this.#emit("check", field, deed, { value: fieldValue(field, this.#realm.config.salt) });
    if (this.#typing?.field === field) this.#endTyping();
    else this.#tellValue(field, deed);
  }

  #tellValue(field: Element, deed: Deed): void {
    const value = fieldValue(field, this.#realm.config.salt);
    // change and focusout follow on typing that was told already.
    if (this.#typed.get(field) === value) return;
    this.#typed.set(field, value);
    this.#emit("input", field, deed, { value });
  }

  #pressed(event: KeyboardEvent, target: Element | undefined, deed: Deed): void {
    const chord = event.ctrlKey || event.metaKey || event.altKey;
    if (event.repeat || (!chord && !keysOfInterest.has(event.key))) return;
    // A chord with a character can spell a password out; other keys are none of it.
    if (target && secretField(target) && event.key.length === 1) return;
    if (event.key === " " && target && target.matches("input,textarea,[contenteditable]")) return;
    // What is typed before a key comes before it; these two are typing themselves.
    if (event.key !== "Backspace" && event.key !== "Delete") this.#endTyping();
    const key =
      (event.ctrlKey ? "Control+" : "") +
      (event.metaKey ? "Meta+" : "") +
      (event.altKey ? "Alt+" : "") +
      (event.shiftKey ? "Shift+" : "") +
      event.key;
    if (event.key !== "Control" && event.key !== "Meta" && event.key !== "Alt")
      this.#emit("keypress", target, deed, { key });
  }

  #scrolled(event: Event): void {
    const deed = this.#actors.scrolled() ?? this.#scrolling?.deed;
    if (!deed) return;
    const { target } = event;
    if (this.#scrolling) cancelLater(this.#scrolling.timer);
    const over = (): void => {
      cancelLater(timer);
      this.#scrolling = undefined;
      const element = target instanceof Element ? target : undefined;
      const x = Math.round(element ? element.scrollLeft : window.scrollX);
      const y = Math.round(element ? element.scrollTop : window.scrollY);
      this.#emit("scroll", element, deed, { x, y });
    };
    const timer = later(() => this.#run(over), scrollPause);
    this.#scrolling = { deed, timer, over };
  }

  /** emit reads the element now and searches for it later: the page's own handlers come first. */
  #emit(type: string, target: Element | undefined, { by, client, action: id }: Deed, more?: Partial<Action>): void {
    const sketch = target && sketchOf(target);
    const secret = target !== undefined && secretField(target) !== "";
    const text = target && !secret ? fold(textHead(target, 400), 400) : "";
    const clean = sketch
      ? secretsIn(
          `${sketch.name}\n${sketch.label}\n${sketch.text}\n${sketch.placeholder}\n${text}`,
          sketch.element,
          (kind, value) => mask(kind, value, this.#realm.config.salt),
        )
      : (part: string) => part;
    const action: Action = {
      ...this.#realm.at(),
      action: id,
      type,
      by,
      client,
      role: sketch?.role || undefined,
      name: (sketch && clean(sketch.name)) || undefined,
      // Cut last: a part of a secret is not known for one.
      text: fold(clean(text), 100) || undefined,
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
export function actionSource(actors: Actors, settled: (settle: () => void) => void, roots: Roots): Source {
  return {
    name: "actions",
    start(realm, guard) {
      const run = (work: () => void): void => void guard.run(work);
      const naming = new Naming(roots, run);
      const recorder = new Recorder(realm, actors, naming, run);
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
        ...devices,
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

const devices = new Set(["pointerdown", "pointerup", "pointercancel", "wheel"]);

const script: Deed = { by: "script", client: undefined, action: undefined };

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
