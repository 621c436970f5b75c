import { type ChildProcess, spawn } from "node:child_process";

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
  says(text: string): Promise<void>;
  /** The first group of the pattern, once the output so far matches it. */
  finds(pattern: RegExp): Promise<string>;
}

/** A program with what it prints; the variables of the machine that change what it does are gone. */
export function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, LANG: "C.UTF-8", TZ: "UTC", ...env },
  });
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
  const until = <T>(find: (said: string) => T | undefined, what: string) =>
    new Promise<T>((resolve, reject) => {
      const look = () => {
        const found = find(Buffer.concat(out).toString() + stderr);
        if (found === undefined) return;
        waits.delete(look);
        resolve(found);
      };
      waits.add(look);
      child.once("close", () => reject(new Error(`it ended without saying ${what}: ${stderr}`)));
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
    async says(text) {
      await until((said) => said.includes(text) || undefined, text);
    },
    finds: (pattern) => until((said) => pattern.exec(said)?.[1], String(pattern)),
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
