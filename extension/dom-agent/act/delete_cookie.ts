import type { CookieParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { cookiesNamed, writeCookie } from "../cookies.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { onPage } from "../storage.ts";

/** Removes a cookie as the page's own script could; the value says how many of the name went: "0" where there was none. */
export function deleteCookie(params: CookieParams, { act }: Environment): Acted {
  const before = cookiesNamed(params.name).length;
  act.perform(() => writeCookie(params, "", "; max-age=0"));
  const after = cookiesNamed(params.name).length;
  if (before > 0 && after === before) {
    throw new AgentProblem(
      "status_mismatch",
      "The cookie is still there: it was set with another path or domain. Give those.",
    );
  }
  return { result: onPage(String(before - after)) };
}
