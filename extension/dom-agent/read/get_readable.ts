import type { ReadableResult } from "@gasoline/schema/commands";
import { article, bounded } from "./article.ts";

/** Reads the article of a page, or all that it shows. */
export async function getReadable(): Promise<ReadableResult> {
  const { title, byline, excerpt, article: found, body, frames } = await article("text");
  const { body: content, ...told } = bounded(body);
  return {
    title,
    content,
    ...(excerpt ? { excerpt } : {}),
    ...(byline ? { byline } : {}),
    ...told,
    article: found,
    ...(frames ? { frames } : {}),
    url: location.href,
  };
}
