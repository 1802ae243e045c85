import { AMBIGUOUS, locate, selectorFor, sketchOf } from "@gasoline/capture/locators/ranked";
import type { LocatorsParams, LocatorsResult } from "@gasoline/schema/commands";
import type { Environment } from "../environment.ts";
import { identityOf, is } from "../identity.ts";
import { fitting } from "../probe.ts";
import { ROOTS } from "../shadow.ts";
import { Slices } from "../slices.ts";
import { resolve } from "../target.ts";
import { isVisible } from "../visible.ts";
import { retry } from "../waiting.ts";

/**
 * Says what an element is and how it can be found again: by ways that find it and nothing else that is the same. At the
 * deadline those are told that are known.
 */
export async function locators(
  params: LocatorsParams,
  { refs, deadline, frame }: Environment,
): Promise<LocatorsResult> {
  const { element } = await retry(deadline, () => resolve(params, refs));
  const identity = identityOf(element);
  const seen = isVisible(element);
  const written = element instanceof HTMLElement && element.isContentEditable;
  const slices = new Slices(deadline);
  const steps = locate(sketchOf(element), ROOTS);
  let step = steps.next();
  for (; !step.done; step = steps.next()) if (slices.over) await slices.pause();
  const ways = step.value
    // The text of an editor is what somebody wrote.
    .filter(({ kind }) => !(written && kind === "text"))
    // What else they fit is hidden, or something else.
    .sort((a, b) => (a.score % AMBIGUOUS) - (b.score % AMBIGUOUS));
  const selectors: string[] = [];
  for (const way of ways) {
    if (slices.over) await slices.pause();
    if (slices.late) break;
    const selector = selectorFor(way);
    // A page may show what is in a secret field.
    if (selectors.includes(selector) || slices.pass.secrets.clean(selector, element) !== selector) continue;
    const same = fitting({ selector }, refs).filter((at) => at === element || is(at, identity, slices.pass));
    if (same.includes(element) && (seen ? same.filter(isVisible) : same).length === 1) selectors.push(selector);
  }
  return {
    selectors,
    ...identity,
    tag: element.localName,
    ref: refs.refOf(element),
    ...(frame ? { frame } : {}),
    url: location.href,
    page_url: location.href,
  };
}
