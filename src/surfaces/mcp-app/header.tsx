import type { AppView } from "../../core/app-view.ts";
import type { Todo } from "../../core/model.ts";
import { progressOf } from "../../core/views/view.ts";
import { evidenceLabel, progressLabel } from "../web/state/todo-labels.ts";
import { Bar, Text } from "../web/ui/parts.tsx";
import { Duration } from "../web/ui/time.tsx";

interface HeaderProps {
  readonly view: AppView;
  readonly todos: readonly Todo[];
}

/** The title, the progress and the current todo. */
export function Header({ view, todos }: HeaderProps) {
  const { title, explanation } = view;
  const { total, verified } = progressOf(todos);
  const evidence = evidenceLabel(todos);
  const current = todos.find(({ status }) => status === "in_progress");
  return (
    <header class="head">
      <h1>
        <Text>{title}</Text>
      </h1>
      {total > 0 && (
        <>
          <Bar track={{ todos }} />
          <p class="meta num">
            <b>{progressLabel(todos)}</b>
            <span class="narrow">{verified > 0 && ` · ${verified} verified`}</span>
            <span class="wide">
              {" done."}
              {evidence !== "" && ` ${evidence}.`}
              {current && (
                <>
                  {" Now: "}
                  <Text>{current.activeText ?? current.text}</Text>
                  {current.startedAt !== undefined && (
                    <>
                      , <Duration ms={Math.max(0, Date.now() - current.startedAt)} />
                    </>
                  )}
                  .
                </>
              )}
            </span>
          </p>
        </>
      )}
      {explanation !== undefined && (
        <p class="meta">
          <Text>{explanation}</Text>
        </p>
      )}
    </header>
  );
}
