// The document half alone, in the page's own realm, as a script of a test runner would start it.
import { Batcher, Builtins, defaultConfig, startDocument } from "../../index.ts";

const realm = globalThis as unknown as Record<string, unknown>;
const send = realm["__sink"] as (json: string) => void;
delete realm["__sink"];
const batcher = new Batcher({ numbered: true, send: (json) => void send(json) });
const capture = startDocument({
  emit: (record) => batcher.add(record),
  config: defaultConfig,
  builtins: new Builtins(),
});
const failures = (): number => {
  let sum = 0;
  const health = capture.health();
  for (let i = 0; i < health.length; i++) sum += health[i]!.failures;
  return sum;
};
Object.defineProperty(realm, "capture", { value: { failures }, enumerable: false });
