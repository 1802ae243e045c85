import type { Source } from "../realm.ts";
import { shownURL } from "./request.ts";

/** What the browser refused a page, in the words of its console. */
interface Refused {
  id?: string;
  featureId?: string;
  message?: string;
  disposition?: string;
  sourceFile: string | null;
  lineNumber: number | null;
  columnNumber: number | null;
}

/** Types of reports whose messages the console has as errors → the type that they are recorded with. */
const types: Record<string, string> = {
  intervention: "Intervention",
  "permissions-policy-violation": "PermissionsPolicyViolation",
};

const maxReports = 200;

/**
 * reportSource records what the browser kept the page from: interventions and violations of its permissions policy, which
 * throw nothing. ≤ 200 of a document. Violations of the content security policy come as events; deprecations are no errors.
 */
export const reportSource: Source = {
  name: "reports",
  start(realm, guard) {
    if (typeof ReportingObserver !== "function") return () => {};
    let told = 0;
    const tell = ({ type, body }: { type: string; body: Refused | null }): void => {
      const message = body?.message;
      if (!body || !message || body.disposition === "report" || ++told > maxReports) return;
      const file = body.sourceFile?.startsWith("chrome-extension:") ? "" : (body.sourceFile ?? "");
      realm.emit(
        "exceptions",
        {
          ...realm.at(),
          type: types[type] ?? type,
          message: message.slice(0, 4000),
          mechanism: "report",
          handled: false,
          url: shownURL(file || document.URL, realm.config),
          line: (file && body.lineNumber) || undefined,
          column: (file && body.columnNumber) || undefined,
        },
        true,
      );
    };
    const observer = new ReportingObserver(
      (reports) =>
        guard.run(() => {
          for (const report of reports) tell(report as unknown as { type: string; body: Refused | null });
        }),
      { types: Object.keys(types), buffered: true },
    );
    observer.observe();
    return () => observer.disconnect();
  },
};
