/**
 * demo: plays a recorded day of several agents into temporary directories, so that every surface can
 * be tried without an agent. Nothing here touches the real home.
 */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Op } from "../core/model.ts";
import { isOpen } from "../core/views/view.ts";
import type { List, Tracker } from "../tracker.ts";
import { claudeScribe, codexScribe, geminiScribe, type Scribe } from "./agents.ts";
import { type Did, type Hosted, RECORDING, type Step } from "./recording.ts";

export interface DemoPlace {
  /** A home directory without anything in it. */
  readonly home: string;
  readonly tracker: Tracker;
}

export interface Playing {
  /** Resolves after the last step, or when stopped before it. */
  readonly finished: Promise<void>;
  /** Length of the recording, in milliseconds of its own time. */
  readonly length: number;
  /** Time of the last step; undefined before it. */
  overAt(): number | undefined;
  isOver(): boolean;
  /** How far the recording is at `now`, in milliseconds of its own time. */
  position(now: number): number;
  stop(): void;
}

const API = "/demo/ledger-api";
/** An agent that is silent for so long, in seconds of the recording, is shown to stall. */
const STALLS_AFTER = 8;
const STALL = 60_000;

/** Plays the recorded team: each step is written when its time has come, where its agent would. */
export function playDemo({ home, tracker }: DemoPlace, speed: number): Playing {
  const begun = Date.now();
  const claude = "c1a0de00-0000-4000-8000-000000000001";
  const scribes: Readonly<Record<string, Scribe>> = {
    claude: claudeScribe(claude, API),
    explore: claudeScribe(claude, API, "explore"),
    "test-writer": claudeScribe(claude, API, "test-writer"),
    codex: codexScribe("019f2a10-0000-7000-8000-000000000002", "/demo/infra", begun),
    gemini: geminiScribe("9e310000-0000-4000-8000-000000000003", "/demo/ledger-web", begun),
  };
  writeProjects(home);
  // A folder that is there already is watched from the first moment on.
  for (const { file } of Object.values(scribes))
    mkdirSync(dirname(join(home, file)), { recursive: true });
  const list = tracker.list(
    { session: "checkout", agent: "main" },
    { agentType: "opencode", cwd: "/demo/ledger-web", title: "Move checkout to the new form kit" },
  );
  let timer: NodeJS.Timeout | undefined;
  let finish: (error?: unknown) => void = () => undefined;
  const finished = new Promise<void>((resolve, reject) => {
    finish = (error) => (error === undefined ? resolve() : reject(error));
  });
  const steps = [...RECORDING].sort((a, b) => a.at - b.at);
  const length = (steps.at(-1)?.at ?? 0) * 1_000;
  let overAt: number | undefined;

  const play = async (step: Step): Promise<void> => {
    const scribe = scribes[step.who];
    if (!scribe) return hosted(list, step);
    // Nobody waits a minute for a stall: the clock of this one agent is behind, so that it is one soon.
    const behind = step.who === "codex" ? STALL - (STALLS_AFTER * 1_000) / speed : 0;
    const at = Date.now() - Math.max(0, behind);
    const records = scribe.write(step.does as Did, at);
    appendFileSync(
      join(home, scribe.file),
      records.map((record) => `${JSON.stringify(record)}\n`).join(""),
    );
  };
  let isStopped = false;
  let isWriting = false;
  const next = (place: number): void => {
    isWriting = false;
    const step = steps[place];
    if (!step || isStopped) {
      if (!isStopped) overAt = Date.now();
      finish();
      return;
    }
    const wait = begun + (step.at * 1_000) / speed - Date.now();
    timer = setTimeout(
      () => {
        isWriting = true;
        play(step).then(() => next(place + 1), finish);
      },
      Math.max(0, wait),
    );
  };
  next(0);
  return {
    finished,
    length,
    overAt: () => overAt,
    isOver: () => overAt !== undefined,
    position: (now) =>
      overAt === undefined ? Math.max(0, Math.min(length, (now - begun) * speed)) : length,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      // A step that is being written is finished first: the files may be removed afterwards.
      if (!isWriting) finish();
    },
  };
}

/** Gemini CLI keeps the names of projects apart from their sessions. */
function writeProjects(home: string): void {
  const folder = join(home, ".gemini");
  mkdirSync(folder, { recursive: true });
  const projects = { "/demo/ledger-web": "ledger-web" };
  writeFileSync(join(folder, "projects.json"), JSON.stringify({ projects }));
}

async function hosted(list: List, { who, does }: Step): Promise<void> {
  const by = who === "you" ? ("user" as const) : ("agent" as const);
  const options = { by, via: who === "you" ? "demo" : "opencode" };
  const step = does as Hosted;
  if ("end" in step) {
    await list.observe({ type: "turn.completed" }, { via: options.via });
    return;
  }
  if ("propose" in step) {
    await list.plan.propose(step.propose, options);
    return;
  }
  if ("approve" in step) {
    const plan = await list.plan.get();
    if (plan?.state === "proposed")
      await list.plan.approve(step.approve, { ...options, adopt: true });
    return;
  }
  const ops = opsOf(step, await list.get());
  if (ops.length > 0) await list.submit(ops, options);
}

/** Whoever plays along may have changed the list: what is no longer there is left alone. */
function opsOf(
  step: Exclude<Hosted, { propose: string } | { approve: string } | { end: true }>,
  todos: Awaited<ReturnType<List["get"]>>,
): readonly Op[] {
  if ("add" in step) return todos.length > 0 ? [{ op: "add", todos: [{ text: step.add }] }] : [];
  const number = "start" in step ? step.start : "finish" in step ? step.finish : step.note;
  const todo = todos[number - 1];
  if (!todo) return [];
  const target = { ref: todo.ref ?? todo.id };
  if ("note" in step) return [{ op: "note", target, text: step.text }];
  if (!isOpen(todo)) return [];
  if ("start" in step) return [{ op: "start", target }];
  const { evidence } = step;
  return [{ op: "finish", target, ...(evidence !== undefined && { evidence }) }];
}
