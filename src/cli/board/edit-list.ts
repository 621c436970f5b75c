import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { NoAnswer } from "../../core/error.ts";
import { printMarkdown } from "../../core/list/markdown.ts";
import type { Track, TrackId } from "../../core/model.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import type { Call } from "../args/command.ts";
import { MAX_CHECKLIST, onLines, readChecklist, replaceBy } from "../io/checklist.ts";
import { openEditor } from "../io/editor.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { readTextFile } from "../io/input.ts";
import { type CHANGE_OPTIONS, refuse, report, submit } from "../options/change.ts";
import { checklistPolicy } from "../options/list-policy.ts";
import { listToWrite, trackToWrite } from "../options/which-track.ts";

const LEGEND =
  "<!-- [ ] pending  [/] in progress  [x] completed  [-] dropped  [!] blocked; # phase; > note -->";

type EditCall = Call<typeof CHANGE_OPTIONS>;

/** Opens the list as a checklist in the person's editor and makes it what they saved. */
export async function editList(call: EditCall): Promise<Exit> {
  const { home, terminal, env, values } = call;
  const id = await trackToWrite(call);
  const before = await (await home.reading()).list(id).read();
  // In a directory that only this user can look into.
  const file = join(mkdtempSync(join(tmpdir(), "waymark-")), "list.md");
  const text = `${LEGEND}\n\n${printMarkdown(before.todos)}`;
  writeFileSync(file, text, { mode: 0o600 });
  let keep = false;
  try {
    if (!openEditor(env, file)) throw new NoAnswer("The editor failed: nothing was changed.");
    const saved = readTextFile(file, MAX_CHECKLIST);
    if (saved.ok && isUnchanged(saved.text, text)) {
      terminal.say("Nothing was changed.");
      return EXIT.fine;
    }
    // From here on there is work of a person in the file.
    keep = true;
    const exit = await write({ ...call, values: { ...values, ...id } }, before, file);
    keep = exit !== EXIT.fine;
    return exit;
  } finally {
    if (keep) terminal.say(`What you wrote is in ${file}; waymark todo import reads it.`);
    else rmSync(dirname(file), { recursive: true, force: true });
  }
}

function isUnchanged(saved: string, text: string): boolean {
  return saved === text || withoutLegend(saved).trim() === "";
}

/** The line stays, so that the others keep their numbers. */
function withoutLegend(text: string): string {
  return text.replace(LEGEND, "");
}

async function write(call: EditCall, before: Track, file: string): Promise<Exit> {
  const { terminal } = call;
  const saved = readTextFile(file, MAX_CHECKLIST);
  if (!saved.ok) throw new NoAnswer("The file is not UTF-8 text, or too long to be a list.");
  const { drafts, lines, problems } = readChecklist(withoutLegend(saved.text), terminal);
  if (problems.length > 0) return refuse(call, problems, before);
  const { revision } = before;
  const list = await listToWrite(call);
  const policy = await checklistPolicy(list);
  const outcome = await submit(call, list, [replaceBy(drafts)], { revision, policy });
  return report(call, { ...outcome, rejected: onLines(outcome.rejected, lines) });
}

/** The list in the person's editor; the terminal has to be theirs. */
export async function editOne(call: Call, id: TrackId): Promise<string | undefined> {
  const said: string[] = [];
  const terminal = {
    ...call.terminal,
    say: (line: string) => void said.push(line),
    print: (lines: string) => void said.push(lines),
    printText: (lines: string) => void said.push(lines),
  };
  try {
    await editList({ ...call, terminal, values: { ...id } });
  } catch (error) {
    said.push(redactedMessage(error));
  }
  return said.at(-1);
}
