import { effectOf } from "../../../src/core/activity/evidence/effect.ts";
import { simpleCommands } from "../../../src/core/activity/evidence/shell.ts";
import { holds, same } from "../check.ts";

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/** Words that are quoted are the same words, and a comment or more lines change no command. */
export function fuzz(bytes: Buffer): void {
  const line = bytes.toString();
  const commands = simpleCommands(line);
  for (const { words } of commands)
    same("quoted words", simpleCommands(words.map(quoted).join(" "))[0]?.words, words);
  const { check } = effectOf("Bash", { command: line });
  holds(
    "a check is one line of bounded length",
    !/\n/.test(check ?? "") && (check ?? "").length <= 4_000,
  );
  // Quoting makes it longer, and the end of a long command is unknown.
  if (quoted(line).length > 3_900) return;
  same(
    "the input as a list of words",
    effectOf("shell", { command: ["bash", "-lc", line] }).check === undefined,
    check === undefined,
  );
}
