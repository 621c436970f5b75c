import { baseName, isTestPath } from "../languages.ts";
import type { Sign } from "../signs.ts";
import { squeezed } from "../source.ts";
import { ignoresCode } from "./exit-codes.ts";
import { isCheckName, kindOf, MAX_CONFIG, runsCheck } from "./files.ts";
import { firstOf } from "./settings.ts";
import { ruleOf } from "./targets.ts";

/** The command of a check, with the place that defines it. */
export interface Step {
  /** `script test`, `target check`, or the file of a CI step. */
  readonly owner: string;
  readonly command: string;
  readonly line: number;
  /** Whether the owner is a check; otherwise the command must look like one. */
  readonly isCheck: boolean;
}

export function stepsOf(path: string, text: string | null): readonly Step[] {
  const kind = kindOf(path);
  if (text === null || kind === undefined || text.length > MAX_CONFIG) return [];
  if (kind === "package") return packageSteps(text);
  if (kind === "make") return makeSteps(text);
  if (kind === "ci") return ciSteps(path, text);
  if (kind === "shell")
    return isTestPath(path) && !isCheckName(baseName(path)) ? [] : shellSteps(path, text);
  return configSteps(path, text);
}

function packageSteps(text: string): readonly Step[] {
  const scripts = scriptsOf(text);
  const lines = text.split("\n");
  return Object.entries(scripts).flatMap(([name, command]) => {
    if (!isCheckName(name)) return [];
    const key = `${JSON.stringify(name)}`;
    const line = lines.findIndex((each) => each.includes(key) && /:\s*["[]/.test(each)) + 1;
    return [{ owner: `script ${name}`, command: squeezed(command), line, isCheck: true }];
  });
}

function scriptsOf(text: string): Readonly<Record<string, string>> {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: unknown };
    if (typeof scripts !== "object" || scripts === null) return {};
    return Object.fromEntries(
      Object.entries(scripts).flatMap(([name, command]) =>
        typeof command === "string"
          ? [[name, command]]
          : Array.isArray(command)
            ? [[name, command.join(" && ")]]
            : [],
      ),
    );
  } catch {
    return scriptLines(text);
  }
}

const SCRIPT_LINE =
  /^[ \t]*"([\w:.-]{1,100})"\s*:\s*"((?:[^"\\]|\\.){1,1000})"[ \t]*(?:,[ \t]*)?\r?$/gm;

/** The scripts of a part of a package file. Versions and paths of other settings are no commands. */
function scriptLines(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...firstOf(text, SCRIPT_LINE)].flatMap(([, name = "", value = ""]) =>
      /^[\^~<>=*\d]|^[\w./*@-]*[./][\w./*-]+$/.test(value)
        ? []
        : [[name, value.replaceAll('\\"', '"')]],
    ),
  );
}

/** Recipes of check targets, with the variables that they use expanded once. */
function makeSteps(text: string): readonly Step[] {
  const steps: Step[] = [];
  const variables = new Map<string, string>();
  let names: readonly string[] | undefined;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.replace(/(?:^|\s)#.*$/s, "").trimEnd();
    if (line.trim() === "") continue;
    const assignment = /^(?:export )?([A-Za-z_]\w*)\s*[:?+]?=\s*(.*)$/s.exec(line);
    if (assignment) {
      variables.set(assignment[1] ?? "", assignment[2] ?? "");
      continue;
    }
    if (/^\s/.test(line)) {
      const command = squeezed(line).replace(/^@/, "");
      for (const name of names ?? [])
        if (isCheckName(name))
          steps.push({ owner: `target ${name}`, command, line: index + 1, isCheck: true });
      // A part of a file may start inside a recipe.
      if (names === undefined && runsCheck(command))
        steps.push({ owner: "", command, line: index + 1, isCheck: false });
      continue;
    }
    const target = ruleOf(line);
    names = target && !line.startsWith(".") ? (target[1] ?? "").split(/\s+/) : [];
    const needed = squeezed(target?.[2] ?? "");
    for (const name of names)
      if (isCheckName(name) && needed !== "")
        for (const dependency of needed.split(" "))
          steps.push({
            owner: `target ${name}`,
            command: `: ${dependency}`,
            line: index + 1,
            isCheck: true,
          });
  }
  return steps.map((step) => ({
    ...step,
    command: step.command.replace(
      /\$[({](\w+)[)}]/g,
      (whole, name: string) => variables.get(name) ?? whole,
    ),
  }));
}

/** Commands of a CI file that run checks. Their job and order do not matter. */
function ciSteps(path: string, text: string): readonly Step[] {
  return text.split("\n").flatMap((raw, index) => {
    const line = squeezed(raw.replace(/(?:^|\s)#.*$/s, ""));
    const command = line
      .replace(
        /^(?:- )?(?:(?:run|script|command|entry|sh|cmds?)\s*:?\s*)?(?:[|>][+-]?\s*)?(?:- )?/,
        "",
      )
      .replace(/^["']|["']$/g, "");
    if (
      /^(?:name|uses|if|on|id|key|image|stage|needs|with)\s*:/.test(command) ||
      !runsCheck(command)
    )
      return [];
    return [{ owner: path, command, line: index + 1, isCheck: false }];
  });
}

function shellSteps(path: string, text: string): readonly Step[] {
  const owner = isCheckName(baseName(path).replace(/\.\w+$/, ""));
  return text.split("\n").flatMap((raw, index) => {
    const command = squeezed(raw.replace(/(?:^|\s)#.*$/s, ""));
    if (command === "" || !runsCheck(command)) return [];
    return [{ owner: path, command, line: index + 1, isCheck: owner }];
  });
}

function configSteps(path: string, text: string): readonly Step[] {
  const base = baseName(path);
  if (base === "noxfile.py")
    return text.split("\n").flatMap((raw, index) => {
      const command = squeezed(raw);
      return /\bsession\.run\(/.test(command) && runsCheck(command.replace(/["',()]/g, " "))
        ? [{ owner: path, command, line: index + 1, isCheck: true }]
        : [];
    });
  if (base !== "tox.ini" && base !== "setup.cfg") return [];
  let inCommands = false;
  return text.split("\n").flatMap((raw, index) => {
    const key = /^(\w+)\s*=\s*(.*)$/s.exec(raw);
    if (key) inCommands = key[1] === "commands";
    else if (/^\S/.test(raw)) inCommands = false;
    const command = squeezed(key ? (key[2] ?? "") : raw);
    return inCommands && command !== "" && !command.startsWith("#")
      ? [{ owner: path, command, line: index + 1, isCheck: true }]
      : [];
  });
}

/** Steps that are gone or differ. Ignores steps that now do more and steps that moved to another file. */
export function changedSteps(
  path: string,
  before: readonly Step[],
  after: readonly Step[],
  kept: Map<string, number>,
  text: string | null,
): readonly Sign[] {
  const signs: Sign[] = [];
  const reported = new Set<string>();
  const own = new Set(after.map(({ owner, command }) => `${owner}\n${command}`));
  const were = new Set(before.map(({ owner, command }) => `${owner}\n${command}`));
  for (const step of before) {
    const { owner, command } = step;
    if (own.has(`${owner}\n${command}`) || reported.has(owner)) continue;
    const fresh = after.filter(
      (each) => each.owner === owner && !were.has(`${owner}\n${each.command}`),
    );
    if (fresh.some((each) => extendsCommand(each.command, command))) continue;
    const stays = after.some((each) => each.owner === owner);
    // Moved to another script or file; a target that stays and lost a command is still a sign.
    if ((kept.get(command) ?? 0) > 0 && (!stays || !step.isCheck)) continue;
    const now = fresh[0] ?? after.find((each) => each.owner === owner);
    if (step.isCheck) reported.add(owner);
    signs.push({
      kind: "check_changed",
      file: path,
      line: text === null ? null : (now?.line ?? null),
      ...(now && text !== null ? {} : { text: command }),
    });
  }
  return signs;
}

/** Whether a command runs the former one and something else, and fails if either fails. */
function extendsCommand(now: string, was: string): boolean {
  if (ignoresCode(now)) return false;
  const partsOf = (command: string) => command.split("&&").map((part) => part.trim());
  const [parts, wanted] = [partsOf(now), partsOf(was)];
  return parts.length > wanted.length && wanted.every((part) => parts.includes(part));
}
