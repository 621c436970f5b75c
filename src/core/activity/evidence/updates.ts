/** Programs that run tests, also through a script: `npm test -- -u`. */
const RUNNER =
  /^(?:jest|vitest|ava|tap|pytest|playwright|node|test|tests|insta)$|(?:^|:)test(?::|$)/;
const UPDATE =
  /^(?:-u|--?update|--updateSnapshots?|--(?:test-)?update-snapshots?|--snapshot-update|--accept|--inline-snapshot|--force-regen|--regen-all)(?:=|$)/;
/** `UPDATE_SNAPSHOTS=1`, `INSTA_UPDATE=always`. */
const VARIABLE =
  /^(?:(?:UPDATE|REGEN|REGENERATE|ACCEPT|OVERWRITE)_\w*(?:SNAP|GOLD|EXPECT|FIXTURE|BASELINE)\w*|UPDATE_EXPECT|INSTA_UPDATE|INSTA_FORCE_PASS|SNAPSHOT_UPDATE|TRYBUILD)=(?!0?$|no$|false$|new$)/;

/** Whether a command rewrites recorded results instead of comparing with them: such a run always passes. */
export function updatesResults(words: readonly string[]): boolean {
  if (words.some((word) => VARIABLE.test(word))) return true;
  if (!words.some((word) => RUNNER.test(word))) return false;
  return words.includes("insta") && words.includes("accept")
    ? true
    : words.some((word) => UPDATE.test(word));
}
