import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fields, list, text } from "../../agents/common/values.ts";

/** Bytes at the end of a transcript that are searched. */
const SEARCHED = 256 * 1024;
/** The agent may write its last message while it calls the hook. */
const TRIES = 5;
const BETWEEN_TRIES = 60;

/**
 * The last message in a transcript, for agents whose Stop event may not carry it.
 * Undefined if the transcript cannot be read or does not end with a message of the agent.
 */
export async function lastWordsIn(path: string): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    const words = wordsAtEnd(path);
    if (words !== undefined || tries >= TRIES) return words;
    await setTimeout(BETWEEN_TRIES);
  }
}

function wordsAtEnd(path: string): string | undefined {
  const lines = endOf(path).split("\n");
  for (const line of lines.reverse()) {
    const record = recordOf(line);
    if (record?.type === "user") return undefined;
    if (record?.type === "assistant") return textOf(record.message);
  }
  return undefined;
}

function textOf(message: unknown): string | undefined {
  const blocks = list(fields(message)?.content) ?? [];
  const texts = blocks.flatMap((block) => {
    const { type, text: said } = fields(block) ?? {};
    return type === "text" ? (text(said) ?? []) : [];
  });
  return text(texts.join("\n\n"));
}

function recordOf(line: string) {
  try {
    return fields(JSON.parse(line));
  } catch {
    // The first line is cut, and the last one may not be complete yet.
    return undefined;
  }
}

function endOf(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, SEARCHED));
      const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8", 0, read);
    } finally {
      closeSync(file);
    }
  } catch {
    // Without the transcript the last words are unknown.
    return "";
  }
}
