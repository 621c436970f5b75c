import { STATUS_LINE_AGENTS } from "../../agents/identities.ts";
import type { Entries } from "../args/command.ts";
import { LISTING } from "./listing.ts";
import { PLAN_ACTIONS } from "./plan/index.ts";
import { TASK_ACTIONS } from "./task/index.ts";
import { TODO_ACTIONS } from "./todo/index.ts";

/** Every command by its name; what a command needs is loaded with it and not before. */
export const COMMANDS: Entries = {
  ...LISTING,
  todos: {
    summary: "Show one list",
    load: async () => (await import("./todos.ts")).todos,
  },
  show: {
    summary: "Show everything that is known of one track",
    load: async () => (await import("./show.ts")).show,
  },
  history: {
    summary: "Show what happened to the todos of a list",
    load: async () => (await import("./history.ts")).history,
  },
  watch: {
    summary: "Follow every agent on this machine, or one session",
    load: async () => (await import("./watch.ts")).watch,
  },
  serve: {
    summary: "Open the board in the browser",
    load: async () => (await import("./serve.ts")).serve,
  },
  demo: {
    summary: "Play a recorded team of agents, without any agent",
    load: async () => (await import("./demo.ts")).demo,
  },
  relay: {
    summary: "Show the agents of this machine to others, over a server that is shared",
    load: async () => (await import("./relay.ts")).relay,
  },
  setup: {
    summary: "Give an agent the list, the reminders and the recovery",
    load: async () => (await import("./setup.ts")).setup,
  },
  doctor: {
    summary: "Say what was found where, what could not be read, and what to do",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  pipe: {
    summary: "Show the list of an agent whose output is piped in",
    load: async () => (await import("./pipe.ts")).pipe,
  },
  todo: {
    summary: "Change a list",
    actions: TODO_ACTIONS,
    examples: ['add "Write the tests"', 'done 1 --evidence "npm test"'],
  },
  plan: {
    summary: "Look at a plan and decide on it",
    actions: PLAN_ACTIONS,
    examples: ["show refunds", "approve refunds --adopt"],
  },
  task: {
    summary: "Share durable tasks among agents: one holder each, nothing lost",
    actions: TASK_ACTIONS,
    examples: [
      'add "Write the tests" --priority 1',
      "claim --as ann",
      'done t2 --as ann --epoch 1 --evidence "npm test"',
    ],
  },
  tool: {
    summary: "Call a tool as a model would, its JSON on the standard input",
    load: async () => (await import("./tool.ts")).tool,
  },
  mcp: {
    summary: "Serve the list to an agent over the Model Context Protocol",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  hook: {
    summary: "Record an event of an agent and answer it, called by the agent",
    load: async () => (await import("./hook.ts")).hook,
  },
  statusline: {
    summary: `Print one line for the status line of ${STATUS_LINE_AGENTS} or tmux`,
    load: async () => (await import("./statusline.ts")).statusline,
  },
  completion: {
    summary: "Print a script that completes commands in your shell",
    load: async () => (await import("./completion.ts")).completion,
  },
  help: {
    summary: "Explain a command",
    load: async () => (await import("./help.ts")).help,
  },
};
