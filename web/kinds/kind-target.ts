import type { Fields } from "./fields.ts";

/** What a kind is about: enough to choose it, to name its target and to make a new check. */
export interface KindTarget {
  /** `checkType` at the API. */
  readonly type: string;
  readonly label: string;
  /** What it does, in a few words. */
  readonly hint: string;
  /** What its runs are called in "Try it"; null: they come in by themselves. */
  readonly isOrdered: boolean;
  /** Whether its request may hold `{{NAME}}`. */
  readonly holdsVariables: boolean;
  /** The kind's own fields of a new check, as the API would fill them in. */
  readonly defaults: Fields;
  /** The one text that people type for it; null: it has no target. */
  readonly target: {
    readonly label: string;
    readonly example: string;
    /** The fields that the text stands for: a refusal of one is shown at it. */
    readonly paths: readonly string[];
    read(text: string): Fields;
    write(fields: Fields): string;
  } | null;
}
