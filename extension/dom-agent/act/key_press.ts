import type { KeyParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { type KeyStroke, parseKeys } from "../../messages/keys.ts";
import { ready } from "../actionable.ts";
import { editorOf, hostOf, inputIn } from "../editor.ts";
import type { Environment } from "../environment.ts";
import { holdsDocument } from "../frames.ts";
import { AgentProblem } from "../problem.ts";
import { everyElement, everywhere, focused, parentOf } from "../shadow.ts";
import { isNamed, resolve } from "../target.ts";
import { isVisible } from "../visible.ts";
import { turn } from "../waiting.ts";
import { giveFocus, keysFor, noteKeyed } from "./focus.ts";
import { outcome } from "./outcome.ts";
import { expected } from "./perform.ts";
import { acts } from "./scope.ts";

/** Presses a key. Keys whose effect cannot be made up are handed to the worker for real input. */
export async function keyPress(params: KeyParams, environment: Environment): Promise<Acted> {
  const stroke = parseKeys(params.text);
  if (!stroke) {
    throw new AgentProblem(
      "invalid_param",
      `No such key: ${params.text.slice(0, 40)}. Write "Enter", "a" or "Control+Shift+a".`,
    );
  }
  let result: Acted["result"];
  if (isNamed(params)) {
    const found = await ready(params, environment.refs, { enabled: true, hit: false }, environment.deadline);
    giveFocus(keyTarget(found.element));
    result = outcome(found, environment);
  } else {
    const element = focused() ?? document.body;
    result = outcome({ element, count: 1, strategy: "focused" }, environment);
  }
  const element = focused() ?? document.body;
  const ref = environment.refs.refOf(element);
  const known = EFFECTS[stroke.key] ?? (stroke.text ? insertChar : scrollOf(element, stroke));
  const effect = isBrowsers(element, stroke) ? undefined : known;
  const plain = !stroke.control && !stroke.meta && !stroke.alt && !editorOf(element);
  const { act } = environment;
  if (params.trusted === "always" || (params.trusted !== "never" && !(effect && plain))) {
    await act.attach();
    const now = (): Element => resolve({ ref }, environment.refs).element;
    const target = isNamed(params) ? keyTarget(now()) : undefined;
    // The focus may have gone elsewhere meanwhile.
    const row = target && giveFocus(target);
    const into = holdsDocument(element) ? { into: true } : {};
    const gesture = { type: "keys", keys: params.text, ...into } as const;
    act.tell(result, true);
    const stop = target && row && keysFor(target, row, () => keyTarget(now()));
    try {
      await act.send(gesture, ORIGIN, expected(gesture, ORIGIN));
    } finally {
      stop?.();
    }
    noteKeyed(focused() ?? element);
    return { result: { ...result, trusted: true } };
  }
  act.tell(result);
  const isDown = act.perform(() => {
    const goesOn = dispatchKey(element, "keydown", stroke);
    if (goesOn && isTyped(element, stroke)) effect?.(element, stroke);
    return goesOn;
  });
  // What the page put off until its handlers are through comes before the key goes up, as with a real one.
  await turn();
  act.perform(() => {
    const isUp = dispatchKey(focused() ?? element, "keyup", stroke);
    // Browsers click what has the focus when the space bar comes up.
    if (isDown && isUp && stroke.key === " " && isToggle(element)) acts().click(element as HTMLElement);
  });
  noteKeyed(focused() ?? element);
  return { result };
}

/** What takes the focus for an element: of a part of an editor its host. */
const keyTarget = (element: Element): Element =>
  element instanceof HTMLElement && element.isContentEditable ? hostOf(element) : (inputIn(element) ?? element);

/** Keys go to the focus, wherever that is. */
export const ORIGIN = { x: 0, y: 0 };

/** Tells an element of what a key types, if it types anything. false: the page prevents that. */
export const isTyped = (element: Element, stroke: KeyStroke): boolean =>
  stroke.text === "" || dispatchKey(element, "keypress", stroke);

/** Asks the page before a key changes the text of a field. false: the page prevents that. */
export const mayChange = (field: Element, inputType: "insertText" | "insertLineBreak", data: string | null): boolean =>
  acts().dispatch(
    field,
    new InputEvent("beforeinput", { inputType, data, bubbles: true, cancelable: true, composed: true, view: window }),
  );

/** Tells an element of a key. false: the page prevents what the key does by itself. */
export function dispatchKey(element: Element, type: "keydown" | "keypress" | "keyup", stroke: KeyStroke): boolean {
  // A keypress tells the character, and the other two the key.
  const code = type === "keypress" ? (stroke.text.codePointAt(0) ?? 0) : stroke.keyCode;
  return acts().dispatch(
    element,
    new KeyboardEvent(type, {
      key: stroke.key,
      code: stroke.code,
      keyCode: code,
      which: code,
      charCode: type === "keypress" ? code : 0,
      altKey: stroke.alt,
      ctrlKey: stroke.control,
      metaKey: stroke.meta,
      shiftKey: stroke.shift,
      bubbles: true,
      cancelable: true,
      composed: true,
      view: window,
    } as KeyboardEventInit),
  );
}

type Effect = (element: Element, stroke: KeyStroke) => void;

/** What browsers do by themselves for a key, as far as it can be done from a script. */
const EFFECTS: Record<string, Effect> = {
  Enter: enter,
  Tab: (element, { shift }) => moveFocus(element, shift ? -1 : 1),
  Escape: (element) => {
    const dialog =
      element.closest<HTMLDialogElement>("dialog[open]") ?? document.querySelector<HTMLDialogElement>("dialog:modal");
    if (!dialog) return;
    if (acts().dispatch(dialog, new Event("cancel", { cancelable: true }))) dialog.close();
  },
  Backspace: () => void document.execCommand("delete"),
  Delete: () => void document.execCommand("forwardDelete"),
  " ": (element, stroke) => {
    if (isWritten(element)) insertChar(element, stroke);
    else if (!isToggle(element)) scrollAround(element, 0, (stroke.shift ? -1 : 1) * SCREEN * innerHeight);
  },
};

/** Controls that keys move about in, of which a page sees the outside. */
const INNER =
  "audio, video, iframe, embed, object, input:is([type=date], [type=time], [type=datetime-local], [type=month], [type=week])";

/** Whether what a key does is up to the browser: it opens and moves in what the browser draws, and no script can do that. */
function isBrowsers(element: Element, { key }: KeyStroke): boolean {
  if (element.matches(INNER)) return !(key === "Enter" && element.localName === "input");
  if (element.matches("select, option")) return key !== "Tab";
  if (element.matches("[type=file], [type=color]")) return key === "Enter" || key === " ";
  if (key !== "Escape") return false;
  const isSearch = element instanceof HTMLInputElement && element.type === "search" && element.value !== "";
  return isSearch || everywhere(":popover-open:not([popover=manual])", document).length > 0;
}

/** Whether text can be written in an element. */
const isWritten = (element: Element): boolean =>
  element.matches("textarea, input:not([type=checkbox], [type=radio], [type=range])") ||
  (element as HTMLElement).isContentEditable;

function enter(element: Element): void {
  if (element instanceof HTMLTextAreaElement) {
    if (mayChange(element, "insertLineBreak", null)) document.execCommand("insertLineBreak");
  } else if (element instanceof HTMLElement && element.isContentEditable) document.execCommand("insertParagraph");
  else if (element instanceof HTMLInputElement && !/^(button|submit|reset|image|file|color)$/.test(element.type))
    submit(element);
  else if (element.matches("button, a[href], summary, input")) acts().click(element as HTMLElement);
}

/** Where arrows scroll a part of the page, in lines. */
const LINES: Record<string, [dx: number, dy: number]> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};
const LINE_PX = 40;
/** The space bar leaves so much of what was seen in view. */
const SCREEN = 0.875;

/** What takes arrows for itself: carets, choices, players, documents. */
const MOVED_IN = "input, textarea, select, audio, video, iframe, embed, object";

/**
 * An arrow in a control that the page made: browsers scroll by it where the page does not take it. No debugger is needed,
 * whose bar changes the size of the page: many give up then what the last key began.
 */
function scrollOf(element: Element, { key, shift }: KeyStroke): Effect | undefined {
  const by = LINES[key];
  const made = element.matches("button, summary, a[href], [role], [tabindex]") && !element.matches(MOVED_IN);
  if (!by || shift || !made || (element as HTMLElement).isContentEditable) return undefined;
  return () => scrollAround(element, by[0] * LINE_PX, by[1] * LINE_PX);
}

/** Scrolls the nearest part around an element that can be scrolled that way. */
function scrollAround(element: Element, dx: number, dy: number): void {
  for (let at: Element | null = element; at; at = parentOf(at)) {
    if (at !== document.scrollingElement && !/auto|scroll/.test(getComputedStyle(at).overflow)) continue;
    const { scrollLeft, scrollTop } = at;
    at.scrollBy(dx, dy);
    if (at.scrollLeft !== scrollLeft || at.scrollTop !== scrollTop) return;
  }
}

/** Types that Enter alone submits a form by, where it has no button and no other field of them. */
const TYPED = /^(text|search|tel|url|email|password|date|month|week|time|datetime-local|number)$/;

/** A form with a submit button is submitted through it; one without only when it has a single field to type in. */
function submit(field: HTMLInputElement): void {
  const typed = TYPED.test(field.type);
  if (typed && !mayChange(field, "insertLineBreak", null)) return;
  // Browsers tell that a field was changed before they submit it; the value that it began with is no change.
  if (typed && field.value !== field.defaultValue) acts().dispatch(field, new Event("change", { bubbles: true }));
  const { form } = field;
  if (!form) return;
  const button = [...form.elements].find((at): at is HTMLElement =>
    at.matches("button:not([type]), button[type=submit], input[type=submit], input[type=image]"),
  );
  if (button) {
    if (!button.matches(":disabled")) acts().click(button);
    return;
  }
  const fields = [...form.elements].filter((at) => at instanceof HTMLInputElement && TYPED.test(at.type));
  if (typed && fields.length === 1) form.requestSubmit();
}

function insertChar(element: Element, { text }: KeyStroke): void {
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  if (isField && !mayChange(element, "insertText", text)) return;
  document.execCommand("insertText", false, text);
}

const isToggle = (element: Element): boolean =>
  element.matches(
    "button, summary, input:is([type=checkbox], [type=radio], [type=button], [type=submit], [type=reset])",
  );

function moveFocus(from: Element, step: 1 | -1): void {
  const order = everyElement(document).filter(
    (at): at is HTMLElement =>
      at instanceof HTMLElement &&
      at.tabIndex >= 0 &&
      !at.matches(":disabled") &&
      isVisible(at) &&
      !at.closest("[inert]") &&
      (at === from || !isPassed(at, from)),
  );
  // Positive tab indexes come first, in their own order; sort is stable for the rest.
  order.sort((a, b) => (a.tabIndex || Infinity) - (b.tabIndex || Infinity) || 0);
  const at = order.indexOf(from as HTMLElement);
  const next = at < 0 && step < 0 ? -1 : (at + step + order.length) % Math.max(1, order.length);
  order.at(next)?.focus();
}

/** Tab stops once at a group of radio buttons: at the one that is chosen, and at none from within the group. */
function isPassed(at: Element, from: Element): boolean {
  if (!isRadio(at)) return false;
  if (inGroup(at, from)) return true;
  const root = at.getRootNode() as Document | ShadowRoot;
  return !at.checked && [...root.querySelectorAll("input")].some((other) => inGroup(at, other) && other.checked);
}

const isRadio = (at: Element): at is HTMLInputElement => at instanceof HTMLInputElement && at.type === "radio";

/** Whether another element is a radio button of the same group: of the same form and root, with the same name. */
const inGroup = (at: HTMLInputElement, other: Element): boolean =>
  isRadio(other) &&
  at.name !== "" &&
  other.name === at.name &&
  other.form === at.form &&
  other.getRootNode() === at.getRootNode();
