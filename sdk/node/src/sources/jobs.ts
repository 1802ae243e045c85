import { apply } from "../natives.ts";
import { foreignSpans } from "../opentelemetry.ts";
import { ROLE, type Runtime, Span } from "../runtime.ts";
import { type Parent, parseTraceparent, parseTracestate, traceparent } from "../trace.ts";
import { word } from "../values.ts";
import { type Patch, wrap } from "./modules.ts";

interface Job {
  id?: unknown;
  queueName?: unknown;
  opts?: { telemetry?: { metadata?: string; omitContext?: boolean } };
}

/** carried reads the context that a job came with, which BullMQ has a place for. */
function carried(job: Job): (Parent & { state: string }) | undefined {
  const { traceparent: parent, tracestate } = JSON.parse(job.opts?.telemetry?.metadata ?? "{}") as Record<
    string,
    unknown
  >;
  const found = parseTraceparent(parent);
  return found && { ...found, state: parseTracestate(tracestate) };
}

/** Jobs of BullMQ carry the context of who queued them; a worker's span is below it, and what its processor throws in it. */
export const jobs = (runtime: Runtime): [string, Patch][] => [
  [
    "bullmq/dist/cjs/classes/job.js",
    (exported) => {
      wrap(
        (exported as { Job: { prototype: object } }).Job.prototype,
        "asJSON",
        (native) =>
          function (this: unknown, ...args) {
            runtime.guard(() => {
              const { opts } = this as Job;
              const span = runtime.scopes.getStore();
              if (!span || !opts || opts.telemetry?.metadata || opts.telemetry?.omitContext || foreignSpans()) return;
              const metadata = JSON.stringify({ traceparent: traceparent(span), tracestate: span.state });
              opts.telemetry = { ...opts.telemetry, metadata };
            });
            return apply(native, this, args);
          },
      );
    },
  ],
  [
    "bullmq/dist/cjs/classes/worker.js",
    (exported) => {
      const { prototype } = (exported as { Worker: { prototype: object } }).Worker;
      wrap(
        prototype,
        "processJob",
        (native) =>
          function (this: unknown, ...args) {
            let span: Span | undefined;
            const [job] = args as [Job];
            const queue = word(job.queueName, "");
            runtime.guard(() => {
              if (foreignSpans() || runtime.config.gated) return;
              span = new Span(runtime, "bullmq", `process ${queue}`, ROLE.consumer, carried(job));
              span.attributes = {
                "messaging.system": "bullmq",
                "messaging.destination.name": queue,
                "messaging.message.id": word(job.id, ""),
              };
            });
            if (!span) return apply(native, this, args);
            const opened = span;
            const result = runtime.scopes.run(opened, () => apply(native, this, args)) as Promise<unknown>;
            return result.finally(() => opened.end());
          },
      );
      wrap(
        prototype,
        "callProcessJob",
        (native) =>
          function (this: unknown, ...args) {
            const result = apply(native, this, args);
            if (!(result instanceof Promise)) return result;
            return result.catch((error: unknown) => {
              runtime.guard(() => runtime.scopes.getStore()?.fail(error, true));
              throw error;
            });
          },
      );
    },
  ],
];
