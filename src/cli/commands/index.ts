/**
 * Every command of the program, as data.
 *
 * To walk them (as help, completion and the generator of the CLI reference do): `COMMANDS` maps a name to an entry with
 * a `summary`. An entry with `actions` is a group, whose `actions` are entries again, with `notes` and `examples` for
 * the group; any other has `load()`, which returns the `Command`: description, usage, arguments, options with their
 * defaults, notes, exit codes, examples and related commands. `walkCommands` does the recursion. `usageForms` in
 * `args/usage.ts` has the usage lines. `COMMAND_SECTIONS` has the order and headings of `waymark --help`; the options of
 * `waymark` without a command are those of `defaultCommand` in `commands/default.ts`. Environment variables are in
 * `cli/environment.ts`, exit codes in `cli/io/exit.ts`.
 */
import { STATUS_LINE_AGENTS } from "../../agents/identities.ts";
import type { Command, Entries, Entry } from "../args/command.ts";
import { CHECK_ACTIONS } from "./check/index.ts";
import { CONFIG_ACTIONS } from "./config/index.ts";
import { PLAN_ACTIONS } from "./plan/index.ts";
import { TASK_ACTIONS } from "./task/index.ts";
import { TODO_ACTIONS } from "./todo/index.ts";

/** Commands are imported when they are run, so that a start loads one of them. */
export const COMMANDS: Entries = {
  ls: {
    summary: "List agents and their progress",
    load: async () => (await import("./ls.ts")).ls,
  },
  watch: {
    summary: "Stream changes as they happen",
    load: async () => (await import("./watch.ts")).watch,
  },
  show: {
    summary: "Show one session in full",
    load: async () => (await import("./show.ts")).show,
  },
  todos: {
    summary: "Show a todo list",
    load: async () => (await import("./todos.ts")).todos,
  },
  history: {
    summary: "Show every change to a todo list",
    load: async () => (await import("./history.ts")).history,
  },
  archive: {
    summary: "Hide sessions until they change",
    load: async () => (await import("./archive.ts")).archive,
  },
  report: {
    summary: "Report what happened while you were away",
    load: async () => (await import("./report.ts")).report,
  },
  files: {
    summary: "List files with the agents that edit them",
    load: async () => (await import("./files.ts")).files,
  },
  handoff: {
    summary: "Continue a session with another agent",
    load: async () => (await import("./handoff.ts")).handoff,
  },
  cost: {
    summary: "Show what todos and sessions cost",
    load: async () => (await import("./cost.ts")).cost,
  },
  serve: {
    summary: "Open the board in a browser",
    load: async () => (await import("./serve.ts")).serve,
  },
  plan: {
    summary: "Read, approve or reject a plan",
    actions: PLAN_ACTIONS,
    notes: [
      "A proposed plan closes the agent's todo list until you decide. Approving it turns its steps into todos.",
    ],
    examples: [
      { command: "waymark plan show refunds", comment: "Read the plan of a session" },
      {
        command: 'waymark plan approve refunds --comment "Keep the old endpoint"',
        comment: "Approve it with a comment",
      },
    ],
  },
  todo: {
    summary: "Add, edit or complete todos",
    actions: TODO_ACTIONS,
    notes: [
      "Without --session, `waymark todo add` uses your own list for the current directory, and the other actions use that list or the newest one there. Agents see your edits with their next step.",
    ],
    examples: [
      { command: 'waymark todo add "Write the tests"', comment: "Add a todo" },
      {
        command: 'waymark todo done 1 --evidence "npm test"',
        comment: "Complete it and say what proves it",
      },
    ],
  },
  task: {
    summary: "Manage a queue of tasks for several agents",
    actions: TASK_ACTIONS,
    notes: [
      "A task has one owner at a time. Claiming it starts a lease; if the owner stops renewing it, the task is ready again. Tasks are kept on this machine, or in PostgreSQL with --store or WAYMARK_STORE.",
    ],
    examples: [
      { command: 'waymark task add "Write the tests" --priority 1', comment: "Add a task" },
      { command: "waymark task claim --as ann", comment: "Claim the most urgent ready task" },
      {
        command: 'waymark task done t2 --as ann --epoch 1 --evidence "npm test"',
        comment: "Complete it",
      },
    ],
  },
  mute: {
    summary: "Mute findings of a session",
    load: async () => (await import("./mute.ts")).mute,
  },
  verify: {
    summary: "Prove completed todos by running a check",
    load: async () => (await import("./verify.ts")).verify,
  },
  check: {
    summary: "Approve the commands that prove work",
    actions: CHECK_ACTIONS,
    notes: [
      "A check is a command that passes only if the work is done. It belongs to the repository of the current directory and runs on a clean checkout of your working tree.",
    ],
    examples: [
      { command: 'waymark check add "npm test" --name test', comment: "Approve a command" },
      { command: "waymark verify", comment: "Run it for the completed todos" },
    ],
  },
  relay: {
    summary: "Share this machine's sessions with your team",
    load: async () => (await import("./relay.ts")).relay,
  },
  setup: {
    summary: "Connect an agent: tool, hooks, status line",
    load: async () => (await import("./setup.ts")).setup,
  },
  config: {
    summary: "Read and change settings",
    actions: CONFIG_ACTIONS,
    notes: [
      "Your file can set every setting and defaults of options: with `all = true` in the table [ls], `waymark ls` lists all sessions; --no-all overrides it. A repository has a file of its own, .waymark/config.toml, with fewer settings.",
      "Precedence: option, environment, project file, user file, default.",
    ],
    examples: [
      { command: "waymark config set notify desktop bell", comment: "Change a setting" },
      { command: "waymark config list", comment: "See every setting and where it is set" },
      { command: "waymark config edit", comment: "Open your file in your editor" },
    ],
  },
  doctor: {
    summary: "Diagnose what Waymark can and cannot read",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  demo: {
    summary: "Play a recording; no agent needed",
    load: async () => (await import("./demo.ts")).demo,
  },
  completion: {
    summary: "Print a completion script for your shell",
    load: async () => (await import("./completion.ts")).completion,
  },
  pipe: {
    summary: "Follow an agent whose output is piped in, e.g. in CI",
    load: async () => (await import("./pipe.ts")).pipe,
  },
  mcp: {
    summary: "Serve the todo list to an agent over MCP",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  hook: {
    summary: "Handle a hook event of an agent",
    load: async () => (await import("./hook.ts")).hook,
  },
  statusline: {
    summary: `Print a status line for ${STATUS_LINE_AGENTS} or tmux`,
    load: async () => (await import("./statusline.ts")).statusline,
  },
  tool: {
    summary: "Call a tool as a model would",
    load: async () => (await import("./tool.ts")).tool,
  },
  help: {
    summary: "Show help for a command or topic",
    load: async () => (await import("./help.ts")).help,
  },
};

/** How `waymark --help` groups the commands; every command is in exactly one section. */
export const COMMAND_SECTIONS: readonly {
  readonly title: string;
  readonly commands: readonly string[];
}[] = [
  {
    title: "Watch",
    commands: [
      "ls",
      "watch",
      "show",
      "todos",
      "history",
      "archive",
      "report",
      "files",
      "cost",
      "serve",
    ],
  },
  { title: "Decide", commands: ["plan", "todo", "mute"] },
  { title: "Prove", commands: ["verify", "check"] },
  { title: "Share work", commands: ["task", "handoff", "relay"] },
  { title: "Set up", commands: ["setup", "config", "doctor", "demo", "completion", "help"] },
  { title: "For agents and scripts", commands: ["pipe", "mcp", "hook", "statusline", "tool"] },
];

export interface WalkedCommand {
  /** The words that name it: `["task", "claim"]`. */
  readonly path: readonly string[];
  readonly entry: Entry;
  /** Undefined for a group. */
  readonly command?: Command;
}

/** Every group and command in the order of `COMMANDS`, each group before its actions. */
export async function walkCommands(
  entries: Entries = COMMANDS,
  parent: readonly string[] = [],
): Promise<readonly WalkedCommand[]> {
  const walked: WalkedCommand[] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const path = [...parent, name];
    if ("actions" in entry)
      walked.push({ path, entry }, ...(await walkCommands(entry.actions, path)));
    else walked.push({ path, entry, command: await entry.load() });
  }
  return walked;
}
