import { APP_TASK_STATES, type AppTask, type AppTasks } from "../../core/app-view.ts";
import { Icon, type IconName } from "../web/ui/icons.tsx";
import { Text } from "../web/ui/parts.tsx";
import { ShortDuration } from "../web/ui/time.tsx";

const LOOKS: Readonly<
  Record<AppTask["state"], { readonly icon: IconName; readonly label: string }>
> = {
  claimed: { icon: "active", label: "claimed" },
  failed: { icon: "failed", label: "failed" },
  ready: { icon: "pending", label: "ready" },
  waiting: { icon: "blocked", label: "blocked" },
};

/** The shared tasks that need attention, with their owners. */
export function Tasks({ tasks: { counts, tasks } }: { readonly tasks: AppTasks }) {
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
              <span class="tick">
                <Icon name={LOOKS[task.state].icon} label={LOOKS[task.state].label} />
              </span>
              <span class="text">
                <span class="meta num">{task.id}</span> <Text>{task.subject}</Text>
              </span>
              <Fact task={task} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Fact({ task: { state, owner, leaseUntil, waitsFor } }: { readonly task: AppTask }) {
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
  return <span class="fact">{state === "failed" ? "failed" : ""}</span>;
}
