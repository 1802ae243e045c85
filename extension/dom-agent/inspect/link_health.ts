import type { LeadingLink } from "@gasoline/schema/commands";
import { LINKS, addressOf, hrefOf } from "./links.ts";
import type { Question } from "./main.ts";
import { compared, fitting } from "./walk.ts";

const MAX_URLS = 1000;
const MAX_PLACES = 100;

/** Where the links of the document lead: to which URLs, and to which places of the document that are not there. */
export const linkHealth: Question<"link_health"> = async ({ params, within, environment, tools }) => {
  const { refs, deadline } = environment;
  const slices = new tools.Slices(deadline);
  const urls = new Map<string, LeadingLink | undefined>();
  const missing = new Map<string, LeadingLink>();
  const shown = { links: [] as LeadingLink[], places_there: 0, other: 0, count: 0 };
  const [here] = location.href.split("#");

  const told = (link: Element, to: URL): LeadingLink => ({
    url: tools.clean(to.href, link),
    ref: refs.refOf(link, tools.identityOf(link, tools.roleTold(link), tools.shownName(link, slices.pass))),
    text: tools.labelOf(link, slices.pass).slice(0, 80),
    count: 1,
    ...(to.origin === globalThis.origin ? {} : { external: true }),
  });

  for (const link of await fitting(LINKS, within ?? [document], tools, slices)) {
    if (slices.over) await slices.pause();
    if (shown.links.length < MAX_URLS) await compared(link, tools, slices);
    if (!link.isConnected || tools.isOwn(link)) continue;
    const to = addressOf(link);
    if (!(to?.href ?? hrefOf(link)).includes(params.url ?? "")) continue;
    shown.count++;
    if (!to || !/^https?:$/.test(to.protocol)) {
      shown.other++;
    } else if (to.href.split("#")[0] === here && to.href.includes("#")) {
      if (isThere(to.hash.slice(1))) {
        shown.places_there++;
        continue;
      }
      const known = missing.get(to.hash);
      if (known) known.count++;
      else if (missing.size < MAX_PLACES) missing.set(to.hash, told(link, to));
    } else if (urls.has(to.href)) {
      const known = urls.get(to.href);
      if (known) known.count++;
    } else {
      urls.set(to.href, shown.links.length < MAX_URLS ? told(link, to) : undefined);
      const one = urls.get(to.href);
      if (one) shown.links.push(one);
    }
  }
  return { ...shown, places: [...missing.values()], urls: urls.size };
};

/** Whether the place that a fragment names is in the document, as browsers look for it. Routes of scripts name none. */
function isThere(fragment: string): boolean {
  const [raw = ""] = fragment.split(":~:");
  const names = [raw, decoded(raw)];
  return (
    raw === "" ||
    /^[/!]|=/.test(raw) ||
    names.some((name) => name.toLowerCase() === "top" || document.getElementById(name) !== null) ||
    names.some((name) => [...document.getElementsByName(name)].some(({ localName }) => localName === "a"))
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
