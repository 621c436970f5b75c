// `node swapper.mjs TARGET FILE …` puts links to the target in the place of the files and takes them away
// again, until it is ended. Says that it begins, and at the end how many there were.
import { renameSync, rmSync, symlinkSync } from "node:fs";

const [target, ...files] = process.argv.slice(2);
let swaps = 0;
let over = false;
process.on("SIGTERM", () => {
  over = true;
});

/** Others are at the same names, on purpose. */
function tryTo(work) {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

console.log("swapping");
while (!over) {
  for (let n = 0; n < 50; n++) {
    for (const file of files) {
      const link = `${file}.link`;
      tryTo(() => symlinkSync(target, link));
      if (tryTo(() => renameSync(link, file))) swaps += 1;
      tryTo(() => rmSync(file));
    }
  }
  // Lets the signal in.
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(swaps);
