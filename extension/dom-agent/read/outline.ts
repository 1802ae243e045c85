import { ariaOf } from "@gasoline/capture/locators/lent";
import { roleOf, roleTold } from "@gasoline/capture/locators/name";
import type { OutlineParams, Outlined } from "../../messages/outline.ts";
import type { Engine } from "../../snapshot/engine.ts";
import { viewport } from "../act/scroll_to.ts";
import { candidate, controlOf, isDisabled } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { loaded } from "../browser.ts";
import { frameElements } from "../frames.ts";
import { identityOf, shownName, shownText } from "../identity.ts";
import { topLayer } from "../overlays.ts";
import { isOwn } from "../own.ts";
import { AgentProblem } from "../problem.ts";
import { showsText } from "../rendered.ts";
import { ROOTS } from "../shadow.ts";
import { Slices } from "../slices.ts";
import { pageRoot, sortOf } from "../sort.ts";
import { Unseen } from "../unseen.ts";
import { isVisible } from "../visible.ts";
import { beginsPointer } from "./list_interactive.ts";

/** Says what the document shows, for a snapshot. The script that does it is loaded on first use, and works with this engine. */
export async function outline(params: OutlineParams, environment: Environment): Promise<Outlined> {
  const { refs, deadline, frame } = environment;
  const script = await loaded("snapshot", () => globalThis.gasolineSnapshot);
  const slices = new Slices(deadline);
  const unseen = new Unseen();
  let frames: (Element | undefined)[] | undefined;
  const engine: Engine = {
    get over() {
      return slices.over;
    },
    get late() {
      return slices.late;
    },
    sort: sortOf(),
    pause: () => slices.pause(),
    roleOf,
    ariaOf,
    shadows: async () => {
      const steps = ROOTS.below(document);
      let tree = steps.next();
      for (; !tree.done; tree = steps.next()) if (slices.over) await slices.pause();
      const found = new Map<Element, ShadowRoot>();
      const left = [...tree.value.below];
      for (let at = left.pop(); at; at = left.pop()) {
        found.set(at.host, at.tree.scope as ShadowRoot);
        left.push(...at.tree.below);
      }
      return found;
    },
    nameOf: (element) => shownName(element, slices.pass),
    mayHold: (element, letters) => slices.pass.names.mayHold(element, letters),
    clean: (text, element) => slices.pass.secrets.clean(text, element),
    textOf: shownText,
    refOf: (element) => refs.refOf(element, identityOf(element, roleTold(element), shownName(element, slices.pass))),
    knows: (ref) => refs.knows(ref),
    elementOf: (ref) => refs.elementOf(ref),
    controlOf,
    isDisabled: (element) => isDisabled(element, slices.pass),
    isOwn,
    root: pageRoot,
    showsText,
    isUnseen: (element) => unseen.has(element),
    isVisible,
    beginsPointer,
    frames: () => (frames ??= frameElements()),
    layer: () => topLayer(document)?.element,
    viewport,
    problem: (code, message, elements = []) =>
      new AgentProblem(code, message, { candidates: elements.map((at) => candidate(at, refs)) }),
  };
  return { ...(await script.outline(params, engine)), frame };
}
