import type { Header } from "@gasoline/schema/wire";
import { append, charCode, indexOf, lastIndexOf, lower, radix, slice, startsWith } from "./natives.ts";
import { secretHeader, secretName } from "./names.ts";

/**
 * mask gives the pseudonym `<kind:hash32>` of a secret: equal values stay equal while the salt is, nothing else of
 * them is left. The hash is 32 bits on purpose, many values share one, so that it cannot be turned round. Without a
 * salt the hash is keyed with nothing, and whoever gets the text keys it, by withSalt.
 */
export function mask(kind: string, value: string, salt: string): string {
  const hash = mix(fnv(fnvStart, value));
  return "<" + kind + ":" + hex(salt === "" ? hash : mix(hash ^ keyOf(salt))) + ">";
}

/** withSalt keys the pseudonyms in a text that were made without a salt: what mask would have given with this one. */
export function withSalt(text: string, salt: string): string {
  if (salt === "" || indexOf(text, ":") < 0) return text;
  const key = keyOf(salt);
  return text.replace(
    unkeyed,
    (_, before: string, hash: string, after: string) => before + hex(mix(parseInt(hash, 16) ^ key)) + after,
  );
}

const unkeyed = /((?:<|%3C)[a-z][a-z0-9_]*:)([0-9a-f]{8})(>|%3E)/g;

const fnvStart = 0x811c9dc5;

/** FNV-1a over UTF-16 units, from a state on. */
function fnv(from: number, text: string): number {
  let hash = from;
  for (let i = 0; i < text.length; i++) hash = imul(hash ^ charCode(text, i), 0x01000193);
  return hash;
}

/** mix ends a hash, so that values that differ in one unit differ all over. It can be turned round: the daemon does. */
function mix(state: number): number {
  let hash = imul(state ^ (state >>> 16), 0x85ebca6b);
  hash = imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const keyOf = (salt: string): number => fnv(fnvStart, salt);
const hex = (hash: number): string => slice("0000000" + radix(hash, 16), -8);

const imul = Math.imul;

/**
 * headerValue masks the value of a header that is secret by its name. A scheme ("Bearer ") stays readable, and so does
 * "true": that of access-control-allow-credentials says who may read an answer.
 */
export function headerValue(name: string, value: string, salt: string): string {
  const kind = secretHeader(lower(name));
  if (kind === "" || value === "true") return value;
  const space = indexOf(value, " ");
  if (kind === "authorization" && space > 0 && space < 12) {
    return slice(value, 0, space + 1) + mask(kind, slice(value, space + 1), salt);
  }
  return mask(kind, value, salt);
}

/** addHeader appends a redacted header field; values longer than 4,096 characters are cut. */
export function addHeader(to: Header[], name: string, value: string, salt: string): void {
  append(to, { name: lower(name), value: slice(headerValue(name, value, salt), 0, 4096) });
}

/** redactURL masks the values of secret query and fragment parameters, and the password of user:password@. */
export function redactURL(url: string, salt: string): string {
  let text = url;
  const scheme = indexOf(text, "://");
  if (scheme > 0) {
    const path = indexOf(text, "/", scheme + 3);
    const at = indexOf(text, "@", scheme + 3);
    const colon = indexOf(text, ":", scheme + 3);
    if (at > 0 && colon > 0 && colon < at && (path < 0 || at < path)) {
      text = slice(text, 0, colon + 1) + mask("password", slice(text, colon + 1, at), salt) + slice(text, at);
    }
  }
  const query = indexOf(text, "?");
  const fragment = indexOf(text, "#");
  const start = query < 0 || (fragment >= 0 && fragment < query) ? fragment : query;
  if (start < 0 || indexOf(text, "=", start) < 0) return text;
  return slice(text, 0, start + 1) + redactForm(slice(text, start + 1), salt);
}

/** redactForm masks the values of secret names in `a=1&b=2` text. */
export function redactForm(form: string, salt: string): string {
  let out = "";
  let from = 0;
  while (from <= form.length) {
    let end = from;
    while (end < form.length && !(form[end] === "&" || form[end] === "#" || form[end] === "?")) end++;
    const equals = indexOf(form, "=", from);
    if (equals >= 0 && equals < end && equals + 1 < end) {
      const kind = fieldName(decoded(slice(form, from, equals)));
      const value = slice(form, equals + 1, end);
      out += slice(form, from, equals + 1) + (kind && !masked(value) ? mask(kind, value, salt) : value);
    } else {
      out += slice(form, from, end);
    }
    if (end < form.length) out += form[end];
    from = end + 1;
  }
  return out;
}

/** fieldName is secretName for a field of a form: the members of user[password][0] are its secrets as well. */
export function fieldName(name: string): string {
  let kind = secretName(name);
  for (let at = indexOf(name, "["); kind === "" && at >= 0; at = indexOf(name, "[", at + 1)) {
    kind = secretName(slice(name, 0, at));
  }
  return kind;
}

/** decoded replaces the escapes of ASCII characters in a field's name. */
function decoded(name: string): string {
  if (indexOf(name, "%") < 0) return name;
  let out = "";
  for (let i = 0; i < name.length; i++) {
    const code = name[i] === "%" ? +("0x" + slice(name, i + 1, i + 3)) : NaN;
    out += code < 128 ? fromCode(code) : name[i];
    if (code < 128) i += 2;
  }
  return out;
}

const fromCode = String.fromCharCode;

const masked = (value: string): boolean => startsWith(value, "<") && value[value.length - 1] === ">";

/**
 * redactBody masks secret fields of a captured body: JSON members, items behind a name in a list, values with their
 * name beside them, and form fields, by their names. Other text stays as it is; the daemon looks at values. A body
 * that was cut inside a secret value loses the rest of it as well.
 */
export function redactBody(body: string, contentType: string, salt: string): string {
  if (startsWith(contentType, "application/x-www-form-urlencoded")) return redactForm(body, salt);
  const first = body[skipSpace(body, 0)];
  return first === "[" || indexOf(body, '":') >= 0 || indexOf(body, '" :') >= 0 ? redactJSON(body, salt) : body;
}

/** redactJSON works on text, because a body may be cut, huge, or almost JSON. */
function redactJSON(body: string, salt: string): string {
  let out = "";
  let kept = 0;
  let at = 0;
  for (;;) {
    const open = indexOf(body, '"', at);
    if (open < 0) break;
    const close = stringEnd(body, open);
    if (close < 0) break;
    at = close + 1;
    const next = skipSpace(body, at);
    const name = slice(body, open + 1, close);
    let kind = "";
    const pair = body[next] === ":" && (name === "value" || name === "Value");
    if (body[next] === ":") kind = (pair ? besideValue(body, open) : "") || secretName(name);
    else if (body[next] === "," && listed(body, open)) kind = itemName(name);
    const value = skipSpace(body, next + 1);
    if (kind === "" || value >= body.length) continue;
    const end = valueEnd(body, value);
    if (end === value) continue;
    const text = body[value] === '"';
    const closed = text && body[end - 1] === '"' && end - 1 > value;
    const secret = slice(body, text ? value + 1 : value, closed ? end - 1 : end);
    at = end;
    if (secret === "" || secret === "null" || secret === "true" || secret === "false") continue;
    out += slice(body, kept, value) + '"' + mask(kind, secret, salt) + '"';
    kept = end;
  }
  return out + slice(body, kept);
}

/** itemName is secretName for a string in a list, the next item of which is its value: ["token:", "x"]. */
function itemName(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === ":" || text[end - 1] === "=")) end--;
  return end === text.length && indexOf(text, " ") >= 0 ? "" : secretName(slice(text, 0, end));
}

/** listed says whether the string at open is an item of a list: nothing else stands between commas. */
function listed(body: string, open: number): boolean {
  let i = open - 1;
  while (i >= 0 && (body[i] === " " || body[i] === "\n" || body[i] === "\t" || body[i] === "\r")) i--;
  return body[i] === "[" || body[i] === ",";
}

/** besideValue gives the secret name in the flat object around the key "value" at open: {"name":"pin","value":"1"}. */
function besideValue(body: string, open: number): string {
  const start = lastIndexOf(body, "{", open);
  let at = open - start > 1000 ? -1 : start;
  const last = open + 1000;
  while (at >= 0 && at < last) {
    const key = indexOf(body, '"', at);
    const colon = key < 0 ? -1 : stringEnd(body, key) + 1;
    const value = colon < 1 ? -1 : skipSpace(body, skipSpace(body, colon) + 1);
    const end = value < 0 ? -1 : valueEnd(body, value);
    if (end <= value) return "";
    const told = indexOf(tellers, " " + lower(slice(body, key + 1, colon - 1)) + " ") >= 0;
    const kind = told ? secretName(slice(body, value + 1, end - 1)) : "";
    if (kind !== "") return kind;
    at = body[skipSpace(body, end)] === "," ? end : -1;
  }
  return "";
}

const tellers = " name key id field header type ";

function stringEnd(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i;
  }
  return -1;
}

function skipSpace(text: string, from: number): number {
  let i = from;
  while (i < text.length && (text[i] === " " || text[i] === "\n" || text[i] === "\t" || text[i] === "\r")) i++;
  return i;
}

/** Objects and arrays under a secret name are not scalars: their members are judged by their own names. */
function valueEnd(text: string, from: number): number {
  const c = text[from];
  if (c === "{" || c === "[") return from;
  if (c === '"') {
    const close = stringEnd(text, from);
    return close < 0 ? text.length : close + 1;
  }
  let i = from;
  while (i < text.length && !(text[i] === "," || text[i] === "}" || text[i] === "]" || text[i] === "\n")) i++;
  return i;
}
