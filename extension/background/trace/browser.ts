/** Header rules of this session, with the tab that each is for. */
export async function rules(): Promise<chrome.declarativeNetRequest.Rule[]> {
  return chrome.declarativeNetRequest.getSessionRules();
}

/** Replaces rules. One call changes all or nothing. */
export async function replace(remove: number[], add: chrome.declarativeNetRequest.Rule[]): Promise<void> {
  await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: remove, addRules: add });
}
