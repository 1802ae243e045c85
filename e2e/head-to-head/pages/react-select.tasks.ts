import type { Library } from "../task.ts";

const library: Library = {
  title: "react-select",
  package: "react-select",
  tasks: [
    {
      name: "choose one by the pointer",
      kind: "select",
      steps: [
        { do: "click", target: { role: "combobox", name: "Colour" } },
        { do: "click", target: { role: "option", name: "Green" } },
      ],
      right: () => window.app.colour === "Green",
    },
    {
      name: "choose one by typing",
      kind: "select",
      steps: [
        { do: "type", target: { role: "combobox", name: "Colour" }, text: "pur" },
        { do: "key", target: { role: "combobox", name: "Colour" }, key: "Enter" },
      ],
      right: () => window.app.colour === "Purple",
    },
    {
      name: "choose two more",
      kind: "select",
      steps: [
        { do: "click", target: { role: "combobox", name: "Colours" } },
        { do: "click", target: { role: "option", name: "Blue" } },
        { do: "click", target: { role: "combobox", name: "Colours" } },
        { do: "click", target: { role: "option", name: "Yellow" } },
      ],
      right: () => window.app.several.join() === "Red,Blue,Yellow",
    },
    {
      name: "remove one",
      kind: "click",
      steps: [{ do: "click", target: { role: "button", name: "Remove Red" } }],
      right: () => window.app.several.length === 0,
    },
    {
      name: "choose what a server finds",
      kind: "autocomplete",
      steps: [
        { do: "type", target: { role: "combobox", name: "User" }, text: "grace" },
        { do: "click", target: { role: "option", name: "Grace Hopper" } },
      ],
      right: () => window.app.user === "Grace Hopper",
    },
    {
      name: "create an option",
      kind: "autocomplete",
      steps: [
        { do: "type", target: { role: "combobox", name: "Tag" }, text: "Chore" },
        { do: "click", target: { role: "option", name: 'Create "Chore"' } },
      ],
      right: () => window.app.tag === "Chore",
    },
  ],
};

export default library;
