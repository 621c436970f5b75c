import type { Candidates, CompletionPoint } from "./points.ts";

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}

function condition({ path, names }: CompletionPoint): string {
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const own = names.map(({ name }) => name).join(" ");
  if (path.length === 0) return "__fish_use_subcommand";
  return [...seen, ...(own ? [`not __fish_seen_subcommand_from ${own}`] : [])].join("; and ");
}

function values(candidates: Candidates): string {
  if ("files" in candidates) return "-F";
  if ("dynamic" in candidates)
    return `-xa ${quoted(`(__waymark_candidates ${candidates.dynamic})`)}`;
  return candidates.words.length === 0 ? "-x" : `-xa ${quoted(candidates.words.join(" "))}`;
}

export function fishScript(points: readonly CompletionPoint[]): string {
  const lines = points.flatMap((point) => {
    const when = `complete -c waymark -n ${quoted(condition(point))}`;
    const hasCandidates =
      point.argument && !("words" in point.argument && point.argument.words.length === 0);
    return [
      ...point.names.map(({ name, summary }) => `${when} -a ${name} -d ${quoted(summary)}`),
      ...point.flags.map(
        ({ name, summary, value }) =>
          `${when} -l ${name} -d ${quoted(summary)}${value ? ` ${values(value)}` : ""}`,
      ),
      ...(point.argument && hasCandidates
        ? [`${when} ${values(point.argument).replace(/^-x/, "-")}`]
        : []),
      ...(point.after ?? []).map(
        ({ word, words }) =>
          `complete -c waymark -n ${quoted(`${condition(point)}; and __fish_seen_subcommand_from ${word}`)} -a ${quoted(words.join(" "))}`,
      ),
    ];
  });
  return `# waymark completion for fish. Save as ~/.config/fish/completions/waymark.fish
function __waymark_candidates
  set -l words (commandline -opc)
  set -l chosen
  for i in (seq 2 (count $words))
    if contains -- $words[(math $i - 1)] --session --agent
      set -a chosen $words[(math $i - 1)] $words[$i]
    end
  end
  waymark completion --words $argv[1] $chosen 2>/dev/null
end
complete -c waymark -f
${lines.join("\n")}`;
}
