import { Box } from "../ui/dialog.tsx";
import { Button } from "../ui/parts.tsx";

type Keys = readonly (readonly [string, string])[];

const EVERYWHERE: Keys = [
  ["j k ↑ ↓", "move"],
  ["enter", "open"],
  ["esc", "back"],
  ["g G", "first, last"],
  ["/", "search"],
  ["f", "filter"],
  ["z", "more or less: one line for each track, phases that are done folded"],
  ["t", "tasks, tracks"],
  ["?", "this help"],
];

const TRACKS: Keys = [
  ["a r c", "approve, reject, comment a plan"],
  ["p", "plan"],
  ["n", "add a todo"],
  ["e", "edit it"],
  ["space", "finish or reopen it"],
  ["x", "drop it, or take it back"],
  ["m", "note for the agent"],
  ["T", "make it a task of the team"],
  ["alt ↑ ↓", "put it elsewhere"],
  ["h [ ]", "history, step by step"],
  ["d", "light, dark, as the system"],
];

const TASKS: Keys = [
  ["← →", "to another column"],
  ["n", "add a task"],
  ["o", "hand it over"],
  ["u", "give it back, so that others can take it"],
  ["b", "let it wait for another"],
  ["0 … 4", "priority, 0 is the most urgent"],
  ["x", "drop it"],
  ["space", "finish or reopen it"],
  ["d", "graph"],
];

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Box title="Keys" keys={{ "?": onClose }} onClose={onClose}>
      <List keys={EVERYWHERE} />
      <h3>Tracks and todos</h3>
      <List keys={TRACKS} />
      <h3>Tasks</h3>
      <List keys={TASKS} />
      <Button onClick={onClose} shortcut="Escape">
        Close
      </Button>
    </Box>
  );
}

function List({ keys }: { readonly keys: Keys }) {
  return (
    <dl>
      {keys.map(([names, does]) => (
        <div key={names}>
          <dt>
            {names.split(" ").map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
