import { useState } from "preact/hooks";
import { PRIORITIES, type Priority, type Task } from "../../../tasks/model.ts";
import { waitsForIn } from "../../../tasks/rules/board.ts";
import { finishObjection, userOps } from "../../../tasks/rules/user-ops.ts";
import { useApp } from "../state/app-context.ts";
import { Dialog, useSubmit } from "../ui/dialog.tsx";
import { FormActions, onEnter, selectOnce } from "../ui/form.tsx";
import { assign, sendOrProblem } from "./actions.ts";

/** Splits input at commas and spaces. */
function parts(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

export function AddTaskDialog({ onClose }: { readonly onClose: () => void }) {
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
  const { problem, submit } = useSubmit(
    () => sendOrProblem(app, { op: "add", tasks: [task] }),
    onClose,
  );
  const add = () => {
    if (subject.trim() !== "") void submit();
  };
  const onKeyDown = onEnter(add);
  return (
    <Dialog title="Add task" problem={problem} onClose={onClose}>
      <div class="form">
        <label>
          Subject
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
            placeholder="Context for the agent, and when the task is done"
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
            Blocked by
            <input
              placeholder="t3, t4"
              value={blockers}
              onInput={(event) => setBlockers(event.currentTarget.value)}
              onKeyDown={onKeyDown}
            />
          </label>
        </div>
        <FormActions submitLabel="Add" onSubmit={add} onCancel={onClose} />
      </div>
    </Dialog>
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
  0: " (most urgent)",
  1: "",
  2: " (normal)",
  3: "",
  4: " (someday)",
};

interface AskProps {
  readonly title: string;
  readonly label: string;
  readonly hint: string;
  readonly submitLabel: string;
  /** Suggestions. */
  readonly known?: readonly string[];
  /** Empty input is valid. */
  readonly mayBeEmpty?: boolean;
  /** Returns the reason if the input was refused. */
  onAnswer(text: string): Promise<string | undefined>;
  onClose(): void;
}

/** A dialog with one input field. */
function QuestionDialog({
  title,
  label,
  hint,
  submitLabel,
  known = [],
  mayBeEmpty,
  onAnswer,
  onClose,
}: AskProps) {
  const [text, setText] = useState("");
  const { problem, submit } = useSubmit(() => onAnswer(text.trim()), onClose);
  const send = () => {
    if (text.trim() !== "" || mayBeEmpty) void submit();
  };
  return (
    <Dialog title={title} problem={problem} onClose={onClose}>
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
        <FormActions submitLabel={submitLabel} onSubmit={send} onCancel={onClose} />
      </div>
    </Dialog>
  );
}

interface AskTaskProps {
  readonly task: Task;
  readonly tasks: ReadonlyMap<string, Task>;
  onClose(): void;
}

export function OwnerDialog({ task, tasks, onClose }: AskTaskProps) {
  const app = useApp();
  const owners = new Set([...tasks.values()].flatMap(({ owner }) => owner ?? []));
  owners.delete(task.owner ?? "");
  return (
    <QuestionDialog
      title={`${task.status === "claimed" ? "Reassign" : "Assign"} ${task.id}`}
      label="Owner"
      hint={
        task.status === "claimed"
          ? `${task.owner ?? "The current owner"} can no longer update this task.`
          : "The task is claimed for the owner with the default lease."
      }
      submitLabel="Assign"
      known={[...owners].sort()}
      onAnswer={(owner) => assign(app, task, owner)}
      onClose={onClose}
    />
  );
}

export function EvidenceDialog({ task, tasks, onClose }: AskTaskProps) {
  const app = useApp();
  const waitsFor = waitsForIn(task, tasks);
  const objection = finishObjection(task, waitsFor);
  return (
    <QuestionDialog
      title={`Mark ${task.id} as done`}
      label="Evidence (optional)"
      hint={[
        "A command, path or URL.",
        ...(objection === undefined
          ? []
          : [`${objection}; the history records that you forced it.`]),
        ...(task.status === "claimed"
          ? [`${task.owner ?? "The current owner"} can no longer update this task.`]
          : []),
      ].join(" ")}
      submitLabel="Mark done"
      mayBeEmpty
      onAnswer={(evidence) => sendOrProblem(app, userOps.finish(task, evidence, waitsFor))}
      onClose={onClose}
    />
  );
}

export function BlockerDialog({ task, tasks, onClose }: AskTaskProps) {
  const app = useApp();
  const known = [...tasks.values()]
    .filter(({ id, status }) => id !== task.id && status !== "done")
    .map(({ id }) => id);
  return (
    <QuestionDialog
      title={`Add blocker to ${task.id}`}
      label="Task id, e.g. t3"
      hint={`${task.id} can be claimed once all its blockers are done.`}
      submitLabel="Add blocker"
      known={known}
      onAnswer={(blocker) => sendOrProblem(app, userOps.waitFor(task, blocker))}
      onClose={onClose}
    />
  );
}
