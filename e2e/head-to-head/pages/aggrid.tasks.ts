import type { Library } from "../task.ts";

const library: Library = {
  title: "AG Grid",
  package: "ag-grid-community",
  tasks: [
    {
      name: "sort by price",
      kind: "click",
      steps: [{ do: "click", target: { text: "Price" } }],
      right: () =>
        window.app.first() === 1 && window.app.row(1).price === 0 && !!document.querySelector("[aria-sort=ascending]"),
    },
    {
      name: "another name by a double click and Enter",
      kind: "edit",
      steps: [
        { do: "double", target: { text: "Item 3" } },
        { do: "key", key: "Control+a" },
        { do: "type", text: "Lamp" },
        { do: "key", key: "Enter" },
      ],
      right: () => window.app.row(3).name === "Lamp",
    },
    {
      name: "only names with 777",
      kind: "type",
      steps: [{ do: "type", target: { role: "textbox", name: "Name Filter Input" }, text: "777" }],
      right: () => window.app.count() === 19,
    },
    {
      name: "a row",
      kind: "click",
      steps: [{ do: "click", target: { text: "Item 5" } }],
      right: () => window.app.selected().join() === "5",
    },
    {
      name: "row 5,000, which is not drawn yet",
      kind: "scroll",
      steps: [
        { do: "scroll", target: { text: "Item 5" }, dy: 4995 * 42 },
        { do: "click", target: { text: "Item 5000" } },
      ],
      right: () => window.app.selected().join() === "5000",
    },
    {
      name: "a column before another one",
      kind: "drag",
      steps: [{ do: "drag", from: { text: "Price" }, to: { text: "Number" } }],
      right: () => window.app.columns()[0] === "price",
    },
  ],
};

export default library;
