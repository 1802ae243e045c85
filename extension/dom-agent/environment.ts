import type { RefBook } from "./refs.ts";

/** What an operation works with, beside its params. */
export interface Environment {
  refs: RefBook;
  /** Epoch ms. */
  deadline: number;
  /** The frame's name in element records. */
  frame: string;
}
