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

const NAMED: Record<string, { code: string; keyCode: number; text?: string }> = {
  Enter: { code: "Enter", keyCode: 13, text: "\r" },
  Tab: { code: "Tab", keyCode: 9 },
  Escape: { code: "Escape", keyCode: 27 },
  Backspace: { code: "Backspace", keyCode: 8 },
  Delete: { code: "Delete", keyCode: 46 },
  Insert: { code: "Insert", keyCode: 45 },
  Home: { code: "Home", keyCode: 36 },
  End: { code: "End", keyCode: 35 },
  PageUp: { code: "PageUp", keyCode: 33 },
  PageDown: { code: "PageDown", keyCode: 34 },
  ArrowLeft: { code: "ArrowLeft", keyCode: 37 },
  ArrowUp: { code: "ArrowUp", keyCode: 38 },
  ArrowRight: { code: "ArrowRight", keyCode: 39 },
  ArrowDown: { code: "ArrowDown", keyCode: 40 },
};
for (let n = 1; n <= 12; n++) NAMED[`F${n}`] = { code: `F${n}`, keyCode: 111 + n };

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
    return {
      key: plain,
      code: named.code,
      keyCode: named.keyCode,
      modifiers,
      ...held,
      text: bare ? (named.text ?? "") : "",
    };
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
