import type { LinkRegion, PageLink } from "@gasoline/schema/commands";
import type { Question, Tools } from "./main.ts";
import { LINKS, addressOf, hrefOf } from "./links.ts";
import { compared, fitting } from "./walk.ts";

const MAX_REGIONS = 20;
const DEFAULT_LINKS = 15;
const MAX_HREF = 300;

/** Landmarks of ARIA; header and footer are landmarks where their role says so. */
const LANDMARKS = /^(banner|complementary|contentinfo|form|main|navigation|region|search)$/;

/** The links of the document by the landmark that they are in. */
export const navigation: Question<"navigation"> = async ({ params, within, environment, tools }) => {
  const { refs, deadline } = environment;
  const slices = new tools.Slices(deadline);
  const limit = params.limit ?? DEFAULT_LINKS;
  /** Links by the region that they are in; of one that is not told they are counted. */
  const regions = new Map<
    Element | null,
    { links: [Element, URL | undefined, isExternal: boolean][]; count: number }
  >();
  let internal = 0;
  let external = 0;
  let other = 0;
  const refOf = (at: Element): string =>
    refs.refOf(at, tools.identityOf(at, tools.roleTold(at), tools.shownName(at, slices.pass)));
  const landmark = (at: Element): Element | undefined => (LANDMARKS.test(tools.roleTold(at)) ? at : undefined);

  const regionOf = (around: Element | null): Omit<LinkRegion, "links" | "count"> => {
    if (!around) return {};
    const label = tools.shownName(around, slices.pass);
    return {
      role: tools.roleTold(around),
      ...(label ? { label: label.slice(0, 80) } : {}),
      ref: refOf(around),
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
      text: (tools.labelOf(link, slices.pass) || seenIn(link, tools)).slice(0, 120),
      href: tools.clean(href, link).slice(0, MAX_HREF),
      ...(isExternal ? { external: true } : {}),
      ...(current !== null && current !== "false" ? { current } : {}),
      ...(tools.isVisible(link) ? {} : { hidden: true }),
      ...(target && target !== "_self" ? { target } : {}),
    };
  };

  const found = await fitting(LINKS, within ?? [document], tools, slices);
  for (const link of found) {
    if (slices.over) await slices.pause();
    if (!link.isConnected || tools.isOwn(link)) continue;
    const parent = tools.parentOf(link);
    const around = parent && slices.pass.upwards<Element | null>("region", parent, landmark, null);
    let region = regions.get(around);
    if (!region) regions.set(around, (region = { links: [], count: 0 }));
    region.count++;
    const to = addressOf(link);
    const isPage = to !== undefined && /^(https?|file):$/.test(to.protocol);
    const isExternal = isPage && to.origin !== globalThis.origin;
    if (isExternal) external++;
    else if (isPage) internal++;
    else other++;
    if (region.links.length < limit) region.links.push([link, to, isExternal]);
  }
  const none = regions.get(null);
  regions.delete(null);
  if (none) regions.set(null, none); // the last
  const all = [...regions];
  const listed: LinkRegion[] = [];
  for (const [around, { links, count }] of all.slice(0, MAX_REGIONS)) {
    const region: LinkRegion = { ...regionOf(around), links: [], count };
    for (const link of links) {
      if (slices.over) await slices.pause();
      await compared(link[0], tools, slices);
      region.links.push(told(...link));
    }
    listed.push(region);
  }
  return {
    regions: listed,
    regioned: all.length,
    internal_links: internal,
    external_links: external,
    ...(other > 0 ? { other_links: other } : {}),
  };
};

/** The words in a link of a component that gives it another role, which has no name. */
function seenIn(link: Element, tools: Tools): string {
  let text = "";
  const write = (at: Element): void => {
    for (const node of tools.shownIn(at)) {
      if (text.length > 600) return;
      if (node instanceof Text) text += node.data;
      else if (node instanceof Element && !/^(script|style)$/.test(node.localName) && tools.isVisible(node))
        write(node);
    }
  };
  write(link);
  return tools.clean(tools.fold(text, 120), link);
}
