import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkConfigText, type Problem } from "../../../config/file.ts";
import { givenEnvironment } from "../../../config/load.ts";
import { CommandError } from "../../../core/error.ts";
import { readConfig } from "../../../setup/files.ts";
import { shortPath } from "../../../setup/text/short-path.ts";
import { type Call, defineCommand } from "../../args/command.ts";
import {
  type ChosenFile,
  chosenFile,
  newFileText,
  PROJECT_OPTION,
  writeConfigFile,
} from "../../config/files.ts";
import { problemText } from "../../config/problems.ts";
import { configTable } from "../../config/rows.ts";
import { confirm } from "../../io/confirm.ts";
import { openEditor } from "../../io/editor.ts";
import { EXIT } from "../../io/exit.ts";
import { readTextFile } from "../../io/input.ts";
import { isTty } from "../../io/terminal.ts";

const MAX_BYTES = 256 * 1024;

export const edit = defineCommand({
  arguments: [],
  options: PROJECT_OPTION,
  toleratesBrokenFiles: true,
  notes: [
    "The editor is $VISUAL or $EDITOR. The file is checked before it is replaced; after an error you can open the editor again.",
  ],
  examples: [
    { command: "waymark config edit", comment: "Edit your file" },
    { command: "waymark config edit --project", comment: "Edit the project's file" },
  ],
  seeAlso: ["config set", "config path"],
  async run(call) {
    const { terminal, env } = call;
    const file = chosenFile(call);
    const found = readConfig(file.path);
    const before = found.text ?? newFileText(file.kind);
    // In a directory that only this user can read; its name tells the editor the format.
    const copy = join(mkdtempSync(join(tmpdir(), "waymark-")), "config.toml");
    writeFileSync(copy, before, { mode: 0o600 });
    let keep = false;
    try {
      const text = editedText(call, file, copy, () => {
        keep = true;
      });
      if (text === before) terminal.printError("Nothing was changed.");
      else {
        writeConfigFile(found, text, file.kind, false);
        terminal.printError(`Saved ${shortPath(file.path)}.`);
      }
      keep = false;
      const { problems } = await configTable(env);
      for (const problem of problems.filter((each) => each.file === file.path))
        terminal.printError(`! ${problemText(problem)}`);
      return EXIT.success;
    } finally {
      if (keep) terminal.printError(`Your text is in ${copy}.`);
      else rmSync(dirname(copy), { recursive: true, force: true });
    }
  },
});

/** Opens the editor until the text is valid or the user gives up. */
function editedText(
  { env, terminal }: Pick<Call, "env" | "terminal">,
  { kind, path }: ChosenFile,
  copy: string,
  onChanged: () => void,
): string {
  for (;;) {
    if (!openEditor(env, copy))
      throw new CommandError("The editor failed, so nothing was changed.");
    const saved = readTextFile(copy, MAX_BYTES);
    const problems: readonly Pick<Problem, "message" | "isFatal" | "key" | "line">[] = saved.ok
      ? checkConfigText(saved.text, path, kind, givenEnvironment(env))
      : [{ message: "The file is too large, or not UTF-8 text.", isFatal: true }];
    const errors = problems.filter(({ isFatal, key }) => isFatal || key === undefined);
    if (saved.ok && errors.length === 0) return saved.text;
    onChanged();
    for (const { line, message } of errors)
      terminal.printError(line === undefined ? message : `Line ${line}: ${message}`);
    if (!isTty(0) || !isTty(2) || !confirm("Open the editor again? [y/N] "))
      throw new CommandError(`${shortPath(path)} was not changed.`);
  }
}
