import type { Offer, Place } from "./shape.ts";

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}

function condition({ path, names }: Place): string {
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const own = names.map(({ name }) => name).join(" ");
  if (path.length === 0) return "__fish_use_subcommand";
  return [...seen, ...(own ? [`not __fish_seen_subcommand_from ${own}`] : [])].join("; and ");
}

function values(offer: Offer): string {
  if ("files" in offer) return "-F";
  if ("ask" in offer) return `-xa ${quoted(`(__waymark_ask ${offer.ask})`)}`;
  return offer.words.length === 0 ? "-x" : `-xa ${quoted(offer.words.join(" "))}`;
}

export function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap((place) => {
    const when = `complete -c waymark -n ${quoted(condition(place))}`;
    const isIn =
      place.argument && !("words" in place.argument && place.argument.words.length === 0);
    return [
      ...place.names.map(({ name, summary }) => `${when} -a ${name} -d ${quoted(summary)}`),
      ...place.flags.map(
        ({ name, summary, value }) =>
          `${when} -l ${name} -d ${quoted(summary)}${value ? ` ${values(value)}` : ""}`,
      ),
      ...(place.argument && isIn ? [`${when} ${values(place.argument).replace(/^-x/, "-")}`] : []),
    ];
  });
  return `# Completes waymark in fish. Save it as ~/.config/fish/completions/waymark.fish
function __waymark_ask
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
