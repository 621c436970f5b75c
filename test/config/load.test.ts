import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { stringify } from "smol-toml";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfigFile } from "../../src/config/file.ts";
import {
  givenEnvironment,
  loadSettings,
  resolveSettings,
  settingsIn,
} from "../../src/config/load.ts";
import { projectConfigPath, userConfigPath } from "../../src/config/paths.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { needs } from "../skipped.ts";
import { examplesOf, newPlace } from "./settings.ts";

const AS_ROOT = process.getuid?.() === 0 ? "root may read every file" : "";

let place: ReturnType<typeof newPlace>;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

const expectedText = (text: string) => text.replace("HOME", place.root);

describe("the order of sources", () => {
  const choice = fc.record({
    environment: fc.constantFrom(undefined, 0, 1, ""),
    project: fc.constantFrom(undefined, 0, 1),
    user: fc.constantFrom(undefined, 0, 1),
  });

  test("is environment, project file, user file, default, for every setting", () => {
    fc.assert(
      fc.property(
        fc.array(choice, { minLength: SETTINGS.length, maxLength: SETTINGS.length }),
        (choices) => {
          const env: Record<string, string> = { HOME: place.root };
          const user: Record<string, unknown> = {};
          const project: Record<string, unknown> = {};
          const expected = SETTINGS.map((setting, index) => {
            const examples = examplesOf(setting.type);
            const chosen = choices[index];
            const isInFile = setting.environmentOnly === undefined;
            const at = (which: number | undefined) =>
              which === undefined || !isInFile ? undefined : examples[which];
            const inUser = at(chosen?.user);
            const inProject = setting.project ? at(chosen?.project) : undefined;
            if (inUser) user[setting.key] = inUser[0];
            if (inProject) project[setting.key] = inProject[0];
            if (chosen?.environment !== undefined)
              env[setting.variable] =
                examples[Number(chosen.environment === "" ? 2 : chosen.environment)]?.[1] ?? "";
            if (chosen?.environment !== undefined)
              return ["environment", env[setting.variable]] as const;
            if (inProject) return ["project", expectedText(inProject[1])] as const;
            if (inUser) return ["user", expectedText(inUser[1])] as const;
            return ["default", undefined] as const;
          });
          place.write(place.user, stringify(user));
          place.write(place.project, stringify(project));
          const settings = loadSettings(env, place.repository, "linux");
          expect(settings.problems).toEqual([]);
          const resolved = resolveSettings(env, settings);
          expect(resolved.map(({ source, value }) => [source, value])).toEqual(expected);
          for (const { setting, value } of resolved)
            expect(settings.env[setting.variable]).toBe(value);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("gives child processes the environment alone", () => {
    place.write(place.user, 'store = "postgres://u:secret@h/d"\nmax-todos = 3\n');
    const { env } = loadSettings({ ...place.env, PATH: process.env.PATH }, place.root, "linux");
    expect(env.WAYMARK_STORE).toBe("postgres://u:secret@h/d");
    expect(Object.keys({ ...env })).not.toContain("WAYMARK_STORE");
    const { stdout } = spawnSync("env", { env, encoding: "utf8" });
    expect(stdout).toContain("WAYMARK_HOME=");
    expect(stdout).not.toMatch(/WAYMARK_STORE|WAYMARK_MAX_TODOS/);
    expect(givenEnvironment(env)).toEqual({ ...place.env, PATH: process.env.PATH });
  });

  test("uses the project file of the directory that is asked for", () => {
    place.write(place.user, "max-todos = 3\n");
    place.write(place.project, "max-todos = 7\n");
    const { env } = loadSettings(place.env, place.root, "linux");
    expect(env.WAYMARK_MAX_TODOS).toBe("3");
    expect(settingsIn(env, join(place.repository, "deep")).WAYMARK_MAX_TODOS).toBe("7");
    expect(settingsIn(place.env, place.repository)).toBe(place.env);
  });
});

describe("paths", () => {
  test.each([
    ["linux", { HOME: "/h" }, "/h/.config/waymark/config.toml"],
    ["linux", { HOME: "/h", XDG_CONFIG_HOME: "/x" }, "/x/waymark/config.toml"],
    ["linux", { HOME: "/h", XDG_CONFIG_HOME: "x" }, "/h/.config/waymark/config.toml"],
    ["linux", {}, undefined],
    ["darwin", { HOME: "/h" }, "/h/Library/Application Support/waymark/config.toml"],
    ["darwin", { HOME: "/h", XDG_CONFIG_HOME: "/x" }, "/x/waymark/config.toml"],
    ["win32", { APPDATA: "C:\\A" }, "C:\\A\\waymark\\config.toml"],
    ["win32", { USERPROFILE: "C:\\U" }, "C:\\U\\AppData\\Roaming\\waymark\\config.toml"],
    ["win32", {}, undefined],
  ])("%s %j: %s", (platform, env, path) => {
    expect(userConfigPath(env, platform)).toBe(path);
  });

  test("finds a project file up to the root of the repository, not above it", () => {
    const deep = join(place.repository, "deep", "er");
    place.write(join(place.root, ".waymark", "config.toml"), "max-todos = 1\n");
    expect(projectConfigPath(deep)).toBeUndefined();
    place.write(place.project, "max-todos = 2\n");
    expect(projectConfigPath(deep)).toBe(place.project);
    const nearer = join(place.repository, "deep", ".waymark", "config.toml");
    place.write(nearer, "max-todos = 3\n");
    expect(projectConfigPath(deep)).toBe(nearer);
  });

  test("without a repository, only the directory itself counts", () => {
    rmSync(join(place.repository, ".git"), { recursive: true });
    place.write(place.project, "max-todos = 2\n");
    expect(projectConfigPath(place.repository)).toBe(place.project);
    expect(projectConfigPath(join(place.repository, "deep"))).toBeUndefined();
  });
});

describe("a file", () => {
  const problemsOf = (text: string | Buffer, kind: "user" | "project" = "user") => {
    place.write(place.user, text);
    return readConfigFile(place.user, kind, place.env);
  };

  test.each(SETTINGS.map((setting) => [setting.key, setting] as const))(
    "refuses values of %s of the wrong type",
    (key, { environmentOnly, variable }) => {
      for (const value of [
        "[[]]",
        "{ a = 1 }",
        "1979-05-27",
        "1.5",
        "nan",
        '"\\u0000"',
        "[[1], [2]]",
      ]) {
        const { problems, variables } = problemsOf(`${key} = ${value}\n`);
        expect(variables[variable]).toBeUndefined();
        expect(problems).toMatchObject([{ line: 1, column: 1, isFatal: true, key: [key] }]);
        if (environmentOnly !== undefined) expect(problems[0]?.message).toContain(variable);
      }
    },
  );

  test.each(SETTINGS.filter(({ project }) => !project).map((setting) => [setting] as const))(
    "of a project cannot set $key",
    (setting) => {
      const [value] = examplesOf(setting.type)[0] ?? [];
      const { variables, problems } = problemsOf(stringify({ [setting.key]: value }), "project");
      expect(variables).toEqual({});
      expect(problems).toMatchObject([{ isFatal: false, line: 1 }]);
    },
  );

  test("never lets a project run a command, send data, name a file or approve anything", () => {
    expect(SETTINGS.filter(({ project }) => project).map(({ key }) => key)).toMatchInlineSnapshot(`
      [
        "max-todos",
        "guidance",
        "guidance-preset",
        "plan-every",
        "off-in",
        "collisions",
        "collision-window",
      ]
    `);
  });

  test("reports unknown keys with a suggestion and their position", () => {
    const { problems, variables } = problemsOf(
      '# mine\nmax-todos = 5\n  nofity = ["bell"]\n\n[lss]\nall = true\n',
    );
    expect(variables).toEqual({ WAYMARK_MAX_TODOS: "5" });
    expect(problems).toMatchObject([
      {
        line: 3,
        column: 3,
        message: 'Unknown setting "nofity". Did you mean "notify"?',
        isFatal: false,
      },
      { line: 5, message: 'Unknown setting "lss". Did you mean "ls"?', isFatal: false },
    ]);
  });

  test.each([
    ["a syntax error", "max-todos = \n", /^Not valid TOML/],
    ["a repeated key", "ascii = true\nascii = true\n", /^Not valid TOML/],
    ["bytes that are not UTF-8", Buffer.from([0x61, 0xff, 0x3d]), /UTF-8/],
    ["too many bytes", `# ${"x".repeat(300 * 1024)}`, /larger than/],
    ["deep nesting", `notify = ${"[".repeat(100_000)}${"]".repeat(100_000)}`, /nested|valid TOML/],
    ["a prototype", "__proto__ = { x = 1 }\nconstructor = 1\n", /Unknown setting|valid TOML/],
  ])("with %s is a problem, not a failure", (_, text, message) => {
    const { problems } = problemsOf(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]?.message).toMatch(message);
  });

  test("that is a directory, a link or unreadable is a problem", () => {
    mkdirSync(place.user, { recursive: true });
    expect(readConfigFile(place.user, "user", place.env).problems).toMatchObject([
      { isFatal: true },
    ]);
    rmSync(place.user, { recursive: true });
    place.write(join(place.root, "real.toml"), "max-todos = 4\n");
    symlinkSync(join(place.root, "real.toml"), place.user);
    // Dotfiles are often links. A link in a repository could lead anywhere.
    expect(readConfigFile(place.user, "user", place.env).variables).toEqual({
      WAYMARK_MAX_TODOS: "4",
    });
    const linked = readConfigFile(place.user, "project", place.env);
    expect(linked.variables).toEqual({});
    expect(linked.problems).toMatchObject([
      { isFatal: false, message: expect.stringContaining("symlink") },
    ]);
    spawnSync("mkfifo", [join(dirname(place.user), "fifo")]);
    expect(
      readConfigFile(join(dirname(place.user), "fifo"), "user", place.env).problems,
    ).toMatchObject([{ message: expect.stringContaining("not a regular file") }]);
  });

  test("without read permission is a problem", needs(AS_ROOT), () => {
    place.write(place.user, "max-todos = 4\n");
    chmodSync(place.user, 0);
    expect(readConfigFile(place.user, "user", place.env).problems).toMatchObject([
      { message: expect.stringContaining("permission denied") },
    ]);
  });

  test("with any text gives valid variables or problems", () => {
    const line = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.constantFrom(...SETTINGS.map(({ key }) => key), "ls", "__proto__"), fc.json())
        .map(([key, value]) => `${key} = ${value}`),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const { variables, problems } = problemsOf(lines.join("\n"));
        for (const text of Object.values(variables)) expect(text).not.toContain("\0");
        for (const { message } of problems) expect(message).not.toBe("");
      }),
      { numRuns: 200 },
    );
  });
});
