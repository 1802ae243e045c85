import type { Source } from "../realm.ts";
import { elementText } from "../element-text.ts";
import { shownURL } from "./request.ts";

const maxSample = 100;
const maxSame = 5;
const maxKinds = 500;

/**
 * cspSource records violations of the page's Content Security Policy as exceptions with mechanism "csp". Of the same
 * violation five are told: a policy that forbids inline styles can be broken thousands of times.
 */
export const cspSource: Source = {
  name: "csp",
  start(realm, guard) {
    const told = new Map<string, number>();
    realm.hear(guard, document, "securitypolicyviolation", (event) => {
      if (!event.isTrusted) return;
      const violation = event as SecurityPolicyViolationEvent;
      const directive = violation.effectiveDirective || violation.violatedDirective;
      // Of an extension's script the browser tells the scheme alone; it called for the page, from a place not told.
      const file = violation.sourceFile === "chrome-extension" ? "" : violation.sourceFile;
      // "inline", "eval", "trusted-types-sink" are words, not URLs.
      const blocked = shownURL(violation.blockedURI, realm.config);
      const key = directive + "\n" + blocked + "\n" + file + ":" + violation.lineNumber;
      const times = (told.get(key) ?? 0) + 1;
      if (times > maxSame || told.size > maxKinds) return;
      told.set(key, times);
      const report = violation.disposition === "report";
      const sample = violation.sample ? ": " + violation.sample.slice(0, maxSample) : "";
      realm.emit(
        "exceptions",
        {
          ...realm.at(),
          type: "SecurityPolicyViolation",
          message: `${directive} ${report ? "would block" : "blocked"} ${blocked || "inline"}${sample}`,
          mechanism: "csp",
          // A policy that only reports broke nothing.
          handled: report || undefined,
          url: file || shownURL(violation.documentURI, realm.config),
          line: (file && violation.lineNumber) || undefined,
          column: (file && violation.columnNumber) || undefined,
          element: violation.target instanceof Element ? elementText(violation.target) : undefined,
        },
        !report,
      );
    });
    return () => {};
  },
};
