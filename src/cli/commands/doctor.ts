import { homedir } from "node:os";
import { forTerminal, oneLine } from "../../core/safe-text.ts";
import { type AgentCheck, type Checkup, checkUp } from "../checkup.ts";
import { defineCommand, HOME_OPTION } from "../command.ts";
import { EXIT } from "../exit.ts";

export const doctor = defineCommand({
  arguments: [],
  options: {
    home: HOME_OPTION,
    json: { type: "boolean", summary: "Print JSON" },
  },
  notes: [
    "Exit code 1 says that something needs attention: a place or a database that cannot be read, a list that was set aside. What agents wrote and nobody understands is counted, and no reason to worry.",
  ],
  examples: [
    { command: "waymark doctor", says: "What was found, and what could not be read" },
    { command: "waymark doctor --json", says: "The same for a program" },
  ],
  async run(call) {
    const { values, terminal } = call;
    const checkup = await checkUp(call, values.home);
    if (values.json) terminal.printJson(checkup);
    else terminal.print(textOf(checkup));
    return checkup.attention.length > 0 ? EXIT.no : EXIT.fine;
  },
});

function textOf(checkup: Checkup): string {
  const { agents, sqlite, home, attention } = checkup;
  const missing = agents.filter(({ installed }) => !installed);
  return [
    ...agents.filter(({ installed }) => installed).flatMap((agent) => [...agentLines(agent), ""]),
    ...(missing.length > 0 ? [`Not found: ${missing.map(({ name }) => name).join(", ")}`, ""] : []),
    sqliteLine(sqlite),
    home.there
      ? `Waymark keeps ${sizeOf(home.bytes)} in ${safe(home.path)}`
      : `Waymark keeps nothing yet; it would in ${safe(home.path)}`,
    "",
    ...(attention.length === 0
      ? ["Nothing needs attention."]
      : ["Needs attention:", ...attention.map((line) => `  ! ${safe(line)}`)]),
  ].join("\n");
}

function safe(text: string): string {
  return forTerminal(oneLine(text));
}

function shortPath(path: string): string {
  const home = homedir();
  return safe(home !== "" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}

function agentLines(agent: AgentCheck): string[] {
  const { name, version, sessions, newest, looked, skipped, skippedIn } = agent;
  const facts = [
    `${name}${version === null ? "" : ` ${safe(version)}`}`,
    `${sessions} session${sessions === 1 ? "" : "s"}`,
    ...(newest === null ? [] : [`the newest ${new Date(newest).toLocaleString("sv-SE")}`]),
  ];
  const counts = Object.entries(skipped).map(
    ([code, count]) => `${count} ${code.replaceAll("_", " ")}`,
  );
  const [first, ...others] = skippedIn.map(shortPath);
  const where = first === undefined ? "" : `, in ${first}`;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return [
    facts.join(", "),
    ...looked.map(({ path, there }) => `  ${shortPath(path)}${there ? "" : " (not there)"}`),
    ...listLines(agent),
    ...(counts.length > 0 ? [`  Not understood: ${counts.join(", ")}${where}${more}`] : []),
    ...agent.unreadable.map(({ path, reason }) => `  ! ${shortPath(path)}: ${safe(reason)}`),
  ];
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

function sqliteLine(sqlite: Checkup["sqlite"]): string {
  if ("problem" in sqlite) return `SQLite: ${safe(sqlite.problem)}`;
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
