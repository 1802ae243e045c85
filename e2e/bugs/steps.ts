import { expect, type FrameLocator, type Locator, type Page } from "@playwright/test";

type Role = Parameters<Page["getByRole"]>[0];

const WORD = /"([^"]*)"|(\S+)/g;

/**
 * Does one step as a user does it:
 *
 *   open /path                    press Enter
 *   click button "Add"            hover link "Menu"
 *   type "Label" "text"           select "Label" "Option"
 *   check "Label"                 wait "text"
 *   back
 *
 * "in Title" before it means the iframe with that title. ms is how long its element may take to come.
 */
export async function step(page: Page, base: string, line: string, ms: number): Promise<void> {
  const words = [...line.matchAll(WORD)].map(([, quoted, bare]) => quoted ?? bare!);
  let scope: Page | FrameLocator = page;
  if (words[0] === "in") {
    scope = page.frameLocator(`iframe[title="${words[1]}"]`);
    words.splice(0, 2);
  }
  const [verb, first = "", second = ""] = words;
  const options = { timeout: ms };
  const pointed = (): Locator =>
    first === "text"
      ? scope.getByText(second, { exact: true })
      : scope.getByRole(first as Role, { name: second, exact: true });
  const field = (): Locator => scope.getByLabel(first, { exact: true });
  switch (verb) {
    case "open":
      return void (await page.goto(base + first, { timeout: 30_000 }));
    case "click":
      return pointed().click(options);
    case "hover":
      return pointed().hover(options);
    case "press":
      return page.keyboard.press(first);
    case "type":
      return field().pressSequentially(second, options);
    case "select": {
      // By the keyboard: what drivers choose by setting it is no act of a user.
      const list = scope.getByRole("combobox", { name: first, exact: true });
      await list.focus(options);
      await page.keyboard.type(second);
      return expect(list.locator("option:checked")).toHaveText(second, options);
    }
    case "check":
      return field().check(options);
    case "wait":
      return scope.getByText(first, { exact: true }).waitFor(options);
    case "back":
      // Who goes back has looked at the page: what comes at once is taken to be the page's own doing.
      await page.waitForTimeout(2500);
      return void (await page.goBack(options));
    default:
      throw new Error(`no such step: ${line}`);
  }
}
