import { useEffect, useRef, useState } from "preact/hooks";
import { counted } from "../../../core/text/count.ts";
import type { Board } from "../../../core/views/board.ts";
import {
  choicesOf,
  FILTERS,
  type FilterName,
  type Filters,
  hasFilters,
  NO_FILTERS,
  toggled,
} from "../../../core/views/find/filters.ts";
import { agentLook } from "../../text/agents.ts";
import { useKeys } from "../state/hooks.ts";
import { capitalize } from "../ui/capitalize.ts";
import { Button, Text } from "../ui/parts.tsx";

interface FilterBarProps {
  /** All sessions, without filters. */
  readonly board: Board;
  readonly filters: Filters;
  readonly shown: number;
  readonly total: number;
  onChange(filters: Filters): void;
}

/** A chip for each filter, which opens a menu with its values. */
export function FilterBar({ board, filters, shown, total, onChange }: FilterBarProps) {
  const [open, setOpen] = useState<FilterName | undefined>();
  const bar = useRef<HTMLDivElement>(null);
  const chipOf = (name: FilterName) =>
    bar.current?.querySelector<HTMLElement>(`[data-filter="${name}"]`);
  useKeys({
    f: () => {
      setOpen("agent");
      chipOf("agent")?.focus();
    },
    ...(open && { Escape: () => close() }),
  });
  const close = (): void => {
    if (!open) return;
    setOpen(undefined);
    chipOf(open)?.focus();
  };
  useEffect(() => {
    if (!open) return undefined;
    const leave = (event: Event): void => {
      if (!bar.current?.contains(event.target as Node)) setOpen(undefined);
    };
    addEventListener("pointerdown", leave);
    addEventListener("focusin", leave);
    return () => {
      removeEventListener("pointerdown", leave);
      removeEventListener("focusin", leave);
    };
  }, [open]);
  return (
    <div class="filters" role="group" aria-label="Filters" ref={bar}>
      {FILTERS.map((name) => {
        const values = filters[name];
        return (
          <div key={name} class="filter">
            <button
              type="button"
              class={`chip-button${values.length > 0 ? " on" : ""}`}
              data-filter={name}
              aria-expanded={open === name}
              onClick={() => setOpen(open === name ? undefined : name)}
              onKeyDown={(event) => {
                if (event.key !== "ArrowDown" || open !== name) return;
                event.preventDefault();
                event.stopPropagation();
                inputsIn(event.currentTarget.parentElement)[0]?.focus();
              }}
            >
              {capitalize(name)} <b>{summaryOf(name, values)}</b>
            </button>
            {open === name && (
              <Menu
                name={name}
                board={board}
                filters={filters}
                onToggle={(value) => onChange(toggled(filters, name, value))}
                onClose={close}
              />
            )}
          </div>
        );
      })}
      {hasFilters(filters) && (
        <Button look="ghost" onClick={() => onChange(NO_FILTERS)}>
          Clear
        </Button>
      )}
      <span class="quiet num" role="status">
        {shown < total ? `${shown} of ${counted(total, "session")}` : counted(total, "session")}
      </span>
    </div>
  );
}

interface MenuProps {
  readonly name: FilterName;
  readonly board: Board;
  readonly filters: Filters;
  onToggle(value: string): void;
  onClose(): void;
}

function Menu({ name, board, filters, onToggle, onClose }: MenuProps) {
  const onKey = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const inputs = inputsIn(event.currentTarget);
    const at = inputs.indexOf(event.target as HTMLInputElement);
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 };
    const step = steps[event.key];
    if (step !== undefined) inputs[(at + step + inputs.length) % inputs.length]?.focus();
    else if (event.key === "Escape" || event.key === "Enter") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu card" role="group" aria-label={capitalize(name)} onKeyDown={onKey}>
      {choicesOf(board, filters, name).map(({ value, count }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={filters[name].includes(value)}
            onChange={() => onToggle(value)}
          />
          <Text>{labelOf(name, value)}</Text>
          <span class="quiet num">{count}</span>
        </label>
      ))}
    </div>
  );
}

function inputsIn(element: HTMLElement | null | undefined): readonly HTMLInputElement[] {
  return [...(element?.querySelectorAll("input") ?? [])];
}

function labelOf(name: FilterName, value: string): string {
  if (name === "agent") return agentLook(value).name || value;
  return name === "state" ? capitalize(value) : value;
}

/** `Any`, or the first two values and how many more there are. */
function summaryOf(name: FilterName, values: readonly string[]): string {
  if (values.length === 0) return "Any";
  const shown = values.slice(0, 2).map((value) => labelOf(name, value));
  const more = values.length - shown.length;
  return [...shown, ...(more > 0 ? [`+${more}`] : [])].join(", ");
}
