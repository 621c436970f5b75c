import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SettingType } from "../../src/config/settings.ts";

/** Two different valid values of a type, as a file has them, with the text of their variable. */
export function examplesOf(
  type: SettingType,
): readonly (readonly [value: unknown, text: string])[] {
  switch (type.is) {
    case "boolean":
      return [
        [true, "1"],
        [false, ""],
      ];
    case "integer":
      return [
        [type.least, String(type.least)],
        [type.most, String(type.most)],
      ];
    case "duration":
      return [
        ["90s", "90s"],
        ["1h30m", "1h30m"],
      ];
    case "choice":
      return [
        [type.of[0], String(type.of[0])],
        [type.of.at(-1), String(type.of.at(-1))],
      ];
    case "choices":
      return [
        [[type.of[0]], String(type.of[0])],
        [[...type.of].slice(0, 2), [...type.of].slice(0, 2).join(",")],
      ];
    case "texts":
      return [
        [["one", "two"], "one,two"],
        ["three", "three"],
      ];
    case "path":
      return [
        ["/a/b", "/a/b"],
        ["~/c", "HOME/c"],
      ];
    case "text":
      return [
        ["a", "a"],
        ["b c", "b c"],
      ];
  }
}

/** A home directory and a repository for configuration files. */
export function newPlace() {
  const root = mkdtempSync(join(tmpdir(), "waymark-config-"));
  const env = { HOME: root, WAYMARK_HOME: join(root, "data") };
  const user = join(root, ".config", "waymark", "config.toml");
  const repository = join(root, "repository");
  const project = join(repository, ".waymark", "config.toml");
  mkdirSync(join(repository, ".git"), { recursive: true });
  mkdirSync(join(repository, "deep", "er"), { recursive: true });
  const write = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  return {
    root,
    env,
    user,
    repository,
    project,
    write,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
