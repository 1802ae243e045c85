import type { ActResult, Storage as Named } from "@gasoline/schema/commands";
import { AgentProblem } from "./problem.ts";

/** The storage that the params name. Throws where the document may have none: a sandboxed frame, blocked site data. */
export function storageOf({ storage_type = "localStorage" }: Named): Storage {
  try {
    return storage_type === "sessionStorage" ? window.sessionStorage : window.localStorage;
  } catch {
    throw new AgentProblem("not_available", `This document may not use ${storage_type}.`);
  }
}

/** What an act on the page itself comes to: no element is part of it. */
export const onPage = (value?: string): ActResult => ({
  match_count: 0,
  match_strategy: "",
  ...(value === undefined ? {} : { value: value.slice(0, 1000) }),
});
