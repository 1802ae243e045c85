/** What nobody reads. */
const UNREAD =
  "script, style, noscript, template, link, meta[http-equiv], svg, canvas, iframe, object, embed, dialog:not([open])";

/**
 * A copy of a document without what its user does not see: what is hidden there may be written for machines alone. Nothing
 * in the copy is loaded or runs.
 */
export function clean(of: Document, unseen: (element: Element) => boolean): Document {
  const copy = of.cloneNode(true) as Document;
  const theirs = of.createTreeWalker(of.body ?? of.documentElement, NodeFilter.SHOW_ELEMENT);
  const ours = copy.createTreeWalker(copy.body ?? copy.documentElement, NodeFilter.SHOW_ELEMENT);
  const out: Element[] = [];
  let original = theirs.nextNode() as Element | null;
  let twin = ours.nextNode() as Element | null;
  while (original && twin) {
    if (isSeen(original) && !(hasText(original) && unseen(original))) {
      original = theirs.nextNode() as Element | null;
      twin = ours.nextNode() as Element | null;
      continue;
    }
    out.push(twin);
    // What is in it goes with it.
    original = after(theirs);
    twin = after(ours);
  }
  for (const element of out) element.remove();
  for (const element of copy.querySelectorAll(UNREAD)) element.remove();
  // Addresses as the page means them; the copy has no base of its own.
  for (const link of copy.querySelectorAll("a[href]")) absolute(link, "href", of.baseURI);
  for (const picture of copy.querySelectorAll("img[src]")) absolute(picture, "src", of.baseURI);
  return copy;
}

/** Says whether an element has nothing but text in it. */
const hasText = ({ childElementCount, textContent }: Element): boolean =>
  childElementCount === 0 && textContent?.trim() !== "";

function isSeen(element: Element): boolean {
  return (
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: false }) ||
    getComputedStyle(element).display === "contents" ||
    // What is hidden may show what is in it.
    (getComputedStyle(element).visibility !== "visible" && element.childElementCount > 0 && element.checkVisibility())
  );
}

/** The next element that is not in the present one. */
function after(walker: TreeWalker): Element | null {
  for (;;) {
    const next = walker.nextSibling() as Element | null;
    if (next) return next;
    if (!walker.parentNode()) return null;
  }
}

function absolute(element: Element, name: string, base: string): void {
  try {
    element.setAttribute(name, new URL(element.getAttribute(name) ?? "", base).href);
  } catch {
    // It is no address, and stays what it is.
  }
}
