import { element } from "../state/dom.ts";
import { type Settings, parseHosts, writeSettings } from "../state/settings.ts";

/** Shows which pages' requests are traced, unless the user is about to change it. */
export function showTrace({ trace, traceSites }: Settings): void {
  element("trace-on", HTMLInputElement).checked = trace;
  const sites = element("trace-sites", HTMLTextAreaElement);
  if (document.activeElement !== sites) sites.value = traceSites.join("\n");
}

/** Keeps what the user changes, at once. What is no host name is left out, which the form then shows. */
export function listenToTraceForm(): void {
  const form = element("trace", HTMLFormElement);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => {
    const sites = element("trace-sites", HTMLTextAreaElement);
    const lines = new Set(sites.value.split(/[\s,]+/).filter((line) => line !== ""));
    const hosts = parseHosts([...lines]);
    sites.value = hosts.join("\n");
    void writeSettings({ trace: element("trace-on", HTMLInputElement).checked, traceSites: hosts }).then(() => {
      const left = lines.size - hosts.length;
      element("trace-saved", HTMLParagraphElement).textContent =
        left > 0 ? `Saved. ${left} of the lines ${left === 1 ? "is" : "are"} no host name.` : "Saved.";
    });
  });
}
