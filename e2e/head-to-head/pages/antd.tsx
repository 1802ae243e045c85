// Controls of Ant Design, each with its state in window.app.
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import {
  Button,
  Cascader,
  ConfigProvider,
  DatePicker,
  Input,
  InputNumber,
  Modal,
  Popconfirm,
  Select,
  Space,
  Table,
  Tree,
  Upload,
  message,
} from "antd";
import dayjs, { type Dayjs } from "dayjs";

const COUNTRIES = ["Austria", "Belgium", "Canada", "Denmark", "Egypt", "Finland", "Greece", "Hungary"];
const PEOPLE = Array.from({ length: 23 }, (_, i) => ({
  key: i + 1,
  name: `Person ${i + 1}`,
  age: ((i * 7) % 40) + 20,
}));
const PLACES = [
  {
    value: "eu",
    label: "Europe",
    children: [
      { value: "it", label: "Italy", children: [{ value: "rome", label: "Rome" }] },
      { value: "no", label: "Norway", children: [{ value: "oslo", label: "Oslo" }] },
    ],
  },
  {
    value: "as",
    label: "Asia",
    children: [{ value: "jp", label: "Japan", children: [{ value: "tokyo", label: "Tokyo" }] }],
  },
];
const TREE = [
  {
    key: "src",
    title: "src",
    children: [
      { key: "src/app", title: "app.ts" },
      { key: "src/lib", title: "lib", children: [{ key: "src/lib/a", title: "a.ts" }] },
    ],
  },
  { key: "docs", title: "docs" },
];

function App() {
  const [country, setCountry] = useState<string>();
  const [langs, setLangs] = useState<string[]>([]);
  const [date, setDate] = useState<Dayjs | null>(dayjs("2026-05-04"));
  const [open, setOpen] = useState(false);
  const [title, setTitle] = useState("");
  const [saved, setSaved] = useState("");
  const [page, setPage] = useState(1);
  const [order, setOrder] = useState("");
  const [rows, setRows] = useState<React.Key[]>([]);
  const [checked, setChecked] = useState<string[]>([]);
  const [expanded, setExpanded] = useState<string[]>([]);
  const [files, setFiles] = useState<string[]>([]);
  const [place, setPlace] = useState("");
  const [count, setCount] = useState<number | null>(3);
  const [deleted, setDeleted] = useState(false);
  const [note, holder] = message.useMessage();
  useEffect(() => {
    window.app = {
      country,
      langs,
      date: date?.format("YYYY-MM-DD"),
      open,
      saved,
      page,
      order,
      rows,
      checked,
      expanded,
      files,
      place,
      count,
      deleted,
    };
  });
  return (
    <ConfigProvider>
      {holder}
      <Space orientation="vertical" style={{ padding: 16, width: 640 }}>
        <Select
          aria-label="Country"
          showSearch
          placeholder="Choose a country"
          style={{ width: 240 }}
          value={country}
          onChange={setCountry}
          options={COUNTRIES.map((value) => ({ value, label: value }))}
        />
        <Select
          aria-label="Languages"
          mode="multiple"
          style={{ width: 360 }}
          value={langs}
          onChange={setLangs}
          options={["Go", "Rust", "TypeScript", "Zig"].map((value) => ({ value, label: value }))}
        />
        <DatePicker aria-label="Due" value={date} onChange={(value) => setDate(value as Dayjs | null)} />
        <Cascader
          aria-label="Place"
          options={PLACES}
          placeholder="Choose a place"
          onChange={(value) => setPlace((value ?? []).join("/"))}
        />
        <InputNumber aria-label="Count" min={0} max={99} value={count} onChange={setCount} />
        <Space>
          <Button onClick={() => setOpen(true)}>New project</Button>
          <Popconfirm title="Delete it?" onConfirm={() => setDeleted(true)} okText="Yes" cancelText="No">
            <Button danger>Remove</Button>
          </Popconfirm>
        </Space>
        <Modal
          title="New project"
          open={open}
          onCancel={() => setOpen(false)}
          okText="Create"
          onOk={() => {
            setSaved(title);
            setOpen(false);
            void note.success(`Created ${title}`);
          }}
        >
          <Input aria-label="Title" value={title} onChange={(e) => setTitle(e.target.value)} />
        </Modal>
        <Tree
          checkable
          treeData={TREE}
          checkedKeys={checked}
          expandedKeys={expanded}
          onExpand={(keys) => setExpanded(keys as string[])}
          onCheck={(keys) => setChecked(keys as string[])}
        />
        <Upload
          multiple
          fileList={files.map((name) => ({ uid: name, name, status: "done" as const }))}
          beforeUpload={(file) => {
            void file.text().then((text) => setFiles((old) => [...old, `${file.name} ${text.length}`]));
            return false;
          }}
        >
          <Button>Attach a file</Button>
        </Upload>
        <Table
          size="small"
          dataSource={PEOPLE}
          pagination={{ pageSize: 5 }}
          rowSelection={{ selectedRowKeys: rows, onChange: setRows }}
          onChange={(pages, _, sorter) => {
            setPage(pages.current ?? 1);
            setOrder(Array.isArray(sorter) ? "" : `${String(sorter.field ?? "")} ${sorter.order ?? ""}`.trim());
          }}
          columns={[
            { title: "Name", dataIndex: "name" },
            { title: "Age", dataIndex: "age", sorter: (a, b) => a.age - b.age },
          ]}
        />
      </Space>
    </ConfigProvider>
  );
}

createRoot(document.getElementById("root")!).render(<App />);
