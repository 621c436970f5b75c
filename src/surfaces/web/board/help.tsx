import { Dialog } from "../ui/dialog.tsx";
import { Button } from "../ui/parts.tsx";

type Keys = readonly (readonly [string, string])[];

const EVERYWHERE: Keys = [
  ["j k ↑ ↓", "move"],
  ["enter", "open"],
  ["esc", "back"],
  ["g G", "first, last"],
  ["/", "search"],
  ["ctrl k", "search or run a command"],
  ["f", "filter"],
  ["z", "toggle compact view"],
  ["t", "tasks or sessions"],
  ["R", "report of the last day"],
  ["u", "undo, while it is offered"],
  ["?", "keyboard shortcuts"],
];

const SESSIONS: Keys = [
  ["a r c", "approve, reject, comment on a plan"],
  ["p", "plan"],
  ["n", "add todo"],
  ["e", "edit todo"],
  ["space", "mark done or reopen"],
  ["x", "cancel or reopen"],
  ["m", "add note for the agent"],
  ["T", "promote to task"],
  ["o", "show or hide the evidence"],
  ["y", "copy the output of the open call"],
  ["v", "verify: run the check"],
  ["V", "ask the agent for proof"],
  ["M", "mute a finding"],
  ["A", "archive, or show again"],
  ["alt ↑ ↓", "reorder"],
  ["h [ ]", "history, previous, next"],
  ["d", "theme: light, dark, system"],
];

const TASKS: Keys = [
  ["← →", "previous, next column"],
  ["n", "add task"],
  ["P", "pause or resume the queue"],
  ["y", "retry a failed task"],
  ["m", "move the card: arrows, enter"],
  ["o", "assign"],
  ["u", "release"],
  ["b", "add blocker"],
  ["0 … 4", "set priority (0 is highest)"],
  ["x", "cancel task"],
  ["space", "mark done or reopen"],
  ["d", "dependency graph"],
];

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" keys={{ "?": onClose }} onClose={onClose}>
      <List keys={EVERYWHERE} />
      <h3>Sessions and todos</h3>
      <List keys={SESSIONS} />
      <h3>Tasks</h3>
      <List keys={TASKS} />
      <Button onClick={onClose} shortcut="Escape">
        Close
      </Button>
    </Dialog>
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
