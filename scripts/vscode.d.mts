export function buildExtension(folder: string): Promise<string>;
export function packExtension(folder: string, version: string): Promise<string>;
