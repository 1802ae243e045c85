import type { Library } from "../task.ts";

const library: Library = {
  title: "SortableJS",
  package: "sortablejs",
  tasks: [
    {
      name: "the first to the third place",
      kind: "drag",
      steps: [{ do: "drag", from: { text: "Apples" }, to: { text: "Cheese" } }],
      right: () => window.app.todo() === "Bread,Cheese,Apples,Dates" && window.app.moves.length === 1,
    },
    {
      name: "the last to the first place",
      kind: "drag",
      steps: [{ do: "drag", from: { text: "Dates" }, to: { text: "Apples" } }],
      right: () => window.app.todo() === "Dates,Apples,Bread,Cheese" && window.app.moves.length === 1,
    },
    {
      name: "into the other list",
      kind: "drag",
      steps: [{ do: "drag", from: { text: "Bread" }, to: { text: "Eggs" } }],
      right: () => window.app.todo() === "Apples,Cheese,Dates" && window.app.done().includes("Bread"),
    },
  ],
};

export default library;
