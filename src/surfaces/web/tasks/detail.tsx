import { useEffect, useState } from "preact/hooks";
import type { Task } from "../../../tasks/model.ts";
import { PRIORITIES } from "../../../tasks/model.ts";
import { leaseOf, waitsForIn } from "../../../tasks/rules/board.ts";
import { isClosed, standing } from "../../../tasks/rules/standing.ts";
import type { TaskDetailAnswer } from "../../../tasks/wire.ts";
import { useApp } from "../state/app-context.ts";
import { useKeys, useNow, useStore } from "../state/hooks.ts";
import { useTitle } from "../state/title.ts";
import { Icon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Button, Go, Pill, Text } from "../ui/parts.tsx";
import { duration, when } from "../ui/words.ts";
import { drop, giveLonger, release, reopen, setPriority } from "./acts.ts";
import { Lease } from "./card.tsx";
import { EditDescription, EditSubject, HEADINGS, useEdits } from "./edits.tsx";
import { AskBlocker, AskEvidence, AskOwner, PriorityField } from "./forms.tsx";
import { History } from "./history.tsx";
import { type Holder, holdersIn, ownerHue } from "./holders.ts";
import { Ties } from "./ties.tsx";
import { listed, taskMark } from "./words.ts";

/** Everything of one task, and what a person can do to it. */
export function TaskPage({ id }: { readonly id: string }) {
  const app = useApp();
  const { tasks: known, tracks, link } = useStore(app.store);
  const { store } = app;
  useEffect(() => {
    store.tasks.read();
    store.tasks.look(id);
    return () => store.tasks.forget(id);
  }, [id]);
  const detail = known.details.get(id);
  useTitle(detail ? `${detail.task.subject} · Waymark` : "Tasks · Waymark");
  const now = useNow(detail?.task.status === "claimed") + known.skew;
  useKeys({ Escape: () => app.go("/tasks"), t: () => app.go("/tasks") });
  if (!detail)
    return (
      <main id="main" class="page">
        <p class="empty">
          {known.state === "failed"
            ? `The tasks cannot be read. ${known.why}`
            : known.details.has(id)
              ? `There is no task ${id}.`
              : known.troubles.has(id)
                ? `The task cannot be read, trying again. ${known.troubles.get(id)}`
                : "Reading the task."}{" "}
          <Go to="/tasks" class="link">
            Back to all tasks
          </Go>
        </p>
      </main>
    );
  return (
    <Detail
      detail={detail}
      tasks={known.tasks}
      holder={holdersIn(tracks.values())(detail.task.owner)}
      now={now}
      isStale={link.state === "lost"}
    />
  );
}

interface DetailProps {
  readonly detail: TaskDetailAnswer;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly holder: Holder | undefined;
  readonly now: number;
  readonly isStale: boolean;
}

function Detail({ detail, tasks, holder, now, isStale }: DetailProps) {
  const app = useApp();
  const task = standing(detail.task, now);
  const [asking, setAsking] = useState<"owner" | "blocker" | "evidence" | undefined>();
  const edits = useEdits(task);
  const edited = edits.open;
  const waitsFor = waitsForIn(task, tasks);
  const lease = task.status === "claimed" ? leaseOf(task, now) : undefined;
  const closed = isClosed(task);
  const { icon, says } = taskMark(task, waitsFor.length > 0);
  useKeys({
    ...(asking === undefined &&
      edited === undefined && {
        e: () => edits.begin("subject"),
        m: () => edits.begin("description"),
        b: () => setAsking("blocker"),
        ...(closed
          ? { " ": () => void reopen(app, task) }
          : {
              " ": () => setAsking("evidence"),
              o: () => setAsking("owner"),
              x: () => void drop(app, task),
            }),
        ...(task.status === "claimed" && { u: () => void release(app, task) }),
        ...Object.fromEntries(
          PRIORITIES.map((each) => [String(each), () => setPriority(app, task, each)]),
        ),
      }),
    ...(edited !== undefined && { Escape: edits.close }),
  });
  return (
    <main id="main" class={`page ${ownerHue(task.owner, holder)}${isStale ? " stale" : ""}`}>
      <nav class="crumb" aria-label="Where you are">
        <Go to="/tasks">Tasks</Go> <span aria-hidden="true">/</span> <code>{task.id}</code>
      </nav>
      <header class="hero">
        {edited?.field === "subject" ? (
          <EditSubject edit={edited} edits={edits} />
        ) : (
          // Without a key the buttons below would be made anew, and whoever is on one would lose it.
          <div class="hero-line" key="line">
            <h1 id={HEADINGS.subject} tabIndex={-1}>
              <Text>{task.subject}</Text>
            </h1>
            {task.status === "failed" && (
              <Pill icon="failed" look="broken">
                Failed
              </Pill>
            )}
            {lease?.isLow && (
              <Pill icon="stalled" look="watch">
                {`Free in ${duration(lease.left)}`}
              </Pill>
            )}
          </div>
        )}
        <p class="meta">
          <span>
            <Icon name={icon} /> {says}
            {waitsFor.length > 0 && `: ${listed(waitsFor)}`}
          </span>
          <span>P{task.priority}</span>
          {task.labels.map((label) => (
            <Text key={label} class="chip">
              {label}
            </Text>
          ))}
          <span class="num">
            added {when(task.createdAt, now)}
            {task.author !== undefined && (
              <>
                {" by "}
                <Text>{task.author}</Text>
              </>
            )}
          </span>
          {task.ref !== undefined && (
            <span>
              known as <Text class="mono">{task.ref}</Text>
            </span>
          )}
        </p>
        <div class="acts">
          {closed ? (
            <Button shortcut=" " onClick={() => void reopen(app, task)}>
              Reopen
            </Button>
          ) : (
            <>
              <Button shortcut="o" onClick={() => setAsking("owner")}>
                {task.status === "claimed" ? "Hand over" : "Give it to somebody"}
              </Button>
              <Button shortcut=" " onClick={() => setAsking("evidence")}>
                Finish
              </Button>
            </>
          )}
          {task.status === "claimed" && (
            <>
              <Button shortcut="u" onClick={() => void release(app, task)}>
                Give it back
              </Button>
              <Button look="ghost" onClick={() => void giveLonger(app, task)}>
                Give it longer
              </Button>
            </>
          )}
          <Button look="ghost" shortcut="e" onClick={() => edits.begin("subject")}>
            Edit
          </Button>
          {!closed && (
            <Button look="ghost" shortcut="x" onClick={() => void drop(app, task)}>
              Drop
            </Button>
          )}
          <PriorityField
            priority={task.priority}
            onChange={(priority) => setPriority(app, task, priority)}
          />
        </div>
      </header>
      <div class="columns">
        <div class="side">
          <section class="card" aria-labelledby={HEADINGS.description}>
            <header>
              <h2 id={HEADINGS.description} tabIndex={-1}>
                Description
              </h2>
              <span hidden={edited?.field === "description"}>
                <Button look="ghost" shortcut="m" onClick={() => edits.begin("description")}>
                  {task.description === undefined ? "Write one" : "Edit"}
                </Button>
              </span>
            </header>
            {edited?.field === "description" ? (
              <EditDescription edit={edited} edits={edits} />
            ) : task.description === undefined ? (
              <p class="empty">None. Whoever takes the task knows only what its name says.</p>
            ) : (
              <div class="plan-text whole">
                <Markdown text={task.description} />
              </div>
            )}
          </section>
          <Ties
            task={task}
            detail={detail}
            tasks={tasks}
            waitsFor={waitsFor}
            onAdd={() => setAsking("blocker")}
          />
        </div>
        <div class="side">
          <section class="card" aria-labelledby="work-title">
            <header>
              <h2 id="work-title">Work</h2>
            </header>
            <dl class="work-facts">
              <Fact name={task.status === "claimed" ? "Held by" : "Last held by"}>
                {task.owner ?? task.lapsed?.owner}
              </Fact>
              {holder && (
                <div>
                  <dt>Its list</dt>
                  <dd>
                    <Go to={holder.path} class="link">
                      {holder.name}
                      {holder.progress !== "" && `, ${holder.progress}`}
                    </Go>
                  </dd>
                </div>
              )}
              {lease && (
                <div>
                  <dt>Lease</dt>
                  <dd class="num">
                    {duration(lease.left)} left, renewed {duration(now - lease.renewedAt)} ago
                    <Lease share={lease.share} isLow={lease.isLow} />
                  </dd>
                </div>
              )}
              <div>
                <dt>Tries</dt>
                <dd class="num">
                  {task.attempts} of {task.maxAttempts}
                </dd>
              </div>
              <Fact name="Reason">{task.reason}</Fact>
              {task.lapsed && <Fact name="Silent">{`${task.lapsed.owner} fell silent`}</Fact>}
              {task.evidence.length > 0 && (
                <div>
                  <dt>Evidence, as given</dt>
                  {task.evidence.map((proof, place) => (
                    <dd key={place}>
                      <Text>{proof}</Text>
                    </dd>
                  ))}
                </div>
              )}
              {Object.keys(task.metadata).length > 0 && (
                <Fact name="Metadata">{JSON.stringify(task.metadata)}</Fact>
              )}
            </dl>
          </section>
          <History detail={detail} now={now} />
        </div>
      </div>
      {asking === "owner" && (
        <AskOwner task={task} tasks={tasks} onClose={() => setAsking(undefined)} />
      )}
      {asking === "evidence" && <AskEvidence task={task} onClose={() => setAsking(undefined)} />}
      {asking === "blocker" && (
        <AskBlocker task={task} tasks={tasks} onClose={() => setAsking(undefined)} />
      )}
    </main>
  );
}

function Fact({ name, children }: { name: string; children: string | undefined }) {
  if (children === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Text>{children}</Text>
      </dd>
    </div>
  );
}
