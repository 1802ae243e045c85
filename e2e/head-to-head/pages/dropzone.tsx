// react-dropzone: files by dropping and by its own chooser.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { useDropzone } from "react-dropzone";

function App() {
  const [files, setFiles] = useState<string[]>([]);
  const { getRootProps, getInputProps } = useDropzone({ onDrop: (all) => setFiles(all.map((file) => file.name)) });
  window.app = { files };
  return (
    <div {...getRootProps({ role: "button", "aria-label": "Add files" })} style={{ border: "2px dashed", padding: 30 }}>
      <input {...getInputProps()} />
      <p>{files.length > 0 ? files.join() : "Drop files here, or click"}</p>
    </div>
  );
}

createRoot(document.querySelector("#root")!).render(<App />);
