import { type Connection, type LastError, inTerminal } from "../state/connection.ts";
import { element } from "../state/dom.ts";

/** Shows how the extension stands with the daemon, and the code while pairing. */
export function showConnection(connection: Connection): void {
  const { title, detail } = words(connection);
  element("connection", HTMLDivElement).dataset["phase"] = connection.phase;
  element("phase", HTMLElement).textContent = title;
  element("phase-detail", HTMLParagraphElement).textContent = detail;
  element("pairing", HTMLDivElement).hidden = connection.phase !== "pairing";
  element("code", HTMLElement).textContent = connection.code ?? "";
  element("port-option", HTMLSpanElement).textContent = inTerminal("", connection.port).slice("gasoline ".length);
}

/** Shows the last error with its way out, unless it is over. */
export function showProblem(connection: Connection, problem: LastError | undefined): void {
  const shown = problem !== undefined && !(connection.phase === "connected" && problem.at < connection.since);
  element("problem", HTMLElement).hidden = !shown;
  if (!shown) return;
  element("problem-message", HTMLElement).textContent = problem.message;
  element("problem-fix", HTMLParagraphElement).textContent = problem.fix;
}

function words({ phase, port, version }: Connection): { title: string; detail: string } {
  switch (phase) {
    case "connected":
      return { title: "Connected", detail: `Daemon ${version ? `${version} ` : ""}on port ${port}. Nothing leaves this machine.` };
    case "pairing":
      return { title: "Waiting to be paired", detail: `A daemon answers on port ${port}.` };
    case "refused":
      return { title: "The daemon refuses the connection", detail: `Port ${port}.` };
    case "searching":
      // No port yet: the worker has only just begun.
      return port
        ? { title: "No daemon found", detail: `Start your agent, or run “${inTerminal("serve", port)}”.` }
        : { title: "Looking for the daemon", detail: "It is asked on this machine only." };
  }
}
