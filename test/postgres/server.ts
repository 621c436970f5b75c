import { type ChildProcess, type SpawnSyncOptions, spawn, spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, test } from "vitest";
import { postgresPrograms } from "../../scripts/postgres-programs.mjs";
import { reasonAgainst } from "../skipped.ts";

/** A real PostgreSQL from the registry, in its own directory. */
export interface TestServer {
  readonly url: string;
  /** The same server with another empty database. */
  database(name: string): Promise<string>;
  /** Stops it without a clean shutdown, as a power cut would. */
  crash(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Why tests that need PostgreSQL are skipped, or an empty string. */
export const NO_POSTGRES = await reasonAgainst("postgres", postgresPrograms);

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

type Settings = Readonly<Record<string, string>>;

/**
 * A server for all tests of a file, which are skipped where PostgreSQL cannot run. Call it at the
 * top level.
 */
export function serverForFile(settings: Settings = {}): TestServer {
  beforeEach(({ skip }) => skip(NO_POSTGRES !== "", NO_POSTGRES));
  return fileServer(settings);
}

/** For a file that also tests other engines: without PostgreSQL, the file must leave it out. */
export function serverIfPossible(settings: Settings = {}): TestServer {
  if (NO_POSTGRES !== "") test("on postgres", ({ skip }) => skip(NO_POSTGRES));
  return fileServer(settings);
}

function fileServer(settings: Settings): TestServer {
  let started: TestServer | undefined;
  const server = () => {
    if (!started) throw new Error("The server is used before it is started.");
    return started;
  };
  beforeAll(async () => {
    if (NO_POSTGRES === "") started = await startServer(settings);
  }, 60_000);
  afterAll(() => started?.stop(), 60_000);
  return {
    get url() {
      return server().url;
    },
    database: (name) => server().database(name),
    crash: () => server().crash(),
    start: () => server().start(),
    stop: () => server().stop(),
  };
}

const INITDB = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions"];

/** An initialized cluster: copying it is much faster than initdb. */
let template: string | undefined;

/** `options` name the user who must own the files. */
function createCluster(
  bin: string,
  data: string,
  createDirectory: () => string,
  options: SpawnSyncOptions,
): void {
  const run = (command: string, args: readonly string[]) => {
    const done = spawnSync(command, args, { ...options, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`${command}: ${done.error ?? done.stderr}`);
  };
  if (process.platform === "win32") {
    run(join(bin, "initdb"), ["-D", data, ...INITDB]);
    return;
  }
  // Directories of the run are removed at its end; each run has its own.
  if (template === undefined || !existsSync(template)) {
    const fresh = join(createDirectory(), "template");
    run(join(bin, "initdb"), ["-D", fresh, ...INITDB]);
    template = fresh;
  }
  run("cp", ["-Rp", template, data]);
}

async function startServer(settings: Settings): Promise<TestServer> {
  const { bin, as, createDirectory } = await postgresPrograms();
  const dir = createDirectory();
  const env = { ...process.env, LC_ALL: "C" };
  const data = join(dir, "data");
  createCluster(bin, data, createDirectory, { ...as, env, cwd: dir });
  const port = await freePort();
  const all = { listen_addresses: "127.0.0.1", max_connections: "100", ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let child: ChildProcess | undefined;

  const start = () =>
    new Promise<void>((resolve, reject) => {
      // No socket file: its path may be longer than the system allows.
      const started = spawn(
        join(bin, "postgres"),
        ["-D", data, "-p", String(port), "-k", "", ...flags],
        {
          ...as,
          env,
          cwd: dir,
          stdio: ["ignore", "ignore", "pipe"],
        },
      );
      child = started;
      let printed = "";
      started.stderr.setEncoding("utf8").on("data", (text) => {
        printed += text;
        if (printed.includes("ready to accept connections")) {
          printed = "";
          resolve();
        }
      });
      started.once("exit", (code) => reject(new Error(`postgres ended with ${code}: ${printed}`)));
    });
  const end = (signal: NodeJS.Signals) =>
    new Promise<void>((resolve) => {
      if (!child || child.exitCode !== null) return resolve();
      child.removeAllListeners("exit");
      child.once("exit", () => resolve());
      child.kill(signal);
    });
  const urlOf = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;

  await start();
  return {
    url: urlOf("postgres"),
    async database(name) {
      const { default: pg } = await import("pg");
      const client = new pg.Client({ connectionString: urlOf("postgres") });
      await client.connect();
      await client.query(`CREATE DATABASE "${name}"`);
      await client.end();
      return urlOf(name);
    },
    start,
    // SIGQUIT is what `pg_ctl stop -m immediate` sends.
    crash: () => end("SIGQUIT"),
    async stop() {
      // Its data is no longer needed.
      await end("SIGQUIT");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
