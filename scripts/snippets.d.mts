export interface Snippet {
  readonly name: string;
  readonly program: string;
  /** It needs a package that only `npm run test:sdk` installs. */
  readonly isHeavy: boolean;
}
export function snippetsIn(file: string, text: string): readonly Snippet[];
