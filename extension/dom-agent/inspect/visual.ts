import type { VisualElement, VisualSeen } from "@gasoline/schema/commands";
import type { Asking, Question, Tools } from "./main.ts";
import { compared, elementsOf, fitting, treeOf } from "./walk.ts";

/** Elements that are named while they load. */
const MAX_NAMED = 5;

/** Of a box so much lies in the element that it is said to be of. */
const SHARE = 0.9;

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** How the document is shown, what of it still loads, and which elements lie under boxes of a picture of it. */
export const visual: Question<"visual"> = async (asking) => {
  const { params, environment, tools } = asking;
  const slices = new tools.Slices(environment.deadline);
  // They are not waited for here: while a call of the extension goes on, the page's load event does not come.
  const pictures = [...(await fitting("img", [document], tools, slices))];
  const loading = stillLoading(pictures, tools);
  const told = (at: Element): VisualElement => {
    const role = tools.roleTold(at);
    const name = tools.shownName(at, slices.pass);
    const selector = tools.cssPath(at);
    return {
      ref: environment.refs.refOf(at, tools.identityOf(at, role, name)),
      tag: at.localName,
      ...(role ? { role } : {}),
      ...(name ? { name: name.slice(0, 80) } : {}),
      ...(selector && tools.clean(selector, at) === selector ? { selector: selector.slice(0, 300) } : {}),
    };
  };
  const boxes: Box[] = [];
  const { boxes: flat = [] } = params;
  for (let i = 0; i + 3 < flat.length; i += 4) {
    const [x, y, width, height] = flat.slice(i) as [number, number, number, number];
    boxes.push({ left: x, top: y, right: x + width, bottom: y + height });
  }
  const under = await elementsUnder(boxes, asking, slices);
  for (const at of under) await compared(at, tools, slices);
  const seen: VisualSeen = {
    document: performance.timeOrigin,
    scroll_x: Math.round(scrollX),
    scroll_y: Math.round(scrollY),
    scheme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    browser: /\w*Chrome\/[\d.]+/.exec(navigator.userAgent)?.[0] ?? "",
    loading: loading.length,
    loading_elements: loading.slice(0, MAX_NAMED).map(told),
    under: under.map(told),
  };
  if (document.fonts.status === "loading") seen.fonts_load = true;
  if (document.readyState !== "complete") seen.page_loads = true;
  const lazy = pictures.filter((at) => at.matches("[loading=lazy]") && !isComplete(at)).length;
  if (lazy > 0) seen.lazy = lazy;
  return seen;
};

const isComplete = (at: Element): boolean => !(at instanceof HTMLImageElement) || at.complete;

/** Pictures that a user would see once they are there. One that is lazy and far away does not load. */
const stillLoading = (pictures: Element[], { isVisible }: Tools): Element[] =>
  pictures.filter((at) => {
    if (isComplete(at)) return false;
    const { top, bottom } = at.getBoundingClientRect();
    return ((at as HTMLImageElement).loading !== "lazy" || (bottom >= 0 && top <= innerHeight)) && isVisible(at);
  });

/** The innermost element that each box is of: the one that a user sees there, or, beyond the viewport, the smallest. */
async function elementsUnder(boxes: Box[], { tools }: Asking<unknown>, slices: InstanceType<Tools["Slices"]>) {
  const found = boxes.map((box) => hit(box, tools));
  const far = found.flatMap((at, i) => (at ? [] : [i]));
  if (far.length > 0) {
    const areas = boxes.map(() => Infinity);
    for (const at of elementsOf(await treeOf(document, tools, slices))) {
      if (slices.over) await slices.pause();
      const around = at.getBoundingClientRect();
      const area = around.width * around.height;
      for (const i of far) {
        // Of equal ones the inner comes later.
        if (area > areas[i]! || !isIn(boxes[i]!, around) || !tools.isVisible(at) || tools.isOwn(at)) continue;
        found[i] = at;
        areas[i] = area;
      }
    }
  }
  return found.map((at) => at ?? document.documentElement);
}

function hit(box: Box, { elementAt, parentOf, isOwn }: Tools): Element | undefined {
  const x = (box.left + box.right) / 2;
  const y = (box.top + box.bottom) / 2;
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return undefined;
  let at = elementAt(x, y);
  while (at && (isOwn(at) || !isIn(box, at.getBoundingClientRect()))) at = parentOf(at);
  return at ?? undefined;
}

/** Says whether nearly all of a box lies in another one. */
function isIn(box: Box, around: Box): boolean {
  const wide = Math.min(box.right, around.right) - Math.max(box.left, around.left);
  const high = Math.min(box.bottom, around.bottom) - Math.max(box.top, around.top);
  return wide > 0 && high > 0 && wide * high >= SHARE * (box.right - box.left) * (box.bottom - box.top);
}
