/** A change notification of the event stream. It contains no data. */
export interface Change {
  readonly type: string;
  /** `null` if many objects changed. */
  readonly ids: readonly string[] | null;
}
