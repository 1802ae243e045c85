// Finds a Chromium that can load an unpacked extension, installs one when there is none, and prints
// its path. Branded Chrome no longer loads extensions from the command line, so it does not count.
import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { homedir, platform } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * What a browser of a test knows of names: those of this machine. A name server that is silent would hold every page that
 * names another one, and the browser's own services ask it, too.
 */
export const LOCAL_NAMES = "EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.*, EXCLUDE [::1], MAP * ~NOTFOUND";

/** What every browser of a test is started with. */
export const TEST_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", `--host-resolver-rules=${LOCAL_NAMES}`];

const usable = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Chromiums that Playwright downloaded, newest first. */
function downloaded() {
  const cache =
    process.env.PLAYWRIGHT_BROWSERS_PATH ??
    {
      linux: join(homedir(), ".cache/ms-playwright"),
      darwin: join(homedir(), "Library/Caches/ms-playwright"),
      win32: join(process.env.LOCALAPPDATA ?? homedir(), "ms-playwright"),
    }[platform()];
  if (!cache || !existsSync(cache)) return [];
  const inside =
    {
      linux: ["chrome-linux/chrome", "chrome-linux64/chrome"],
      darwin: [
        "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
        "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
        "chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
      ],
      win32: ["chrome-win/chrome.exe", "chrome-win64/chrome.exe"],
    }[platform()] ?? [];
  return readdirSync(cache)
    .filter((d) => /^chromium-\d+$/.test(d))
    .sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)))
    .flatMap((d) => inside.map((p) => join(cache, d, p)));
}

/** The path of a usable Chromium, or undefined. CHROMIUM_PATH wins. */
export function findChromium() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const known =
    {
      linux: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/snap/bin/chromium"],
      darwin: ["/Applications/Chromium.app/Contents/MacOS/Chromium"],
      win32: [],
    }[platform()] ?? [];
  return [...known, ...downloaded()].find(usable);
}

function run(command, args) {
  console.error(`chromium: ${command} ${args.join(" ")}`);
  return (
    spawnSync(command, args, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    }).status === 0
  );
}

/** Installs Chromium by what the system has: its packages where we may, else Playwright's download. */
export function installChromium() {
  if (platform() === "linux" && usable("/usr/bin/apt-get") && process.getuid?.() === 0) {
    if (
      run("apt-get", ["update", "-qq"]) &&
      run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"]) &&
      findChromium()
    )
      return findChromium();
  }
  run(process.execPath, [join(import.meta.dirname, "../node_modules/playwright-core/cli.js"), "install", "chromium"]);
  return findChromium();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  let path = findChromium();
  if (!path) {
    console.error("chromium: none found, installing one");
    path = installChromium();
  }
  if (!path) {
    console.error("chromium: could not be installed; install Chromium (not Chrome) and set CHROMIUM_PATH");
    process.exit(1);
  }
  let version = "";
  try {
    version = execFileSync(path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // Some builds print no version; the path is what matters.
  }
  console.log(`chromium: ${path} ${version}`);
}
