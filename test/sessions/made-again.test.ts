import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DIALECTS } from "../../src/agents/index.ts";
import { follow } from "../../src/sessions/transcripts/follow.ts";
import { claudeSession } from "../cli/claude-session.ts";
import { CLAUDE, newUserHome } from "./home.ts";

const takenAway = {
  deleted: (folder: string) => rmSync(folder, { recursive: true }),
  moved: (folder: string) => renameSync(folder, `${folder}-old`),
};

test.each(["deleted", "moved"] as const)(
  "what is written in a folder that was %s and made again at once is heard by notices",
  async (how) => {
    const home = newUserHome();
    onTestFinished(() => home.remove());
    const session = claudeSession(CLAUDE, "/p");
    let told = 0;
    const more = (text: string): string => {
      session.todos([[text, "pending"]], Date.now() - 60_000 + told++);
      return session.text();
    };
    const path = home.write(`.claude/projects/-p/${CLAUDE}.jsonl`, more("first"));
    const follower = follow(DIALECTS, home.machine, { index: new Map(), every: 600_000 });
    onTestFinished(() => follower.stop());
    await follower.ready;
    const becomes = (text: string) =>
      expect
        .poll(() => follower.tracks()[0]?.live.track.todos.map((todo) => todo.text))
        .toEqual([text]);
    await becomes("first");
    takenAway[how](dirname(path));
    mkdirSync(dirname(path));
    writeFileSync(path, more("second"));
    await becomes("second");
    // The first may still be found by the look at everything that the folder's end caused.
    for (const text of ["third", "fourth", "fifth"]) {
      const before = session.text().length;
      appendFileSync(path, more(text).slice(before));
      await becomes(text);
    }
  },
);
