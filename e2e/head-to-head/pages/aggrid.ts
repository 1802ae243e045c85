// AG Grid with ten thousand rows, of which it draws those in view.
import { AllCommunityModule, type GridApi, ModuleRegistry, createGrid } from "ag-grid-community";

ModuleRegistry.registerModules([AllCommunityModule]);
const root = document.querySelector<HTMLElement>("#root")!;
root.style.cssText = "height: 420px; width: 760px";
interface Row {
  id: number;
  name: string;
  price: number;
}
const rows: Row[] = Array.from({ length: 10_000 }, (_, i) => ({
  id: i + 1,
  name: `Item ${i + 1}`,
  price: (i * 7919) % 10_007,
}));
const api: GridApi<Row> = createGrid(root, {
  rowData: rows,
  getRowId: ({ data }) => String(data.id),
  columnDefs: [
    { field: "id", headerName: "Number", width: 120 },
    { field: "name", headerName: "Name", editable: true, filter: true, floatingFilter: true, flex: 1 },
    { field: "price", headerName: "Price", editable: true, width: 160 },
  ],
  rowSelection: { mode: "multiRow", enableClickSelection: true, checkboxes: false, headerCheckbox: false },
});

window.app = {
  row: (id: number) => api.getRowNode(String(id))?.data,
  first: () => api.getDisplayedRowAtIndex(0)?.data?.id,
  count: () => api.getDisplayedRowCount(),
  selected: () => api.getSelectedRows().map(({ id }) => id),
  columns: () => api.getAllDisplayedColumns().map((column) => column.getColId()),
};
