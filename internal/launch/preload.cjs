'use strict';
// Loads OpenTelemetry's instrumentation, which `gasoline run --otel` found in the project. Its own handlers of signals
// flush and then keep the process alive; these flush and let it end as it would have ended without them.
const where = process.env.GASOLINE_OTEL_NODE;
const signals = ['SIGTERM', 'SIGINT'];
if (where) {
  const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
  try {
    require(where + '/build/src/register.js');
  } catch (error) {
    process.stderr.write(`gasoline: OpenTelemetry could not be loaded: ${error && error.message}\n`);
  }
  const flushes = new Set();
  for (const signal of signals) {
    for (const listener of process.listeners(signal)) {
      if (!before.get(signal).includes(listener)) {
        process.removeListener(signal, listener);
        flushes.add(listener);
      }
    }
  }
  const flush = () =>
    Promise.race([
      Promise.allSettled([...flushes].map((listener) => listener())),
      new Promise((resolve) => setTimeout(resolve, 2000).unref()),
    ]);
  if (flushes.size > 0) {
    for (const signal of signals) {
      const ours = () => {
        const alone = process.listeners(signal).every((listener) => listener === ours);
        flush().then(() => {
          if (!alone) return; // the program ends itself
          process.removeListener(signal, ours);
          process.kill(process.pid, signal);
        });
      };
      process.on(signal, ours);
    }
  }
}
