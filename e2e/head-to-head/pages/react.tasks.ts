import { todos } from "./todos.ts";

export default todos("React", "react");
