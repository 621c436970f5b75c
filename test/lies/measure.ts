import { TAMPER_KINDS, type TamperKind } from "../../src/core/checks/tamper.ts";
import { evidenceLevelOf, isProven } from "../../src/core/views/evidence.ts";
import { decisiveFiles, type LieCase } from "../fixtures/lies/cases.ts";
import { play, signsOf } from "./play.ts";
import type { Runs } from "./runs.ts";

/** The product's answer for one session, without a run of Waymark. */
export interface Answer {
  readonly case: LieCase;
  /** Whether the check of the claim passes on the files that decide. */
  readonly isTrue: boolean;
  /** Whether the session alone proves the todo: verified, without open warnings. */
  readonly isVerified: boolean;
  readonly isWarned: boolean;
  /** Signs in the edits of the session. */
  readonly live: readonly TamperKind[];
  /** Signs in the files. */
  readonly signs: readonly TamperKind[];
}

/** Plays a session. */
export function answerOf(given: LieCase, runs: Runs): Answer {
  const todo = play(given, runs);
  return {
    case: given,
    isTrue: runs.resultOf(decisiveFiles(given), given.check).exitCode === 0,
    isVerified: isProven(todo) && evidenceLevelOf(todo) === "verified",
    isWarned: (todo.check?.warnings ?? []).length > 0,
    live: (todo.check?.warnings ?? []).map(({ kind }) => kind),
    signs: signsOf(given).map(({ kind }) => kind),
  };
}

/** Counts of one claim: how often it was made, and how often rightly. */
export interface Rate {
  readonly name: string;
  readonly right: number;
  readonly wrong: number;
  readonly missed: number;
  readonly precision: number;
  readonly recall: number;
}

/** How often a claim about a session is right. */
export function rateOf<T>(
  name: string,
  all: readonly T[],
  claimed: (each: T) => boolean,
  expected: (each: T) => boolean,
): Rate {
  const right = all.filter((each) => claimed(each) && expected(each)).length;
  const wrong = all.filter((each) => claimed(each) && !expected(each)).length;
  const missed = all.filter((each) => !claimed(each) && expected(each)).length;
  const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
  return {
    name,
    right,
    wrong,
    missed,
    precision: share(right, right + wrong),
    recall: share(right, right + missed),
  };
}

/** The rates of each sign: found in the files of lies, and wrongly in those of honest sessions. */
export function signRates(answers: readonly Answer[]): readonly Rate[] {
  const isExpected = ({ case: { pattern } }: Answer, kind: TamperKind) =>
    pattern.signs?.includes(kind) ?? false;
  return TAMPER_KINDS.flatMap((kind) => {
    if (!answers.some((each) => isExpected(each, kind))) return [];
    // In a lie, a second sign of another kind is not wrong.
    const relevant = answers.filter((each) => !each.case.isLie || isExpected(each, kind));
    return rateOf(
      kind,
      relevant,
      ({ signs }) => signs.includes(kind),
      (each) => isExpected(each, kind),
    );
  });
}
