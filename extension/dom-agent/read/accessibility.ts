import { ariaOf, hasInternals, roleGiven } from "@gasoline/capture/locators/lent";
import type { AuditParams, AuditResult } from "@gasoline/schema/commands";
import type { Audit } from "../audit/main.ts";
import { loaded } from "../browser.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { everywhere } from "../shadow.ts";
import { matches } from "../target.ts";

/** The answer needs some of the time before the deadline, ms. */
const ANSWER_MS = 500;

/** What the accessibility rules say of this document. The script that holds them is loaded at first use. */
export async function accessibility(
  { selector }: AuditParams,
  { refs, deadline, frame }: Environment,
): Promise<AuditResult> {
  const within = selector === undefined ? undefined : matches({ selector }, refs);
  const { run } = await loaded("audit", () => globalThis.gasolineAudit);
  const audit: Audit | undefined = await run(within, deadline.at - ANSWER_MS, frame, {
    ariaOf,
    everywhere,
    hasInternals,
    roleGiven,
  });
  if (!audit) {
    const { length } = document.getElementsByTagName("*");
    throw new AgentProblem("timeout", `A page of ${length} elements takes longer: name a part of it by selector.`);
  }
  return { ...audit, url: location.href, title: document.title, frames: 1 };
}
