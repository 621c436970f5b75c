import { type ChildProcess, spawn } from "node:child_process";
import { endWithTest } from "../child-processes.ts";

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves when the output contains the text. */
  untilPrinted(text: string, options?: WaitOptions): Promise<void>;
  /** The first group of the pattern, once the output matches it. */
  finds(pattern: RegExp, options?: WaitOptions): Promise<string>;
}

interface WaitOptions {
  /** Milliseconds; less than the time limit of a test, so that the error shows the output. */
  readonly timeout?: number;
}

const TIMEOUT = 90_000;

/** Starts a program and collects its output, without the environment variables of this machine. */
export function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const child = endWithTest(
    spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env.PATH, LANG: "C.UTF-8", TZ: "UTC", ...env },
    }),
  );
  const out: Buffer[] = [];
  let stderr = "";
  const waits = new Set<() => void>();
  const onOutput = () => {
    for (const wait of waits) wait();
  };
  child.stdout.on("data", (chunk: Buffer) => {
    out.push(chunk);
    onOutput();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
    onOutput();
  });
  // A program that ends early closes its input; its output has the reason.
  child.stdin.on("error", () => undefined);
  const output = () => Buffer.concat(out).toString() + stderr;
  const until = <T>(
    find: (output: string) => T | undefined,
    what: string,
    { timeout = TIMEOUT }: WaitOptions = {},
  ) =>
    new Promise<T>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        waits.delete(look);
        child.off("close", ended);
      };
      const fail = (why: string) => {
        settle();
        reject(new Error(`${why}:\n${output()}`));
      };
      const look = () => {
        const found = find(output());
        if (found === undefined) return;
        settle();
        resolve(found);
      };
      const ended = () => fail(`The program ended without printing ${what}. Output`);
      // biome-ignore lint/style/noRestrictedGlobals: times out a wait for missing output
      const timer = setTimeout(
        () =>
          fail(`Timed out after ${timeout} ms: the program never printed ${what}. Output so far`),
        timeout,
      );
      waits.add(look);
      child.once("close", ended);
      look();
    });
  return {
    child,
    finished: new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) =>
        resolve({ code, signal, stdout: Buffer.concat(out), stderr }),
      );
    }),
    async untilPrinted(text, options) {
      await until((output) => output.includes(text) || undefined, text, options);
    },
    finds: (pattern, options) =>
      until((output) => pattern.exec(output)?.[1], String(pattern), options),
  };
}

/** Runs the built program with the given input. */
export function waymark(
  args: readonly string[],
  input: string | Buffer = "",
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const running = start(process.execPath, ["bin/waymark.js", ...args], env);
  running.child.stdin?.end(input);
  return running.finished;
}
