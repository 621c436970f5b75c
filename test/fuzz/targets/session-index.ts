import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyLiveTrack } from "../../../src/core/stream/fold.ts";
import { type Index, loadIndex, saveIndex } from "../../../src/sessions/transcripts/index-file.ts";
import { same } from "../check.ts";

const file = join(mkdtempSync(join(tmpdir(), "waymark-fuzz-index-")), "index");

/** A stored index without its first line, which has the version of the format. */
export function seeds(): Buffer[] {
  const live = emptyLiveTrack({
    type: "session.ended",
    eventId: "e",
    sessionId: "s",
    agentId: "main",
    agentType: "codex",
    timestamp: 1,
  });
  const state = { session: "s" };
  const mark = { offset: 1, lines: 1 };
  const entry = { key: "k", dialect: "codex", size: 1, mtime: 1, mentions: [], state, mark };
  const index = new Map([["k", { ...entry, lives: { "s main": live } }]]);
  saveIndex(file, index as unknown as Index);
  return [readFileSync(file).subarray(FORMAT.length)];
}

saveIndex(file, new Map());
const FORMAT = `${readFileSync(file, "utf8").split("\n")[0]}\n`;

/** An index is read whole or not at all, and saved as it was read. */
export function fuzz(bytes: Buffer): void {
  writeFileSync(file, Buffer.concat([Buffer.from(FORMAT), bytes]));
  const index = loadIndex(file);
  const read = JSON.stringify([...index.values()]);
  saveIndex(file, index);
  same("the saved index", JSON.stringify([...loadIndex(file).values()]), read);
}
