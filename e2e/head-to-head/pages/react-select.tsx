// The kinds of react-select, each with its state in window.app.
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import Select from "react-select";
import AsyncSelect from "react-select/async";
import CreatableSelect from "react-select/creatable";

interface Option {
  value: string;
  label: string;
}

const option = (label: string): Option => ({ value: label.toLowerCase(), label });
const COLOURS = ["Red", "Orange", "Yellow", "Green", "Blue", "Purple"].map(option);
const USERS = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra"].map(option);

const load = async (text: string): Promise<Option[]> => {
  await new Promise((done) => setTimeout(done, 400));
  return USERS.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
};

function App() {
  const [colour, setColour] = useState<Option | null>(null);
  const [several, setSeveral] = useState<readonly Option[]>([option("Red")]);
  const [user, setUser] = useState<Option | null>(null);
  const [tag, setTag] = useState<Option | null>(null);
  useEffect(() => {
    window.app = { colour: colour?.label, several: several.map((o) => o.label), user: user?.label, tag: tag?.label };
  });
  return (
    <main style={{ width: 400, padding: 16, display: "grid", gap: 24 }}>
      <Select aria-label="Colour" options={COLOURS} value={colour} onChange={setColour} isClearable />
      <Select aria-label="Colours" isMulti options={COLOURS} value={several} onChange={setSeveral} />
      <AsyncSelect aria-label="User" loadOptions={load} value={user} onChange={setUser} />
      <CreatableSelect aria-label="Tag" options={[option("Bug")]} value={tag} onChange={setTag} />
    </main>
  );
}

createRoot(document.getElementById("root")!).render(<App />);
