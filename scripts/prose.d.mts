export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly phrase: string;
  readonly sentence: string;
  readonly use: string;
}
export function findingsIn(path: string, source: string): readonly Finding[];
export function isChecked(path: string): boolean;
export function sentencesIn(text: string): readonly string[];
