// A list of things to do, as people make it with React: every input is controlled.
import { type KeyboardEvent, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

interface Todo {
  id: number;
  title: string;
  done: boolean;
}

type Filter = "all" | "active" | "completed";

function App() {
  const [todos, setTodos] = useState<Todo[]>([
    { id: 1, title: "Buy milk", done: false },
    { id: 2, title: "Write report", done: true },
    { id: 3, title: "Call Ada", done: false },
  ]);
  const [draft, setDraft] = useState("");
  const [filter, setFilter] = useState<Filter>("all");
  const [editing, setEditing] = useState<{ id: number; title: string }>();
  const [priority, setPriority] = useState("normal");
  useEffect(() => {
    window.app = { todos, draft, filter, editing, priority };
  });

  const add = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !draft.trim()) return;
    setTodos([...todos, { id: Math.max(0, ...todos.map((t) => t.id)) + 1, title: draft.trim(), done: false }]);
    setDraft("");
  };
  const save = () => {
    if (!editing) return;
    const title = editing.title.trim();
    setTodos(
      title ? todos.map((t) => (t.id === editing.id ? { ...t, title } : t)) : todos.filter((t) => t.id !== editing.id),
    );
    setEditing(undefined);
  };
  const shown = todos.filter((t) => filter === "all" || t.done === (filter === "completed"));
  const left = todos.filter((t) => !t.done).length;
  return (
    <main>
      <h1>todos</h1>
      <input
        aria-label="New todo"
        placeholder="What needs to be done?"
        value={draft}
        onChange={(e) => setDraft(e.target.value)}
        onKeyDown={add}
      />
      <label>
        Priority
        <select value={priority} onChange={(e) => setPriority(e.target.value)}>
          <option value="low">Low</option>
          <option value="normal">Normal</option>
          <option value="high">High</option>
        </select>
      </label>
      <ul aria-label="Todos">
        {shown.map((todo) => (
          <li key={todo.id}>
            {editing?.id === todo.id ? (
              <input
                aria-label="Edit todo"
                autoFocus
                value={editing.title}
                onChange={(e) => setEditing({ ...editing, title: e.target.value })}
                onBlur={save}
                onKeyDown={(e) => {
                  if (e.key === "Enter") save();
                  if (e.key === "Escape") setEditing(undefined);
                }}
              />
            ) : (
              <>
                <input
                  type="checkbox"
                  aria-label={`Done: ${todo.title}`}
                  checked={todo.done}
                  onChange={() => setTodos(todos.map((t) => (t.id === todo.id ? { ...t, done: !t.done } : t)))}
                />
                <span onDoubleClick={() => setEditing({ id: todo.id, title: todo.title })}>{todo.title}</span>
                <button
                  aria-label={`Delete ${todo.title}`}
                  onClick={() => setTodos(todos.filter((t) => t.id !== todo.id))}
                >
                  ×
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
      <footer>
        <span>{left === 1 ? "1 item left" : `${left} items left`}</span>
        {(["all", "active", "completed"] as const).map((name) => (
          <button key={name} aria-pressed={filter === name} onClick={() => setFilter(name)}>
            {name[0]!.toUpperCase() + name.slice(1)}
          </button>
        ))}
        <button onClick={() => setTodos(todos.filter((t) => !t.done))}>Clear completed</button>
      </footer>
    </main>
  );
}

createRoot(document.getElementById("root")!).render(<App />);
