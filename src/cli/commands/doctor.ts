import { writeFileSync } from "node:fs";
import { errorMessage, UsageError, WaymarkError } from "../../core/error.ts";
import { counted } from "../../core/text/count.ts";
import { type DoctorReport, diagnose, type SettingsCheck } from "../../doctor/diagnose.ts";
import { reportLines, restoredLines, startedEmptyLines } from "../../doctor/report.ts";
import { machineOf } from "../../sessions/transcripts/machine.ts";
import {
  type Call,
  defineCommand,
  HOME_OPTION,
  JSON_OPTION,
  type Options,
} from "../args/command.ts";
import { problemText } from "../config/problems.ts";
import { configTable } from "../config/rows.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { wrapLines } from "../io/wrap-lines.ts";

const DEFAULT_OUTPUT = "waymark-report.json";

const options = {
  home: HOME_OPTION,
  json: JSON_OPTION,
  restore: {
    type: "boolean",
    summary: "Restore lists that the store has lost from their JSON copies",
    perCall: true,
  },
  "start-empty": {
    type: "boolean",
    summary: "Start with an empty store; a damaged one is moved aside",
    perCall: true,
  },
  report: {
    type: "boolean",
    summary:
      "Write a sample for an issue: versions, counts, shapes of records; no texts, names or paths",
    perCall: true,
  },
  output: {
    type: "string",
    value: "FILE",
    short: "o",
    summary: `File for --report (default: ${DEFAULT_OUTPUT}), or - for standard output`,
    completions: "files",
    perCall: true,
  },
} as const satisfies Options;

type StoreCall = Call<typeof options>;

export const doctor = defineCommand({
  arguments: [],
  options,
  toleratesBrokenFiles: true,
  notes: [
    "Records of an agent that Waymark cannot read are counted and skipped; they are not a problem by themselves.",
  ],
  exitCodes: {
    0: "No problems",
    1: "Something needs attention, e.g. an unreadable directory or database",
  },
  examples: [
    { command: "waymark doctor", comment: "Check this machine" },
    { command: "waymark doctor --json", comment: "Print the result as JSON" },
    { command: "waymark doctor --report", comment: "Write a sample to attach to an issue" },
    { command: "waymark doctor --restore", comment: "Restore the lists after waymark.db was lost" },
  ],
  hints: { "--fix": "`waymark doctor` only reports; run the commands that it prints." },
  seeAlso: ["setup"],
  async run(call) {
    const { values, terminal } = call;
    if (values.restore && values["start-empty"])
      throw new UsageError("--restore and --start-empty cannot be combined.");
    if (values.output !== undefined && !values.report)
      throw new UsageError("--output needs --report.");
    if (values.report && (values.restore || values["start-empty"] || values.json))
      throw new UsageError("--report cannot be combined with --json, --restore or --start-empty.");
    if (values.restore) return restore(call);
    if (values["start-empty"]) return startOver(call);
    const checkup = await diagnose(call, values.home, await checkSettings(call));
    if (values.report) return writeSample(call, checkup);
    if (values.json) terminal.printJson(checkup);
    else terminal.print(wrapLines(reportLines(checkup), terminal).join("\n"));
    return checkup.attention.length > 0 ? EXIT.failure : EXIT.success;
  },
});

async function writeSample(
  { values, terminal, env }: StoreCall,
  report: DoctorReport,
): Promise<Exit> {
  const { sampleOf } = await import("../../doctor/sample.ts");
  const sample = sampleOf(report, machineOf(env, values.home));
  const text = `${JSON.stringify(sample, null, 2)}\n`;
  const file = values.output ?? DEFAULT_OUTPUT;
  if (file === "-") {
    terminal.printFile(text);
    return EXIT.success;
  }
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new WaymarkError("report_not_written", `Cannot write ${file}: ${errorMessage(error)}`);
  }
  const records = sample.agents.reduce((sum, agent) => sum + agent.records.length, 0);
  terminal.printText(
    [
      `Wrote ${file}: versions, counts of ${counted(sample.agents.length, "agent")}, ${counted(records, "shape")} of records that could not be read.`,
      "It has no texts, names or paths of yours. Read it, then attach it to an issue.",
    ].join("\n"),
  );
  return EXIT.success;
}

async function checkSettings({ env, values }: StoreCall): Promise<SettingsCheck | undefined> {
  // The settings are those of this user.
  if (values.home !== undefined) return undefined;
  const { files, problems } = await configTable(env);
  return files.length === 0 ? undefined : { files, problems: problems.map(problemText) };
}

async function restore({ values, terminal, home }: StoreCall): Promise<Exit> {
  const { restoreStore } = await import("../../home/restore-store.ts");
  const restored = await restoreStore(home.store, terminal.printError);
  if (values.json) terminal.printJson(restored);
  else terminal.print(wrapLines(restoredLines(restored), terminal).join("\n"));
  return EXIT.success;
}

async function startOver({ values, terminal, home }: StoreCall): Promise<Exit> {
  const { startEmpty } = await import("../../home/restore-store.ts");
  const emptied = await startEmpty(home.store, terminal.printError);
  if (values.json) terminal.printJson(emptied);
  else terminal.print(wrapLines(startedEmptyLines(emptied), terminal).join("\n"));
  return EXIT.success;
}
