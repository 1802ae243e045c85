// The tasks of a list of things to do, whatever it is made with.
import type { Library } from "../task.ts";

/** window.app is {todos: {id, title, done}[], draft, filter, editing, priority}. */
export const todos = (title: string, name: string): Library => ({
  title,
  package: name,
  tasks: [
    {
      name: "add one",
      kind: "type",
      steps: [
        { do: "type", target: { role: "textbox", name: "New todo" }, text: "Water the plants" },
        { do: "key", target: { role: "textbox", name: "New todo" }, key: "Enter" },
      ],
      right: () =>
        window.app.todos.length === 4 && window.app.todos[3].title === "Water the plants" && window.app.draft === "",
    },
    {
      name: "add two, with marks and an accent",
      kind: "type",
      steps: [
        { do: "type", target: { role: "textbox", name: "New todo" }, text: "Café: 2.50 € (Bob's)" },
        { do: "key", target: { role: "textbox", name: "New todo" }, key: "Enter" },
        { do: "type", target: { role: "textbox", name: "New todo" }, text: "Second" },
        { do: "key", target: { role: "textbox", name: "New todo" }, key: "Enter" },
      ],
      right: () =>
        window.app.todos
          .slice(3)
          .map((t: { title: string }) => t.title)
          .join("|") === "Café: 2.50 € (Bob's)|Second",
    },
    {
      name: "complete one",
      kind: "check",
      steps: [{ do: "click", target: { role: "checkbox", name: "Done: Buy milk" } }],
      right: () => window.app.todos[0].done === true && window.app.todos[2].done === false,
    },
    {
      name: "edit by double click",
      kind: "double click",
      steps: [
        { do: "double", target: { text: "Call Ada" } },
        { do: "type", target: { role: "textbox", name: "Edit todo" }, text: "Call Grace", clear: true },
        { do: "key", target: { role: "textbox", name: "Edit todo" }, key: "Enter" },
      ],
      right: () => window.app.todos[2].title === "Call Grace" && !window.app.editing,
    },
    {
      name: "give up an edit with Escape",
      kind: "key",
      steps: [
        { do: "double", target: { text: "Call Ada" } },
        { do: "type", target: { role: "textbox", name: "Edit todo" }, text: "Nobody", clear: true },
        { do: "key", target: { role: "textbox", name: "Edit todo" }, key: "Escape" },
      ],
      right: () => window.app.todos[2].title === "Call Ada" && !window.app.editing,
    },
    {
      name: "delete one",
      kind: "click",
      steps: [{ do: "click", target: { role: "button", name: "Delete Write report" } }],
      right: () => window.app.todos.length === 2 && !window.app.todos.some((t: { id: number }) => t.id === 2),
    },
    {
      name: "filter, and read what is left",
      kind: "click",
      steps: [
        { do: "click", target: { role: "button", name: "Active" } },
        { do: "click", target: { role: "checkbox", name: "Done: Call Ada" } },
        { do: "read", text: "1 item left" },
      ],
      right: () => window.app.filter === "active" && window.app.todos[2].done === true,
    },
    {
      name: "choose a priority",
      kind: "select",
      steps: [{ do: "select", target: { role: "combobox", name: "Priority" }, option: "High" }],
      right: () => window.app.priority === "high",
    },
  ],
});
