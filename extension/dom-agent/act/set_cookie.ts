import type { SetCookieParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { cookiesNamed, writeCookie } from "../cookies.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { onPage } from "../storage.ts";

/** Sets a cookie as the page's own script could. It is a session's cookie and never HttpOnly. */
export function setCookie(params: SetCookieParams, { act }: Environment): Acted {
  const { value = "" } = params;
  act.perform(() => writeCookie(params, value));
  const path = params.path ?? "/";
  const readable = location.pathname === path || location.pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
  if (readable && !cookiesNamed(params.name).includes(value.trim())) {
    throw new AgentProblem(
      "status_mismatch",
      `The browser did not take the cookie: an HttpOnly one has this name, or the domain is not ${location.hostname}'s.`,
    );
  }
  return { result: onPage() };
}
