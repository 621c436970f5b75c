import { languageOf } from "../languages.ts";
import type { Sign } from "../signs.ts";
import { mask } from "../source.ts";
import type { FileChange } from "../warning.ts";
import { kindOf, MAX_CONFIG } from "./files.ts";
import { firstOf, lineOf } from "./settings.ts";

const MINIMUM =
  /(?<![\w])(branches|functions|lines|statements|fail_under|fail-under|cov-fail-under|fail-under-lines|fail-under-regions|minimum_coverage|min_coverage|minCoverage|minimum|threshold|thresholds|target|coverage_threshold|covdir|break|min-score|mutation_threshold|perFile)["']?(?:\s*[:=>]\s*|\s+)["']?(-?\d+(?:\.\d+)?)%?/g;
const MAXIMUM =
  /(?<![\w])(max-warnings|maxWarnings|max-complexity|max_complexity|max-failures|maxfail)["']?(?:\s*[:=]\s*|\s+)["']?(\d+)/g;

interface Threshold {
  readonly key: string;
  readonly value: number;
  readonly offset: number;
  readonly file: string;
}

export function loweredThresholds(changes: readonly FileChange[]): readonly Sign[] {
  const signs: Sign[] = [];
  const all = (side: "before" | "after") =>
    changes.flatMap((change) => thresholdsOf(change.path, change[side]).map((each) => each));
  const now = all("after");
  for (const { path, before, after } of changes) {
    const own = now.filter(({ file }) => file === path);
    const seen = new Map<string, number>();
    for (const known of thresholdsOf(path, before)) {
      const index = seen.get(known.key) ?? 0;
      seen.set(known.key, index + 1);
      const same = own.filter(({ key }) => key === known.key)[index];
      if (
        same
          ? same.value >= known.value
          : now.some(
              ({ key, value, file }) => key === known.key && file !== path && value >= known.value,
            )
      )
        continue;
      signs.push({
        kind: "threshold_lowered",
        file: path,
        line: same && after !== null ? lineOf(after, same.offset) : null,
        text: `${known.key.replace(/^-/, "")} ${Math.abs(known.value)}`,
      });
    }
  }
  // One change of settings often has four numbers.
  return signs.slice(0, 4);
}

function thresholdsOf(path: string, text: string | null): readonly Threshold[] {
  const kind = kindOf(path);
  if (text === null || kind === undefined || text.length > MAX_CONFIG) return [];
  const language = languageOf(path);
  const plain = language
    ? mask(text, language).plain
    : text.replace(/(?<=^|\s)#(?!!)[^\n]*/gm, (comment) => " ".repeat(comment.length));
  const found: Threshold[] = [];
  for (const match of firstOf(plain, MINIMUM)) {
    if (
      /^(?:target|minimum|threshold|break|lines|functions)$/.test(match[1] ?? "") &&
      !/cov|nyc|c8|stryker|mutation|threshold|jest|vitest|simplecov|jacoco/i.test(
        `${path} ${plain.slice(Math.max(0, match.index - 400), match.index)}`,
      )
    )
      continue;
    // Codecov's threshold is how far coverage may fall.
    const isAllowance = match[1] === "threshold" && /codecov/.test(path);
    found.push({
      key: `${isAllowance ? "-" : ""}${match[1]}`,
      value: Number(match[2]) * (isAllowance ? -1 : 1),
      offset: match.index,
      file: path,
    });
  }
  for (const match of firstOf(plain, MAXIMUM))
    found.push({ key: `-${match[1]}`, value: -Number(match[2]), offset: match.index, file: path });
  return found;
}
