import { type BoardRow, hasOpenPlan, isSameRow } from "../../../core/views/board.ts";
import { Verify } from "../checks/verify.tsx";
import { pagePath } from "../connection/api.ts";
import { MuteButton, MutedNotes } from "../mutes/mute.tsx";
import { EvidenceFact } from "../session/evidence-fact.tsx";
import { SessionActions } from "../session/session-actions.tsx";
import { sectionsOf } from "../state/sections.ts";
import { evidenceLabel, failingLabel, progressLabel, todoMark } from "../state/todo-labels.ts";
import { CostLine } from "../ui/cost.tsx";
import { Icon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { memo } from "../ui/memo.tsx";
import { AgentName, Bar, hueClass, Key, Link, Text } from "../ui/parts.tsx";
import { Duration, Time } from "../ui/time.tsx";

const NONE: ReadonlySet<string> = new Set();

/** The selected session, beside the board. */
export const Preview = memo(
  DrawnPreview,
  (drawn, next) => drawn.now === next.now && isSameRow(drawn.row, next.row),
);

function DrawnPreview({ row, now }: { readonly row: BoardRow; readonly now: number }) {
  const { track, view, title, project, activity } = row;
  const { total } = view.progress;
  const failing = failingLabel(row);
  return (
    <aside class={`preview ${hueClass(track.agentType)}`} aria-label="Selected session">
      <header>
        <div class="preview-title">
          <div>
            <p class="title">
              <Text>{title}</Text>
            </p>
            <p class="meta">
              <AgentName track={track} /> <Text>{project}</Text>
            </p>
          </div>
          <Link to={pagePath(track)} class="button plain">
            Open <Key>↵</Key>
          </Link>
        </div>
        {total > 0 && <Bar track={track} />}
        <p class="meta num">
          {total > 0 ? (
            <>
              <b>{progressLabel(track.todos)}</b> {evidenceLabel(track.todos)}
              {failing !== "" && <span class="bad">. {failing}</span>}
            </>
          ) : (
            "no todos yet"
          )}
        </p>
        <CostLine sum={row.cost?.sum} />
        {view.progress.completed > 0 && <Verify merged={row} />}
        <SessionActions merged={row} />
        <MutedNotes merged={row} />
        <MuteButton merged={row} now={now} />
      </header>
      {hasOpenPlan(row) && row.plan && (
        <div class="plan-text">
          <Markdown text={row.plan.text} />
        </div>
      )}
      {sectionsOf(view, NONE, NONE).map(
        ({ key, phase, completed: done, total: all, ...section }) => (
          <section key={key}>
            {phase !== undefined && (
              <h3>
                <Text>{phase}</Text>{" "}
                <span class="num quiet">
                  {done} of {all}
                </span>
              </h3>
            )}
            {section.above.length > 0 && <p class="quiet">↑ {section.above.length} more</p>}
            <ul>
              {section.rows.map(({ todo, elapsed }) => {
                const { icon, label } = todoMark(todo);
                return (
                  <li key={todo.id} class={`todo is-${todo.status}`}>
                    <Icon name={icon} label={label} />
                    <Text class="text">{todo.text}</Text>
                    <span class="aside">
                      {todo.status === "in_progress" && elapsed !== undefined ? (
                        <Duration ms={elapsed} />
                      ) : (
                        todo.status === "completed" && <EvidenceFact todo={todo} isShort />
                      )}
                    </span>
                  </li>
                );
              })}
            </ul>
            {section.below.length > 0 && <p class="quiet">↓ {section.below.length} more</p>}
          </section>
        ),
      )}
      {activity && activity.recent.length + activity.open.length > 0 && (
        <section class="activity">
          <h3>Activity</h3>
          <ul>
            {[...activity.recent, ...activity.open]
              .slice(-6)
              .toReversed()
              .map((call, index) => (
                <li key={index}>
                  <span class="quiet">
                    <Time at={call.startedAt} />
                  </span>
                  <Icon
                    name={call.endedAt === undefined ? "active" : call.ok ? "done" : "failed"}
                    label={
                      call.endedAt === undefined ? "running" : call.ok ? "succeeded" : "failed"
                    }
                  />
                  <Text class="mono">{call.label}</Text>
                  <span class="quiet num">
                    {call.endedAt === undefined ? (
                      <Duration ms={now - call.startedAt} />
                    ) : call.exitCode !== undefined ? (
                      `exit ${call.exitCode}`
                    ) : (
                      ""
                    )}
                  </span>
                </li>
              ))}
          </ul>
        </section>
      )}
    </aside>
  );
}
