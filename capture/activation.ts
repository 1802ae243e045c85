import { append, apply, getter, indexOf, lower, prototypeOf } from "./natives.ts";
import { proxyMethod, type Stop } from "./patch.ts";

/** What browsers do for a page only when the user has just acted. */
export type Refusal = "file chooser" | "picker" | "window" | "full screen";

const activationOf = getter<object | undefined>("Navigator", "userActivation");
const isActive = getter<boolean>("UserActivation", "isActive");
const typeOf = getter<string>("HTMLInputElement", "type");

/** What click() of an element opens that needs a user. */
function chooserOf(element: unknown): Refusal | undefined {
  try {
    const type = typeOf(element);
    return type === "file" ? "file chooser" : type === "color" ? "picker" : undefined;
  } catch {
    return undefined; // no input
  }
}

/** A window that is opened without a way back to its opener gives null, too. */
const isWithoutOpener = (features: unknown): boolean =>
  typeof features === "string" && (indexOf(lower(features), "noopener") >= 0 || indexOf(lower(features), "noref") >= 0);

/**
 * watchRefusals calls refused when the page asks for something that the browser refuses because no user has acted. Calls
 * go through unchanged. What the browser refuses by a rejected promise and may allow as well (clipboard, play) is the
 * page's to tell.
 */
export function watchRefusals(refused: (what: Refusal) => void): Stop {
  const user = activationOf(navigator);
  if (!user) return () => {};
  const stops: Stop[] = [];
  const watch = (
    owner: object | undefined,
    name: string,
    wanted: (self: unknown, result: unknown, args: readonly unknown[]) => Refusal | undefined,
  ): void => {
    if (!owner) return;
    append(
      stops,
      proxyMethod(owner, name, (target, self, args) => {
        const active = isActive(user);
        let result: unknown;
        try {
          return (result = apply(target, self, args));
        } finally {
          const what = active || wanted(self, result, args);
          if (what && what !== true) refused(what);
        }
      }),
    );
  };
  watch(prototypeOf("HTMLElement"), "click", chooserOf);
  watch(prototypeOf("HTMLInputElement"), "showPicker", () => "picker");
  watch(prototypeOf("Element"), "requestFullscreen", () => "full screen");
  watch(globalThis, "open", (_self, result, args) =>
    result === null && !isWithoutOpener(args[2]) ? "window" : undefined,
  );
  watch(globalThis, "showOpenFilePicker", () => "file chooser");
  watch(globalThis, "showSaveFilePicker", () => "file chooser");
  return () => {
    for (let i = 0; i < stops.length; i++) stops[i]!();
  };
}
