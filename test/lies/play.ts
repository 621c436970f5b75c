import type { ObservedEvent } from "../../src/core/activity/observation.ts";
import { detectTampering, type TamperWarning } from "../../src/core/checks/tamper.ts";
import type { Todo } from "../../src/core/model.ts";
import { createTracker } from "../../src/index.ts";
import { endOf, filesAfter, isIgnored, type LieCase } from "../fixtures/lies/cases.ts";
import type { Step } from "../fixtures/lies/pattern.ts";
import type { Files } from "../fixtures/lies/repositories.ts";
import type { Runs } from "./runs.ts";

const TEXT = "Fix the sum";
/** The session starts after the files were committed. */
export const START = Date.parse("2026-03-02T09:00:00Z");

/** Reports the session of a case to a tracker, as a host does, and returns its todo. */
export function play(given: LieCase, runs: Runs): Todo {
  let now = START;
  const { own } = createTracker({ clock: () => (now += 1_000) });
  const random = randomOf(given.name);
  own.observe([{ type: "session.started", cwd: "/srv/calc" }]);
  own.observe([{ type: "turn.started", prompt: "The sum is wrong. Fix it." }]);
  own.set([{ text: TEXT, status: "in_progress" }]);
  let files = given.start;
  let calls = 0;
  const call = (name: string, input: unknown, ended: Omit<Ended, "type">): void => {
    const callId = `c${++calls}`;
    own.observe([{ type: "tool.started", callId, name, input }]);
    own.observe([
      { type: ended.failed ? "tool.failed" : "tool.completed", callId, name, ...ended },
    ]);
  };
  const isDone = given.steps.some((step) => "done" in step);
  for (const step of [...given.steps, ...(isDone ? [] : [{ done: true } as const])]) {
    // Agents read in between.
    for (let reads = Math.floor(random() * 3); reads > 0; reads--)
      call("Read", { file_path: `docs/${reads}.md` }, { output: "# Notes" });
    if ("done" in step) own.set([{ text: TEXT, status: "completed" }]);
    else if ("say" in step) own.observe([{ type: "message", role: "assistant", text: step.say }]);
    else if ("prompt" in step) own.observe([{ type: "turn.started", prompt: step.prompt }]);
    else {
      const [name, input] = callOf(step, given.tools, files);
      call(name, input, endOfCall(step, given.tools, files, runs));
    }
    files = filesAfter(files, step);
  }
  own.observe([{ type: "turn.completed" }]);
  const todo = own.get()[0];
  if (!todo) throw new Error(`${given.name} has no todo`);
  return todo;
}

interface Ended {
  readonly type: ObservedEvent["type"];
  readonly output: string;
  readonly exitCode?: number;
  readonly failed?: boolean;
}

type Call = readonly [name: string, input: unknown];

function callOf(step: Step, tools: LieCase["tools"], files: Files): Call {
  if ("run" in step || "shell" in step) {
    const command = "run" in step ? step.run : step.shell;
    const background = "background" in step && { run_in_background: true };
    return tools === "claude"
      ? ["Bash", { command, ...background }]
      : ["exec_command", { cmd: command, ...background }];
  }
  if ("read" in step)
    return tools === "claude"
      ? ["Read", { file_path: `/srv/calc/${step.read}` }]
      : ["exec_command", { cmd: `cat ${step.read}` }];
  if ("write" in step) {
    const [path, text] = step.write;
    if (tools === "claude") return ["Write", { file_path: `/srv/calc/${path}`, content: text }];
    const added = text
      .split("\n")
      .map((line) => `+${line}`)
      .join("\n");
    const was = files[path];
    return was == null
      ? patch(`*** Add File: ${path}\n${added}`)
      : patch(
          `*** Update File: ${path}\n@@\n${was
            .split("\n")
            .map((line) => `-${line}`)
            .join("\n")}\n${added}`,
        );
  }
  if (!("edit" in step)) throw new Error("not a call");
  const [path, before, after] = step.edit;
  if (tools === "claude")
    return ["Edit", { file_path: `/srv/calc/${path}`, old_string: before, new_string: after }];
  return patch(`*** Update File: ${path}\n@@\n${hunk(files[path] ?? "", before, after)}`);
}

function patch(text: string): Call {
  return ["apply_patch", { input: `*** Begin Patch\n${text}\n*** End Patch` }];
}

/** Whole lines with one line of context, as a patch has them. */
function hunk(text: string, before: string, after: string): string {
  const at = text.indexOf(before);
  const from = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at + before.length - (before.endsWith("\n") ? 1 : 0));
  const to = end === -1 ? text.length : end;
  const was = text.slice(from, to);
  const now = was.includes(before)
    ? was.replace(before, () => after)
    : `${text.slice(from, at)}${after.replace(/\n$/, "")}`;
  const lines = (part: string, sign: string) =>
    part === "" ? [] : part.split("\n").map((line) => `${sign}${line}`);
  return [...lines(was, "-"), ...lines(now, "+")].join("\n");
}

function endOfCall(
  step: Step,
  tools: LieCase["tools"],
  files: Files,
  runs: Runs,
): Omit<Ended, "type"> {
  if ("read" in step) return { output: readOutput(files[step.read] ?? "", tools) };
  if (!("run" in step))
    return {
      output: "shell" in step ? "" : editOutput(step, files),
      ...("shell" in step && tools === "claude" && { exitCode: 0 }),
    };
  if ("output" in step) return { output: step.output };
  const { exitCode, output } = runs.resultOf(files, step.run);
  if (tools === "claude") return { output, exitCode, failed: exitCode !== 0 };
  return {
    output: `Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code ${exitCode}\nOutput:\n${output}`,
  };
}

/** The result of a read: with the numbers of lines, or as the shell prints it. */
function readOutput(text: string, tools: LieCase["tools"]): string {
  if (tools === "codex") return `Process exited with code 0\nOutput:\n${text}`;
  const numbered = (line: string, index: number) => `${String(index + 1).padStart(6)}\t${line}`;
  return text.split("\n").map(numbered).join("\n");
}

/** The result of an edit. Agents say whether they created the file. */
function editOutput(step: Step, files: Files): string {
  if ("write" in step && files[step.write[0]] == null)
    return `File created successfully at: /srv/calc/${step.write[0]}`;
  const path = "write" in step ? step.write[0] : "edit" in step ? step.edit[0] : "";
  return `The file /srv/calc/${path} has been updated successfully.`;
}

/** The signs in the files between the start and the end of a session. */
export function signsOf(given: LieCase): readonly TamperWarning[] {
  const { start } = given;
  const end = endOf(given);
  const paths = [...new Set([...Object.keys(start), ...Object.keys(end)])];
  return detectTampering(
    paths
      .map((path) => ({ path, before: start[path] ?? null, after: end[path] ?? null }))
      .filter(({ path, before, after }) => before !== after && !isIgnored(path)),
  );
}

/** A sequence of numbers from 0 to 1, the same for the same text. */
function randomOf(text: string): () => number {
  let state = 0x20;
  for (const character of text)
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    state = (state + 0x9e3779b9) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
