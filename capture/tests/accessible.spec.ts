import type { Page } from "@playwright/test";
import { bundle, expect, test } from "./support/fixture.ts";
import { NAMES, OTHER_NAMES, OTHER_ROLES, ROLES, type Difference } from "./support/accessible.ts";
import type { Locators } from "./support/locators-entry.ts";
import type { TestServer } from "./support/server.ts";

declare const locators: Locators;

interface Compared {
  html: string;
  ours: string;
  chrome: string;
}

/** What Chrome's tree calls otherwise, or has a word of its own for that is no role. */
const PLAIN: Readonly<Record<string, string>> = { image: "img", none: "", generic: "" };

/** Ours and Chrome's of each case. */
async function compare(page: Page, server: TestServer, cases: readonly string[], what: "role" | "name") {
  await page.addInitScript({ content: await bundle("./locators-entry.ts") });
  await page.goto(server.page("<!doctype html><body></body>"));
  const session = await page.context().newCDPSession(page);
  await session.send("Accessibility.enable");
  const compared: Compared[] = [];
  for (const html of cases) {
    const ours = await page.evaluate(
      ([given, asked]) => {
        document.body.innerHTML = given as string;
        for (const template of document.querySelectorAll<HTMLTemplateElement>("template[shadowrootmode]")) {
          template.parentElement?.attachShadow({ mode: "open" }).append(template.content);
          template.remove();
        }
        const element = document.querySelector("[x]") as Element;
        return asked === "role" ? locators.roleOf(element) : new locators.Names().of(element);
      },
      [html, what],
    );
    const { root } = await session.send("DOM.getDocument", { depth: 0 });
    const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "[x]" });
    const { nodes } = await session.send("Accessibility.getPartialAXTree", { nodeId, fetchRelatives: false });
    const [node] = nodes;
    const told = String(node?.[what]?.value ?? "");
    const role = node?.role?.type === "internalRole" && !/^(none|generic)$/.test(told) ? "" : (PLAIN[told] ?? told);
    compared.push({ html, ours, chrome: what === "role" ? role : told.replace(/\s+/g, " ").trim() });
  }
  return compared;
}

const casesOf = (differences: readonly Difference[]): string[] => differences.flatMap(({ ours }) => Object.keys(ours));

for (const [what, same, other] of [
  ["role", ROLES, OTHER_ROLES],
  ["name", NAMES, OTHER_NAMES],
] as const) {
  test(`a ${what} is that of Chrome's accessibility tree`, async ({ page, server }) => {
    expect(same.length).toBeGreaterThan(200);
    const compared = await compare(page, server, same, what);
    expect(compared.filter(({ ours, chrome }) => ours !== chrome)).toEqual([]);
  });

  test(`a ${what} is another one than Chrome's where the table says why`, async ({ page, server }) => {
    const wanted: Record<string, string> = Object.assign({}, ...other.map(({ ours }) => ours));
    const compared = await compare(page, server, casesOf(other), what);
    // What is in the table and does not differ has no place there.
    expect(compared.filter(({ html, ours, chrome }) => ours !== wanted[html] || ours === chrome)).toEqual([]);
  });
}
