import { StringDecoder } from "node:string_decoder";
import { redactSecrets } from "../../engines/storage/redact-secrets.ts";

const MAX_LINES = 50;
const MAX_LINE = 2_000;
/** The end that is kept while the check runs. */
const MAX_KEPT = 256 * 1024;

/** Keeps the end of the output of a check, in bounded memory however much it writes. */
export interface OutputTail {
  add(chunk: Buffer): void;
  /** Bytes received. */
  readonly size: number;
  /** The last 50 lines, without passwords of connection strings. */
  text(): string;
  /** The end of the output as it was written, at most 256 KiB. Not to be stored: it may have secrets. */
  kept(): string;
  /** Whole lines that came since the last call, at most 50. */
  newLines(): readonly string[];
}

export function outputTail(): OutputTail {
  const decoder = new StringDecoder("utf8");
  let kept = "";
  let fresh = "";
  let size = 0;
  return {
    add(chunk) {
      size += chunk.length;
      const text = decoder.write(chunk);
      kept += text;
      fresh = (fresh + text).slice(-MAX_KEPT);
      // Cut rarely: each cut copies what is kept.
      if (kept.length > 2 * MAX_KEPT) kept = kept.slice(-MAX_KEPT);
    },
    get size() {
      return size;
    },
    kept: () => kept.slice(-MAX_KEPT),
    text: () => linesOf(kept + decoder.end()).join("\n"),
    newLines() {
      const end = fresh.lastIndexOf("\n");
      if (end < 0) return [];
      const lines = linesOf(fresh.slice(0, end));
      fresh = fresh.slice(end + 1);
      return lines;
    },
  };
}

/** ESC or CSI sequences such as colors; a line that was redrawn has only its last state. */
const SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g;

function linesOf(text: string): readonly string[] {
  const lines = text
    .slice(-MAX_KEPT)
    .replace(SEQUENCES, "")
    .replace(/(?<!\r)\r+\n/g, "\n")
    .split("\n");
  while (lines.at(-1)?.trim() === "") lines.pop();
  return lines
    .slice(-MAX_LINES)
    .map((line) => redactSecrets(line.slice(line.lastIndexOf("\r") + 1).slice(0, MAX_LINE)));
}
