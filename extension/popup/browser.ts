export type Tab = chrome.tabs.Tab;

/** The tab in front of the window that the popup is of. */
export const frontTab = async (): Promise<Tab | undefined> =>
  (await chrome.tabs.query({ active: true, currentWindow: true }))[0];

/** A tab by its id; undefined when it is closed. */
export const tabOf = async (id: number): Promise<Tab | undefined> => chrome.tabs.get(id).catch(() => undefined);

export const reloadTab = async (id: number): Promise<void> => chrome.tabs.reload(id);

/** Brings a tab and its window to the front. */
export async function goToTab(id: number, window: number): Promise<void> {
  await Promise.all([chrome.tabs.update(id, { active: true }), chrome.windows.update(window, { focused: true })]);
}

/** The patterns of the sites that are granted. */
export const grantedOrigins = async (): Promise<string[]> => (await chrome.permissions.getAll()).origins ?? [];

/** A prompt of the browser follows; Chrome asks for it to come straight from the click. */
export async function requestOrigin(pattern: string | undefined): Promise<void> {
  if (pattern) await chrome.permissions.request({ origins: [pattern] });
}

export const openOptions = (): void => void chrome.runtime.openOptionsPage();

/** The key that the user has for a command of the extension; "" for none. */
export async function shortcut(name: string): Promise<string> {
  const commands = await chrome.commands.getAll();
  return commands.find((command) => command.name === name)?.shortcut ?? "";
}
