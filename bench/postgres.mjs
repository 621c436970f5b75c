import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { postgresPrograms } from "../scripts/postgres-programs.mjs";

/**
 * A server with its default, durable settings; undefined where PostgreSQL cannot run, with the
 * reason on stderr.
 */
export async function startPostgres() {
  const programs = await postgresPrograms().catch((error) => console.error(error.message));
  if (!programs) return undefined;
  const { bin, as, createDirectory } = programs;
  const dir = createDirectory();
  const options = { ...as, env: { ...process.env, LC_ALL: "C" }, cwd: dir };
  const data = join(dir, "data");
  const made = spawnSync(
    join(bin, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-instructions"],
    { ...options, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.error ?? made.stderr}`);
  const port = await new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
  const child = spawn(
    join(bin, "postgres"),
    ["-D", data, "-p", String(port), "-k", "", "-c", "listen_addresses=127.0.0.1"],
    { ...options, stdio: ["ignore", "ignore", "pipe"] },
  );
  await new Promise((resolve, reject) => {
    let printed = "";
    child.stderr.on("data", (text) => {
      printed += text;
      if (printed.includes("ready to accept connections")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`postgres ended with ${code}: ${printed}`)));
  });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners("exit");
        child.once("exit", () => {
          rmSync(dir, { recursive: true, force: true });
          resolve();
        });
        child.kill("SIGINT");
      }),
  };
}
