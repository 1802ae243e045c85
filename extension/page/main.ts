import { Batcher } from "@gasoline/capture/batch";
import { openPageSide } from "@gasoline/capture/channel";
import { parse } from "@gasoline/capture/natives";
import { startPageRealm } from "@gasoline/capture/page";
import { type CaptureConfig, defaultConfig } from "@gasoline/capture/record";
import type { Downward } from "@gasoline/capture/scope";
import { write } from "@gasoline/capture/write";

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
  tagged: (tag) => channel.tag(tag),
  component: (element) =>
    channel.answer(element, () => {
      const found = capture.internals(element);
      return found && { json: write(found.told), nodes: found.labels };
    }),
});

channel.onOpen(() => batcher.flush());
channel.onFlush(() => batcher.flush());
channel.onMessage((json) => {
  const message = parse(json) as Downward<Partial<CaptureConfig>>;
  switch (message.type) {
    case "configure":
      return capture.configure(message.change);
    case "stop":
      // Nobody will listen any more. What we put before the natives stays: the page may hold it, and compare.
      capture.configure({ bodies: false });
      return batcher.stop();
    default: {
      const answer = capture.take(message);
      if (answer) channel.post(write(answer));
    }
  }
});
