// TanStack Virtual: ten thousand rows of which a few are drawn.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import { createRoot } from "react-dom/client";

function List() {
  const box = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(0);
  const virtual = useVirtualizer({ count: 10_000, getScrollElement: () => box.current, estimateSize: () => 35 });
  window.app = { chosen };
  return (
    <div ref={box} role="list" aria-label="Rows" style={{ height: 400, width: 300, overflow: "auto" }} tabIndex={0}>
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map(({ key, index, size, start }) => (
          <div
            key={key}
            role="listitem"
            style={{ position: "absolute", top: 0, width: "100%", height: size, transform: `translateY(${start}px)` }}
          >
            <button onClick={() => setChosen(index + 1)}>Row {index + 1}</button>
          </div>
        ))}
      </div>
    </div>
  );
}

createRoot(document.querySelector("#root")!).render(<List />);
