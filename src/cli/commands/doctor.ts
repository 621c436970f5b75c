import { homedir } from "node:os";
import { UsageError } from "../../core/error.ts";
import { counted } from "../../core/text/count.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { type AgentCheck, type Checkup, checkUp, type FileCheck } from "../../doctor/checkup.ts";
import { faultLines, faultWords, refusedWords } from "../../doctor/fault-words.ts";
import type { Held, TasksCheck } from "../../doctor/tasks.ts";
import type { Restored } from "../../home/restore-store.ts";
import { TASK_STATUSES } from "../../tasks/model.ts";
import { type Call, defineCommand, HOME_OPTION, type Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { fitting } from "../io/fitting.ts";

const options = {
  home: HOME_OPTION,
  json: { type: "boolean", summary: "Print JSON" },
  restore: {
    type: "boolean",
    summary: "Restore lists that a lost or damaged store no longer has, from their mirror",
  },
  "start-empty": {
    type: "boolean",
    summary: "Start over after the store was lost or damaged; what is left of it is moved aside",
  },
} as const satisfies Options;

type StoreCall = Call<typeof options>;

export const doctor = defineCommand({
  arguments: [],
  options,
  notes: [
    "Exit code 1 says that something needs attention: a place or a database that cannot be read, a list that was set aside. What agents wrote and nobody understands is counted, and no reason to worry.",
  ],
  examples: [
    { command: "waymark doctor", says: "What was found, and what could not be read" },
    { command: "waymark doctor --json", says: "The same for a program" },
    { command: "waymark doctor --restore", says: "Restore the lists after waymark.db was lost" },
  ],
  async run(call) {
    const { values, terminal } = call;
    if (values.restore && values["start-empty"])
      throw new UsageError("--restore and --start-empty exclude each other.");
    if (values.restore) return restore(call);
    if (values["start-empty"]) return startOver(call);
    const checkup = await checkUp(call, values.home);
    if (values.json) terminal.printJson(checkup);
    else terminal.print(fitting(textOf(checkup), terminal).join("\n"));
    return checkup.attention.length > 0 ? EXIT.no : EXIT.fine;
  },
});

async function restore({ values, terminal, home }: StoreCall): Promise<Exit> {
  const { restoreStore } = await import("../../home/restore-store.ts");
  const restored = await restoreStore(home.store, terminal.say);
  if (values.json) terminal.printJson(restored);
  else terminal.print(fitting(restoredLines(restored), terminal).join("\n"));
  return EXIT.fine;
}

function restoredLines({ store, lists, todos, setAside }: Restored): readonly string[] {
  if (lists.length === 0) return ["The store has every list of the mirror. Nothing was changed."];
  return [
    `Restored ${counted(lists.length, "list")} with ${counted(todos, "todo")} to ${terminalLine(store)}`,
    ...asideLines(setAside),
    "Not restored, because the mirror does not hold them: history, comments, plans, cancelled todos, why todos were blocked, and tasks.",
  ];
}

async function startOver({ values, terminal, home }: StoreCall): Promise<Exit> {
  const { startEmpty } = await import("../../home/restore-store.ts");
  const emptied = await startEmpty(home.store, terminal.say);
  if (values.json) terminal.printJson(emptied);
  else {
    const { store, mirror, setAside } = emptied;
    const lines = [
      `Started an empty store: ${terminalLine(store)}`,
      ...(mirror === null ? [] : [`The mirror of the lost store is now ${terminalLine(mirror)}`]),
      ...asideLines(setAside),
    ];
    terminal.print(fitting(lines, terminal).join("\n"));
  }
  return EXIT.fine;
}

function asideLines(setAside: string | null): readonly string[] {
  return setAside === null ? [] : [`The damaged store is now ${terminalLine(setAside)}`];
}

function textOf(checkup: Checkup): readonly string[] {
  const { waymark, agents, sqlite, home, page, attention } = checkup;
  const missing = agents.filter(({ installed }) => !installed);
  return [
    `Waymark ${waymark.version} on Node ${waymark.node}, ${waymark.system}`,
    "",
    ...agents.filter(({ installed }) => installed).flatMap((agent) => [...agentLines(agent), ""]),
    ...(missing.length > 0 ? [`Not found: ${missing.map(({ name }) => name).join(", ")}`, ""] : []),
    sqliteLine(sqlite),
    home.there
      ? `Waymark keeps ${sizeOf(home.bytes)} in ${terminalLine(home.path)}`
      : `Waymark keeps nothing yet; it would in ${terminalLine(home.path)}`,
    ...taskLines(checkup.tasks),
    page === null
      ? "No page is served; waymark serve opens one"
      : `The page is at ${terminalLine(page)}`,
    ...hookLines(checkup.hooks),
    ...refusedLines(checkup.refused),
    "",
    ...(attention.length === 0
      ? ["Nothing needs attention."]
      : ["Needs attention:", ...attention.map((line) => `  ! ${terminalLine(line)}`)]),
  ];
}

function shortPath(path: string): string {
  const home = homedir();
  return terminalLine(
    home !== "" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path,
  );
}

function hookLines({ waiting, problems, last }: Checkup["hooks"]): readonly string[] {
  return [
    ...(waiting === 0 ? [] : [`${counted(waiting, "event")} of hooks wait for the next command`]),
    ...(last === null
      ? []
      : [`${counted(problems, "problem")} in hook.log, the last: ${terminalLine(last)}`]),
  ];
}

const REFUSED = {
  list: "changes of lists",
  task: "changes of tasks",
  request: "requests to the page",
};

function refusedLines(refused: Checkup["refused"]): readonly string[] {
  return Object.entries(REFUSED).flatMap(([door, what]) => {
    const those = refused.filter((each) => each.door === door);
    if (those.length === 0) return [];
    return [`Refused ${what}: ${those.map(({ code, count }) => `${code} ${count}`).join(", ")}`];
  });
}

function agentLines(agent: AgentCheck): string[] {
  const { name, version, program, sessions, newest, looked } = agent;
  const facts = [
    `${name}${version === null ? "" : ` ${terminalLine(version)}`}`,
    counted(sessions, "session"),
    ...(newest === null ? [] : [`the newest ${new Date(newest).toLocaleString("sv-SE")}`]),
  ];
  return [
    facts.join(", "),
    ...(program === null ? [] : [`  ${shortPath(program)}`]),
    ...looked.map(({ path, there }) => `  ${shortPath(path)}${there ? "" : " (not there)"}`),
    ...listLines(agent),
    ...skippedLines(agent),
    ...agent.unreadable.map(
      ({ path, reason }) => `  ! ${shortPath(path)}: ${terminalLine(reason)}`,
    ),
  ];
}

const MAX_FILES = 5;
const MAX_LINES = 3;

function skippedLines({ skipped, skippedIn, skippedFiles }: AgentCheck): readonly string[] {
  const refused = refusedWords(skipped);
  const counts = faultWords(skipped);
  const bad = skippedIn.filter((file) => faultWords(file.skipped).length > 0);
  const hidden = skippedFiles - skippedIn.length + Math.max(0, bad.length - MAX_FILES);
  return [
    ...(refused === undefined ? [] : [`  Refused by the agent itself: ${refused}`]),
    ...(counts.length > 0 ? [`  Not understood: ${counts.join(", ")}`] : []),
    ...bad.slice(0, MAX_FILES).flatMap(fileLines),
    ...(counts.length > 0 && hidden > 0 ? [`    and in ${hidden} more files`] : []),
  ];
}

function fileLines({ path, skipped, lines }: FileCheck): readonly string[] {
  const places = faultLines(skipped, lines, MAX_LINES, shortPath);
  if (places.length > 0) return places.map((line) => `    ${line}`);
  return [`    ${shortPath(path)}  ${faultWords(skipped).join(", ")}; too long to say where`];
}

function listLines({ list, setup }: AgentCheck): string[] {
  if (setup?.setUp === "waymark") return ["  It is given Waymark's list."];
  if (setup?.setUp === "native") return ["  Its own list is switched on, and Waymark watches it."];
  if (setup?.setUp === "partly")
    return [`  It is set up in part; the rest is done by waymark setup ${setup.agent}.`];
  if (!list) return [];
  const { state, since, why, setting } = list;
  if (state === "on") return ["  Its list is switched on."];
  const from = since === undefined ? "" : ` since ${since}`;
  return [
    `  Its list is switched off by default${from}: ${why}.`,
    ...(setup
      ? [`  waymark setup ${setup.agent} gives it Waymark's list, and with --native its own back.`]
      : [`  What brings it back: ${setting}.`]),
  ];
}

function taskLines(tasks: TasksCheck | undefined): string[] {
  if (!tasks) return [];
  if ("problem" in tasks) return [`Tasks: ${terminalLine(tasks.problem)}`];
  const { store, counts, lapsed, strangers } = tasks;
  const all = TASK_STATUSES.filter((status) => counts[status] > 0).map(
    (status) => `${counts[status]} ${status}`,
  );
  const shown = (found: readonly Held[]) =>
    found.map(({ id, owner }) => `${id} of ${terminalLine(owner)}`).join(", ");
  return [
    `Tasks in ${terminalLine(store)}: ${all.join(", ")}; ${counts.ready} ready`,
    ...(lapsed.length > 0 ? [`  Their holders fell silent: ${shown(lapsed)}`] : []),
    ...(strangers.length > 0
      ? [
          `  Held by nobody that is known here, and renewed by their own calls only: ${shown(strangers)}`,
        ]
      : []),
  ];
}

function sqliteLine(sqlite: Checkup["sqlite"]): string {
  if ("problem" in sqlite) return `SQLite: ${terminalLine(sqlite.problem)}`;
  const { driver, version, walFault } = sqlite;
  const from = driver === "node" ? "of Node itself" : `of the package ${driver}`;
  const fault = walFault
    ? "; it can lose commits in WAL mode, so Waymark uses the rollback journal, which has no such fault"
    : "";
  return `SQLite ${version} ${from}${fault}`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB"];
  let size = bytes / 1_000;
  let place = 0;
  while (size >= 1_000 && place < units.length - 1) {
    size /= 1_000;
    place++;
  }
  return `${size.toFixed(1)} ${units[place]}`;
}
