import { rich } from "./editing.ts";

export default rich("TinyMCE", "tinymce");
