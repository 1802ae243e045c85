import type { SubtitleParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import type { Environment } from "../environment.ts";
import { panel, unpanel } from "../panel.ts";
import { onPage } from "../storage.ts";

const ID = "gasoline-subtitle";
const SHOWN_MS = 60_000;

/** Shows what the agent tells the user at the bottom of the page, for a minute or until the next one. Without a text it goes. */
export function subtitle({ text = "" }: SubtitleParams, { act }: Environment): Acted {
  act.perform(() => {
    if (text === "") return unpanel(ID);
    const box = panel(ID, "auto 0 32px 0", SHOWN_MS);
    Object.assign(box.style, {
      font: "18px/1.4 system-ui, sans-serif",
      textAlign: "center",
      margin: "0 auto",
      width: "fit-content",
      maxWidth: "min(80vw, 900px)",
    });
    box.textContent = text;
  });
  return { result: onPage() };
}
