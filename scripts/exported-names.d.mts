export interface ExportedName {
  readonly name: string;
  readonly isValue: boolean;
}
export function exportedNames(file: string, text: string, shared?: string): readonly ExportedName[];
