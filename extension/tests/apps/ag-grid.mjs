import { AllCommunityModule, ModuleRegistry, createGrid } from "ag-grid-community";

ModuleRegistry.registerModules([AllCommunityModule]);
const at = document.getElementById("app");
at.style.height = "400px";
at.style.width = "700px";
window.grid = createGrid(at, {
  columnDefs: [
    { field: "id", pinned: "left", width: 80 },
    { field: "name", headerName: "Name" },
    { field: "paid", cellRenderer: "agCheckboxCellRenderer" },
    ...Array.from({ length: 30 }, (_, i) => ({ field: `c${i}`, headerName: `Column ${i}`, width: 120 })),
    { field: "sum", pinned: "right", width: 90, valueFormatter: ({ value }) => `${value} €` },
  ],
  rowData: Array.from({ length: 1000 }, (_, n) => ({
    id: n,
    name: `Row ${n}`,
    paid: n % 2 === 0,
    sum: n * 3,
    ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`c${i}`, `${n}/${i}`])),
  })),
});
