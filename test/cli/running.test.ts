import { expect, test } from "vitest";
import { isRunning } from "../running-process.ts";
import { endStarted } from "../started.ts";
import { start } from "./running.ts";

const HALF = ["-e", 'console.log("half"); console.error("a warning"); setInterval(() => {}, 1000)'];

test("a text that never comes fails the wait with the output so far", async () => {
  const program = start(process.execPath, HALF);
  await program.says("half");
  await program.says("a warning");
  const wait = program.says("whole", { timeout: 1 });
  await expect(wait).rejects.toThrow(
    /^Timed out after 1 ms: the program never printed whole\. Output so far:\nhalf\na warning\n/,
  );
  const ended = expect(program.says("whole")).rejects.toThrow(
    /^The program ended without printing whole\. Output:\nhalf\na warning\n/,
  );
  program.child.kill("SIGTERM");
  await ended;
});

test("a program that its test leaves running is killed", async () => {
  const program = start(process.execPath, HALF);
  await program.says("half");
  await endStarted();
  expect((await program.finished).signal).toBe("SIGKILL");
  expect(isRunning(program.child.pid ?? 0)).toBe(false);
  // One that ended unnoticed is not waited for.
  const unnoticed = start(process.execPath, ["-e", ""]);
  unnoticed.child.removeAllListeners("exit");
  await unnoticed.finished;
  await endStarted();
});
