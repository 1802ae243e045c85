import { session } from "../../state/browser.ts";

const BLOCK = 1000;
const KEEP = 200; // blocks per tab; older documents' refs are forgotten
const LOW = 200; // a document with fewer numbers left gets another block

interface TabRefs {
  next: number; // first number of the next block
  blocks: { document: string; first: number }[]; // longest unused first
}

/**
 * Gives each document of a tab its own numbers for element refs, so that e17 of a page that was left
 * can never mean an element of the next. Kept in storage.session: it outlives the worker.
 */
export class RefBlocks {
  readonly #tabs = new Map<number, Promise<TabRefs>>();

  /** The ranges of a document, [first, last] each; more is made when it has few left. */
  async rangesOf(tab: number, document: string, left: number): Promise<[number, number][]> {
    const refs = await this.#load(tab);
    const own = refs.blocks.filter((block) => block.document === document);
    // Frames that load for ever push each other out, not the documents that are in use.
    if (refs.blocks.at(-1)?.document !== document)
      refs.blocks = [...refs.blocks.filter((block) => block.document !== document), ...own];
    if (own.length === 0 || left < LOW) {
      const block = { document, first: refs.next };
      refs.next += BLOCK;
      refs.blocks.push(block);
      if (refs.blocks.length > KEEP) refs.blocks.shift();
      own.push(block);
      await session.write({ [keyOf(tab)]: refs });
    }
    return own.map(({ first }) => [first, first + BLOCK - 1]);
  }

  /** Whether a document of a tab may have given a ref: its number was among those that were to be given. */
  async isGiven(tab: number, ref: string): Promise<boolean> {
    return Number(ref.slice(1)) < (await this.#load(tab)).next;
  }

  /** The document that a ref belongs to; undefined when it was never given or is long forgotten. */
  async documentOf(tab: number, ref: string): Promise<string | undefined> {
    const n = Number(ref.slice(1));
    const refs = await this.#load(tab);
    return refs.blocks.find(({ first }) => n >= first && n < first + BLOCK)?.document;
  }

  /** The tab is closed. */
  async forget(tab: number): Promise<void> {
    this.#tabs.delete(tab);
    await session.remove(keyOf(tab));
  }

  /** Frames ask for their numbers at the same time: there is one record of them. */
  #load(tab: number): Promise<TabRefs> {
    let refs = this.#tabs.get(tab);
    if (!refs) {
      refs = stored(tab);
      this.#tabs.set(tab, refs);
    }
    return refs;
  }
}

async function stored(tab: number): Promise<TabRefs> {
  return (await session.read<TabRefs>(keyOf(tab))) ?? { next: 1, blocks: [] };
}

const keyOf = (tab: number): string => `refs:${tab}`;
