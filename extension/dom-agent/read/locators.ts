import { run } from "@gasoline/capture/locators/deep";
import { AMBIGUOUS, locate, selectorFor, sketchOf } from "@gasoline/capture/locators/ranked";
import type { LocatorsParams, LocatorsResult } from "@gasoline/schema/commands";
import type { Environment } from "../environment.ts";
import { identityOf, is } from "../identity.ts";
import { ROOTS } from "../shadow.ts";
import { resolve } from "../target.ts";
import { isVisible } from "../visible.ts";
import { retry } from "../waiting.ts";
import { fitting } from "../probe.ts";

/** Ways to find an element that are told. */
const MAX_SELECTORS = 8;

/** Says what an element is and how it can be found again: by ways that find it and nothing else that is the same. */
export async function locators(
  params: LocatorsParams,
  { refs, deadline, frame }: Environment,
): Promise<LocatorsResult> {
  const { element } = await retry(deadline, () => resolve(params, refs));
  const identity = identityOf(element);
  const seen = isVisible(element);
  const only = (selector: string): boolean => {
    const same = fitting({ selector }, refs).filter((at) => at === element || is(at, identity));
    return same.includes(element) && (seen ? same.filter(isVisible) : same).length === 1;
  };
  const written = element instanceof HTMLElement && element.isContentEditable;
  const selectors = run(locate(sketchOf(element), ROOTS))
    // The text of an editor is what somebody wrote.
    .filter((way) => !(written && way.kind === "text") && only(selectorFor(way)))
    // What else they fit is hidden, or something else.
    .sort((a, b) => (a.score % AMBIGUOUS) - (b.score % AMBIGUOUS))
    .map(selectorFor)
    .slice(0, MAX_SELECTORS);
  return {
    selectors,
    ...identity,
    tag: element.localName,
    ref: refs.refOf(element, identity),
    ...(frame ? { frame } : {}),
    url: location.href,
    page_url: location.href,
  };
}
