import { offers, pathPatterns } from "./posix.ts";
import type { Place } from "./shape.ts";

export function zshScript(places: readonly Place[]): string {
  const shell = {
    // Split at blanks and line ends, as bash does by itself.
    offer: (words: string) => `compadd -- \${=:-"${words}"}`,
    files: "_files",
  };
  return `#compdef waymark
# Completes waymark in zsh. In ~/.zshrc, after compinit: eval "$(waymark completion zsh)"
_waymark_ask() { waymark completion --words "$1" "\${chosen[@]}" 2>/dev/null }
_waymark() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" at="" word last=""
  local -a chosen
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$last" in --session|--agent) chosen+=("$last" "$word") ;; esac
    last="$word"
    case "$at $word" in
      ${pathPatterns(places)}) at="\${at:+$at }$word" ;;
    esac
  done
${offers(shell, places)}
}
compdef _waymark waymark`;
}
