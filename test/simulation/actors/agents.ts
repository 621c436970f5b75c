import type { Observation } from "../../../src/core/activity/observation.ts";
import { answerHook } from "../../../src/servers/hooks/answer.ts";
import { spoolIfNothingDue } from "../../../src/servers/hooks/quick.ts";
import { difference } from "../checks/difference.ts";
import { end, operation, wallClock } from "../context.ts";
import { isFault, machineHome } from "../home.ts";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "../platform/fs.ts";
import type { Machine, Process } from "../scheduler.ts";
import { databaseAt } from "../stores/database.ts";
import { type Actor, Violation, type World } from "../world.ts";
import { transcriptLines, type WrittenTodo } from "./transcript.ts";

/** A session of an agent, over all its processes. */
export interface AgentSession {
  readonly id: string;
  readonly transcript: string;
  /** How often the transcript was replaced or cut. */
  rewrites: number;
}

/** An event that a hook reported before it exited, without an error of the disk. */
interface Acknowledged {
  readonly session: string;
  readonly type: Observation["type"];
  readonly what: string;
}

interface ToolInput {
  readonly todos?: readonly WrittenTodo[];
  readonly [name: string]: unknown;
}

/** Longer than the deadline of a hook. */
const HOOK_LIMIT = 5_000;
const LONG_OUTPUT = 70_000;

/**
 * Agents that write transcripts, die while they write, replace their files, and run a hook for each event. Hooks run side by
 * side, are killed, and run on failing disks.
 */
export function agents(
  world: World,
  machine: Machine,
): Actor & { readonly sessions: readonly AgentSession[] } {
  const { random, scheduler } = world;
  const folder = `${machine.home}/.claude/projects/-work`;
  const { lists, listLog } = databaseAt(machineHome(machine).store);
  const hasHooks = random.chance(0.7);
  const acknowledged: Acknowledged[] = [];
  /** The texts that hooks printed for models. */
  const printed: string[] = [];
  mkdirSync(folder, { recursive: true });
  let count = 0;

  function createAgent(id: string) {
    const session: AgentSession = { id, transcript: `${folder}/${id}.jsonl`, rewrites: 0 };
    const lines = transcriptLines(id, "/work");
    let process: Process | undefined;
    let isBusy = false;
    let todos: readonly WrittenTodo[] = [];
    /** The last list, if its hook reported it. */
    let reported: readonly WrittenTodo[] | undefined;

    const now = () => wallClock(machine);
    /** Agents ignore a full disk. */
    const append = (line: string): void => {
      try {
        appendFileSync(session.transcript, line);
      } catch (error) {
        if (!isFault(error)) throw error;
      }
    };

    /** Resolves with the answer; undefined if it is not known whether the event was recorded. */
    const hook = (event: string, given: object, seen?: Omit<Acknowledged, "session">) =>
      new Promise<string | undefined>((resolve) => {
        const agent = process;
        if (!hasHooks || !agent) return resolve("");
        const own = world.spawn(machine, `hook ${event}`, { parent: agent });
        const { env, path } = machineHome(machine);
        const failures = machine.failures;
        const json = JSON.stringify({ session_id: id, cwd: "/work", ...given });
        const finish = (answer: string): void => {
          if (!own.isAlive) return;
          end(own);
          const isRecorded = machine.failures === failures;
          if (seen && isRecorded) acknowledged.push({ session: id, ...seen });
          if (answer !== "") printed.push(answer);
          const given = isRecorded ? answer : undefined;
          scheduler.later(0, `${event} answered`, () => resolve(given), agent);
        };
        world.interruptingProgram(own, `reports ${event}`, () => {
          if (spoolIfNothingDue(path, "claude", event, json)) return finish("");
          world.program(own, `answers ${event}`, async () => {
            let answer = "";
            await answerHook(
              { agent: "claude", event, json, native: true },
              {
                env,
                print: (text) => {
                  answer = text;
                },
                exit: () => end(own),
              },
            );
            finish(answer);
          });
        });
        scheduler.later(HOOK_LIMIT, `${event} took too long`, () => resolve(undefined), agent);
        if (random.chance(0.05)) world.endanger(own);
      });

    const start = async (): Promise<void> => {
      const source = random.pick(["startup", "resume", "compact"]);
      await hook("SessionStart", { source });
    };
    const prompt = async (): Promise<void> => {
      const text = `prompt ${count++}`;
      append(lines.prompt(now(), text));
      await hook("UserPromptSubmit", { prompt: text }, { type: "turn.started", what: text });
    };
    const call = async (
      name: string,
      tool_input: ToolInput,
      response?: object,
    ): Promise<boolean> => {
      const tool_use_id = `toolu_${count++}`;
      const common = { tool_name: name, tool_input, tool_use_id };
      append(lines.call(now(), tool_use_id, name, tool_input));
      if ((await hook("PreToolUse", common))?.includes('"deny"')) return false;
      await operation("the tool runs");
      const output = random.chance(0.03) ? "x".repeat(LONG_OUTPUT) : "done";
      append(lines.result(now(), tool_use_id, output, response));
      const isWrite = name === "TodoWrite";
      if (isWrite) reported = undefined;
      const answer = await hook(
        "PostToolUse",
        { ...common, tool_response: response ?? { stdout: "done" } },
        isWrite ? undefined : { type: "tool.completed", what: tool_use_id },
      );
      if (isWrite && hasHooks && answer !== undefined) reported = tool_input.todos;
      return true;
    };
    const work = async (): Promise<void> => {
      const file = random.pick([`/srv/${id}.ts`, "/srv/shared.ts"]);
      const calls = [
        () => call("Bash", { command: random.pick(["npm test", "ls", `echo ${count}`]) }),
        () => call("Edit", { file_path: file, old_string: "a", new_string: `b${count}` }),
        () => call("Read", { file_path: file }),
      ];
      const first = random.pick(calls)();
      // Some calls run side by side.
      await Promise.all(random.chance(0.3) ? [first, random.pick(calls)()] : [first]);
    };
    const plan = async (): Promise<void> => {
      const isFinished = todos.length > 0 && todos.every(({ status }) => status === "completed");
      const kept = isFinished ? [] : todos.filter(() => random.chance(0.9));
      const added = Array.from({ length: random.below(3) }, () => count++).map((n) => ({
        content: `Do ${n}`,
        activeForm: `Doing ${n}`,
        status: "pending",
      }));
      const next = [...kept, ...added].slice(0, 8).map((todo) => ({
        ...todo,
        status: random.pick(["pending", "in_progress", "completed", todo.status]),
      }));
      const response = { oldTodos: todos, newTodos: next };
      if (await call("TodoWrite", { todos: next }, response)) todos = next;
    };
    const stop = async (): Promise<void> => {
      await hook("Stop", { last_assistant_message: "Done." });
    };
    /** Rewinding a session drops its last lines. */
    const rewrite = async (): Promise<void> => {
      if (!existsSync(session.transcript)) return;
      session.rewrites++;
      const all = String(readFileSync(session.transcript, "utf8")).split("\n");
      const kept = all.slice(0, random.below(all.length));
      const text = kept.map((line) => `${line}\n`).join("");
      if (random.chance(0.5)) writeFileSync(session.transcript, text);
      else {
        writeFileSync(`${session.transcript}.new`, text);
        renameSync(`${session.transcript}.new`, session.transcript);
      }
    };
    /** The user deletes the session while the agent runs. */
    const remove = async (): Promise<void> => {
      session.rewrites++;
      rmSync(session.transcript, { force: true });
    };
    const finish = async (): Promise<void> => {
      await hook("SessionEnd", { reason: "other" });
      if (process) end(process);
    };
    const perform = (label: string, work: () => Promise<void>): void => {
      const own = process;
      if (!own) return;
      isBusy = true;
      world.program(own, label, async () => {
        try {
          await work();
        } catch (error) {
          if (!isFault(error)) throw error;
        } finally {
          if (process === own) isBusy = false;
        }
      });
    };
    const works: readonly (readonly [number, string, () => Promise<void>])[] = [
      [4, "prompts", prompt],
      [8, "works", work],
      [5, "plans", plan],
      [3, "stops", stop],
      [1, "starts again", start],
      [1, "rewrites its transcript", rewrite],
      [1, "loses its transcript", remove],
      [1, "finishes", finish],
    ];
    const often = works.flatMap((each) => Array<typeof each>(each[0]).fill(each));
    return {
      session,
      checkReported(): void {
        // Events are ordered by the wall clock, and a failing disk may leave older ones for later.
        if (!reported || machine.jumps > 0) return;
        const found = difference(
          lists
            .read({ session: id, agent: "main" })
            .todos.map(({ status, text }) => `${status} ${text}`),
          reported.map(({ status, content }) => `${status} ${content}`),
        );
        if (found !== undefined)
          throw new Violation(`A hook reported another list of ${id}: ${found}.`);
      },
      act(): void {
        if (!process?.isAlive) {
          process = world.spawn(machine, `agent ${id}`, { command: "claude" });
          perform("starts", start);
        } else if (isBusy) {
          if (random.chance(0.1)) world.endanger(process);
        } else {
          const [, label, run] = random.pick(often);
          perform(label, run);
        }
      },
    };
  }

  const all = ["s1", "s2"].map(createAgent);
  let checked = 0;
  const observed = new Map<string, number>();
  const reminders = new Set<string>();
  const nameOf = ({ session, type, what }: Acknowledged) => `${type} ${what} of ${session}`;
  return {
    name: "agents",
    weight: 6,
    sessions: all.map(({ session }) => session),
    act: () => random.pick(all).act(),
    check() {
      for (; checked < listLog.length; checked++) {
        const { event, track } = listLog[checked] as (typeof listLog)[number];
        for (const change of event.changes) {
          if (change.type === "reminded") reminders.add(change.text);
          if (change.type !== "observed") continue;
          for (const seen of change.observations) {
            const what =
              "callId" in seen ? seen.callId : "prompt" in seen ? seen.prompt : undefined;
            if (what === undefined) continue;
            const name = nameOf({ session: track.session, type: seen.type, what });
            observed.set(name, (observed.get(name) ?? 0) + 1);
            if (observed.get(name) === 2) throw new Violation(`${name} was recorded twice.`);
          }
        }
      }
    },
    settle() {
      // Any program ingests what the last hooks left.
      const { process, home } = machineHome(machine).start(world, "reader");
      world.program(process, "reads the lists", async () => {
        await home.reading();
        await home.close();
        end(process);
      });
    },
    checkQuiet() {
      for (const { checkReported } of all) checkReported();
      for (const each of acknowledged)
        if (!observed.has(nameOf(each)))
          throw new Violation(`${nameOf(each)} was reported by a hook and is not recorded.`);
      for (const answer of printed)
        if (![...reminders].some((text) => answer.includes(JSON.stringify(text).slice(1, -1))))
          throw new Violation(`A model received a reminder that is not recorded: ${answer}`);
      if (new Set(printed).size !== printed.length)
        throw new Violation("A reminder was sent to a model twice.");
    },
  };
}
