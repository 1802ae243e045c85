// rc-slider with one handle and with two.
import Slider from "rc-slider";
import "rc-slider/assets/index.css";
import { useState } from "react";
import { createRoot } from "react-dom/client";

function App() {
  const [volume, setVolume] = useState<number | number[]>(20);
  const [range, setRange] = useState<number | number[]>([10, 60]);
  window.app = { volume, range };
  return (
    <div style={{ width: 400, padding: 40, display: "grid", gap: 40 }}>
      <Slider value={volume} onChange={setVolume} ariaLabelForHandle="Volume" />
      <Slider range value={range} onChange={setRange} ariaLabelForHandle={["From", "Until"]} />
    </div>
  );
}

createRoot(document.querySelector("#root")!).render(<App />);
