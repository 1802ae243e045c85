import { finder } from "@medv/finder";

/** Longer than this the search for a short selector stops and the plain path is taken, ms. */
const patience = 50;

/**
 * cssPath gives a CSS selector that finds exactly this element in its document, with ">>>" between shadow roots. Ids
 * and classes that look generated are left out. A detached element gives a path from the top of its fragment.
 */
export function cssPath(element: Element): string {
  const root = element.getRootNode();
  const inner = within(element, root);
  return root instanceof ShadowRoot ? cssPath(root.host) + " >>> " + inner : inner;
}

function within(element: Element, root: Node): string {
  if (root instanceof Document || root instanceof ShadowRoot) {
    try {
      const found = finder(element, {
        root: root as unknown as Element,
        idName: stable,
        className: stable,
        attr: () => false,
        timeoutMs: patience,
        maxNumberOfPathChecks: 200,
      });
      if (unique(root, found, element)) return found;
    } catch {
      // It gives up by throwing, and it knows only documents and elements as roots; the plain path always works.
    }
  }
  return plainPath(element);
}

function unique(root: Document | ShadowRoot, selector: string, element: Element): boolean {
  const all = root.querySelectorAll(selector);
  return all.length === 1 && all[0] === element;
}

function plainPath(element: Element): string {
  const steps: string[] = [];
  for (let at: Element | null = element; at; at = at.parentElement) {
    const tag = CSS.escape(at.localName);
    const siblings: Element[] = at.parentNode
      ? [...at.parentNode.children].filter((s) => s.localName === at?.localName)
      : [at];
    steps.unshift(siblings.length > 1 ? `${tag}:nth-of-type(${siblings.indexOf(at) + 1})` : tag);
  }
  return steps.join(" > ");
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
