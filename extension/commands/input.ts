import type { Gesture } from "../messages/agent.ts";
import { type KeyStroke, parseKeys } from "../messages/keys.ts";
import type { Send } from "./context.ts";

/** Makes a gesture with the browser's real input. The point is in the viewport of the tab. */
export async function sendInput(send: Send, gesture: Gesture, x: number, y: number): Promise<void> {
  switch (gesture.type) {
    case "move":
      return mouse(send, "mouseMoved", x, y, "none", 0);
    case "press":
      return click(send, x, y, gesture.button, gesture.count);
    case "text":
      return type(send, gesture.text);
    case "keys": {
      const stroke = parseKeys(gesture.keys);
      if (stroke) await strike(send, stroke);
    }
  }
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
