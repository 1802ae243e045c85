/** One key with its modifiers, as browsers name them. */
export interface KeyStroke {
  key: string;
  code: string;
  keyCode: number;
  /** Bits of the DevTools protocol: Alt 1, Control 2, Meta 4, Shift 8. */
  modifiers: number;
  alt: boolean;
  control: boolean;
  meta: boolean;
  shift: boolean;
  /** What the key types; "" for keys that type nothing. */
  text: string;
  /** Editing commands that real keyboards imply and synthetic ones have to name. */
  commands?: string[];
}

/** The key that a command of the browser's own editing comes with: none that a page knows. */
export const EDIT_KEY = "Unidentified";

/** Keys with a name, which is their code, too: their virtual key codes. */
const NAMED: Record<string, number> = {
  Enter: 13,
  Tab: 9,
  Escape: 27,
  Backspace: 8,
  Delete: 46,
  Insert: 45,
  Home: 36,
  End: 35,
  PageUp: 33,
  PageDown: 34,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};
for (let n = 1; n <= 12; n++) NAMED[`F${n}`] = 111 + n;

/** The keys of a US keyboard that type something: code, virtual key code, what they type plain and with Shift. */
const PRINTING: [code: string, keyCode: number, plain: string, shifted: string][] = [["Space", 32, " ", " "]];
for (const [, code = "", plain = "", shifted = "", keyCode] of (
  "Backquote`~192 Minus-_189 Equal=+187 BracketLeft[{219 BracketRight]}221 Backslash\\|220 " +
  "Semicolon;:186 Quote'\"222 Comma,<188 Period.>190 Slash/?191"
).matchAll(/(\w+?)(\W)(\W|_)(\d+)/g))
  PRINTING.push([code, Number(keyCode), plain, shifted]);
for (let n = 0; n <= 9; n++) PRINTING.push([`Digit${n}`, 48 + n, String(n), ")!@#$%^&*(".charAt(n)]);
for (let n = 65; n <= 90; n++) {
  const letter = String.fromCharCode(n);
  PRINTING.push([`Key${letter}`, n, letter.toLowerCase(), letter]);
}

const ALIASES: Record<string, string> = {
  esc: "Escape",
  return: "Enter",
  del: "Delete",
  space: " ",
  spacebar: " ",
  left: "ArrowLeft",
  right: "ArrowRight",
  up: "ArrowUp",
  down: "ArrowDown",
};

const MODIFIERS: Record<string, "alt" | "control" | "meta" | "shift"> = {
  alt: "alt",
  option: "alt",
  control: "control",
  ctrl: "control",
  meta: "meta",
  command: "meta",
  cmd: "meta",
  shift: "shift",
};

/** Reads "Control+Shift+a", "Enter", "+" or one character. undefined when there is no such key. */
export function parseKeys(keys: string): KeyStroke | undefined {
  const parts = keys === "+" ? ["+"] : keys.endsWith("++") ? [...keys.slice(0, -2).split("+"), "+"] : keys.split("+");
  const held = { alt: false, control: false, meta: false, shift: false };
  for (const part of parts.slice(0, -1)) {
    const modifier = MODIFIERS[part.trim().toLowerCase()];
    if (!modifier) return undefined;
    held[modifier] = true;
  }
  const name = parts.at(-1) === " " ? " " : (parts.at(-1) ?? "").trim();
  const plain =
    ALIASES[name.toLowerCase()] ?? Object.keys(NAMED).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name;
  const modifiers = (held.alt ? 1 : 0) | (held.control ? 2 : 0) | (held.meta ? 4 : 0) | (held.shift ? 8 : 0);
  const bare = !held.control && !held.meta && !held.alt;
  const named = NAMED[plain];
  if (named) {
    const text = bare && plain === "Enter" ? "\r" : "";
    return { key: plain, code: plain, keyCode: named, modifiers, ...held, text };
  }
  // One code point is one key: a letter of any script, or an emoji.
  if (plain === "" || String.fromCodePoint(plain.codePointAt(0) ?? 0) !== plain) return undefined;
  const printing = PRINTING.find(([, , ...typed]) => typed.includes(plain));
  const [code, keyCode, lower, shifted] = printing ?? ["", 0, plain, plain.toUpperCase()];
  // "A" and "?" alone are typed with Shift; of a chord people write what they hold.
  const shift = held.shift || (bare && plain !== lower);
  const key = shift ? shifted : plain;
  const stroke: KeyStroke = {
    key,
    code,
    keyCode,
    modifiers: modifiers | (shift ? 8 : 0),
    ...held,
    shift,
    text: bare ? key : "",
  };
  const commands: Record<string, string> = {
    KeyA: "selectAll",
    KeyC: "copy",
    KeyX: "cut",
    KeyV: "paste",
    KeyZ: shift ? "redo" : "undo",
  };
  const command = held.control || held.meta ? commands[code] : undefined;
  if (command) stroke.commands = [command];
  return stroke;
}

/** Texts up to this length are typed key by key, for pages that watch keys; longer ones come at once, as a paste would. */
const KEY_BY_KEY = 200;

/** What is typed by an input method or chosen from a palette, several code points at a time: no key types it. */
const COMPOSED =
  // oxlint-disable-next-line no-misleading-character-class -- what joins the parts of an emoji goes with them
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u3000-\u303f\uff00-\uffef\u200d\ufe0f\u20e3]+/u;

/** How a text is typed, in order: keys, and texts that come without one. at_once: as one text, but for its lines. */
export function typing(text: { text: string; at_once?: boolean; lines?: boolean }): (KeyStroke | string)[] {
  const long = text.at_once || text.text.length > KEY_BY_KEY;
  if (long && !text.lines) return [text.text];
  const parts = text.text
    .split(long ? /(\n)/ : new RegExp(`(\n|${COMPOSED.source})`, "u"))
    .filter((part) => part !== "");
  return parts.flatMap(
    (part): (KeyStroke | string)[] =>
      part !== "\n" && (long || COMPOSED.test(part))
        ? [part]
        : Array.from(part, (char) => parseKeys(char === "\n" ? "Enter" : char) ?? char), // no key types white space of other kinds
  );
}
