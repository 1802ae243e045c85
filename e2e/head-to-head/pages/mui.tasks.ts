import type { Library } from "../task.ts";

const library: Library = {
  title: "Material UI",
  package: "@mui/material",
  tasks: [
    {
      name: "choose from a select",
      kind: "select",
      steps: [
        { do: "click", target: { role: "combobox", name: "Age" } },
        { do: "click", target: { role: "option", name: "Thirty" } },
      ],
      right: () => window.app.age === "30",
    },
    {
      name: "choose two from a multiple select",
      kind: "select",
      steps: [
        { do: "click", target: { role: "combobox", name: "Sizes" } },
        { do: "click", target: { role: "option", name: "Small" } },
        { do: "click", target: { role: "option", name: "Large" } },
        { do: "key", key: "Escape" },
      ],
      right: () => window.app.sizes.join() === "Small,Large" && !document.querySelector('[role="listbox"]'),
    },
    {
      name: "autocomplete by typing",
      kind: "autocomplete",
      steps: [
        { do: "type", target: { role: "combobox", name: "City" }, text: "Pra" },
        { do: "click", target: { role: "option", name: "Prague" } },
      ],
      right: () => window.app.city === "Prague",
    },
    {
      name: "autocomplete by keys",
      kind: "autocomplete",
      steps: [
        { do: "type", target: { role: "combobox", name: "City" }, text: "o" },
        { do: "key", target: { role: "combobox", name: "City" }, key: "ArrowDown", times: 2 },
        { do: "key", target: { role: "combobox", name: "City" }, key: "Enter" },
      ],
      right: () => window.app.city === "Oslo",
    },
    {
      name: "add two tags of one's own",
      kind: "autocomplete",
      steps: [
        { do: "type", target: { role: "combobox", name: "Tags" }, text: "red" },
        { do: "key", target: { role: "combobox", name: "Tags" }, key: "Enter" },
        { do: "type", target: { role: "combobox", name: "Tags" }, text: "blue" },
        { do: "key", target: { role: "combobox", name: "Tags" }, key: "Enter" },
      ],
      right: () => window.app.tags.join() === "red,blue",
    },
    {
      name: "move a slider by keys",
      kind: "slider",
      steps: [{ do: "key", target: { role: "slider", name: "Volume" }, key: "ArrowRight", times: 5 }],
      right: () => window.app.volume === 35,
    },
    {
      name: "drag a slider",
      kind: "slider",
      steps: [{ do: "drag", from: { role: "slider", name: "Volume" }, to: { dx: 100, dy: 0 } }],
      right: () => window.app.volume >= 49 && window.app.volume <= 56,
    },
    {
      name: "turn a switch on",
      kind: "check",
      steps: [{ do: "click", target: { role: "switch", name: "Wi-Fi" } }],
      right: () => window.app.wifi === true,
    },
    {
      name: "choose a radio button",
      kind: "check",
      steps: [{ do: "click", target: { role: "radio", name: "Cash" } }],
      right: () => window.app.pay === "cash",
    },
    {
      name: "rate with four stars",
      kind: "check",
      steps: [{ do: "click", target: { role: "radio", name: "4 Stars" } }],
      right: () => window.app.stars === 4,
    },
    {
      name: "open another tab",
      kind: "tabs",
      steps: [
        { do: "click", target: { role: "tab", name: "Billing" } },
        { do: "read", text: "Your invoices" },
      ],
      right: () => window.app.tab === 1,
    },
    {
      name: "choose from a menu",
      kind: "menu",
      steps: [
        { do: "click", target: { role: "button", name: "Actions" } },
        { do: "click", target: { role: "menuitem", name: "Archive" } },
      ],
      right: () => window.app.chosen === "Archive",
    },
    {
      name: "fill in a dialog",
      kind: "dialog",
      steps: [
        { do: "click", target: { role: "button", name: "Rename" } },
        { do: "type", target: { role: "textbox", name: "Name" }, text: "Apollo" },
        { do: "click", target: { role: "button", name: "Save" } },
        { do: "read", text: "Saved as Apollo" },
      ],
      right: () => window.app.saved === "Apollo" && !window.app.open,
    },
    {
      name: "choose a day in the calendar",
      kind: "date",
      steps: [
        { do: "click", target: { role: "button", name: "Choose date, selected date is Mar 10, 2026" } },
        { do: "click", target: { role: "button", name: "Next month" } },
        { do: "click", target: { role: "gridcell", name: "22" } },
      ],
      right: () => window.app.date === "2026-04-22",
    },
    {
      name: "type a date",
      kind: "date",
      steps: [
        { do: "click", target: { role: "spinbutton", name: "Month", nth: 1 } },
        { do: "type", text: "07041999" },
      ],
      right: () => window.app.birthday === "1999-07-04",
    },
    {
      name: "delete a chip with a key",
      kind: "key",
      steps: [{ do: "key", target: { role: "button", name: "Draft" }, key: "Delete" }],
      right: () => window.app.removed === true,
    },
  ],
};

export default library;
