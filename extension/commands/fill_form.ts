import { steps } from "./act.ts";
import { fillFields, onlyFilled } from "./form.ts";
import type { Handler } from "./handler.ts";

/** Fills the fields of a form. */
export const fillForm: Handler<"fill_form"> = (params, context) =>
  steps(context, async () => {
    const form = await fillFields(params, context);
    return { result: onlyFilled(form), settled: form.settled };
  });
