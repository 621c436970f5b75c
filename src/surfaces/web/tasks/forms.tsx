import { useState } from "preact/hooks";
import { PRIORITIES, type Priority, type Task } from "../../../tasks/model.ts";
import { byHand } from "../../../tasks/rules/by-hand.ts";
import { useApp } from "../state/app-context.ts";
import { Box, useAnswer } from "../ui/dialog.tsx";
import { FormActs, onEnter, selectOnce } from "../ui/form.tsx";
import { handOver, tryOn } from "./acts.ts";

/** What somebody typed between commas or spaces. */
function parts(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

export function AddTask({ onClose }: { readonly onClose: () => void }) {
  const app = useApp();
  const [subject, setSubject] = useState("");
  const [description, setDescription] = useState("");
  const [priority, setPriority] = useState<Priority>(2);
  const [labels, setLabels] = useState("");
  const [blockers, setBlockers] = useState("");
  const task = {
    subject,
    priority,
    ...(description.trim() !== "" && { description }),
    ...(labels.trim() !== "" && { labels: parts(labels) }),
    ...(blockers.trim() !== "" && { blockedBy: parts(blockers) }),
  };
  const { problem, answer } = useAnswer(() => tryOn(app, { op: "add", tasks: [task] }), onClose);
  const add = () => {
    if (subject.trim() !== "") void answer();
  };
  const onKeyDown = onEnter(add);
  return (
    <Box title="Add a task" problem={problem} onClose={onClose}>
      <div class="form">
        <label>
          What is to be done
          <input
            dir="auto"
            value={subject}
            ref={selectOnce}
            onInput={(event) => setSubject(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </label>
        <label>
          Description
          <textarea
            dir="auto"
            rows={4}
            placeholder="What whoever takes it has to know, and when it is done"
            value={description}
            onInput={(event) => setDescription(event.currentTarget.value)}
          />
        </label>
        <div class="form-row">
          <PriorityField priority={priority} onChange={setPriority} />
          <label>
            Labels
            <input
              dir="auto"
              placeholder="db, api"
              value={labels}
              onInput={(event) => setLabels(event.currentTarget.value)}
              onKeyDown={onKeyDown}
            />
          </label>
          <label>
            Waits for
            <input
              placeholder="t3, t4"
              value={blockers}
              onInput={(event) => setBlockers(event.currentTarget.value)}
              onKeyDown={onKeyDown}
            />
          </label>
        </div>
        <FormActs go="Add" onGo={add} onCancel={onClose} />
      </div>
    </Box>
  );
}

export function PriorityField({
  priority,
  onChange,
}: {
  readonly priority: Priority;
  readonly onChange: (priority: Priority) => void;
}) {
  return (
    <label>
      Priority
      <select
        value={priority}
        onChange={(event) => {
          const chosen = PRIORITIES.find((each) => String(each) === event.currentTarget.value);
          if (chosen !== undefined) onChange(chosen);
        }}
      >
        {PRIORITIES.map((each) => (
          <option key={each} value={each}>
            P{each}
            {NAMES[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

const NAMES: Readonly<Record<Priority, string>> = {
  0: ", most urgent",
  1: "",
  2: ", as usual",
  3: "",
  4: ", some day",
};

interface AskProps {
  readonly title: string;
  readonly label: string;
  readonly hint: string;
  readonly go: string;
  /** Words to choose from. */
  readonly known?: readonly string[];
  /** Nothing is an answer, too. */
  readonly mayBeEmpty?: boolean;
  /** Answers why it cannot be. */
  onAnswer(text: string): Promise<string | undefined>;
  onClose(): void;
}

/** One question with one answer. */
function Ask({ title, label, hint, go, known = [], mayBeEmpty, onAnswer, onClose }: AskProps) {
  const [text, setText] = useState("");
  const { problem, answer } = useAnswer(() => onAnswer(text.trim()), onClose);
  const send = () => {
    if (text.trim() !== "" || mayBeEmpty) void answer();
  };
  return (
    <Box title={title} problem={problem} onClose={onClose}>
      <div class="form">
        <label>
          {label}
          <input
            dir="auto"
            list="known"
            value={text}
            ref={selectOnce}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={onEnter(send)}
          />
        </label>
        <datalist id="known">
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <p class="quiet">{hint}</p>
        <FormActs go={go} onGo={send} onCancel={onClose} />
      </div>
    </Box>
  );
}

interface AskTaskProps {
  readonly task: Task;
  readonly tasks: ReadonlyMap<string, Task>;
  onClose(): void;
}

export function AskOwner({ task, tasks, onClose }: AskTaskProps) {
  const app = useApp();
  const owners = new Set([...tasks.values()].flatMap(({ owner }) => owner ?? []));
  owners.delete(task.owner ?? "");
  return (
    <Ask
      title={`Hand over ${task.id}`}
      label="Who is to have it"
      hint={
        task.status === "claimed"
          ? `${task.owner ?? "Its holder"} is refused when it writes to it, and told who has it now.`
          : "It counts as claimed, with the usual lease."
      }
      go="Hand over"
      known={[...owners].sort()}
      onAnswer={(owner) => handOver(app, task, owner)}
      onClose={onClose}
    />
  );
}

export function AskEvidence({ task, onClose }: Omit<AskTaskProps, "tasks">) {
  const app = useApp();
  return (
    <Ask
      title={`Finish ${task.id}`}
      label="What shows that it is done"
      hint={
        task.status === "claimed"
          ? `A command, a path, a URL, or nothing. ${task.owner ?? "Its holder"} is refused when it writes to it.`
          : "A command, a path, a URL, or nothing."
      }
      go="Finish"
      mayBeEmpty
      onAnswer={(evidence) => tryOn(app, byHand.finish(task, evidence))}
      onClose={onClose}
    />
  );
}

export function AskBlocker({ task, tasks, onClose }: AskTaskProps) {
  const app = useApp();
  const known = [...tasks.values()]
    .filter(({ id, status }) => id !== task.id && status !== "done")
    .map(({ id }) => id);
  return (
    <Ask
      title={`Let ${task.id} wait`}
      label="For which task, such as t3"
      hint="It can be claimed when all that it waits for are done."
      go="Let it wait"
      known={known}
      onAnswer={(blocker) => tryOn(app, byHand.waitFor(task, blocker))}
      onClose={onClose}
    />
  );
}
