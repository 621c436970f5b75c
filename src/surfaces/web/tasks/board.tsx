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
import { isClosed } from "../../../tasks/rules/standing.ts";
import { useApp } from "../state/app-context.ts";
import { useKeys, useNow, useStore } from "../state/hooks.ts";
import { useTitle } from "../state/title.ts";
import { Button } from "../ui/parts.tsx";
import { drop, release, reopen, setPriority } from "./acts.ts";
import { Card } from "./card.tsx";
import { AddTask, AskBlocker, AskEvidence, AskOwner } from "./forms.tsx";
import { Graph } from "./graph.tsx";
import { holdersIn } from "./holders.ts";
import type { TasksState } from "./state.ts";
import { COLUMNS } from "./words.ts";

/** What does not fit on a screen anyway is counted until somebody wants it. */
const SHOWN = 30;

const MANY = 2_000;

type Asking = { readonly what: "owner" | "blocker" | "evidence"; readonly task: Task };

export function TasksPage() {
  const app = useApp();
  const { tasks: known, tracks, link } = useStore(app.store);
  const holders = useMemo(() => holdersIn(tracks.values()), [tracks]);
  useEffect(() => app.store.tasks.read(), []);
  useTitle("Tasks · Waymark");
  const [label, setLabel] = useState<string | undefined>();
  const [all, setAll] = useState<ReadonlySet<TaskColumn>>(new Set());
  const [chosen, setChosen] = useState<string | undefined>();
  const [isAdding, setAdding] = useState(false);
  const [asking, setAsking] = useState<Asking | undefined>();
  const main = useRef<HTMLElement>(null);
  const isTicking = useMemo(
    () => [...known.tasks.values()].some(({ status }) => status === "claimed"),
    [known.tasks],
  );
  // Thousands of tasks are put in order anew more seldom.
  const step = known.tasks.size > MANY ? 5_000 : 1_000;
  const now = Math.floor((useNow(isTicking) + known.skew) / step) * step;
  const { search } = app;
  const board = useMemo(
    () => taskBoard(known.tasks.values(), now, { search, label }),
    [known.tasks, now, search, label],
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
  /** Where nothing is chosen, the first press chooses: nobody acts on what is not marked. */
  const on = (act: (task: Task) => void) => () => {
    if (selected) act(selected.task);
    else focusFirst();
  };
  const onOpen = (act: (task: Task) => void) =>
    on((task) => {
      if (!isClosed(task)) act(task);
    });
  const filter = (): void => {
    const place = label === undefined ? -1 : board.labels.indexOf(label);
    setLabel(board.labels[place + 1]);
  };
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    ArrowRight: () => cross(1),
    ArrowLeft: () => cross(-1),
    g: () => focus(filled[placeOf().column]?.cards[0]),
    G: () => focus(filled[placeOf().column]?.cards.at(-1)),
    n: () => setAdding(true),
    f: filter,
    d: () => {
      const graph = document.getElementById("graph");
      graph?.scrollIntoView({ block: "start" });
      graph?.querySelector<HTMLElement>(".scroll")?.focus({ preventScroll: true });
    },
    t: () => app.go("/"),
    // What is searched for goes first.
    ...(search === "" && {
      Escape: () => (label === undefined ? app.go("/") : setLabel(undefined)),
    }),
    Enter: on(({ id }) => app.go(taskPath(id))),
    " ": on((task) => {
      if (isClosed(task)) void reopen(app, task);
      else setAsking({ what: "evidence", task });
    }),
    o: onOpen((task) => setAsking({ what: "owner", task })),
    b: onOpen((task) => setAsking({ what: "blocker", task })),
    x: onOpen((task) => void drop(app, task)),
    u: on((task) => {
      if (task.status === "claimed") void release(app, task);
    }),
    ...Object.fromEntries(
      PRIORITIES.map((each) => [String(each), on((task) => setPriority(app, task, each))]),
    ),
  });

  return (
    <main id="main" class={`page wide${link.state === "lost" ? " stale" : ""}`} ref={main}>
      <div class="head">
        <Headline board={board} known={known} />
        {board.labels.length > 0 && (
          <Button look="ghost" shortcut="f" onClick={filter}>
            {label === undefined ? "All labels" : `Label ${label}`}
          </Button>
        )}
        <Button shortcut="n" onClick={() => setAdding(true)}>
          Add a task
        </Button>
      </div>
      {known.state === "failed" && (
        <p class="strip" role="alert">
          The tasks cannot be read. {known.why}
        </p>
      )}
      {cards.size === 0 ? (
        <Nothing known={known} board={board} label={label} />
      ) : (
        <div class="kanban">
          {shown.map(({ column, cards: each }) => (
            <section key={column} class={column} aria-labelledby={`column-${column}`}>
              <h2 id={`column-${column}`}>
                {COLUMNS[column].title} <span class="num">{board.counts[column]}</span>
                {column === "done" && board.counts.cancelled > 0 && (
                  <span class="num"> and {board.counts.cancelled} dropped</span>
                )}
              </h2>
              <p class="hint">{COLUMNS[column].hint}</p>
              <ul>
                {each.map((card) => (
                  <Card
                    key={card.task.id}
                    card={card}
                    now={now}
                    holders={holders}
                    isSelected={card === selected}
                    onSelect={() => setChosen(card.task.id)}
                    onHandOver={() => setAsking({ what: "owner", task: card.task })}
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
      <Graph board={board} cards={cards} holders={holders} />
      {board.older + known.left > 0 && (
        <p class="quiet older">
          {counted(board.older + known.left, "older task")} not shown. Search finds what was done
          lately; <code>waymark task list --all</code> finds all.
        </p>
      )}
      {isAdding && <AddTask onClose={() => setAdding(false)} />}
      {asking?.what === "owner" && (
        <AskOwner task={asking.task} tasks={known.tasks} onClose={() => setAsking(undefined)} />
      )}
      {asking?.what === "evidence" && (
        <AskEvidence task={asking.task} onClose={() => setAsking(undefined)} />
      )}
      {asking?.what === "blocker" && (
        <AskBlocker task={asking.task} tasks={known.tasks} onClose={() => setAsking(undefined)} />
      )}
    </main>
  );
}

function Headline({ board, known }: { readonly board: TaskBoard; readonly known: TasksState }) {
  const [first, rest] = taskHeadline(board);
  if (known.state !== "read" && known.tasks.size === 0) return <h1>Tasks</h1>;
  return (
    <h1 class="task-line" aria-live="polite">
      <b>{first}</b> {rest}
    </h1>
  );
}

interface NothingProps {
  readonly known: TasksState;
  readonly board: TaskBoard;
  readonly label: string | undefined;
}

/** What is true, what happens by itself, and what to do. */
function Nothing({ known, board, label }: NothingProps) {
  const { search } = useApp();
  if (known.state === "failed") return null;
  if (known.state !== "read") return <p class="empty">Reading the tasks.</p>;
  if (search !== "")
    return (
      <p class="empty">
        Nothing for “{search}” in {counted(known.tasks.size, "task")}.
      </p>
    );
  if (label !== undefined)
    return <p class="empty">No task has this label now. Press f for the next one.</p>;
  if (board.older > 0)
    return (
      <p class="empty">
        Everything is done. {counted(board.older, "older task")} can be found by searching.
      </p>
    );
  return (
    <div class="empty">
      <p>
        <b>No tasks are kept here yet.</b>
      </p>
      <p>
        A task is work that one agent at a time holds. Add the first one with n, or in a terminal:
      </p>
      <pre>
        <code>waymark task add "Make refunds idempotent" --priority 1</code>
      </pre>
      <p>An agent takes the most urgent that is ready, and you see it here:</p>
      <pre>
        <code>waymark task claim --as {EXAMPLE.shortName}</code>
      </pre>
    </div>
  );
}
