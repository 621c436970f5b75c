import type { BoardRow } from "../../../core/views/board.ts";
import { pagePath } from "../connection/api.ts";
import { Bar, Link, Text } from "../ui/parts.tsx";
import { Duration } from "../ui/time.tsx";

/** The subagents of a session, with their progress. */
export function Subagents({ rows }: { readonly rows: readonly BoardRow[] }) {
  return (
    <section class="card" aria-labelledby="subagents">
      <header>
        <h2 id="subagents">Subagents</h2>
      </header>
      <ul class="subagents">
        {rows.map((row) => {
          const { current, progress } = row.view;
          return (
            <li key={row.key}>
              <Link to={pagePath(row.track)} class="link">
                <Text>{row.title}</Text>
              </Link>
              <span class="quiet num">
                {progress.total > 0 ? `${progress.completed}/${progress.total}` : row.group}
              </span>
              {progress.total > 0 && <Bar track={row.track} />}
              {current && row.group === "working" && (
                <p class="quiet">
                  <Text>{current.todo.activeText ?? current.todo.text}</Text>{" "}
                  <Duration ms={current.elapsed ?? 0} />
                </p>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
