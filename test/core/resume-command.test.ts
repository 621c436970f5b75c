import { expect, test } from "vitest";
import { emptyTrack } from "../../src/core/evolve.ts";
import { resumeOf, shellWord } from "../../src/core/jump.ts";

const resume = (
  session: string,
  cwd?: string,
  command: string | undefined = "codex resume SESSION",
) =>
  resumeOf(
    { track: { ...emptyTrack({ session, agent: "main" }), ...(cwd !== undefined && { cwd }) } },
    command,
  );

test("the agent's own command continues its session, in its directory", () => {
  expect(resume("s 1", "/srv/my shop")).toEqual({
    words: ["codex", "resume", "s 1"],
    cwd: "/srv/my shop",
    line: "cd '/srv/my shop' && codex resume 's 1'",
  });
  expect(resume("s1")).toEqual({ words: ["codex", "resume", "s1"], line: "codex resume s1" });
});

test("no session, and no directory, can change what a pasted line does", () => {
  for (const session of ["-x", "a\nb", "a\u001bb", "a\u202eb", "a\u2028b", "a\u2029b"])
    expect(resume(session)).toBeUndefined();
  expect(
    resumeOf({ track: emptyTrack({ session: "s", agent: "main" }) }, undefined),
  ).toBeUndefined();
  expect(resume("s", "/a\nb")).toEqual({ words: ["codex", "resume", "s"], line: "codex resume s" });
});

test.each([
  ["abc", "abc"],
  ["a@b%c+d=e:f,g./h-1_2", "a@b%c+d=e:f,g./h-1_2"],
  ["", "''"],
  ["a b", "'a b'"],
  ["$(x)", "'$(x)'"],
  ["it's ''", "'it'\\''s '\\'''\\'''"],
])("the word %j is %s in a shell", (word, quoted) => {
  expect(shellWord(word)).toBe(quoted);
});
