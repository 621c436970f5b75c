import { addCheck } from "../../../checks/checks.ts";
import { DEFAULT_LINKS, DEFAULT_TIMEOUT, LONGEST_TIMEOUT } from "../../../checks/definition.ts";
import { UsageError } from "../../../core/error.ts";
import { formatShortDuration } from "../../../core/text/duration.ts";
import { oneLine } from "../../../core/text/escape.ts";
import { requireCurrentDirectory } from "../../../home/current-directory.ts";
import { defineCommand } from "../../args/command.ts";
import { parseDurationOption } from "../../args/time.ts";
import { EXIT } from "../../io/exit.ts";
import { requirePerson } from "../../options/person.ts";

export const add = defineCommand({
  description: "Approve a command as a check of the repository in this directory.",
  arguments: [{ name: "COMMAND", summary: "Shell command that passes only if the work is done" }],
  options: {
    name: {
      type: "string",
      value: "NAME",
      summary: "Name of the check",
      default: "derived from the command",
      perCall: true,
    },
    timeout: {
      type: "string",
      value: "TIME",
      summary: "Time after which the check has failed, e.g. 90s, 10m, 1h",
      default: formatShortDuration(DEFAULT_TIMEOUT),
      perCall: true,
    },
    link: {
      type: "string",
      value: "NAME",
      repeatable: true,
      summary: "Ignored directory to link into the checkout; repeatable, none for no links",
      default: DEFAULT_LINKS.join(" and "),
      perCall: true,
    },
  },
  notes: [
    "The check runs in the current directory of a clean checkout: the last commit with your uncommitted changes, without ignored files. Linked directories are shared with your working tree.",
  ],
  examples: [
    { command: 'waymark check add "npm test" --name test', comment: "Prove work with the tests" },
    {
      command: 'waymark check add "make e2e" --name e2e --timeout 20m',
      comment: "Allow a slow check more time",
    },
  ],
  seeAlso: ["verify", "check list", "check trust"],
  async run(call) {
    const { args, values, terminal } = call;
    const [command = ""] = args;
    requirePerson(call, "Approving a check");
    const check = await addCheck(call, requireCurrentDirectory(), {
      name: values.name,
      command,
      timeoutMs: timeoutIn(values.timeout),
      links: linksIn(values.link),
    });
    const { name, timeoutMs } = check;
    terminal.printText(
      `Added check ${name}: ${oneLine(check.command)} (timeout ${formatShortDuration(timeoutMs)}). Run it with \`waymark verify --check ${name}\`.`,
    );
    return EXIT.success;
  },
});

function timeoutIn(given: string | undefined): number {
  const timeout = given === undefined ? DEFAULT_TIMEOUT : parseDurationOption("--timeout", given);
  if (timeout <= LONGEST_TIMEOUT) return timeout;
  throw new UsageError(
    `Invalid --timeout "${given?.slice(0, 40)}". Use a duration of at most 24h.`,
  );
}

function linksIn(given: readonly string[] | undefined): readonly string[] {
  const names = given ?? DEFAULT_LINKS;
  if (names.length === 1 && names[0] === "none") return [];
  const bad = names.find((name) => /[/\\]/.test(name) || ["", ".", ".."].includes(name));
  if (bad !== undefined)
    throw new UsageError(`Invalid --link "${bad.slice(0, 60)}". Use the name of a directory.`);
  return names;
}
