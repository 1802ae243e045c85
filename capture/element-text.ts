import { getter, lower, method } from "./natives.ts";

const nodeNameOf = getter<string>("Node", "nodeName");
const attributeOf = method<[string], string | null>("Element", "getAttribute");

/** elementText is an element as one reads it: `<button#save.primary>`. */
export function elementText(element: object): string {
  const id = attributeOf(element, "id");
  const classes = attributeOf(element, "class");
  let dotted = "";
  if (classes) for (let i = 0; i < classes.length && i < 80; i++) dotted += classes[i] === " " ? "." : classes[i];
  return "<" + lower(nodeNameOf(element)) + (id ? "#" + id : "") + (dotted ? "." + dotted : "") + ">";
}
