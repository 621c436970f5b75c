export type PackageFiles = Readonly<Record<string, string>>;
export function lockedPackages(
  name: "biome" | "browser" | "mcp-1" | "postgres" | "sdk",
): PackageFiles;
export function exactPackages(dependencies: Readonly<Record<string, string>>): PackageFiles;
export function installedPackages(name: string, files: PackageFiles): string | undefined;
export function installPackages(
  name: string,
  files: PackageFiles,
  options?: {
    say?: (line: string) => void;
    finish?: (dir: string) => void | Promise<void>;
  },
): Promise<string>;
