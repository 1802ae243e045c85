// FullCalendar: a week in half hours and a month, both of which can be changed with the mouse.
import { Calendar } from "@fullcalendar/core";
import dayGrid from "@fullcalendar/daygrid";
import interaction from "@fullcalendar/interaction";
import timeGrid from "@fullcalendar/timegrid";

const root = document.querySelector<HTMLElement>("#root")!;
const clicked: string[] = [];
const opened: string[] = [];
const calendar = new Calendar(root, {
  plugins: [dayGrid, timeGrid, interaction],
  initialView: "dayGridMonth",
  initialDate: "2026-03-02",
  timeZone: "UTC",
  height: 680,
  editable: true,
  selectable: true,
  headerToolbar: { left: "prev,next today", center: "title", right: "dayGridMonth,timeGridWeek" },
  slotMinTime: "08:00",
  slotMaxTime: "18:00",
  allDaySlot: false,
  expandRows: true,
  events: [
    { id: "review", title: "Review", start: "2026-03-03T10:00:00Z", end: "2026-03-03T11:00:00Z" },
    { id: "trip", title: "Trip", start: "2026-03-10", allDay: true },
  ],
  select: ({ startStr, endStr, allDay }) =>
    void calendar.addEvent({ title: "New", start: startStr, end: endStr, allDay }),
  dateClick: ({ dateStr }) => void clicked.push(dateStr),
  eventClick: ({ event }) => void opened.push(event.id),
});
calendar.render();

window.app = {
  events: () => calendar.getEvents().map(({ title, startStr, endStr }) => `${title} ${startStr} ${endStr}`),
  view: () => `${calendar.view.type} ${calendar.view.title}`,
  clicked,
  opened,
};
