import { EXTRAS, type Extra } from "../../agents/common/setup/agent.ts";
import { EXAMPLE, STATUS_LINE_AGENTS } from "../../agents/identities.ts";
import { findSetupAgent, SETUP_AGENTS } from "../../agents/setup.ts";
import { UsageError } from "../../core/error.ts";
import { forTerminal } from "../../core/text/escape.ts";
import { agentVersion } from "../../doctor/agent-version.ts";
import { requireCurrentDirectory } from "../../home/current-directory.ts";
import { machineOf } from "../../sessions/transcripts/machine.ts";
import { type DiffLine, unifiedDiff } from "../../setup/edit/diff.ts";
import { applyPlan, changesOf, type Plan, planRemoval, planSetup } from "../../setup/plan.ts";
import { type SetupContext, setupRequest, statusOfAll } from "../../setup/status.ts";
import {
  appliedText,
  DECLINED,
  NO_TERMINAL,
  NPX_REMARK,
  QUESTION,
  statusLines,
  unchangedText,
} from "../../setup/text/messages.ts";
import { summaryLines } from "../../setup/text/summary.ts";
import { thisProgram } from "../../setup/this-program.ts";
import { didYouMean, parseChoice } from "../args/arguments.ts";
import { type Call, defineCommand, HOME_OPTION } from "../args/command.ts";
import { confirm } from "../io/confirm.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { isTty, type Terminal } from "../io/terminal.ts";
import { OFF_IN_OPTION, offIn } from "../options/off-in.ts";

const AGENTS = SETUP_AGENTS.map(({ agent }) => agent);
const SETUP = `waymark setup ${EXAMPLE.shortName}`;

const OPTIONS = {
  tools: {
    type: "string",
    value: "NAMES",
    summary: `More tools for its model, comma-separated: ${EXTRAS.join(", ")}`,
    completions: EXTRAS,
    perCall: true,
  },
  "off-in": { ...OFF_IN_OPTION, default: "none" },
  native: {
    type: "boolean",
    summary: "Turn on the agent's own list instead, and watch it",
    perCall: true,
  },
  project: { type: "boolean", summary: "Configure this directory, not the user", perCall: true },
  remove: { type: "boolean", summary: "Remove what setup has written", perCall: true },
  yes: { type: "boolean", short: "y", summary: "Apply without asking", perCall: true },
  home: { ...HOME_OPTION, summary: "Configure another home directory" },
  json: {
    type: "boolean",
    summary: "Print the changes as JSON; apply them only with --yes",
    perCall: true,
  },
} as const;

type SetupCall = Call<typeof OPTIONS>;

export const setup = defineCommand({
  arguments: [
    {
      name: "AGENT",
      summary: `Agent: ${AGENTS.join(", ")}`,
      optional: true,
      default: "list the agents and which of them are set up",
      completions: AGENTS,
    },
  ],
  options: OPTIONS,
  notes: [
    `Adds the MCP server with the tool todos, the hooks that send reminders and, in ${STATUS_LINE_AGENTS}, the status line. The agent's own list is turned off, because a model should have one list; --native does the opposite. Editors get the MCP server only.`,
    "--tools tasks offers the tasks of `waymark task`, claude-tasks offers them as TaskCreate, TaskUpdate, TaskGet and TaskList, and plan lets the model propose plans. Running setup again without a tool removes it.",
    "--off-in commit,pull-request refuses list writes while the model commits or opens a pull request.",
    "Setup prints a diff and asks before it writes. Comments, order and layout of your files are kept, and --remove restores them.",
    "Your own MCP entry named waymark, hooks and status line are kept, as are your edits to what setup wrote.",
  ],
  examples: [
    { command: "waymark setup", comment: "List the agents and which of them are set up" },
    { command: `${SETUP} --yes`, comment: `Set up ${EXAMPLE.name} without asking` },
    { command: `${SETUP} --tools tasks,plan --yes`, comment: "Also offer tasks and plans" },
    { command: `${SETUP} --native --yes`, comment: "Use the agent's own list instead" },
    { command: `${SETUP} --remove --yes`, comment: "Remove it again" },
  ],
  seeAlso: ["doctor", "mcp"],
  async run(call) {
    const { values, args, terminal } = call;
    const [word] = args;
    const context = contextOf(call);
    const wanted = (["tools", "native", "remove", "yes"] as const).find((name) => values[name]);
    if (word === undefined && wanted)
      throw new UsageError(`Missing AGENT for --${wanted}. Use one of: ${AGENTS.join(", ")}.`);
    if (word === undefined) return list(context, values.json ?? false, terminal);
    const chosen = findSetupAgent(word);
    if (!chosen)
      throw new UsageError(
        `Unknown agent "${word.slice(0, 40)}". ${didYouMean(word, AGENTS)}Supported: ${AGENTS.join(", ")}.`,
      );
    if (chosen.serverOnly && values.native)
      throw new UsageError(
        `Waymark cannot turn on the list of ${chosen.name}. Omit --native to add the MCP server.`,
      );
    if (chosen.userOnly && values.project)
      throw new UsageError(`${chosen.name} has no configuration for a project. Omit --project.`);
    const version = values.remove
      ? undefined
      : await agentVersion(call, values.home, context, chosen);
    const mode = values.native ? "native" : "waymark";
    const extras = extrasIn(values.tools);
    if (extras.length > 0 && (values.native || values.remove))
      throw new UsageError("--tools cannot be combined with --native or --remove.");
    // Without the option, an earlier setting is removed.
    const off = offIn(values["off-in"] ?? "");
    if (off.length > 0 && values.native && chosen.cannotDeny)
      throw new UsageError(
        `${chosen.name} has no hook that can refuse a call. Omit --native or --off-in.`,
      );
    const occasion = setupRequest(context, mode, version, values.remove ? EXTRAS : extras, off);
    const plan = values.remove
      ? planRemoval(chosen, occasion, context.home)
      : planSetup(chosen, occasion, context.home);
    // Receipts of files without entries of ours are removed without asking.
    if (values.remove && changesOf(plan).length === 0) applyPlan(plan, context.home);
    const remarks = [
      ...(values.remove ? [] : chosen.notes(occasion)),
      ...(context.program.prefixArgs.some((part) => /[/\\]_npx[/\\]/.test(part))
        ? [NPX_REMARK]
        : []),
    ];
    return values.json ? printPlanJson(call, plan, remarks) : printPlan(call, plan, remarks);
  },
});

/** In a fixed order, so that the same choice always writes the same configuration. */
function extrasIn(given: string | undefined): readonly Extra[] {
  const names = (given ?? "").split(",").map((name) => name.trim());
  // The list tool is always included.
  const wanted = names.filter((name) => name !== "" && name !== "todos");
  const chosen = new Set(wanted.map((name) => parseChoice("--tools", name, EXTRAS)));
  return EXTRAS.filter((extra) => chosen.has(extra));
}

function contextOf({ values, env, home }: SetupCall): SetupContext {
  const machine = machineOf(env, values.home);
  return {
    machine,
    path: env.PATH ?? "",
    program: thisProgram(env, machine.platform),
    project: values.project ? requireCurrentDirectory() : undefined,
    home: home.path,
  };
}

function printPlan(call: SetupCall, plan: Plan, remarks: readonly string[]): Exit {
  const { values, terminal } = call;
  const changes = changesOf(plan);
  if (changes.length === 0) {
    terminal.printError(unchangedText(plan));
    printNotes(terminal, plan.remarks);
    return EXIT.success;
  }
  for (const line of [...summaryLines(plan), ""]) terminal.print(safeLine(line));
  for (const { found, text } of changes) show(terminal, unifiedDiff(found.path, found.text, text));
  printNotes(terminal, plan.remarks);
  if (!values.yes) {
    const canAsk = isTty(0) && isTty(2);
    if (!canAsk) terminal.printError(NO_TERMINAL);
    if (!canAsk || !confirm(QUESTION)) {
      if (canAsk) terminal.printError(DECLINED);
      return EXIT.failure;
    }
  }
  applyPlan(plan, call.home.path);
  terminal.printError(appliedText(plan));
  printNotes(terminal, remarks);
  return EXIT.success;
}

function printNotes(terminal: Terminal, notes: readonly string[]): void {
  for (const note of notes) terminal.printError(`Note: ${note}`);
}

const COLOR = { file: 1, hunk: 36, same: 0, removed: 31, added: 32 } as const;

function show(terminal: Terminal, lines: readonly DiffLine[]): void {
  for (const { kind, text } of lines) {
    const line = safeLine(text);
    const code = COLOR[kind];
    terminal.print(terminal.color && code !== 0 ? `\x1b[${code}m${line}\x1b[0m` : line);
  }
}

/** Tabs become spaces, because the + or - in front would change their width. */
function safeLine(text: string): string {
  return forTerminal(text.replaceAll("\t", "    "));
}

function printPlanJson(call: SetupCall, plan: Plan, remarks: readonly string[]): Exit {
  const { values, terminal, home } = call;
  const changes = changesOf(plan);
  const write = values.yes === true && changes.length > 0;
  if (write) applyPlan(plan, home.path);
  terminal.printJson({
    agent: plan.setup.agent,
    files: plan.steps.map(({ found, text }) => ({
      path: found.path,
      change: changeOf(found.text, text),
      difference: unifiedDiff(found.path, found.text, text).map((line) => line.text),
    })),
    written: write,
    remarks: [...plan.remarks, ...remarks],
  });
  return changes.length === 0 || write ? EXIT.success : EXIT.failure;
}

function changeOf(before: string | undefined, after: string | undefined): string {
  if (before === after) return "none";
  if (before === undefined) return "create";
  return after === undefined ? "remove" : "change";
}

function list(context: SetupContext, json: boolean, terminal: Terminal): Exit {
  const agents = statusOfAll(context);
  if (json) {
    terminal.printJson({ agents });
    return EXIT.success;
  }
  for (const line of statusLines(agents)) terminal.print(safeLine(line));
  return EXIT.success;
}
