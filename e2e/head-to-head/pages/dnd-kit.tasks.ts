import type { Library } from "../task.ts";

const library: Library = {
  title: "dnd-kit",
  package: "@dnd-kit/core",
  tasks: [
    {
      name: "sort by the pointer",
      kind: "drag",
      steps: [{ do: "drag", from: { role: "button", name: "Sort Alpha" }, to: { role: "button", name: "Sort Gamma" } }],
      right: () => window.app.items.join() === "Beta,Gamma,Alpha,Delta",
    },
    {
      name: "sort upwards",
      kind: "drag",
      steps: [{ do: "drag", from: { role: "button", name: "Sort Delta" }, to: { role: "button", name: "Sort Alpha" } }],
      right: () => window.app.items.join() === "Delta,Alpha,Beta,Gamma",
    },
    {
      name: "sort by pixels",
      kind: "drag",
      steps: [{ do: "drag", from: { role: "button", name: "Sort Beta" }, to: { dx: 0, dy: 60 } }],
      right: () => window.app.items.join() === "Alpha,Gamma,Beta,Delta",
    },
    {
      name: "sort by keys",
      kind: "key",
      steps: [
        { do: "key", target: { role: "button", name: "Sort Alpha" }, key: "Space" },
        { do: "key", key: "ArrowDown" },
        { do: "key", key: "Space" },
      ],
      right: () => window.app.items.join() === "Beta,Alpha,Gamma,Delta",
    },
    {
      name: "move between containers",
      kind: "drag",
      steps: [{ do: "drag", from: { role: "button", name: "Move Review" }, to: { role: "heading", name: "Done" } }],
      right: () => window.app.columns.Review === "Done" && window.app.columns.Write === "To do",
    },
  ],
};

export default library;
