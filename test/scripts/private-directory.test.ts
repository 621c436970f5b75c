import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cacheDirectory, privateDirectory } from "../../scripts/private-directory.mjs";
import { NOT_ON_WINDOWS, needs, ONLY_AS_ROOT } from "../skipped.ts";

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "waymark-private-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const modeOf = (path: string) => lstatSync(path).mode & 0o777;

describe("privateDirectory", needs(NOT_ON_WINDOWS), () => {
  const uid = process.getuid?.() ?? 0;

  test("creates the directory and its parents for this user only, whatever the umask is", () => {
    const before = process.umask(0);
    try {
      const path = join(place, "a", "b");
      expect(privateDirectory(path)).toBe(path);
      expect([modeOf(join(place, "a")), modeOf(path)]).toEqual([0o700, 0o700]);
      expect(privateDirectory(path)).toBe(path);
    } finally {
      process.umask(before);
    }
  });

  test("refuses a symlink, also to a directory of this user", () => {
    mkdirSync(join(place, "real"), 0o700);
    symlinkSync("real", join(place, "link"));
    expect(() => privateDirectory(join(place, "link"))).toThrow("is a symlink");
    symlinkSync("nowhere", join(place, "dangling"));
    expect(() => privateDirectory(join(place, "dangling"))).toThrow("is a symlink");
    expect(existsSync(join(place, "nowhere"))).toBe(false);
  });

  test("refuses a file", () => {
    writeFileSync(join(place, "file"), "");
    expect(() => privateDirectory(join(place, "file"))).toThrow("is not a directory");
    expect(() => privateDirectory(join(place, "file", "below"))).toThrow("ENOTDIR");
  });

  test.for([0o720, 0o702, 0o777])("refuses a directory of mode %o", (mode) => {
    const path = join(place, "open");
    mkdirSync(path);
    chmodSync(path, mode);
    const printed = `can be changed by other users (mode ${mode.toString(8)})`;
    expect(() => privateDirectory(path)).toThrow(printed);
  });

  test.for([0o700, 0o755])("accepts a directory of mode %o", (mode) => {
    const path = join(place, "closed");
    mkdirSync(path);
    chmodSync(path, mode);
    expect(privateDirectory(path)).toBe(path);
  });

  test("refuses a directory of another user", () => {
    expect(() => privateDirectory(place, uid + 1)).toThrow(
      `belongs to user ${uid}, not ${uid + 1}`,
    );
  });

  test("refuses a directory that another user planted", needs(ONLY_AS_ROOT), () => {
    const path = join(place, "planted");
    mkdirSync(path, 0o700);
    chownSync(path, 65_534, 65_534);
    expect(() => privateDirectory(path)).toThrow("belongs to user 65534, not 0");
  });

  test("fails where nothing can be created", () => {
    expect(() => privateDirectory("/proc/none/such")).toThrow(/ENOENT|EACCES|EPERM/);
  });
});

describe("cacheDirectory", needs(NOT_ON_WINDOWS), () => {
  const options = (env: Record<string, string>) => ({
    env,
    platform: "linux" as const,
    project: join(place, "project"),
  });
  const inProject = () => join(place, "project", "node_modules", ".cache", "waymark");

  test("is WAYMARK_CACHE if that is set, or fails", () => {
    const WAYMARK_CACHE = join(place, "mine");
    expect(cacheDirectory(options({ WAYMARK_CACHE, HOME: place }))).toBe(WAYMARK_CACHE);
    chmodSync(WAYMARK_CACHE, 0o777);
    expect(() => cacheDirectory(options({ WAYMARK_CACHE, HOME: place }))).toThrow("mode 777");
  });

  test("is below the cache directory of the user", () => {
    expect(cacheDirectory(options({ HOME: place }))).toBe(join(place, ".cache", "waymark"));
    const XDG_CACHE_HOME = join(place, "xdg");
    expect(cacheDirectory(options({ HOME: place, XDG_CACHE_HOME }))).toBe(
      join(XDG_CACHE_HOME, "waymark"),
    );
    expect(cacheDirectory(options({ HOME: place, XDG_CACHE_HOME: "relative" }))).toBe(
      join(place, ".cache", "waymark"),
    );
  });

  test.for([
    ["is missing", "/nonexistent/home"],
    ["cannot be written to", "/proc"],
  ] as const)("is below node_modules if HOME %s", ([, HOME]) => {
    expect(cacheDirectory(options({ HOME }))).toBe(inProject());
    expect(modeOf(inProject())).toBe(0o700);
  });

  test("is below node_modules if HOME belongs to another user", needs(ONLY_AS_ROOT), () => {
    const home = join(place, "home");
    mkdirSync(home);
    chownSync(home, 65_534, 65_534);
    expect(cacheDirectory(options({ HOME: home }))).toBe(inProject());
    expect(existsSync(join(home, ".cache"))).toBe(false);
  });

  test("is below node_modules if others can change the one of the user", () => {
    mkdirSync(join(place, ".cache", "waymark"), { recursive: true });
    chmodSync(join(place, ".cache", "waymark"), 0o777);
    expect(cacheDirectory(options({ HOME: place }))).toBe(inProject());
  });

  test("says every reason if there is none", () => {
    writeFileSync(join(place, "project"), "");
    const home = { ...options({ HOME: "/proc" }) };
    expect(() => cacheDirectory(home)).toThrow(/set WAYMARK_CACHE.*ENOTDIR/s);
  });
});
