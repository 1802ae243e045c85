import type { Connection } from "../state/connection.ts";

/** What the button in the toolbar says without being opened. */
export async function showBadge(connection: Connection, pilot: boolean, scripts: boolean): Promise<void> {
  const { text, color, title } = badgeOf(connection, pilot, scripts);
  await Promise.all([
    chrome.action.setBadgeText({ text }),
    chrome.action.setBadgeBackgroundColor({ color }),
    chrome.action.setTitle({ title }),
  ]);
}

/** The badge of a state. scripts: agents may run JavaScript beyond this machine. */
export function badgeOf(
  connection: Pick<Connection, "phase">,
  pilot: boolean,
  scripts: boolean,
): { text: string; color: string; title: string } {
  switch (connection.phase) {
    case "searching":
      return { text: "…", color: "#6b7280", title: "Gasoline: looking for the daemon" };
    case "pairing":
      return { text: "pair", color: "#1d4ed8", title: "Gasoline: confirm the code to pair" };
    case "refused":
      return { text: "!", color: "#b91c1c", title: "Gasoline: the daemon refused the connection" };
    case "connected":
      if (scripts) return { text: "JS", color: "#b45309", title: "Gasoline: scripts are allowed on sites beyond this machine" };
      if (pilot) return { text: "on", color: "#15803d", title: "Gasoline: agents may act in your pages" };
      return { text: "", color: "#15803d", title: "Gasoline: connected" };
  }
}
