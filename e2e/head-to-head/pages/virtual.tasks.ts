import type { Library } from "../task.ts";

const library: Library = {
  title: "TanStack Virtual",
  package: "@tanstack/react-virtual",
  tasks: [
    {
      name: "row 3",
      kind: "click",
      steps: [{ do: "click", target: { role: "button", name: "Row 3" } }],
      right: () => window.app.chosen === 3,
    },
    {
      name: "row 9,000, which is not drawn yet",
      kind: "scroll",
      steps: [
        { do: "scroll", target: { role: "list", name: "Rows" }, dy: 8995 * 35 },
        { do: "click", target: { role: "button", name: "Row 9000" } },
      ],
      right: () => window.app.chosen === 9000,
    },
    {
      name: "the last row by its key",
      kind: "keys",
      steps: [
        { do: "key", target: { role: "list", name: "Rows" }, key: "End" },
        { do: "click", target: { role: "button", name: "Row 10000" } },
      ],
      right: () => window.app.chosen === 10_000,
    },
  ],
};

export default library;
