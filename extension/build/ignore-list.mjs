// The page calls console and fetch through our script. With this map developer tools skip its frames and show the
// caller, as they do for content scripts by themselves. One mapping covers the whole script.
const map = {
  version: 3,
  sources: ["gasoline-page.js"],
  sourcesContent: ["// Gasoline records the page here, and calls what the page called.\n"],
  names: [],
  mappings: "AAAA",
  ignoreList: [0],
};

/** What a script in the page's own world ends with. */
export const IGNORE_LIST = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}`;

/**
 * Says whether developer tools will skip a script: its last line is our map, and there is no other.
 *
 * @param code {string}
 * @returns {boolean}
 */
export function isIgnored(code) {
  return code.trimEnd().endsWith(`\n${IGNORE_LIST}`) && code.split("sourceMappingURL=").length === 2;
}
