import { isCollectedTest } from "../languages.ts";

/** A test file that the agent read or wrote, with fingerprints of its lines instead of its text. */
export interface KnownFile {
  readonly path: string;
  /** Fingerprints of the lines that the file had, in order; absent if they are not known. */
  readonly lines?: string;
  /** The agent created it: there is nothing to compare with. */
  readonly isNew?: true;
}

/** The use of test files by one call. */
export interface FileUse {
  /** The file that the call reads. */
  readonly reads?: { readonly path: string; readonly isWhole: boolean };
  /** The test files that it writes as a whole. */
  readonly writes?: readonly string[];
}

const MAX_FILES = 12;
const MAX_LINES = 400;
const MAX_READ = 40_000;

const READ_TOOLS =
  /^(?:read|read_?file|read_text_file|read_many_files|view|view_file|open_file|cat_file)$/i;
const PATHS = ["file_path", "filePath", "path", "absolute_path", "target_file", "filename", "file"];
const PARTS =
  /^(?:offset|limit|start_?line|end_?line|line_?start|line_?end|view_range|range|lines|start|end)/i;

/** The test file that a call reads. */
export function readOf(name: string, input: unknown): FileUse["reads"] {
  if (typeof input !== "object" || input === null) return undefined;
  const given = input as Readonly<Record<string, unknown>>;
  const bare = name.slice(name.lastIndexOf("__") === -1 ? 0 : name.lastIndexOf("__") + 2);
  if (!READ_TOOLS.test(bare) && given.command !== "view") return undefined;
  const path = PATHS.map((field) => given[field]).find((value) => typeof value === "string");
  if (typeof path !== "string" || path.length > 1_000 || !isCollectedTest(path)) return undefined;
  const isWhole = !Object.entries(given).some(
    ([field, value]) => PARTS.test(field) && value !== undefined && value !== null,
  );
  return { path, isWhole };
}

/** Two spellings of a path: absolute and relative. */
function isSamePath(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

export function knownFile(
  files: readonly KnownFile[] | undefined,
  path: string,
): KnownFile | undefined {
  return files?.find((file) => isSamePath(file.path, path));
}

/** A short fingerprint of a line; blank lines and indentation do not count. */
function lineKey(line: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < line.length; at++) hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

const NUMBERED = /^[ \t]{0,8}\d{1,6}[\t\u2192|:] ?/;
const CUT = /^(?:\u2026|\.\.\.|\[?\W{0,4}(?:output )?truncated\b.*|.*\bmore lines\b.*)$/im;

/** Fingerprints of the lines in the result of a read; undefined if it is not the whole file. */
export function readLines(output: string): string | undefined {
  if (output.length > MAX_READ || CUT.test(output)) return undefined;
  const lines = output.split("\n");
  const numbered = lines.filter((line) => NUMBERED.test(line));
  if (numbered.length === 0)
    return fingerprints(output.replace(/<system-reminder>[\s\S]*$/, "").split("\n"));
  // Lines without a number are notes of the tool.
  const isFromStart = /^\s*0*1\D/.test(numbered[0] ?? "");
  return isFromStart ? fingerprints(numbered.map((line) => line.replace(NUMBERED, ""))) : undefined;
}

function fingerprints(lines: readonly string[]): string | undefined {
  const texts = lines.map((line) => line.trim()).filter((line) => line !== "");
  if (texts.length === 0 || texts.length > MAX_LINES) return undefined;
  return texts.map(lineKey).join(" ");
}

/**
 * The former text of a file that was only added to: the lines of the new text that it had before. Undefined
 * if one of them is gone.
 */
export function formerText(known: string, after: string): string | undefined {
  const wanted = known.split(" ");
  const kept: string[] = [];
  let found = 0;
  for (const line of after.split("\n")) {
    if (found < wanted.length && lineKey(line.trim()) === wanted[found]) {
      kept.push(line);
      found++;
    } else if (line.trim() === "") kept.push(line);
  }
  return found === wanted.length ? kept.join("\n") : undefined;
}

const NOT_THERE = /does not exist|not found|no such file|ENOENT/i;

/** Whether the result of a read says that there is no such file. */
export function isMissing(output: string): boolean {
  return output.length < 300 && NOT_THERE.test(output);
}

/** Whether the result of a write says that the file existed before. */
export function saysOverwritten(output: string): boolean {
  const start = output.slice(0, 400);
  return (
    /\b(?:updated|overwrote|overwritten|replaced)\b/i.test(start) && !/\bcreated\b/i.test(start)
  );
}

interface Used extends FileUse {
  /** Fingerprints from the result of the read. */
  readonly lines?: string | undefined;
  readonly isOverwritten: boolean;
  /** All files that the call edited. */
  readonly edited: readonly string[];
}

/** The known test files after a call. The first known text of a file is what later writes are compared with. */
export function knownAfter(
  files: readonly KnownFile[] | undefined,
  { reads, writes = [], lines, isOverwritten, edited }: Used,
): readonly KnownFile[] | undefined {
  let known = files ?? [];
  const put = (file: KnownFile) => {
    known = [...known.filter(({ path }) => !isSamePath(path, file.path)), file].slice(-MAX_FILES);
  };
  if (reads) {
    const before = knownFile(known, reads.path);
    if (!before?.isNew && before?.lines === undefined)
      put({ path: reads.path, ...(lines !== undefined && { lines }) });
  }
  for (const path of writes) {
    if (!knownFile(known, path)) put({ path, ...(!isOverwritten && { isNew: true as const }) });
  }
  for (const path of edited) {
    const before = writes.includes(path) ? undefined : knownFile(known, path);
    // The edit itself was compared; the lines are no longer those that were read.
    if (before?.lines !== undefined) put({ path: before.path });
  }
  return known.length > 0 ? known : undefined;
}
