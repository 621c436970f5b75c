import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fields, list, text } from "../../agents/common/values.ts";

/** Bytes at the end of a transcript that are searched. */
const TAIL_BYTES = 256 * 1024;
/** The agent may still be writing its last message when it calls the hook. */
const MAX_TRIES = 5;
const RETRY_DELAY = 60;

/**
 * The agent's last message in a transcript, for agents whose Stop event may lack it. Undefined if the transcript
 * cannot be read or does not end with a message of the agent.
 */
export async function lastMessageIn(path: string): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    const message = messageAtEnd(path);
    if (message !== undefined || tries >= MAX_TRIES) return message;
    await setTimeout(RETRY_DELAY);
  }
}

function messageAtEnd(path: string): string | undefined {
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
    const { type, text: content } = fields(block) ?? {};
    return type === "text" ? (text(content) ?? []) : [];
  });
  return text(texts.join("\n\n"));
}

function recordOf(line: string) {
  try {
    return fields(JSON.parse(line));
  } catch {
    // The first line may be cut off, and the last one incomplete.
    return undefined;
  }
}

function endOf(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8", 0, read);
    } finally {
      closeSync(file);
    }
  } catch {
    // An unreadable transcript has no last message.
    return "";
  }
}
