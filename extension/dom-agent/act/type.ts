import type { ActResult, TypeParams } from "@gasoline/schema/commands";
import type { Acted, Gesture } from "../../messages/agent.ts";
import { type Ready, ready } from "../actionable.ts";
import { inWords } from "../describe.ts";
import { type Editor, drawnText, editorOf, hostOf, inputIn } from "../editor.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import type { Row } from "../row.ts";
import { MASK, isSecret } from "../secret.ts";
import { everywhere, focused, shadowOf } from "../shadow.ts";
import { isNamed, resolve } from "../target.ts";
import { isVisible } from "../visible.ts";
import { beat, frame } from "../waiting.ts";
import { giveFocus, isKeyed, keysFor } from "./focus.ts";
import { handOver } from "./hand_over.ts";
import { outcome, watchValue } from "./outcome.ts";
import { expected } from "./perform.ts";
import { acts } from "./scope.ts";
import { ORIGIN, dispatchKey, isTyped, mayChange } from "./key_press.ts";
import { parseKeys } from "../../messages/keys.ts";

/** Texts up to this length are typed key by key, so that pages which watch keys see them. */
const KEY_BY_KEY = 100;

type Field = HTMLInputElement | HTMLTextAreaElement;

/**
 * Types into a field or an editor: at the end of what is there, or instead of it. Where no element is named, keys may have
 * put the caret elsewhere or have selected something; then the text goes there.
 */
export async function type(params: TypeParams, environment: Environment): Promise<Acted> {
  const found = await ready(params, environment.refs, { enabled: true, hit: false }, environment.deadline);
  let element = typeable(found.element);
  const ref = environment.refs.refOf(element);
  const stays = !isNamed(params) && !params.clear && isKeyed(element);
  const editor = editorOf(element);
  if (editor && params.trusted !== "never") {
    const typed = await typeInto(editor, { ...found, element, stays }, params, environment);
    if (typed) return typed;
  }
  const wanted = isField(element) ? wantedIn(element, params, stays) : undefined;
  if (isField(element)) checkFormat(element, wanted ?? "");
  const { act } = environment;
  const enterField = (): Row => {
    const row = giveFocus(element);
    if (!stays) place(element, params.clear === true);
    return row;
  };
  const result = (strategy: string): ActResult => {
    const more = { value: shownValue(element), insertion_strategy: strategy };
    const told = outcome({ ...found, element }, environment, more);
    watchValue(told, element, environment, (at) => shownValue(typeable(at)));
    return told;
  };
  if (params.trusted === "always") {
    await act.attach();
    element = typeable(resolve({ ref }, environment.refs).element);
    let row = act.prepare(() => {
      const entered = enterField();
      // What is typed takes the place of what is selected; nothing takes no place.
      if (params.clear && params.text === "") document.execCommand("delete");
      return entered;
    });
    if (params.clear && params.text !== "" && !(await keepsSelection(element))) {
      element = typeable(resolve({ ref }, environment.refs).element);
      row = act.prepare(() => {
        const entered = enterField();
        document.execCommand("delete");
        return entered;
      });
    }
    const gesture = { type: "text", text: params.text } as const;
    const at = { x: 0, y: 0 };
    act.tell(result("keyboard"), true);
    const stop = keysFor(element, row, () => typeable(resolve({ ref }, environment.refs).element));
    const selected = params.clear ? selectAtKey() : undefined;
    try {
      await act.send(gesture, at, expected(gesture, at));
    } finally {
      selected?.();
      stop();
    }
    // A line that is sent with Enter may take its field along.
    if (!params.text.includes("\n")) checkStays(element);
    return { result: Object.assign(result("keyboard"), { trusted: true }) };
  }
  const before = isField(element) ? "" : bare(element.innerText);
  const strategy = act.perform(() => madeUp(params, element, wanted, enterField));
  if (!isField(element) && !editor && params.trusted !== "never" && bare(params.text) !== "") {
    await beat();
    await beat();
    // Undone: an editor that nobody knew to be one.
    const undone = element.isConnected && bare(element.innerText) === before;
    const typed =
      undone && (await typeInto({ name: "keyboard", code: false }, { ...found, element, stays }, params, environment));
    if (typed) return typed;
  }
  return { result: result(strategy) };
}

/** Keys that take the caret to the end of a text, and that select all of it. */
const [END, ALL] = navigator.platform.startsWith("Mac") ? ["Meta+ArrowDown", "Meta+a"] : ["Control+End", "Control+a"];

/**
 * Types into an editor with a model of its own, by real input: few of them take what a script does to the document for
 * what a user types. undefined: the debugger is refused, and nobody insists on it.
 */
async function typeInto(
  editor: Editor,
  found: Ready & { stays: boolean },
  params: TypeParams,
  environment: Environment,
): Promise<Acted | undefined> {
  const { act, refs } = environment;
  const ref = refs.refOf(found.element);
  try {
    await act.attach();
  } catch (error) {
    const refused = error instanceof AgentProblem && error.code === "debugger_refused";
    if (!refused || params.trusted === "always") throw error;
    return undefined;
  }
  const element = typeable(resolve({ ref }, refs).element);
  const result = outcome({ ...found, element }, environment, { insertion_strategy: editor.name, trusted: true });
  const row = act.prepare(() => giveFocus(element));
  const send = async (gesture: Gesture): Promise<void> => {
    const stop = keysFor(element, row, () => typeable(resolve({ ref }, refs).element));
    try {
      await act.send(gesture, ORIGIN, expected(gesture, ORIGIN));
    } finally {
      stop();
    }
  };
  if (!found.stays) await send({ type: "keys", keys: params.clear ? ALL : END });
  if (!editor.code && !found.stays) await placed(element, params.clear === true);
  // An editor of code indents each line that it is typed; what is pasted stays as it is.
  const pastes = editor.code && params.text.includes("\n");
  act.tell(result, !pastes);
  const pasted = pastes && act.perform(() => handOver(element, params.text));
  if (pasted) result.insertion_strategy = "paste";
  else if (params.text !== "")
    await send({ type: "text", text: params.text, at_once: editor.code, lines: !editor.code });
  else if (params.clear) await send({ type: "keys", keys: "Backspace" });
  result.value = shownValue(element);
  watchValue(result, element, environment, (at) => shownValue(typeable(at)));
  return { result };
}

/** An editor has put its caret where a key says within so many frames; many do that some time after the focus came. */
const PLACED_FRAMES = 30;

/** Waits until all of an editor's text is selected, or the caret is at its end. */
async function placed(element: HTMLElement, all: boolean): Promise<void> {
  for (let frames = 0; frames < PLACED_FRAMES && !isPlaced(element, all); frames++) await frame();
}

function isPlaced(element: HTMLElement, all: boolean): boolean {
  const root = element.getRootNode() as { getSelection?: () => Selection | null };
  const selection = root.getSelection ? root.getSelection() : document.getSelection();
  const { focusNode } = selection ?? {};
  if (!selection || !focusNode || !element.contains(focusNode)) return false;
  if (all) return bare(selection.toString()) === bare(element.innerText);
  const rest = new Range();
  rest.selectNodeContents(element);
  rest.setStart(focusNode, selection.focusOffset);
  return bare(rest.toString()) === "";
}

const bare = (text: string): string => text.replace(/[\s\u200b\ufeff]/g, "");

/** What a field holds when the text is in; undefined where nobody can know. */
function wantedIn(field: Field, { text, clear }: TypeParams, stays: boolean): string | undefined {
  if (clear || !takesText(field)) return text;
  if (!stays) return field.value + text;
  const { selectionStart: from, selectionEnd: to, value } = field;
  return from === null || to === null ? undefined : value.slice(0, from) + text + value.slice(to);
}

/** Types by events that are made up, and says by which means the text got in. */
function madeUp(params: TypeParams, element: HTMLElement, wanted: string | undefined, enterField: () => Row): string {
  const before = isField(element) ? element.value : "";
  enterField();
  if (!isField(element)) {
    insertIntoEditor(params.text, params.clear === true);
    return editorOf(element)?.name ?? "execCommand";
  }
  if (!takesText(element)) {
    setValue(element, params.text);
    return "native";
  }
  if (params.clear && params.text === "") document.execCommand("delete");
  const whole = insert(element, params.text);
  checkStays(element);
  if (!element.isConnected || element.value === wanted || reformatted(element, params.text)) return "execCommand";
  if (wanted === undefined) return "execCommand";
  // The field took nothing (an editing host around it): its value is set. What a page keeps out, it keeps out of a user's
  // text too.
  if (whole) setValue(element, wanted.slice(0, element.maxLength >= 0 ? element.maxLength : undefined));
  // A line that was sent with Enter, or made a chip at its comma, may leave the field as it was.
  if ((element.value === "" || (!whole && element.value === before)) && /^[^\n,;]+$/.test(params.text)) {
    throw new AgentProblem("status_mismatch", `${inWords(element)} is as it was: the page does not let the text in.`);
  }
  return whole ? "native" : "execCommand";
}

/** Says whether a field is still selected after two frames. A page that renders itself anew may have lost that. */
async function keepsSelection(element: HTMLElement): Promise<boolean> {
  await beat();
  await beat();
  if (!element.isConnected) return false;
  // Fields for e-mail and numbers tell of no selection.
  return !isField(element) || element.selectionStart === null || covers(element);
}

/** Selects what is in the field once more as the first key comes: until then the page may have rendered itself anew. */
function selectAtKey(): () => void {
  const stop = (): void => {
    removeEventListener("keydown", hear, true);
    removeEventListener("beforeinput", hear, true);
  };
  const hear = (event: Event): void => {
    if (!event.isTrusted) return;
    stop();
    const [at] = event.composedPath();
    // What comes without a key has found its place already.
    if (event.type === "keydown" && at instanceof Element && isField(at)) at.select();
  };
  addEventListener("keydown", hear, true);
  addEventListener("beforeinput", hear, true);
  return stop;
}

const covers = ({ selectionStart, selectionEnd, value }: Field): boolean =>
  selectionStart === 0 && selectionEnd === value.length;

/** Throws status_mismatch when the page took a field away while it was typed into, and led on to no other. */
function checkStays(element: HTMLElement): void {
  if (element.isConnected || focused() !== document.body) return;
  throw new AgentProblem("status_mismatch", `The page took ${inWords(element)} away while it was typed into.`);
}

/** The field or editor that an element is, holds or labels. */
export function typeable(element: Element): HTMLElement {
  const named = element instanceof HTMLLabelElement && element.control ? element.control : element;
  const control = named.matches("input, textarea") ? named : (inputIn(named) ?? named);
  if (isField(control)) {
    if (control.readOnly) throw new AgentProblem("not_typeable", `${inWords(control)} is read-only.`);
    if (!/^(checkbox|radio|button|submit|reset|image|file|hidden)$/.test(control.type)) return control;
  } else if (control instanceof HTMLElement && control.isContentEditable) {
    return hostOf(control);
  } else if (control instanceof HTMLElement && editorOf(control)) {
    return control;
  } else {
    const inner = everywhere(
      "input:not([type=hidden]), textarea, [contenteditable=''], [contenteditable=true]",
      control,
    );
    const field = shadowOf(control)?.delegatesFocus
      ? inner.find((at) => isVisible(at) && !at.matches(":disabled"))
      : inner.length === 1 && inner[0];
    if (field) return typeable(field);
  }
  throw new AgentProblem("not_typeable", `${inWords(control)} takes no text.`);
}

const isField = (element: Element): element is Field =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;

/** Pickers and sliders have a value, and no text that could be typed. */
const takesText = (field: Field): boolean => !/^(color|date|datetime-local|month|range|time|week)$/.test(field.type);

const FORMATS: Record<string, string> = {
  color: "#rrggbb",
  date: "YYYY-MM-DD",
  "datetime-local": "YYYY-MM-DDThh:mm",
  month: "YYYY-MM",
  number: "a number such as 12.5",
  range: "a number",
  time: "hh:mm",
  week: "YYYY-Www",
};

/** Throws status_mismatch when a field would empty or change the value, as the browser does with what is no date. */
function checkFormat(field: Field, value: string): void {
  const format = FORMATS[field.type];
  if (format === undefined || value === "") return;
  const probe = document.createElement("input");
  for (const name of ["type", "min", "max", "step"]) probe.setAttribute(name, field.getAttribute(name) ?? "");
  probe.value = value;
  const kept =
    field.type === "range"
      ? Number(probe.value) === Number(value)
      : field.type !== "color" || probe.value === value.toLowerCase();
  if (probe.value !== "" && kept) return;
  const bounds =
    field.type === "range" ? ` from ${probe.min || 0} to ${probe.max || 100} in steps of ${probe.step || 1}` : "";
  throw new AgentProblem(
    "status_mismatch",
    `${inWords(field)} takes ${format}${bounds}, not "${value.slice(0, 100)}".`,
  );
}

/** Puts the caret at the end, or selects everything. */
export function place(element: HTMLElement, all: boolean): void {
  if (isField(element)) {
    const { length } = element.value;
    if (all) element.select();
    else if (element.selectionStart !== null) element.setSelectionRange(length, length);
    // Fields for e-mail and numbers have a caret as well, and tell of none.
    else if (takesText(element)) document.getSelection()?.modify("move", "forward", "lineboundary");
    return;
  }
  const selection = document.getSelection();
  if (!selection) return;
  selection.selectAllChildren(element);
  if (!all) selection.collapseToEnd();
}

/** Types into a field. false: the page kept some of the text out, or led on to another field with it. */
function insert(field: Field, text: string): boolean {
  const leads = (): boolean => field.isConnected && (focused() ?? field) !== field;
  if (text.length > KEY_BY_KEY) {
    if (!mayChange(field, "insertText", text) || leads()) return false;
    document.execCommand("insertText", false, text);
    return true;
  }
  let whole = true;
  for (const char of text) {
    const stroke = parseKeys(char === "\n" ? "Enter" : char);
    // A page may have put another field into its place, or have led on to the next one.
    const at = focused() ?? field;
    const breaks = char === "\n" && field instanceof HTMLTextAreaElement;
    // A page that prevents the key takes it for itself.
    const goesOn =
      (!stroke || (dispatchKey(at, "keydown", stroke) && isTyped(at, stroke))) &&
      (breaks ? mayChange(at, "insertLineBreak", null) : mayChange(at, "insertText", char));
    if (!goesOn || leads()) whole = false;
    if (goesOn) document.execCommand(breaks ? "insertLineBreak" : "insertText", false, char);
    if (stroke) dispatchKey(at, "keyup", stroke);
  }
  return whole;
}

/** Puts a text at the caret as one input. */
export function insertText(element: HTMLElement, text: string): void {
  if (!isField(element)) return insertIntoEditor(text, false);
  const before = element.value;
  document.execCommand("insertText", false, text);
  if (element.value === before && text !== "") setValue(element, before + text);
}

function insertIntoEditor(text: string, clear: boolean): void {
  if (clear) document.execCommand("delete");
  for (const [i, line] of text.split("\n").entries()) {
    if (i > 0) document.execCommand("insertParagraph");
    if (line !== "") document.execCommand("insertText", false, line);
  }
}

/** The field shows the text in its own way: a phone number with blanks, a card number in groups. */
function reformatted(field: Field, text: string): boolean {
  const bare = (value: string): string => value.replace(/[^\p{L}\p{N}]/gu, "");
  if (field.maxLength >= 0 && field.value.length >= field.maxLength) return true;
  return bare(text) !== "" && bare(field.value).endsWith(bare(text));
}

function setValue(field: Field, value: string): void {
  // This world's setter is the browser's own: a framework that watches the page's property still sees
  // a value that it did not set itself, and takes the event for the user's.
  field.value = value;
  acts().dispatch(
    field,
    new InputEvent("input", { bubbles: true, composed: true, inputType: "insertText", data: value }),
  );
  acts().dispatch(field, new Event("change", { bubbles: true }));
}

/** What a field shows now; a secret stays in the page. */
export function shownValue(element: HTMLElement): string {
  if (isSecret(element)) return isField(element) && element.value === "" ? "" : MASK;
  return (drawnText(element) ?? (isField(element) ? element.value : element.innerText)).slice(0, 1000);
}
