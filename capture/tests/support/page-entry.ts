// The page's half alone, as it is injected into the page's own realm.
import { Batcher, startPageRealm, defaultConfig } from "../../index.ts";

const realm = globalThis as unknown as Record<string, unknown>;
const send = realm["__sink"] as (json: string) => void;
delete realm["__sink"];
const batcher = new Batcher({ numbered: true, send: (json) => send(json) });
startPageRealm({
  emit: (record) => batcher.add(record),
  config: { ...defaultConfig, bodies: true },
});
