import type { KeyParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { type KeyStroke, parseKeys } from "../../messages/keys.ts";
import { ready } from "../actionable.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { everyElement, focused } from "../shadow.ts";
import { isNamed, resolve } from "../target.ts";
import { isVisible } from "../visible.ts";
import { giveFocus } from "./focus.ts";
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
    giveFocus(found.element);
    result = outcome(found, environment);
  } else {
    const element = focused() ?? document.body;
    result = outcome({ element, count: 1, strategy: "focused" }, environment);
  }
  const element = focused() ?? document.body;
  const ref = environment.refs.refOf(element);
  const effect = EFFECTS[stroke.key] ?? (stroke.text ? insertChar : undefined);
  const plain = !stroke.control && !stroke.meta && !stroke.alt;
  const { act } = environment;
  if (params.trusted === "always" || (params.trusted !== "never" && !(effect && plain))) {
    await act.attach();
    // The focus may have gone elsewhere meanwhile.
    if (isNamed(params)) giveFocus(resolve({ ref }, environment.refs).element);
    const gesture = { type: "keys", keys: params.text } as const;
    act.tell(result);
    await act.send(gesture, ORIGIN, expected(gesture, ORIGIN));
    return { result: { ...result, trusted: true } };
  }
  act.tell(result);
  act.perform(() => {
    if (dispatchKey(element, "keydown", stroke)) {
      if (stroke.text) dispatchKey(element, "keypress", stroke);
      effect?.(element, stroke);
    }
    dispatchKey(focused() ?? element, "keyup", stroke);
  });
  return { result };
}

/** Keys go to the focus, wherever that is. */
const ORIGIN = { x: 0, y: 0 };

/** Tells an element of a key. false: the page prevents what the key does by itself. */
export function dispatchKey(element: Element, type: "keydown" | "keypress" | "keyup", stroke: KeyStroke): boolean {
  return acts().dispatch(
    element,
    new KeyboardEvent(type, {
      key: stroke.key,
      code: stroke.code,
      keyCode: stroke.keyCode,
      which: stroke.keyCode,
      charCode: type === "keypress" ? stroke.key.charCodeAt(0) : 0,
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
    if (isToggle(element)) acts().click(element as HTMLElement);
    else insertChar(element, stroke);
  },
};

function enter(element: Element): void {
  if (element instanceof HTMLTextAreaElement) document.execCommand("insertLineBreak");
  else if (element instanceof HTMLElement && element.isContentEditable) document.execCommand("insertParagraph");
  else if (
    element instanceof HTMLInputElement &&
    !/^(button|submit|reset|image|checkbox|radio|file)$/.test(element.type)
  )
    submit(element);
  else if (element.matches("button, a[href], summary, input")) acts().click(element as HTMLElement);
}

/** A form with a submit button is submitted through it; one without only when it has a single field. */
function submit(field: HTMLInputElement): void {
  acts().dispatch(field, new Event("change", { bubbles: true }));
  const { form } = field;
  if (!form) return;
  const button = [...form.elements].find((at): at is HTMLElement =>
    at.matches("button:not([type]), button[type=submit], input[type=submit], input[type=image]"),
  );
  if (button) {
    if (!button.matches(":disabled")) acts().click(button);
    return;
  }
  const fields = [...form.elements].filter(
    (at) => at instanceof HTMLInputElement && !/^(hidden|checkbox|radio|button|reset|file|range|color)$/.test(at.type),
  );
  if (fields.length === 1) form.requestSubmit();
}

function insertChar(_element: Element, { text }: KeyStroke): void {
  if (text !== "" && text !== "\r") document.execCommand("insertText", false, text);
}

const isToggle = (element: Element): boolean =>
  element.matches(
    "button, summary, input[type=checkbox], input[type=radio], input[type=button], input[type=submit], input[type=reset]",
  );

function moveFocus(from: Element, step: 1 | -1): void {
  const order = everyElement(document).filter(
    (at): at is HTMLElement =>
      at instanceof HTMLElement &&
      at.tabIndex >= 0 &&
      !at.matches(":disabled") &&
      isVisible(at) &&
      !at.closest("[inert]"),
  );
  // Positive tab indexes come first, in their own order; sort is stable for the rest.
  order.sort((a, b) => (a.tabIndex || Infinity) - (b.tabIndex || Infinity) || 0);
  const at = order.indexOf(from as HTMLElement);
  order.at((at + step + order.length) % Math.max(1, order.length))?.focus();
}
