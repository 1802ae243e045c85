import { expect, test } from "vitest";
import type { Acted } from "../messages/agent.ts";
import type { Context } from "./context.ts";
import { fillFormAndSubmit } from "./fill_form_and_submit.ts";
import { CommandProblem } from "./problem.ts";

const result = { match_count: 1, match_strategy: "ref", value: "a" };
const settled = { changes: ['alert "This address is taken"'], busy: [] };

/** What comes of a form whose sending fails, told as performed or not. */
async function sending(told: boolean): Promise<string> {
  let performed: Acted | undefined;
  const frames = {
    inner: () => false,
    call: async (_tab: number, op: string) => {
      if (op === "fill") return (performed = { result, settled });
      if (op !== "submit") return { value: "a" };
      if (told) performed = { result };
      throw new CommandProblem("timeout", "The page did not answer in time.");
    },
  };
  const pages = {
    watch: () => ({ now: () => ({ loading: false }), stop: () => undefined }),
    document: () => "d",
    describe: async () => ({ id: 1, url: "http://a/", title: "" }),
  };
  const context = {
    tab: 1,
    deadline: Date.now() + 10_000,
    signal: new AbortController().signal,
    performed: () => performed,
    part: () => undefined,
    frames,
    pages,
  } as unknown as Context;
  const params = { fields: [{ selector: "label=Mail", value: "a" }] };
  try {
    await fillFormAndSubmit(params, context);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

test("a form is told as not sent only where nothing was performed", async () => {
  expect(await sending(false)).toMatch(/The fields are filled, the form was not sent\. .*This address is taken/);
  expect(await sending(true)).toMatch(
    /The fields are filled, and the form may have been sent: .*This address is taken/,
  );
});
