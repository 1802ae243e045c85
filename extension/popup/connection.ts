import { type Connection, type LastError, isOver, portOption } from "../state/connection.ts";
import { element } from "../state/dom.ts";
import { agentLabels, listOf } from "./agents.ts";

/** A message of more characters is folded away: what to do about it comes first. */
const SHORT = 100;

/** Shows how the extension stands with the daemon, which agents are there, and what to type in a terminal. */
export function showConnection(connection: Connection): void {
  const { title, detail } = words(connection);
  const { phase, port } = connection;
  document.body.dataset["phase"] = phase;
  const { insecure = "" } = connection;
  element("insecure", HTMLElement).hidden = insecure === "";
  element("insecure-of", HTMLElement).textContent = insecure;
  element("phase", HTMLElement).textContent = title;
  element("phase-detail", HTMLElement).textContent = detail;
  element("pair", HTMLFormElement).hidden = phase !== "pairing";
  element("foreign", HTMLParagraphElement).hidden = phase !== "foreign";
  const typed = port === 0 ? undefined : TYPED[phase];
  element("terminal", HTMLDivElement).hidden = !typed;
  if (!typed) return;
  element("terminal-why", HTMLParagraphElement).textContent = typed.why;
  element("command-verb", HTMLElement).textContent = `gasoline ${typed.verb}`;
  element("command-port", HTMLElement).textContent = portOption(port);
}

/** What there is to type in a terminal, and why. */
const TYPED: Partial<Record<Connection["phase"], { why: string; verb: string }>> = {
  searching: { why: "Start your agent, or run in a terminal:", verb: "serve" },
  pairing: { why: "To pair this browser, run in a terminal:", verb: "pair" },
  foreign: { why: "To see what holds it, run in a terminal:", verb: "status" },
};

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
      return {
        title: "Connected",
        detail: listOf([...agentLabels(agents).values()]) || "No agent has asked anything yet.",
      };
    case "pairing":
      return { title: "Not paired yet", detail: `A program on port ${port} says that it is Gasoline.` };
    case "foreign":
      return { title: `Another program holds port ${port}`, detail: "It did not prove that it is your daemon." };
    case "refused":
      return { title: "The daemon refuses the connection", detail: `On port ${port}.` };
    case "searching":
      // No port yet: the worker has only just begun.
      return port
        ? { title: "No daemon found", detail: `Nothing answers on port ${port}.` }
        : { title: "Looking for the daemon", detail: "On this machine only." };
  }
}
