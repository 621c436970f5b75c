import { APP_TASK_STATES, type AppTask, type AppTasks } from "../../core/app-view.ts";
import { forPage } from "../../core/text/escape.ts";
import { USER } from "../../tasks/rules/user-ops.ts";
import { Icon, type IconName } from "../web/ui/icons.tsx";
import { Text } from "../web/ui/parts.tsx";
import { ShortDuration } from "../web/ui/time.tsx";
import { short } from "./edits.ts";
import { AddField } from "./list.tsx";
import type { Live } from "./live.ts";

const LOOKS: Readonly<
  Record<AppTask["state"], { readonly icon: IconName; readonly label: string }>
> = {
  claimed: { icon: "active", label: "claimed" },
  failed: { icon: "failed", label: "failed" },
  ready: { icon: "pending", label: "ready" },
  waiting: { icon: "blocked", label: "blocked" },
};

interface TasksProps {
  readonly tasks: AppTasks;
  readonly live: Live;
}

/** The shared tasks that need attention, with their owners; the user adds, completes and retries them. */
export function Tasks({ tasks: { counts, tasks }, live }: TasksProps) {
  const { canCall } = live.get();
  const facts = [
    ...APP_TASK_STATES.map((state) => `${counts[state]} ${LOOKS[state].label}`),
    `${counts.done} done`,
  ].filter((fact) => !fact.startsWith("0 "));
  return (
    <section class="tasks" aria-labelledby="tasks-title">
      <header class="head">
        <h1 id="tasks-title">Tasks</h1>
        <p class="meta num">{facts.join(", ") || "No tasks yet."}</p>
      </header>
      {tasks.length > 0 && (
        <ul class="rows">
          {tasks.map((task) => (
            <li key={task.id} class={`is-${task.state}`}>
              <Tick task={task} live={live} />
              <span class="text">
                <span class="meta num">{task.id}</span> <Text>{task.subject}</Text>
              </span>
              <Fact task={task} />
            </li>
          ))}
        </ul>
      )}
      {canCall && (
        <AddField
          label="Add a task"
          onAdd={(subject, onDone) =>
            live.sendTask(
              { op: "add", tasks: [{ subject }] },
              { text: `Added “${short(subject)}”` },
              onDone,
            )
          }
        />
      )}
    </section>
  );
}

/** Completes a ready task, and makes a failed one ready again. A claimed task is its owner's. */
function Tick({ task, live }: { readonly task: AppTask; readonly live: Live }) {
  const { id, state, subject, hasCheck } = task;
  const { icon, label } = LOOKS[state];
  const { canCall, isBusy } = live.get();
  const reopen = { op: "reopen", id } as const;
  const name = short(subject);
  const tick =
    state === "failed"
      ? { verb: "Retry", send: () => live.sendTask(reopen, { text: `Retrying “${name}”` }) }
      : state === "ready" && !hasCheck
        ? {
            verb: "Mark done",
            send: () =>
              live.sendTask(
                { op: "finish", owner: USER, held: [{ id }], force: true },
                {
                  text: `Completed “${name}”`,
                  undo: () => live.sendTask(reopen, { text: `Reopened “${name}”` }),
                },
              ),
          }
        : undefined;
  if (!canCall || !tick)
    return (
      <span class="tick">
        <Icon name={icon} label={label} />
      </span>
    );
  return (
    <button
      type="button"
      class="tick"
      disabled={isBusy}
      aria-label={`${tick.verb}: ${id} ${forPage(subject)}. Status: ${label}.`}
      onClick={tick.send}
    >
      <Icon name={icon} />
    </button>
  );
}

function Fact({
  task: { state, owner, leaseUntil, hasCheck, waitsFor },
}: {
  readonly task: AppTask;
}) {
  if (state === "claimed")
    return (
      <span class="fact num">
        <Text class="owner">{owner ?? ""}</Text>
        {leaseUntil !== undefined && (
          <>
            , lease <ShortDuration ms={Math.max(0, leaseUntil - Date.now())} />
          </>
        )}
      </span>
    );
  if (waitsFor.length > 0) return <span class="fact">blocked by {waitsFor.join(", ")}</span>;
  if (state === "failed") return <span class="fact">failed</span>;
  return <span class="fact">{hasCheck && "has a check"}</span>;
}
