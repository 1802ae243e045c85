import type { Source } from "../realm.ts";
import { shownURL } from "./request.ts";

/**
 * fontSource records fonts of the page's style sheets that did not load: no element tells of them. The answer's status is
 * from its timing.
 */
export const fontSource: Source = {
  name: "fonts",
  start(realm, guard) {
    realm.hear(guard, document.fonts, "loadingerror", (event) => {
      if (!event.isTrusted) return;
      for (const face of (event as FontFaceSetLoadEvent).fontfaces) {
        const family = unquoted(face.family);
        const files = filesOf(family);
        const [first = ""] = files;
        realm.emit(
          "exceptions",
          {
            ...realm.at(),
            type: "ResourceError",
            message: `font ${family.slice(0, 100)} did not load${files.map((file) => ` ${shownURL(file, realm.config)}${fault(file)}`).join(",")}`,
            mechanism: "resource",
            handled: false,
            url: shownURL(first || document.URL, realm.config),
          },
          true,
        );
      }
    });
    return () => {};
  },
};

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, "$2");

/** filesOf gives the addresses that the style sheets name for a font, ≤ 5. Sheets of other origins cannot be read. */
function filesOf(family: string): string[] {
  const files: string[] = [];
  for (const sheet of document.styleSheets) {
    let rules: CSSRuleList | [] = [];
    try {
      rules = sheet.cssRules;
    } catch {
      // of another origin
    }
    for (const rule of rules) {
      if (!(rule instanceof CSSFontFaceRule) || unquoted(rule.style.getPropertyValue("font-family")) !== family)
        continue;
      for (const [, , url = ""] of rule.style.getPropertyValue("src").matchAll(/url\((["']?)(.*?)\1\)/g)) {
        const { href } = new URL(url, sheet.href ?? document.baseURI);
        if (files.length < 5 && !files.includes(href)) files.push(href);
      }
    }
  }
  return files;
}

function fault(url: string): string {
  const entry = performance.getEntriesByName(url, "resource").at(-1) as PerformanceResourceTiming | undefined;
  if (!entry?.responseStatus) return "";
  return `: it was answered ${entry.responseStatus}${entry.responseStatus < 400 ? ", and is no font that the browser knows" : ""}`;
}
