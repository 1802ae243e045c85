import { element } from "../state/dom.ts";

/** Lists the tabs that agents use; each leads to its tab. */
export async function showTracked(ids: readonly number[]): Promise<void> {
  const found = await Promise.all(ids.map((id) => chrome.tabs.get(id).catch(() => undefined)));
  const tabs = found.filter((tab): tab is chrome.tabs.Tab => tab !== undefined);
  element("tracked-none", HTMLParagraphElement).hidden = tabs.length > 0;
  element("tracked", HTMLUListElement).replaceChildren(...tabs.map(row));
}

function row(tab: chrome.tabs.Tab): HTMLLIElement {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = tab.title || tab.url || `Tab ${tab.id}`;
  button.title = tab.url ?? "";
  button.addEventListener("click", () => {
    if (tab.id !== undefined) void chrome.tabs.update(tab.id, { active: true });
    void chrome.windows.update(tab.windowId, { focused: true });
  });
  item.append(button);
  return item;
}
