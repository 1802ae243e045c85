import type { PageFault } from "@gasoline/schema/commands";
import type { Question } from "./main.ts";
import { SILENT, elementsOf, rootsOf, treeOf } from "./walk.ts";

const MAX_PLACES = 5;
/** Elements and texts that are looked at, of each kind. */
const MAX_LOOKED = 20_000;
/** Elements of a document from which work on it is slow. */
const MANY_ELEMENTS = 1500;
/** Text below so many pixels is hard to read. */
const SMALL_PX = 12;
/** A picture with so many times the pixels that are shown of it is too large. */
const OVERSIZED = 4;
/** Pictures below that save nothing. */
const SMALL_PICTURE_PX = 100 * 100;

const NAMELESS = /^(click here|click|here|this|this page|go|start|more|read more|learn more|details|link|hier|mehr)$/i;
const OUTDATED =
  "acronym,applet,basefont,bgsound,big,blink,center,dir,font,frame,frameset,isindex,marquee,nobr,noembed,noframes,plaintext,spacer,strike,tt,xmp";
/** What of a document is against the rules that pages themselves keep or break. Go has the rules, with words and points. */
export const audit: Question<"audit"> = async ({ environment, tools }) => {
  const { deadline, refs } = environment;
  const slices = new tools.Slices(deadline);
  const faults = new Map<string, PageFault>();
  const density = devicePixelRatio || 1;

  const tell = (rule: string, at?: Element, detail = ""): void => {
    let fault = faults.get(rule);
    if (!fault) faults.set(rule, (fault = { rule, count: 0, places: [] }));
    fault.count++;
    if (fault.places.length >= MAX_PLACES) return;
    const said = at ? tools.clean(detail, at) : detail;
    const where = at ? { ref: refs.refOf(at), element: tools.inWords(at).slice(0, 120) } : {};
    if (at || said) fault.places.push({ ...where, ...(said ? { detail: said.slice(0, 160) } : {}) });
  };
  const tree = await treeOf(document, tools, slices);
  const ids = new Map<Node, Map<string, number>>(); // by root

  inHead();
  let looked = 0;
  for (const at of elementsOf(tree)) {
    if (slices.over) await slices.pause();
    if (looked++ === MAX_LOOKED) break;
    if (!at.isConnected || tools.isOwn(at)) continue;
    if (at instanceof HTMLImageElement) picture(at);
    else if (at.matches("a,area")) link(at);
    else if (at.matches(OUTDATED)) tell("element-outdated", at);
    if (at.id) idOf(at);
  }
  await sizes();
  return { faults: [...faults.values()], elements: document.getElementsByTagName("*").length };

  function inHead(): void {
    if (document.compatMode === "BackCompat") tell("doctype-missing");
    if (document.characterSet !== "UTF-8") tell("charset-not-utf8", undefined, document.characterSet);
    if (document.title.trim() === "") tell("title-missing");
    const named = (name: string): HTMLMetaElement[] =>
      [...document.querySelectorAll("meta[name]")].filter(
        (at): at is HTMLMetaElement => at instanceof HTMLMetaElement && at.name.toLowerCase() === name,
      );
    if (!named("description").some(({ content }) => content.trim() !== "")) tell("description-missing");
    const viewport = named("viewport").map(({ content }) => content);
    if (!viewport.some((content) => /\b(width|initial-scale)\s*=/i.test(content)))
      tell("viewport-missing", undefined, viewport.join("; "));
    for (const at of [...named("robots"), ...named("googlebot")])
      if (/(^|[,\s])(noindex|none)\s*(,|$)/i.test(at.content))
        tell("noindex", undefined, `meta ${at.name}: ${at.content}`);
    const canonical = [...document.querySelectorAll("link[rel~=canonical i]")];
    const hrefs = new Set(canonical.map((at) => at.getAttribute("href") ?? ""));
    for (const href of hrefs) {
      if (hrefs.size > 1) tell("canonical-wrong", undefined, `one of ${hrefs.size}: ${href}`);
      else if (!URL.canParse(href)) tell("canonical-wrong", undefined, `not absolute: ${href}`);
      else if (
        new URL(href).pathname === "/" &&
        !/^\/(index\.\w+)?$/.test(location.pathname) &&
        new URL(href).search === ""
      )
        tell("canonical-wrong", undefined, `the site's first page: ${href}`);
    }
    for (const at of document.querySelectorAll("link[rel~=alternate i][hreflang]"))
      if (!isLanguage(at.getAttribute("hreflang") ?? ""))
        tell("hreflang-wrong", undefined, at.getAttribute("hreflang") ?? "");
    for (const at of document.querySelectorAll('script[type="application/ld+json" i]')) {
      try {
        JSON.parse(at.textContent);
      } catch (error) {
        tell("structured-data-broken", undefined, (error as Error).message);
      }
    }
    const [visit] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    if (visit && visit.responseStatus >= 400) tell("status-of-error", undefined, String(visit.responseStatus));
    const count = document.getElementsByTagName("*").length;
    if (count > MANY_ELEMENTS) tell("elements-many", undefined, `${count} elements`);
  }

  function picture(at: HTMLImageElement): void {
    const { naturalWidth, naturalHeight } = at;
    const isAsked = at.currentSrc !== "" || (at.getAttribute("src") ?? "") !== "";
    if (at.complete && isAsked && naturalWidth === 0 && !isVector(at)) {
      tell("image-broken", at, at.currentSrc || at.src);
      return;
    }
    if (!tools.isVisible(at) || naturalWidth === 0) return;
    const style = getComputedStyle(at);
    const { width, height, top } = at.getBoundingClientRect();
    const isSized = at.hasAttribute("width") && at.hasAttribute("height");
    const isOut = style.position === "absolute" || style.position === "fixed";
    if (!isSized && !isOut && !hasOwnHeight(at)) tell("image-unsized", at, `${naturalWidth}×${naturalHeight}`);
    if (at.loading === "lazy" && top + scrollY < innerHeight && width * height > innerWidth * innerHeight * 0.1)
      tell("image-lazy-in-view", at);
    if (isVector(at) || width < 1 || height < 1 || naturalWidth * naturalHeight === 1) return; // a point has no shape
    const sizes = `${naturalWidth}×${naturalHeight}, shown as ${Math.round(width)}×${Math.round(height)}`;
    const ratio = naturalWidth / naturalHeight / (width / height);
    if (style.objectFit === "fill" && (ratio > 1.05 || ratio < 0.95) && Math.min(width, height) > 4)
      tell("image-distorted", at, sizes);
    const share = (naturalWidth * naturalHeight) / (width * height * density * density);
    if (share < 0.5 && style.imageRendering !== "pixelated" && width * height > SMALL_PICTURE_PX)
      tell("image-blurry", at, sizes);
    if (share > OVERSIZED && naturalWidth * naturalHeight > SMALL_PICTURE_PX * OVERSIZED)
      tell("image-oversized", at, sizes);
  }

  function link(at: Element): void {
    const href = at.getAttribute("href");
    if (!tools.isVisible(at)) return;
    if (href === null) {
      if (at.localName === "a" && at.hasAttribute("onclick")) tell("link-without-address", at);
      return;
    }
    if (/^\s*javascript:/i.test(href)) tell("link-without-address", at, href.slice(0, 80));
    const name = tools.labelOf(at, slices.pass).trim();
    if (NAMELESS.test(name) && !/^(#|javascript:|mailto:)/i.test(href)) tell("link-text-vague", at);
  }

  function idOf(at: Element): void {
    const root = at.getRootNode();
    let seen = ids.get(root);
    if (!seen) ids.set(root, (seen = new Map()));
    const count = (seen.get(at.id) ?? 0) + 1;
    seen.set(at.id, count);
    if (count === 2) tell("id-twice", at, at.id);
  }

  /** Text that is too small to read, where it is most of the page. */
  async function sizes(): Promise<void> {
    let small = 0;
    let read = 0;
    let first: Element | undefined;
    let texts = 0;
    for (const root of rootsOf(tree)) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (texts < MAX_LOOKED && walker.nextNode()) {
        if (slices.over) await slices.pause();
        const { data, parentElement: parent } = walker.currentNode as Text;
        const { length } = data.trim();
        if (!parent || length === 0 || SILENT.test(parent.localName) || !tools.isVisible(parent)) continue;
        texts++;
        read += length;
        if (Number.parseFloat(getComputedStyle(parent).fontSize) >= SMALL_PX) continue;
        small += length;
        first ??= parent;
      }
    }
    if (small / read > 0.4) tell("text-small", first, `${Math.round((small / read) * 100)} % of the text`);
  }
};

const isVector = (at: HTMLImageElement): boolean => /\.svg(z)?([?#]|$)|^data:image\/svg/i.test(at.currentSrc || at.src);

/** Whether a picture has a place before it is loaded: its style gives its height, or a ratio. */
function hasOwnHeight(at: HTMLImageElement): boolean {
  const map = at.computedStyleMap();
  const isGiven = (name: string): boolean => String(map.get(name) ?? "auto") !== "auto";
  return (
    (isGiven("height") && isGiven("width")) ||
    (isGiven("aspect-ratio") && !/^auto\b/.test(String(map.get("aspect-ratio"))))
  );
}

const LANGUAGES = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

function isLanguage(tag: string): boolean {
  if (tag.toLowerCase() === "x-default") return true;
  try {
    const [known = ""] = Intl.getCanonicalLocales(tag);
    const regions = (of: string): string => of.toLowerCase().replace(/^[a-z]+/, "");
    return LANGUAGES.of(tag.split("-", 1)[0]!) !== undefined && regions(known) === regions(tag); // en-UK is en-GB
  } catch {
    return false;
  }
}
