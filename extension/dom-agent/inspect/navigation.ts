import type { LinkRegion, PageLink } from "@gasoline/schema/commands";
import type { Question } from "./main.ts";

const MAX_REGIONS = 20;
const DEFAULT_LINKS = 15;
const MAX_HREF = 300;
const LINKS = "a:any-link,area:any-link"; // drawings have xlink:href, too

/** Landmarks of ARIA; header and footer are landmarks where their role says so. */
const LANDMARKS = /^(banner|complementary|contentinfo|form|main|navigation|region|search)$/;

/** The links of the document by the landmark that they are in. */
export const navigation: Question<"navigation"> = async ({ params, within, environment, tools }) => {
  const { refs, deadline } = environment;
  const slices = new tools.Slices(deadline);
  const limit = params.limit ?? DEFAULT_LINKS;
  const regions = new Map<Element | null, LinkRegion>();
  let internal = 0;
  let external = 0;
  const refOf = (at: Element): string =>
    refs.refOf(at, tools.identityOf(at, tools.roleTold(at), tools.shownName(at, slices.pass)));
  const landmark = (at: Element): Element | undefined => (LANDMARKS.test(tools.roleTold(at)) ? at : undefined);

  const regionOf = (around: Element | null): LinkRegion => {
    if (!around) return { links: [], count: 0 };
    const label = tools.shownName(around, slices.pass);
    return {
      role: tools.roleTold(around),
      ...(label ? { label: label.slice(0, 80) } : {}),
      ref: refOf(around),
      links: [],
      count: 0,
    };
  };

  const told = (link: Element, to: URL | undefined, isExternal: boolean): PageLink => {
    const current = tools.ariaOf(link, "current");
    const target = link.getAttribute("target") ?? "";
    const { origin } = globalThis;
    const given = to?.href ?? hrefOf(link);
    const href = given.startsWith(`${origin}/`) ? given.slice(origin.length) : given;
    return {
      ref: refOf(link),
      text: tools.labelOf(link, slices.pass).slice(0, 120),
      href: tools.clean(href, link).slice(0, MAX_HREF),
      ...(isExternal ? { external: true } : {}),
      ...(current !== null && current !== "false" ? { current } : {}),
      ...(tools.isVisible(link) ? {} : { hidden: true }),
      ...(target && target !== "_self" ? { target } : {}),
    };
  };

  const found = (within ?? [document]).flatMap((at) => [
    ...(at instanceof Element && at.matches(LINKS) ? [at] : []),
    ...tools.everywhere(LINKS, at),
  ]);
  for (const link of new Set(found)) {
    if (slices.over) await slices.pause();
    if (!link.isConnected || tools.isOwn(link)) continue;
    const parent = tools.parentOf(link);
    const around = parent && slices.pass.upwards<Element | null>("region", parent, landmark, null);
    let region = regions.get(around);
    if (!region) regions.set(around, (region = regionOf(around)));
    region.count++;
    const to = addressOf(link);
    const isExternal = to !== undefined && to.origin !== globalThis.origin && /^https?:$/.test(to.protocol);
    if (isExternal) external++;
    else internal++;
    if (region.links.length < limit) region.links.push(told(link, to, isExternal));
  }
  const none = regions.get(null);
  regions.delete(null);
  const listed = [...regions.values(), ...(none ? [none] : [])];
  return {
    regions: listed.slice(0, MAX_REGIONS),
    regioned: listed.length,
    internal_links: internal,
    external_links: external,
  };
};

const hrefOf = (link: Element): string =>
  link.getAttribute("href") ?? link.getAttributeNS("http://www.w3.org/1999/xlink", "href") ?? "";

/** Where a link leads; undefined for what is no address. */
function addressOf(link: Element): URL | undefined {
  try {
    return new URL(hrefOf(link), document.baseURI);
  } catch {
    return undefined;
  }
}
