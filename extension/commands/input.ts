import type { Target } from "@gasoline/schema/commands";
import type { TrustedInput } from "../messages/agent.ts";
import { type KeyStroke, parseKeys } from "../messages/keys.ts";
import type { Context, Send } from "./context.ts";
import { keyStroke } from "./keys.ts";

/** Sends real input to the tab through the debugger. Points are in the viewport of the target's frame. */
export async function sendInput(context: Context, input: TrustedInput, target: Target): Promise<void> {
  const at = "x" in input ? await context.frames.offset(context.tab, target) : { x: 0, y: 0 };
  await context.debug.run(context.tab, context.deadline, async (send) => {
    switch (input.type) {
      case "move":
        await mouse(send, "mouseMoved", input.x + at.x, input.y + at.y, "none", 0);
        return;
      case "click":
        await click(send, input.x + at.x, input.y + at.y, input.button, input.count);
        return;
      case "text":
        await type(send, input.text);
        return;
      case "keys":
        await strike(send, keyStroke(input.keys));
        return;
    }
  });
}

async function click(send: Send, x: number, y: number, button: string, count: number): Promise<void> {
  await mouse(send, "mouseMoved", x, y, "none", 0);
  for (let n = 1; n <= count; n++) {
    await mouse(send, "mousePressed", x, y, button, n);
    await mouse(send, "mouseReleased", x, y, button, n);
  }
}

async function mouse(
  send: Send,
  type: string,
  x: number,
  y: number,
  button: string,
  clickCount: number,
): Promise<void> {
  await send("Input.dispatchMouseEvent", { type, x, y, button, clickCount, pointerType: "mouse" });
}

async function type(send: Send, text: string): Promise<void> {
  // Short texts key by key, for pages that watch keys; long ones at once, as a paste would.
  if (text.length > 200) {
    await send("Input.insertText", { text });
    return;
  }
  for (const char of text) {
    const stroke = parseKeys(char === "\n" ? "Enter" : char);
    if (stroke) await strike(send, stroke);
    else await send("Input.insertText", { text: char }); // a control character, which no key types
  }
}

async function strike(send: Send, stroke: KeyStroke): Promise<void> {
  const common = {
    key: stroke.key,
    code: stroke.code,
    modifiers: stroke.modifiers,
    windowsVirtualKeyCode: stroke.keyCode,
    nativeVirtualKeyCode: stroke.keyCode,
  };
  await send("Input.dispatchKeyEvent", {
    ...common,
    type: stroke.text ? "keyDown" : "rawKeyDown",
    ...(stroke.text ? { text: stroke.text, unmodifiedText: stroke.text } : {}),
    ...(stroke.commands ? { commands: stroke.commands } : {}),
  });
  await send("Input.dispatchKeyEvent", { ...common, type: "keyUp" });
}
