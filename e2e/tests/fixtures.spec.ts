import { readdirSync } from "node:fs";
import { expect, test } from "@playwright/test";
import type {
  Actions,
  Bodies,
  Exception,
  Frames,
  LogEntry,
  Logs,
  Snapshots,
  Sync,
  Waterfall,
} from "@gasoline/schema/wire";
import actions from "../../schema/fixtures/enhanced-actions.json" with { type: "json" };
import logs from "../../schema/fixtures/logs.json" with { type: "json" };
import bodies from "../../schema/fixtures/network-bodies.json" with { type: "json" };
import waterfall from "../../schema/fixtures/network-waterfall.json" with { type: "json" };
import snapshots from "../../schema/fixtures/performance-snapshots.json" with { type: "json" };
import sync from "../../schema/fixtures/sync.json" with { type: "json" };
import frames from "../../schema/fixtures/websocket-events.json" with { type: "json" };

// The compiler is the test here: a fixture that the daemon's own tests read must be what the
// generated types say, so that both languages mean the same by it. Senders may add fields.
const checked = {
  "enhanced-actions.json": actions satisfies Actions,
  "logs.json": logs satisfies Omit<Logs, "entries"> & { entries: (LogEntry | Exception)[] }, // an entry with a mechanism is an exception and has no level
  "network-bodies.json": bodies satisfies Bodies,
  "network-waterfall.json": waterfall satisfies Waterfall,
  "performance-snapshots.json": snapshots satisfies Snapshots,
  "sync.json": sync satisfies Sync,
  "websocket-events.json": frames satisfies Frames,
};

test("every fixture of the wire is checked against its type", () => {
  const there = readdirSync(new URL("../../schema/fixtures", import.meta.url)).filter(
    (name) => !["redaction.json", "session.json", "trace-context.json", "otlp"].includes(name), // rules, and another protocol's messages
  );
  expect(Object.keys(checked).sort()).toEqual(there.sort());
});

test("fixtures hold what they are for", () => {
  expect(logs.entries.length).toBeGreaterThan(0);
  expect(sync.groups.length).toBeGreaterThan(0);
  expect(
    bodies.bodies.length +
      waterfall.entries.length +
      frames.events.length +
      actions.actions.length +
      snapshots.snapshots.length,
  ).toBeGreaterThan(4);
});
