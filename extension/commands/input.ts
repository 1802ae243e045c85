import type { Gesture } from "../messages/agent.ts";
import { EDIT_KEY, type KeyStroke, parseKeys, typing } from "../messages/keys.ts";
import type { Send } from "./context.ts";

/**
 * Makes a gesture with the browser's real input. The point is in the viewport of the tab; files are what is dragged. rest lets
 * so many ms go by; false: the act is over before. A button that was pressed is let go of in any case, but off the element then.
 */
export async function sendInput(
  send: Send,
  gesture: Gesture,
  x: number,
  y: number,
  rest: (ms: number) => Promise<boolean>,
  files: readonly string[] = [],
): Promise<void> {
  switch (gesture.type) {
    case "move":
      return mouse(send, "mouseMoved", x, y, "none", 0);
    case "press":
      return click(send, x, y, gesture, rest);
    case "text":
      return type(send, gesture);
    case "edit":
      return edit(send, gesture.command);
    case "drag":
      return drag(send, gesture.step, x, y, files);
    case "hold":
    case "pull":
    case "release":
      return; // of several gestures together: DragInput makes them
    case "keys": {
      const stroke = parseKeys(gesture.keys);
      if (stroke) await strike(send, stroke);
    }
  }
}

/** Outside of the viewport, where no element is. */
const OFF = -1;

async function click(
  send: Send,
  x: number,
  y: number,
  { button, count, hold_ms = 0 }: Extract<Gesture, { type: "press" }>,
  rest: (ms: number) => Promise<boolean>,
): Promise<void> {
  // A page hears of a movement with its next frame, which a hidden one does not draw, or with the press, in this order.
  const moved = mouse(send, "mouseMoved", x, y, "none", 0);
  moved.catch(() => undefined);
  for (let n = 1; n <= count; n++) {
    await mouse(send, "mousePressed", x, y, button, n);
    if (n === count && hold_ms > 0 && !(await rest(hold_ms))) {
      await mouse(send, "mouseMoved", OFF, OFF, button, 0);
      return mouse(send, "mouseReleased", OFF, OFF, button, n);
    }
    await mouse(send, "mouseReleased", x, y, button, n);
  }
  await moved;
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

async function edit(send: Send, command: string): Promise<void> {
  await send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: EDIT_KEY, commands: [command] });
  await send("Input.dispatchKeyEvent", { type: "keyUp", key: EDIT_KEY });
}

const COPY = 1; // of the protocol's drag operations

async function drag(
  send: Send,
  step: "over" | "drop" | "cancel",
  x: number,
  y: number,
  files: readonly string[],
): Promise<void> {
  const data = { items: [], files, dragOperationsMask: COPY };
  const types = { over: ["dragEnter", "dragOver"], drop: ["drop"], cancel: ["dragCancel"] }[step];
  for (const name of types) await send("Input.dispatchDragEvent", { type: name, x, y, data });
}

async function type(send: Send, gesture: Extract<Gesture, { type: "text" }>): Promise<void> {
  for (const part of typing(gesture))
    if (typeof part === "string") await send("Input.insertText", { text: part });
    else await strike(send, part);
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
