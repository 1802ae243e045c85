import type { QueryParams, QueryResult } from "@gasoline/schema/commands";
import { attributeOf } from "../attributes.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { renderedText } from "../rendered.ts";
import { MASK, isSecret } from "../secret.ts";
import { sortOf } from "../sort.ts";
import { matches } from "../target.ts";

const MAX_TEXTS = 100;
const MAX_TEXT = 1000;
const MAX_ATTRIBUTES = 50;

/** Says what fits a selector now. That nothing does is an answer, not a failure. */
export function query(params: QueryParams, { refs }: Environment): QueryResult {
  const { selector, within } = params;
  let elements: Element[];
  try {
    elements = matches({ selector, ...(within === undefined ? {} : { within }) }, refs);
  } catch (error) {
    if (!(error instanceof AgentProblem) || error.code !== "scope_not_found") throw error;
    elements = [];
  }
  const [first] = elements;
  const result: QueryResult = { exists: first !== undefined, count: elements.length, url: location.href };
  const sort = sortOf();
  if (sort !== "") result.document = sort;
  if (!first) return result;
  if (params.query_type === "text") result.text = textOf(first);
  if (params.query_type === "text_all") result.texts = elements.slice(0, MAX_TEXTS).map(textOf);
  if (params.query_type === "attributes") result.attributes = attributesOf(first, params.attribute_names);
  return result;
}

function textOf(element: Element): string {
  if (isSecret(element)) return element.textContent ? MASK : "";
  return renderedText(element).trim().slice(0, MAX_TEXT);
}

function attributesOf(
  element: Element,
  names: readonly string[] = element.getAttributeNames(),
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names.slice(0, MAX_ATTRIBUTES)) {
    const value = attributeOf(element, name);
    if (value !== null) found[name] = value.slice(0, MAX_TEXT);
  }
  return found;
}
