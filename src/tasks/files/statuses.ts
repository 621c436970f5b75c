import { parseStatus } from "../../core/text/status.ts";
import { parseFrontMatter } from "../formats/backlog/front-matter.ts";

/** Where a task is, in the words of both sides. */
export type Phase = "open" | "claimed" | "done" | "cancelled";

/** The configuration of a folder of task files. */
export interface FolderConfig {
  /** Begin of ids and file names, in lower case. */
  readonly prefix: string;
  phaseOf(status: string | undefined): Phase;
  /** Whether a status has a meaning here: others are reported instead of guessed. */
  isKnown(status: string | undefined): boolean;
  /** The status to write; undefined if the folder has none for it. */
  statusFor(phase: Phase): string | undefined;
}

const STATUSES = ["To Do", "In Progress", "Done"];
const PREFIX = "task";

/** Reads `config.yml` of Backlog.md. Settings that cannot be read have their default. */
export function readFolderConfig(text: string | undefined): FolderConfig {
  const read = parseFrontMatter(`---\n${text ?? ""}\n---\n`);
  const value = (key: string) =>
    read.ok ? read.front.entries.find((each) => each.key === key)?.value : undefined;
  const listed = value("statuses");
  const statuses = Array.isArray(listed) && listed.length > 0 ? (listed as string[]) : STATUSES;
  const prefix = value("task_prefix");
  const phases = phasesOf(statuses);
  return {
    prefix: typeof prefix === "string" && /^[a-z]+$/i.test(prefix) ? prefix.toLowerCase() : PREFIX,
    phaseOf: (status) =>
      phases.get(status?.trim().toLowerCase() ?? "") ?? wordPhase(status) ?? "open",
    isKnown: (status) =>
      status === undefined ||
      phases.has(status.trim().toLowerCase()) ||
      wordPhase(status) !== undefined ||
      /^(?:to.?do|open|new|pending|backlog|draft)$/i.test(status.trim()),
    statusFor: (phase) => statuses.find((each) => phases.get(each.toLowerCase()) === phase),
  };
}

function wordPhase(status: string | undefined): Phase | undefined {
  switch (parseStatus(status).status) {
    case "completed":
      return "done";
    case "in_progress":
      return "claimed";
    case "cancelled":
      return "cancelled";
    default:
      return undefined;
  }
}

/** Columns between the first one of work in progress and the last one are work in progress, too. */
function phasesOf(statuses: readonly string[]): ReadonlyMap<string, Phase> {
  const phases = new Map<string, Phase>();
  let isStarted = false;
  for (const [place, status] of statuses.entries()) {
    const isLast =
      place > 0 && place === statuses.length - 1 && ![...phases.values()].includes("done");
    const phase = wordPhase(status) ?? (isLast ? "done" : isStarted ? "claimed" : "open");
    if (phase === "claimed") isStarted = true;
    phases.set(status.toLowerCase(), phase);
  }
  return phases;
}
