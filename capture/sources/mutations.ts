import { cancelLater, later } from "../natives.ts";
import { elementText } from "../element-text.ts";
import { fold, textHead } from "../locators/name.ts";
import type { Source } from "../realm.ts";
import type { OpenShadow } from "../locators/deep.ts";
import { Shadows } from "./shadows.ts";
import { Transients } from "./transients.ts";

const summarizeEvery = 1000;
const maxChanges = 10;
/** One delivery can hold 50,000 records: beyond this many only the numbers are taken. */
const maxLooked = 200;

/**
 * mutationSource tells once a second, while something changes, how many nodes came, went and changed, with up to ten
 * examples; and it looks among the new ones for transients. What is in shadow roots counts as well.
 */
export function mutationSource(settled: (settle: () => void) => void, closed?: OpenShadow): Source {
  return {
    name: "mutations",
    start(realm, guard) {
      const transients = new Transients(realm, guard);
      let added = 0;
      let removed = 0;
      let changed = 0;
      const changes = new Set<string>();
      let timer: number | undefined;
      const summarize = (): void => {
        cancelLater(timer!); // none is no matter
        timer = undefined;
        shadows.again();
        if (added + removed + changed > 0)
          realm.emit("dom", {
            ...realm.at(),
            type: "summary",
            added,
            removed,
            changed,
            changes: [...changes],
          });
        added = removed = changed = 0;
        changes.clear();
      };
      // Of a node that is no element its parent is told, as it is now. The last that is told of an element stands last.
      const note = (sign: string, node: Node, parent: Node | null, attribute?: string | null): void => {
        const element = node instanceof Element ? node : parent;
        if (element instanceof Element && changes.size < maxChanges) {
          const said = attribute ? " " + attribute : quoted(element);
          const text = (node === element ? sign : "~ ") + elementText(element) + said;
          changes.delete(text);
          changes.add(text);
        }
      };
      const take = (records: MutationRecord[]): void => {
        shadows.begin();
        // While the page is parsed everything is new; that is no change to tell.
        const parsed = document.readyState !== "loading";
        let looked = 0;
        for (const record of records) {
          const { target, addedNodes, removedNodes, type } = record;
          if (parsed) {
            added += addedNodes.length;
            removed += removedNodes.length;
            if (type !== "childList") changed++;
          }
          if (looked++ >= maxLooked) continue;
          addedNodes.forEach((node) => {
            transients.appeared(node);
            shadows.within(node);
            if (parsed) note("+ ", node, target);
          });
          if (!parsed) continue;
          removedNodes.forEach((node) => {
            transients.gone(node);
            note("- ", node, target);
          });
          if (type !== "childList") {
            if (target instanceof Element) transients.changed(target);
            note("~ ", target, target.parentElement, record.attributeName);
          }
        }
        timer ??= later(() => void guard.run(summarize), summarizeEvery);
      };
      const observer = new MutationObserver((records) => void guard.run(() => take(records)));
      settled(() => void guard.run(summarize));
      // document.open keeps the node that is observed, but asking again costs nothing.
      realm.attached(() => observer.observe(document, observed));
      const shadows = new Shadows((root) => {
        observer.observe(root, observed);
        root.childNodes.forEach((node) => transients.appeared(node));
      }, closed);
      return () => {
        observer.disconnect();
        cancelLater(timer!);
        transients.stop();
      };
    },
  };
}

const observed: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
  attributeFilter: [
    "class",
    "style",
    "hidden",
    "disabled",
    "aria-hidden",
    "aria-expanded",
    "aria-invalid",
    "aria-busy",
    "open",
    "value",
    "checked",
  ],
};

function quoted(element: Element): string {
  const text = element.matches("script,style,template") ? "" : fold(textHead(element, 200), 60);
  return text && ' "' + text + '"';
}
