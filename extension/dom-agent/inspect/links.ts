// Drawings have links, too, with xlink:href.

export const LINKS = "a:any-link,area:any-link";

/** The address of a link as it is written. */
export const hrefOf = (link: Element): string =>
  link.getAttribute("href") ?? link.getAttributeNS("http://www.w3.org/1999/xlink", "href") ?? "";

/** Where a link leads; undefined for what is no address. */
export function addressOf(link: Element): URL | undefined {
  try {
    return new URL(hrefOf(link), document.baseURI);
  } catch {
    return undefined;
  }
}
