import { run } from "@gasoline/capture/locators/deep";
import { fold, roleOf } from "@gasoline/capture/locators/name";
import { locate, sketchOf } from "@gasoline/capture/locators/ranked";
import type { AgentOps } from "../messages/agent.ts";
import type { Tools as DrawTools } from "./draw/meant.ts";
import type { Later, Tools } from "./upload/main.ts";
import { ready } from "./actionable.ts";
import { outcome } from "./act/outcome.ts";
import { acts } from "./act/scope.ts";
import { loaded } from "./browser.ts";
import { candidate, inWords, isDisabled } from "./describe.ts";
import type { Environment } from "./environment.ts";
import { frameElements } from "./frames.ts";
import { identityOf, shownName, shownText } from "./identity.ts";
import { own } from "./own.ts";
import { AgentProblem } from "./problem.ts";
import { ROOTS, elementAt, everywhere, parentOf } from "./shadow.ts";
import { resolve } from "./target.ts";
import { rounded } from "./visible.ts";
import { retry } from "./waiting.ts";

const TOOLS: Tools = {
  ready,
  outcome,
  acts,
  candidate,
  inWords,
  isDisabled,
  AgentProblem,
  everywhere,
  resolve,
  retry,
};

/** An operation about files or the clipboard; the script that carries it out is loaded at first use. */
export const later =
  <K extends Later>(op: K) =>
  async (params: AgentOps[K]["params"], environment: Environment): Promise<AgentOps[K]["result"]> =>
    (await loaded("upload", () => globalThis.gasolineUpload))[op](params, environment, TOOLS);

/** What drawings are lent. */
export const DRAW_TOOLS: DrawTools = {
  elementAt,
  own,
  parentOf,
  frameElements,
  identityOf: (element) => identityOf(element),
  roleOf,
  nameOf: (element) => fold(shownName(element), 120),
  textOf: shownText,
  rounded,
  locatorsOf: (element) => run(locate(sketchOf(element), ROOTS)),
};
