import { homedir } from "node:os";
import { basename } from "node:path";
import { type KnownCheck, listChecks, mayRun, type Trust } from "../../../checks/checks.ts";
import { endedWords } from "../../../checks/reason.ts";
import type { LastRun } from "../../../checks/store.ts";
import { suggestCheck } from "../../../checks/suggest-check.ts";
import { formatTime } from "../../../core/text/clock.ts";
import { formatDuration, formatShortDuration } from "../../../core/text/duration.ts";
import { terminalLine } from "../../../core/text/escape.ts";
import { isoTime } from "../../../core/views/json.ts";
import { requireCurrentDirectory } from "../../../home/current-directory.ts";
import { cells, widest } from "../../../surfaces/text/draw/width.ts";
import { defineCommand, JSON_OPTION } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";

const TRUST_WORDS = {
  yours: "yours",
  trusted: "trusted",
  changed: "changed since trusted",
  untrusted: "not trusted",
} as const satisfies Record<Trust, string>;

export const list = defineCommand({
  description: "List the checks of the repository in this directory.",
  arguments: [],
  options: { json: JSON_OPTION },
  notes: [
    "A repository defines checks in .waymark/checks.toml, or in package.json under waymark.checks. They run after `waymark check trust`, until their definition changes.",
  ],
  examples: [
    { command: "waymark check list", comment: "List the checks, and which of them may run" },
    { command: "waymark check list --json", comment: "Print them for a script" },
  ],
  seeAlso: ["check add", "check trust", "verify"],
  async run(call) {
    const { values, terminal } = call;
    const { place, checks, problems } = await listChecks(call, requireCurrentDirectory());
    if (values.json) terminal.printJson(checks.map(checkForm));
    for (const problem of problems) terminal.printError(problem);
    if (values.json) return EXIT.success;
    if (checks.length === 0) {
      const command = suggestCheck(place.root) ?? "COMMAND";
      terminal.printError(
        `No checks for ${place.root}. Add one with \`waymark check add ${JSON.stringify(command)} --name test\`.`,
      );
      return EXIT.success;
    }
    const home = homedir();
    const root = place.root.startsWith(`${home}/`)
      ? `~${place.root.slice(home.length)}`
      : place.root;
    terminal.print(`${terminalLine(basename(place.root))}  ${terminalLine(root)}`);
    terminal.print(tableOf(checks, terminal.width, Date.now()).join("\n"));
    const waiting = checks.filter((check) => !mayRun(check)).map(({ name }) => name);
    if (waiting.length > 0)
      terminal.print(
        `\n${waiting.length === 1 ? "1 check" : `${waiting.length} checks`} cannot run yet. Read the commands, then run: waymark check trust ${waiting.join(" ")}`,
      );
    return EXIT.success;
  },
});

function tableOf(checks: readonly KnownCheck[], width: number, now: number): readonly string[] {
  const rows = [
    ["NAME", "COMMAND", "TIMEOUT", "TRUST", "LAST RUN"],
    ...checks.map(({ name, command, timeoutMs, trust, directory, lastRun }) => [
      name,
      terminalLine(directory === "" ? command : `${command} (in ${directory})`),
      formatShortDuration(timeoutMs),
      TRUST_WORDS[trust],
      lastRunText(lastRun, now),
    ]),
  ];
  const sizes = [0, 1, 2, 3, 4].map((at) => widest(rows.map((row) => row[at] ?? "")));
  const rest = sizes.reduce((sum, size) => sum + size, 0) - (sizes[1] ?? 0) + 2 + 2 * 4;
  // The command is what the user trusts: never cut, even if the rest of its row moves to the right.
  const forCommand = Math.min(sizes[1] ?? 0, Math.max(20, width - rest));
  return rows.map((row) =>
    row
      .map((text, at) => {
        const size = at === 1 ? forCommand : (sizes[at] ?? 0);
        return `${text}${" ".repeat(Math.max(0, size - cells(text)))}`;
      })
      .join("  ")
      .replace(/^/, "  ")
      .trimEnd(),
  );
}

function lastRunText(run: LastRun | undefined, now: number): string {
  if (!run) return "not run";
  const how = run.ok ? "passed" : `failed (${endedWords(run)})`;
  return `${how} ${formatTime(run.at, now) ?? ""}, ${formatDuration(run.durationMs)}`;
}

/** The JSON form of a check. */
function checkForm({ lastRun, hash, ...check }: KnownCheck) {
  return {
    ...check,
    mayRun: mayRun(check),
    hash,
    lastRun: lastRun
      ? {
          ok: lastRun.ok,
          exitCode: lastRun.exitCode,
          ...(lastRun.ended && { ended: lastRun.ended }),
          at: isoTime(lastRun.at),
          durationMs: lastRun.durationMs,
          tree: lastRun.tree,
        }
      : null,
  };
}
