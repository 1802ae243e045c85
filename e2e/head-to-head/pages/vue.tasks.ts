import { todos } from "./todos.ts";

export default todos("Vue", "vue");
