import { stepsOf } from "../../../core/plan/steps.ts";
import { counted } from "../../../core/text/count.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { hasOpenPlan } from "../../../core/views/board.ts";
import { lastActive } from "../../../core/views/merged.ts";
import type { Hit } from "../../../core/views/search.ts";
import { REQUEST_WORDS, whereToAnswer } from "../../text/waiting.ts";
import { pagePath } from "../connection/api.ts";
import { approvePlan, rejectLater } from "../session/plan-acts.ts";
import { useApp } from "../state/app-context.ts";
import { findingNow, isLoop, markOf } from "../state/shown.ts";
import { Icon } from "../ui/icons.tsx";
import {
  AgentName,
  Bar,
  Button,
  Count,
  Go,
  hueClass,
  isDecidedHere,
  Pill,
  Refused,
  Text,
} from "../ui/parts.tsx";
import { ago, clock, duration, upper } from "../ui/words.ts";

interface RowProps {
  readonly row: BoardRow;
  readonly now: number;
  readonly isSelected: boolean;
  /** Where in it what somebody looks for was found. */
  readonly hits: readonly Hit[];
  onSelect(): void;
}

const SHOWN_HITS = 5;

/** One track on the board. */
export function TrackRow({ row, now, isSelected, hits, onSelect }: RowProps) {
  const { track, title, project } = row;
  return (
    <li
      class={`track ${hueClass(track.agentType)}${isSelected ? " selected" : ""}${row.group === "needs you" ? " needs-you" : ""}${row.group === "finished" ? " finished" : ""}`}
      data-key={row.key}
      onClick={onSelect}
      onFocusIn={onSelect}
    >
      <div class="who">
        <Go to={pagePath(track)} class="title" aria-current={isSelected ? "true" : undefined}>
          <Text>{title}</Text>
        </Go>
        <div class="meta">
          <AgentName track={track} /> <Text>{project}</Text>
        </div>
      </div>
      <div class="state">
        <StateLines row={row} now={now} />
        <Refused track={track} />
      </div>
      <div class="progress">
        {track.todos.length > 0 && <Bar track={track} />}
        <Count track={track} />
      </div>
      {row.children.length > 0 && hits.length === 0 && <Children rows={row.children} now={now} />}
      {hits.length > 0 && (
        <ul class="hits">
          {hits.slice(0, SHOWN_HITS).map(({ row: at, kind, text, todo }, place) => {
            const mark = todo && markOf(todo.todo);
            const where = todo ? `#todo-${todo.todo.id}` : kind === "plan" ? "#plan" : "";
            return (
              <li key={place}>
                {mark ? <Icon name={mark.icon} says={mark.says} /> : <Icon name="find" />}
                <Go to={`${pagePath(at.track)}${where}`}>
                  <Text>{text}</Text>
                </Go>
                <span class="quiet">{kind === "todo" ? "" : kind}</span>
              </li>
            );
          })}
          {hits.length > SHOWN_HITS && (
            <li class="quiet">
              and {counted(hits.length - SHOWN_HITS, "other place", "other places")}
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

const SHOWN_CHILDREN = 4;

function Children({ rows, now }: { readonly rows: readonly BoardRow[]; readonly now: number }) {
  const shown = rows.slice(0, SHOWN_CHILDREN);
  const more = rows.slice(SHOWN_CHILDREN);
  const working = more.filter(({ group }) => group === "working").length;
  return (
    <ul class="children">
      {shown.map((child) => (
        <li key={child.key}>
          <Go to={pagePath(child.track)} class="who">
            <Text>{child.title}</Text>
          </Go>
          <div class="state">
            <ShortState row={child} now={now} />
          </div>
          <div class="progress">
            {child.track.todos.length > 0 && (
              <>
                <Bar track={child.track} />
                <span class="quiet num">
                  {child.view.progress.completed}/{child.view.progress.total}
                </span>
              </>
            )}
          </div>
        </li>
      ))}
      {more.length > 0 && (
        <li class="quiet">
          +{counted(more.length, "subagent")}
          {working > 0 && `, ${working} working`}
        </li>
      )}
    </ul>
  );
}

function ShortState({ row, now }: { readonly row: BoardRow; readonly now: number }) {
  const { current } = row.view;
  if (row.state === "needs_you" && row.waiting)
    return (
      <p>
        <Icon name="you" says={REQUEST_WORDS[row.waiting.kind]} /> <Text>{row.waiting.text}</Text>
      </p>
    );
  const finding = findingNow(row, now);
  if (finding)
    return (
      <p>
        <Icon name={isLoop(finding) ? "looping" : "stalled"} /> <Text>{finding.message}</Text>
      </p>
    );
  if (row.group === "working" && current)
    return (
      <p>
        <Icon name="active" /> <Text>{current.todo.activeText ?? current.todo.text}</Text>{" "}
        <span class="quiet num">{duration(current.elapsed ?? 0)}</span>
      </p>
    );
  if (row.view.finished)
    return (
      <p class="quiet">
        <Icon name={allProven(row) ? "verified" : "claimed"} /> finished
      </p>
    );
  return (
    <p class="quiet">
      <Icon name={row.group === "working" ? "active" : "idle"} />{" "}
      {row.group === "working" ? "working" : `idle ${ago(lastActive(row), now)}`}
    </p>
  );
}

function allProven({ view }: BoardRow): boolean {
  return view.progress.verified === view.progress.completed;
}

function StateLines({ row, now }: { readonly row: BoardRow; readonly now: number }) {
  if (hasOpenPlan(row)) return <PlanWaits row={row} now={now} />;
  if (row.state === "needs_you") return <Request row={row} now={now} />;
  if (row.group === "finished") return <Finished row={row} />;
  const { current, next } = row.view;
  const finding = findingNow(row, now);
  const upcoming = next && (
    <p class="second">
      Next: <Text>{next.todo.text}</Text>
    </p>
  );
  if (finding)
    return (
      <>
        <p>
          <Pill
            icon={isLoop(finding) ? "looping" : "stalled"}
            look={isLoop(finding) && finding.level === "critical" ? "broken" : "watch"}
          >
            {isLoop(finding) ? "Looping" : "Stalled"}
          </Pill>{" "}
          <Text>{finding.message}</Text>
        </p>
        <Maybe row={row} />
        {current ? (
          <p class="second">
            On “<Text>{current.todo.text}</Text>”, {duration(current.elapsed ?? 0)}
          </p>
        ) : (
          upcoming
        )}
      </>
    );
  if (row.group === "working") {
    const doing =
      current?.todo.activeText ?? current?.todo.text ?? row.activity?.open.at(-1)?.label;
    return (
      <>
        <p>
          <Icon name="active" /> <Text>{doing ?? "Working"}</Text>{" "}
          {current && <span class="quiet num">{duration(current.elapsed ?? 0)}</span>}
        </p>
        <Maybe row={row} />
        {upcoming}
      </>
    );
  }
  return <Idle row={row} now={now} upcoming={upcoming} />;
}

function Idle({
  row,
  now,
  upcoming,
}: {
  row: BoardRow;
  now: number;
  upcoming: preact.ComponentChild;
}) {
  const { completed, total } = row.view.progress;
  const failed = row.activity?.turn === "failed";
  const open = total - completed;
  const said = failed ? "The last turn failed" : open > 0 ? `Turn ended with ${open} open` : "Idle";
  return (
    <>
      <p class="calm">
        <Icon name={failed ? "failed" : "idle"} /> {said}{" "}
        <span class="quiet num">{ago(lastActive(row), now)}</span>
      </p>
      {upcoming}
    </>
  );
}

function Finished({ row }: { readonly row: BoardRow }) {
  const { completed, verified } = row.view.progress;
  const ended = Math.max(0, ...row.track.todos.map(({ finishedAt = 0 }) => finishedAt));
  const took = ended - row.track.openedAt;
  const claimed = completed - verified;
  const proof =
    claimed === 0 ? "" : verified === 0 ? ", nothing verified" : `, ${claimed} only claimed`;
  return (
    <p class="calm">
      <Icon name={claimed === 0 ? "verified" : "claimed"} /> Finished {clock(ended)}
      {took > 60_000 && `, took ${duration(took)}`}
      {proof}
    </p>
  );
}

/** A permission prompt or question that the agent's own program shows. */
function Request({ row, now }: { readonly row: BoardRow; readonly now: number }) {
  const { waiting } = row;
  if (!waiting) return null;
  return (
    <>
      <p>
        <Pill icon="you" look="you">
          {upper(REQUEST_WORDS[waiting.kind])}
        </Pill>{" "}
        <Text class={waiting.kind === "permission" ? "mono" : ""}>{waiting.text}</Text>
      </p>
      <p class="second">
        Waiting {duration(now - waiting.since)}. {whereToAnswer(row)}
      </p>
    </>
  );
}

/** Shown where an open call may be an unanswered prompt. */
function Maybe({ row }: { readonly row: BoardRow }) {
  if (row.waiting?.kind !== "maybe") return null;
  return (
    <p class="second">
      {upper(REQUEST_WORDS.maybe)}: <Text>{row.waiting.text}</Text>
    </p>
  );
}

function PlanWaits({ row, now }: { readonly row: BoardRow; readonly now: number }) {
  const app = useApp();
  const { plan, track } = row;
  const steps = stepsOf(plan?.text ?? "").length;
  const here = isDecidedHere(row);
  return (
    <>
      <p>
        <Pill icon="you" look="you">
          Plan waits
        </Pill>{" "}
        {steps > 0 ? counted(steps, "step") : "without steps"}
      </p>
      <p class="second">
        {plan && `Waiting ${duration(now - plan.at)}. `}
        {here ? "It writes nothing until you decide." : "Decide where the agent runs."}
      </p>
      <div class="acts">
        {here && (
          <>
            <Button look="go" shortcut="a" onClick={() => void approvePlan(app, row)}>
              Approve
            </Button>
            <Button shortcut="r" onClick={() => rejectLater(app, row)}>
              Reject
            </Button>
          </>
        )}
        <Go to={`${pagePath(track)}#plan`} class="button ghost">
          Read the plan
        </Go>
      </div>
    </>
  );
}
