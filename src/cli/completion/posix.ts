import type { Offer, Place } from "./shape.ts";

export interface Shell {
  /** A statement that offers these words; `$cur` is what was typed so far. */
  readonly offer: (words: string) => string;
  readonly files: string;
}

function statement(shell: Shell, offer: Offer): string {
  if ("files" in offer) return shell.files;
  if ("ask" in offer) return shell.offer(`$(_waymark_ask ${offer.ask})`);
  return shell.offer(offer.words.join(" "));
}

/** Which words name a command, as the patterns of a case statement. */
export function pathPatterns(places: readonly Place[]): string {
  return places
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => `"${path.slice(0, -1).join(" ")} ${path.at(-1)}"`)
    .join("|");
}

/** The case statements that both bash and zsh understand: what to offer where. */
export function offers(shell: Shell, places: readonly Place[]): string {
  const valued = places.flatMap((place) =>
    place.flags.flatMap(({ name, value }) =>
      value
        ? [`    "${place.path.join(" ")}:--${name}") ${statement(shell, value)}; return ;;`]
        : [],
    ),
  );
  const flags = places.map(
    ({ path, flags: own }) =>
      `      "${path.join(" ")}") ${shell.offer(own.map(({ name }) => `--${name}`).join(" "))} ;;`,
  );
  const words = places.map(({ path, names, argument }) => {
    const offer = argument ?? { words: names.map(({ name }) => name) };
    return `    "${path.join(" ")}") ${statement(shell, offer)} ;;`;
  });
  return [
    '  case "$at:$prev" in',
    ...valued,
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
