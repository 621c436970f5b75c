import { UsageError } from "../../core/error.ts";
import {
  SITUATION_NAMES,
  type Situation,
  situationOf,
  situationsFromEnv,
} from "../../core/guidance/situation.ts";
import { policyFromEnv } from "../../core/list/policy.ts";
import type { Rejection, TrackId } from "../../core/model.ts";
import { modelText } from "../../core/text/model-text.ts";
import { originHere, requireCurrentDirectory } from "../../home/current-directory.ts";
import type { ProveTask } from "../../tasks/prove.ts";
import { findTool, TOOLS } from "../../tools/index.ts";
import { MAX_INPUT, readJson } from "../../tools/input.ts";
import { toolNames } from "../../tools/names.ts";
import { refusal, runTool, type ToolResult } from "../../tools/run.ts";
import { findTaskTool, TASK_TOOLS } from "../../tools/tasks/index.ts";
import { gatedTask } from "../../tools/tasks/run.ts";
import { type TaskToolResult, taskDefinitionOf } from "../../tools/tasks/task-tool.ts";
import { definitionOf } from "../../tools/tool.ts";
import { didYouMean } from "../args/arguments.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import { EXIT } from "../io/exit.ts";
import { readStdin } from "../io/input.ts";
import { isTty } from "../io/terminal.ts";
import { offIn } from "../options/off-in.ts";
import { TRACK_OPTIONS, trackOfTool } from "../options/track-selection.ts";

const options = {
  ...TRACK_OPTIONS,
  "plan-mode": { type: "boolean", summary: "Refuse writes, as in plan mode", perCall: true },
  context: {
    type: "string",
    value: "NAME",
    summary: "Current operation of the agent, for WAYMARK_OFF_IN: commit or pull-request",
    completions: SITUATION_NAMES,
    perCall: true,
  },
  key: {
    type: "string",
    value: "KEY",
    summary: "Idempotency key; repeating a call with the same key is safe",
    perCall: true,
  },
  list: { type: "boolean", summary: "List the tools instead of calling one", perCall: true },
  full: { type: "boolean", summary: "Print full descriptions with --list" },
  json: { type: "boolean", summary: "Print ok, text, data and rejected as JSON", perCall: true },
} as const satisfies Options;

export const tool = defineCommand({
  usage: ["NAME [options]", "--list [--full] [--json]"],
  arguments: [
    { name: "NAME", summary: "Name or id of the tool", optional: true, completions: "tools" },
  ],
  options,
  notes: [
    "Reads the input as one JSON object of at most 512 KiB from standard input, and prints what a model would see.",
    "A refused call changes nothing. The exception is a todo_write call with several ops: the valid ones are applied, unless atomic is set.",
  ],
  exitCodes: { 0: "The call was applied", 1: "The call was refused" },
  examples: [
    { command: "waymark tool --list", comment: "List the tools" },
    {
      command: `echo '{"todos":[{"text":"Run it"}]}' | waymark tool todos --session demo`,
      comment: "Write a list as an agent would",
    },
    {
      command: `echo '{}' | waymark tool todos --session demo --json`,
      comment: "Read the list as JSON",
    },
    {
      command: `echo '{}' | waymark tool tasks --session demo`,
      comment: "List the tasks that the agent could claim",
    },
  ],
  seeAlso: ["mcp"],
  async run(call) {
    const { values, args, terminal } = call;
    const [name] = args;
    if (values.list) return printTools(call);
    if (name === undefined) throw new UsageError(`Missing NAME. Use one of: ${names()}.`);
    if (!findTool(name, {}) && !findTaskTool(name)) throw new UsageError(unknownTool(name));
    const result = await carryOut(name, call);
    if (values.json) {
      const { ok, text, data, rejected } = result;
      terminal.printJson({ ok, text, data, rejected });
    } else terminal.printText(result.text);
    return result.ok ? EXIT.success : EXIT.failure;
  },
});

function names(): string {
  return toolNames().join(", ");
}

function unknownTool(name: string): string {
  return `Unknown tool "${name.slice(0, 40)}". ${didYouMean(name, toolNames())}Use one of: ${names()}.`;
}

async function carryOut(
  name: string,
  call: Call<typeof options>,
): Promise<ToolResult | TaskToolResult> {
  const { values, terminal, home, env } = call;
  if (env.WAYMARK_TOOLS === "off")
    return refused({
      code: "gated",
      message: modelText`The list tools are switched off (WAYMARK_TOOLS=off). Continue without the list.`,
    });
  const id = await trackOfTool(call);
  if (isTty(0)) terminal.printError("Type the JSON, then press Ctrl+D.");
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
    const agent = { owner: ownerOf(id), claims: new Map(), store: home.tasks };
    const prove: ProveTask = async (task) => {
      const { proveTask } = await import("../../servers/verify/task-proof.ts");
      return proveTask({ home, env: call.env }, task, { cwd: requireCurrentDirectory() });
    };
    return runTaskTool(taskTool, read.value, { agent, key, prove });
  }
  const found = findTool(name, read.value);
  if (!found) throw new UsageError(unknownTool(name));
  const origin = originHere();
  // The store is opened last, so that a refused call creates nothing.
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

/** The current operation, if the user disabled list writes during it. */
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

function printTools({ values, terminal, env }: Call<typeof options>): typeof EXIT.success {
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
    return EXIT.success;
  }
  const widest = Math.max(...definitions.map(({ id }) => id.length));
  const entries = definitions.map(({ id, description }) => {
    if (values.full) return `${id}\n\n${description}\n`;
    return `${id.padEnd(widest)}  ${description.split("\n")[0] ?? ""}`;
  });
  terminal.printText(entries.join("\n"));
  return EXIT.success;
}
