import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const SCRIPT = pathToFileURL("scripts/install-packages.mjs").href;

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "waymark-install-"));
  mkdirSync(join(place, "tern"));
  writeFileSync(join(place, "tern", "package.json"), '{"name":"tern","version":"1.2.3"}');
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const cache = () => join(place, "cache");
const entries = () => (existsSync(cache()) ? readdirSync(cache()).toSorted() : []);

interface Installed {
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that installs the package `tern` of a directory or an archive, with the real npm. */
function install(from = "tern", env: Record<string, string> = {}): Promise<Installed> {
  const program = `
    import { appendFileSync } from "node:fs";
    import { exactPackages, installPackages } from ${JSON.stringify(SCRIPT)};
    const files = exactPackages({ tern: ${JSON.stringify(`file:${join(place, from)}`)} });
    const finish = () => appendFileSync(${JSON.stringify(join(place, "finished"))}, "once\\n");
    try {
      console.log(await installPackages("birds", files, { finish, say() {} }));
    } catch (error) {
      console.error(error.message);
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...process.env, WAYMARK_CACHE: cache(), ...env },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  return new Promise((resolve) => {
    child.once("close", () => resolve({ stdout: stdout.trim(), stderr: stderr.trim() }));
  });
}

test("many processes install a package once, and all find it", { timeout: 120_000 }, async () => {
  const installed = await Promise.all(Array.from({ length: 4 }, () => install()));
  const [{ stdout: dir } = { stdout: "" }] = installed;
  expect(installed).toEqual(installed.map(() => ({ stdout: dir, stderr: "" })));
  expect(readFileSync(join(dir, "node_modules/tern/package.json"), "utf8")).toContain("1.2.3");
  expect(readFileSync(join(place, "finished"), "utf8")).toBe("once\n");
  expect(entries()).toEqual([basename(dir)]);
});

test("a failed download leaves nothing to find, and the next try works", {
  timeout: 120_000,
}, async () => {
  const archive = "tern-1.2.3.tgz";
  const failed = await install(archive);
  expect(failed.stdout).toBe("");
  expect(failed.stderr).toMatch(/^npm could not download birds: .*\S/);
  expect(entries()).toEqual([expect.stringMatching(/^birds-\w+\.failed$/)]);

  spawnSync("npm", ["pack", "./tern"], { cwd: place });
  const { stdout, stderr } = await install(archive);
  expect([stderr, existsSync(join(stdout, "installed"))]).toEqual(["", true]);
});

test("says that npm is missing", async () => {
  const { stderr } = await install("tern", { PATH: join(place, "nothing") });
  expect(stderr).toBe("npm could not download birds: spawn npm ENOENT");
});

test("takes over from a process that was killed while it installed", {
  timeout: 120_000,
}, async () => {
  const { stdout: dir } = await install();
  rmSync(dir, { recursive: true });
  // No process has the highest id.
  writeFileSync(`${dir}.lock`, "4194304");
  expect(await install()).toEqual({ stdout: dir, stderr: "" });
});

test("does not use an installation that others can change", { timeout: 120_000 }, async () => {
  const { stdout: dir } = await install();
  chmodSync(dir, 0o777);
  const { stdout, stderr } = await install();
  expect([stdout, stderr]).toEqual(["", expect.stringContaining("can be changed by other users")]);
});

test("removes other versions only after a month without use", { timeout: 120_000 }, async () => {
  const { stdout: dir } = await install();
  mkdirSync(join(place, "other"));
  writeFileSync(join(place, "other", "package.json"), '{"name":"tern","version":"2.0.0"}');
  const { stdout: newer } = await install("other");
  expect(entries()).toEqual([basename(dir), basename(newer)].toSorted());

  const longAgo = new Date(Date.now() - 31 * 24 * 60 * 60_000);
  utimesSync(join(dir, "installed"), longAgo, longAgo);
  rmSync(newer, { recursive: true });
  await install("other");
  expect(entries()).toEqual([basename(newer)]);
});
