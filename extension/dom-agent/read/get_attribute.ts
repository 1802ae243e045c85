import type { AttributeParams, AttributeResult } from "@gasoline/schema/commands";
import { attributeOf } from "../attributes.ts";
import { describe } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { resolve } from "../target.ts";
import { retry } from "../waiting.ts";

const MAX_VALUE = 100_000;

/** Reads one attribute of an element, as the document holds it. */
export async function getAttribute(params: AttributeParams, environment: Environment): Promise<AttributeResult> {
  const { element } = await retry(environment.deadline, () => resolve(params, environment.refs));
  const value = attributeOf(element, params.name);
  const result: AttributeResult = {
    value: (value ?? "").slice(0, MAX_VALUE),
    matched: describe(element, environment.refs, environment.frame),
    url: location.href,
  };
  return value === null ? { ...result, absent: true } : result;
}
