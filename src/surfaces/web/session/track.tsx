import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isActive } from "../../../core/activity/session-state.ts";
import { askedForProof } from "../../../core/checks/ask-for-proof.ts";
import { foldEvents } from "../../../core/evolve.ts";
import type { Track, TrackId } from "../../../core/model.ts";
import { counted } from "../../../core/text/count.ts";
import { trackKey } from "../../../core/text/ids.ts";
import type { CallMark } from "../../../core/views/activity-timeline.ts";
import { boardOf, hasOpenPlan } from "../../../core/views/board.ts";
import { workedUntil } from "../../../core/views/merged.ts";
import { onDisplay, viewOf } from "../../../core/views/view.ts";
import { REQUEST_LABELS, whereToAnswer } from "../../text/requests.ts";
import { Subagents } from "../board/subagents.tsx";
import { CallDrawer } from "../calls/drawer.tsx";
import { CallsContext, callKey, callsOf, type OpenCall } from "../calls/open-call.ts";
import { Verify } from "../checks/verify.tsx";
import { MuteButton, MutedNotes, mutableFinding } from "../mutes/mute.tsx";
import { useApp } from "../state/app-context.ts";
import { useHash, useHeldKeys, useKeys, useNow, useStore } from "../state/hooks.ts";
import { useTitle } from "../state/title.ts";
import {
  evidenceLabel,
  failingLabel,
  findingNow,
  isLoop,
  progressLabel,
} from "../state/todo-labels.ts";
import { capitalize } from "../ui/capitalize.ts";
import { Cost } from "../ui/cost.tsx";
import {
  AgentName,
  Bar,
  Button,
  canDecideHere,
  hueClass,
  Link,
  Pill,
  Refused,
  Text,
} from "../ui/parts.tsx";
import { Duration, Time } from "../ui/time.tsx";
import { BurnUp } from "./burn-up.tsx";
import { ChangedFilesCard, useChangedFiles } from "./changed-files.tsx";
import { useMoment } from "./moment.ts";
import { PlanCard } from "./plan.tsx";
import { SessionActions } from "./session-actions.tsx";
import { StallSteps } from "./stall-steps.tsx";
import { Timeline } from "./timeline.tsx";
import { TodoCard } from "./todos/card.tsx";

/** An earlier state with the runs of Waymark until then, which are not part of the events. */
function withRunsBefore(past: Track, now: Track | undefined): Track {
  const proofs = new Map(now?.todos.map(({ id, proof }) => [id, proof]));
  const todos = past.todos.map((todo) => {
    const proof = proofs.get(todo.id);
    return proof && proof.at + proof.durationMs <= past.updatedAt ? { ...todo, proof } : todo;
  });
  return { ...past, todos };
}

/** The page of one session. */
export function TrackPage({ id }: { readonly id: TrackId }) {
  const app = useApp();
  const { store } = app;
  const {
    tracks,
    histories,
    historyErrors,
    connection,
    demo,
    clearDelay = -1,
    prices,
  } = useStore(store);
  const key = trackKey(id);
  const merged = tracks.get(key);
  const history = histories.get(key);
  const historyError = historyErrors.get(key);
  const [moment, setPosition] = useMoment();
  const slider = useRef<HTMLInputElement>(null);
  const [openCall, setOpenCall] = useState<OpenCall | undefined>();
  const isBusy = merged !== undefined && isActive(merged.state);
  const now = useNow(isBusy, demo?.overAt);

  useEffect(() => {
    store.watch(id);
    return () => store.unwatch(id);
  }, [key]);
  const row = useMemo(() => {
    const family = [...tracks.values()].filter(({ track }) => track.session === id.session);
    const rows = boardOf(family, {
      now,
      keep: Number.POSITIVE_INFINITY,
      archived: "all",
      prices,
    }).groups.flatMap((group) => group.rows);
    const everyone = rows.flatMap((each) => [each, ...each.children]);
    return everyone.find((each) => each.key === key);
  }, [tracks, key, now, prices]);
  const changed = useChangedFiles(id, merged);
  const asked = useMemo(() => askedForProof(history?.events ?? []), [history?.events]);
  const events = history?.events ?? [];
  // The last change is now.
  const position = moment !== undefined && moment < events.length ? moment : undefined;
  const shown = useMemo(
    () =>
      position === undefined
        ? undefined
        : withRunsBefore(foldEvents(id, events.slice(0, position)), merged?.track),
    [position, events, key, merged?.track],
  );
  const calls = useMemo(
    () => (row && history ? callsOf(history.story.calls, row) : []),
    [row?.activity, history],
  );
  const callAccess = useMemo(
    () => ({ calls, open: openCall, show: setOpenCall }),
    [calls, openCall],
  );
  useHash(
    () => {
      if (location.hash === "#history") slider.current?.focus();
      else if (location.hash === "#plan") document.getElementById("plan")?.scrollIntoView();
    },
    merged !== undefined && history !== undefined,
  );
  useHeldKeys(!merged && connection.state === "connecting");
  useTitle(row ? `${row.title} · Waymark` : "Waymark");

  const step = (by: number): void => {
    if (events.length === 0) return;
    const to = Math.max(1, Math.min(events.length, (position ?? events.length) + by));
    setPosition(to === events.length ? undefined : to);
  };
  useKeys({
    Escape: () => (position === undefined ? app.navigate("/") : setPosition(undefined)),
    h: () => slider.current?.focus(),
    "[": () => step(-1),
    "]": () => step(1),
    p: () => document.getElementById("plan")?.scrollIntoView(),
    M: () => {
      const mutable = merged && mutableFinding(merged, now);
      if (mutable) app.showMute(mutable);
    },
  });

  if (!merged || !row)
    return (
      <main id="main" class="page">
        <p class="empty">
          {connection.state === "connecting"
            ? "Loading session…"
            : "Session not found. Its files may have been deleted."}{" "}
          <Link to="/" class="link">
            Back to sessions
          </Link>
        </p>
      </main>
    );

  const { track } = merged;
  const view = onDisplay(
    viewOf(shown ?? track, now, shown ? -1 : clearDelay, shown ? now : workedUntil(row, now)),
  );
  const { completed, total } = view.progress;
  const { todos } = shown ?? track;
  const evidence = evidenceLabel(todos);
  const failing = failingLabel({ ...merged, track: shown ?? track });
  const finding = findingNow(merged, now);
  const at = position === undefined ? undefined : events[position - 1]?.at;
  const shownCall = openCall?.call && newestOf(calls, openCall.call);
  const closeCall = (): void => {
    setOpenCall(undefined);
    if (shownCall && !openCall?.todo) focusCall(shownCall);
  };
  /** Towards the bottom of the list are the older calls. */
  const moveCall = (by: number): void => {
    const able = calls.filter(({ callId }) => callId !== undefined);
    const at = shownCall ? able.indexOf(shownCall) : -1;
    const next = at === -1 ? undefined : able[at - by];
    if (!next) return;
    setOpenCall({ call: next });
    focusCall(next);
  };
  return (
    <CallsContext.Provider value={callAccess}>
      <main
        id="main"
        class={`page ${hueClass(track.agentType)}${connection.state === "lost" ? " stale" : ""}`}
      >
        <nav class="crumb" aria-label="Breadcrumb">
          <Link to="/">Sessions</Link> <span aria-hidden="true">/</span>{" "}
          <Text>{row.project || track.session}</Text>
        </nav>
        <header class="hero">
          <div class="hero-line">
            <h1>
              <Text>{row.title}</Text>
            </h1>
            {row.group === "needs you" && (
              <Pill icon="you" look="you">
                {capitalize(REQUEST_LABELS[row.waiting?.kind ?? "plan"])}
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
            {!shown && <MuteButton merged={merged} now={now} />}
          </div>
          <MutedNotes merged={merged} />
          <StallSteps track={track} now={now} />
          {row.group === "needs you" && !hasOpenPlan(row) && row.waiting && (
            <p>
              <Text class={row.waiting.kind === "permission" ? "mono" : ""}>
                {row.waiting.text}
              </Text>{" "}
              <span class="quiet">
                Waiting <Duration ms={now - row.waiting.since} />. {whereToAnswer(row)}
              </span>
            </p>
          )}
          <Refused track={track} />
          <p class="meta">
            <AgentName track={track} />
            {row.project !== "" && <Text>{row.project}</Text>}
            <span>
              started <Time at={track.openedAt} />
            </span>
            {row.children.length > 0 && <span>{counted(row.children.length, "subagent")}</span>}
            <Cost sum={row.cost?.sum} />
            <span class="mono">{track.session.slice(0, 8)}</span>
            {!merged.hosted && <span>read-only, managed by the agent</span>}
          </p>
          {total > 0 && <Bar track={shown ?? track} />}
          <p class="sum">
            {total > 0 && (
              <>
                <b class="num">{progressLabel(todos)} done.</b> {evidence !== "" && `${evidence}. `}
                {failing !== "" && <span class="bad">{failing}. </span>}
              </>
            )}
            {finding ? (
              <Text>{`${finding.message}.`}</Text>
            ) : (
              view.current && (
                <>
                  Now: <Text>{view.current.todo.text}</Text>,{" "}
                  <Duration ms={view.current.elapsed ?? 0} />.
                </>
              )
            )}{" "}
            {view.next && (
              <>
                Next: <Text>{view.next.todo.text}</Text>.
              </>
            )}
          </p>
          {completed > 0 && !shown && <Verify merged={merged} />}
          {!shown && <SessionActions merged={merged} />}
        </header>
        <div class="columns">
          <TodoCard
            merged={merged}
            view={view}
            isHistory={shown !== undefined}
            costs={row.cost?.todos()}
            files={changed?.files}
            asked={asked}
            strip={
              at !== undefined && (
                <div class="strip" role="status">
                  List as of <Time at={at} />, read-only.
                  <Button look="ghost" shortcut="Escape" onClick={() => setPosition(undefined)}>
                    Back to now
                  </Button>
                </div>
              )
            }
          />
          <div class="side">
            {merged.plan && <PlanCard id={id} plan={merged.plan} isHere={canDecideHere(merged)} />}
            {history && events.length > 0 && (
              <BurnUp id={id} events={events} todos={track.todos} now={isBusy ? now : undefined} />
            )}
            <ChangedFilesCard changed={changed} />
            {row.children.length > 0 && <Subagents rows={row.children} />}
          </div>
        </div>
        {historyError !== undefined && (
          <p class="strip" role="alert">
            Can't load the history, retrying. {historyError}
          </p>
        )}
        {history && (
          <Timeline
            row={row}
            history={history}
            now={now}
            position={position}
            onPosition={(to) => setPosition(to >= events.length ? undefined : Math.max(1, to))}
            slider={slider}
          />
        )}
        {openCall && (
          <CallDrawer
            id={id}
            call={shownCall}
            todo={openCall.todo}
            onClose={closeCall}
            onMove={openCall.todo ? undefined : moveCall}
          />
        )}
      </main>
    </CallsContext.Provider>
  );
}

/** The same call with its end, once it has ended. */
function newestOf(calls: readonly CallMark[], call: CallMark): CallMark {
  return calls.find((each) => callKey(each) === callKey(call)) ?? call;
}

/** Focuses the row of a call after it was drawn. */
function focusCall(call: CallMark): void {
  requestAnimationFrame(() => {
    const row = document.querySelector<HTMLElement>(`[data-call="${CSS.escape(callKey(call))}"]`);
    row?.focus();
    row?.scrollIntoView({ block: "nearest" });
  });
}
