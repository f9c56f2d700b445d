/** What the event stream says of a change: never the data. */
export interface Change {
  readonly type: string;
  /** Null: many. */
  readonly ids: readonly string[] | null;
}
