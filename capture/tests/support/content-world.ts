import { Batcher, defaultConfig, openContentSide, startDocument } from "../../index.ts";

declare const __sink: ((json: string) => void) | undefined;

const channel = openContentSide();
// A binding called while the page goes away, or shortly before, may be lost, where an extension's port is not: the next
// page finds the last words that were said.
const last: string[] = [];
let leaving = false;
const send = (json: string): void => {
  last.push(json);
  if (last.length > 10) last.shift();
  if (leaving) localStorage.setItem("leaving", last.join("\n"));
  else __sink?.(json);
};
const batcher = new Batcher({ numbered: true, send });
const capture = startDocument({ emit: (record) => batcher.add(record), config: defaultConfig });
channel.onMessage((json) => batcher.relay(json));
channel.onHide(() => {
  leaving = true;
  batcher.flush();
  localStorage.setItem("leaving", last.join("\n"));
});
channel.onReopened(() => capture.reattach());
channel.post(JSON.stringify({ type: "configure", change: { bodies: true } }));
// The test closes the content side as the extension does when it was reloaded under the page.
addEventListener("message", (event) => {
  if (event.data === "close the content side") channel.close();
  if (event.data === "is the channel open?") dispatchEvent(new CustomEvent("told", { detail: String(channel.open) }));
});
