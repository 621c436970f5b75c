import { type ChildProcess, spawn } from "node:child_process";
import { remember } from "../started.ts";

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves when the output so far holds the text. */
  says(text: string, options?: WaitOptions): Promise<void>;
  /** The first group of the pattern, once the output so far matches it. */
  finds(pattern: RegExp, options?: WaitOptions): Promise<string>;
}

interface WaitOptions {
  /** Milliseconds before it gives up: less than the time limit of a test, so that the error shows the output. */
  readonly timeout?: number;
}

const PATIENCE = 90_000;

/** A program with what it prints; the variables of the machine that change what it does are gone. */
export function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const child = remember(
    spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env.PATH, LANG: "C.UTF-8", TZ: "UTC", ...env },
    }),
  );
  const out: Buffer[] = [];
  let stderr = "";
  const waits = new Set<() => void>();
  const heard = () => {
    for (const wait of waits) wait();
  };
  child.stdout.on("data", (chunk: Buffer) => {
    out.push(chunk);
    heard();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
    heard();
  });
  // A program that ends early closes its input; what it says of that is in its output.
  child.stdin.on("error", () => undefined);
  const output = () => Buffer.concat(out).toString() + stderr;
  const until = <T>(
    find: (said: string) => T | undefined,
    what: string,
    { timeout = PATIENCE }: WaitOptions = {},
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
      // biome-ignore lint/style/noRestrictedGlobals: ends a wait for output that never comes
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
    async says(text, options) {
      await until((said) => said.includes(text) || undefined, text, options);
    },
    finds: (pattern, options) => until((said) => pattern.exec(said)?.[1], String(pattern), options),
  };
}

/** `waymark` as it is shipped, with all of its input at once. */
export function waymark(
  args: readonly string[],
  input: string | Buffer = "",
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const running = start(process.execPath, ["bin/waymark.js", ...args], env);
  running.child.stdin?.end(input);
  return running.finished;
}
