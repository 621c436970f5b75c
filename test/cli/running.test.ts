import { expect, test } from "vitest";
import { endChildProcesses } from "../child-processes.ts";
import { isRunning } from "../running-process.ts";
import { start } from "./running.ts";

const HALF = ["-e", 'console.log("half"); console.error("a warning"); setInterval(() => {}, 1000)'];

test("fails a wait for missing output with the output so far", async () => {
  const program = start(process.execPath, HALF);
  await program.untilPrinted("half");
  await program.untilPrinted("a warning");
  const wait = program.untilPrinted("whole", { timeout: 1 });
  await expect(wait).rejects.toThrow(
    /^Timed out after 1 ms: the program never printed whole\. Output so far:\nhalf\na warning\n/,
  );
  const ended = expect(program.untilPrinted("whole")).rejects.toThrow(
    /^The program ended without printing whole\. Output:\nhalf\na warning\n/,
  );
  program.child.kill("SIGTERM");
  await ended;
});

test("kills a program that a test leaves running", async () => {
  const program = start(process.execPath, HALF);
  await program.untilPrinted("half");
  await endChildProcesses();
  expect((await program.finished).signal).toBe("SIGKILL");
  expect(isRunning(program.child.pid ?? 0)).toBe(false);
  // A program that already ended is not waited for.
  const unnoticed = start(process.execPath, ["-e", ""]);
  unnoticed.child.removeAllListeners("exit");
  await unnoticed.finished;
  await endChildProcesses();
});
