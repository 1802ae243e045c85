/** A permission that the user can switch. */
export type Switchable = "userScripts" | "webRequest" | "downloads";

export const manifest = (): chrome.runtime.Manifest => chrome.runtime.getManifest();

/** The patterns of the sites that are granted. */
export const grantedOrigins = async (): Promise<string[]> => (await chrome.permissions.getAll()).origins ?? [];

export async function revokeOrigin(pattern: string): Promise<void> {
  await chrome.permissions.remove({ origins: [pattern] });
}

export const holds = async (name: Switchable): Promise<boolean> => chrome.permissions.contains({ permissions: [name] });

/**
 * Asks the user for a permission, or gives it back. Chrome asks for a request to come straight from the click.
 * Where Chrome does not do it, the status says why.
 */
export function permit(name: Switchable, wanted: boolean, status: HTMLElement): void {
  const permission = { permissions: [name] };
  const done = wanted ? chrome.permissions.request(permission) : chrome.permissions.remove(permission);
  done.catch((error: unknown) => {
    status.textContent = `Chrome did not do it: ${error instanceof Error ? error.message : String(error)}`;
  });
}

/** Says whether the user allowed user scripts. Asking throws while the user's switch is off. */
export function userScriptsAllowed(): boolean {
  try {
    return typeof (chrome as unknown as { userScripts?: { execute?: unknown } }).userScripts?.execute === "function";
  } catch {
    return false;
  }
}
