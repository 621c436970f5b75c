// An agent's list in an Ink program: the current todo, the list and the board.
// Runs without a model: a few lines at the end play the agent.
import { Box, render } from "ink";
import { createElement as h, useEffect, useState } from "react";
import { createTracker } from "waymark";
import { Board, TodoList, TodoSpinner } from "waymark/ink";

const tracker = createTracker({ session: "demo" });
const list = tracker.list({ session: "demo", agent: "main" }, { title: "Fix the parser" });

function App() {
  const [track, setTrack] = useState(() => list.read());
  useEffect(() => list.subscribe(() => setTrack(list.read())), []);
  return h(
    Box,
    { flexDirection: "column", gap: 1 },
    h(TodoSpinner, { track, width: 60, expanded: true, defaultMessage: "Thinking" }),
    h(TodoList, { track, width: 60, style: "tree" }),
    h(Board, { tracks: [track], width: 60, height: 10 }),
  );
}

const app = render(h(App));
list.set([
  { text: "Find where empty files fail", status: "completed" },
  { text: "Fix the parser", activeText: "Fixing the parser", status: "in_progress" },
  { text: "Add a test", status: "pending" },
]);
await new Promise((resolve) => setTimeout(resolve, 300));
list.submit([
  { op: "finish", target: { text: "Fix the parser" } },
  { op: "start", target: { text: "Add a test" } },
]);
await new Promise((resolve) => setTimeout(resolve, 300));
app.unmount();
