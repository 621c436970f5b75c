import { useEffect, useState } from "preact/hooks";
import { formatDuration } from "../../../core/text/duration.ts";
import type { Task } from "../../../tasks/model.ts";
import { PRIORITIES } from "../../../tasks/model.ts";
import { leaseOf, waitsForIn } from "../../../tasks/rules/board.ts";
import { isClosed, taskAt } from "../../../tasks/rules/task-at.ts";
import type { TaskDetailAnswer } from "../../../tasks/wire.ts";
import { useApp } from "../state/app-context.ts";
import { useKeys, useNow, useStore } from "../state/hooks.ts";
import { useTitle } from "../state/title.ts";
import { Icon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Button, Link, Pill, Text } from "../ui/parts.tsx";
import { Ago, Duration, Time } from "../ui/time.tsx";
import { cancelTask, extendLease, release, reopen, retry, setPriority } from "./actions.ts";
import { Lease } from "./card.tsx";
import { Dependencies } from "./dependencies.tsx";
import { EditDescription, EditSubject, HEADINGS, useEdits } from "./edits.tsx";
import { BlockerDialog, EvidenceDialog, OwnerDialog, PriorityField } from "./forms.tsx";
import { History } from "./history.tsx";
import { joinIds, taskMark } from "./labels.ts";
import { type OwnerAgent, ownerHue, ownerLookup } from "./owners.ts";

/** The page of one task. */
export function TaskPage({ id }: { readonly id: string }) {
  const app = useApp();
  const { tasks: known, tracks, connection } = useStore(app.store);
  const { store } = app;
  useEffect(() => {
    store.tasks.load();
    store.tasks.watch(id);
    return () => store.tasks.unwatch(id);
  }, [id]);
  const detail = known.details.get(id);
  useTitle(detail ? `${detail.task.subject} · Waymark` : "Tasks · Waymark");
  const now = useNow(detail?.task.status === "claimed") + known.skew;
  useKeys({ Escape: () => app.navigate("/tasks"), t: () => app.navigate("/tasks") });
  if (!detail)
    return (
      <main id="main" class="page">
        <p class="empty">
          {known.state === "failed"
            ? `Can't load tasks. ${known.why}`
            : known.details.has(id)
              ? `Task ${id} not found.`
              : known.errors.has(id)
                ? `Can't load the task, retrying. ${known.errors.get(id)}`
                : "Loading task…"}{" "}
          <Link to="/tasks" class="link">
            Back to tasks
          </Link>
        </p>
      </main>
    );
  return (
    <Detail
      detail={detail}
      tasks={known.tasks}
      ownerAgent={ownerLookup(tracks.values())(detail.task.owner)}
      now={now}
      isStale={connection.state === "lost"}
    />
  );
}

interface DetailProps {
  readonly detail: TaskDetailAnswer;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly ownerAgent: OwnerAgent | undefined;
  readonly now: number;
  readonly isStale: boolean;
}

function Detail({ detail, tasks, ownerAgent, now, isStale }: DetailProps) {
  const app = useApp();
  const task = taskAt(detail.task, now);
  const [dialog, setDialog] = useState<"owner" | "blocker" | "evidence" | undefined>();
  const edits = useEdits(task);
  const edited = edits.open;
  const waitsFor = waitsForIn(task, tasks);
  const lease = task.status === "claimed" ? leaseOf(task, now) : undefined;
  const closed = isClosed(task);
  const { icon, label } = taskMark(task, waitsFor.length > 0);
  useKeys({
    ...(dialog === undefined &&
      edited === undefined && {
        e: () => edits.begin("subject"),
        m: () => edits.begin("description"),
        b: () => setDialog("blocker"),
        ...(closed
          ? { " ": () => void reopen(app, task) }
          : {
              " ": () => setDialog("evidence"),
              o: () => setDialog("owner"),
              x: () => void cancelTask(app, task),
            }),
        ...(task.status === "claimed" && { u: () => void release(app, task) }),
        ...Object.fromEntries(
          PRIORITIES.map((each) => [String(each), () => setPriority(app, task, each)]),
        ),
      }),
    ...(edited !== undefined && { Escape: edits.close }),
  });
  return (
    <main id="main" class={`page ${ownerHue(task.owner, ownerAgent)}${isStale ? " stale" : ""}`}>
      <nav class="crumb" aria-label="Breadcrumb">
        <Link to="/tasks">Tasks</Link> <span aria-hidden="true">/</span> <code>{task.id}</code>
      </nav>
      <header class="hero">
        {edited?.field === "subject" ? (
          <EditSubject edit={edited} edits={edits} />
        ) : (
          // Keyed, so that the buttons below keep their DOM nodes and the focus.
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
                {`Lease expires in ${formatDuration(lease.left)}`}
              </Pill>
            )}
          </div>
        )}
        <p class="meta">
          <span>
            <Icon name={icon} /> {label}
            {waitsFor.length > 0 && `: ${joinIds(waitsFor)}`}
          </span>
          <span>P{task.priority}</span>
          {task.labels.map((label) => (
            <Text key={label} class="chip">
              {label}
            </Text>
          ))}
          <span class="num">
            added <Time at={task.createdAt} />
            {task.author !== undefined && (
              <>
                {" by "}
                <Text>{task.author}</Text>
              </>
            )}
          </span>
          {task.ref !== undefined && (
            <span>
              ref <Text class="mono">{task.ref}</Text>
            </span>
          )}
        </p>
        <div class="actions">
          {closed ? (
            <Button
              shortcut=" "
              onClick={() => (task.status === "failed" ? retry(app, task) : void reopen(app, task))}
            >
              {task.status === "failed" ? "Retry" : "Reopen"}
            </Button>
          ) : (
            <>
              <Button shortcut="o" onClick={() => setDialog("owner")}>
                {task.status === "claimed" ? "Reassign" : "Assign"}
              </Button>
              <Button shortcut=" " onClick={() => setDialog("evidence")}>
                Mark done
              </Button>
            </>
          )}
          {task.status === "claimed" && (
            <>
              <Button shortcut="u" onClick={() => void release(app, task)}>
                Release
              </Button>
              <Button look="ghost" onClick={() => void extendLease(app, task)}>
                Extend lease
              </Button>
            </>
          )}
          <Button look="ghost" shortcut="e" onClick={() => edits.begin("subject")}>
            Edit
          </Button>
          {!closed && (
            <Button look="ghost" shortcut="x" onClick={() => void cancelTask(app, task)}>
              Cancel task
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
                  {task.description === undefined ? "Add" : "Edit"}
                </Button>
              </span>
            </header>
            {edited?.field === "description" ? (
              <EditDescription edit={edited} edits={edits} />
            ) : task.description === undefined ? (
              <p class="empty">No description.</p>
            ) : (
              <div class="plan-text whole">
                <Markdown text={task.description} />
              </div>
            )}
          </section>
          <Dependencies
            task={task}
            detail={detail}
            tasks={tasks}
            waitsFor={waitsFor}
            onAdd={() => setDialog("blocker")}
          />
        </div>
        <div class="side">
          <section class="card" aria-labelledby="work-title">
            <header>
              <h2 id="work-title">Details</h2>
            </header>
            <dl class="work-facts">
              <Fact name={task.status === "claimed" ? "Owner" : "Last owner"}>
                {task.owner ?? task.lapsed?.owner}
              </Fact>
              {ownerAgent && (
                <div>
                  <dt>Session</dt>
                  <dd>
                    <Link to={ownerAgent.path} class="link">
                      {ownerAgent.name}
                      {ownerAgent.progress !== "" && `, ${ownerAgent.progress}`}
                    </Link>
                  </dd>
                </div>
              )}
              {lease && (
                <div>
                  <dt>Lease</dt>
                  <dd class="num">
                    <Duration ms={lease.left} /> left, renewed{" "}
                    <Ago at={lease.renewedAt} now={now} />
                    <Lease share={lease.share} isLow={lease.isLow} />
                  </dd>
                </div>
              )}
              <div>
                <dt>Attempts</dt>
                <dd class="num">
                  {task.attempts} of {task.maxAttempts}
                </dd>
              </div>
              <Fact name="Reason">{task.reason}</Fact>
              {task.lapsed && <Fact name="Expired">{`lease of ${task.lapsed.owner}`}</Fact>}
              {task.evidence.length > 0 && (
                <div>
                  <dt>Evidence (reported)</dt>
                  {task.evidence.map((proof, index) => (
                    <dd key={index}>
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
          <History detail={detail} />
        </div>
      </div>
      {dialog === "owner" && (
        <OwnerDialog task={task} tasks={tasks} onClose={() => setDialog(undefined)} />
      )}
      {dialog === "evidence" && (
        <EvidenceDialog task={task} tasks={tasks} onClose={() => setDialog(undefined)} />
      )}
      {dialog === "blocker" && (
        <BlockerDialog task={task} tasks={tasks} onClose={() => setDialog(undefined)} />
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
