import type { Machine, SessionLocation } from "../agent.ts";
import { applicationFolder } from "../common/application-folder.ts";

/**
 * `data/sessions/<session>/` has the session's record and the messages of every agent. They are read together, because
 * all of them work on one list. The extension wrote `tasks/<session>/ui_messages.json`.
 */
export function locations(machine: Machine): readonly SessionLocation[] {
  const { home, env, join } = machine;
  const data = env.CLINE_DATA_DIR || join(env.CLINE_DIR || join(home, ".cline"), "data");
  const storage = join(applicationFolder(machine), "Code", "User", "globalStorage");
  const tasks = /^([\w-]+)\/ui_messages\.json$/;
  const document = { depth: 1, kind: "document" } as const;
  return [
    {
      ...document,
      root: join(data, "sessions"),
      together: true,
      accept: named(/^([\w-]+)\/(?:\1|[\w-]+\.messages)\.json$/),
    },
    { ...document, root: join(data, "tasks"), accept: named(tasks) },
    { ...document, root: join(storage, "saoudrizwan.claude-dev", "tasks"), accept: named(tasks) },
  ];
}

function named(file: RegExp): SessionLocation["accept"] {
  return (path) => {
    const [, session] = file.exec(path.join("/")) ?? [];
    return session === undefined ? undefined : { session };
  };
}
