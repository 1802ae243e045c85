import type { MarkdownResult } from "@gasoline/schema/commands";
import { article, bounded } from "./article.ts";

/** Writes the article of a page, or all that it shows, as Markdown. */
export async function getMarkdown(): Promise<MarkdownResult> {
  const { title, article: found, body, frames } = await article("markdown");
  const { body: markdown, ...told } = bounded(body);
  return { title, markdown, ...told, article: found, ...(frames ? { frames } : {}), url: location.href };
}
