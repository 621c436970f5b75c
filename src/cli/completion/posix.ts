import type { Candidates, CompletionPoint } from "./points.ts";

export interface Shell {
  /** A statement that offers these words; `$cur` is the word typed so far. */
  readonly offer: (words: string) => string;
  readonly files: string;
}

function statement(shell: Shell, offer: Candidates): string {
  if ("files" in offer) return shell.files;
  if ("dynamic" in offer) return shell.offer(`$(_waymark_candidates ${offer.dynamic})`);
  return shell.offer(offer.words.join(" "));
}

/** Every command path, as patterns of a case statement. */
export function pathPatterns(points: readonly CompletionPoint[]): string {
  return points
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => `"${path.slice(0, -1).join(" ")} ${path.at(-1)}"`)
    .join("|");
}

/** The case statements that select candidates, for bash and zsh. */
export function offers(shell: Shell, points: readonly CompletionPoint[]): string {
  const valued = points.flatMap((point) =>
    point.flags.flatMap(({ name, value }) =>
      value
        ? [`    "${point.path.join(" ")}:--${name}") ${statement(shell, value)}; return ;;`]
        : [],
    ),
  );
  const values = points.flatMap(({ path, after = [] }) =>
    after.map(
      ({ word, words }) =>
        `    "${path.join(" ")}:${word}") ${shell.offer(words.join(" "))}; return ;;`,
    ),
  );
  const flags = points.map(
    ({ path, flags: own }) =>
      `      "${path.join(" ")}") ${shell.offer(own.map(({ name }) => `--${name}`).join(" "))} ;;`,
  );
  const words = points.map(({ path, names, argument }) => {
    const offer = argument ?? { words: names.map(({ name }) => name) };
    return `    "${path.join(" ")}") ${statement(shell, offer)} ;;`;
  });
  return [
    '  case "$at:$prev" in',
    ...valued,
    ...values,
    "  esac",
    '  case "$cur" in -*)',
    '    case "$at" in',
    ...flags,
    "    esac",
    "    return ;;",
    "  esac",
    '  case "$at" in',
    ...words,
    "  esac",
  ].join("\n");
}
