import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type CacheOptions,
  compileCacheDirectory,
  readCacheFile,
  writeCacheFile,
} from "../../src/cli/compile-cache.ts";
import { needs } from "../skipped.ts";
import { temporaryDirectory } from "../stores/temporary-directory.ts";

const uid = process.getuid?.();
const ON_WINDOWS = process.platform === "win32" ? "Windows has no modes and owners" : "";
const NODE_KEEPS =
  Number.parseInt(process.versions.node, 10) >= 22 ? "this Node keeps compiled code itself" : "";
const NAME = `1.0.0-abc-node-${process.versions.node}-${process.arch}`;
const MONTHS = 60 * 24 * 60 * 60_000;

function optionsIn(home: string, more: Partial<CacheOptions> = {}): CacheOptions {
  const dist = join(home, "dist");
  return { dist, build: "1.0.0-abc", env: { HOME: home }, platform: "linux", uid, ...more };
}

const modeOf = (path: string) => lstatSync(path).mode & 0o777;

describe("the directory for compiled code", needs(ON_WINDOWS), () => {
  test("is created below the user's cache directory, for this user only", () => {
    const home = temporaryDirectory();
    const path = join(home, ".cache", "waymark", "compiled", NAME);
    expect(compileCacheDirectory(optionsIn(home))).toBe(path);
    expect(modeOf(path)).toBe(0o700);
    expect(compileCacheDirectory(optionsIn(home))).toBe(path);
    const env = { HOME: home, XDG_CACHE_HOME: join(home, "xdg") };
    expect(compileCacheDirectory(optionsIn(home, { env }))).toBe(
      join(home, "xdg", "waymark", "compiled", NAME),
    );
    expect(compileCacheDirectory(optionsIn(home, { platform: "darwin" }))).toBe(
      join(home, "Library", "Caches", "waymark", "compiled", NAME),
    );
  });

  test("is dist/compiled in a checkout, if only this user can write to it", () => {
    const home = temporaryDirectory();
    const beside = join(home, "dist", "compiled");
    mkdirSync(beside, { recursive: true });
    chmodSync(beside, 0o700);
    expect(compileCacheDirectory(optionsIn(home))).toBe(beside);
    chmodSync(beside, 0o770);
    expect(compileCacheDirectory(optionsIn(home))).toContain(".cache");
  });

  test.each(["waymark", "waymark/compiled", `waymark/compiled/${NAME}`])(
    "is not used if others can write to %s, or if that is a link",
    (part) => {
      const home = temporaryDirectory();
      const found = compileCacheDirectory(optionsIn(home)) ?? "";
      chmodSync(join(home, ".cache", part), 0o777);
      expect(compileCacheDirectory(optionsIn(home))).toBeUndefined();
      const other = temporaryDirectory();
      const linked = join(other, ".cache", part);
      mkdirSync(join(linked, ".."), { recursive: true, mode: 0o700 });
      symlinkSync(found, linked);
      expect(compileCacheDirectory(optionsIn(other))).toBeUndefined();
    },
  );

  test("is not used if it, or the home directory, belongs to another user", () => {
    const home = temporaryDirectory();
    compileCacheDirectory(optionsIn(home));
    const other = (uid ?? 0) + 1;
    expect(compileCacheDirectory(optionsIn(home, { uid: other }))).toBeUndefined();
    const env = { XDG_CACHE_HOME: join(home, ".cache") };
    expect(compileCacheDirectory(optionsIn(home, { uid: other, env }))).toBeUndefined();
    expect(compileCacheDirectory(optionsIn(home, { env }))).toBeDefined();
  });

  test("is undefined if it cannot be created or is disabled", () => {
    const home = temporaryDirectory();
    for (const nowhere of ["/dev/null", "/proc", "/nonexistent"])
      expect(compileCacheDirectory(optionsIn(home, { env: { HOME: nowhere } }))).toBeUndefined();
    const env = { HOME: home, NODE_DISABLE_COMPILE_CACHE: "1" };
    expect(compileCacheDirectory(optionsIn(home, { env }))).toBeUndefined();
    expect(readdirSync(home)).toEqual([]);
  });

  test("removes caches of other versions that were not used for a month", () => {
    const home = temporaryDirectory();
    const all = join(home, ".cache", "waymark", "compiled");
    for (const name of ["old", "recent"]) mkdirSync(join(all, name), { recursive: true });
    chmodSync(join(home, ".cache", "waymark"), 0o700);
    chmodSync(all, 0o700);
    const then = new Date(Date.now() - MONTHS);
    utimesSync(join(all, "old"), then, then);
    compileCacheDirectory(optionsIn(home));
    expect(readdirSync(all).toSorted()).toEqual([NAME, "recent"].toSorted());
  });

  test("ignores files that others could have written", () => {
    const path = join(temporaryDirectory(), "file.cache");
    const content = { runs: 2, data: Buffer.from("data") };
    writeCacheFile(path, content);
    expect([readCacheFile(path, uid), modeOf(path)]).toEqual([content, 0o600]);
    expect(readCacheFile(path, (uid ?? 0) + 1)).toBeUndefined();
    chmodSync(path, 0o620);
    expect(readCacheFile(path, uid)).toBeUndefined();
    chmodSync(path, 0o600);
    symlinkSync(path, `${path}.link`);
    expect(readCacheFile(`${path}.link`, uid)).toBeUndefined();
    expect(readCacheFile(join(path, "below"), uid)).toBeUndefined();
    writeCacheFile(join(path, "below"), content);
    expect(readdirSync(join(path, "..")).toSorted()).toEqual(["file.cache", "file.cache.link"]);
  });
});

/**
 * Code as the program compiles it: V8 rejects code that was compiled with other settings, and other tests
 * change those of this process.
 */
function compiledByNewProcess(source: string): Buffer {
  const compile =
    'const source = require("node:fs").readFileSync(0, "latin1");' +
    'process.stdout.write(new (require("node:vm").Script)(source).createCachedData());';
  return spawnSync(process.execPath, ["-e", compile], { input: source, maxBuffer: 2 ** 26 }).stdout;
}

describe("the installed program", () => {
  /** A copy of the program without the compiled code that the build leaves in a checkout. */
  function installed() {
    const place = temporaryDirectory();
    const root = join(place, "waymark");
    for (const name of ["bin", "dist", "package.json"])
      cpSync(resolve(name), join(root, name), {
        recursive: true,
        filter: (file) => !/dist.(?:compiled|types|chunks|web)$/.test(file),
      });
    const home = join(place, "home");
    mkdirSync(home);
    const run = (env: Readonly<Record<string, string>> = {}) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(root, "bin/waymark.js"), "task", "list"],
        { env: { PATH: process.env.PATH, HOME: home, ...env }, encoding: "utf8" },
      );
      return { status, stdout, stderr };
    };
    const all = join(home, ".cache", "waymark", "compiled");
    const cache = () => join(all, readdirSync(all)[0] ?? "", "cli-task.cache");
    return { root, home, all, run, cache };
  }

  test("writes compiled code only to the user's cache directory", () => {
    const { root, all, run } = installed();
    const before = readdirSync(join(root, "dist")).toSorted();
    expect(run()).toMatchObject({ status: 0, stdout: "No tasks.\n" });
    expect(run()).toEqual(run());
    expect(readdirSync(all)).toHaveLength(1);
    expect(readdirSync(join(all, readdirSync(all)[0] ?? "")).length).toBeGreaterThan(0);
    expect(readdirSync(join(root, "dist")).toSorted()).toEqual(before);
  });

  test("works without a cache directory", () => {
    const { home, run } = installed();
    const usual = run({ NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(usual).toMatchObject({ status: 0, stdout: "No tasks.\n" });
    expect(existsSync(join(home, ".cache"))).toBe(false);
    const WAYMARK_HOME = join(home, "waymark");
    expect(run({ HOME: "/dev/null", WAYMARK_HOME })).toEqual(usual);
    writeFileSync(join(home, ".cache"), "");
    expect(run()).toEqual(usual);
  });

  test("adds to its cache for three runs", needs(NODE_KEEPS), () => {
    const { run, cache } = installed();
    const counts = Array.from({ length: 4 }, () => {
      run();
      return readFileSync(cache())[0];
    });
    expect(counts).toEqual([1, 2, 3, 3]);
    const before = lstatSync(cache()).mtimeMs;
    run();
    expect(lstatSync(cache()).mtimeMs).toBe(before);
  });

  test("replaces a damaged cache", needs(NODE_KEEPS), () => {
    const { run, cache } = installed();
    const usual = run();
    const good = readFileSync(cache());
    const emptyEnd = Buffer.from(good).fill(0, 65_536);
    const other = Buffer.from(good).fill(0x55, 16, 48);
    for (const content of ["", "short", emptyEnd, other, good.subarray(0, 65_536)]) {
      writeFileSync(cache(), content);
      expect(run()).toEqual(usual);
      expect(readFileSync(cache()).length).toBeGreaterThan(good.length / 2);
    }
  });

  test(
    "never runs compiled code that others could have written",
    needs(ON_WINDOWS || NODE_KEEPS),
    () => {
      const { root, run, cache } = installed();
      const usual = run();
      // As long as the source of the program: V8 compares only the length.
      const length = lstatSync(join(root, "dist/cli.cjs")).size + 65;
      const planted = '(function () { console.log("planted"); process.exit(0);\n})'.padEnd(length);
      const data = compiledByNewProcess(planted);
      const file = cache();
      writeCacheFile(file, { runs: 3, data });
      // A file of the user is trusted, so the planted code would run.
      expect(run().stdout).toBe("planted\n");
      for (const mode of [0o622, 0o606, 0o660]) {
        writeCacheFile(file, { runs: 3, data });
        chmodSync(file, mode);
        expect(run()).toEqual(usual);
      }
      writeCacheFile(file, { runs: 3, data });
      chmodSync(join(file, ".."), 0o770);
      expect(run()).toEqual(usual);
    },
  );
});
