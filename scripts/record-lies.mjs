// node scripts/record-lies.mjs: runs the commands of test/fixtures/lies whose results are not in recorded.json, and
// removes results that no session uses. Needs git, make, python3 and cargo.
import { LIES, loadLies } from "./bundle-lies.mjs";

const { playAll } = await loadLies();
const { answers, recorded } = playAll(LIES, { record: true });
const wrong = answers.filter((each) => each.isTrue === each.case.isLie);
for (const each of wrong) console.error(`Wrong label: ${each.case.name}`);
console.log(`${answers.length} sessions, ${recorded} results in ${LIES}/recorded.json`);
process.exitCode = wrong.length > 0 ? 1 : 0;
