import { UsageError } from "../../core/error.ts";
import { type Situation, situationOf, situationsFromEnv } from "../../core/guidance/situation.ts";
import { policyFromEnv } from "../../core/list/policy.ts";
import type { Rejection, TrackId } from "../../core/model.ts";
import { modelText } from "../../core/text/model-text.ts";
import { nearest } from "../../core/text/nearest.ts";
import { originHere } from "../../home/directory.ts";
import { findTool, TOOLS } from "../../tools/index.ts";
import { MAX_INPUT, readJson } from "../../tools/input.ts";
import { toolNames } from "../../tools/names.ts";
import { refusal, runTool, type ToolResult } from "../../tools/run.ts";
import { findTaskTool, TASK_TOOLS } from "../../tools/tasks/index.ts";
import { gatedTask } from "../../tools/tasks/run.ts";
import { type TaskToolResult, taskDefinitionOf } from "../../tools/tasks/task-tool.ts";
import { definitionOf } from "../../tools/tool.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import { EXIT } from "../io/exit.ts";
import { readStdin } from "../io/input.ts";
import { isTty } from "../io/terminal.ts";
import { offIn } from "../options/off-in.ts";
import { TRACK_OPTIONS, trackOfTool } from "../options/which-track.ts";

const options = {
  ...TRACK_OPTIONS,
  "plan-mode": { type: "boolean", summary: "The agent is in plan mode: writes are refused" },
  context: {
    type: "string",
    value: "NAME",
    summary: "The operation that the agent is in: commit or pull-request (see WAYMARK_OFF_IN)",
  },
  key: {
    type: "string",
    value: "KEY",
    summary: "Unique for this call: the same key never acts twice",
  },
  list: { type: "boolean", summary: "List the tools instead of calling one" },
  full: { type: "boolean", summary: "With --list: the full descriptions" },
  json: { type: "boolean", summary: "Print JSON: ok, text, data and rejected" },
} as const satisfies Options;

export const tool = defineCommand({
  usage: [
    "NAME --session ID [--agent ID] [--plan-mode] [--context NAME] [--key KEY] [--json]",
    "--list [--full] [--json]",
  ],
  arguments: [{ name: "NAME", summary: "the tool's name or id", optional: true, words: "tools" }],
  options,
  notes: [
    "The input is one JSON object of at most 512 KiB on the standard input. What is printed is what a model would be told; exit code 1: the call was refused. Then nothing was changed, except by a todo_write with several ops, of which the valid ones are applied unless it says atomic.",
  ],
  examples: [
    { command: "waymark tool --list", says: "Which tools there are" },
    {
      command: `echo '{"todos":[{"text":"Run it"}]}' | waymark tool todos --session demo`,
      says: "Write a list as an agent does",
    },
    {
      command: `echo '{}' | waymark tool todos --session demo --json`,
      says: "Read it back, for a program",
    },
    {
      command: `echo '{}' | waymark tool tasks --session demo`,
      says: "What of the team's tasks the agent could claim",
    },
  ],
  async run(call) {
    const { values, args, terminal } = call;
    const [name] = args;
    if (values.list) return printTools(call);
    if (name === undefined) throw new UsageError(`NAME is missing. The tools are ${names()}.`);
    if (!findTool(name, {}) && !findTaskTool(name)) throw new UsageError(unknownTool(name));
    const result = await carryOut(name, call);
    if (values.json) {
      const { ok, text, data, rejected } = result;
      terminal.printJson({ ok, text, data, rejected });
    } else terminal.printText(result.text);
    return result.ok ? EXIT.fine : EXIT.no;
  },
});

function names(): string {
  return toolNames().join(", ");
}

function unknownTool(name: string): string {
  const meant = nearest(name, toolNames());
  const hint = meant ? ` Did you mean ${meant}?` : "";
  return `There is no tool "${name.slice(0, 40)}".${hint} The tools are ${names()}.`;
}

async function carryOut(
  name: string,
  call: Call<typeof options>,
): Promise<ToolResult | TaskToolResult> {
  const { values, terminal, home, env } = call;
  if (env.WAYMARK_TOOLS === "off")
    return refused({
      code: "gated",
      message: modelText`The list tools are switched off (WAYMARK_TOOLS=off). Go on without the list.`,
    });
  const id = await trackOfTool(call);
  if (isTty(0)) terminal.say("Type the JSON and end it with Ctrl-D.");
  const input = readStdin(MAX_INPUT);
  if (!input.ok) return refused(UNREADABLE[input.problem]);
  const read = readJson(input.text);
  if (!read.ok) return refusal(read.rejected);
  const { key, "plan-mode": planMode = false } = values;
  const off = await offNow(call, id);
  const taskTool = findTaskTool(name);
  if (taskTool && off) return gatedTask(off);
  if (taskTool) {
    const [{ runTaskTool }, { ownerOf }] = await Promise.all([
      import("../../tools/tasks/run.ts"),
      import("../../sessions/caller/session.ts"),
    ]);
    home.links.meet(ownerOf(id), id);
    const desk = { owner: ownerOf(id), claims: new Map(), store: home.tasks };
    return runTaskTool(taskTool, read.value, { desk, key });
  }
  const found = findTool(name, read.value);
  if (!found) throw new UsageError(unknownTool(name));
  const origin = originHere();
  // Opened as late as can be: what is refused before leaves nothing behind.
  return runTool(
    found,
    read.value,
    {
      durable: true,
      read: async () => (await home.reading()).list(id).read(),
      write: async (request) => (await home.writing()).list(id, origin).write(request),
      refused: async (rejected, key) =>
        (await home.reading()).list(id, origin).refused?.(rejected, key),
    },
    { key, planMode, offIn: off },
  );
}

/** The operation during which the user wants no writes, as the caller or its commands say. */
async function offNow(
  { values, env, home }: Call<typeof options>,
  id: TrackId,
): Promise<Situation | undefined> {
  const off = situationsFromEnv(env);
  if (off.length === 0) return undefined;
  const named = values.context === undefined ? undefined : offIn(values.context)[0];
  const situation = named ?? situationOf((await (await home.reading()).list(id).read()).activity);
  return situation && off.includes(situation) ? situation : undefined;
}

const UNREADABLE: Readonly<Record<"too_large" | "not_utf8", Rejection>> = {
  too_large: {
    code: "too_large",
    message: modelText`The input has more than ${MAX_INPUT} bytes; that is the most that is read.`,
  },
  not_utf8: {
    code: "invalid_json",
    message: modelText`The input is not UTF-8 text. Send JSON in UTF-8.`,
  },
};

function refused(rejection: Rejection): ToolResult {
  return refusal([rejection]);
}

function printTools({ values, terminal, env }: Call<typeof options>): typeof EXIT.fine {
  const size = values.full ? "full" : "short";
  const definitions = [
    ...TOOLS.map((each) => ({
      id: each.id as string,
      ...definitionOf(each, size, policyFromEnv(env)),
    })),
    ...TASK_TOOLS.map((each) => ({ id: each.id, ...taskDefinitionOf(each, size) })),
  ];
  if (values.json) {
    terminal.printJson(definitions);
    return EXIT.fine;
  }
  const widest = Math.max(...definitions.map(({ id }) => id.length));
  const entries = definitions.map(({ id, description }) => {
    if (values.full) return `${id}\n\n${description}\n`;
    return `${id.padEnd(widest)}  ${description.split("\n")[0] ?? ""}`;
  });
  terminal.printText(entries.join("\n"));
  return EXIT.fine;
}
