import { Batcher } from "@gasoline/capture/batch";
import { openPageSide } from "@gasoline/capture/channel";
import { parse } from "@gasoline/capture/natives";
import { startPageRealm } from "@gasoline/capture/page";
import { type CaptureConfig, defaultConfig } from "@gasoline/capture/record";

// Runs in the page's own world before any of its scripts. What is recorded goes to the content
// script of the same frame; nothing here speaks to the extension or to the network.
const channel = openPageSide();
const batcher = new Batcher({ send: (json) => channel.post(json), numbered: false });
const capture = startPageRealm({
  emit: (record) => batcher.add(record),
  // The first requests are made before the user's setting can be known here. Their bodies are read, and the content
  // script, where every record ends until it has asked, takes them out again.
  config: { ...defaultConfig, bodies: true },
  reopened: () => channel.reopened(),
});

channel.onOpen(() => batcher.flush());
channel.onFlush(() => batcher.flush());
channel.onMessage((json) => {
  const change = parse(json) as Partial<CaptureConfig> | null;
  if (change) return capture.configure(change);
  // Nobody will listen any more. What we put before the natives stays: the page may hold it, and compare.
  capture.configure({ bodies: false });
  batcher.stop();
});
