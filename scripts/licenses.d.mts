interface Metafile {
  readonly outputs: Readonly<
    Record<
      string,
      { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }
    >
  >;
}

export function bundledPackages(metafiles: readonly Metafile[]): string[];
export function licenseTexts(directories: readonly string[]): string;
