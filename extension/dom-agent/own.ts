/** What Gasoline put into the document. It is known by itself: a page can give its elements any id. */
const OWN = new WeakSet<Node>();

/** Marks an element as none of the page's. */
export const own = (element: Element): void => void OWN.add(element);

export const isOwn = (node: Node): boolean => OWN.has(node);
