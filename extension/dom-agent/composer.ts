import { type Scope, everywhere, focused, isInside, parentOf } from "./shadow.ts";
import { isDisabled } from "./describe.ts";
import { isVisible } from "./visible.ts";

const EDITABLE =
  "textarea, [contenteditable=''], [contenteditable=true], [contenteditable=plaintext-only], [role=textbox]";
const MAX = 100;

/** Fields in which texts of several lines are written, as far as they are seen and can be used. */
export function composers(scope: Scope): HTMLElement[] {
  return everywhere(EDITABLE, scope)
    .slice(0, MAX)
    .filter(
      (at): at is HTMLElement =>
        at instanceof HTMLElement &&
        isVisible(at) &&
        !isDisabled(at) &&
        !(at instanceof HTMLTextAreaElement && at.readOnly) &&
        // An editor's own parts are not several editors.
        !(parentOf(at)?.closest(EDITABLE) ?? null),
    );
}

/** The one that is written in: it has the focus, or is the only one with a text, or the only one at all. */
export function activeComposer(scope: Scope): HTMLElement | undefined {
  const all = composers(scope);
  const at = focused();
  const held = at && all.find((composer) => isInside(at, composer));
  if (held) return held;
  const filled = all.filter((composer) => textIn(composer) !== "");
  if (filled.length === 1) return filled[0];
  return all.length === 1 ? all[0] : undefined;
}

const textIn = (composer: HTMLElement): string =>
  (composer instanceof HTMLTextAreaElement ? composer.value : composer.innerText).trim();
