import { rich } from "./editing.ts";

export default rich("Lexical", "lexical");
