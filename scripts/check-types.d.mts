export const PEERS: Readonly<Record<string, readonly string[]>>;
export const MODULES: Readonly<Record<"NodeNext" | "Node16" | "Bundler", CompilerOptions>>;
export const STRICT: CompilerOptions;
export type CompilerOptions = Readonly<Record<string, unknown>>;
export function makeConsumer(dir: string, packages?: readonly string[]): void;
export function linkPackage(dir: string, name: string): void;
export function importAll(names?: readonly string[]): string;
export function compile(
  dir: string,
  program: string | Readonly<Record<string, string>>,
  options: CompilerOptions,
  tsc?: string,
): string;
