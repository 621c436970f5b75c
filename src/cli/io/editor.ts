import { spawnSync } from "node:child_process";
import { WaymarkError } from "../../core/error.ts";

/** Splits a command into words. Quotes and backslashes work as in a shell; nothing else is interpreted. */
export function splitCommand(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < command.length; index++) {
    const character = command[index] ?? "";
    if (quote !== "") {
      if (character === quote) quote = "";
      else if (character === "\\" && quote === '"' && /["\\]/.test(command[index + 1] ?? ""))
        word = (word ?? "") + (command[++index] ?? "");
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "\\" && process.platform !== "win32" && index + 1 < command.length)
      word = (word ?? "") + (command[++index] ?? "");
    else word = (word ?? "") + character;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** Opens the file in the user's editor. Returns whether the editor exited with 0. */
export function openEditor(env: NodeJS.ProcessEnv, file: string): boolean {
  const command = env.VISUAL || env.EDITOR || (process.platform === "win32" ? "notepad" : "vi");
  const [program, ...args] = splitCommand(command);
  if (program === undefined)
    throw new WaymarkError("no_editor", "VISUAL or EDITOR is blank. Set EDITOR to your editor.");
  const { error, status } = spawnSync(program, [...args, file], { stdio: "inherit" });
  if (error)
    throw new WaymarkError(
      "no_editor",
      `Cannot start the editor "${command}": ${error.message}. Set EDITOR to your editor.`,
      { cause: error },
    );
  return status === 0;
}
