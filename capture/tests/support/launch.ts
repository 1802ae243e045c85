import { chromium, type Browser, type LaunchOptions } from "@playwright/test";

/** executablePath is the browser of every test: the system's own, Playwright's is not needed. */
export const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

/** args are what a container needs. */
export const args = ["--no-sandbox", "--disable-gpu", "--disable-quic"];

/** launch starts a browser apart from the tests' shared one. The caller closes it. */
export function launch(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({ executablePath, args, ...options });
}
