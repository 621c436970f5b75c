export interface Entry {
  readonly name: string;
  readonly file: string;
}
export function entries(): readonly Entry[];
export function writeTypes(target?: string): number;
