import type { CookieParams } from "@gasoline/schema/commands";
import { AgentProblem } from "./problem.ts";

/** Characters that would end a part of a cookie's line. */
const PART = /[;\p{Cc}]/u;

/** The values that the document reads for a name: none, or several where paths or domains differ. */
export function cookiesNamed(name: string): string[] {
  const start = `${name}=`;
  return document.cookie
    .split(/;\s*/)
    .filter((part) => part.startsWith(start) || part === name)
    .map((part) => part.slice(start.length));
}

/** Writes a line of document.cookie. Throws where the document may have no cookies. */
export function writeCookie({ name, domain, path = "/" }: CookieParams, value: string, more = ""): void {
  for (const part of [name, value, domain ?? "", path])
    if (PART.test(part)) throw new AgentProblem("invalid_param", `"${part.slice(0, 100)}" cannot be part of a cookie.`);
  if (name.includes("=")) throw new AgentProblem("invalid_param", "A cookie's name has no = in it.");
  try {
    document.cookie = `${name}=${value}; path=${path}${domain === undefined ? "" : `; domain=${domain}`}${more}`;
  } catch {
    throw new AgentProblem("not_available", "This document may not use cookies.");
  }
}
