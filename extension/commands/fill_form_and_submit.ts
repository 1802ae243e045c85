import { step, steps } from "./act.ts";
import { fillFields, leavingTime, notKept, saidInWords } from "./form.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Fills the fields of a form and sends it: by the button that is named, or by the one of the form of the last field. */
export const fillFormAndSubmit: Handler<"fill_form_and_submit"> = (params, context) =>
  steps(context, async () => {
    const { filled, healed, settled: before } = await fillFields(params, context);
    const filling = context.performed();
    const sending = leavingTime(context);
    const { submit_ref: ref, submit_selector: selector, within, frame } = params;
    try {
      const { result, settled } =
        ref !== undefined
          ? await step(sending, "click", { ref })
          : selector === undefined
            ? await step(sending, "submit", { ref: filled.at(-1)?.matched?.ref ?? "" })
            : await step(sending, "click", {
                selector,
                ...(within === undefined ? {} : { within }),
                ...(frame === undefined ? {} : { frame }),
              });
      return { result: { ...result, filled, ...(healed ? { healed } : {}) }, settled, before };
    } catch (error) {
      if (!(error instanceof CommandProblem)) throw error;
      const sent =
        context.performed() === filling
          ? "the form was not sent."
          : "and the form may have been sent: look before you repeat it.";
      throw new CommandProblem(
        error.code,
        `${error.message} The fields are filled, ${sent}${notKept(params, filled)}${saidInWords(before)}`,
        error.more,
      );
    }
  });
