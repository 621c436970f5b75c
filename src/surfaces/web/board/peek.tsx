import { type BoardRow, hasOpenPlan } from "../../../core/views/board.ts";
import { pagePath } from "../connection/api.ts";
import { sectionsOf } from "../state/sections.ts";
import { markOf, proofWords } from "../state/shown.ts";
import { Icon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { AgentName, Bar, Go, hueClass, Key, Text } from "../ui/parts.tsx";
import { clock, duration } from "../ui/words.ts";

const NONE: ReadonlySet<string> = new Set();

/** The list of the selected track, beside the board. */
export function Peek({ row, now }: { readonly row: BoardRow; readonly now: number }) {
  const { track, view, title, project, activity } = row;
  const { completed, total, verified } = view.progress;
  return (
    <aside class={`peek ${hueClass(track.agentType)}`} aria-label="Selected track">
      <header>
        <div class="peek-title">
          <div>
            <p class="title">
              <Text>{title}</Text>
            </p>
            <p class="meta">
              <AgentName track={track} /> <Text>{project}</Text>
            </p>
          </div>
          <Go to={pagePath(track)} class="button plain">
            Open <Key>↵</Key>
          </Go>
        </div>
        {total > 0 && <Bar track={track} />}
        <p class="meta num">
          {total > 0 ? (
            <>
              <b>
                {completed} of {total}
              </b>{" "}
              {proofWords(completed, verified)}
            </>
          ) : (
            "no list yet"
          )}
        </p>
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
                const { icon, says } = markOf(todo);
                return (
                  <li key={todo.id} class={`todo is-${todo.status}`}>
                    <Icon name={icon} says={says} />
                    <Text class="text">{todo.text}</Text>
                    <span class="aside">
                      {todo.check ? (
                        <Text class="proof">{todo.check.command}</Text>
                      ) : todo.status === "in_progress" && elapsed !== undefined ? (
                        <span class="num">{duration(elapsed)}</span>
                      ) : todo.status === "completed" ? (
                        "claimed"
                      ) : (
                        ""
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
              .map((call, place) => (
                <li key={place}>
                  <span class="num quiet">{clock(call.startedAt)}</span>
                  <Icon
                    name={call.endedAt === undefined ? "active" : call.ok ? "claimed" : "failed"}
                    says={call.endedAt === undefined ? "running" : call.ok ? "went well" : "failed"}
                  />
                  <Text class="mono">{call.label}</Text>
                  <span class="quiet num">
                    {call.endedAt === undefined
                      ? duration(now - call.startedAt)
                      : call.exitCode !== undefined
                        ? `exit ${call.exitCode}`
                        : ""}
                  </span>
                </li>
              ))}
          </ul>
        </section>
      )}
    </aside>
  );
}
