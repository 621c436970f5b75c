export const VERSIONS: Readonly<Record<22 | 24 | 26, string>>;
export function installNode(line: keyof typeof VERSIONS): Promise<string>;
