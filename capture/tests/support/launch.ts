import { chromium, type Browser, type LaunchOptions } from "@playwright/test";
import { findChromium } from "../../../scripts/chromium.mjs";

/** executablePath is the browser of every test: CHROMIUM_PATH, or the one that the machine has. */
export const executablePath = findChromium() ?? "";

/** args are what a container needs. */
export const args = ["--no-sandbox", "--disable-gpu", "--disable-quic"];

/** launch starts a browser apart from the tests' shared one. The caller closes it. */
export function launch(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({ executablePath, args, ...options });
}
