import type { Library } from "../task.ts";

const library: Library = {
  title: "FullCalendar",
  package: "@fullcalendar/core",
  tasks: [
    {
      name: "the next month and back to the week",
      kind: "click",
      steps: [
        { do: "click", target: { role: "button", name: "Next month" } },
        { do: "click", target: { role: "button", name: "week" } },
      ],
      right: () => window.app.view().startsWith("timeGridWeek") && /2026/.test(window.app.view()),
    },
    {
      name: "an event of the month",
      kind: "click",
      steps: [{ do: "click", target: { text: "Trip" } }],
      right: () => window.app.opened.join() === "trip",
    },
    {
      name: "an event onto another day",
      kind: "drag",
      steps: [{ do: "drag", from: { text: "Trip" }, to: { role: "gridcell", name: "March 20, 2026" } }],
      right: () => window.app.events().includes("Trip 2026-03-20 "),
    },
    {
      name: "a new event over three days",
      kind: "drag",
      steps: [
        {
          do: "drag",
          from: { role: "gridcell", name: "March 24, 2026" },
          to: { role: "gridcell", name: "March 26, 2026" },
        },
      ],
      right: () => window.app.events().includes("New 2026-03-24 2026-03-27"),
    },
    {
      name: "a day",
      kind: "click",
      steps: [{ do: "click", target: { role: "gridcell", name: "March 18, 2026" } }],
      right: () => window.app.clicked.join() === "2026-03-18",
    },
    {
      name: "an event an hour later",
      kind: "drag",
      steps: [
        { do: "click", target: { role: "button", name: "week" } },
        { do: "drag", from: { text: "Review" }, to: { dx: 0, dy: 58 } },
      ],
      right: () => window.app.events().includes("Review 2026-03-03T11:00:00Z 2026-03-03T12:00:00Z"),
    },
  ],
};

export default library;
