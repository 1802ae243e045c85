import type { Library } from "../task.ts";

const library: Library = {
  title: "rc-slider",
  package: "rc-slider",
  tasks: [
    {
      name: "a handle by 160 of 400 pixels",
      kind: "drag",
      steps: [{ do: "drag", from: { role: "slider", name: "Volume" }, to: { dx: 160, dy: 0 } }],
      right: () => Math.abs(window.app.volume - 60) <= 1,
    },
    {
      name: "the second of two handles",
      kind: "drag",
      steps: [{ do: "drag", from: { role: "slider", name: "Until" }, to: { dx: 80, dy: 0 } }],
      right: () => window.app.range[0] === 10 && Math.abs(window.app.range[1] - 80) <= 1,
    },
    {
      name: "three steps by a key",
      kind: "keys",
      steps: [{ do: "key", target: { role: "slider", name: "Volume" }, key: "ArrowRight", times: 3 }],
      right: () => window.app.volume === 23,
    },
    {
      name: "to its end by a key",
      kind: "keys",
      steps: [{ do: "key", target: { role: "slider", name: "Volume" }, key: "End" }],
      right: () => window.app.volume === 100,
    },
  ],
};

export default library;
