import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { claudeSession } from "../cli/claude-session.ts";
import { start } from "../cli/running.ts";
import { FULL } from "../full.ts";
import { needs } from "../skipped.ts";
import { quickPlace } from "./quick-place.ts";
import { compileShim, NO_SHIM, shimIn } from "./shim.ts";

const ID = "aaaaaaaa-1111-4111-8111-111111111111";

/** A machine with sessions of Claude Code. */
function newPlace(sessions: number) {
  const place = quickPlace();
  const folder = join(place, ".claude", "projects", "-p");
  mkdirSync(folder, { recursive: true });
  const at = Date.now() - 1_000;
  const write = (id: string) =>
    writeFileSync(
      join(folder, `${id}.jsonl`),
      claudeSession(id, place)
        .prompt("Go", at)
        .todos([["First", "in_progress"]], at)
        .text(),
    );
  for (let n = 0; n < sessions; n++) write(`${String(n).padStart(8, "0")}${ID.slice(8)}`);
  write(ID);
  const env = { HOME: place, WAYMARK_HOME: join(place, "home") };
  return { place, file: join(folder, `${ID}.jsonl`), env };
}

/** Writes another list every second until the test ends, because existing ones are no change; returns their text. */
function keepsGrowing(file: string, place: string) {
  const session = claudeSession(ID, place).prompt("Go", Date.now());
  let written = session.text().length;
  const growing = setInterval(() => {
    session.todos([[`More ${written}`, "in_progress"]], Date.now());
    appendFileSync(file, session.text().slice(written));
    written = session.text().length;
  }, 1_000);
  const stop = () => clearInterval(growing);
  onTestFinished(stop);
  return { text: "More", stop };
}

describe("a machine with few resources", { timeout: 120_000 }, () => {
  test("finds changes later without file watches, and reports it", {
    tags: ["no-file-events"],
    ...needs(NO_SHIM),
  }, async () => {
    const { place, file, env } = newPlace(0);
    const shim = shimIn(place, compileShim(place));
    const running = start(process.execPath, ["bin/waymark.js", "watch", ID], {
      ...env,
      ...shim.env(join(place, "unwatched")),
      SHIM_UNWATCHED: "1",
    });
    onTestFinished(() => void running.child.kill("SIGKILL"));
    await running.untilPrinted("Changes are detected only every");
    // Existing state is not a change: another one comes every second.
    await running.untilPrinted(keepsGrowing(file, place).text);
    running.child.kill("SIGINT");
    await running.finished;
  });

  test("reads a session again that could not be read for a moment", {
    tags: ["few-resources"],
    ...needs(NO_SHIM),
  }, async () => {
    const { place, file, env } = newPlace(0);
    const shim = shimIn(place, compileShim(place));
    const running = start(process.execPath, ["bin/waymark.js", "watch", ID], {
      ...env,
      ...shim.env(join(place, ".claude")),
    });
    onTestFinished(() => void running.child.kill("SIGKILL"));
    const { stop, text } = keepsGrowing(file, place);
    await running.untilPrinted(text);
    stop();
    shim.control.arm({ nth: 1, error: "EMFILE", lasting: true, calls: ["reading"] });
    const added = claudeSession(ID, place).todos([["Later", "in_progress"]], Date.now());
    appendFileSync(file, added.text());
    await expect.poll(() => shim.control.counts().hits).toBeGreaterThan(0);
    // From now on, the file does not change.
    shim.control.disarm();
    await running.untilPrinted("Later");
    running.child.kill("SIGINT");
    await running.finished;
  });

  test("works with few file handles, or reports the lack", {
    tags: ["few-resources"],
  }, async () => {
    const { env } = newPlace(FULL ? 2_000 : 60);
    const commands = [
      "ls --all",
      "todo add One --session s",
      "task add One --as a",
      "todos --session s",
    ];
    // With too few handles to add anything, there would be no list to show.
    const first = start(
      process.execPath,
      ["bin/waymark.js", "todo", "add", "Zero", "--session", "s"],
      env,
    );
    expect(await first.finished).toMatchObject({ code: 0 });
    const wrong: string[] = [];
    for (const limit of FULL ? [22, 24, 26, 28, 30, 32, 40, 64] : [24, 30, 64])
      for (const command of commands) {
        const script = `ulimit -n ${limit}; exec "$0" bin/waymark.js ${command}`;
        const running = start("bash", ["-c", script, process.execPath], env);
        running.child.stdin?.end();
        const { code, signal, stderr } = await running.finished;
        const fine = code === 0 || (code === 3 && /^waymark: (?!unexpected)/m.test(stderr));
        // Node itself cannot start with so few.
        const noNode = signal !== null || /node::|libuv|uv_/.test(stderr);
        if (!fine && !noNode) wrong.push(`${limit} ${command}: ${code} ${stderr}`);
        if (limit === 64 && code !== 0) wrong.push(`${limit} ${command}: ${stderr}`);
      }
    expect(wrong).toStrictEqual([]);
    // Handles are not leaked: more files than handles are all read without an index (one more than
    // needed).
    const anew = start(
      "bash",
      ["-c", 'ulimit -n 64; exec "$0" bin/waymark.js ls --all --json', process.execPath],
      newPlace(120).env,
    );
    anew.child.stdin?.end();
    const { stdout, stderr } = await anew.finished;
    expect({ stderr, sessions: JSON.parse(String(stdout)).length }).toEqual({
      stderr: "",
      sessions: 121,
    });
  });

  test("reads a long session with a small heap", { tags: ["few-resources"] }, async () => {
    const { place, file, env } = newPlace(10);
    const at = Date.now() - 1_000;
    const long = claudeSession(ID, place)
      .call("Bash", { command: "x".repeat(20_000) }, at, "y".repeat(20_000))
      .text();
    for (let n = 0; n < (FULL ? 5_000 : 500); n++) appendFileSync(file, long);
    appendFileSync(
      file,
      claudeSession(ID, place)
        .todos([["Last", "in_progress"]], at)
        .text(),
    );
    const running = start(
      process.execPath,
      ["--max-old-space-size=64", "bin/waymark.js", "show", ID],
      env,
    );
    running.child.stdin?.end();
    const { code, signal, stdout } = await running.finished;
    expect({ code, signal }).toStrictEqual({ code: 0, signal: null });
    expect(String(stdout)).toContain("Last");
  });
});
