import { rich } from "./editing.ts";

const { tasks, ...slate } = rich("Slate", "slate-react");

// What is pasted into it is text: an application that wants markup reads it itself.
export default { ...slate, tasks: tasks.filter(({ kind }) => kind !== "paste") };
