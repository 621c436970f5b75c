import { chmodSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { checkConfigText, type FileKind } from "../../config/file.ts";
import { givenEnvironment } from "../../config/load.ts";
import { newProjectPath, projectConfigPath, userConfigPath } from "../../config/paths.ts";
import { WaymarkError } from "../../core/error.ts";
import { ensureDirectory, replaceFile } from "../../engines/storage/files.ts";
import { requireCurrentDirectory } from "../../home/current-directory.ts";
import { checked } from "../../setup/edit/document.ts";
import { toml } from "../../setup/edit/toml-edit.ts";
import { type ConfigFile, checkWritable, readConfig } from "../../setup/files.ts";
import type { Call, Options } from "../args/command.ts";
import { brokenFile } from "./problems.ts";

export const PROJECT_OPTION = {
  project: {
    type: "boolean",
    summary: "The file of the project, .waymark/config.toml, instead of your own",
    perCall: true,
  },
} as const satisfies Options;

type FileCall = Pick<Call<typeof PROJECT_OPTION>, "values" | "env">;

export interface ChosenFile {
  readonly kind: FileKind;
  readonly path: string;
}

/** The file that the options name, whether it exists or not. */
export function chosenFile({ values, env }: FileCall): ChosenFile {
  if (values.project) {
    const cwd = requireCurrentDirectory();
    return { kind: "project", path: projectConfigPath(cwd) ?? newProjectPath(cwd) };
  }
  const path = userConfigPath(givenEnvironment(env), process.platform);
  if (path !== undefined) return { kind: "user", path };
  throw new WaymarkError(
    "no_home",
    "There is no home directory for your configuration file. Set HOME or XDG_CONFIG_HOME.",
  );
}

/** The first line of a new file. */
export function newFileText(kind: FileKind): string {
  const about =
    kind === "user"
      ? "# Settings of Waymark: `waymark config list`, `waymark help environment`"
      : "# Settings of Waymark for agents in this repository";
  return `${about}\n`;
}

/** Edits a file in place: comments and layout stay. */
export function editFile(
  { kind, path }: ChosenFile,
  env: NodeJS.ProcessEnv,
  edit: (format: typeof toml, text: string) => string,
  isSecret = false,
): void {
  const found = readConfig(path);
  const before = found.text ?? newFileText(kind);
  const broken = checkConfigText(before, path, kind, givenEnvironment(env)).find(
    ({ key }) => key === undefined,
  );
  if (broken) throw brokenFile(broken);
  const refusal = new WaymarkError(
    "config_refused",
    `${path} cannot be edited in place. Nothing was written. Run \`waymark config edit\`.`,
  );
  const text = edit(checked(toml, path, refusal), before);
  if (text !== before) writeConfigFile(found, text, kind, isSecret);
}

const ONLY_OWNER = 0o700;

/** Writes atomically. The user's file is for the user only; that of a project has the mode of a new file in the repository. */
export function writeConfigFile(
  found: ConfigFile,
  text: string,
  kind: FileKind,
  isSecret: boolean,
): void {
  checkWritable({ found, text });
  if (readConfig(found.path).text !== found.text)
    throw new WaymarkError(
      "config_changed",
      `${found.path} was changed by another program in the meantime. Nothing was written. Run the command again.`,
    );
  const folder = dirname(found.real);
  const isNewFolder = statSync(folder, { throwIfNoEntry: false }) === undefined;
  ensureDirectory(folder);
  const before = statSync(found.real, { throwIfNoEntry: false });
  const forAll = ~process.umask();
  if (kind === "project" && isNewFolder) chmodSync(folder, 0o777 & forAll);
  const { gid } = statSync(folder);
  if (before && isSecret)
    replaceFile(found.real, text, { ...before, mode: before.mode & ONLY_OWNER });
  else if (before || kind === "user") replaceFile(found.real, text, before);
  else replaceFile(found.real, text, { mode: 0o666 & forAll, gid });
}
