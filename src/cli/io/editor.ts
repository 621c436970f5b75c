import { spawnSync } from "node:child_process";
import { WaymarkError } from "../../core/error.ts";

/** The words of a command, quoted as in a shell, of which nothing else is understood. */
export function splitCommand(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let place = 0; place < command.length; place++) {
    const character = command[place] ?? "";
    if (quote !== "") {
      if (character === quote) quote = "";
      else if (character === "\\" && quote === '"' && /["\\]/.test(command[place + 1] ?? ""))
        word = (word ?? "") + (command[++place] ?? "");
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "\\" && process.platform !== "win32" && place + 1 < command.length)
      word = (word ?? "") + (command[++place] ?? "");
    else word = (word ?? "") + character;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** Lets a person edit a file; answers whether the editor ended well. */
export function openEditor(env: NodeJS.ProcessEnv, file: string): boolean {
  const command = env.VISUAL || env.EDITOR || (process.platform === "win32" ? "notepad" : "vi");
  const [program, ...args] = splitCommand(command);
  if (program === undefined)
    throw new WaymarkError("no_editor", "$VISUAL or $EDITOR is blank. Set EDITOR to your editor.");
  const { error, status } = spawnSync(program, [...args, file], { stdio: "inherit" });
  if (error)
    throw new WaymarkError(
      "no_editor",
      `The editor "${command}" does not start (${error.message}). Set EDITOR to one that does.`,
      { cause: error },
    );
  return status === 0;
}
