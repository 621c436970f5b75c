/** The text of a README whose relative links to files outside the package lead to the repository. */
export function packedReadme(
  text: string,
  options: {
    readonly repository: { readonly url: string };
    readonly isPacked: (path: string) => boolean;
  },
): string;
