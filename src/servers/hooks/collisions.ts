import { setTimeout } from "node:timers/promises";
import { callIdOf, type HookEvent } from "../../agents/common/hooks/events.ts";
import { type Fields, text } from "../../agents/common/values.ts";
import { identityOf } from "../../agents/identities.ts";
import { effectOf } from "../../core/activity/evidence/effect.ts";
import type { CallRef } from "../../core/activity/observation.ts";
import { INACTIVE_AFTER } from "../../core/activity/stall.ts";
import { editPaths } from "../../core/checks/tamper/edit-inputs.ts";
import {
  type Collision,
  collisionKey,
  type OtherAgent,
  type UseKind,
} from "../../core/collisions/collision.ts";
import { type CollisionPolicy, fileUses } from "../../core/collisions/uses.ts";
import { absolutePath, isAbsolute } from "../../core/files/paths.ts";
import type { Reminder, Track, TrackId } from "../../core/model.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";
import { currentOf } from "../../core/views/view.ts";
import { markFiles, type PeerMark, peersOf, pruneMarks } from "../../home/edits/marks.ts";
import { isSamePlace, type Place, placeOf } from "../../home/edits/place.ts";
import { hasEndedProcess, isProcessAlive } from "../../sessions/caller/session-process.ts";
import type { Tracker } from "../../tracker.ts";
import { createAttribution, type ReportedEvent } from "./attribute.ts";

/** A call that edits files. */
interface EditCall {
  readonly call: CallRef;
  /** The absolute paths of the files. */
  readonly paths: readonly string[];
}

/** The edit that an event reports, if its input names the files. */
function editOf(input: Fields): EditCall | undefined {
  const { tool_name, tool_input, cwd } = input;
  const name = text(tool_name);
  if (name === undefined || !effectOf(name, tool_input).edits) return undefined;
  const directory = text(cwd);
  const paths = editPaths(name, tool_input)
    .map((path) => absolutePath(path, directory))
    .filter(isAbsolute);
  if (paths.length === 0) return undefined;
  const callId = callIdOf(input);
  return { call: { name, ...(callId !== undefined && { callId }) }, paths };
}

export interface Radar {
  readonly home: string;
  readonly tracker: Tracker;
  readonly policy: CollisionPolicy;
  /** Ingests what hooks of other agents reported. */
  readonly ingest: () => Promise<void>;
}

/**
 * Records collisions of an edit with other agents. Before the edit, returns the reminder with which it is denied: no
 * other text reaches a model before its call runs.
 */
export async function noticeCollisions(
  radar: Radar,
  reported: ReportedEvent,
): Promise<Reminder | undefined> {
  const { event, input, at } = reported;
  const edit = radar.policy.scope === "off" ? undefined : editOf(input);
  if (!edit || endsWell(event, input) === false) return undefined;
  const { target } = await createAttribution(radar.tracker)(reported);
  if (!target) return undefined;
  const isAhead = event.timing === "never";
  await recordCollisions(radar, target.id, edit, isAhead ? "editing" : "edited", at);
  if (!isAhead || !event.deny) return undefined;
  const list = radar.tracker.list(target.id, target.origin);
  const { collisions = [] } = await list.read();
  const isNew = collisions.some(
    ({ path, notifiedAt }) => notifiedAt === undefined && edit.paths.includes(path),
  );
  if (!isNew) return undefined;
  return (await list.observe([], { moment: "call", denies: edit.call })).reminder;
}

/** Whether the reported call succeeded; undefined before it runs. */
function endsWell(event: HookEvent, input: Fields): boolean | undefined {
  if (event.timing !== "step") return undefined;
  return event.observe(input).some(({ type }) => type === "tool.completed");
}

/** A collision of the agent, and the one that is recorded with the other agent. */
interface Pair {
  readonly own: Collision;
  readonly other: TrackId;
  readonly theirs: Collision;
}

/**
 * Finds other live agents that use the files of an edit, and records each pair and file once, with both sides. The look-up
 * reads one directory per session, and the tracks of those that marked a file of the same name.
 */
async function recordCollisions(
  radar: Radar,
  own: TrackId,
  { paths }: Pick<EditCall, "paths">,
  how: UseKind,
  now: number,
): Promise<void> {
  const { home, tracker, policy } = radar;
  if (policy.scope === "off") return;
  pruneMarks(home, own.session, now - policy.window, (session) => hasEndedProcess(home, session));
  // Marked before the look-up: of two agents that do this at the same time, at least one finds the other.
  markFiles(home, own.session, paths, now);
  const peers = peersOf(home, own.session, paths);
  if (peers.length === 0) return;
  const places = paths.map((path) => ({ path, place: placeOf(path) }));
  const found: Collision[] = [];
  const track = await tracker.list(own).read();
  for (const peer of peers) {
    const others = await tracksOf(radar, peer);
    for (const file of places) {
      const pair = others
        .map((other) => pairOf(radar, { track, ...file, how }, other, others, now))
        .find((each) => each !== undefined);
      if (!pair) continue;
      // Not known to the other session: it ended since, so both are notified again.
      const isNew = !has(others, pair.theirs);
      if (isNew)
        await tracker.list(pair.other).observe([], { collisions: [pair.theirs], via: "waymark" });
      if (isNew || !has([track], pair.own)) found.push(pair.own);
    }
  }
  if (found.length > 0) await tracker.list(own).observe([], { collisions: found, via: "waymark" });
}

/** Milliseconds to wait for an edit that another hook has announced and not written yet. */
const WAIT = 250;
const POLL = 25;

/** The tracks of a session. A mark is written a moment before its event: until then, the tracks are out of date. */
async function tracksOf(
  { tracker, ingest }: Radar,
  { session, at }: PeerMark,
): Promise<readonly Track[]> {
  const isFresh = Date.now() - at < 1_000;
  for (let waited = 0; ; waited += POLL) {
    const tracks = await tracker.tracks({ session });
    // File times and clocks differ by some milliseconds.
    const isCovered = tracks.some(({ activity }) => (activity?.lastAt ?? 0) >= at - 20);
    if (!isFresh || isCovered || waited >= WAIT) return tracks;
    await setTimeout(POLL);
    await ingest();
  }
}

interface OwnEdit {
  readonly track: Track;
  readonly path: string;
  readonly place: Place;
  readonly how: UseKind;
}

function pairOf(
  { home, policy }: Radar,
  { track, path, place, how }: OwnEdit,
  other: Track,
  others: readonly Track[],
  now: number,
): Pair | undefined {
  const { scope, window } = policy;
  if (scope === "off" || !isLive(home, other, now)) return undefined;
  const use = fileUses(other, now, window).find(
    (each) => isAbsolute(each.path) && isSamePlace(place, placeOf(each.path), scope),
  );
  if (!use) return undefined;
  const isElsewhere = placeOf(use.path).path !== place.path;
  const common = { at: now, ...(isElsewhere && { isElsewhere }) };
  return {
    own: { ...common, path, other: agentOf(other), how: use.how, usedAt: use.at },
    other: receiverOf(other, others),
    theirs: { ...common, path: use.path, other: agentOf(track), how, usedAt: now },
  };
}

function agentOf({ session, agent, agentType, todos }: Track): OtherAgent {
  const name = identityOf(agentType)?.name;
  const todo = currentOf(todos)?.text;
  return {
    session,
    agent,
    ...(agentType !== undefined && { agentType }),
    ...(name !== undefined && { name }),
    ...(todo !== undefined && { todo }),
  };
}

/** The track that gets the notice: a subagent that has ended receives nothing, so the agent that started it does. */
function receiverOf({ session, agent, activity }: Track, all: readonly Track[]): TrackId {
  const main = all.find((each) => each.agent === MAIN_AGENT);
  return activity?.turn === "running" || !main
    ? { session, agent }
    : { session, agent: MAIN_AGENT };
}

/** Whether one of the agents knows the collision. After a session ended, none of its agents does. */
function has(family: readonly Track[], collision: Collision): boolean {
  const key = collisionKey(collision);
  return family.some(({ collisions = [] }) =>
    collisions.some((each) => collisionKey(each) === key),
  );
}

/** Whether the agent may still edit files: its session has not ended, and its process runs as far as it is known. */
function isLive(home: string, { session, activity }: Track, now: number): boolean {
  if (!activity || activity.ended || hasEndedProcess(home, session)) return false;
  return isProcessAlive(home, session) || now - activity.lastAt < INACTIVE_AFTER;
}
