import { expect, test, vi } from "vitest";
import { TabImages } from "./images.ts";

test("no picture is given where another tab was shown while it was taken", async () => {
  let active = 1;
  const heard = new Set<() => void>();
  const onActivated = {
    addListener: (given: () => void) => heard.add(given),
    removeListener: (given: () => void) => heard.delete(given),
  };
  const show = (tab: number): void => {
    active = tab;
    heard.forEach((tell) => tell());
  };
  let meanwhile = (): void => undefined;
  const captureVisibleTab = async (): Promise<string> => {
    meanwhile();
    return `data:image/png;base64,tab${active}`;
  };
  const get = async (id: number) => {
    if (id !== active) show(id); // the page closes the other tab again
    return { active: true, windowId: 1 };
  };
  vi.stubGlobal("chrome", { tabs: { get, captureVisibleTab, onActivated } });
  const images = new TabImages();
  expect(await images.visible(1, "png", 80)).toBe("tab1");
  meanwhile = () => show(2);
  expect(await images.visible(1, "png", 80)).toBeUndefined();
  expect(heard.size).toBe(0);
});
