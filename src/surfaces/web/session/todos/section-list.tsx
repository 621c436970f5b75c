import type { ComponentChildren } from "preact";
import { isOpen, type Row } from "../../../../core/views/view.ts";
import { Text } from "../../ui/parts.tsx";
import type { Sections } from "./use-sections.ts";

interface SectionListProps extends Pick<Sections, "sections" | "toggle" | "open"> {
  /** Draws the item of a row. */
  item(row: Row): ComponentChildren;
}

/** The visible rows by phase, with a button for hidden ones. */
export function SectionList({ sections, toggle, open, item }: SectionListProps) {
  return (
    <>
      {sections.map((section) => (
        <div key={section.key}>
          {section.phase !== undefined && (
            <h3 class="phase">
              <button
                type="button"
                aria-expanded={!section.isFolded}
                onClick={() => toggle(section)}
              >
                <Text>{section.phase}</Text>{" "}
                <span class="num quiet">
                  {section.completed} of {section.total}
                </span>
              </button>
            </h3>
          )}
          {section.phase === undefined && section.isFolded && (
            <Hidden arrow="↑" rows={section.total} label="done" onShow={() => toggle(section)} />
          )}
          {section.above.length > 0 && (
            <Hidden
              arrow="↑"
              rows={section.above.length}
              label={isDone(section.above) ? "done" : "more"}
              onShow={() => open(section)}
            />
          )}
          <ul>{section.rows.map(item)}</ul>
          {section.below.length > 0 && (
            <Hidden
              arrow="↓"
              rows={section.below.length}
              label="more"
              onShow={() => open(section)}
            />
          )}
        </div>
      ))}
    </>
  );
}

function isDone(rows: readonly Row[]): boolean {
  return !rows.some(({ todo }) => isOpen(todo));
}

interface HiddenProps {
  readonly arrow: string;
  readonly rows: number;
  readonly label: string;
  onShow(): void;
}

/** A button that counts and shows hidden rows. */
function Hidden({ arrow, rows, label, onShow }: HiddenProps) {
  return (
    <p class="hidden-rows">
      <button type="button" onClick={onShow}>
        <span aria-hidden="true">{arrow}</span> {rows} {label}
        <span class="visually-hidden">, show</span>
      </button>
    </p>
  );
}
