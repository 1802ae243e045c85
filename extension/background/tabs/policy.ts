/** How much of a string a page's policy lets run: all, no strings as code, or no script at all. */
export type PolicyLevel = "none" | "script_exec" | "page_blocked";

const STRICTNESS: Record<PolicyLevel, number> = { none: 0, script_exec: 1, page_blocked: 2 };

/** The stricter of two levels. */
export function stricter(a: PolicyLevel, b: PolicyLevel): PolicyLevel {
  return STRICTNESS[a] >= STRICTNESS[b] ? a : b;
}

/**
 * Reads the level from the Content-Security-Policy headers and meta elements of a page. Every policy
 * holds, so the strictest wins. Nothing is probed: probing would show in the page's reports.
 */
export function policyLevel(headers: readonly string[], metas: readonly string[]): PolicyLevel {
  let level: PolicyLevel = "none";
  const policies = [
    // One header can carry several policies, separated by commas.
    ...headers.flatMap((value) => value.split(",")).map((policy) => ({ policy, meta: false })),
    ...metas.map((policy) => ({ policy, meta: true })),
  ];
  for (const { policy, meta } of policies) {
    const found = levelOf(directives(policy), meta);
    if (found === "page_blocked") return found;
    if (found === "script_exec") level = found;
  }
  return level;
}

function levelOf(policy: ReadonlyMap<string, readonly string[]>, meta: boolean): PolicyLevel {
  const sandbox = policy.get("sandbox");
  // A sandbox directive in a meta element is ignored by browsers.
  if (sandbox && !meta && !sandbox.includes("allow-scripts")) return "page_blocked";
  const scripts = policy.get("script-src") ?? policy.get("default-src");
  const trustedTypes = policy.get("require-trusted-types-for")?.includes("'script'") ?? false;
  if (scripts && !scripts.includes("'unsafe-eval'")) return "script_exec";
  return trustedTypes ? "script_exec" : "none";
}

function directives(policy: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const directive of policy.split(";")) {
    const [name, ...values] = directive.trim().toLowerCase().split(/\s+/);
    // The first of a name counts, as in browsers.
    if (name && !found.has(name)) found.set(name, values);
  }
  return found;
}
