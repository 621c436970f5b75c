import type { CompletionPoint } from "./points.ts";
import { offers, pathPatterns } from "./posix.ts";

export function bashScript(points: readonly CompletionPoint[]): string {
  const shell = {
    offer: (words: string) => `COMPREPLY=($(compgen -W "${words}" -- "$cur"))`,
    files: 'COMPREPLY=($(compgen -f -- "$cur"))',
  };
  return `# waymark completion for bash. Add to ~/.bashrc: eval "$(waymark completion bash)"
_waymark_candidates() { waymark completion --words "$1" "\${chosen[@]}" 2>/dev/null; }
_waymark() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" word last="" i
  local -a chosen=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$last" in --session|--agent) chosen+=("$last" "$word") ;; esac
    last="$word"
    case "$at $word" in
      ${pathPatterns(points)}) at="\${at:+$at }$word" ;;
    esac
  done
${offers(shell, points)}
}
complete -F _waymark waymark`;
}
