import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isActive } from "../../../core/activity/session-state.ts";
import { foldEvents } from "../../../core/evolve.ts";
import type { TrackId } from "../../../core/model.ts";
import { counted } from "../../../core/text/count.ts";
import { trackKey } from "../../../core/text/ids.ts";
import { boardOf, hasOpenPlan } from "../../../core/views/board.ts";
import { workedUntil } from "../../../core/views/merged.ts";
import { onDisplay, viewOf } from "../../../core/views/view.ts";
import { REQUEST_WORDS, whereToAnswer } from "../../text/waiting.ts";
import { Children } from "../board/children.tsx";
import { useApp } from "../state/app-context.ts";
import { useKeys, useNow, useStore } from "../state/hooks.ts";
import { findingNow, isLoop, proofWords } from "../state/shown.ts";
import { useTitle } from "../state/title.ts";
import {
  AgentName,
  Bar,
  Button,
  Go,
  hueClass,
  isDecidedHere,
  Pill,
  Refused,
  Text,
} from "../ui/parts.tsx";
import { clock, duration, upper, when } from "../ui/words.ts";
import { BurnUp } from "./burn-up.tsx";
import { PlanCard } from "./plan.tsx";
import { Timeline } from "./timeline.tsx";
import { TodoCard } from "./todos.tsx";

/** Everything that is known of one track. */
export function TrackPage({ id }: { readonly id: TrackId }) {
  const app = useApp();
  const { store } = app;
  const { tracks, pasts, pastTroubles, link, demo, clearDelay = -1 } = useStore(store);
  const key = trackKey(id);
  const joined = tracks.get(key);
  const past = pasts.get(key);
  const trouble = pastTroubles.get(key);
  const [moment, setMoment] = useState<number | undefined>();
  const slider = useRef<HTMLInputElement>(null);
  const isBusy = joined !== undefined && isActive(joined.state);
  const now = useNow(isBusy, demo?.overAt);

  useEffect(() => {
    store.look(id);
    return () => store.forget(id);
  }, [key]);
  const row = useMemo(() => {
    const family = [...tracks.values()].filter(({ track }) => track.session === id.session);
    const rows = boardOf(family, { now, keep: Number.POSITIVE_INFINITY }).groups.flatMap(
      (group) => group.rows,
    );
    const everyone = rows.flatMap((each) => [each, ...each.children]);
    return everyone.find((each) => each.key === key);
  }, [tracks, key, now]);
  const events = past?.events ?? [];
  const shown = useMemo(
    () => (moment === undefined ? undefined : foldEvents(id, events.slice(0, moment))),
    [moment, events, key],
  );
  useEffect(() => {
    if (!joined || !past) return;
    if (location.hash === "#history") slider.current?.focus();
    else if (location.hash === "#plan") document.getElementById("plan")?.scrollIntoView();
  }, [joined === undefined, past === undefined]);
  useTitle(row ? `${row.title} · Waymark` : "Waymark");

  const step = (by: number): void => {
    if (events.length === 0) return;
    const to = Math.max(1, Math.min(events.length, (moment ?? events.length) + by));
    setMoment(to === events.length ? undefined : to);
  };
  useKeys({
    Escape: () => (moment === undefined ? app.go("/") : setMoment(undefined)),
    h: () => slider.current?.focus(),
    "[": () => step(-1),
    "]": () => step(1),
    p: () => document.getElementById("plan")?.scrollIntoView(),
  });

  if (!joined || !row)
    return (
      <main id="main" class="page">
        <p class="empty">
          {link.state === "opening"
            ? "Reading the track."
            : "This track is not here. Its files may be gone, or its agent was never seen."}{" "}
          <Go to="/" class="link">
            Back to all tracks
          </Go>
        </p>
      </main>
    );

  const { track } = joined;
  const view = onDisplay(
    viewOf(shown ?? track, now, shown ? -1 : clearDelay, shown ? now : workedUntil(row, now)),
  );
  const { completed, total, verified } = view.progress;
  const finding = findingNow(joined, now);
  const at = moment === undefined ? undefined : events[moment - 1]?.at;
  return (
    <main
      id="main"
      class={`page ${hueClass(track.agentType)}${link.state === "lost" ? " stale" : ""}`}
    >
      <nav class="crumb" aria-label="Where you are">
        <Go to="/">Tracks</Go> <span aria-hidden="true">/</span>{" "}
        <Text>{row.project || track.session}</Text>
      </nav>
      <header class="hero">
        <div class="hero-line">
          <h1>
            <Text>{row.title}</Text>
          </h1>
          {row.group === "needs you" && (
            <Pill icon="you" look="you">
              {upper(REQUEST_WORDS[row.waiting?.kind ?? "plan"])}
            </Pill>
          )}
          {finding && (
            <Pill
              icon={isLoop(finding) ? "looping" : "stalled"}
              look={isLoop(finding) && finding.level === "critical" ? "broken" : "watch"}
            >
              {isLoop(finding) ? "Looping" : "Stalled"}
            </Pill>
          )}
        </div>
        {row.group === "needs you" && !hasOpenPlan(row) && row.waiting && (
          <p>
            <Text class={row.waiting.kind === "permission" ? "mono" : ""}>{row.waiting.text}</Text>{" "}
            <span class="quiet">
              Waiting {duration(now - row.waiting.since)}. {whereToAnswer(row)}
            </span>
          </p>
        )}
        <Refused track={track} />
        <p class="meta">
          <AgentName track={track} />
          {row.project !== "" && <Text>{row.project}</Text>}
          <span>started {when(track.openedAt, now)}</span>
          {row.children.length > 0 && <span>{counted(row.children.length, "subagent")}</span>}
          <span class="mono">{track.session.slice(0, 8)}</span>
          {!joined.hosted && <span>kept by the agent, shown here</span>}
        </p>
        {total > 0 && <Bar track={shown ?? track} />}
        <p class="sum">
          {total > 0 && (
            <>
              <b class="num">
                {completed} of {total} done.
              </b>{" "}
              {completed > 0 && `${proofWords(completed, verified)}. `}
            </>
          )}
          {finding ? (
            <Text>{`${finding.message}.`}</Text>
          ) : (
            view.current && (
              <>
                Now: <Text>{view.current.todo.text}</Text>, {duration(view.current.elapsed ?? 0)}.
              </>
            )
          )}{" "}
          {view.next && (
            <>
              Next: <Text>{view.next.todo.text}</Text>.
            </>
          )}
        </p>
      </header>
      <div class="columns">
        <TodoCard
          joined={joined}
          view={view}
          isPast={shown !== undefined}
          strip={
            at !== undefined && (
              <div class="strip" role="status">
                As it was at {clock(at)}. Editing is off.
                <Button look="ghost" shortcut="Escape" onClick={() => setMoment(undefined)}>
                  Back to now
                </Button>
              </div>
            )
          }
        />
        <div class="side">
          {joined.plan && (
            <PlanCard id={id} plan={joined.plan} isHere={isDecidedHere(joined)} now={now} />
          )}
          {past && events.length > 0 && (
            <BurnUp id={id} events={events} now={isBusy ? now : undefined} />
          )}
          {row.children.length > 0 && <Children rows={row.children} now={now} />}
        </div>
      </div>
      {trouble !== undefined && (
        <p class="strip" role="alert">
          The history cannot be read, trying again. {trouble}
        </p>
      )}
      {past && (
        <Timeline
          row={row}
          past={past}
          now={now}
          moment={moment}
          onMoment={(to) => setMoment(to >= events.length ? undefined : Math.max(1, to))}
          slider={slider}
        />
      )}
    </main>
  );
}
