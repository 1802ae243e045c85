import { Batcher, defaultConfig, openPageSide, startPageRealm, type CaptureConfig } from "../../index.ts";

const channel = openPageSide();
const batcher = new Batcher({ numbered: false, send: (json) => channel.post(json) });
const capture = startPageRealm({
  emit: (record) => batcher.add(record),
  config: defaultConfig,
  reopened: () => channel.reopened(),
});
channel.onFlush(() => batcher.flush());
channel.onMessage((json) => capture.configure(JSON.parse(json) as Partial<CaptureConfig>));
