import { changeArchive } from "../../src/sessions/archive.ts";

/** Changes the archive until it is killed. */
const [home = ""] = process.argv.slice(2);
for (let index = 0; ; index++) {
  await changeArchive(home, [{ session: `w${index % 5}`, archived: true, seen: index }], index);
  process.stdout.write(".");
}
