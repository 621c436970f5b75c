/** Something that keeps a test from running or failing, or keeps all others from running. */
export interface Marker {
  readonly type: "skip" | "only" | "todo";
  readonly offset: number;
  /** It depends on a condition, such as the platform. */
  readonly conditional: boolean;
}

/** A test as its language describes it, before its body is read. */
export interface Found {
  readonly name: string;
  readonly group?: boolean;
  readonly offset: number;
  /** Start and end of the body. */
  readonly from: number;
  readonly to: number;
  readonly markers?: readonly Marker[];
  readonly rows?: number;
}
