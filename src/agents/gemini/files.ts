import type { Machine, SessionLocation } from "../agent.ts";
import { fields, text } from "../common/values.ts";

/** `.gemini` in the home directory or in `GEMINI_CLI_HOME`. */
function folderOf(machine: Machine): string {
  return machine.join(machine.env.GEMINI_CLI_HOME || machine.home, ".gemini");
}

export function locations(machine: Machine): readonly SessionLocation[] {
  const root = machine.join(folderOf(machine), "tmp");
  const directories = {
    file: projectsFile(machine),
    of: (document: unknown, [project = ""]: readonly string[]) => projectFolder(document, project),
  };
  return [
    { root, depth: 3, kind: "file", directories, accept: chatFile },
    { root, depth: 3, kind: "document", together: true, directories, accept: trackerFile },
    { root, depth: 2, kind: "document", directories, accept: oldChat },
  ];
}

/** `<project>/chats/session-….jsonl`, or `<project>/chats/<session>/<agent>.jsonl` for a subagent. */
function chatFile(path: readonly string[]): ReturnType<SessionLocation["accept"]> {
  const [, chats, third = "", fourth] = path;
  if (chats !== "chats" || path.length > 4) return undefined;
  // The file name has only the first characters of the session id; the first line has all of it.
  if (fourth === undefined) return /^session-.+\.jsonl$/.test(third) ? {} : undefined;
  const agent = /^(.+)\.jsonl$/.exec(fourth)?.[1];
  return agent === undefined ? undefined : { session: third, agent, parent: "main" };
}

/** `<project>/<session>/tracker/<task>.json`. */
function trackerFile(path: readonly string[]): ReturnType<SessionLocation["accept"]> {
  const [, session, folder, name = ""] = path;
  if (path.length !== 4 || session === undefined || folder !== "tracker") return undefined;
  return /^[0-9a-f]{6}\.json$/.test(name) ? { session } : undefined;
}

/** Chats of older versions, one document each. */
function oldChat(path: readonly string[]): ReturnType<SessionLocation["accept"]> {
  const [, folder, name = ""] = path;
  return path.length === 3 && folder === "chats" && /^session-.+\.json$/.test(name)
    ? {}
    : undefined;
}

/** The file that maps directories to the short names of projects. */
export function projectsFile(machine: Machine): string {
  return machine.join(folderOf(machine), "projects.json");
}

/** The working directory of a project, from `projects.json`. */
export function projectFolder(document: unknown, project: string): string | undefined {
  const known = Object.entries(fields(fields(document)?.projects) ?? {});
  return known.find(([, name]) => text(name) === project)?.[0];
}
