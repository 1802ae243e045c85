// Controls of Material UI, each with its state in window.app.
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import {
  Accordion,
  AccordionDetails,
  AccordionSummary,
  Autocomplete,
  Button,
  Checkbox,
  Chip,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  FormControl,
  FormControlLabel,
  InputLabel,
  Menu,
  MenuItem,
  Radio,
  RadioGroup,
  Rating,
  Select,
  Slider,
  Snackbar,
  Stack,
  Switch,
  Tab,
  Tabs,
  TextField,
} from "@mui/material";
import { AdapterDayjs } from "@mui/x-date-pickers/AdapterDayjs";
import { DatePicker } from "@mui/x-date-pickers/DatePicker";
import { LocalizationProvider } from "@mui/x-date-pickers/LocalizationProvider";
import dayjs, { type Dayjs } from "dayjs";

const CITIES = ["Amsterdam", "Athens", "Berlin", "Lisbon", "Madrid", "Oslo", "Paris", "Prague", "Rome", "Vienna"];

function App() {
  const [age, setAge] = useState("10");
  const [city, setCity] = useState<string | null>(null);
  const [tags, setTags] = useState<string[]>([]);
  const [volume, setVolume] = useState(30);
  const [wifi, setWifi] = useState(false);
  const [tab, setTab] = useState(0);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [chosen, setChosen] = useState("");
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [saved, setSaved] = useState("");
  const [date, setDate] = useState<Dayjs | null>(dayjs("2026-03-10"));
  const [birthday, setBirthday] = useState<Dayjs | null>(null);
  const [pay, setPay] = useState("card");
  const [stars, setStars] = useState<number | null>(2);
  const [removed, setRemoved] = useState(false);
  const [sizes, setSizes] = useState<string[]>([]);
  useEffect(() => {
    window.app = {
      age,
      city,
      tags,
      volume,
      wifi,
      tab,
      chosen,
      open,
      saved,
      date: date?.isValid() ? date.format("YYYY-MM-DD") : null,
      birthday: birthday?.isValid() ? birthday.format("YYYY-MM-DD") : null,
      pay,
      stars,
      removed,
      sizes,
    };
  });
  return (
    <LocalizationProvider dateAdapter={AdapterDayjs}>
      <Stack spacing={2} sx={{ width: 480, p: 2 }}>
        <FormControl fullWidth>
          <InputLabel id="age">Age</InputLabel>
          <Select labelId="age" label="Age" value={age} onChange={(e) => setAge(e.target.value)}>
            <MenuItem value="10">Ten</MenuItem>
            <MenuItem value="20">Twenty</MenuItem>
            <MenuItem value="30">Thirty</MenuItem>
          </Select>
        </FormControl>
        <FormControl fullWidth>
          <InputLabel id="sizes">Sizes</InputLabel>
          <Select
            labelId="sizes"
            label="Sizes"
            multiple
            value={sizes}
            onChange={(e) => setSizes(e.target.value as string[])}
          >
            {["Small", "Medium", "Large"].map((size) => (
              <MenuItem key={size} value={size}>
                {size}
              </MenuItem>
            ))}
          </Select>
        </FormControl>
        <Autocomplete
          options={CITIES}
          value={city}
          onChange={(_, value) => setCity(value)}
          renderInput={(params) => <TextField {...params} label="City" />}
        />
        <Autocomplete
          multiple
          freeSolo
          options={[] as string[]}
          value={tags}
          onChange={(_, value) => setTags(value)}
          renderInput={(params) => <TextField {...params} label="Tags" />}
        />
        <Slider aria-label="Volume" value={volume} onChange={(_, value) => setVolume(value as number)} />
        <FormControlLabel
          control={<Switch checked={wifi} onChange={(e) => setWifi(e.target.checked)} />}
          label="Wi-Fi"
        />
        <RadioGroup aria-label="Payment" value={pay} onChange={(e) => setPay(e.target.value)}>
          <FormControlLabel value="card" control={<Radio />} label="Card" />
          <FormControlLabel value="cash" control={<Radio />} label="Cash" />
        </RadioGroup>
        <Rating name="stars" value={stars} onChange={(_, value) => setStars(value)} />
        <Tabs value={tab} onChange={(_, value) => setTab(value as number)}>
          <Tab label="Profile" />
          <Tab label="Billing" />
          <Tab label="Security" disabled />
        </Tabs>
        <div role="tabpanel">{tab === 0 ? "Your profile" : "Your invoices"}</div>
        <Button onClick={(e) => setAnchor(e.currentTarget)} aria-haspopup="menu">
          Actions
        </Button>
        <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
          {["Duplicate", "Archive", "Delete"].map((action) => (
            <MenuItem
              key={action}
              onClick={() => {
                setChosen(action);
                setAnchor(null);
              }}
            >
              {action}
            </MenuItem>
          ))}
        </Menu>
        <Button onClick={() => setOpen(true)}>Rename</Button>
        <Dialog open={open} onClose={() => setOpen(false)}>
          <DialogTitle>Rename the project</DialogTitle>
          <DialogContent>
            <TextField label="Name" margin="dense" value={name} onChange={(e) => setName(e.target.value)} />
          </DialogContent>
          <DialogActions>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button
              onClick={() => {
                setSaved(name);
                setOpen(false);
              }}
            >
              Save
            </Button>
          </DialogActions>
        </Dialog>
        <Snackbar open={saved !== ""} message={`Saved as ${saved}`} />
        {!removed && <Chip label="Draft" onDelete={() => setRemoved(true)} sx={{ alignSelf: "start" }} />}
        <DatePicker label="Start" value={date} onChange={setDate} />
        <DatePicker label="Birthday" value={birthday} onChange={setBirthday} />
        <Accordion>
          <AccordionSummary>Details</AccordionSummary>
          <AccordionDetails>
            <FormControlLabel control={<Checkbox />} label="Send me news" />
          </AccordionDetails>
        </Accordion>
      </Stack>
    </LocalizationProvider>
  );
}

createRoot(document.getElementById("root")!).render(<App />);
