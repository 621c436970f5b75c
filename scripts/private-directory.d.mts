export function privateDirectory(path: string, uid?: number): string;
export function cacheDirectory(options?: {
  env?: Readonly<Record<string, string | undefined>>;
  platform?: NodeJS.Platform;
  project?: string;
}): string;
