import { type Connection, type LastError, isOver, portOption } from "../state/connection.ts";
import { element } from "../state/dom.ts";
import { agentLabels, listOf } from "./agents.ts";

/** A message of more characters is folded away: what to do about it comes first. */
const SHORT = 100;

/** Shows how the extension stands with the daemon, which agents are there, and what to type in a terminal. */
export function showConnection(connection: Connection): void {
  const { title, detail } = words(connection);
  const { phase, port, code } = connection;
  document.body.dataset["phase"] = phase;
  element("phase", HTMLElement).textContent = title;
  element("phase-detail", HTMLElement).textContent = detail;
  const types = phase === "pairing" || (phase === "searching" && port !== 0);
  element("terminal", HTMLDivElement).hidden = !types;
  if (!types) return;
  element("terminal-why", HTMLParagraphElement).textContent =
    phase === "pairing" ? "Confirm this browser in a terminal:" : "Start your agent, or run in a terminal:";
  element("command-verb", HTMLElement).textContent = phase === "pairing" ? "gasoline pair " : "gasoline serve";
  element("code", HTMLElement).textContent = phase === "pairing" ? (code ?? "") : "";
  element("command-port", HTMLElement).textContent = portOption(port);
}

/** Shows the way out of the last error, with the error itself below, unless it is over. */
export function showProblem(connection: Connection, problem: LastError | undefined): void {
  const shown = problem !== undefined && !isOver(problem, connection);
  element("problem", HTMLElement).hidden = !shown;
  if (!shown) return;
  const { message, fix } = problem;
  const long = fix !== "" && message.length > SHORT;
  element("problem-fix", HTMLElement).textContent = fix || message;
  element("problem-message", HTMLElement).textContent = fix && !long ? message : "";
  element("problem-more", HTMLDetailsElement).hidden = !long;
  element("problem-long", HTMLParagraphElement).textContent = long ? message : "";
}

function words({ phase, port, agents }: Connection): { title: string; detail: string } {
  switch (phase) {
    case "connected":
      return { title: "Connected", detail: listOf([...agentLabels(agents).values()]) || "No agent has asked anything yet." };
    case "pairing":
      return { title: "Waiting to be paired", detail: `A daemon answers on port ${port}.` };
    case "refused":
      return { title: "The daemon refuses the connection", detail: `On port ${port}.` };
    case "searching":
      // No port yet: the worker has only just begun.
      return port
        ? { title: "No daemon found", detail: `Nothing answers on port ${port}.` }
        : { title: "Looking for the daemon", detail: "On this machine only." };
  }
}
