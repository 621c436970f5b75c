/** A small change of a source: `text` replaces what is from `start` to `end`. */
export interface Mutant {
  readonly kind: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function mutantsOf(source: string): readonly Mutant[];
export function mutated(source: string, mutant: Mutant): string;
export function withSwitches(
  source: string,
  mutants: readonly (Mutant & { readonly id: number })[],
): string;

/** An entry of mutants-equivalent.json: a change that changes no behavior, and why. */
export interface EquivalentMutant {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export function isEquivalent(
  entry: EquivalentMutant,
  mutant: Mutant & { readonly file: string },
  source: string,
): boolean;
