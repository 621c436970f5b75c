import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isActive } from "../../../core/activity/session-state.ts";
import { counted } from "../../../core/text/count.ts";
import { forPage } from "../../../core/text/escape.ts";
import {
  type Board,
  type BoardGroup,
  boardOf,
  hasOpenPlan,
  headline,
} from "../../../core/views/board.ts";
import { filtered, hasFilters, isUnproven, NO_FILTERS } from "../../../core/views/find/filters.ts";
import { type SearchHit, searchBoard } from "../../../core/views/search.ts";
import { type TaskBoard, taskBoard } from "../../../tasks/rules/board.ts";
import { runningByTrack, startRun, whyNot } from "../checks/runs.ts";
import { pagePath } from "../connection/api.ts";
import { mutableFinding } from "../mutes/mute.tsx";
import { approveWithUndo, rejectWithUndo } from "../session/plan-actions.ts";
import { archiveWithUndo } from "../session/session-actions.tsx";
import { useAgents } from "../state/agents.ts";
import { useApp } from "../state/app-context.ts";
import { decided } from "../state/decisions.ts";
import { useHeldKeys, useKeys, useNow, useStore } from "../state/hooks.ts";
import { useTitle } from "../state/title.ts";
import { capitalize } from "../ui/capitalize.ts";
import { Cost, sumOf } from "../ui/cost.tsx";
import { Button, canDecideHere, Link } from "../ui/parts.tsx";
import { Away } from "./away.tsx";
import { Collisions } from "./collisions.tsx";
import { EmptyPage } from "./empty.tsx";
import { FilterBar } from "./filters.tsx";
import { ListsOff } from "./lists-off.tsx";
import { useOnScreen } from "./on-screen.ts";
import { Preview } from "./preview.tsx";
import { TrackRow } from "./row.tsx";

/** Local storage key: show one line per session. */
const LESS = "waymark-less";
const NO_HITS: readonly SearchHit[] = [];

/** Rows per group until the user asks for more. */
const SHOWN = 40;

export function BoardPage() {
  const app = useApp();
  const { search, filters } = app;
  const { tracks, connection, tasks, demo, runs, decisions, prices } = useStore(app.store);
  useEffect(() => {
    if (search !== "") app.store.tasks.load();
  }, [search === ""]);
  const found = useMemo(
    () => (search === "" ? 0 : cardCount(taskBoard(tasks.tasks.values(), Date.now(), { search }))),
    [tasks.tasks, search],
  );
  const [all, setAll] = useState<ReadonlySet<BoardGroup>>(new Set());
  const [chosen, setChosen] = useState<string | undefined>();
  const [showsArchived, setShowsArchived] = useState(false);
  const [isLess, setLess] = useState(localStorage.getItem(LESS) === "yes");
  const merged = useMemo(() => decided(tracks, decisions), [tracks, decisions]);
  const now = useNow(
    merged.some(({ state }) => isActive(state)),
    demo?.overAt,
  );
  const board = useMemo(
    () => boardOf(merged, { now, search, prices, archived: showsArchived ? "only" : "hidden" }),
    [merged, now, search, prices, showsArchived],
  );
  const groups = useMemo(() => filtered(board, filters), [board, filters]);
  const rows = groups.flatMap(({ group, rows: each }) =>
    all.has(group) ? each : each.slice(0, SHOWN),
  );
  const hits = useMemo(() => {
    const byRow = new Map<string, SearchHit[]>();
    for (const row of search === "" ? [] : rows)
      byRow.set(
        row.key,
        searchBoard([row], search).filter(({ kind }) => kind !== "track"),
      );
    return byRow;
  }, [search, groups]);
  const selected = rows.find(({ key }) => key === chosen) ?? rows[0];
  // Keep the selection when new rows appear above it.
  useLayoutEffect(() => setChosen(selected?.key), [selected?.key]);
  const list = useRef<HTMLDivElement>(null);
  const screen = useOnScreen();
  const running = useMemo(() => runningByTrack(runs), [runs]);

  const move = (to: (index: number) => number): void => {
    const index = selected ? rows.indexOf(selected) : 0;
    const next = rows[Math.max(0, Math.min(rows.length - 1, to(index)))];
    if (!next) return;
    setChosen(next.key);
    const found = [...(list.current?.querySelectorAll("[data-key]") ?? [])].find(
      (each) => each.getAttribute("data-key") === next.key,
    );
    found?.querySelector<HTMLElement>("a.title")?.focus();
    found?.scrollIntoView({ block: "nearest" });
  };
  const withPlan =
    selected && hasOpenPlan(selected) && canDecideHere(selected) ? selected : undefined;
  const canVerify =
    selected && selected.view.progress.completed > 0 && whyNot(selected, runs) === undefined
      ? selected
      : undefined;
  const mutable = selected && mutableFinding(selected, now);
  useKeys({
    j: () => move((index) => index + 1),
    ArrowDown: () => move((index) => index + 1),
    k: () => move((index) => index - 1),
    ArrowUp: () => move((index) => index - 1),
    g: () => move(() => 0),
    G: () => move(() => rows.length - 1),
    Enter: () => selected && app.navigate(pagePath(selected.track)),
    z: () => {
      localStorage.setItem(LESS, isLess ? "no" : "yes");
      setLess(!isLess);
    },
    p: () => selected && app.navigate(`${pagePath(selected.track)}#plan`),
    h: () => selected && app.navigate(`${pagePath(selected.track)}#history`),
    a: () => withPlan && approveWithUndo(app, withPlan),
    r: () => withPlan && rejectWithUndo(app, withPlan),
    ...(canVerify && { v: () => void startRun(app, canVerify.track, {}) }),
    A: () => selected && !demo && void archiveWithUndo(app, selected),
    M: () => mutable && app.showMute(mutable),
    c: () => withPlan && app.navigate(`${pagePath(withPlan.track)}#plan`),
  });

  useHeldKeys(connection.state === "connecting" && tracks.size === 0);
  useTitle("Waymark");
  const isEmpty = tracks.size === 0 && search === "" && connection.state !== "connecting" && !demo;
  const agents = useAgents(connection.state === "live" && !demo);
  if (isEmpty)
    return (
      <main id="main" class="page">
        <EmptyPage agents={agents} />
      </main>
    );
  return (
    <div class={`split${connection.state === "lost" ? " stale" : ""}${isLess ? " less" : ""}`}>
      <main id="main" ref={list}>
        <div class="head">
          <Headline board={board} />
          <span class="total">
            <Cost sum={sumOf(rows)} />
          </span>
        </div>
        {!demo && <Collisions tracks={merged} now={now} />}
        {!demo && <Away />}
        <FilterBar
          board={board}
          filters={filters}
          shown={countRows(groups)}
          total={countRows(board.groups)}
          onChange={app.filter}
        />
        {!demo && <ListsOff agents={agents} />}
        {groups.map(({ group, rows: each }) => (
          <section key={group} aria-labelledby={`group-${group.replace(" ", "-")}`}>
            <h2 id={`group-${group.replace(" ", "-")}`}>
              {capitalize(group)} <span class="num">{each.length}</span>
              <span class="total">
                <Cost sum={sumOf(each)} />
              </span>
            </h2>
            <ul class="card tracks">
              {(all.has(group) ? each : each.slice(0, SHOWN)).map((row) => (
                <TrackRow
                  key={row.key}
                  row={row}
                  now={now}
                  prices={prices}
                  isSelected={row.key === selected?.key}
                  hits={hits.get(row.key) ?? NO_HITS}
                  run={running.get(row.key)}
                  screen={screen}
                  onSelect={setChosen}
                />
              ))}
            </ul>
            {!all.has(group) && each.length > SHOWN && (
              <Button look="ghost" onClick={() => setAll(new Set([...all, group]))}>
                Show {each.length - SHOWN} more
              </Button>
            )}
          </section>
        ))}
        {found > 0 && (
          <p class="older">
            <Link to="/tasks" class="link">
              {counted(found, "matching task")}
            </Link>
          </p>
        )}
        {rows.length === 0 && found === 0 && (
          <EmptyState
            board={board}
            total={tracks.size}
            tasks={tasks.tasks.size}
            isConnecting={connection.state === "connecting"}
          />
        )}
        {(board.archived > 0 || showsArchived) && (
          <p class="quiet older">
            {showsArchived
              ? "Archived sessions, hidden elsewhere until they change. "
              : `${counted(board.archived, "archived session")}. `}
            <Button look="ghost" onClick={() => setShowsArchived(!showsArchived)}>
              {showsArchived ? "Back to all sessions" : "Show"}
            </Button>
          </p>
        )}
        {board.older > 0 && rows.length > 0 && (
          <p class="quiet older">
            {counted(board.older, "older session")} not shown. Search to find them.
          </p>
        )}
      </main>
      {selected && !isLess && <Preview row={selected} now={now} />}
    </div>
  );
}

function countRows(groups: Board["groups"]): number {
  return groups.reduce((sum, { rows }) => sum + rows.length, 0);
}

function cardCount({ columns }: TaskBoard): number {
  return Object.values(columns).reduce((sum, cards) => sum + cards.length, 0);
}

function Headline({ board }: { readonly board: Board }) {
  const unproven = board.groups.flatMap(({ rows }) => rows).filter(isUnproven).length;
  const text = headline(board, unproven);
  const needs = /^\d+ needs? you\./.exec(text)?.[0] ?? "";
  return (
    <h1>
      {needs !== "" && <span class="needs">{needs}</span>}
      {text.slice(needs.length)}
    </h1>
  );
}

interface EmptyStateProps {
  readonly board: Board;
  readonly total: number;
  readonly tasks: number;
  readonly isConnecting: boolean;
}

/** The empty state of the board. */
function EmptyState({ board, total, tasks, isConnecting }: EmptyStateProps) {
  const { search, clearSearch, filters, filter } = useApp();
  if (isConnecting) return <p class="empty">Loading sessions…</p>;
  if (hasFilters(filters))
    return (
      <div class="empty">
        <p>
          {search === ""
            ? "No sessions match the filters."
            : `No sessions match the filters and “${forPage(search)}”.`}
        </p>
        <p class="actions">
          <Button onClick={() => filter(NO_FILTERS)}>Clear filters</Button>
          {search !== "" && <Button onClick={clearSearch}>Clear search</Button>}
        </p>
      </div>
    );
  if (search !== "")
    return (
      <p class="empty">
        No matches for “{forPage(search)}” in {counted(total, "session")}
        {tasks > 0 && ` and ${counted(tasks, "task")}`}.
      </p>
    );
  if (board.older > 0)
    return (
      <p class="empty">
        No sessions today. Search to find {counted(board.older, "older session")}.
      </p>
    );
  return null;
}
