import { append, bare, charCode, lastIndexOf, mapClear, mapGet, mapSet, NativeMap, radix, slice } from "./natives.ts";

// The lists are those of the daemon; schema/fixtures/redaction.json holds both to the same answers.

/** Header fields whose whole value is a secret. */
const headerNames =
  "authorization proxy-authorization cookie set-cookie x-api-key x-auth-token x-csrf-token x-xsrf-token x-secret " +
  "x-password x-session cf-access-jwt-assertion";

/** Header fields that end like secrets and are none. */
const publicHeaders = "sec-websocket-key surrogate-key idempotency-key x-cache-key";

/** A name is secret when its words end with the words of an entry, or when it is one without its underscores. */
const secretNames =
  "password passwd pwd passphrase passcode password_confirmation password_confirm password_hash secret secret_key " +
  "client_secret token access_token refresh_token id_token auth_token csrf_token api_key access_key access_key_id " +
  "private_key signing_key encryption_key account_key authorization cookie set_cookie session_id phpsessid jsessionid " +
  "sid csrf xsrf jwt bearer credential credentials otp mfa_code one_time_code pin cvv cvc card_number cc_number ssn " +
  "social_security_number amz_signature sig user_pass db_pass smtp_pass pgpassword secret_key_base password_again " +
  "password_repeat security_code verification_code totp " +
  "pw passwords passwort kennwort contrasena mot_de_passe senha api_keys master_key auth_key app_key " +
  "code_verifier saml_response device_code recovery_code recovery_codes backup_codes mnemonic seed_phrase " +
  "recovery_phrase";

/** Positions in lists end like secrets and are none. */
const plainNames = "page_token next_token continuation_token sync_token cancel_token";

const maxName = 64;
const maxCached = 2000;

const words = bare<Record<string, string>>({});
const collapsed = bare<Record<string, string>>({});
const plain = bare<Record<string, true>>({});
const headers = bare<Record<string, string>>({});

// Built while the page has not run yet; from then on only own members of bare objects are read.
for (const word of secretNames.split(" ")) {
  words[word] = word;
  collapsed[word.replaceAll("_", "")] = word;
}
for (const word of plainNames.split(" ")) plain[word] = true;
for (const word of headerNames.split(" ")) headers[word] = word.replaceAll("-", "_");
for (const word of publicHeaders.split(" ")) headers[word] = "";

const cache = new NativeMap<string, string>();
let cached = 0;

/**
 * secretName gives the entry of the name list that a field's name passes by ("access_token" for "myAccessToken2"), or
 * "" for a name that keeps no secret. Only the last 64 characters of a name are looked at.
 */
export function secretName(name: string): string {
  const before = mapGet(cache, name) as string | undefined;
  if (before !== undefined) return before;
  const found = match(normalise(name));
  if (++cached > maxCached) {
    mapClear(cache);
    cached = 1;
  }
  if (name.length <= maxName) mapSet(cache, name, found);
  return found;
}

/** secretHeader is secretName for header fields. */
export function secretHeader(name: string): string {
  const listed = headers[name];
  if (listed !== undefined) return listed;
  const end = slice(name, lastIndexOf(name, "-") + 1);
  return secretName(name) || (end !== name && (end === "key" || end === "token" || end === "secret") ? end : "");
}

function match(word: string): string {
  let hit = "";
  let flat = "";
  for (let at = 0; at < word.length; at++) {
    if (at === 0 || word[at - 1] === "_") {
      const rest = slice(word, at);
      if (plain[rest]) return "";
      hit ||= words[rest] ?? "";
    }
    if (word[at] !== "_") flat += word[at];
  }
  return hit || (collapsed[flat] ?? "");
}

/** Lower-case words joined by single underscores, without digits at the end: "APIKey2" is "api_key". */
function normalise(name: string): string {
  const text = name.length > maxName ? slice(name, -maxName) : name;
  let word = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (isUpper(c)) {
      const humps = i > 0 && !isUpper(text[i - 1] as string);
      const starts = humps || (i > 0 && i + 1 < text.length && isLower(text[i + 1] as string));
      if (starts && word !== "" && word[word.length - 1] !== "_") word += "_";
      word += radix36[charCode(c, 0) - 55];
    } else if (isLower(c) || isDigit(c)) {
      word += c;
    } else if (word !== "" && word[word.length - 1] !== "_") {
      word += "_";
    }
  }
  let end = word.length;
  while (end > 0 && (word[end - 1] === "_" || isDigit(word[end - 1] as string))) end--;
  return slice(word, 0, end);
}

// Letters by their place in base 36, so that lower-casing is one array read.
const radix36: string[] = [];
for (let i = 0; i < 36; i++) append(radix36, radix(i, 36));

const isUpper = (c: string): boolean => c >= "A" && c <= "Z";
const isLower = (c: string): boolean => c >= "a" && c <= "z";
const isDigit = (c: string): boolean => c >= "0" && c <= "9";
