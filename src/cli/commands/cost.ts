import {
  COST_GROUPS,
  type CostBreakdown,
  costBreakdown,
  timeSpan,
} from "../../core/cost/breakdown.ts";
import { formatTokens } from "../../core/cost/format.ts";
import { PRICES_DATE } from "../../core/cost/price-list.ts";
import { sessionsOf } from "../../core/cost/track-costs.ts";
import { CommandError } from "../../core/error.ts";
import { formatTime, localTime } from "../../core/text/clock.ts";
import { terminalLine } from "../../core/text/escape.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { titleOf } from "../../core/views/title.ts";
import { pricesFile, readPrices } from "../../home/prices.ts";
import { listSessions } from "../../sessions/listing/list.ts";
import { shortIds } from "../../sessions/listing/short-ids.ts";
import { parseChoice } from "../args/arguments.ts";
import { type Call, defineCommand, HOME_OPTION, JSON_OPTION } from "../args/command.ts";
import { parseTime } from "../args/time.ts";
import { EXIT } from "../io/exit.ts";
import { textOptions } from "../io/text-options.ts";
import { STORE_OPTION } from "../options/shared-store.ts";
import { trackToRead } from "../options/track-selection.ts";
import { costForm } from "../print/cost-form.ts";

const OPTIONS = {
  by: {
    type: "string",
    value: "GROUP",
    summary: `Break down by: ${COST_GROUPS.join(", ")}`,
    default: "session; todo with --session",
    completions: COST_GROUPS,
  },
  session: {
    type: "string",
    value: "ID",
    summary: "Only this session, or at least 4 characters of a generated id",
    completions: "sessions",
    perCall: true,
  },
  since: {
    type: "string",
    value: "TIME",
    summary: "Only from this time on: ISO 8601, HH:MM, or a duration ago such as 2h",
  },
  home: HOME_OPTION,
  ...STORE_OPTION,
  json: JSON_OPTION,
} as const;

export const cost = defineCommand({
  arguments: [],
  options: OPTIONS,
  notes: [
    "Tokens are read from the agents' own files and count for the todo in progress; those of subagents count for the todo of their parent. Tokens outside every todo are unattributed. Rows and unattributed add up to the total.",
    "Costs are estimates from public list prices, in US dollars; a subscription may cost you less. A + marks a cost without the tokens of models whose price is not known. WAYMARK_PRICES names a JSON file with prices of your own.",
    "--since is rounded down to the quarter of an hour.",
  ],
  examples: [
    { command: "waymark cost", comment: "List the cost of every session" },
    { command: "waymark cost --by todo --session demo", comment: "List the cost of each todo" },
    { command: "waymark cost --by day --since 2026-11-01", comment: "List the cost of each day" },
    { command: "waymark cost --by agent --since 12h --json", comment: "Print JSON" },
  ],
  seeAlso: ["ls", "show"],
  async run(call) {
    const { values, terminal, env } = call;
    const { by = values.session === undefined ? "session" : "todo" } = values;
    const group = parseChoice("--by", by, COST_GROUPS);
    const now = Date.now();
    const since = values.since === undefined ? undefined : parseTime(values.since, now);
    const prices = readPrices(env);
    const tracks = await tracksOf(call, now);
    const breakdown = costBreakdown(tracks, { by: group, prices, since });
    if (values.json) {
      terminal.printJson(costForm(breakdown));
      return EXIT.success;
    }
    const { requests } = breakdown.total.usage;
    if (requests === 0 && breakdown.rows.length === 0) {
      const when = since === undefined ? undefined : formatTime(since, now);
      terminal.print(`No usage recorded${when === undefined ? "" : ` since ${when}`}.`);
      return EXIT.success;
    }
    terminal.print(await textOf(call, breakdown, tracks, now));
    return EXIT.success;
  },
});

type CostCall = Call<typeof OPTIONS>;

/** The tracks of all sessions, or of the named one. */
async function tracksOf(call: CostCall, now: number): Promise<readonly MergedTrack[]> {
  const { session, home, store } = call.values;
  const { tracks } = await listSessions(call, { all: true, home, store }, now);
  if (session === undefined) return tracks;
  const known = tracks.filter(({ track }) => track.session === session);
  if (known.length > 0) return known;
  const { found, list } = await trackToRead(call);
  if (!found)
    throw new CommandError(`No session matches "${session}". \`waymark ls --all\` lists them.`);
  return tracks.filter(({ track }) => track.session === list.id.session);
}

async function textOf(
  { values, terminal, env }: CostCall,
  breakdown: CostBreakdown,
  tracks: readonly MergedTrack[],
  now: number,
): Promise<string> {
  const { costHeading, renderCosts } = await import("../../surfaces/text/cost/table.ts");
  const { agentLook } = await import("../../surfaces/text/agents.ts");
  const { wrap } = await import("../../surfaces/text/draw/width.ts");
  const options = textOptions(terminal, now);
  const sessions = sessionsOf(tracks);
  const short = shortIds(sessions.map(({ main }) => main.track.session));
  const headings = new Map(
    sessions.map(({ main }) => [
      main.track.session,
      costHeading(
        [
          titleOf(main),
          agentLook(main.track.agentType).name,
          short.get(main.track.session) ?? main.track.session,
        ],
        options,
      ),
    ]),
  );
  const isOne = values.session !== undefined;
  const table = renderCosts(
    breakdown,
    {
      id: (session) => short.get(session) ?? session,
      ...(breakdown.by === "todo" &&
        !isOne && { heading: (session: string) => headings.get(session) ?? session }),
    },
    options,
  );
  const notes = notesOf(breakdown, pricesFile(env)).flatMap((note) => wrap(note, terminal.width));
  const head = isOne ? [sessionHeading(tracks, options, now, agentLook, costHeading), ""] : [];
  return [...head, table, "", ...notes].join("\n");
}

function sessionHeading(
  tracks: readonly MergedTrack[],
  options: ReturnType<typeof textOptions>,
  now: number,
  agentLook: (type: string | undefined) => { readonly name: string },
  costHeading: (facts: readonly (string | undefined)[], to: typeof options) => string,
): string {
  const [session] = sessionsOf(tracks);
  if (!session) return "";
  const { main, members } = session;
  const models = [
    ...new Set(members.flatMap(({ usage }) => usage?.parts ?? []).map(({ model }) => model)),
  ].filter(Boolean);
  return costHeading(
    [
      titleOf(main),
      agentLook(main.track.agentType).name,
      models.length > 1 ? `${models.length} models` : models[0],
      timesOf(members, now),
    ],
    options,
  );
}

/** `13:40 to 14:32`, with the dates if they are not today. */
function timesOf(members: readonly MergedTrack[], now: number): string | undefined {
  const { from, until } = timeSpan(members);
  if (from <= 0) return undefined;
  const [start, end] = [formatTime(from, now), formatTime(until, now)];
  if (start === undefined || end === undefined) return undefined;
  const isSameDay = localTime(from)?.day === localTime(until)?.day;
  return `${start} to ${isSameDay ? localTime(until)?.clock : end}`;
}

function notesOf(
  { by, total, unpricedModels }: CostBreakdown,
  file: string | undefined,
): readonly string[] {
  const subagents = by === "todo" ? "Subagents count toward the todo of their parent. " : "";
  const own = file === undefined ? "" : `, and ${terminalLine(file)}`;
  const names = unpricedModels.map((model) => (model === "" ? "unnamed" : terminalLine(model)));
  const shown = names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return [
    `${subagents}Estimated from list prices of ${PRICES_DATE}${own}.`,
    ...(total.unpriced > 0
      ? [
          `${formatTokens(total.unpriced)} tokens have no known price (${shown.join(", ")}). Add prices with WAYMARK_PRICES.`,
        ]
      : []),
  ];
}
