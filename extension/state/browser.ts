/** An area of the browser's storage, out of reach of content scripts once closeStorage was called. */
export interface Area {
  /** One value; undefined where nothing was written. Nobody checks its type. */
  read<T>(key: string): Promise<T | undefined>;
  /** Several values, or all. */
  readAll(keys?: string[]): Promise<Record<string, unknown>>;
  write(values: Record<string, unknown>): Promise<void>;
  remove(keys: string | string[]): Promise<void>;
  /** Calls back when one of the keys changes. */
  onChange(keys: readonly string[], changed: () => void): void;
}

/** Until the browser ends. */
export const session = areaOf("session");

/** Until the extension is removed. */
export const local = areaOf("local");

function areaOf(name: "session" | "local"): Area {
  return {
    read: async <T>(key: string) => (await chrome.storage[name].get(key))[key] as T | undefined,
    readAll: async (keys) => chrome.storage[name].get(keys ?? null),
    write: async (values) => chrome.storage[name].set(values),
    remove: async (keys) => chrome.storage[name].remove(keys),
    onChange: (keys, changed) =>
      chrome.storage[name].onChanged.addListener((changes) => {
        if (keys.some((key) => key in changes)) changed();
      }),
  };
}

/** Keeps content scripts away from both areas. */
export async function closeStorage(): Promise<void> {
  const level = { accessLevel: "TRUSTED_CONTEXTS" as const };
  await Promise.all([chrome.storage.local.setAccessLevel(level), chrome.storage.session.setAccessLevel(level)]);
}

/** Calls back when the user granted something or took it back. */
export function onPermissions(changed: () => void): void {
  chrome.permissions.onAdded.addListener(changed);
  chrome.permissions.onRemoved.addListener(changed);
}

/** Sends the worker a message of a page of the extension. Throws while the extension is being reloaded. */
export const askWorker = async (message: object): Promise<unknown> => chrome.runtime.sendMessage(message);
