import type { Library } from "../task.ts";

const library: Library = {
  title: "react-dropzone",
  package: "react-dropzone",
  tasks: [
    {
      name: "a file",
      kind: "upload",
      steps: [{ do: "upload", target: { role: "button", name: "Add files" }, file: "notes.txt" }],
      right: () => window.app.files.join() === "notes.txt",
    },
  ],
};

export default library;
