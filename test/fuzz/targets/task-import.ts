import { readClaudeTasks } from "../../../src/agents/claude-code/task-files.ts";
import { readBeads } from "../../../src/tasks/formats/beads.ts";
import { readTaskExport, readTaskLines } from "../../../src/tasks/formats/jsonl.ts";
import { readMarkdownLines, readMarkdownTasks } from "../../../src/tasks/formats/markdown.ts";
import { readTaskMaster } from "../../../src/tasks/formats/task-master.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import { holds, same } from "../check.ts";

const SENDER = { by: "user", via: "fuzz" } as const;

/** Tasks of other tools are added whole or refused; nothing is lost silently. */
export async function fuzz(bytes: Buffer): Promise<void> {
  const text = bytes.toString();
  const all = [
    readBeads(text),
    readTaskExport(text, "x"),
    readMarkdownTasks(text, "x"),
    readTaskMaster(text, "x"),
    readClaudeTasks([{ path: "1.json", content: text }], "x"),
  ];
  for (const { drafts, skipped } of all) {
    for (const { where, why } of skipped)
      holds("a skipped entry has place and reason", where !== "" && why !== "");
    if (drafts.length === 0) continue;
    const store = memoryTaskStore();
    const { ok } = await store.apply({ op: "add", tasks: drafts }, SENDER);
    const { length } = await store.list({});
    // Entries of one name are one task.
    const names = new Set(drafts.map(({ ref }, index) => ref ?? index));
    same("all or none", length, ok ? names.size : 0);
    await store.close();
  }
  for (const { drafts, lines } of [readTaskLines(text), readMarkdownLines(text)])
    same("a line for each task", lines.length, drafts.length);
}
