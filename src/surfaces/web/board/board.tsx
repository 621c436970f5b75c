import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isActive } from "../../../core/activity/session-state.ts";
import { counted } from "../../../core/text/count.ts";
import {
  type Board,
  boardOf,
  GROUPS,
  type Group,
  hasOpenPlan,
  headline,
} from "../../../core/views/board.ts";
import { type Hit, hitsOf } from "../../../core/views/search.ts";
import { type TaskBoard, taskBoard } from "../../../tasks/rules/board.ts";
import { pagePath } from "../connection/api.ts";
import { approvePlan, rejectLater } from "../session/plan-acts.ts";
import { useAgents } from "../state/agents.ts";
import { useApp } from "../state/app-context.ts";
import { useKeys, useNow, useStore } from "../state/hooks.ts";
import { useTitle } from "../state/title.ts";
import { Icon } from "../ui/icons.tsx";
import { Button, Go, isDecidedHere } from "../ui/parts.tsx";
import { upper } from "../ui/words.ts";
import { EmptyPage } from "./empty.tsx";
import { ListsOff } from "./lists-off.tsx";
import { Peek } from "./peek.tsx";
import { TrackRow } from "./row.tsx";

/** Whether one line for each track is enough: remembered. */
const LESS = "waymark-less";
const NO_HITS: readonly Hit[] = [];

/** What does not fit on a screen anyway is counted until somebody wants it. */
const SHOWN = 40;

export function BoardPage() {
  const app = useApp();
  const { search } = app;
  const { tracks, link, tasks, demo } = useStore(app.store);
  useEffect(() => {
    if (search !== "") app.store.tasks.read();
  }, [search === ""]);
  const found = useMemo(
    () => (search === "" ? 0 : cardCount(taskBoard(tasks.tasks.values(), Date.now(), { search }))),
    [tasks.tasks, search],
  );
  const [only, setOnly] = useState<Group | undefined>();
  const [all, setAll] = useState<ReadonlySet<Group>>(new Set());
  const [chosen, setChosen] = useState<string | undefined>();
  const [isLess, setLess] = useState(localStorage.getItem(LESS) === "yes");
  const joined = useMemo(() => [...tracks.values()], [tracks]);
  const now = useNow(
    joined.some(({ state }) => isActive(state)),
    demo?.overAt,
  );
  const board = useMemo(() => boardOf(joined, { now, search, only }), [joined, now, search, only]);
  const rows = board.groups.flatMap(({ group, rows: each }) =>
    all.has(group) ? each : each.slice(0, SHOWN),
  );
  const hits = useMemo(() => {
    const places = new Map<string, Hit[]>();
    for (const row of search === "" ? [] : rows)
      places.set(
        row.key,
        hitsOf([row], search).filter(({ kind }) => kind !== "track"),
      );
    return places;
  }, [search, board]);
  const selected = rows.find(({ key }) => key === chosen) ?? rows[0];
  // What is shown first stays chosen when others come before it.
  useLayoutEffect(() => setChosen(selected?.key), [selected?.key]);
  const list = useRef<HTMLDivElement>(null);

  const move = (to: (place: number) => number): void => {
    const place = selected ? rows.indexOf(selected) : 0;
    const next = rows[Math.max(0, Math.min(rows.length - 1, to(place)))];
    if (!next) return;
    setChosen(next.key);
    const found = [...(list.current?.querySelectorAll("[data-key]") ?? [])].find(
      (each) => each.getAttribute("data-key") === next.key,
    );
    found?.querySelector<HTMLElement>("a.title")?.focus();
    found?.scrollIntoView({ block: "nearest" });
  };
  const filter = (): void => {
    const place = only === undefined ? -1 : GROUPS.indexOf(only);
    setOnly(GROUPS[place + 1]);
  };
  const waits = selected && hasOpenPlan(selected) && isDecidedHere(selected) ? selected : undefined;
  useKeys({
    j: () => move((place) => place + 1),
    ArrowDown: () => move((place) => place + 1),
    k: () => move((place) => place - 1),
    ArrowUp: () => move((place) => place - 1),
    g: () => move(() => 0),
    G: () => move(() => rows.length - 1),
    Enter: () => selected && app.go(pagePath(selected.track)),
    f: filter,
    z: () => {
      localStorage.setItem(LESS, isLess ? "no" : "yes");
      setLess(!isLess);
    },
    p: () => selected && app.go(`${pagePath(selected.track)}#plan`),
    h: () => selected && app.go(`${pagePath(selected.track)}#history`),
    a: () => waits && void approvePlan(app, waits),
    r: () => waits && rejectLater(app, waits),
    c: () => waits && app.go(`${pagePath(waits.track)}#plan`),
  });

  useTitle("Waymark");
  const isEmpty = tracks.size === 0 && search === "" && link.state !== "opening" && !demo;
  const agents = useAgents(link.state === "live" && !demo);
  if (isEmpty)
    return (
      <main id="main" class="page">
        <EmptyPage agents={agents} />
      </main>
    );
  return (
    <div class={`split${link.state === "lost" ? " stale" : ""}${isLess ? " less" : ""}`}>
      <main id="main" ref={list}>
        <div class="head">
          <Headline board={board} />
          <Button look="ghost" shortcut="f" onClick={filter}>
            {only === undefined ? "All tracks" : upper(only)}
          </Button>
        </div>
        <p class="legend">
          <span>
            <Icon name="verified" /> verified by a command that passed
          </span>
          <span>
            <Icon name="claimed" /> claimed, no proof seen
          </span>
        </p>
        {!demo && <ListsOff agents={agents} />}
        {board.groups.map(({ group, rows: each }) => (
          <section key={group} aria-labelledby={`group-${group.replace(" ", "-")}`}>
            <h2 id={`group-${group.replace(" ", "-")}`}>
              {upper(group)} <span class="num">{each.length}</span>
            </h2>
            <ul class="card tracks">
              {(all.has(group) ? each : each.slice(0, SHOWN)).map((row) => (
                <TrackRow
                  key={row.key}
                  row={row}
                  now={now}
                  isSelected={row.key === selected?.key}
                  hits={hits.get(row.key) ?? NO_HITS}
                  onSelect={() => setChosen(row.key)}
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
            <Go to="/tasks" class="link">
              {counted(found, "task")} found
            </Go>
          </p>
        )}
        {rows.length === 0 && found === 0 && (
          <Nothing
            board={board}
            total={tracks.size}
            tasks={tasks.tasks.size}
            isOpening={link.state === "opening"}
            only={only}
          />
        )}
        {board.older > 0 && rows.length > 0 && (
          <p class="quiet older">
            {counted(board.older, "older track")} not shown. Search finds them.
          </p>
        )}
      </main>
      {selected && !isLess && <Peek row={selected} now={now} />}
    </div>
  );
}

function cardCount({ columns }: TaskBoard): number {
  return Object.values(columns).reduce((sum, cards) => sum + cards.length, 0);
}

function Headline({ board }: { readonly board: Board }) {
  const said = headline(board);
  const needs = /^\d+ needs? you\./.exec(said)?.[0] ?? "";
  return (
    <h1>
      {needs !== "" && <span class="needs">{needs}</span>}
      {said.slice(needs.length)}
    </h1>
  );
}

interface NothingProps {
  readonly board: Board;
  readonly total: number;
  readonly tasks: number;
  readonly isOpening: boolean;
  readonly only: Group | undefined;
}

/** What is true, what happens by itself, and what to do. */
function Nothing({ board, total, tasks, isOpening, only }: NothingProps) {
  const { search } = useApp();
  if (isOpening) return <p class="empty">Reading the lists of your agents.</p>;
  if (search !== "")
    return (
      <p class="empty">
        Nothing for “{search}” in {counted(total, "track")}
        {tasks > 0 && ` and ${counted(tasks, "task")}`}.
      </p>
    );
  if (only !== undefined)
    return <p class="empty">No track is in this group now. Press f for the next one.</p>;
  if (board.older > 0)
    return (
      <p class="empty">
        Nobody did anything today. {counted(board.older, "older track")} can be found by searching.
      </p>
    );
  return null;
}
