import type { cssPath } from "@gasoline/capture/locators/css";
import type { ariaOf, componentTags } from "@gasoline/capture/locators/lent";
import type { fold, roleTold } from "@gasoline/capture/locators/name";
import type { Commands, Inspected, Question as Kind } from "@gasoline/schema/commands";
import type { askFrameworks } from "../browser.ts";
import type { inWords, isDisabled, labelOf } from "../describe.ts";
import type { Environment } from "../environment.ts";
import type { identityOf, shownName, shownText } from "../identity.ts";
import type { isOwn } from "../own.ts";
import type { Pass } from "../pass.ts";
import type { indexing } from "../place.ts";
import type { MASK, isSecret } from "../secret.ts";
import type { ROOTS, elementAt, everywhere, nearest, parentOf, shadowOf, shownIn } from "../shadow.ts";
import type { Slices } from "../slices.ts";
import type { sortOf } from "../sort.ts";
import type { boxOf, isVisible, rounded } from "../visible.ts";
import { QUESTIONS } from "./questions.gen.ts";

// This is a script of its own, loaded on first use: of the agent's modules it uses types only, and is lent the rest.

/** What the agent of the document lends. */
export interface Lent {
  MASK: typeof MASK;
  Pass: typeof Pass;
  ROOTS: typeof ROOTS;
  Slices: typeof Slices;
  ariaOf: typeof ariaOf;
  askFrameworks: typeof askFrameworks;
  boxOf: typeof boxOf;
  componentTags: typeof componentTags;
  cssPath: typeof cssPath;
  elementAt: typeof elementAt;
  everywhere: typeof everywhere;
  fold: typeof fold;
  identityOf: typeof identityOf;
  indexing: typeof indexing;
  inWords: typeof inWords;
  isDisabled: typeof isDisabled;
  isOwn: typeof isOwn;
  isSecret: typeof isSecret;
  isVisible: typeof isVisible;
  labelOf: typeof labelOf;
  nearest: typeof nearest;
  parentOf: typeof parentOf;
  roleTold: typeof roleTold;
  rounded: typeof rounded;
  shadowOf: typeof shadowOf;
  shownIn: typeof shownIn;
  shownName: typeof shownName;
  shownText: typeof shownText;
  sortOf: typeof sortOf;
}

export interface Tools extends Lent {
  /** A text that tells about an element, without what secret fields around it hold. */
  clean: (text: string, element: Element) => string;
}

/** What a document is asked. */
export interface Asking<P, T = Tools> {
  params: P;
  /** The elements that the question is about, at least one; undefined: the whole document. */
  within: Element[] | undefined;
  environment: Environment;
  tools: T;
}

/** Answers one kind of question. It reads, changes nothing, and lets the page work about every 12 ms (tools.Slices). */
export type Question<K extends Kind> = (asking: Asking<Commands[K]["params"]>) => Answer<K> | Promise<Answer<K>>;

type Answer<K extends Kind> = Commands[K]["result"] extends Inspected<infer R> ? R : never;

/** A page may show what the user typed into a secret field. No answer has it. */
function discreet(tools: Lent): Tools {
  const { secrets } = new tools.Pass();
  const clean: Tools["clean"] = (text, at) => secrets.clean(text, at);
  const inWords: Tools["inWords"] = (at) => clean(tools.inWords(at), at);
  return { ...tools, clean, inWords, shownText: (at, max) => clean(tools.shownText(at, max), at) };
}

async function ask<K extends Kind>(kind: K, asking: Asking<Commands[K]["params"], Lent>): Promise<Answer<K>> {
  const all: { [K in Kind]: Question<K> } = QUESTIONS;
  return (all[kind] as unknown as Question<K>)({ ...asking, tools: discreet(asking.tools) });
}

declare global {
  var gasolineInspect: { ask: typeof ask } | undefined;
}

globalThis.gasolineInspect ??= { ask };
