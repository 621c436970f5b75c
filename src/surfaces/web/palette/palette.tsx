import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { forPage } from "../../../core/text/escape.ts";
import { searchTerms } from "../../../core/text/search.ts";
import { boardOf } from "../../../core/views/board.ts";
import { useApp } from "../state/app-context.ts";
import { decided } from "../state/decisions.ts";
import { useKeys, useStore } from "../state/hooks.ts";
import { Icon } from "../ui/icons.tsx";
import { Key } from "../ui/parts.tsx";
import {
  type FoundGroup,
  findItems,
  meantBy,
  type PaletteGroup,
  type PaletteItem,
  placesOf,
} from "./items.ts";

interface PaletteProps {
  readonly actions: readonly PaletteItem[];
  onClose(): void;
}

type Option = PaletteItem | { readonly key: string; readonly more: FoundGroup };

/** Searches sessions, todos, tasks and actions. The focus stays in the field; arrows move through the results. */
export function Palette({ actions, onClose }: PaletteProps) {
  const app = useApp();
  const { tracks, decisions, tasks } = useStore(app.store);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState<string | undefined>();
  const [expanded, setExpanded] = useState<ReadonlySet<PaletteGroup>>(new Set());
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys({ Escape: onClose }, true);
  useEffect(() => app.store.tasks.load(), []);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  const items = useMemo(() => {
    const { groups } = boardOf(decided(tracks, decisions), { now: Date.now() });
    const rows = groups.flatMap((group) => group.rows);
    return [...placesOf(rows, tasks.tasks.values()), ...actions];
  }, [tracks, decisions, tasks.tasks, actions]);
  const found = useMemo(() => findItems(items, query, expanded), [items, query, expanded]);
  const options = found.flatMap((group): readonly Option[] => [
    ...group.items,
    ...(group.items.length < group.total ? [{ key: `more ${group.group}`, more: group }] : []),
  ]);
  const at = Math.max(
    0,
    options.findIndex(({ key }) => key === active),
  );
  const chosen = options[at];

  const move = (to: number): void => {
    const next = options[(to + options.length) % options.length];
    if (!next) return;
    setActive(next.key);
    requestAnimationFrame(() =>
      dialog.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }),
    );
  };
  const choose = (option: Option | undefined, inNewTab = false): void => {
    if (!option) return;
    if ("more" in option) {
      setExpanded(new Set([...expanded, option.more.group]));
      const next = option.more.items.length;
      setActive(items.filter(({ group }) => group === option.more.group)[next]?.key);
      return;
    }
    onClose();
    if (option.to !== undefined && inNewTab) open(option.to, "_blank", "noopener");
    else if (option.to !== undefined) app.navigate(option.to);
    else option.run?.();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") move(at + 1);
    else if (event.key === "ArrowUp") move(at - 1);
    else if (event.key === "Enter") choose(chosen, event.ctrlKey || event.metaKey);
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const meant = found.length === 0 ? meantBy(items, query) : undefined;
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search or run a command"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="palette-field">
        <Icon name="find" />
        <input
          role="combobox"
          aria-label="Search or run a command"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-autocomplete="list"
          aria-activedescendant={chosen ? `palette-${at}` : undefined}
          placeholder="Search or run a command"
          value={query}
          ref={(element) => element?.focus()}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setActive(undefined);
            setExpanded(new Set());
          }}
          onKeyDown={onKeyDown}
        />
        <Key>esc</Key>
      </div>
      <div id="palette-list" role="listbox" aria-label="Results" class="palette-list">
        {found.map((group) => (
          <div key={group.group} role="group" aria-label={group.group}>
            <p class="palette-group" aria-hidden="true">
              {group.group}
            </p>
            {options
              .map((option, index) => ({ option, index }))
              .filter(({ option }) =>
                "more" in option ? option.more === group : option.group === group.group,
              )
              .map(({ option, index }) => (
                <div
                  key={option.key}
                  id={`palette-${index}`}
                  role="option"
                  aria-selected={index === at}
                  class="palette-option"
                  onPointerMove={() => setActive(option.key)}
                  onClick={(event) => choose(option, event.ctrlKey || event.metaKey)}
                >
                  {"more" in option ? (
                    <span>Show all {group.total}</span>
                  ) : (
                    <Item item={option} query={query} />
                  )}
                </div>
              ))}
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p class="empty" role="status">
          <span>
            Nothing for “{forPage(query)}”.{" "}
            {meant !== undefined && (
              <>
                Did you mean{" "}
                <button type="button" class="link" onClick={() => setQuery(meant)}>
                  {meant}
                </button>
                ?
              </>
            )}
          </span>
        </p>
      )}
      <footer class="palette-foot" aria-hidden="true">
        <span>
          <kbd>↑</kbd>
          <kbd>↓</kbd> move
        </span>
        <span>
          <kbd>↵</kbd> run
        </span>
        <span>
          <kbd>ctrl</kbd>
          <kbd>↵</kbd> new tab
        </span>
        <span>
          <kbd>&gt;</kbd> actions <kbd>#</kbd> tasks <kbd>@</kbd> agents
        </span>
      </footer>
    </dialog>
  );
}

function Item({ item, query }: { readonly item: PaletteItem; readonly query: string }) {
  return (
    <>
      <Icon name={item.icon} />
      <span class="palette-text" dir="auto">
        <Marked text={forPage(item.text)} query={query} />
      </span>
      <span class="quiet" dir="auto">
        {forPage(item.detail)}
      </span>
      {item.shortcut !== undefined && <Key>{item.shortcut}</Key>}
    </>
  );
}

/** Marks the first word of the query. */
function Marked({ text, query }: { readonly text: string; readonly query: string }) {
  const [word = ""] = searchTerms(query.replace(/^[>#@]/, ""));
  const lower = text.toLowerCase();
  // Some letters have another length in lower case.
  const from = word === "" || lower.length !== text.length ? -1 : lower.indexOf(word);
  if (from === -1) return <>{text}</>;
  const to = from + word.length;
  return (
    <>
      {text.slice(0, from)}
      <b class="found">{text.slice(from, to)}</b>
      {text.slice(to)}
    </>
  );
}
