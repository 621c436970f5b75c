import { readSync } from "node:fs";
import { EXTRAS, type Extra } from "../../agents/common/setup/agent.ts";
import { EXAMPLE, STATUS_LINE_AGENTS } from "../../agents/identities.ts";
import { findSetup, SETUPS } from "../../agents/index.ts";
import { UsageError } from "../../core/error.ts";
import { forTerminal } from "../../core/text/escape.ts";
import { agentVersion } from "../../doctor/agent-version.ts";
import { neededDirectory } from "../../home/directory.ts";
import { machineOf } from "../../sessions/transcripts/agents.ts";
import { type DifferenceLine, difference } from "../../setup/edit/difference.ts";
import { carryOut, changesOf, type Plan, planRemoval, planSetup } from "../../setup/plan.ts";
import {
  type AgentStatus,
  occasionOf,
  type Surroundings,
  statusOfAll,
} from "../../setup/status.ts";
import { thisProgram } from "../../setup/this-program.ts";
import { oneOf } from "../args/arguments.ts";
import { type Call, defineCommand, HOME_OPTION } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { isTty, type Terminal } from "../io/terminal.ts";
import { writeBytes } from "../io/write-bytes.ts";
import { OFF_IN_OPTION, offIn } from "../options/off-in.ts";

const AGENTS = SETUPS.map(({ agent }) => agent);
const SETUP = `waymark setup ${EXAMPLE.shortName}`;

const OPTIONS = {
  tools: {
    type: "string",
    value: "NAMES",
    summary: `What its model gets besides the list, divided by commas: ${EXTRAS.join(", ")}`,
    words: EXTRAS,
  },
  "off-in": OFF_IN_OPTION,
  native: { type: "boolean", summary: "Switch the agent's own list on instead, and watch it" },
  project: { type: "boolean", summary: "The configuration of this directory, not of the user" },
  remove: { type: "boolean", summary: "Take away what setup has written" },
  yes: { type: "boolean", short: "y", summary: "Do not ask" },
  home: { ...HOME_OPTION, summary: "The configuration in another home directory" },
  json: { type: "boolean", summary: "Print JSON" },
} as const;

type SetupCall = Call<typeof OPTIONS>;

export const setup = defineCommand({
  arguments: [
    { name: "AGENT", summary: `One of ${AGENTS.join(", ")}`, optional: true, words: AGENTS },
  ],
  options: OPTIONS,
  notes: [
    `Gives the agent the tool todos and the reminders: its MCP server, its hooks, and in ${STATUS_LINE_AGENTS} the status line. The model is given one list and not two, so the agent's own is switched off; with --native it is the other way round.`,
    "--tools tasks lets it work on the team's tasks (waymark task), claude-tasks the same as TaskCreate, TaskUpdate, TaskGet and TaskList, plan lets it put a plan before you. What is not named again when setup is repeated is taken away.",
    "--off-in commit,pull-request keeps the model from writing its list while it commits or opens a pull request; with --native the hook before a call refuses it.",
    "The difference is shown before anything is written. Comments, order and layout of your files stay, and --remove leaves them as they were.",
    "An MCP entry named waymark, a hook or a status line of your own stays, and counts if it runs Waymark; so does what you changed in those of setup.",
    "Without AGENT: which agents are here, and which of them are set up.",
  ],
  examples: [
    { command: "waymark setup", says: "Which agents are here, and which are set up" },
    { command: `${SETUP} --yes`, says: `Give ${EXAMPLE.name} a list, without being asked` },
    { command: `${SETUP} --tools tasks,plan --yes`, says: "And the team's tasks" },
    { command: `${SETUP} --native --yes`, says: "Its own list instead" },
    { command: `${SETUP} --remove --yes`, says: "Everything as it was" },
  ],
  async run(call) {
    const { values, args, terminal } = call;
    const [word] = args;
    const surroundings = surroundingsOf(call);
    const wanted = (["tools", "native", "remove", "yes"] as const).find((name) => values[name]);
    if (word === undefined && wanted)
      throw new UsageError(`AGENT is missing: --${wanted} of which? ${AGENTS.join(", ")}.`);
    if (word === undefined) return list(surroundings, values.json ?? false, terminal);
    const chosen = findSetup(oneOf("AGENT", word, AGENTS));
    if (!chosen) return EXIT.usage;
    const version = values.remove
      ? undefined
      : await agentVersion(call, values.home, surroundings, chosen);
    const mode = values.native ? "native" : "waymark";
    const extras = extrasIn(values.tools);
    if (extras.length > 0 && (values.native || values.remove))
      throw new UsageError("--tools goes neither with --native nor with --remove.");
    // Whatever was given once is taken away.
    const off = offIn(values["off-in"] ?? "");
    if (off.length > 0 && values.native && chosen.cannotRefuse)
      throw new UsageError(
        `The hooks of ${chosen.name} cannot refuse a call; leave out --native or --off-in.`,
      );
    const occasion = occasionOf(surroundings, mode, version, values.remove ? EXTRAS : extras, off);
    const plan = values.remove
      ? planRemoval(chosen, occasion, surroundings.home)
      : planSetup(chosen, occasion, surroundings.home);
    // What is remembered of files in which nothing is ours goes without asking.
    if (values.remove && changesOf(plan).length === 0) carryOut(plan, surroundings.home);
    const remarks = [
      ...(values.remove ? [] : chosen.remarks(occasion)),
      ...(surroundings.program.before.some((part) => /[/\\]_npx[/\\]/.test(part))
        ? [
            "This Waymark was fetched by npx and may be gone one day; npm install -g waymark keeps it.",
          ]
        : []),
    ];
    return values.json ? asJson(call, plan, remarks) : inWords(call, plan, remarks);
  },
});

/** In an order of their own: the same choice is always written in the same way. */
function extrasIn(given: string | undefined): readonly Extra[] {
  const names = (given ?? "").split(",").map((name) => name.trim());
  // The list is given in any case.
  const wanted = names.filter((name) => name !== "" && name !== "todos");
  const chosen = new Set(wanted.map((name) => oneOf("--tools", name, EXTRAS)));
  return EXTRAS.filter((extra) => chosen.has(extra));
}

function surroundingsOf({ values, env, home }: SetupCall): Surroundings {
  const machine = machineOf(env, values.home);
  return {
    machine,
    path: env.PATH ?? "",
    program: thisProgram(env, machine.platform),
    project: values.project ? neededDirectory() : undefined,
    home: home.path,
  };
}

function inWords(call: SetupCall, plan: Plan, remarks: readonly string[]): Exit {
  const { values, terminal } = call;
  const { name } = plan.setup;
  const removing = plan.kind === "removal";
  const changes = changesOf(plan);
  if (changes.length === 0) {
    const nothing =
      plan.remarks.length === 0 ? `Nothing of Waymark is in ${name}.` : `${name} is not set up.`;
    terminal.say(removing ? nothing : `${name} is already set up.`);
    for (const remark of plan.remarks) terminal.say(remark);
    return EXIT.fine;
  }
  for (const { found, text } of changes) show(terminal, difference(found.path, found.text, text));
  for (const remark of plan.remarks) terminal.say(remark);
  if (!values.yes) {
    const files = changes.length === 1 ? "this file" : `these ${changes.length} files`;
    const asked = isTty(0) && isTty(2);
    if (!asked)
      terminal.say("Nothing is written: there is no terminal to ask on. --yes writes it.");
    if (!asked || !agreed(`Change ${files}? [y/N] `)) {
      if (asked) terminal.say("Nothing is written.");
      return EXIT.no;
    }
  }
  carryOut(plan, call.home.path);
  const removed =
    plan.remarks.length === 0
      ? `Nothing of Waymark is left in ${name}.`
      : `Removed the setup of Waymark from ${name}.`;
  terminal.say(removing ? removed : `${name} is set up.`);
  for (const remark of remarks) terminal.say(remark);
  return EXIT.fine;
}

const COLOR = { file: 1, place: 36, same: 0, gone: 31, new: 32 } as const;

function show(terminal: Terminal, lines: readonly DifferenceLine[]): void {
  for (const { kind, text } of lines) {
    const line = safeLine(text);
    const code = COLOR[kind];
    terminal.print(terminal.color && code !== 0 ? `\x1b[${code}m${line}\x1b[0m` : line);
  }
}

/** Tabs as spaces: behind the sign of a difference they would show another indentation. */
function safeLine(text: string): string {
  return forTerminal(text.replaceAll("\t", "    "));
}

function agreed(question: string): boolean {
  writeBytes(2, Buffer.from(question));
  const answer = Buffer.alloc(256);
  const length = readSync(0, answer, 0, answer.length, null);
  return /^\s*y(?:es)?\s*$/i.test(answer.toString("utf8", 0, length));
}

function asJson(call: SetupCall, plan: Plan, remarks: readonly string[]): Exit {
  const { values, terminal, home } = call;
  const changes = changesOf(plan);
  const write = values.yes === true && changes.length > 0;
  if (write) carryOut(plan, home.path);
  terminal.printJson({
    agent: plan.setup.agent,
    files: plan.steps.map(({ found, text }) => ({
      path: found.path,
      change: changeOf(found.text, text),
      difference: difference(found.path, found.text, text).map((line) => line.text),
    })),
    written: write,
    remarks: [...plan.remarks, ...remarks],
  });
  return changes.length === 0 || write ? EXIT.fine : EXIT.no;
}

function changeOf(before: string | undefined, after: string | undefined): string {
  if (before === after) return "none";
  if (before === undefined) return "create";
  return after === undefined ? "remove" : "change";
}

function list(surroundings: Surroundings, json: boolean, terminal: Terminal): Exit {
  const agents = statusOfAll(surroundings);
  if (json) {
    terminal.printJson({ agents });
    return EXIT.fine;
  }
  const width = Math.max(...agents.map(({ agent }) => agent.length));
  for (const status of agents)
    terminal.print(`${status.agent.padEnd(width)}  ${safeLine(said(status))}`);
  return EXIT.fine;
}

function said({ name, found, setUp, agent, problem }: AgentStatus): string {
  if (problem !== undefined) return `${name}: ${problem}`;
  if (setUp === "waymark") return `${name} has Waymark's list`;
  if (setUp === "native") return `${name} has its own list, and Waymark watches it`;
  if (setUp === "partly") return `${name} is set up in part: waymark setup ${agent}`;
  return found ? `${name} is not set up: waymark setup ${agent}` : `${name} was not found`;
}
