import type { Header } from "@gasoline/schema/wire";
import { append, charCode, indexOf, lower, radix, slice, startsWith } from "./natives.ts";
import { secretHeader, secretName } from "./names.ts";

/**
 * mask gives the pseudonym `<kind:hash32>` of a secret: equal values stay equal while the salt is, nothing else of
 * them is left. The hash is 32 bits on purpose, many values share one, so that it cannot be turned round.
 */
export function mask(kind: string, value: string, salt: string): string {
  const hex = radix(hash32(salt + "\u0000" + value), 16);
  return "<" + kind + ":" + slice("0000000" + hex, -8) + ">";
}

/** FNV-1a over UTF-16 units with a final mix, so that values that differ in one character differ all over. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = imul(hash ^ charCode(text, i), 0x01000193);
  hash = imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const imul = Math.imul;

/** headerValue masks the value of a header that is secret by its name. A scheme ("Bearer ") stays readable. */
export function headerValue(name: string, value: string, salt: string): string {
  const kind = secretHeader(lower(name));
  if (kind === "") return value;
  const space = indexOf(value, " ");
  if (kind === "authorization" && space > 0 && space < 12) return slice(value, 0, space + 1) + mask(kind, slice(value, space + 1), salt);
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
  const start = query < 0 ? fragment : query;
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
      const kind = secretName(slice(form, from, equals));
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

const masked = (value: string): boolean => startsWith(value, "<") && value[value.length - 1] === ">";

/**
 * redactBody masks secret fields of a captured body: JSON members and form fields by their names. Other text stays as
 * it is; the daemon looks at values. A body that was cut inside a secret value loses the rest of it as well.
 */
export function redactBody(body: string, contentType: string, salt: string): string {
  if (startsWith(contentType, "application/x-www-form-urlencoded")) return redactForm(body, salt);
  return indexOf(body, '":') < 0 && indexOf(body, '" :') < 0 ? body : redactJSON(body, salt);
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
    const colon = skipSpace(body, at);
    if (body[colon] !== ":") continue;
    const kind = secretName(slice(body, open + 1, close));
    const value = skipSpace(body, colon + 1);
    if (kind === "" || value >= body.length) continue;
    const end = valueEnd(body, value);
    if (end === value) continue;
    const text = body[value] === '"';
    const secret = slice(body, text ? value + 1 : value, text && body[end - 1] === '"' && end - 1 > value ? end - 1 : end);
    at = end;
    if (secret === "" || secret === "null" || secret === "true" || secret === "false") continue;
    out += slice(body, kept, value) + '"' + mask(kind, secret, salt) + '"';
    kept = end;
  }
  return out + slice(body, kept);
}

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
