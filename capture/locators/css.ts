/** A path has at most so many steps below its last id or root. */
const MAX_STEPS = 64;
/** A longer path is not given. */
const MAX_LENGTH = 1000;
/** Classes of one element that are tried. */
const MAX_CLASSES = 4;

/**
 * cssPath gives CSS that finds exactly this element from its document, with ">>>" between shadow roots; "" where it would
 * get longer than 1,000 characters. Ids and classes that look generated are left out. It searches the document a few
 * times at most. A detached element gives a path from the top of its fragment.
 */
export function cssPath(element: Element): string {
  const parts: string[] = [];
  for (let at: Element | null = element; at;) {
    const root: Node = at.getRootNode();
    const part = within(at, root);
    if (part === "") return "";
    parts.unshift(part);
    at = root instanceof ShadowRoot ? root.host : null;
  }
  const path = parts.join(" >>> ");
  return path.length > MAX_LENGTH ? "" : path;
}

function within(element: Element, root: Node): string {
  const whole = root instanceof Document || root instanceof ShadowRoot ? root : undefined;
  // Most selectors fit something earlier in the page, which is seen before all of it is gone through.
  const only = (selector: string, wanted: Element): boolean =>
    whole?.querySelector(selector) === wanted && whole.querySelectorAll(selector).length === 1;
  const finds = (selector: string): boolean => only(selector, element);
  for (const short of shortOf(element)) if (finds(short)) return short;
  let path = "";
  let steps = 0;
  for (let at: Element | null = element; at; at = at.parentElement) {
    if (++steps > MAX_STEPS) return "";
    const id = at !== element && whole ? idOf(at) : "";
    const named = id !== "" && only(id, at);
    path = (named ? id : stepOf(at)) + (path && ` > ${path}`);
    // Each step is the only one below its parent: from something that is unique down, the path is too.
    if (named) return path;
    // 2, 4, 8 … steps: the search stays in proportion to the page.
    if ((steps & (steps - 1)) === 0 && finds(path)) return path;
  }
  return root instanceof ShadowRoot && !finds(path) ? `:host > ${path}` : path;
}

/** What an element may be found by without its ancestors, best first. */
function* shortOf(element: Element): Generator<string, void, void> {
  const id = idOf(element);
  if (id) yield id;
  const tag = CSS.escape(element.localName);
  for (const name of classesOf(element)) {
    yield `.${name}`;
    yield `${tag}.${name}`;
  }
  yield tag;
}

/** An element among the children of its parent: its tag, with a class or a number where others have the same. */
function stepOf(element: Element): string {
  const tag = CSS.escape(element.localName);
  const parent = element.parentNode;
  if (!parent || !same(element, () => true)) return tag;
  for (const name of classesOf(element)) {
    if (!same(element, (other) => other.classList.contains(name))) return `${tag}.${name}`;
  }
  let place = 1;
  for (let at = element.previousElementSibling; at; at = at.previousElementSibling) {
    if (at.localName === element.localName) place++;
  }
  return `${tag}:nth-of-type(${place})`;
}

/** Whether a sibling with the same tag fits. */
function same(element: Element, fits: (other: Element) => boolean): boolean {
  for (let at = element.previousElementSibling; at; at = at.previousElementSibling)
    if (at.localName === element.localName && fits(at)) return true;
  for (let at = element.nextElementSibling; at; at = at.nextElementSibling)
    if (at.localName === element.localName && fits(at)) return true;
  return false;
}

const idOf = (element: Element): string => (stable(element.id) ? `#${CSS.escape(element.id)}` : "");

function classesOf(element: Element): string[] {
  const found: string[] = [];
  for (let i = 0; i < element.classList.length && i < 20 && found.length < MAX_CLASSES; i++) {
    const name = element.classList[i] as string;
    if (stable(name)) found.push(CSS.escape(name));
  }
  return found;
}

/**
 * stable says whether an id or class looks as if a person had named it: no hash of a CSS-in-JS library, no counter of
 * a component framework.
 */
export function stable(name: string): boolean {
  if (name.length > 40 || name === "") return false;
  if (
    /^(css|sc|jsx|svelte|emotion|jss|makeStyles|ember|mui|radix|headlessui|react-aria|ng|_ng|v|data-v)[-_:]?[\w:-]*\d/i.test(
      name,
    )
  )
    return false;
  if (/^:|:$|^\d|[^\w-]/.test(name)) return false;
  // A part of five or more that mixes digits into letters, or upper case into lower in no word's way, is a hash.
  return !name.split(/[-_]+/).some((part) => part.length >= 5 && hashed(part));
}

function hashed(part: string): boolean {
  const digits = part.replace(/\D/g, "").length;
  if (digits > 0 && digits < part.length) return /\d[a-zA-Z]/.test(part) || digits >= 3;
  if (digits === part.length) return true;
  if (/^[a-z]+$|^[A-Z]+$/.test(part)) return !/[aeiouy]/i.test(part);
  // camelCase words are three or more letters each; hashes change case faster.
  return part.split(/(?=[A-Z])/).filter((word) => word.length < 3).length > 1;
}
