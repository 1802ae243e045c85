// The browser SDKs that the benches put beside the capture: what a page would bundle, with errors, breadcrumbs, tracing,
// resources, interactions and logs, sent to the page's own server, which swallows it.

/** Scripts by name; each says in `took` what its start costs, in ms by name. */
export const peers = {
  Sentry: `
const start = performance.now();
import * as Sentry from "@sentry/browser";
Sentry.init({
  dsn: location.origin.replace("//", "//key@") + "/1",
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 1,
});
globalThis.took = { Sentry: performance.now() - start };`,
  Datadog: `
const start = performance.now();
import { datadogRum } from "@datadog/browser-rum";
import { datadogLogs } from "@datadog/browser-logs";
const common = { clientToken: "token", site: "datadoghq.com", proxy: location.origin + "/sink", sessionSampleRate: 100 };
datadogRum.init({
  ...common,
  applicationId: "bench",
  trackUserInteractions: true,
  trackResources: true,
  trackLongTasks: true,
});
datadogLogs.init({ ...common, forwardConsoleLogs: "all", forwardErrorsToLogs: true });
globalThis.took = { Datadog: performance.now() - start };`,
};
