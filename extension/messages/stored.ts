/** Something of a site's state that could not be taken, named without its value. */
export interface LeftOut {
  what: string;
  why: string;
  count: number;
}

/** A field whose value is not what the page delivered. */
export interface StoredField {
  /** CSS that finds it in its document; behind " >>> " in the shadow root of what was found. */
  at: string;
  name: string;
  /** input's type, textarea, select, select-multiple. */
  type: string;
  value?: string;
  checked?: boolean;
  /** Places of the chosen options. */
  chosen?: number[];
}

/** What is typed into a document, and how far it is scrolled. */
export interface TakenForms {
  origin: string;
  url: string;
  fields: StoredField[];
  scroll: [x: number, y: number];
  left_out: LeftOut[];
}

/** A section of a checkpoint in base64, compressed by gzip: its first chunk, and how many there are. */
export interface TakenState {
  token: string;
  chunks: number;
  page_section: string;
  origin: string;
  url: string;
  title: string;
  /** What the origin stores that a checkpoint does not have, in words with counts: at most 3. */
  not_covered: string[];
}

/** What became of a section that was brought back. */
export interface RestoredState {
  /** What is as it was saved, in words. */
  restored: string[];
  /** What is not, by name. */
  differs: string[];
  /** What the origin stores that a checkpoint does not have, and so was left as it is. */
  not_covered: string[];
}
