import {
  changeTaskFile,
  newTaskFile,
  readTaskFile,
} from "../../../src/tasks/formats/backlog/document.ts";
import {
  joinSections,
  readSections,
  splitSections,
} from "../../../src/tasks/formats/backlog/sections.ts";
import { parseValue, printScalar } from "../../../src/tasks/formats/backlog/yaml.ts";
import { holds, same } from "../check.ts";

/** A task file of Backlog.md. */
export function fuzz(bytes: Buffer): void {
  const text = bytes.toString();
  same("a printed scalar", parseValue(printScalar(text.trim()), []), text.trim());
  const read = readTaskFile(text);
  if (!read.ok) {
    holds(
      "the problem names a line",
      read.problem.line >= 1 && read.problem.line <= text.split("\n").length + 1,
    );
    return;
  }
  const { file } = read;
  same("no change", changeTaskFile(file, {}, {}), text);
  const changed = changeTaskFile(
    file,
    { status: "Done: #1", labels: ["a", "it's"] },
    { description: "New words" },
  );
  const again = readTaskFile(changed);
  if (!again.ok) throw new Error(`cannot read the changed file: ${again.problem.why}`);
  same("status", again.file.status, "Done: #1");
  same("labels", again.file.labels, ["a", "it's"]);
  same("description", again.file.sections.description, "New words");
  same(
    "other fields",
    [again.file.id, again.file.title, again.file.parent, again.file.dependencies],
    [file.id, file.title, file.parent, file.dependencies],
  );
  same(
    "changed back",
    changeTaskFile(again.file, { status: "Done: #1" }, { description: "New words" }),
    changed,
  );

  const joined = joinSections(file.sections) ?? "";
  same(
    "sections of the description",
    splitSections(joined),
    splitSections(joinSections(splitSections(joined)) ?? ""),
  );
  const fresh = readTaskFile(newTaskFile({ id: file.id, title: file.title }, file.sections));
  if (!fresh.ok) throw new Error(`cannot read the new file: ${fresh.problem.why}`);
  same("title of the new file", fresh.file.title, file.title);
  readSections(text);
}
