import type { SetAttributeParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { attributeOf } from "../attributes.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { resolve } from "../target.ts";
import { retry } from "../waiting.ts";
import { outcome } from "./outcome.ts";

/** Attributes whose value a page runs as a script. Scripts have rules of their own, which this must not get around. */
const CODE = /^(on.*|srcdoc)$/i;
const CODE_URL = /^(javascript|data|vbscript):/i;

/** An address as a browser reads it: blanks and control characters before it and within its scheme do not count. */
const bare = (value: string): string => value.replace(/[\s\p{Cc}]/gu, "");

/** Gives an attribute of an element a value, or takes it away. */
export async function setAttribute(params: SetAttributeParams, environment: Environment): Promise<Acted> {
  const { name, value = "", remove = false } = params;
  if (CODE.test(name) || CODE_URL.test(bare(value)))
    throw new AgentProblem("invalid_param", `${name} would run a script in the page: execute_js does that.`);
  const found = await retry(environment.deadline, () => resolve(params, environment.refs));
  environment.act.perform(() => {
    try {
      if (remove) found.element.removeAttribute(name);
      else found.element.setAttribute(name, value);
    } catch {
      throw new AgentProblem("invalid_param", `"${name.slice(0, 100)}" cannot be the name of an attribute.`);
    }
  });
  const now = attributeOf(found.element, name);
  return { result: outcome(found, environment, now === null ? {} : { value: now.slice(0, 1000) }) };
}
