import type { Machine, Place } from "../agent.ts";
import { fields, text } from "../common/values.ts";

/** `~/.gemini`, or the same below the folder that stands in for the home. */
function folderOf(machine: Machine): string {
  return machine.join(machine.env.GEMINI_CLI_HOME || machine.home, ".gemini");
}

export function places(machine: Machine): readonly Place[] {
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

/** `<project>/chats/session-….jsonl`, or `<project>/chats/<session>/<agent>.jsonl` of a subagent. */
function chatFile(path: readonly string[]): ReturnType<Place["accept"]> {
  const [, chats, third = "", fourth] = path;
  if (chats !== "chats" || path.length > 4) return undefined;
  // The name has only the beginning of the session's id; the first line has all of it.
  if (fourth === undefined) return /^session-.+\.jsonl$/.test(third) ? {} : undefined;
  const agent = /^(.+)\.jsonl$/.exec(fourth)?.[1];
  return agent === undefined ? undefined : { session: third, agent, parent: "main" };
}

/** `<project>/<session>/tracker/<task>.json`. */
function trackerFile(path: readonly string[]): ReturnType<Place["accept"]> {
  const [, session, folder, name = ""] = path;
  if (path.length !== 4 || session === undefined || folder !== "tracker") return undefined;
  return /^[0-9a-f]{6}\.json$/.test(name) ? { session } : undefined;
}

/** Older versions kept a whole chat as one document. */
function oldChat(path: readonly string[]): ReturnType<Place["accept"]> {
  const [, folder, name = ""] = path;
  return path.length === 3 && folder === "chats" && /^session-.+\.json$/.test(name)
    ? {}
    : undefined;
}

/** The file that says which folder a project's short name stands for. */
export function projectsFile(machine: Machine): string {
  return machine.join(folderOf(machine), "projects.json");
}

/** Working directory of a project, by what stands in `projects.json`. */
export function projectFolder(document: unknown, project: string): string | undefined {
  const known = Object.entries(fields(fields(document)?.projects) ?? {});
  return known.find(([, name]) => text(name) === project)?.[0];
}
