import { secretName } from "../../../capture/names.ts";
import { fieldName, mask, redactBody, redactForm, redactURL } from "../../../capture/redact.ts";
import { alphabets, formats } from "./rules.gen.ts";
import { newSpan } from "./trace.ts";

// Pseudonyms are equal for equal values of this process and say nothing elsewhere.
const salt = newSpan();

/** What a token looks like: the part of the expression that is its secret, and what else must hold. */
interface Shape {
  kind: string;
  /** Sticky. Its only group is the secret. */
  form: RegExp;
  /** Nothing that belongs to a word follows. */
  exact: boolean;
  /** The secret has a digit. */
  digit: boolean;
}

/** How many characters all formats begin with as they are. */
const PREFIX = 3;
/** The longest run of a token that is looked at, in characters. A longer one is masked as far as it goes. */
const MAX_RUN = 1024;
const MAX_JWT = 16 << 10;
const shapes = new Map<string, Shape[]>();

const escaped = (literal: string): string => literal.replace(/[.+*?()[\]{}|^$\\/]/g, "\\$&");

/** expression writes a shape as a regular expression: {a20-} is a run of 20 or more of the alphabet a. */
const expression = (shape: string, most: number): string =>
  shape.replace(
    /([^{]*)(?:\{(.)(\d+)(-?)(\d*)\})?/g,
    (_, literal: string, set: string | undefined, low: string, ranged: string, high: string) =>
      escaped(literal) + (set === undefined ? "" : `[${alphabets[set]}]{${low}${ranged && `,${high || most}`}}`),
  );

let kind = "";
for (const line of formats.trim().split("\n")) {
  const [own, shape = "", ...checks] = line.split(" ");
  kind = own?.replace("~", "_token").replace("^", "_key") || kind;
  const [shown, secret] = shape.includes("|") ? (shape.split("|") as [string, string]) : ["", shape];
  const prefix = shape.slice(0, PREFIX);
  const of = shapes.get(prefix) ?? [];
  const most = kind === "jwt" ? MAX_JWT : MAX_RUN;
  of.push({
    kind,
    form: new RegExp(`${expression(shown, most)}(${expression(secret, most)})`, "dy"),
    exact: checks.includes("e"),
    digit: checks.includes("d") || checks.includes("m"),
  });
  shapes.set(prefix, of);
}

/**
 * Where a secret may begin: a sign between a name and a value, a private key, the word of a scheme, 14 digits in a
 * row, and the first characters of the formats.
 */
const begins = new RegExp(
  "[=:]|-----BEGIN |(?<![\\w.-])\\d(?=(?:[ -]?\\d){13})|\\b(?:[Bb][Ee][Aa][Rr][Ee][Rr] |[Bb][Aa][Ss][Ii][Cc] |" +
    `${[...shapes.keys()].map(escaped).join("|")})`,
  "g",
);

const digits = /\d/;
const rest = /[\w+/=.~-]*/y;
const pseudonym = /^(?:<|%3C)[a-z]\w*:[0-9a-f]{8}(?:>|%3E)$/;
const strong = /(?:password|secret|passwd|pwd)$/;
const harmless = new Set(["null", "undefined", "true", "false"]);
// Sticky from here on: they are asked at a place.
const spaces = /[ =\t]*/y;
const bare = /[^\s"',;&)}\]<>]+/y;
const scheme = /(?:bearer|basic) /iy;
const credentials = /[\w.~+/=-]{8,}/y;
const userinfo = /[^\s/?#"'<>,)]{1,512}(?=@)/y;
const card = /\d(?:[ -]?\d){13,15}(?![\w]|\.\d|-\d)/y;
const privateKey = /-----BEGIN [A-Z ]{0,50}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [^-]{0,64}-----|$)/y;
const insides: Record<string, RegExp> = { '"': /(?:[^"\\]|\\.)*/sy, "'": /(?:[^'\\]|\\.)*/sy };
const escapedInsides: Record<string, RegExp> = { '"': /[^"\\]*/y, "'": /[^'\\]*/y };

/** Found is where a secret stands, and what it is. */
type Found = [kind: string, from: number, to: number];

/** end returns where a sticky expression ends that is asked at a place, the place itself when it does not match. */
function end(of: RegExp, s: string, at: number): number {
  of.lastIndex = at;
  return of.test(s) ? of.lastIndex : at;
}

/** text masks secrets in a text: by their form, and behind names that have secrets. A second pass changes nothing. */
export function text(value: string): string {
  begins.lastIndex = 0;
  let hit = begins.exec(value);
  if (hit === null) return value;
  let out = "";
  let kept = 0;
  for (; hit !== null; hit = begins.exec(value)) {
    const found = secretAt(value, hit.index, hit[0]);
    if (!found) {
      begins.lastIndex = hit.index + 1;
      continue;
    }
    const [kind, from, to] = found;
    begins.lastIndex = to;
    const secret = value.slice(from, to);
    if (pseudonym.test(secret)) continue;
    out += value.slice(kept, from) + mask(kind, secret, salt);
    kept = to;
  }
  return kept === 0 ? value : out + value.slice(kept);
}

function secretAt(s: string, at: number, hit: string): Found | undefined {
  const first = hit[0] as string;
  if (first === "=") return assigned(s, at);
  if (first === ":") {
    if (s[at + 1] !== "/" || s[at + 2] !== "/") return assigned(s, at);
    const to = end(userinfo, s, at + 3);
    return to > at + 3 ? ["credentials", at + 3, to] : undefined;
  }
  if (first === "-") {
    const to = end(privateKey, s, at);
    return to > at ? ["private_key", at, to] : undefined;
  }
  if (hit.length > PREFIX) {
    const from = at + hit.length;
    const to = end(credentials, s, from);
    return to > from && digits.test(s.slice(from, to)) ? [hit.trimEnd().toLowerCase(), from, to] : undefined;
  }
  if (hit.length === 1) {
    const to = end(card, s, at);
    return to > at && isCard(s.slice(at, to)) ? ["card", at, to] : undefined;
  }
  for (const { kind, form, exact, digit } of shapes.get(hit) ?? []) {
    form.lastIndex = at;
    const [from, to] = form.exec(s)?.indices?.[1] ?? [0, 0];
    if (to === 0 || (exact && /\w/.test(s[to] ?? "")) || (digit && !digits.test(s.slice(from, to)))) continue;
    return [kind, from, to - from < MAX_RUN ? to : end(rest, s, to)];
  }
  return undefined;
}

/** What a name is made of: 1, and 2 for letters. */
const ofNames = new Uint8Array(128);
for (const c of "0123456789_-[]") ofNames[c.charCodeAt(0)] = 1;
for (const c of "abcdefghijklmnopqrstuvwxyz") {
  ofNames[c.charCodeAt(0)] = 2;
  ofNames[c.toUpperCase().charCodeAt(0)] = 2;
}

/** assigned finds the value that is given to a secret name before the sign at a place. */
function assigned(s: string, sign: number): Found | undefined {
  let to = sign;
  while (s[to - 1] === " ") to--;
  if (s[to - 1] === '"' || s[to - 1] === "'") to--;
  if (s[to - 1] === "\\") to--;
  let from = to;
  let letters = 0;
  for (; from > 0 && to - from < 64; from--) {
    const of = ofNames[s.charCodeAt(from - 1)];
    if (!of) break;
    if (of === 2) letters++;
  }
  // Behind a variable's name its type follows, mostly.
  if (letters < 2 || s[from - 1] === "$") return undefined;
  const kind = fieldName(s.slice(from, to));
  if (kind === "") return undefined;
  let at = end(spaces, s, sign + 1);
  const slash = s[at] === "\\";
  if (slash) at++;
  const quote = s[at];
  if (quote === '"' || quote === "'") {
    at++;
    // The quote closes a text that ends with the name.
    if (",)]}:".includes(s[at] ?? " ")) return undefined;
    const close = end((slash ? escapedInsides : insides)[quote] as RegExp, s, at);
    return close > at ? [kind, at, close] : undefined;
  }
  at = end(scheme, s, at);
  const close = end(bare, s, at);
  const value = s.slice(at, close);
  if (value === "" || harmless.has(value) || value.includes("(") || value.includes("$")) return undefined;
  if (s[from - 1] === "<" && s[close] === ">") return undefined; // a pseudonym
  const number = digits.test(value);
  // "token: expired", "token = next"
  if (s[sign] === ":" && !strong.test(kind) && !(value.length >= 4 && number)) return undefined;
  if (s[sign] === "=" && s[sign + 1] === " " && !number) return undefined;
  return [kind, at, close];
}

/** attribute masks the value of an attribute, whole when its name has secrets. */
export function attribute(name: string, value: string): string {
  const kind = secretName(name);
  // "true" is that of access-control-allow-credentials, which says who may read an answer.
  if (kind && value && value !== "true") return pseudonym.test(value) ? value : mask(kind, value, salt);
  const first = value[0];
  return text(first === "{" || first === "[" ? redactBody(value, "application/json", salt) : value);
}

/** secret reports whether an attribute's name says that its value is one. */
export const secret = (name: string): boolean => secretName(name) !== "";

/** query masks the values of a query string. */
export const query = (value: string): string => text(redactForm(value, salt));

/** url masks what is secret in an address. */
export const url = (value: string): string => text(redactURL(value, salt));

/** isCard reports whether digits are of a card: by what they begin with, how many they are, and their check digit. */
function isCard(number: string): boolean {
  const plain = number.replace(/\D/g, "");
  if (!/^(?:4\d{15}|(?:5[1-5]|2[2-7]|35|60|62|65)\d{14}|3[47]\d{13}|3[068]\d{12})$/.test(plain)) return false;
  let sum = 0;
  for (let i = 0; i < plain.length; i++) {
    const c = plain.charCodeAt(plain.length - 1 - i) - 48;
    const n = i % 2 === 1 ? c * 2 : c;
    sum += n > 9 ? n - 9 : n;
  }
  return sum % 10 === 0;
}
