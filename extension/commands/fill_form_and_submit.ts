import { step, steps } from "./act.ts";
import { fillFields, notKept } from "./form.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Fills the fields of a form and sends it: by the button that is named, or by the one of the form of the last field. */
export const fillFormAndSubmit: Handler<"fill_form_and_submit"> = (params, context) =>
  steps(context, async () => {
    const { filled, healed } = await fillFields(params, context);
    const { submit_ref: ref, submit_selector: selector, within, frame } = params;
    try {
      const { result, settled } =
        ref !== undefined
          ? await step(context, "click", { ref })
          : selector === undefined
            ? await step(context, "submit", { ref: filled.at(-1)?.matched?.ref ?? "" })
            : await step(context, "click", {
                selector,
                ...(within === undefined ? {} : { within }),
                ...(frame === undefined ? {} : { frame }),
              });
      return { result: { ...result, filled, ...(healed ? { healed } : {}) }, settled };
    } catch (error) {
      if (!(error instanceof CommandProblem)) throw error;
      throw new CommandProblem(
        error.code,
        `${error.message} The fields are filled, the form was not sent.${notKept(params, filled)}`,
        error.more,
      );
    }
  });
