import { type SpawnSyncOptionsWithStringEncoding, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { endWithTest } from "../child-processes.ts";

export const PROGRAM = fileURLToPath(new URL("../../bin/waymark.js", import.meta.url));

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A home, a working directory, and the program on PATH. */
export interface Machine {
  readonly root: string;
  readonly home: string;
  readonly cwd: string;
  run(args: readonly string[], options?: RunOptions): Ran;
  /** The same, asynchronously. */
  start(args: readonly string[]): Promise<Ran>;
  bash(script: string, options?: RunOptions): Ran;
  /** The parsed output of a command with --json. */
  json(args: readonly string[]): unknown;
  /** Calls a tool with this input. */
  tool(name: string, input: unknown, ...args: string[]): Ran;
  snapshot(session: string, agent?: string): string;
  remove(): void;
}

export function newMachine(): Machine {
  const root = mkdtempSync(join(tmpdir(), "waymark-cli-"));
  const home = join(root, "home");
  const cwd = join(root, "project");
  const bin = join(root, "bin");
  for (const dir of [cwd, bin]) mkdirSync(dir);
  chmodSync(PROGRAM, 0o755);
  symlinkSync(PROGRAM, join(bin, "waymark"));
  const path = [bin, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
  const env = { PATH: path, HOME: root, WAYMARK_HOME: home, LANG: "C.UTF-8", TZ: "UTC" };

  const settings = ({ input, env: more, cwd: where }: RunOptions) =>
    ({
      cwd: where ?? cwd,
      env: { ...env, ...more },
      encoding: "utf8",
      input: input ?? "",
      maxBuffer: 64 * 1024 * 1024,
      timeout: 60_000,
    }) satisfies SpawnSyncOptionsWithStringEncoding;
  const call = (file: string, args: readonly string[], options: RunOptions): Ran => {
    const { status, stdout, stderr, error } = spawnSync(file, args, settings(options));
    // A program may close its input early.
    if (error && (error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
    return { status, stdout, stderr };
  };
  const run = (args: readonly string[], options: RunOptions = {}) =>
    call(process.execPath, [PROGRAM, ...args], options);

  return {
    root,
    home,
    cwd,
    run,
    start: (args) =>
      new Promise((resolve, reject) => {
        const child = endWithTest(
          spawn(process.execPath, [PROGRAM, ...args], {
            cwd,
            env,
            stdio: ["ignore", "pipe", "pipe"],
          }),
        );
        let stdout = "";
        let stderr = "";
        child.stdout.setEncoding("utf8").on("data", (text) => {
          stdout += text;
        });
        child.stderr.setEncoding("utf8").on("data", (text) => {
          stderr += text;
        });
        child.on("error", reject);
        child.on("close", (status) => resolve({ status, stdout, stderr }));
      }),
    bash: (script, options = {}) => call("bash", ["-c", script], options),
    json: (args) => {
      const { status, stdout, stderr } = run([...args, "--json"]);
      if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
      return JSON.parse(stdout);
    },
    tool: (name, input, ...args) =>
      run(["tool", name, ...args], {
        input: typeof input === "string" ? input : JSON.stringify(input),
      }),
    snapshot: (session, agent = "main") =>
      readFileSync(join(home, "todos", `${session}-agent-${agent}.json`), "utf8"),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
