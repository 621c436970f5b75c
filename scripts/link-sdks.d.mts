export function linkSdks(): Promise<void>;
