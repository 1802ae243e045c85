import { MAX_ADDRESS } from "../../messages/content.ts";

/** Characters of a tab's title that are kept. */
const MAX_TITLE = 512;

/** An address as far as it is kept. */
export const boundURL = (url: string): string => cut(url, MAX_ADDRESS);

/** A title as far as it is kept. */
export const boundTitle = (title: string): string => cut(title, MAX_TITLE);

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
