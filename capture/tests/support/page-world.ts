import {
  Batcher,
  defaultConfig,
  openPageSide,
  startPageRealm,
  type CaptureConfig,
  type Downward,
} from "../../index.ts";

const channel = openPageSide();
const batcher = new Batcher({ numbered: false, send: (json) => channel.post(json) });
const capture = startPageRealm({
  emit: (record) => batcher.add(record),
  config: defaultConfig,
  reopened: () => channel.reopened(),
});
channel.onFlush(() => batcher.flush());
channel.onMessage((json) => {
  const message = JSON.parse(json) as Downward<Partial<CaptureConfig>>;
  if (message.type === "configure") capture.configure(message.change);
  else if (message.type !== "stop") {
    const answer = capture.take(message);
    if (answer) channel.post(JSON.stringify(answer));
  }
});
