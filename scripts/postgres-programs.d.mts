/** Starts a run of servers; returns the function that removes its files. */
export function startPostgresRun(): () => void;
export function postgresPrograms(): Promise<{
  readonly bin: string;
  readonly as: { readonly uid?: number; readonly gid?: number };
  createDirectory(): string;
}>;
