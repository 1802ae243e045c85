import { isOwn } from "../own.ts";
import { nearest, roots } from "../shadow.ts";

/** A movement that ends later than after so long, ms, is not waited for. */
const ENDS_MS = 1000;

/** A frame that comes late may give what begins in it a time before the act by so much, ms. */
const LATE_MS = 200;

/** Times of one moment differ by less than this, ms: Chrome keeps them in other units than it tells them. */
const SAME_MS = 0.1;

/** So many are told. */
const MAX_TOLD = 3;

/** Controls show by movements that they are pressed or have the focus, which leads to nothing. */
const CONTROLS =
  "a, button, input, label, legend, select, summary, textarea, [role=button], [role=tab], [role=menuitem]";

/** Animations and transitions that an act began. */
export class Motions {
  readonly #since = Number(document.timeline.currentTime);
  readonly #before = new Set(roots().flatMap((root) => root.getAnimations()));
  readonly #known = new WeakMap<Animation, boolean>();

  /** Those that end soon and have not ended, in words. live: what begins now may be the act's doing. */
  busy(live: boolean): string[] {
    const words = new Set<string>();
    for (const root of roots())
      for (const animation of root.getAnimations()) {
        let own = this.#known.get(animation);
        if (own === undefined) this.#known.set(animation, (own = live && this.#isOwn(animation)));
        if (own && animation.playState === "running" && words.size < MAX_TOLD) words.add(inWords(animation));
      }
    return [...words];
  }

  #isOwn(animation: Animation): boolean {
    const { effect, startTime, currentTime, playbackRate, timeline } = animation;
    if (!(effect instanceof KeyframeEffect) || timeline !== document.timeline) return false;
    const { target } = effect;
    const since = this.#since + (this.#before.has(animation) ? SAME_MS : -LATE_MS);
    if (!target || isOwn(target) || (startTime !== null && Number(startTime) <= since)) return false;
    const left = (Number(effect.getComputedTiming().endTime) - Number(currentTime ?? 0)) / Math.abs(playbackRate);
    return left <= ENDS_MS && !nearest(target, CONTROLS);
  }
}

const inWords = (animation: Animation): string => {
  const { target } = animation.effect as KeyframeEffect;
  const what = animation instanceof CSSTransition ? "transition" : "animation";
  return `${what} of ${target?.localName}${target?.id ? `#${target.id.slice(0, 60)}` : ""}`;
};
