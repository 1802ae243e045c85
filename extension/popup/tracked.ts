import type { Connection } from "../state/connection.ts";
import { element } from "../state/dom.ts";
import { agentLabels } from "./agents.ts";
import { track } from "./tracking.ts";
import { frontTab, goToTab, tabOf } from "./browser.ts";

/** A tab that agents use, as its row shows it. */
interface Row {
  id: number;
  window: number;
  title: string;
  host: string;
  agents: string[];
  front: boolean;
}

let shown = "";

/** Lists the tabs that agents use, with ways to go there and to release them. Without the daemon it is the last that was known. */
export async function showTracked(connection: Connection): Promise<void> {
  const live = connection.phase === "connected";
  const rows = await readRows(connection);
  element("tracked-lost", HTMLParagraphElement).hidden = live;
  const now = JSON.stringify([live, rows]);
  if (now === shown) return; // a row that is made again would lose the focus
  shown = now;
  const list = element("tracked", HTMLUListElement);
  const focused = list.contains(document.activeElement) ? document.activeElement?.id : undefined;
  list.replaceChildren(...rows.map((row) => itemOf(row, live)));
  // Without a tab in use there is nothing to be said of them.
  element("tracked-card", HTMLElement).hidden = rows.length === 0;
  if (focused === undefined) return;
  const title = element(rows.length > 0 ? "tracked-title" : "site-title", HTMLElement);
  (document.getElementById(focused) ?? title).focus();
}

async function readRows({ agents }: Connection): Promise<Row[]> {
  const labels = agentLabels(agents);
  const ids = [...new Set(agents.flatMap(({ tab }) => tab || []))].sort((a, b) => a - b);
  const front = await frontTab();
  const tabs = await Promise.all(ids.map(tabOf));
  return tabs.flatMap((tab) => {
    if (tab?.id === undefined) return []; // closed meanwhile
    const users = agents.filter((agent) => agent.tab === tab.id).map(({ id }) => labels.get(id) ?? "");
    const host = hostOf(tab.url);
    return {
      id: tab.id,
      window: tab.windowId,
      title: tab.title || host,
      host,
      agents: users,
      front: tab.id === front?.id,
    };
  });
}

const hostOf = (url: string | undefined): string =>
  (url && URL.canParse(url) ? new URL(url).host : "") || "a page that is not captured";

function itemOf(row: Row, live: boolean): HTMLLIElement {
  const item = document.createElement("li");
  const text = document.createElement("div");
  const title = document.createElement("strong");
  title.textContent = row.title;
  title.title = row.title;
  const where = document.createElement("p");
  const host = document.createElement("span");
  where.className = "where";
  host.className = "quiet";
  host.textContent = row.host;
  host.title = row.host;
  where.append(host, ...row.agents.map(chip));
  text.append(title, where);
  item.append(text);
  if (row.front) {
    const here = document.createElement("span");
    here.className = "here";
    here.textContent = "this tab";
    item.append(here);
  } else {
    item.append(button(`go-${row.id}`, "Go to", `Go to ${row.title}`, () => goToTab(row.id, row.window)));
  }
  const release = button(`release-${row.id}`, "Release", `Release ${row.title}`, () => track({ release: row.id }));
  release.disabled = !live;
  item.append(release);
  return item;
}

function chip(agent: string): HTMLSpanElement {
  const made = document.createElement("span");
  made.className = "agent";
  made.textContent = agent;
  made.title = agent;
  return made;
}

function button(id: string, text: string, name: string, clicked: () => Promise<void>): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.id = id;
  made.className = "small";
  made.textContent = text;
  made.setAttribute("aria-label", name);
  made.addEventListener("click", () => void clicked());
  return made;
}
