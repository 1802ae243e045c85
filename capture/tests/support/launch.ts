import { chromium, type Browser, type LaunchOptions } from "@playwright/test";
import { findChromium, TEST_FLAGS } from "../../../scripts/chromium.mjs";

/** executablePath is the browser of every test: CHROMIUM_PATH, or the one that the machine has. */
export const executablePath = findChromium() ?? "";

/** args are those of every browser of the tests. */
export const args = TEST_FLAGS;

/** launch starts a browser apart from the tests' shared one. The caller closes it. */
export function launch(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({ executablePath, args, ...options });
}
