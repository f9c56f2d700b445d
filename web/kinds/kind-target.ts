import type { Fields } from "./fields.ts";

/** Basic properties of a check type: its label, its target and its defaults. */
export interface KindTarget {
  /** `checkType` in the API. */
  readonly type: string;
  readonly label: string;
  /** Short description. */
  readonly hint: string;
  /**
   * Whether the server schedules its runs. `false` if they are reported from outside (heartbeats).
   */
  readonly isOrdered: boolean;
  /** Whether its request may contain `{{NAME}}`. */
  readonly holdsVariables: boolean;
  /** Default values of its fields in a new check, as in the API. */
  readonly defaults: Fields;
  /** The target as one text field, or `null` if it has no target. */
  readonly target: {
    readonly label: string;
    readonly example: string;
    /** Paths that the text represents. A validation error of one is shown at this field. */
    readonly paths: readonly string[];
    read(text: string): Fields;
    write(fields: Fields): string;
  } | null;
}
