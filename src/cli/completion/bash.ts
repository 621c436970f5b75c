import { offers, pathPatterns } from "./posix.ts";
import type { Place } from "./shape.ts";

export function bashScript(places: readonly Place[]): string {
  const shell = {
    offer: (words: string) => `COMPREPLY=($(compgen -W "${words}" -- "$cur"))`,
    files: 'COMPREPLY=($(compgen -f -- "$cur"))',
  };
  return `# Completes waymark in bash. In ~/.bashrc: eval "$(waymark completion bash)"
_waymark_ask() { waymark completion --words "$1" "\${chosen[@]}" 2>/dev/null; }
_waymark() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" word last="" i
  local -a chosen=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$last" in --session|--agent) chosen+=("$last" "$word") ;; esac
    last="$word"
    case "$at $word" in
      ${pathPatterns(places)}) at="\${at:+$at }$word" ;;
    esac
  done
${offers(shell, places)}
}
complete -F _waymark waymark`;
}
