import { cssPath } from "@gasoline/capture/locators/css";
import { componentTags, ariaOf } from "@gasoline/capture/locators/lent";
import { fold, roleTold } from "@gasoline/capture/locators/name";
import type { Question } from "@gasoline/schema/commands";
import type { AgentOps } from "../messages/agent.ts";
import type { Lent } from "./inspect/main.ts";
import { askFrameworks, loaded } from "./browser.ts";
import { inWords, isDisabled, labelOf } from "./describe.ts";
import type { Environment } from "./environment.ts";
import { identityOf, shownName, shownText } from "./identity.ts";
import { isOwn } from "./own.ts";
import { Pass } from "./pass.ts";
import { indexing } from "./place.ts";
import { MASK, isSecret } from "./secret.ts";
import { ROOTS, elementAt, everywhere, nearest, parentOf, shadowOf, shownIn } from "./shadow.ts";
import { Slices } from "./slices.ts";
import { sortOf } from "./sort.ts";
import { matches } from "./target.ts";
import { boxOf, isVisible, rounded } from "./visible.ts";

const TOOLS: Lent = {
  MASK,
  Pass,
  ROOTS,
  Slices,
  ariaOf,
  askFrameworks,
  boxOf,
  componentTags,
  cssPath,
  elementAt,
  everywhere,
  fold,
  identityOf,
  indexing,
  inWords,
  isDisabled,
  isOwn,
  isSecret,
  isVisible,
  labelOf,
  nearest,
  parentOf,
  roleTold,
  rounded,
  shadowOf,
  shownIn,
  shownName,
  shownText,
  sortOf,
};

/** A question; the script that answers it is loaded at first use. null: nothing here fits the selector. */
export const inspect =
  <K extends Question>(op: K) =>
  async (params: AgentOps[K]["params"], environment: Environment): Promise<AgentOps[K]["result"]> => {
    const { ref, selector } = params as { ref?: string; selector?: string };
    const within = (ref ?? selector) ? matches(params, environment.refs).filter((at) => !isOwn(at)) : undefined;
    if (within?.length === 0) return null;
    const { ask } = await loaded("inspect", () => globalThis.gasolineInspect);
    const answer = await ask(op, { params, within, environment, tools: TOOLS });
    return { frame: environment.frame, answer } as AgentOps[K]["result"];
  };
