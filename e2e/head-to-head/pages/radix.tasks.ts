import type { Library } from "../task.ts";

const library: Library = {
  title: "Radix",
  package: "radix-ui",
  tasks: [
    {
      name: "choose from a submenu by the pointer",
      kind: "menu",
      steps: [
        { do: "click", target: { role: "button", name: "Options" } },
        { do: "hover", target: { role: "menuitem", name: "More tools" } },
        { do: "click", target: { role: "menuitem", name: "Developer tools" } },
      ],
      right: () => window.app.chosen === "Developer tools",
    },
    {
      name: "choose from a submenu by keys",
      kind: "menu",
      steps: [
        { do: "key", target: { role: "button", name: "Options" }, key: "Enter" },
        { do: "key", key: "ArrowDown", times: 2 },
        { do: "key", key: "ArrowRight" },
        { do: "key", key: "Enter" },
      ],
      right: () => window.app.chosen === "Save page",
    },
    {
      name: "check an item of a menu",
      kind: "menu",
      steps: [
        { do: "click", target: { role: "button", name: "Options" } },
        { do: "click", target: { role: "menuitemcheckbox", name: "Show bookmarks" } },
      ],
      right: () => window.app.bookmarks === true,
    },
    {
      name: "choose from a select",
      kind: "select",
      steps: [
        { do: "click", target: { role: "combobox", name: "Fruit" } },
        { do: "click", target: { role: "option", name: "Grapes" } },
      ],
      right: () => window.app.fruit === "Grapes",
    },
    {
      name: "choose from a select by its first letters",
      kind: "select",
      steps: [
        { do: "key", target: { role: "combobox", name: "Fruit" }, key: "Enter" },
        { do: "key", key: "p" },
        { do: "key", key: "Enter" },
      ],
      right: () => window.app.fruit === "Pineapple",
    },
    {
      name: "move one of two thumbs by keys",
      kind: "slider",
      steps: [{ do: "key", target: { role: "slider", name: "Most" }, key: "ArrowLeft", times: 5 }],
      right: () => window.app.price.join() === "25,70",
    },
    {
      name: "drag one of two thumbs",
      kind: "slider",
      steps: [{ do: "drag", from: { role: "slider", name: "Least" }, to: { dx: 40, dy: 0 } }],
      right: () => window.app.price[0] >= 43 && window.app.price[0] <= 51 && window.app.price[1] === 75,
    },
    {
      name: "fill in a dialog",
      kind: "dialog",
      steps: [
        { do: "click", target: { role: "button", name: "Edit profile" } },
        { do: "type", target: { role: "textbox", name: "Full name" }, text: "Ada Lovelace" },
        { do: "click", target: { role: "button", name: "Save changes" } },
      ],
      right: () => window.app.saved === "Ada Lovelace" && !window.app.open,
    },
    {
      name: "close a dialog with Escape",
      kind: "dialog",
      steps: [
        { do: "click", target: { role: "button", name: "Edit profile" } },
        { do: "read", text: "Full name" },
        { do: "key", key: "Escape" },
      ],
      right: () => window.app.open === false && !document.querySelector('[role="dialog"]'),
    },
    {
      name: "read a card that a hover shows",
      kind: "hover",
      steps: [
        { do: "hover", target: { role: "link", name: "@ada" } },
        { do: "read", text: "Ada writes programs for engines." },
      ],
      right: () => window.app.card === true,
    },
    {
      name: "read a tooltip",
      kind: "hover",
      steps: [
        { do: "hover", target: { role: "button", name: "Help" } },
        { do: "read", text: "Opens the manual" },
      ],
      right: () => document.querySelector('[role="tooltip"]') !== null,
    },
    {
      name: "open another tab",
      kind: "tabs",
      steps: [
        { do: "click", target: { role: "tab", name: "Password" } },
        { do: "read", text: "Change the password here" },
      ],
      right: () => window.app.tab === "password",
    },
    {
      name: "go to a tab by keys",
      kind: "tabs",
      steps: [{ do: "key", target: { role: "tab", name: "Account" }, key: "ArrowRight" }],
      right: () => window.app.tab === "password",
    },
    {
      name: "turn a switch on",
      kind: "check",
      steps: [{ do: "click", target: { role: "switch", name: "Airplane mode" } }],
      right: () => window.app.plane === true,
    },
    {
      name: "choose one of a group",
      kind: "check",
      steps: [{ do: "click", target: { role: "radio", name: "Center" } }],
      right: () => window.app.align === "center",
    },
    {
      name: "choose from a context menu",
      kind: "context menu",
      steps: [
        { do: "click", target: { role: "img", name: "Canvas" }, button: "right" },
        { do: "click", target: { role: "menuitem", name: "Print" } },
      ],
      right: () => window.app.context === "Print",
    },
  ],
};

export default library;
