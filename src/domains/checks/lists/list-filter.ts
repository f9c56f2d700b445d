import type { CheckStatus } from "../check.ts";

/** What a list shows of a check: its status, or that it is switched off. The worst comes first. */
export const listStates = ["failing", "degraded", "unknown", "passing", "inactive"] as const;
export type ListState = CheckStatus | "inactive";

/** Of each field any value is enough; all fields that are given must match. */
export interface ListFilter {
  /** In the name, the target or a tag. */
  readonly search?: string | undefined;
  readonly state?: readonly ListState[] | undefined;
  readonly checkType?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  /** Groups by their ids; 0 is no group. */
  readonly groupId?: readonly number[] | undefined;
  readonly location?: readonly string[] | undefined;
  readonly activated?: boolean | undefined;
  readonly muted?: boolean | undefined;
}

/** What only other rooms know of the checks of an account. */
export interface ListFacts {
  /** Checks without recent results: whatever is stored, nothing is known of them. */
  readonly silentIds: readonly string[];
  /** Where a check runs that names no location. */
  readonly defaultLocation: string;
}
