/** What a call does that matters to evidence. */
export interface Effect {
  readonly edits?: true;
  /** The command, where its success would prove something. */
  readonly check?: string;
}

/** Which tools edit and which commands check, beyond what is known. */
export interface EvidenceTable {
  readonly checks: readonly string[];
  readonly edits: readonly string[];
}

const EDITORS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"]);

export function effectOf(
  name: string,
  _input: unknown,
  { edits = [] }: Partial<EvidenceTable> = {},
): Effect {
  return EDITORS.has(name) || edits.includes(name) ? { edits: true } : {};
}
