// A sortable list and two containers, by dnd-kit.
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import {
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";

const box = { padding: 12, margin: 4, border: "1px solid #888", background: "white", width: 200, touchAction: "none" };

function Item({ id }: { id: string }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  return (
    <li
      ref={setNodeRef}
      style={{ ...box, transform: CSS.Transform.toString(transform), transition }}
      {...attributes}
      {...listeners}
      aria-label={`Sort ${id}`}
    >
      {id}
    </li>
  );
}

function Card({ id }: { id: string }) {
  const { attributes, listeners, setNodeRef, transform } = useDraggable({ id });
  return (
    <div
      ref={setNodeRef}
      style={{ ...box, transform: CSS.Translate.toString(transform) }}
      {...listeners}
      {...attributes}
      aria-label={`Move ${id}`}
    >
      {id}
    </div>
  );
}

function Column({ id, cards }: { id: string; cards: string[] }) {
  const { setNodeRef } = useDroppable({ id });
  return (
    <section ref={setNodeRef} aria-label={id} style={{ width: 240, minHeight: 200, border: "1px dashed" }}>
      <h2>{id}</h2>
      {cards.map((card) => (
        <Card key={card} id={card} />
      ))}
    </section>
  );
}

function App() {
  const [items, setItems] = useState(["Alpha", "Beta", "Gamma", "Delta"]);
  const [columns, setColumns] = useState<Record<string, string>>({ Write: "To do", Review: "To do" });
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 5 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  useEffect(() => {
    window.app = { items, columns };
  });
  const sorted = ({ active, over }: DragEndEvent) => {
    if (over && active.id !== over.id)
      setItems((old) => arrayMove(old, old.indexOf(String(active.id)), old.indexOf(String(over.id))));
  };
  return (
    <main style={{ display: "flex", gap: 32 }}>
      <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={sorted}>
        <SortableContext items={items} strategy={verticalListSortingStrategy}>
          <ul aria-label="Order" style={{ listStyle: "none" }}>
            {items.map((id) => (
              <Item key={id} id={id} />
            ))}
          </ul>
        </SortableContext>
      </DndContext>
      <DndContext
        sensors={sensors}
        onDragEnd={({ active, over }) => {
          if (over) setColumns((old) => ({ ...old, [String(active.id)]: String(over.id) }));
        }}
      >
        {["To do", "Done"].map((id) => (
          <Column key={id} id={id} cards={Object.keys(columns).filter((card) => columns[card] === id)} />
        ))}
      </DndContext>
    </main>
  );
}

createRoot(document.getElementById("root")!).render(<App />);
