import { type Connection, inTerminal } from "../state/connection.ts";

/** What the badge tells besides the connection. */
export interface Allowed {
  /** Where agents may act: everywhere, or on so many sites. */
  pilot: "all" | number;
  /** Agents may run JavaScript beyond this machine. */
  scripts: boolean;
  /** Something went wrong that the popup tells of. */
  problem: boolean;
}

/** What the button in the toolbar says without being opened. */
export async function showBadge(connection: Connection, allowed: Allowed): Promise<void> {
  const { text, color, title } = badgeOf(connection, allowed);
  await Promise.all([
    chrome.action.setBadgeText({ text }),
    chrome.action.setBadgeTextColor({ color: "#ffffff" }),
    chrome.action.setBadgeBackgroundColor({ color }),
    chrome.action.setTitle({ title: `Gasoline: ${title}` }),
  ]);
}

/** The badge of a state. Each has a text of its own: colours alone do not tell states apart for everybody. */
export function badgeOf(
  { phase, port }: Pick<Connection, "phase" | "port">,
  { pilot, scripts, problem }: Allowed,
): { text: string; color: string; title: string } {
  switch (phase) {
    case "searching":
      return {
        text: "off",
        color: "#57534e",
        title: `no daemon. Start your agent, or run "${inTerminal("serve", port)}"`,
      };
    case "pairing":
      return { text: "pair", color: "#1d4ed8", title: "not paired; open to see how" };
    case "foreign":
      return { text: "!", color: "#b91c1c", title: `another program holds port ${port}` };
    case "refused":
      return { text: "!", color: "#b91c1c", title: "the daemon refused the connection" };
    case "connected": {
      const may = scripts
        ? "agents may act, and run scripts on sites beyond this machine"
        : pilot === "all"
          ? "agents may act in your pages"
          : pilot > 0
            ? `agents may act on ${pilot === 1 ? "one site" : `${pilot} sites`}`
            : "";
      if (problem)
        return {
          text: "!",
          color: "#b91c1c",
          title: `something went wrong; open to see what${may && `. Connected: ${may}`}`,
        };
      if (scripts) return { text: "JS", color: "#9a3412", title: `connected; ${may}` };
      if (may) return { text: "AI", color: "#9a3412", title: `connected; ${may}` };
      return { text: "✓", color: "#475569", title: "connected; agents see pages and do not act" };
    }
  }
}
