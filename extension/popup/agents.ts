import type { Agent } from "@gasoline/schema/wire";

/**
 * What each agent is called, by id. Programs of one name are told apart by their projects, and by a number where that
 * does not do.
 */
export function agentLabels(agents: readonly Agent[]): Map<string, string> {
  const name = (agent: Agent): string => agent.name || "Agent";
  const labels = new Map<string, string>();
  const taken = new Map<string, number>();
  for (const agent of agents) {
    const alone = agents.filter((other) => name(other) === name(agent)).length === 1;
    const label = alone || !agent.project ? name(agent) : `${name(agent)} (${agent.project})`;
    const nth = (taken.get(label) ?? 0) + 1;
    taken.set(label, nth);
    labels.set(agent.id, nth === 1 ? label : `${label} ${nth}`);
  }
  return labels;
}

/** "claude-code", "claude-code and cursor", "claude-code, cursor and 2 more". */
export function listOf(labels: readonly string[]): string {
  if (labels.length > 3) return `${labels.slice(0, 2).join(", ")} and ${labels.length - 2} more`;
  return labels.length < 2 ? labels.join("") : `${labels.slice(0, -1).join(", ")} and ${labels.at(-1)}`;
}
