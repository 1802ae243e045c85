import type { Viewport } from "@gasoline/schema/commands";

/** One part of a page as a snapshot shows it: an element with a role, or a text between elements. */
export interface OutlineNode {
  /** The ARIA role; "text" for a text, "" for the root of a page. */
  role: string;
  /** The accessible name, ≤ 200 characters; "" for none. */
  name: string;
  /** Absent where nothing can be done with the element. */
  ref?: string;
  /** As they stand in brackets: "checked", "level=2". */
  states?: string[];
  /** What a field holds, or the words of a text. */
  text?: string;
  /** Of a link in a section; placeholder of a field. */
  url?: string;
  placeholder?: string;
  /** Who is shown first: lower ones. */
  rank: number;
  /** Parts in it, shown or not. 0: nothing is in it that could be left out. */
  inside: number;
  /** Of a list or table: what it is made of. */
  items?: { count: number; unit: string; first: string; columns?: string };
  /** Of an iframe: its place among the frames of the document, -1 for one that has none. */
  place?: number;
  /** Of an iframe whose own parts are its children: what the parameter frame takes for it. */
  frame?: string;
  /** It lies over the page, or tells of something that just happened: it comes first. */
  first?: boolean;
  children: OutlineNode[];
}

/** What an outline is to show. */
export interface OutlineParams {
  /** Of the section: the ref of its element. */
  ref?: string;
  /** Role or name of a landmark, heading, list or table. */
  section?: string;
  /** Levels below the section; 0 for all. */
  depth?: number;
  /** Words that are looked for in roles, names and texts. */
  find?: string;
  /** Names the snapshot that is compared with. */
  since?: string;
  /** Names this snapshot, to be compared with. */
  mark: string;
  visible_only?: boolean;
  /** Bytes of text that there is room for, all frames together. */
  bytes: number;
  /** Lists and tables that are long are shown as one line. */
  folded: boolean;
  /** Most hits. */
  limit: number;
}

/** Something that fits what was looked for. */
export interface Hit {
  node: OutlineNode;
  /** Where it stands: role and name of the nearest part around it that has one; "" for none. */
  within: string;
  /** Lower ones fit better. */
  score: number;
}

/** What became of one part of a page since another snapshot. */
export interface OutlineChange {
  kind: "added" | "removed" | "changed";
  /** Of a removed part its role and words only. */
  node: OutlineNode;
  /** Of a changed one: what it was, in words; "" where nothing tells. */
  was?: string;
  /** Equal parts beside it that became the same, itself among them. */
  count?: number;
}

/** One frame's part of a snapshot. Which members are there follows from what was asked for. */
export interface Outlined {
  /** The frame's name, as element records have it. */
  frame: string;
  url: string;
  title: string;
  favicon: string;
  viewport: Viewport;
  /** Elements with a role and texts that the frame shows. */
  size: number;
  /** The time was up, or the page changed, before all was looked at. */
  partial?: boolean;
  /** Of an overview, or of the section. Absent where the section is not in this frame. */
  root?: OutlineNode;
  hits?: Hit[];
  hit_count?: number;
  /** Absent where the snapshot that was named is not one of this document. */
  changes?: { list: OutlineChange[]; added: number; removed: number; changed: number };
}
