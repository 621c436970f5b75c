import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { follow } from "../../src/sessions/transcripts/follow.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { CLAUDE, newUserHome } from "./home.ts";

const removals = {
  deleted: (folder: string) => rmSync(folder, { recursive: true }),
  moved: (folder: string) => renameSync(folder, `${folder}-old`),
};

test.each(["deleted", "moved"] as const)(
  "receives file events of a folder that was %s and recreated at once",
  async (how) => {
    const home = newUserHome();
    onTestFinished(() => home.remove());
    const session = claudeSession(CLAUDE, "/p");
    let count = 0;
    const more = (text: string): string => {
      session.todos([[text, "pending"]], Date.now() - 60_000 + count++);
      return session.text();
    };
    const path = home.write(`.claude/projects/-p/${CLAUDE}.jsonl`, more("first"));
    const follower = follow(DECODERS, home.machine, { index: new Map(), every: 600_000 });
    onTestFinished(() => follower.stop());
    await follower.ready;
    const becomes = (text: string) =>
      expect
        .poll(() => follower.tracks()[0]?.live.track.todos.map((todo) => todo.text))
        .toEqual([text]);
    await becomes("first");
    removals[how](dirname(path));
    mkdirSync(dirname(path));
    writeFileSync(path, more("second"));
    await becomes("second");
    // The second list may still be found by the sweep that the removal caused.
    for (const text of ["third", "fourth", "fifth"]) {
      const before = session.text().length;
      appendFileSync(path, more(text).slice(before));
      await becomes(text);
    }
  },
);
