import { NoAnswer, UsageError } from "../../core/error.ts";
import type { Live } from "../../core/stream/fold.ts";
import { storyOf } from "../../core/views/activity-timeline.ts";
import { workedUntil } from "../../core/views/merged.ts";
import { titleOf } from "../../core/views/title.ts";
import { viewOf } from "../../core/views/view.ts";
import { faultForm } from "../../doctor/fault-words.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { ReadList } from "../../sessions/read-list.ts";
import type { ResolvedTrack } from "../../sessions/resolve.ts";
import { renderHistory, renderList, renderTracks } from "../../surfaces/text/index.ts";
import { type Call, defineCommand } from "../args/command.ts";
import { EXIT } from "../io/exit.ts";
import { fitting } from "../io/fitting.ts";
import { textOptions } from "../io/text-options.ts";
import { READ_OPTIONS, trackToRead } from "../options/which-track.ts";
import { historyRow, inOrder, transitionForm } from "../print/history-form.ts";
import { listForm } from "../print/list-form.ts";
import { planForm } from "../print/plan-form.ts";
import {
  activityLines,
  detailLines,
  headerLines,
  planLines,
  sourceLines,
} from "../print/show-lines.ts";
import { activityForm, liveOf, trackForm, trackRow } from "../print/track-form.ts";

const LAST = 10;
const MAX_FAULTS = 100;

export const show = defineCommand({
  arguments: [
    {
      name: "SESSION",
      summary: "the session, as waymark ls shows it",
      optional: true,
      words: "sessions",
    },
  ],
  options: { ...READ_OPTIONS, json: { type: "boolean", summary: "Print JSON" } },
  examples: [
    { command: "waymark show demo", says: "Everything of one session" },
    { command: "waymark show demo --agent main --json", says: "The same for a program" },
  ],
  async run(call) {
    const { terminal } = call;
    const [given] = call.args;
    if (given !== undefined && call.values.session !== undefined && given !== call.values.session)
      throw new UsageError("Two sessions are named; name one.");
    const values = given === undefined ? call.values : { ...call.values, session: given };
    const now = Date.now();
    const one = await trackToRead({ ...call, values });
    const { found, list } = one;
    if (!found)
      throw new NoAnswer(
        `Nothing is known of session ${list.id.session}, agent ${list.id.agent}. waymark ls shows what is.`,
      );
    if (values.json) terminal.printJson(await showForm(one, found));
    else terminal.print(await showText(one, found, call, now));
    return EXIT.fine;
  },
});

async function showForm({ list, children }: ResolvedTrack, found: AnyTrack) {
  const { track } = found;
  const { revision, list: number, todos } = track;
  const look = await list.closely?.();
  const live = look?.live ?? liveOf(found);
  const { plan } = found;
  const activity = look?.live.activity ?? found.activity;
  return {
    ...listForm(track),
    ...trackForm(found),
    revision,
    list: number,
    todos,
    children: children.map((child) => ({ ...trackForm(child), todos: child.track.todos })),
    plan: plan ? planForm(plan) : null,
    activity: activity ? activityForm(activity, live, await compactionsOf(list, live)) : null,
    skipped: {
      ...live?.skipped,
      files: filesOf(found),
      lines: (look?.faults ?? []).slice(0, MAX_FAULTS).map(faultForm),
    },
    history: (await list.history()).slice(-LAST).map(transitionForm),
    remarks: (await list.remarks()).slice(-LAST).map(transitionForm),
  };
}

/** Without files of the agent, the hooks say when the conversation was compacted. */
async function compactionsOf(list: ReadList, live: Live | undefined): Promise<number> {
  if (live) return live.compactions;
  return storyOf(await list.events()).happenings.filter(({ what }) => what === "compacted").length;
}

function filesOf({ foreign }: AnyTrack): readonly string[] {
  return (foreign?.units ?? []).flatMap((unit) => unit.map(({ path }) => path));
}

async function showText(
  { list, children }: ResolvedTrack,
  found: AnyTrack,
  { terminal }: Pick<Call, "terminal">,
  now: number,
): Promise<string> {
  const { track, foreign } = found;
  const look = await list.closely?.();
  const live = look?.live ?? liveOf(found);
  const activity = look?.live.activity ?? found.activity;
  const options = { ...textOptions(terminal, now), all: true };
  const transitions = inOrder(await list.history(), await list.remarks()).slice(-LAST);
  const wide = (lines: readonly string[]) => fitting(lines, terminal);
  const parts: readonly (readonly string[])[] = [
    wide(headerLines(found)),
    [
      renderList(
        viewOf({ ...track, title: titleOf(found) }, now, undefined, workedUntil(found, now)),
        options,
      ),
    ],
    wide(planLines(found.plan)),
    activity ? wide(activityLines(activity, await compactionsOf(list, live), now)) : [],
    children.length > 0
      ? [
          "Subagents",
          renderTracks(
            children.map((each) => trackRow(each, each.track.agent, now)),
            options,
          ),
        ]
      : [],
    transitions.length > 0
      ? [
          transitions.length === LAST ? `The last ${LAST} changes` : "All changes",
          renderHistory(transitions.map(historyRow), options),
        ]
      : [],
    track.todos.length > 0 ? wide(["Each todo", ...track.todos.flatMap(detailLines)]) : [],
    live
      ? wide(sourceLines(live.skipped, (look?.faults ?? []).map(faultForm), foreign?.units ?? []))
      : [],
  ];
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n");
}
