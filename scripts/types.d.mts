export interface Entry {
  readonly name: string;
  readonly file: string;
}
export function entries(): readonly Entry[];
export const SHARED: string;
export function writeTypes(target?: string, options?: { readonly isShared?: boolean }): number;
