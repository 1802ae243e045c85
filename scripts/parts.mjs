// The parts of the test suite.

/**
 * The parts, in the order in which they begin: what others need, then the longest first.
 *
 * needs: parts that have to pass before. prepares: it makes what others need, and has no tests. target: its task of the Makefile, where that has another name.
 * go: its tests are programs of Go.
 * browsers: it drives several browsers, and has two lanes: each would wait for the other's processes.
 * light: it waits for the network most of its time, and runs beside the others.
 * extra: what it is, for a part that only --all runs.
 */
export const PARTS = {
  packages: { target: "node_modules/.installed", needs: [], prepares: true },
  chromium: { needs: ["packages"], prepares: true, light: true },
  "go-test": { needs: [], go: true },
  ext: { needs: ["packages"], prepares: true },
  build: { needs: [], prepares: true },
  "install-clients": {
    needs: [],
    prepares: true,
    light: true,
    extra: "real MCP clients, 1.2 GB",
    task: "test-clients",
  },
  "install-frameworks": {
    needs: ["packages"],
    prepares: true,
    light: true,
    extra: "Next and better-sqlite3, 550 MB",
    task: "test-frameworks",
  },
  extension: { needs: ["packages", "chromium", "ext"], browsers: true },
  e2e: { needs: ["packages", "chromium", "ext", "build"], browsers: true },
  check: { needs: ["packages"] },
  "sdk-python": { needs: ["build"] },
  "sdk-node": { needs: ["packages", "build"] },
  capture: { needs: ["packages", "chromium"], browsers: true },
  "sdk-go": { needs: ["build"], go: true },
  clients: { needs: ["packages", "build", "install-clients"], extra: "", task: "test-clients" },
  frameworks: { needs: ["packages", "build", "install-frameworks"], extra: "", task: "test-frameworks" },
  openapi: { needs: ["build"], extra: "the OpenAPI document against the daemon", task: "openapi" },
  release: { needs: ["packages", "ext"], extra: "the builds of all platforms", task: "release" },
};

/** Parts and what they need, in the order of the table. */
export function withNeeds(names) {
  const wanted = new Set();
  const want = (name) => {
    PARTS[name].needs.forEach(want);
    wanted.add(name);
  };
  names.forEach(want);
  return Object.keys(PARTS).filter((name) => wanted.has(name));
}
