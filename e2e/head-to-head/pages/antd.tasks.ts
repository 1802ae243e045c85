import type { Library } from "../task.ts";

const library: Library = {
  title: "Ant Design",
  package: "antd",
  tasks: [
    {
      name: "search in a select",
      kind: "select",
      steps: [
        { do: "type", target: { role: "combobox", name: "Country" }, text: "gre" },
        { do: "click", target: { text: "Greece" } },
      ],
      right: () => window.app.country === "Greece",
    },
    {
      name: "choose by keys",
      kind: "select",
      steps: [
        { do: "click", target: { role: "combobox", name: "Country" } },
        { do: "key", key: "ArrowDown", times: 2 },
        { do: "key", key: "Enter" },
      ],
      right: () => window.app.country === "Canada",
    },
    {
      name: "choose two of several",
      kind: "select",
      steps: [
        { do: "click", target: { role: "combobox", name: "Languages" } },
        { do: "click", target: { text: "Rust" } },
        { do: "click", target: { text: "Zig" } },
        { do: "key", key: "Escape" },
      ],
      right: () => window.app.langs.join() === "Rust,Zig",
    },
    {
      name: "choose a day",
      kind: "date",
      steps: [
        { do: "click", target: { role: "textbox", name: "Due" } },
        { do: "click", target: { text: "21" } },
      ],
      right: () => window.app.date === "2026-05-21",
    },
    {
      name: "type a date",
      kind: "date",
      steps: [
        { do: "type", target: { role: "textbox", name: "Due" }, text: "2027-01-31", clear: true },
        { do: "key", target: { role: "textbox", name: "Due" }, key: "Enter" },
      ],
      right: () => window.app.date === "2027-01-31",
    },
    {
      name: "go down three levels of a cascader",
      kind: "menu",
      steps: [
        { do: "click", target: { role: "combobox", name: "Place" } },
        { do: "click", target: { text: "Europe" } },
        { do: "click", target: { text: "Norway" } },
        { do: "click", target: { text: "Oslo" } },
      ],
      right: () => window.app.place === "eu/no/oslo",
    },
    {
      name: "type a number",
      kind: "type",
      steps: [
        { do: "type", target: { role: "spinbutton", name: "Count" }, text: "42", clear: true },
        { do: "key", key: "Tab" },
      ],
      right: () => window.app.count === 42,
    },
    {
      name: "count up by keys",
      kind: "key",
      steps: [{ do: "key", target: { role: "spinbutton", name: "Count" }, key: "ArrowUp", times: 3 }],
      right: () => window.app.count === 6,
    },
    {
      name: "create by a modal",
      kind: "dialog",
      steps: [
        { do: "click", target: { role: "button", name: "New project" } },
        { do: "type", target: { role: "textbox", name: "Title" }, text: "Apollo" },
        { do: "click", target: { role: "button", name: "Create" } },
        { do: "read", text: "Created Apollo" },
      ],
      right: () => window.app.saved === "Apollo" && !window.app.open,
    },
    {
      name: "confirm a deletion",
      kind: "dialog",
      steps: [
        { do: "click", target: { role: "button", name: "Remove" } },
        { do: "click", target: { role: "button", name: "Yes" } },
      ],
      right: () => window.app.deleted === true,
    },
    {
      name: "sort a table",
      kind: "table",
      steps: [
        { do: "click", target: { role: "columnheader", name: "Age" } },
        { do: "read", text: "20" },
      ],
      right: () => window.app.order === "age ascend",
    },
    {
      name: "go to another page, and choose a row",
      kind: "table",
      steps: [
        { do: "click", target: { text: "3" } },
        { do: "read", text: "Person 12" },
        { do: "click", target: { role: "checkbox", name: "Select all" } },
      ],
      right: () => window.app.page === 3 && window.app.rows.join() === "11,12,13,14,15",
    },
    {
      name: "check a leaf of a tree",
      kind: "tree",
      steps: [{ do: "click", target: { role: "checkbox", name: "docs" } }],
      right: () => window.app.checked.join() === "docs",
    },
    {
      name: "attach a file",
      kind: "upload",
      steps: [{ do: "upload", target: { role: "button", name: "Attach a file" }, file: "notes.txt" }],
      right: () => window.app.files.join() === "notes.txt 20",
    },
  ],
};

export default library;
