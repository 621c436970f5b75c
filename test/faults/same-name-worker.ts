// A process that writes lists and small files, with the same process id and random numbers as every
// other one.
import { join } from "node:path";
import { emptyTrack, evolve } from "../../src/core/evolve.ts";
import type { Change } from "../../src/core/model.ts";
import { replaceWithoutSync } from "../../src/engines/storage/files.ts";
import { writeSnapshot } from "../../src/stores/snapshot-file.ts";

const [dir = "", name = "", writes = "0"] = process.argv.slice(2);
Object.defineProperty(process, "pid", { value: 7 });
Math.random = () => 0.5;

const track = emptyTrack({ session: "s", agent: "main" });
const changes = Array.from({ length: 20 }, (_, n): Change => {
  const todo = { id: String(n + 1), text: `of ${name}`, status: "pending" } as const;
  return { type: "todo.added", todo };
});
const list = evolve(track, { seq: 1, key: "k", at: 1, by: "agent", via: "test", changes });
const problems: string[] = [];
for (let n = 0; n < Number(writes); n++) {
  try {
    writeSnapshot(dir, list, (message) => problems.push(message));
    replaceWithoutSync(join(dir, "small"), Array(1_000).fill(name).join(" "));
  } catch (error) {
    problems.push(String(error));
  }
}
process.stdout.write(`${problems.length === 0 ? "no problem" : problems.slice(0, 3).join("; ")}\n`);
