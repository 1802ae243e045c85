import { rich } from "./editing.ts";

export default rich("CKEditor 5", "ckeditor5");
