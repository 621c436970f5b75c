import type { CompletionPoint } from "./points.ts";
import { offers, pathPatterns } from "./posix.ts";

export function zshScript(points: readonly CompletionPoint[]): string {
  const shell = {
    // Splits at whitespace, which bash does by default.
    offer: (words: string) => `compadd -- \${=:-"${words}"}`,
    files: "_files",
  };
  return `#compdef waymark
# waymark completion for zsh. Add to ~/.zshrc, after compinit: eval "$(waymark completion zsh)"
_waymark_candidates() { waymark completion --words "$1" "\${chosen[@]}" 2>/dev/null }
_waymark() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" at="" word last=""
  local -a chosen
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$last" in --session|--agent) chosen+=("$last" "$word") ;; esac
    last="$word"
    case "$at $word" in
      ${pathPatterns(points)}) at="\${at:+$at }$word" ;;
    esac
  done
${offers(shell, points)}
}
compdef _waymark waymark`;
}
