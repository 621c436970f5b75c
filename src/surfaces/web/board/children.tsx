import type { BoardRow } from "../../../core/views/board.ts";
import { pagePath } from "../connection/api.ts";
import { Bar, Go, Text } from "../ui/parts.tsx";
import { duration } from "../ui/words.ts";

/** The subagents of a track, each with where it is. */
export function Children({
  rows,
  now: _,
}: {
  readonly rows: readonly BoardRow[];
  readonly now: number;
}) {
  return (
    <section class="card" aria-labelledby="subagents">
      <header>
        <h2 id="subagents">Subagents</h2>
      </header>
      <ul class="family">
        {rows.map((row) => {
          const { current, progress } = row.view;
          return (
            <li key={row.key}>
              <Go to={pagePath(row.track)} class="link">
                <Text>{row.title}</Text>
              </Go>
              <span class="quiet num">
                {progress.total > 0 ? `${progress.completed}/${progress.total}` : row.group}
              </span>
              {progress.total > 0 && <Bar track={row.track} />}
              {current && row.group === "working" && (
                <p class="quiet">
                  <Text>{current.todo.activeText ?? current.todo.text}</Text>{" "}
                  {duration(current.elapsed ?? 0)}
                </p>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
