import { fold, seen } from "./text.ts";

/**
 * A text to look for. Exact: it has to be the whole text, letter for letter; otherwise the whole text is preferred to
 * one in other case, and that to a part of a text.
 */
export interface Text {
  text: string;
  exact: boolean;
}

/** A state of an element with a role, as in role=checkbox[checked]. */
export type State = "checked" | "disabled" | "expanded" | "pressed" | "selected";

/** A locator as data. */
export type Locator =
  | { kind: "ref"; ref: string }
  /** Each step but the first is looked for in the shadow roots of what the step before found; "" first: everywhere. */
  | { kind: "css"; steps: string[] }
  | ({ kind: "text" | "label" | "placeholder" } & Text)
  /** Without an attribute every usual one counts. */
  | { kind: "testid"; id: string; attribute?: string }
  | { kind: "role"; role: string; name?: Text; states: Partial<Record<State, string>> };

/** Attributes that teams put on elements for their tests, the usual one first. */
export const TEST_ATTRIBUTES: readonly string[] = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];

const STATES: ReadonlySet<string> = new Set(["checked", "disabled", "expanded", "pressed", "selected"]);

/** Longer ones are refused. */
const MAX_LENGTH = 20_000;

/** Why a text is no locator, in a sentence that says how to write it. */
export class LocatorError extends Error {}

/**
 * parse reads a locator: ref=e17, text=, label=, placeholder=, testid=, role=button[name="Save"][checked], or else CSS with
 * ">>>" for steps into shadow roots. Quotes around a text make it exact; in them \" \' and \\ stand for the character.
 * It takes time in proportion to the length, which is at most 20,000 characters, and throws LocatorError. Whether CSS is
 * valid is for the browser to say.
 */
export function parse(given: string): Locator {
  if (given.length > MAX_LENGTH) throw new LocatorError(`A locator has at most ${MAX_LENGTH} characters.`);
  const selector = given.trim();
  const kind = /^(ref|text|role|label|placeholder|testid)=/.exec(selector)?.[1];
  if (kind === undefined) return { kind: "css", steps: steps(selector) };
  const body = selector.slice(kind.length + 1);
  switch (kind) {
    case "ref":
      if (!/^e\d{1,12}$/.test(body)) throw new LocatorError(`Write ref=e17, not ref=${body.slice(0, 100)}`);
      return { kind, ref: body };
    case "role":
      return role(body);
    case "testid": {
      const attribute = /^\s*(data-[\w-]+)=/.exec(body)?.[0];
      if (attribute === undefined) return { kind, id: quoted(body) ?? body.trim() };
      const id = body.slice(attribute.length);
      return { kind, id: quoted(id) ?? id.trim(), attribute: attribute.trim().slice(0, -1) };
    }
    default:
      return { kind: kind as "text", ...textOf(body) };
  }
}

/** print writes a locator so that parse gives it back. */
export function print(locator: Locator): string {
  switch (locator.kind) {
    case "ref":
      return `ref=${locator.ref}`;
    case "css":
      return locator.steps.join(" >>> ").trim();
    case "testid": {
      const { id, attribute } = locator;
      const bare = id === id.trim() && id !== "" && quoted(id) === undefined && !/^data-[\w-]+=/.test(id);
      return `testid=${attribute === undefined ? "" : `${attribute}=`}${bare ? id : quote(id)}`;
    }
    case "role": {
      const { role: called, name, states } = locator;
      const given = Object.entries(states).map(([state, value]) => `[${state}=${quote(value)}]`);
      const named = name ? `[name=${name.exact ? quote(name.text) : name.text}]` : "";
      return `role=${called}${named}${given.join("")}`;
    }
    default:
      return `${locator.kind}=${locator.exact ? quote(locator.text) : locator.text}`;
  }
}

/** textOf reads a text as it stands behind text= and the like. */
export function textOf(body: string): Text {
  // What nobody sees may stand before a quote.
  const text = seen(body);
  const exact = quoted(text);
  return { text: fold(exact ?? text, MAX_LENGTH), exact: exact !== undefined };
}

/** asText gives a text the form in which it is written behind text= and the like: bare where that reads the same. */
export function asText(text: string): Text {
  return { text, exact: quoted(text) !== undefined };
}

const QUOTED = /^\s*(["'])([^]*)\1\s*$/;

/** quoted gives what stands between the quotes around a text; undefined where there are none. */
function quoted(body: string): string | undefined {
  const inner = QUOTED.exec(body)?.[2];
  // A backslash before the last quote makes it one of the text.
  if (inner === undefined || /(^|[^\\])(\\\\)*\\$/.test(inner)) return undefined;
  return unescape(inner);
}

const unescape = (text: string): string => text.replace(/\\([\\"'])/g, "$1");

const quote = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&")}"`;

/** steps cuts CSS at ">>>" where that does not stand in a string or behind a backslash. */
function steps(selector: string): string[] {
  const found: string[] = [];
  let from = 0;
  let open = "";
  for (let i = 0; i < selector.length; i++) {
    const sign = selector[i] as string;
    if (sign === "\\") i++;
    else if (open) open = sign === open ? "" : open;
    else if (sign === '"' || sign === "'") open = sign;
    else if (selector.startsWith(">>>", i)) {
      found.push(selector.slice(from, i).trim());
      i += 2;
      from = i + 1;
    }
  }
  found.push(selector.slice(from).trim());
  return found;
}

const howTo = (body: string): LocatorError =>
  new LocatorError(`Write role=button[name="Save"], not role=${body.slice(0, 100)}`);

function role(body: string): Locator {
  const called = /^\s*([\w-]+)\s*/.exec(body);
  if (!called) throw howTo(body);
  const found: Locator = { kind: "role", role: (called[1] as string).toLowerCase(), states: {} };
  for (let at = called[0].length; at < body.length;) {
    const start = /\[\s*([\w-]+)\s*(=?)\s*/y;
    start.lastIndex = at;
    const [all, attribute = "", equals] = start.exec(body) ?? [];
    if (all === undefined) throw howTo(body);
    at += all.length;
    const end = endOf(body, at);
    if (end < 0 || (!equals && end > at)) throw howTo(body);
    const value = body.slice(at, end);
    if (attribute === "name") {
      if (found.name) throw new LocatorError("role= takes one name.");
      found.name = textOf(value);
    } else if (STATES.has(attribute)) {
      found.states[attribute as State] = equals ? (quoted(value) ?? value.trim()) : "true";
    } else {
      throw new LocatorError(
        `role= knows name, checked, disabled, expanded, selected and pressed, not ${attribute.slice(0, 100)}.`,
      );
    }
    const space = /\]\s*/y;
    space.lastIndex = end;
    at = end + (space.exec(body)?.[0].length ?? 1);
  }
  return found;
}

/** endOf gives where the bracket closes behind a value, -1 where it does not. A quoted value may hold brackets. */
function endOf(body: string, from: number): number {
  const open = body[from];
  if (open !== '"' && open !== "'") return body.indexOf("]", from);
  for (let i = from + 1; i < body.length; i++) {
    if (body[i] === "\\") i++;
    else if (body[i] === open) {
      const close = /\s*\]/y;
      close.lastIndex = i + 1;
      // Quotes in quotes are taken as they are: only one before a bracket ends the value.
      if (close.test(body)) return close.lastIndex - 1;
      i = skipSpace(body, i);
    }
  }
  return -1;
}

/** skipSpace keeps endOf from reading the same spaces again. */
function skipSpace(body: string, i: number): number {
  const space = /\s*/y;
  space.lastIndex = i + 1;
  return i + (space.exec(body)?.[0].length ?? 0);
}
