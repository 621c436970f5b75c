import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { EXAMPLE } from "../../../agents/identities.ts";
import { counted } from "../../../core/text/count.ts";
import { taskPath } from "../../../core/wire.ts";
import { PRIORITIES, type Task } from "../../../tasks/model.ts";
import {
  TASK_COLUMNS,
  type TaskBoard,
  type TaskCard,
  type TaskColumn,
  taskBoard,
  taskHeadline,
} from "../../../tasks/rules/board.ts";
import { isClosed } from "../../../tasks/rules/task-at.ts";
import { pauseText } from "../../text/tasks/labels.ts";
import { useApp } from "../state/app-context.ts";
import { type Keys, useKeys, useNow, useStore } from "../state/hooks.ts";
import { useTitle } from "../state/title.ts";
import { Button, Text } from "../ui/parts.tsx";
import { cancelTask, pauseQueue, release, reopen, retry, setPriority } from "./actions.ts";
import { Card } from "./card.tsx";
import { type Drag, useDrag } from "./drag.ts";
import type { Drop } from "./drop.ts";
import { AddTaskDialog, BlockerDialog, EvidenceDialog, OwnerDialog } from "./forms.tsx";
import { Graph } from "./graph.tsx";
import { COLUMNS } from "./labels.ts";
import { ownerLookup } from "./owners.ts";
import type { TasksState } from "./state.ts";

/** Cards per column until the user asks for more. */
const SHOWN = 30;

const MANY = 2_000;

type OpenDialog = { readonly what: "owner" | "blocker" | "evidence"; readonly task: Task };

export function TasksPage() {
  const app = useApp();
  const { tasks: known, tracks, connection } = useStore(app.store);
  const owners = useMemo(() => ownerLookup(tracks.values()), [tracks]);
  useEffect(() => app.store.tasks.load(), []);
  useTitle("Tasks · Waymark");
  const [label, setLabel] = useState<string | undefined>();
  const [all, setAll] = useState<ReadonlySet<TaskColumn>>(new Set());
  const [chosen, setChosen] = useState<string | undefined>();
  const [isAdding, setAdding] = useState(false);
  const [dialog, setDialog] = useState<OpenDialog | undefined>();
  const main = useRef<HTMLElement>(null);
  const isTicking = useMemo(
    () =>
      known.queue.paused !== undefined ||
      [...known.tasks.values()].some(({ status }) => status === "claimed"),
    [known.tasks, known.queue],
  );
  // Thousands of tasks are sorted less often.
  const step = known.tasks.size > MANY ? 5_000 : 1_000;
  const now = Math.floor((useNow(isTicking) + known.skew) / step) * step;
  const { search } = app;
  const board = useMemo(
    () => taskBoard(known.tasks.values(), now, { search, label, paused: known.queue.paused }),
    [known.tasks, now, search, label, known.queue],
  );
  const shown = TASK_COLUMNS.map((column) => ({
    column,
    cards: all.has(column) ? board.columns[column] : board.columns[column].slice(0, SHOWN),
  }));
  const cards = useMemo(
    () =>
      new Map(
        TASK_COLUMNS.flatMap((column) => board.columns[column]).map((card) => [card.task.id, card]),
      ),
    [board],
  );
  const filled = shown.filter((each) => each.cards.length > 0);
  const selected = cards.get(chosen ?? "");

  const focus = (card: TaskCard | undefined): void => {
    if (!card) return;
    setChosen(card.task.id);
    const found = main.current?.querySelector(`[data-task="${CSS.escape(card.task.id)}"]`);
    found?.querySelector<HTMLElement>("a.title")?.focus({ preventScroll: true });
    found?.scrollIntoView({ block: "nearest" });
  };
  const focusFirst = (): void => focus(filled[0]?.cards[0]);
  const placeOf = () => {
    const column = filled.findIndex((each) => each.column === selected?.column);
    const row = filled[column]?.cards.findIndex(({ task }) => task.id === selected?.task.id) ?? 0;
    return { column: Math.max(0, column), row };
  };
  const move = (by: number): void => {
    const { column, row } = placeOf();
    if (selected) focus(filled[column]?.cards[row + by]);
    else focusFirst();
  };
  const cross = (by: number): void => {
    const { column, row } = placeOf();
    const next = filled[column + by]?.cards;
    if (selected) focus(next?.[Math.min(row, next.length - 1)]);
    else focusFirst();
  };
  /** Without a selection, the key selects the first task instead of acting. */
  const on = (act: (task: Task) => void) => () => {
    if (selected) act(selected.task);
    else focusFirst();
  };
  const onOpen = (act: (task: Task) => void) =>
    on((task) => {
      if (!isClosed(task)) act(task);
    });
  const { drag, dropAt, begin, pickUp } = useDrag({
    board,
    find: (id) => cards.get(id),
    onDrop({ task }, drop) {
      if ("refused" in drop) app.notify({ text: `${drop.refused}.`, isProblem: true });
      else if (drop.act === "assign") setDialog({ what: "owner", task });
      else if (drop.act === "evidence") setDialog({ what: "evidence", task });
      else if (drop.act === "blocker") setDialog({ what: "blocker", task });
      else if (drop.act === "release") void release(app, task);
      else if (drop.act === "reopen") void reopen(app, task);
      else if (drop.priority !== undefined) setPriority(app, task, drop.priority);
    },
  });
  const filter = (): void => {
    const index = label === undefined ? -1 : board.labels.indexOf(label);
    setLabel(board.labels[index + 1]);
  };
  const keys: Keys = {
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    ArrowRight: () => cross(1),
    ArrowLeft: () => cross(-1),
    g: () => focus(filled[placeOf().column]?.cards[0]),
    G: () => focus(filled[placeOf().column]?.cards.at(-1)),
    n: () => setAdding(true),
    P: () => void pauseQueue(app, { paused: board.paused === undefined }),
    y: on((task) => {
      if (task.status === "failed") retry(app, task);
    }),
    f: filter,
    d: () => {
      const graph = document.getElementById("graph");
      graph?.scrollIntoView({ block: "start" });
      graph?.querySelector<HTMLElement>(".scroll")?.focus({ preventScroll: true });
    },
    t: () => app.navigate("/"),
    // Escape clears the search first.
    ...(search === "" && {
      Escape: () => (label === undefined ? app.navigate("/") : setLabel(undefined)),
    }),
    Enter: on(({ id }) => app.navigate(taskPath(id))),
    " ": on((task) => {
      if (task.status === "failed") retry(app, task);
      else if (isClosed(task)) void reopen(app, task);
      else setDialog({ what: "evidence", task });
    }),
    m: () => (selected ? pickUp(selected) : focusFirst()),
    o: onOpen((task) => setDialog({ what: "owner", task })),
    b: onOpen((task) => setDialog({ what: "blocker", task })),
    x: onOpen((task) => void cancelTask(app, task)),
    u: on((task) => {
      if (task.status === "claimed") void release(app, task);
    }),
    ...Object.fromEntries(
      PRIORITIES.map((each) => [String(each), on((task) => setPriority(app, task, each))]),
    ),
  };
  // While a card is dragged, keys move it.
  useKeys(drag ? {} : keys);

  return (
    <main id="main" class={`page wide${connection.state === "lost" ? " stale" : ""}`} ref={main}>
      <div class="head">
        <Headline board={board} known={known} />
        {board.labels.length > 0 && (
          <Button look="ghost" shortcut="f" onClick={filter}>
            {label === undefined ? "All labels" : `Label ${label}`}
          </Button>
        )}
        {!board.paused && cards.size > 0 && (
          <Button look="ghost" shortcut="P" onClick={() => void pauseQueue(app, { paused: true })}>
            Pause queue
          </Button>
        )}
        <Button shortcut="n" onClick={() => setAdding(true)}>
          Add task
        </Button>
      </div>
      {board.paused && (
        <p class="strip" role="status">
          <Text>{pauseText(board.paused, now)}</Text>
          <Button shortcut="P" onClick={() => void pauseQueue(app, { paused: false })}>
            Resume queue
          </Button>
        </p>
      )}
      {known.state === "failed" && (
        <p class="strip" role="alert">
          Can't load tasks. {known.why}
        </p>
      )}
      {cards.size === 0 ? (
        <EmptyState known={known} board={board} label={label} />
      ) : (
        <div class="kanban">
          {shown.map(({ column, cards: each }) => (
            <section
              key={column}
              class={`${column}${drag ? " droppable" : ""}${drag?.column === column ? " target" : ""}`}
              data-column={column}
              aria-labelledby={`column-${column}`}
            >
              <h2 id={`column-${column}`}>
                {COLUMNS[column].title} <span class="num">{board.counts[column]}</span>
                {column === "done" && board.counts.cancelled > 0 && (
                  <span class="num"> and {board.counts.cancelled} cancelled</span>
                )}
              </h2>
              <p class="hint">{drag ? dropText(dropAt(column)) : COLUMNS[column].hint}</p>
              <ul>
                {each.map((card) => (
                  <Card
                    key={card.task.id}
                    card={card}
                    now={now}
                    owners={owners}
                    isSelected={card === selected}
                    drag={
                      card.task.id === drag?.card.task.id
                        ? "lifted"
                        : card.task.id === drag?.over
                          ? "over"
                          : undefined
                    }
                    onPress={(event) => begin(event, card)}
                    onSelect={() => setChosen(card.task.id)}
                    onAssign={() => setDialog({ what: "owner", task: card.task })}
                  />
                ))}
              </ul>
              {board.columns[column].length > each.length && (
                <Button look="ghost" onClick={() => setAll(new Set([...all, column]))}>
                  Show {board.columns[column].length - each.length} more
                </Button>
              )}
            </section>
          ))}
        </div>
      )}
      <Graph board={board} cards={cards} owners={owners} />
      {board.older + known.left > 0 && (
        <p class="quiet older">
          {counted(board.older + known.left, "older task")} not shown. Search finds recent ones;{" "}
          <code>waymark task list --all</code> lists all.
        </p>
      )}
      <Dragged drag={drag} drop={drag && dropAt(drag.column)} />
      {isAdding && <AddTaskDialog onClose={() => setAdding(false)} />}
      {dialog?.what === "owner" && (
        <OwnerDialog task={dialog.task} tasks={known.tasks} onClose={() => setDialog(undefined)} />
      )}
      {dialog?.what === "evidence" && (
        <EvidenceDialog
          task={dialog.task}
          tasks={known.tasks}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.what === "blocker" && (
        <BlockerDialog
          task={dialog.task}
          tasks={known.tasks}
          onClose={() => setDialog(undefined)}
        />
      )}
    </main>
  );
}

/** `Drop: assign to an agent`. */
function dropText(drop: Drop | undefined): string {
  if (!drop) return "Drop: no change";
  return "refused" in drop ? `No drop: ${drop.refused}` : `Drop: ${drop.label}`;
}

/** The dragged card at the pointer; for keys, what a drop does is announced. */
function Dragged({
  drag,
  drop,
}: {
  readonly drag: Drag | undefined;
  readonly drop: Drop | undefined;
}) {
  const text = drag
    ? `${drag.card.task.id}, ${COLUMNS[drag.column].title}. ${dropText(drop)}. Esc cancels.`
    : "";
  return (
    <>
      <p class={drag && !drag.at ? "drag-line" : "visually-hidden"} role="status">
        {text}
      </p>
      {drag?.at && (
        <div
          class="drag-ghost"
          aria-hidden="true"
          style={{ transform: `translate(${drag.at.x + 12}px, ${drag.at.y + 12}px)` }}
        >
          <p>
            <code>{drag.card.task.id}</code> <Text>{drag.card.task.subject}</Text>
          </p>
          <p class="drag-effect">{dropText(drop)} · Esc cancels</p>
        </div>
      )}
    </>
  );
}

function Headline({ board, known }: { readonly board: TaskBoard; readonly known: TasksState }) {
  const [first, rest] = taskHeadline(board);
  if (known.tasks.size === 0) return <h1>Tasks</h1>;
  return (
    <h1 class="task-line" aria-live="polite">
      <b>{first}</b> {rest}
    </h1>
  );
}

interface EmptyStateProps {
  readonly known: TasksState;
  readonly board: TaskBoard;
  readonly label: string | undefined;
}

/** The empty state of the task board. */
function EmptyState({ known, board, label }: EmptyStateProps) {
  const { search } = useApp();
  if (known.state === "failed") return null;
  if (known.state !== "loaded") return <p class="empty">Loading tasks…</p>;
  if (search !== "")
    return (
      <p class="empty">
        No matches for “{search}” in {counted(known.tasks.size, "task")}.
      </p>
    );
  if (label !== undefined)
    return <p class="empty">No tasks with this label. Press f for the next label.</p>;
  if (board.older > 0)
    return (
      <p class="empty">All tasks are done. Search to find {counted(board.older, "older task")}.</p>
    );
  return (
    <div class="empty">
      <p>
        <b>No tasks yet.</b>
      </p>
      <p>A task is claimed by one agent at a time. Press n to add one, or run in a terminal:</p>
      <pre>
        <code>waymark task add "Make refunds idempotent" --priority 1</code>
      </pre>
      <p>Agents claim the most urgent ready task:</p>
      <pre>
        <code>waymark task claim --as {EXAMPLE.shortName}</code>
      </pre>
    </div>
  );
}
