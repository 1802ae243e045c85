import { Readability } from "@mozilla/readability";
import TurndownService from "turndown";
import { clean } from "./clean.ts";

/** What a page has to read. */
export interface Readable {
  title: string;
  byline: string;
  excerpt: string;
  /** An article was found; else it is all that the page shows. */
  article: boolean;
  text: string;
  markdown: string;
}

/** Of a document with more elements the article is not looked for: it takes the page's time at once. */
const MAX_ELEMENTS = 20_000;

/** A text with fewer characters is no article. */
const MIN_ARTICLE = 250;

/**
 * Reads the document as a person would. as: which form is wanted; unseen tells elements whose text nobody sees; shown gives
 * what an element shows.
 */
function read(
  as: "text" | "markdown",
  unseen: (element: Element) => boolean,
  shown: (element: Element) => Node[],
): Readable {
  const copy = clean(document, unseen, shown);
  const title = copy.title;
  const body = copy.body?.cloneNode(true) as HTMLElement | undefined;
  const few = copy.getElementsByTagName("*").length <= MAX_ELEMENTS;
  const parsedOf = few ? new Readability(copy, { charThreshold: MIN_ARTICLE }).parse() : null;
  // Of a page without one it takes the longest thing that it finds.
  const found = (parsedOf?.length ?? 0) >= MIN_ARTICLE ? parsedOf : null;
  const root = found?.content ? parsed(found.content) : (body ?? document.createElement("div"));
  return {
    title: found?.title || title,
    byline: found?.byline ?? "",
    excerpt: (found?.excerpt ?? "").slice(0, 300),
    article: Boolean(found?.content),
    text: as === "text" ? textOf(root) : "",
    markdown: as === "markdown" ? markdownOf(root) : "",
  };
}

/** A document of its own: nothing in it is loaded or runs. */
function parsed(html: string): HTMLElement {
  const inert = document.implementation.createHTMLDocument("");
  inert.body.innerHTML = html;
  return inert.body;
}

const BLOCKS =
  "p, div, section, article, main, header, footer, aside, nav, h1, h2, h3, h4, h5, h6, li, tr, dt, dd, pre, blockquote, figure, figcaption, table, ul, ol, form, fieldset, br, hr";

/** The text with a line for each block. What is in no document has no layout that could tell its lines. */
function textOf(root: HTMLElement): string {
  for (const block of root.querySelectorAll(BLOCKS)) {
    block.before("\n");
    block.after("\n");
  }
  for (const cell of root.querySelectorAll("td, th")) cell.after("\t");
  return (root.textContent ?? "")
    .split("\n")
    .map((line) => line.replace(/[^\S\t]+/g, " ").trim())
    .filter((line, i, all) => line !== "" || (i > 0 && all[i - 1] !== ""))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function markdownOf(root: HTMLElement): string {
  const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  turndown.addRule("cells", {
    filter: ["th", "td"],
    replacement: (content) =>
      ` ${content
        .replace(/\s*\n\s*/g, " ")
        .replaceAll("|", "\\|")
        .trim()} |`,
  });
  turndown.addRule("rows", {
    filter: "tr",
    replacement: (content, row) => {
      const cells = row as HTMLTableRowElement;
      const first = cells.parentElement?.closest("table")?.querySelector("tr") === row;
      const rule = first ? `\n|${" --- |".repeat(cells.cells.length)}` : "";
      return `\n|${content}${rule}`;
    },
  });
  turndown.addRule("tables", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` });
  turndown.addRule("parts of tables", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content });
  // A picture without words says nothing, and its address may be the picture itself.
  turndown.addRule("pictures", {
    filter: "img",
    replacement: (_content, picture) => {
      const alt = (picture as HTMLImageElement).alt.trim();
      const from = (picture as HTMLImageElement).getAttribute("src") ?? "";
      return alt === "" ? "" : from.startsWith("data:") ? alt : `![${alt}](${from})`;
    },
  });
  turndown.remove([
    "script",
    "style",
    "noscript",
    "template",
    "iframe",
    "button",
    "select",
    "textarea",
    "input",
  ] as never);
  return turndown.turndown(root).replace(/\n{3,}/g, "\n\n");
}

declare global {
  var gasolineReader: { read: typeof read } | undefined;
}

globalThis.gasolineReader ??= { read };
