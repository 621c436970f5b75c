import { costBreakdown } from "../../core/cost/breakdown.ts";
import { costOfSum } from "../../core/cost/cost.ts";
import type { Prices } from "../../core/cost/price.ts";
import { subtree, todoCosts, trackCosts } from "../../core/cost/track-costs.ts";
import { CommandError, UsageError } from "../../core/error.ts";
import { filesByTodo } from "../../core/files/changed-files.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import { trackKey } from "../../core/text/ids.ts";
import { activityTimelineOf } from "../../core/views/activity-timeline.ts";
import { workedUntil } from "../../core/views/merged.ts";
import { titleOf } from "../../core/views/title.ts";
import { viewOf } from "../../core/views/view.ts";
import { faultForm } from "../../doctor/fault-text.ts";
import { readPrices } from "../../home/prices.ts";
import { readChangedFiles } from "../../servers/files/read-changed-files.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { ReadList } from "../../sessions/read-list.ts";
import type { ResolvedTrack } from "../../sessions/resolve.ts";
import { renderHistory, renderList, renderTracks } from "../../surfaces/text/index.ts";
import { type Call, defineCommand, JSON_OPTION } from "../args/command.ts";
import { callForm, callText } from "../calls/call-form.ts";
import { readCallOf } from "../calls/read-call.ts";
import { EXIT } from "../io/exit.ts";
import { textOptions } from "../io/text-options.ts";
import { wrapLines } from "../io/wrap-lines.ts";
import { READ_OPTIONS, trackToRead } from "../options/track-selection.ts";
import { usageForm } from "../print/cost-form.ts";
import { changedFilesForm, fileLines } from "../print/files-lines.ts";
import { historyRow, inOrder, transitionForm } from "../print/history-form.ts";
import { listForm, todoForm } from "../print/list-form.ts";
import { planForm } from "../print/plan-form.ts";
import {
  activityLines,
  costText,
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
      summary: "Session, as `waymark ls` prints it",
      optional: true,
      default: "the newest in this directory",
      completions: "sessions",
    },
  ],
  options: {
    ...READ_OPTIONS,
    call: {
      type: "string",
      value: "ID",
      summary: "Show one tool call with its output instead; `last` for the newest",
      perCall: true,
    },
    json: JSON_OPTION,
  },
  examples: [
    { command: "waymark show demo", comment: "Show one session" },
    { command: "waymark show demo --call last", comment: "Show the newest call and its output" },
    { command: "waymark show demo --agent main --json", comment: "Print one agent of it as JSON" },
  ],
  seeAlso: ["ls", "todos", "history", "plan show"],
  async run(call) {
    const { terminal } = call;
    const [given] = call.args;
    if (given !== undefined && call.values.session !== undefined && given !== call.values.session)
      throw new UsageError("SESSION and --session differ. Use one of them.");
    const values = given === undefined ? call.values : { ...call.values, session: given };
    const now = Date.now();
    const one = await trackToRead({ ...call, values });
    const { found, list } = one;
    if (!found)
      throw new CommandError(
        `No session matches "${list.id.session}". \`waymark ls --all\` lists them.`,
      );
    if (values.call !== undefined) {
      const detail = await readCallOf(list, found, values.call);
      if (values.json) terminal.printJson(callForm(detail));
      else terminal.print(callText(detail, terminal, now));
      return EXIT.success;
    }
    const prices = readPrices(call.env);
    if (values.json) terminal.printJson(await showForm(one, found, prices));
    else terminal.print(await showText(one, found, call, prices, now));
    return EXIT.success;
  },
});

async function showForm(
  { list, children, family }: ResolvedTrack,
  found: AnyTrack,
  prices: Prices,
) {
  const track = await list.read();
  const { revision, list: number } = track;
  const form = listForm(track);
  const full = await list.readInFull?.();
  const live = full?.live ?? liveOf(found);
  const { plan } = found;
  const activity = full?.live.activity ?? found.activity;
  const costs = trackCosts(family, prices);
  return {
    ...form,
    ...trackForm(found, costs),
    revision,
    list: number,
    todos: form.todos,
    children: children.map((child) => ({
      ...trackForm(child, costs),
      todos: child.track.todos.map(todoForm),
    })),
    ...(costs.has(trackKey(track)) && usageByTodo(subtree(found, family), prices)),
    plan: plan ? planForm(plan) : null,
    changedFiles: changedFilesForm(await readChangedFiles(found, list)),
    activity: activity ? activityForm(activity, live, await compactionsOf(list, live)) : null,
    skipped: {
      ...live?.skipped,
      files: filesOf(found),
      lines: (full?.faults ?? []).slice(0, MAX_FAULTS).map(faultForm),
    },
    history: (await list.history()).slice(-LAST).map(transitionForm),
    remarks: (await list.remarks()).slice(-LAST).map(transitionForm),
  };
}

/** The usage of each todo. */
function usageByTodo(tracks: readonly AnyTrack[], prices: Prices) {
  const { rows, unattributed } = costBreakdown(tracks, { by: "todo", prices });
  return {
    usageByTodo: rows.map(({ todo, text, sum }) => ({ todo, text, usage: usageForm(sum) })),
    usageUnattributed: usageForm(unattributed),
  };
}

/** Without session files, compactions are counted from hook events. */
async function compactionsOf(list: ReadList, live: LiveTrack | undefined): Promise<number> {
  if (live) return live.compactions;
  return activityTimelineOf(await list.events()).happenings.filter(
    ({ what }) => what === "compacted",
  ).length;
}

function filesOf({ external }: AnyTrack): readonly string[] {
  return (external?.units ?? []).flatMap((unit) => unit.map(({ path }) => path));
}

async function showText(
  { list, children, family }: ResolvedTrack,
  found: AnyTrack,
  { terminal }: Pick<Call, "terminal">,
  prices: Prices,
  now: number,
): Promise<string> {
  const { external } = found;
  const track = await list.read();
  const full = await list.readInFull?.();
  const live = full?.live ?? liveOf(found);
  const activity = full?.live.activity ?? found.activity;
  const options = { ...textOptions(terminal, now), all: true };
  const transitions = inOrder(await list.history(), await list.remarks()).slice(-LAST);
  const wrap = (lines: readonly string[]) => wrapLines(lines, terminal);
  const costs = trackCosts(family, prices);
  const spent = costs.get(trackKey(track))?.withSubagents;
  const changed = await readChangedFiles(found, list);
  const files = filesByTodo(changed.files);
  const byTodo = todoCosts(track.agent, subtree(found, family), prices);
  const parts: readonly (readonly string[])[] = [
    wrap(headerLines(found, now, spent && costText(spent, terminal.unicode))),
    [
      renderList(
        viewOf({ ...track, title: titleOf(found) }, now, undefined, workedUntil(found, now)),
        options,
      ),
    ],
    wrap(planLines(found.plan)),
    activity ? wrap(activityLines(activity, await compactionsOf(list, live), now)) : [],
    wrap(fileLines(changed)),
    children.length > 0
      ? [
          "Subagents",
          renderTracks(
            children.map((each) => {
              const cost = costs.get(trackKey(each.track))?.withSubagents;
              return {
                ...trackRow(each, each.track.agent, now),
                ...(cost && { cost: costOfSum(cost) }),
              };
            }),
            options,
          ),
        ]
      : [],
    transitions.length > 0
      ? [
          transitions.length === LAST ? `Last ${LAST} changes` : "Changes",
          renderHistory(transitions.map(historyRow), options),
        ]
      : [],
    track.todos.length > 0
      ? wrap([
          "Todos in detail",
          ...track.todos.flatMap((todo) => {
            const cost = byTodo.get(todo.id);
            return detailLines(todo, now, {
              cost: cost && costText(cost, terminal.unicode),
              files: files.get(todo.id),
            });
          }),
        ])
      : [],
    live
      ? wrap(sourceLines(live.skipped, (full?.faults ?? []).map(faultForm), external?.units ?? []))
      : [],
  ];
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n");
}
