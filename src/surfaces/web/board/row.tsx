import { useLayoutEffect, useRef } from "preact/hooks";
import { evidenceStates } from "../../../core/checks/evidence-state.ts";
import type { Prices } from "../../../core/cost/price.ts";
import { stepsOf } from "../../../core/plan/steps.ts";
import { counted } from "../../../core/text/count.ts";
import { type BoardRow, hasOpenPlan, isSameRow } from "../../../core/views/board.ts";
import { evidenceFacts } from "../../../core/views/evidence.ts";
import { lastActive } from "../../../core/views/merged.ts";
import type { SearchHit } from "../../../core/views/search.ts";
import { agentLook } from "../../text/agents.ts";
import { REQUEST_LABELS, whereToAnswer } from "../../text/requests.ts";
import type { RunningStatus } from "../checks/runs.ts";
import { Progress } from "../checks/verify.tsx";
import { pagePath } from "../connection/api.ts";
import { MutedText } from "../mutes/mute.tsx";
import { approveWithUndo, rejectWithUndo } from "../session/plan-actions.ts";
import { useApp } from "../state/app-context.ts";
import { failingLabel, findingNow, isLoop, todoMark, weakestMark } from "../state/todo-labels.ts";
import { capitalize } from "../ui/capitalize.ts";
import { Cost } from "../ui/cost.tsx";
import { Icon } from "../ui/icons.tsx";
import { memo } from "../ui/memo.tsx";
import {
  AgentName,
  Bar,
  Button,
  Count,
  canDecideHere,
  hueClass,
  Link,
  Pill,
  Refused,
  Text,
} from "../ui/parts.tsx";
import { Ago, Duration, ShortDuration, Time } from "../ui/time.tsx";
import type { OnScreen } from "./on-screen.ts";

interface RowProps {
  readonly row: BoardRow;
  readonly now: number;
  /** Prices of the costs. */
  readonly prices: Prices;
  readonly isSelected: boolean;
  /** Search matches in this session. */
  readonly hits: readonly SearchHit[];
  /** The run of a check for this session or one of its todos. */
  readonly run: RunningStatus | undefined;
  readonly screen: OnScreen;
  onSelect(key: string): void;
}

const SHOWN_HITS = 5;

/** One session on the board. Time passes only in rows that are on screen. */
export const TrackRow = memo(DrawnRow, (drawn, next) => {
  const { row, now, prices, isSelected, hits, run, screen } = next;
  return (
    isSameRow(drawn.row, row) &&
    (drawn.now === now || !screen.has(row.key)) &&
    drawn.prices === prices &&
    drawn.isSelected === isSelected &&
    drawn.hits === hits &&
    drawn.run === run
  );
});

function DrawnRow({ row, now, isSelected, hits, run, screen, onSelect }: RowProps) {
  const { track, title, project } = row;
  const item = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => (item.current ? screen.observe(item.current) : undefined), []);
  const select = () => onSelect(row.key);
  return (
    <li
      ref={item}
      class={`track ${hueClass(track.agentType)}${isSelected ? " selected" : ""}${row.group === "needs you" ? " needs-you" : ""}${row.group === "finished" ? " finished" : ""}`}
      data-key={row.key}
      onClick={select}
      onFocusIn={select}
    >
      <div class="who">
        <Link to={pagePath(track)} class="title" aria-current={isSelected ? "true" : undefined}>
          <Text>{title}</Text>
        </Link>
        <div class="meta">
          <AgentName track={track} /> <Text>{project}</Text>
        </div>
      </div>
      <div class="state">
        <StateLines row={row} now={now} isSelected={isSelected} />
        {row.muted?.map((each) => (
          <p key={each.kind} class="second">
            <MutedText muted={each} />
          </p>
        ))}
        <Refused track={track} />
        {run && <Progress run={run} />}
      </div>
      <div class="progress">
        {track.todos.length > 0 && <Bar track={track} />}
        <Count merged={row} />
      </div>
      <div class="spent">
        <Cost sum={row.cost?.sum} />
      </div>
      {row.children.length > 0 && hits.length === 0 && (
        <SubagentRows rows={row.children} now={now} />
      )}
      {hits.length > 0 && (
        <ul class="hits">
          {hits.slice(0, SHOWN_HITS).map(({ row: at, kind, text, todo }, index) => {
            const mark = todo && todoMark(todo.todo);
            const where = todo ? `#todo-${todo.todo.id}` : kind === "plan" ? "#plan" : "";
            return (
              <li key={index}>
                {mark ? <Icon name={mark.icon} label={mark.label} /> : <Icon name="find" />}
                <Link to={`${pagePath(at.track)}${where}`}>
                  <Text>{text}</Text>
                </Link>
                <span class="quiet">{kind === "todo" ? "" : kind}</span>
              </li>
            );
          })}
          {hits.length > SHOWN_HITS && (
            <li class="quiet">{counted(hits.length - SHOWN_HITS, "more match", "more matches")}</li>
          )}
        </ul>
      )}
    </li>
  );
}

const SHOWN_CHILDREN = 4;

function SubagentRows({ rows, now }: { readonly rows: readonly BoardRow[]; readonly now: number }) {
  const shown = rows.slice(0, SHOWN_CHILDREN);
  const more = rows.slice(SHOWN_CHILDREN);
  const working = more.filter(({ group }) => group === "working").length;
  return (
    <ul class="subagent-rows">
      {shown.map((child) => (
        <li key={child.key}>
          <Link to={pagePath(child.track)} class="who">
            <Text>{child.title}</Text>
          </Link>
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
        <Icon name="you" label={REQUEST_LABELS[row.waiting.kind]} /> <Text>{row.waiting.text}</Text>
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
        <span class="quiet">
          <Duration ms={current.elapsed ?? 0} />
        </span>
      </p>
    );
  if (row.view.finished)
    return (
      <p class="quiet">
        <Icon name={weakestMark(row.track.todos)} /> finished
      </p>
    );
  return (
    <p class="quiet">
      <Icon name={row.group === "working" ? "active" : "idle"} />{" "}
      {row.group === "working" ? (
        "working"
      ) : (
        <>
          idle <ShortDuration ms={now - lastActive(row)} />
        </>
      )}
    </p>
  );
}

interface StateProps {
  readonly row: BoardRow;
  readonly now: number;
  readonly isSelected: boolean;
}

function StateLines({ row, now, isSelected }: StateProps) {
  if (hasOpenPlan(row)) return <PlanRequest row={row} now={now} isSelected={isSelected} />;
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
            On “<Text>{current.todo.text}</Text>”, <Duration ms={current.elapsed ?? 0} />
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
          {current && (
            <span class="quiet">
              <Duration ms={current.elapsed ?? 0} />
            </span>
          )}
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
  const text = failed ? "Last turn failed" : open > 0 ? `Turn ended with ${open} open` : "Idle";
  return (
    <>
      <p class="calm">
        <Icon name={failed ? "failed" : "idle"} /> {text}{" "}
        <span class="quiet">
          <Ago at={lastActive(row)} now={now} />
        </span>
      </p>
      {upcoming}
    </>
  );
}

function Finished({ row }: { readonly row: BoardRow }) {
  const { verified } = row.view.progress;
  const ended = Math.max(0, ...row.track.todos.map(({ finishedAt = 0 }) => finishedAt));
  const took = ended - row.track.openedAt;
  const { reported = 0, unverified = 0, stale = 0 } = evidenceStates(row.track.todos);
  const failing = failingLabel(row);
  const facts = [
    ...(verified === 0 ? ["nothing verified"] : evidenceFacts({ reported, unverified })),
    ...(stale > 0 ? [`${stale} stale`] : []),
    ...(failing === "" ? [] : [failing]),
  ];
  return (
    <p class="calm">
      <Icon name={weakestMark(row.track.todos)} /> Finished <Time at={ended} />
      {took > 60_000 && (
        <>
          , took <ShortDuration ms={took} />
        </>
      )}
      {facts.map((fact) => `, ${fact}`)}
    </p>
  );
}

/** A permission prompt or question in the agent's own terminal. */
function Request({ row, now }: { readonly row: BoardRow; readonly now: number }) {
  const { waiting } = row;
  if (!waiting) return null;
  return (
    <>
      <p>
        <Pill icon="you" look="you">
          {capitalize(REQUEST_LABELS[waiting.kind])}
        </Pill>{" "}
        <Text class={waiting.kind === "permission" ? "mono" : ""}>{waiting.text}</Text>
      </p>
      <p class="second">
        Waiting <Duration ms={now - waiting.since} />. {whereToAnswer(row)}
      </p>
    </>
  );
}

/** Shown if a running call may be an unanswered prompt. */
function Maybe({ row }: { readonly row: BoardRow }) {
  if (row.waiting?.kind !== "maybe") return null;
  return (
    <p class="second">
      {capitalize(REQUEST_LABELS.maybe)}: <Text>{row.waiting.text}</Text>
    </p>
  );
}

/** The keys decide on the plan of the selected row, whose button is the only filled one. */
function PlanRequest({ row, now, isSelected }: StateProps) {
  const app = useApp();
  const { plan, track } = row;
  const steps = stepsOf(plan?.text ?? "").length;
  const here = canDecideHere(row);
  const { name } = agentLook(track.agentType);
  return (
    <>
      <p>
        <Pill icon="you" look="you">
          Plan
        </Pill>{" "}
        {steps > 0 ? counted(steps, "step") : "no steps"}
      </p>
      <p class="second">
        {plan && (
          <>
            Waiting <Duration ms={now - plan.at} />.{" "}
          </>
        )}
        {here
          ? `${name || "The agent"} waits for your decision.`
          : `Decide in the ${name || "agent's"} terminal.`}
      </p>
      <div class="actions">
        {here && (
          <>
            <Button
              {...(isSelected && { look: "primary", shortcut: "a" })}
              onClick={() => approveWithUndo(app, row)}
            >
              Approve
            </Button>
            <Button {...(isSelected && { shortcut: "r" })} onClick={() => rejectWithUndo(app, row)}>
              Reject
            </Button>
          </>
        )}
        <Link to={`${pagePath(track)}#plan`} class="button ghost">
          View plan
        </Link>
      </div>
    </>
  );
}
