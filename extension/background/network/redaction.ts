import { headerValue, redactURL } from "@gasoline/capture/redact";

/** Replaces secrets by name. The daemon looks at values as well; this is what never leaves the browser. */
export interface Redact {
  header(name: string, value: string): string;
  url(url: string): string;
}

/** The capture's own rules, with the salt that is in use at the time of each call. */
export function redactWith(salt: () => string): Redact {
  return {
    header: (name, value) => headerValue(name, value, salt()),
    url: (url) => redactURL(url, salt()),
  };
}
