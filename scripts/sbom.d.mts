interface Component {
  readonly type: string;
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

/** The bill of materials of a checkout that is built. */
export function billOfMaterials(unique: { readonly time: string; readonly serial: string }): {
  readonly components: readonly Component[];
};
