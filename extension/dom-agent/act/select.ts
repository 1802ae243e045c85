import { ariaOf, componentTags, roleGiven } from "@gasoline/capture/locators/lent";
import { fold, nameOf } from "@gasoline/capture/locators/name";
import type { ActResult, SelectParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { type Ready, ready } from "../actionable.ts";
import { inWords } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { everywhere, isInside, nearest } from "../shadow.ts";
import { resolve } from "../target.ts";
import { isVisible } from "../visible.ts";
import { retry } from "../waiting.ts";
import { outcome, watchValue } from "./outcome.ts";
import { perform, routeOf } from "./perform.ts";
import { acts } from "./scope.ts";

/** Options that a problem names: of those that fit, and of those that there are. */
const MAX_NAMED = 8;
const MAX_OFFERED = 12;

/** Chooses options of a select element, or of a list that a page built itself. */
export async function select(params: SelectParams, environment: Environment): Promise<Acted> {
  const { refs, deadline } = environment;
  const { value, values } = params;
  const wanted = values ?? (value === undefined ? [] : [value]);
  if ((value === undefined) === (values === undefined))
    throw new AgentProblem("invalid_param", "select needs value, or values for exactly these of several.");
  const named = await ready(params, refs, { enabled: true, hit: false }, deadline);
  const { element } = named;
  const control = element instanceof HTMLLabelElement && element.control ? element.control : element;
  if (control instanceof HTMLSelectElement) {
    const find = (now: HTMLSelectElement): HTMLOptionElement[] => wanted.map((one) => optionOf(now, one));
    return choose(control, named, environment, find, values !== undefined);
  }
  if (!isCustom(control)) throw new AgentProblem("not_select", `${inWords(control)} has no options to choose from.`);
  const list = new CustomList(control, () => press(control, params, environment));
  await list.open();
  const options = await retry(deadline, () => list.find(wanted));
  if (values && !list.isMultiple(options)) one(wanted, control);
  const names = options.map(calledBy);
  const pressed = values && list.isMultiple(options) ? list.differing(options) : options;
  let trusted = false;
  for (const ref of pressed.map((at) => refs.refOf(at))) {
    const done = await press(resolve({ ref }, refs).element, params, environment);
    trusted ||= done.trusted === true;
  }
  const result = outcome(named, environment, { value: list.chosen() ?? names.join(",") });
  return { result: trusted ? { ...result, trusted } : result };
}

/** Throws what is wrong with a list of options for a control that takes one. */
function one(wanted: readonly string[], control: Element): void {
  if (wanted.length !== 1)
    throw new AgentProblem("invalid_param", `${inWords(control)} takes one option, not ${wanted.length}.`);
}

/**
 * Chooses what find gives of a select element: its list is the browser's own, and what lies over the control covers it all
 * the same. exactly: nothing else stays chosen of several.
 */
export async function choose(
  control: HTMLSelectElement,
  named: Ready,
  environment: Environment,
  find: (control: HTMLSelectElement) => HTMLOptionElement[],
  exactly: boolean,
): Promise<Acted> {
  const { refs, deadline, act } = environment;
  // A page that renders itself anew puts another control in its place.
  const ref = refs.refOf(control);
  const found = isVisible(control) ? await ready({ ref }, refs, { enabled: true, hit: true }, deadline) : named;
  let now = control;
  const options = await retry(deadline, () => {
    now = resolve({ ref }, refs).element as HTMLSelectElement;
    const there = find(now);
    const off = there.find((at) => at.matches(":disabled"));
    if (off) throw new AgentProblem("not_actionable", `The option "${off.label}" is disabled.`);
    return there;
  });
  if (!now.multiple)
    one(
      options.map(({ label }) => label),
      now,
    );
  const before = [...now.selectedOptions];
  let value = "";
  act.perform(() => {
    for (const at of now.multiple ? now.options : options)
      if (options.includes(at)) at.selected = true;
      else if (exactly) at.selected = false;
    value = chosen(now) ?? "";
    const after = [...now.selectedOptions];
    if (before.length === after.length && before.every((at, i) => at === after[i])) return;
    acts().dispatch(now, new Event("input", { bubbles: true, composed: true }));
    acts().dispatch(now, new Event("change", { bubbles: true }));
  });
  const label = [...now.selectedOptions].map((at) => at.label.trim()).join(", ");
  const { count, strategy, element } = named;
  const more = { value, ...(label.replaceAll(", ", ",") === value ? {} : { option: fold(label, 200) }) };
  const told = element instanceof HTMLOptionElement ? element : now;
  const result = outcome({ ...found, element: told, count, strategy }, environment, more);
  watchValue(result, now, environment, chosen);
  return { result };
}

/** Presses a part of a list that the page built itself: on the same way as any click. */
async function press(element: Element, params: SelectParams, environment: Environment): Promise<ActResult> {
  const { result } = await perform(environment, {
    target: { ref: environment.refs.refOf(element) },
    needs: { enabled: true, hit: true },
    gesture: { type: "press", button: "left", count: 1 },
    route: routeOf(params.trusted, () => false),
    result: (found) => outcome(found, environment),
  });
  return result;
}

/** The values of what is chosen in a select element. */
const chosen = (element: Element): string | undefined =>
  element instanceof HTMLSelectElement ? [...element.selectedOptions].map(({ value }) => value).join(",") : undefined;

function optionOf(control: HTMLSelectElement, value: string): HTMLOptionElement {
  // Pages repeat the options that are chosen most: those are one.
  const once = new Map<string, HTMLOptionElement>();
  for (const at of control.options) {
    const key = JSON.stringify([at.value, at.label]);
    if (!once.has(key)) once.set(key, at);
  }
  return pick([...once.values()], value, [(at) => [at.value], (at) => [at.label, at.text]], (at) =>
    at.value === at.label ? `"${at.label}"` : `"${at.label}" (value "${at.value}")`,
  );
}

const OPTIONS = "[role=option], [role=menuitemradio], [role=menuitem], [role=menuitemcheckbox], [role=treeitem]";

const LISTS = "[role=listbox], [role=menu], [role=menubar], [role=tree]";

const isCustom = (element: Element): boolean =>
  /^(combobox|listbox)$/.test(roleGiven(element) ?? "") ||
  element.matches(
    "[role=combobox], [role=listbox], [aria-haspopup=listbox], [aria-haspopup=menu], [aria-haspopup=tree], [aria-haspopup=true]",
  );

/** A part of an option's name counts only in a list that stays as it is so long, ms: the whole one may be on its way. */
const COMPLETE_MS = 250;

/**
 * The list of a control that the page built itself. It is what the control says that it is, else what came since the control
 * was pressed: whatever else the page shows that is called so is another one's.
 */
class CustomList {
  readonly #control: Element;
  readonly #press: () => Promise<unknown>;
  /** What was shown before the control was pressed, with what it was called. */
  #before = new Map<Element, string>();
  #reopened = false;
  #names = "";
  #since = 0;

  constructor(control: Element, press: () => Promise<unknown>) {
    this.#control = control;
    this.#press = press;
  }

  /** Opens the list, unless it is there already. */
  async open(): Promise<void> {
    // A list that is kept in the page while it is closed may only be see-through.
    const isClosed = ariaOf(this.#control, "expanded") === "false";
    const isOpen = roleGiven(this.#control) === "listbox" || (!isClosed && this.#own().length > 0);
    if (isOpen || (this.#isExpanded && listsOf(this.#control).length > 1)) return;
    this.#before = new Map(shownOptions().map((at) => [at, keyOf(at)]));
    await this.#press();
  }

  /** The options that are wanted, once they are there. */
  async find(wanted: readonly string[]): Promise<Element[]> {
    const options = this.options();
    if (options.length === 0 && !this.#reopened && this.#change().went.length > 0) {
      // It was open, and nothing told so: the press closed it.
      this.#reopened = true;
      await this.open();
    }
    const names = options.map(keyOf).join("\n");
    if (names !== this.#names) this.#since = performance.now();
    this.#names = names;
    const isComplete = performance.now() - this.#since >= COMPLETE_MS;
    return wanted.map((value) =>
      pick(
        options,
        value,
        [(at) => [at.getAttribute("data-value") ?? ""], (at) => [nameOf(at), textOf(at)]],
        (at) => `"${calledBy(at)}"`,
        isComplete,
      ),
    );
  }

  options(): Element[] {
    const own = this.#own();
    return own.length > 0 ? own : this.#change().came;
  }

  /** Of a list of several those of the page's choice that are not ours, and ours that are not chosen. */
  differing(options: readonly Element[]): Element[] {
    return this.options().filter((at) => isChosen(at) !== options.includes(at));
  }

  isMultiple(options: readonly Element[]): boolean {
    const [at = this.options()[0]] = options;
    return nearest(at ?? this.#control, LISTS)?.getAttribute("aria-multiselectable") === "true";
  }

  /** What is chosen in a list of several. */
  chosen(): string | undefined {
    return this.isMultiple([]) ? this.options().filter(isChosen).map(calledBy).join(",") : undefined;
  }

  get #isExpanded(): boolean {
    return ariaOf(this.#control, "expanded") === "true";
  }

  #own(): Element[] {
    const lists = listsOf(this.#control);
    const isAlone = this.#isExpanded && lists.length === 1;
    return shownOptions().filter(
      (at) =>
        lists.some((list) => isInside(at, list)) ||
        // What is in no list is in that of nobody else.
        (isAlone && at.matches("[role=option]") && !nearest(at, LISTS)),
    );
  }

  /** What came since the press, and what went. What was rendered anew did neither. */
  #change(): { came: Element[]; went: string[] } {
    const shown = roleGiven(this.#control) === "listbox" ? [] : shownOptions();
    const went = [...this.#before].filter(([at]) => !shown.includes(at)).map(([, key]) => key);
    const came = shown.filter((at) => {
      const i = this.#before.has(at) ? -1 : went.indexOf(keyOf(at));
      if (i >= 0) went.splice(i, 1);
      return i < 0 && !this.#before.has(at);
    });
    return { came, went };
  }
}

const OPTION_ROLE = /^(option|menuitem(radio|checkbox)?|treeitem)$/;

const shownOptions = (): Element[] =>
  everywhere([OPTIONS, ...componentTags()].join(), document).filter(
    (at) => OPTION_ROLE.test(roleGiven(at) ?? "") && isVisible(at),
  );

const calledBy = (option: Element): string => nameOf(option) || textOf(option);

const keyOf = (option: Element): string => `${roleGiven(option)} ${calledBy(option)}`;

const isChosen = (option: Element): boolean => (ariaOf(option, "selected") ?? ariaOf(option, "checked")) === "true";

/** What can have the options of a control in it: itself, what it says that it controls, and the list that is named by it. */
function listsOf(control: Element): Element[] {
  const root = control.getRootNode() as Document | ShadowRoot;
  // A box around a field may be the combobox, and own the list.
  const around = control.parentElement?.closest("[role=combobox]");
  const ids = [control, around].flatMap((at) =>
    ["aria-controls", "aria-owns", "popovertarget", "commandfor"].flatMap((name) =>
      (at?.getAttribute(name) ?? "").split(/\s+/),
    ),
  );
  const active = root.getElementById(control.getAttribute("aria-activedescendant") ?? "");
  const list = active && nearest(active, LISTS);
  const named = control.id
    ? root.querySelectorAll(`:is([role=listbox], [role=menu])[aria-labelledby~=${CSS.escape(control.id)}]`)
    : [];
  const told = (control as { ariaControlsElements?: Element[] | null }).ariaControlsElements ?? [];
  return [
    ...new Set([
      control,
      ...ids.flatMap((id) => (id && root.getElementById(id)) || []),
      ...(list ? [list] : []),
      ...named,
      ...told,
    ]),
  ];
}

const textOf = (element: Element): string => fold(element.textContent ?? "", 200);

type Texts<O> = (option: O) => string[];

/**
 * The option that is meant: by its value, else by its label or text, else by them without regard to case, else by a part of
 * them. Several that fit equally well are ambiguous_target, which names them in words.
 */
function pick<O extends Element>(
  options: readonly O[],
  value: string,
  [valueOf, labelsOf]: readonly [Texts<O>, Texts<O>],
  inWords: (option: O) => string,
  isComplete = true,
): O {
  const want = fold(value, Infinity);
  const lower = want.toLowerCase();
  const both: Texts<O> = (option) => [...valueOf(option), ...labelsOf(option)];
  const ways: readonly [Texts<O>, (text: string) => boolean][] = [
    [valueOf, (text) => text === want],
    [labelsOf, (text) => text === want],
    [both, (text) => text.toLowerCase() === lower],
    [both, (text) => text.toLowerCase().includes(lower)],
  ];
  for (const [textsOf, fits] of isComplete ? ways : ways.slice(0, 3)) {
    const found = options.filter((option) => textsOf(option).some((text) => fits(fold(text, Infinity))));
    const [only] = found;
    if (only && found.length === 1) return only;
    if (found.length > 1) {
      const some = found.slice(0, MAX_NAMED).map(inWords).join(", ");
      throw new AgentProblem("ambiguous_target", `${found.length} options fit "${want}": ${some}.`);
    }
  }
  const offered = options.slice(0, MAX_OFFERED).map(inWords).join(", ");
  throw new AgentProblem("option_not_found", `No option is called "${want}". There are: ${offered || "none"}.`);
}
