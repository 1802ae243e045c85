import { describe, expect, test } from "vitest";
import { Motions } from "../../dom-agent/act/motions.ts";
import { own } from "../../dom-agent/own.ts";
import { put, shadow } from "./world.ts";

const FADE = [{ opacity: 0 }, { opacity: 1 }];
/** What is told of what an element does after the look at the page began. */
function told(html: string, work: (at: HTMLElement) => unknown, live = true): string[] {
  const at = put(html);
  const motions = new Motions();
  work(at);
  return motions.busy(live);
}
const fade = (how: number | KeyframeAnimationOptions) => (at: HTMLElement) => at.animate(FADE, how);

describe("a movement is told", () => {
  test.each([
    ["by its element", "<p x>", fade(500), ["animation of p"]],
    ["by its element's id", "<p x id=box>", fade(500), ["animation of p#box"]],
    ["by 60 signs of it", `<p x id=${"a".repeat(61)}>`, fade(500), [`animation of p#${"a".repeat(60)}`]],
    [
      "as a transition",
      "<p x style='transition:margin 500ms;margin-left:0'>",
      (at: HTMLElement) => (at.getBoundingClientRect(), (at.style.marginLeft = "9px"), at.getBoundingClientRect()),
      ["transition of p"],
    ],
    ["that ends within a second", "<p x>", fade(1000), ["animation of p"]],
    ["not one that ends later", "<p x>", fade(1001), []],
    ["not one that ends later for it begins late", "<p x>", fade({ duration: 500, delay: 600 }), []],
    ["not one without an end", "<p x>", fade({ duration: 500, iterations: Infinity }), []],
    [
      "that is fast enough",
      "<p x>",
      (at: HTMLElement) => (at.animate(FADE, 1500).playbackRate = 2),
      ["animation of p"],
    ],
    ["not one that is too slow", "<p x>", (at: HTMLElement) => (at.animate(FADE, 800).playbackRate = 0.5), []],
    [
      "by what is left of it",
      "<p x>",
      (at: HTMLElement) => (at.animate(FADE, 1500).currentTime = 600),
      ["animation of p"],
    ],
    ["not one that stands still", "<p x>", (at: HTMLElement) => at.animate(FADE, 500).pause(), []],
    ["not one that has ended", "<p x>", (at: HTMLElement) => at.animate(FADE, 500).finish(), []],
    ["not one of a control", "<button><b x>a</b></button>", fade(500), []],
    ["not one of a tab", "<div role=tab x>a</div>", fade(500), []],
    ["not one of ours", "<p x>", (at: HTMLElement) => (own(at), at.animate(FADE, 500)), []],
    [
      "not one by scrolling",
      "<p x>",
      (at: HTMLElement) => at.animate(FADE, { timeline: new ScrollTimeline() } as object),
      [],
    ],
    [
      "once for several of an element",
      "<p x>",
      (at: HTMLElement) => (fade(500)(at), fade(400)(at)),
      ["animation of p"],
    ],
    [
      "and three at most",
      "<i x id=a></i><i id=b></i><i id=c></i><i id=d></i>",
      () => document.querySelectorAll("i").forEach((at) => fade(500)(at)),
      ["animation of i#a", "animation of i#b", "animation of i#c"],
    ],
  ])("%s", (_, html, work, words) => expect(told(html as string, work as (at: HTMLElement) => void)).toEqual(words));
  test("in a shadow root", () => {
    put("<x-a x></x-a>");
    const root = shadow(document.querySelector("x-a")!, "<b></b>");
    const motions = new Motions();
    root.querySelector("b")!.animate(FADE, 500);
    expect(motions.busy(true)).toEqual(["animation of b"]);
  });
  test("until it has ended", () => {
    const at = put("<p x>");
    const motions = new Motions();
    const one = at.animate(FADE, 500);
    expect(motions.busy(true)).toEqual(["animation of p"]);
    expect(motions.busy(false)).toEqual(["animation of p"]);
    one.finish();
    expect(motions.busy(true)).toEqual([]);
  });
  test("not one that the page had begun before", async () => {
    const at = put("<p x>");
    const one = at.animate(FADE, 900);
    await one.ready;
    // In this frame, at the latest; Chrome's own arithmetic adds less than that to some times.
    one.startTime = Number(document.timeline.currentTime) + 1e-9;
    const motions = new Motions();
    expect(motions.busy(true)).toEqual([]);
    at.animate(FADE, 900);
    expect(motions.busy(true)).toEqual(["animation of p"]);
  });
  test("that a late frame gives a time before the act, by a fifth of a second at most", async () => {
    const at = put("<p x>");
    const motions = new Motions();
    const since = Number(document.timeline.currentTime);
    for (const [by, words] of [
      [199, ["animation of p"]],
      [200, []],
    ] as const) {
      const one = at.animate(FADE, 900);
      await one.ready;
      one.startTime = since - by;
      Object.defineProperty(one, "currentTime", { value: 0 });
      expect(motions.busy(true), String(by)).toEqual(words);
      one.cancel();
    }
  });
  test("not one that began when nothing of the act was left, whatever runs later", () => {
    const at = put("<p x>");
    const motions = new Motions();
    at.animate(FADE, 500);
    expect(motions.busy(false)).toEqual([]);
    expect(motions.busy(true)).toEqual([]);
  });
});
