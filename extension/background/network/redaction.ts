import { headerValue, redactURL } from "@gasoline/capture/redact";

/** Replaces secrets by name. The daemon looks at values as well; this is what never leaves the browser. */
export interface Redact {
  header(name: string, value: string): string;
  url(url: string): string;
}

/** The capture's own rules, with the salt that is in use at the time of each call. */
export function redactWith(salt: () => string): Redact {
  return {
    header: (name, value) => header(name, value, salt()),
    url: (url) => redactURL(url, salt()),
  };
}

/** Of Set-Cookie, which no page sees, the cookie's name and attributes stay: whether it is safe shows in them. */
function header(name: string, value: string, salt: string): string {
  const [, before, secret, attributes] =
    (/^set-cookie$/i.test(name) && /^([^=;\r\n]*=)([^;\r\n]+)([^\r\n]*)$/.exec(value)) || [];
  if (before === undefined || secret === undefined) return headerValue(name, value, salt);
  return before + headerValue(name, secret, salt) + attributes;
}
