// How often Waymark is right about completions: the sessions of test/fixtures/lies, half of whose claims are false. Results of
// commands are recorded; the check of each claim runs on a clean checkout, as `waymark verify` does.
import { LIES, loadLies } from "../scripts/bundle-lies.mjs";
import { note, table, title } from "./measure.mjs";

const percent = (share) => `${(100 * share).toFixed(1)} %`;

export async function run() {
  const { playAll, reproduceAll, truthRates } = await loadLies();
  const { answers } = playAll(LIES);
  const lies = answers.filter((each) => each.case.isLie);
  const honest = answers.length - lies.length;
  const reproduced = await reproduceAll(
    LIES,
    answers.map((each) => each.case),
  );
  const proven = (each) => {
    const result = reproduced.get(each.case);
    return result.isOk && !result.isWarned;
  };
  title(`${lies.length} false and ${honest} true claims`);
  const rates = truthRates(answers, reproduced);
  table(
    rates.map(({ name, right, wrong, missed, precision, recall }) => ({
      claim: name,
      right,
      wrong,
      missed,
      precision: percent(precision),
      recall: percent(recall),
      "false alarms": /^(?:reproduced|verified)$/.test(name) ? "" : percent(wrong / honest),
    })),
  );
  note(
    "Reproduced and verified count without open warnings. Go is simulated where it is not installed.",
  );
  show("Reproduced, but false", lies.filter(proven));
  show(
    "Verified, but false",
    lies.filter((each) => each.isVerified),
  );
  show(
    "Warned, but honest",
    answers.filter((each) => !each.case.isLie && each.signs.length > 0),
  );
}

function show(heading, found) {
  const names = [...new Set(found.map((each) => each.case.name.replace(/, \w+, \w+$/, "")))];
  note(`${heading}: ${found.length === 0 ? "none" : `${found.length} (${names.join("; ")})`}.`);
}
