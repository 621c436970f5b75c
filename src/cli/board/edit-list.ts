import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CommandError } from "../../core/error.ts";
import { printMarkdown } from "../../core/list/markdown.ts";
import type { Track, TrackId } from "../../core/model.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import type { Call } from "../args/command.ts";
import { MAX_CHECKLIST, readChecklist, replaceOp, withLineNumbers } from "../io/checklist.ts";
import { openEditor } from "../io/editor.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { readTextFile } from "../io/input.ts";
import { type CHANGE_OPTIONS, refuse, report, submit } from "../options/list-change.ts";
import { checklistPolicy } from "../options/list-policy.ts";
import { listToWrite, trackToWrite } from "../options/track-selection.ts";

const LEGEND =
  "<!-- [ ] pending  [/] in progress  [x] completed  [-] dropped  [!] blocked; # phase; > note -->";

type EditCall = Call<typeof CHANGE_OPTIONS>;

/** Opens the list as a checklist in the user's editor and applies what was saved. */
export async function editList(call: EditCall): Promise<Exit> {
  const { home, terminal, env, values } = call;
  const id = await trackToWrite(call);
  const before = await (await home.reading()).list(id).read();
  // In a directory that only this user can read.
  const file = join(mkdtempSync(join(tmpdir(), "waymark-")), "list.md");
  const text = `${LEGEND}\n\n${printMarkdown(before.todos)}`;
  writeFileSync(file, text, { mode: 0o600 });
  let keep = false;
  try {
    if (!openEditor(env, file))
      throw new CommandError("The editor failed, so nothing was changed.");
    const saved = readTextFile(file, MAX_CHECKLIST);
    if (saved.ok && isUnchanged(saved.text, text)) {
      terminal.printError("Nothing was changed.");
      return EXIT.success;
    }
    // From here on the file has work of the user in it.
    keep = true;
    const exit = await write({ ...call, values: { ...values, ...id } }, before, file);
    keep = exit !== EXIT.success;
    return exit;
  } finally {
    if (keep)
      terminal.printError(
        `Your changes are in ${file}. Apply them with \`waymark todo import ${file}\`.`,
      );
    else rmSync(dirname(file), { recursive: true, force: true });
  }
}

function isUnchanged(saved: string, text: string): boolean {
  return saved === text || withoutLegend(saved).trim() === "";
}

/** Keeps the empty line, so that line numbers stay right. */
function withoutLegend(text: string): string {
  return text.replace(LEGEND, "");
}

async function write(call: EditCall, before: Track, file: string): Promise<Exit> {
  const { terminal } = call;
  const saved = readTextFile(file, MAX_CHECKLIST);
  if (!saved.ok) throw new CommandError("The saved file is too large, or not UTF-8 text.");
  const { drafts, lines, problems } = readChecklist(withoutLegend(saved.text), terminal);
  if (problems.length > 0) return refuse(call, problems, before);
  const { revision } = before;
  const list = await listToWrite(call);
  const policy = await checklistPolicy(list);
  const outcome = await submit(call, list, [replaceOp(drafts)], { revision, policy });
  return report(call, { ...outcome, rejected: withLineNumbers(outcome.rejected, lines) });
}

/** Edits a list from the board, which must have left the terminal. Returns the last message. */
export async function editOne(call: Call, id: TrackId): Promise<string | undefined> {
  const messages: string[] = [];
  const terminal = {
    ...call.terminal,
    printError: (line: string) => void messages.push(line),
    print: (lines: string) => void messages.push(lines),
    printText: (lines: string) => void messages.push(lines),
  };
  try {
    await editList({ ...call, terminal, values: { ...id } });
  } catch (error) {
    messages.push(redactedMessage(error));
  }
  return messages.at(-1);
}
