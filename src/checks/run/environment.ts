import { SECRET_VARIABLES } from "../../agents/secret-variables.ts";

/** Every process of a run has this variable, so that it is found even if it left the process group. */
export const MARKER = "WAYMARK_CHECK_RUN";

/** Variables that name the directory of the caller, or redirect programs to it. */
const PLACES: readonly string[] = [
  "GIT_*",
  "INIT_CWD",
  "OLDPWD",
  "PWD",
  "WAYMARK_*",
  "npm_config_local_prefix",
  "npm_lifecycle_*",
  "npm_package_*",
];

const REMOVED = [...SECRET_VARIABLES, ...PLACES];

function isAmong(names: readonly string[], name: string): boolean {
  return names.some((each) =>
    each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : name === each,
  );
}

/** The environment without secrets of agents and the named variables. */
export function withoutSecrets(
  env: NodeJS.ProcessEnv,
  others: readonly string[],
): NodeJS.ProcessEnv {
  const removed = [...SECRET_VARIABLES, ...others];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isAmong(removed, name)));
}

export interface CheckPlace {
  readonly cwd: string;
  /** The directory for temporary files of the run. */
  readonly temporary: string;
  readonly marker: string;
}

/** The environment of a check: that of the caller without secrets of agents, with a directory for temporary files. */
export function checkEnvironment(
  env: NodeJS.ProcessEnv,
  { cwd, temporary, marker }: CheckPlace,
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !isAmong(REMOVED, name));
  return {
    // Test runners then neither watch files nor record new snapshots.
    CI: "1",
    ...Object.fromEntries(kept),
    PWD: cwd,
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
    [MARKER]: marker,
  };
}
