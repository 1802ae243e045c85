import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { DomElement } from "@gasoline/schema/commands";
import type { Page } from "@playwright/test";
import { build } from "esbuild";
import { open } from "../acting.ts";
import type { FakeDaemon } from "../daemon.ts";
import { type Browser, expect, test } from "../extension.ts";
import type { Site } from "../site.ts";

test.use({ host: "node" });

/** A page that is made with other people's components. */
async function openApp(app: string, browser: Browser, daemon: FakeDaemon, site: Site) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../apps/${app}.mjs`, import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
  });
  site.page("/app.js", { body: outputFiles[0]?.text ?? "", type: "text/javascript" });
  return open(browser, site, daemon, `<html lang=en><div id=app></div><script src=/app.js></script>`);
}

/** The rules that axe finds broken when a page runs it itself, with their numbers of elements. */
async function axeOf(page: Page): Promise<[string, number][]> {
  await page.addScriptTag({
    content: await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"),
  });
  const found = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length]))",
  )) as [string, number][];
  return found.toSorted(byRule);
}

const byRule = ([a]: [string, number], [b]: [string, number]): number => (a < b ? -1 : 1);

test("a form of Material's components is told as the browser has it", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await openApp("material", browserWithExtension, daemon, site);
  await expect(page.getByRole("slider")).toBeVisible();
  const [form, ...others] = (await run("forms", {})).result.documents[0]!.answer.forms;
  expect(others).toEqual([]);
  expect(form!.fields.map(({ role, label, name }) => [role, label, name])).toEqual([
    ["textbox", "Name", "name"],
    ["textbox", "Mail", "mail"],
    ["textbox", "Secret", "secret"],
    ["combobox", "Land", "land"],
    ["checkbox", "Gift", "gift"],
    ["switch", "News", "news"],
    ["radio", "Small", "size"],
    ["radio", "Large", "size"],
    ["slider", "Amount", "amount"],
  ]);
  expect(form!.buttons).toMatchObject([{ label: "Order now", does: "submit" }]);
  const [state] = (await run("form_state", {})).result.documents[0]!.answer.forms;
  const sent = (await page.evaluate("[...new FormData(document.forms[0]).keys()]")) as string[];
  const told = [...(state!.submit_data ?? []).map(({ name }) => name), ...(state!.unknown ?? [])];
  // What is not checked is known to have a component, and sends nothing.
  expect(new Set(told)).toEqual(new Set([...sent, "news"]));
  const judged = async () => (await run("form_validation", {})).result.documents[0]!.answer.forms[0]!;
  expect(await judged()).toMatchObject({
    valid: false,
    error_count: 1,
    validation_errors: [{ field: "Mail", rule: "valueMissing", message: "Please fill out this field." }],
  });
  expect((await judged()).validation_errors[0]).not.toHaveProperty("apart");
  await run("type", { selector: "label=Mail", text: "ada@b.test" });
  expect(await judged()).toMatchObject({ valid: true, validation_errors: [] });
  expect(await page.evaluate("document.forms[0].checkValidity()")).toBe(true);
  const [region] = (await run("navigation", {})).result.documents[0]!.answer.regions;
  expect(region).toMatchObject({
    label: "Shop",
    links: [
      { text: "Orders", href: "/orders" },
      { text: "Help", external: true },
    ],
  });
  const { violations } = (await run("accessibility", {})).result;
  expect(violations.map(({ id, count }): [string, number] => [id, count]).toSorted(byRule)).toEqual(await axeOf(page));
});

test("a grid of AG Grid is told in the rows and columns that it draws", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await openApp("ag-grid", browserWithExtension, daemon, site);
  const table = async () => (await run("data_table", {})).result.documents[0]!.answer.tables[0]!;
  await expect(page.getByRole("gridcell", { name: "Row 3", exact: true })).toBeVisible();
  const first = await table();
  expect(first).toMatchObject({ role: "grid", row_total: 1000, first_row: 1, column_count: 34 });
  expect(first.columns).toEqual([1, 2, 3, 4, 5, 6, 34]);
  expect(first.headers).toEqual(["Id", "Name", "Paid", "Column 0", "Column 1", "Column 2", "Sum"]);
  expect(first.rows[3]).toEqual(["3", "Row 3", "☐", "3/0", "3/1", "3/2", "9 €"]);
  await page.evaluate("grid.ensureIndexVisible(500)");
  await expect(page.getByRole("gridcell", { name: "Row 500", exact: true })).toBeVisible();
  const later = await table();
  expect(later.first_row).toBeGreaterThan(400);
  const at = later.rows.find(([id]) => id === "500")!;
  expect(at).toEqual(["500", "Row 500", "☑", "500/0", "500/1", "500/2", "1500 €"]);
  expect(later.rows[0]![0]).toBe(String(later.first_row! - 1));
  const { violations } = (await run("accessibility", {})).result;
  expect(violations.map(({ id, count }): [string, number] => [id, count]).toSorted(byRule)).toEqual(await axeOf(page));
});

test("how Material's components are made, what they look like and what they hold back is told as the browser has it", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await openApp("material", browserWithExtension, daemon, site);
  await expect(page.getByRole("slider")).toBeVisible();
  const { matches } = (await run("dom", { selector: "md-filled-button" })).result.documents[0]!.answer;
  expect(matches).toMatchObject([
    { text: "Order now", visible: true, shadow: "open", attributes: { type: "submit" } },
    { text: "Upgrade to Pro", visible: true, shadow: "open", attributes: { disabled: "" } },
  ]);
  const [pressed] = (await run("dom", { selector: "role=checkbox" })).result.documents[0]!.answer.matches;
  expect(pressed).toMatchObject({ tag: "input", role: "checkbox", visible: true });
  const structure = (await run("page_structure", {})).result.documents[0]!.answer;
  expect(structure.frameworks).toMatchObject([{ name: "Lit" }, { name: "lit-html" }]);
  const counted = `(function count(root) { return [...root.querySelectorAll("*")].reduce(
    (sum, { shadowRoot }) => sum + (shadowRoot ? 1 + count(shadowRoot) : 0), 0); })(document)`;
  expect(structure.shadow_roots.open).toBe(await page.evaluate(counted));
  expect((await run("feature_gates", {})).result.documents[0]!.answer).toMatchObject({
    plan_gates: [{ text: "Upgrade to Pro", feature: "Export", required_plan: "Pro", disabled: true }],
    total_gates: 1,
  });
  const styles = async (selector: string, properties: string[]) =>
    (await run("computed_styles", { selector, properties })).result.documents[0]!.answer.elements;
  // The words have the colour of the slot that shows them, and another part of the component is behind it.
  const [button] = await styles("md-filled-button", ["cursor"]);
  expect(button).toMatchObject({ contrast: { unknown: expect.stringContaining("component") } });
  const [own, off] = await styles("md-filled-button >>> .background", ["background-color", "opacity"]);
  expect(own!.computed_styles[0]).toMatchObject({ wins: { selector: ".background" } });
  // Behind what was asked for come the custom properties that its values are of.
  expect(off!.computed_styles.slice(0, 2)).toMatchObject([
    { wins: { specificity: "0,3,0" }, loses: [{ selector: ".background" }] },
    { value: "0.12" },
  ]);
  // Each box around the words of a field takes its colour over; the rule that gives it says which it is.
  const [mail] = await styles("label=Mail", ["color", "caret-color"]);
  const [color] = mail!.computed_styles;
  expect(color!.wins!.value).toMatch(/^var\((--[\w-]+)/);
  expect(Object.keys(mail!.custom_properties ?? {})).toContain(/--[\w-]+/.exec(color!.wins!.value)![0]);
});

test("rows of AG Grid, their styles and what scrolls are told as the browser has them", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await openApp("ag-grid", browserWithExtension, daemon, site);
  await expect(page.getByRole("gridcell", { name: "Row 3", exact: true })).toBeVisible();
  const [row] = (await run("dom", { selector: "[role=row][row-index='3']", include_children: true, max_depth: 5 }))
    .result.documents[0]!.answer.matches;
  const told: string[] = [];
  (function cells({ role, text, children = [] }: DomElement): void {
    if (role === "gridcell" && text) told.push(text);
    children.forEach(cells);
  })(row!);
  expect(told).toEqual(["3", "Row 3", "3/0", "3/1", "3/2", "9 €"]);
  const properties = ["color", "background-color", "height", "position", "overflow-x", "font-size"];
  const cell = "[role=row][row-index='3'] [col-id=name]";
  const [looks] = (await run("computed_styles", { selector: cell, properties })).result.documents[0]!.answer.elements;
  const computed = `${JSON.stringify(properties)}.map((name) =>
    getComputedStyle(document.querySelector(${JSON.stringify(cell)})).getPropertyValue(name))`;
  const asked = looks!.computed_styles.slice(0, properties.length);
  expect(asked.map(({ value }) => value)).toEqual(await page.evaluate(computed));
  expect(looks!.contrast!.ratio).toBeGreaterThan(15); // nearly black on white
  const { scroll_containers } = (await run("page_structure", {})).result.documents[0]!.answer;
  const heights = await page.evaluate(
    "[...document.querySelectorAll('.ag-grid-viewport, .ag-body-vertical-scroll-viewport')].map((at) => at.scrollHeight)",
  );
  expect(scroll_containers.map(({ scroll_height }) => scroll_height)).toEqual(
    expect.arrayContaining(heights as number[]),
  );
  expect((await run("feature_gates", {})).result.documents[0]!.answer.total_gates).toBe(0);
});
