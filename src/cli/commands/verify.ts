import { acceptProofs, readProofs } from "../../checks/proofs.ts";
import { CommandError, UsageError } from "../../core/error.ts";
import { counted } from "../../core/text/count.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { isWarned } from "../../core/views/evidence.ts";
import { requireCurrentDirectory } from "../../home/current-directory.ts";
import { type Call, defineCommand, JSON_OPTION } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { requirePerson } from "../options/person.ts";
import { TRACK_OPTIONS } from "../options/track-selection.ts";
import { glyphs } from "../verify/lines.ts";
import { verifyAndReport } from "../verify/run.ts";
import {
  todosToProve,
  VERIFY_EXIT_CODES,
  type VerifyTarget,
  verifyTarget,
} from "../verify/target.ts";

const OPTIONS = {
  todo: {
    type: "string",
    value: "ID",
    summary: "Todo to prove",
    default: "the completed todos",
    completions: "todos",
    perCall: true,
  },
  task: {
    type: "string",
    value: "ID",
    summary: "Team task to prove",
    completions: "tasks",
    perCall: true,
  },
  check: {
    type: "string",
    value: "NAME",
    summary: "Check to run",
    default: "the check of the task, the only one, or test",
  },
  agent: TRACK_OPTIONS.agent,
  accept: {
    type: "boolean",
    summary: "Accept the warnings of the last run instead of running the check",
    perCall: true,
  },
  json: JSON_OPTION,
} as const;

type VerifyCall = Call<typeof OPTIONS>;

export const verify = defineCommand({
  description:
    "Run a check on a clean checkout of the working tree, and record the result as proof of todos.",
  arguments: [
    {
      name: "SESSION",
      summary: "Session, or at least 4 characters of a generated id",
      optional: true,
      default: "the newest in this directory",
      completions: "sessions",
    },
  ],
  options: OPTIONS,
  notes: [
    "The checkout is the last commit with the changes of the working tree: tracked and new files, without ignored ones. A todo whose check passed on it is reproduced, until files are edited. Outside of git, the check runs in place.",
    "Warnings name changes that make the checks themselves weaker, such as skipped tests. A proof with warnings counts after `--accept`.",
  ],
  exitCodes: VERIFY_EXIT_CODES,
  examples: [
    { command: "waymark verify", comment: "Prove all completed todos of this directory" },
    {
      command: "waymark verify demo --todo 1 --check test",
      comment: "Prove one todo of a session",
    },
    { command: "waymark verify --json", comment: "Print the result for a script" },
  ],
  seeAlso: ["check add", "check list", "todos"],
  async run(call) {
    const { args, values } = call;
    const [session] = args;
    if (values.todo !== undefined && values.task !== undefined)
      throw new UsageError("--todo and --task cannot be combined.");
    if (values.task !== undefined) return proveTask(call, values.task, session);
    const target = await verifyTarget(call, session, values.agent);
    if (values.accept) return accept(call, target);
    const { cwd, id, edits } = target;
    const todos = todosToProve(target, values.todo);
    const request = {
      cwd,
      todos,
      ...(id && { id }),
      ...(edits !== undefined && { edits }),
      ...(values.check !== undefined && { check: values.check }),
    };
    return verifyAndReport(call, request, headingOf(call, target, todos));
  },
});

async function proveTask(call: VerifyCall, task: string, session?: string): Promise<Exit> {
  const { values, home } = call;
  if (values.accept) throw new UsageError("--accept cannot be combined with --task.");
  const known = await (await home.tasks("reading")).get(task);
  if (!known)
    throw new UsageError(
      `No task ${JSON.stringify(task.slice(0, 60))}. \`waymark task list --all\` lists them.`,
    );
  const target =
    session === undefined ? undefined : await verifyTarget(call, session, values.agent);
  const check = values.check ?? known.check;
  return verifyAndReport(call, {
    cwd: target?.cwd ?? requireCurrentDirectory(),
    task: known.id,
    ...(target?.id && { id: target.id }),
    ...(check !== undefined && { check }),
  });
}

function headingOf(
  { terminal }: VerifyCall,
  { id, title }: VerifyTarget,
  todos: ReturnType<typeof todosToProve>,
): string | undefined {
  if (!id) return undefined;
  const [first, ...others] = todos;
  const what = first
    ? others.length === 0
      ? ` ${glyphs(terminal).separator} todo ${first.id} "${first.text}"`
      : ` ${glyphs(terminal).separator} ${counted(todos.length, "todo")}`
    : "";
  return terminalLine(`${title ?? id.session}${what}`);
}

/** Accepts the warnings of the newest proofs of the chosen todos. */
async function accept(call: VerifyCall, target: VerifyTarget): Promise<Exit> {
  const { terminal, home, values } = call;
  requirePerson(call, "Accepting warnings");
  const { id, todos } = target;
  const chosen = values.todo === undefined ? todos : todosToProve(target, values.todo);
  const records = id ? readProofs(home.path, id.session) : [];
  const proofs = chosen.filter(isWarned).flatMap((each) => {
    const own = records.findLast(
      ({ id: { agent }, todo }) => agent === id?.agent && todo?.text === each.text,
    );
    return own ? [own] : [];
  });
  if (proofs.length === 0)
    throw new CommandError(
      "No proof has warnings to accept. Run `waymark verify` first; `waymark todos` shows the evidence.",
    );
  const accepted = await acceptProofs(home, proofs);
  const count = accepted.reduce((sum, { warnings }) => sum + warnings.length, 0);
  if (values.json) terminal.printJson({ accepted: accepted.map(({ todo }) => todo?.id) });
  else
    terminal.printText(
      `Accepted ${counted(count, "warning")} of ${accepted.length === 1 ? "todo" : "todos"} ${accepted.map(({ todo }) => todo?.id).join(", ")}.`,
    );
  return EXIT.success;
}
