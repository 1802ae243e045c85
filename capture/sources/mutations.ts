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
      let changes = new Set<string>();
      let timer: number | undefined;
      const summarize = (): void => {
        if (timer !== undefined) cancelLater(timer);
        timer = undefined;
        shadows.again();
        // While the page is parsed everything is new; that is no change to tell.
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
        changes = new Set();
      };
      const note = (text: () => string): void => {
        if (changes.size < maxChanges) changes.add(text());
      };
      // What an element says now; the last counts, so it goes to the end.
      const retold = (element: Element | null): void => {
        if (!element || changes.size >= maxChanges || element.matches("script,style,template")) return;
        const text = "~ " + elementText(element) + ' "' + fold(textHead(element, 300), 60) + '"';
        changes.delete(text);
        note(() => text);
      };
      const take = (records: MutationRecord[]): void => {
        shadows.begin();
        if (document.readyState === "loading") {
          for (const record of records.slice(0, maxLooked))
            record.addedNodes.forEach((node) => {
              transients.appeared(node);
              shadows.within(node);
            });
          timer ??= later(() => void guard.run(summarize), summarizeEvery);
          return;
        }
        let looked = 0;
        for (const record of records) {
          const look = looked++ < maxLooked;
          if (record.type === "childList") {
            added += record.addedNodes.length;
            removed += record.removedNodes.length;
            if (!look) continue;
            record.addedNodes.forEach((node) => {
              transients.appeared(node);
              shadows.within(node);
              if (node instanceof Element) note(() => "+ " + described(node));
              else if (node.nodeType === Node.TEXT_NODE) retold(node.parentElement);
            });
            record.removedNodes.forEach((node) => {
              transients.gone(node);
              if (node instanceof Element) note(() => "- " + described(node));
              else if (node.nodeType === Node.TEXT_NODE && record.target instanceof Element) retold(record.target);
            });
          } else {
            changed++;
            if (!look) continue;
            const { target } = record;
            if (record.type === "attributes" && target instanceof Element) {
              transients.changed(target);
              note(() => "~ " + elementText(target) + " " + record.attributeName);
            } else retold(target.parentElement);
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
        if (timer !== undefined) cancelLater(timer);
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

function described(element: Element): string {
  const text = element.matches("script,style,template") ? "" : fold(textHead(element, 300), 60);
  return elementText(element) + (text ? ' "' + text + '"' : "");
}
