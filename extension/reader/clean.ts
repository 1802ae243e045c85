/** What nobody reads. */
const UNREAD =
  "script, style, noscript, template, link, meta[http-equiv], svg, canvas, iframe, object, embed, dialog:not([open])";

/**
 * A copy of a document as it is shown: what stands in shadow roots in the place of their hosts, what is slotted in that of its
 * slot, and nothing that its user does not see, which may be written for machines alone. Nothing in the copy is loaded or
 * runs. shown gives what an element shows; unseen tells elements whose text nobody sees.
 */
export function clean(
  of: Document,
  unseen: (element: Element) => boolean,
  shown: (element: Element) => Node[],
): Document {
  const copy = of.implementation.createHTMLDocument(of.title);
  // What it says of itself: an author, a summary.
  if (of.head) copy.head.replaceWith(copy.importNode(of.head, true));
  copy.documentElement.lang = of.documentElement.lang ?? "";
  const withoutSlots = (node: Node): Node[] =>
    node instanceof HTMLSlotElement ? shown(node).flatMap(withoutSlots) : [node];
  const work: [Element, Element][] = [[of.body ?? of.documentElement, copy.body]];
  for (let at = work.pop(); at; at = work.pop()) {
    const [original, twin] = at;
    for (const node of shown(original).flatMap(withoutSlots)) {
      if (node instanceof Text && node.data.trim() === "") twin.append(" ");
      else if (node instanceof Text && getComputedStyle(original).visibility === "visible") twin.append(node.data);
      if (!(node instanceof Element) || node.matches(UNREAD)) continue;
      if (!isSeen(node) || (hasText(node) && unseen(node))) continue;
      const inner = twinOf(node, copy);
      place(inner, node, twin);
      work.push([node, inner]);
    }
  }
  for (const element of copy.querySelectorAll(UNREAD)) element.remove();
  // Addresses as the page means them; the copy has no base of its own.
  for (const link of copy.querySelectorAll("a[href]")) absolute(link, "href", of.baseURI);
  for (const picture of copy.querySelectorAll("img[src]")) absolute(picture, "src", of.baseURI);
  return copy;
}

/** Where a button is the words of a part, as in a head that opens it: a reader leaves buttons out. */
const WORDED = "h1, h2, h3, h4, h5, h6, [role=heading], dt, th, td, caption, legend, label, summary";

/** Parts of a line, of which CSS may make lines of their own. */
const IN_LINE =
  /^(a|abbr|b|cite|code|em|font|i|label|legend|mark|option|output|s|small|span|strong|sub|summary|sup|time|u)$/;

/** An element as it stands in a text: a component, and what CSS makes a line of, is a block or a part of a line. */
function twinOf(element: Element, copy: Document): Element {
  const isPart = (): boolean => /^(inline|contents|ruby|none)/.test(getComputedStyle(element).display);
  if (element.localName === "button" && element.closest(WORDED)) return copy.createElement("span");
  if (element.localName.includes("-")) return copy.createElement(isPart() ? "span" : "div");
  return copy.importNode(element, false);
}

/** Puts a twin where it belongs: into a line of its own, where the original has one. */
function place(inner: Element, original: Element, twin: Element): void {
  const own = IN_LINE.test(original.localName) && !/^(inline|contents|ruby)/.test(getComputedStyle(original).display);
  if (!own) return twin.append(inner);
  const line = inner.ownerDocument.createElement("div");
  line.append(inner);
  twin.append(line);
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

function absolute(element: Element, name: string, base: string): void {
  try {
    element.setAttribute(name, new URL(element.getAttribute(name) ?? "", base).href);
  } catch {
    // It is no address, and stays what it is.
  }
}
