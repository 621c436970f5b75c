/**
 * demo: plays a recording of several agents into temporary directories, so that every surface can be tried without an
 * agent. The real home directory is not touched.
 */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Op } from "../core/model.ts";
import { isOpen } from "../core/views/view.ts";
import type { List, Tracker } from "../tracker.ts";
import { type AgentAction, type ListAction, RECORDING, type Step } from "./recording.ts";
import {
  claudeTranscript,
  codexTranscript,
  geminiTranscript,
  type TranscriptWriter,
} from "./transcripts.ts";

export interface DemoTarget {
  /** An empty home directory. */
  readonly home: string;
  readonly tracker: Tracker;
}

export interface Playing {
  /** Resolves after the last step or after `stop`. */
  readonly finished: Promise<void>;
  /** Length of the recording in milliseconds at normal speed. */
  readonly length: number;
  /** When the last step was played; undefined before that. */
  overAt(): number | undefined;
  isOver(): boolean;
  /** Position in the recording, in milliseconds at normal speed. */
  position(now: number): number;
  stop(): void;
}

const API = "/demo/ledger-api";
/** Seconds of the recording without activity after which the recorded agent counts as stalled. */
const STALLS_AFTER = 8;
const STALL = 60_000;

/** Plays the recording: writes each step at its time, to the file that its agent would write. */
export function playDemo({ home, tracker }: DemoTarget, speed: number): Playing {
  const startedAt = Date.now();
  const claude = "c1a0de00-0000-4000-8000-000000000001";
  const transcripts: Readonly<Record<string, TranscriptWriter>> = {
    claude: claudeTranscript(claude, API),
    explore: claudeTranscript(claude, API, "explore"),
    "test-writer": claudeTranscript(claude, API, "test-writer"),
    codex: codexTranscript("019f2a10-0000-7000-8000-000000000002", "/demo/infra", startedAt),
    gemini: geminiTranscript("9e310000-0000-4000-8000-000000000003", "/demo/ledger-web", startedAt),
  };
  writeProjects(home);
  // Existing folders are watched from the start.
  for (const { file } of Object.values(transcripts))
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
    const transcript = transcripts[step.actor];
    if (!transcript) return playListStep(list, step);
    // Backdates the steps of this agent, so that its stall does not take a minute.
    const behind = step.actor === "codex" ? STALL - (STALLS_AFTER * 1_000) / speed : 0;
    const at = Date.now() - Math.max(0, behind);
    const records = transcript.records(step.action as AgentAction, at);
    appendFileSync(
      join(home, transcript.file),
      records.map((record) => `${JSON.stringify(record)}\n`).join(""),
    );
  };
  let isStopped = false;
  let isWriting = false;
  const next = (index: number): void => {
    isWriting = false;
    const step = steps[index];
    if (!step || isStopped) {
      if (!isStopped) overAt = Date.now();
      finish();
      return;
    }
    const wait = startedAt + (step.at * 1_000) / speed - Date.now();
    timer = setTimeout(
      () => {
        isWriting = true;
        play(step).then(() => next(index + 1), finish);
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
      overAt === undefined ? Math.max(0, Math.min(length, (now - startedAt) * speed)) : length,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      // Waits for a step that is being written, because the files may be removed afterwards.
      if (!isWriting) finish();
    },
  };
}

/** Gemini CLI stores project names in a file of their own. */
function writeProjects(home: string): void {
  const folder = join(home, ".gemini");
  mkdirSync(folder, { recursive: true });
  const projects = { "/demo/ledger-web": "ledger-web" };
  writeFileSync(join(folder, "projects.json"), JSON.stringify({ projects }));
}

async function playListStep(list: List, { actor, action }: Step): Promise<void> {
  const by = actor === "you" ? ("user" as const) : ("agent" as const);
  const options = { by, via: actor === "you" ? "demo" : "opencode" };
  const step = action as ListAction;
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

/** The user may have changed the list: missing and closed todos are skipped. */
function opsOf(
  step: Exclude<ListAction, { propose: string } | { approve: string } | { end: true }>,
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
