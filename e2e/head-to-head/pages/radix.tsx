// Primitives of Radix, each with its state in window.app.
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import {
  ContextMenu,
  Dialog,
  DropdownMenu,
  HoverCard,
  Select,
  Slider,
  Switch,
  Tabs,
  Toast,
  ToggleGroup,
  Tooltip,
} from "radix-ui";

const FRUITS = ["Apple", "Banana", "Blueberry", "Grapes", "Pineapple"];

function App() {
  const [chosen, setChosen] = useState("");
  const [bookmarks, setBookmarks] = useState(false);
  const [fruit, setFruit] = useState("Apple");
  const [price, setPrice] = useState([25, 75]);
  const [name, setName] = useState("");
  const [saved, setSaved] = useState("");
  const [tab, setTab] = useState("account");
  const [context, setContext] = useState("");
  const [plane, setPlane] = useState(false);
  const [align, setAlign] = useState("left");
  const [card, setCard] = useState(false);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    window.app = { chosen, bookmarks, fruit, price, saved, tab, context, plane, align, card, open };
  });
  return (
    <Toast.Provider>
      <Tooltip.Provider delayDuration={300}>
        <style>{`
          body { font: 16px sans-serif; } main { display: grid; gap: 16px; width: 420px; padding: 16px; justify-items: start; }
          [role=menu], [role=listbox], [role=dialog] { background: white; border: 1px solid #888; padding: 4px; }
          [role=menuitem], [role=menuitemcheckbox], [role=option] { padding: 4px 16px; }
          [data-highlighted] { background: #cde; }
          .slider { position: relative; display: flex; align-items: center; width: 200px; height: 20px; touch-action: none; }
          .track { background: #ccc; flex-grow: 1; height: 3px; position: relative; }
          .thumb { display: block; width: 18px; height: 18px; background: #36c; border-radius: 9px; }
          .overlay { position: fixed; inset: 0; background: #0004; }
          .content { position: fixed; top: 100px; left: 500px; }
        `}</style>
        <main>
          <DropdownMenu.Root>
            <DropdownMenu.Trigger>Options</DropdownMenu.Trigger>
            <DropdownMenu.Portal>
              <DropdownMenu.Content>
                <DropdownMenu.Item onSelect={() => setChosen("New tab")}>New tab</DropdownMenu.Item>
                <DropdownMenu.CheckboxItem checked={bookmarks} onCheckedChange={setBookmarks}>
                  Show bookmarks
                </DropdownMenu.CheckboxItem>
                <DropdownMenu.Sub>
                  <DropdownMenu.SubTrigger>More tools</DropdownMenu.SubTrigger>
                  <DropdownMenu.Portal>
                    <DropdownMenu.SubContent>
                      <DropdownMenu.Item onSelect={() => setChosen("Save page")}>Save page</DropdownMenu.Item>
                      <DropdownMenu.Item onSelect={() => setChosen("Developer tools")}>
                        Developer tools
                      </DropdownMenu.Item>
                    </DropdownMenu.SubContent>
                  </DropdownMenu.Portal>
                </DropdownMenu.Sub>
              </DropdownMenu.Content>
            </DropdownMenu.Portal>
          </DropdownMenu.Root>
          <Select.Root value={fruit} onValueChange={setFruit}>
            <Select.Trigger aria-label="Fruit">
              <Select.Value />
            </Select.Trigger>
            <Select.Portal>
              <Select.Content>
                <Select.Viewport>
                  {FRUITS.map((value) => (
                    <Select.Item key={value} value={value}>
                      <Select.ItemText>{value}</Select.ItemText>
                    </Select.Item>
                  ))}
                </Select.Viewport>
              </Select.Content>
            </Select.Portal>
          </Select.Root>
          <Slider.Root className="slider" value={price} onValueChange={setPrice} step={1}>
            <Slider.Track className="track">
              <Slider.Range />
            </Slider.Track>
            <Slider.Thumb className="thumb" aria-label="Least" />
            <Slider.Thumb className="thumb" aria-label="Most" />
          </Slider.Root>
          <Dialog.Root open={open} onOpenChange={setOpen}>
            <Dialog.Trigger>Edit profile</Dialog.Trigger>
            <Dialog.Portal>
              <Dialog.Overlay className="overlay" />
              <Dialog.Content className="content" aria-describedby={undefined}>
                <Dialog.Title>Edit profile</Dialog.Title>
                <label>
                  Full name <input value={name} onChange={(e) => setName(e.target.value)} />
                </label>
                <button
                  onClick={() => {
                    setSaved(name);
                    setOpen(false);
                  }}
                >
                  Save changes
                </button>
                <Dialog.Close>Close</Dialog.Close>
              </Dialog.Content>
            </Dialog.Portal>
          </Dialog.Root>
          <HoverCard.Root openDelay={300} open={card} onOpenChange={setCard}>
            <HoverCard.Trigger href="#ada">@ada</HoverCard.Trigger>
            <HoverCard.Portal>
              <HoverCard.Content>Ada writes programs for engines.</HoverCard.Content>
            </HoverCard.Portal>
          </HoverCard.Root>
          <Tooltip.Root>
            <Tooltip.Trigger aria-label="Help">?</Tooltip.Trigger>
            <Tooltip.Portal>
              <Tooltip.Content>Opens the manual</Tooltip.Content>
            </Tooltip.Portal>
          </Tooltip.Root>
          <Tabs.Root value={tab} onValueChange={setTab}>
            <Tabs.List aria-label="Settings">
              <Tabs.Trigger value="account">Account</Tabs.Trigger>
              <Tabs.Trigger value="password">Password</Tabs.Trigger>
            </Tabs.List>
            <Tabs.Content value="account">Your account</Tabs.Content>
            <Tabs.Content value="password">Change the password here</Tabs.Content>
          </Tabs.Root>
          <Switch.Root aria-label="Airplane mode" checked={plane} onCheckedChange={setPlane}>
            <Switch.Thumb>·</Switch.Thumb>
          </Switch.Root>
          <ToggleGroup.Root type="single" aria-label="Alignment" value={align} onValueChange={setAlign}>
            <ToggleGroup.Item value="left">Left</ToggleGroup.Item>
            <ToggleGroup.Item value="center">Center</ToggleGroup.Item>
          </ToggleGroup.Root>
          <ContextMenu.Root>
            <ContextMenu.Trigger asChild>
              <div role="img" aria-label="Canvas" style={{ width: 200, height: 80, border: "1px dashed" }} />
            </ContextMenu.Trigger>
            <ContextMenu.Portal>
              <ContextMenu.Content>
                <ContextMenu.Item onSelect={() => setContext("Reload")}>Reload</ContextMenu.Item>
                <ContextMenu.Item onSelect={() => setContext("Print")}>Print</ContextMenu.Item>
              </ContextMenu.Content>
            </ContextMenu.Portal>
          </ContextMenu.Root>
        </main>
      </Tooltip.Provider>
    </Toast.Provider>
  );
}

createRoot(document.getElementById("root")!).render(<App />);
