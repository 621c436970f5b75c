interface Offered {
  readonly tools: readonly object[];
  readonly resources: readonly object[];
  readonly resourceTemplates: readonly object[];
  readonly prompts: readonly object[];
}
export function loadMcp(root: string): Offered;
export function mcpReference(offered: Offered): string;
