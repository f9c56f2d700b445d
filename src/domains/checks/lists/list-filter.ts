import type { CheckStatus } from "../check.ts";

/** State of a check in lists: its status, or inactive if deactivated. Ordered worst first. */
export const listStates = ["failing", "degraded", "unknown", "passing", "inactive"] as const;
export type ListState = CheckStatus | "inactive";

/** A field matches if one of its values matches; all given fields must match. */
export interface ListFilter {
  /** Searched in the name, the target and the tags. */
  readonly search?: string | undefined;
  readonly state?: readonly ListState[] | undefined;
  readonly checkType?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  /** Group ids; 0 means no group. */
  readonly groupId?: readonly number[] | undefined;
  readonly location?: readonly string[] | undefined;
  readonly activated?: boolean | undefined;
  readonly muted?: boolean | undefined;
}

/** Data about the account's checks that other modules provide. */
export interface ListFacts {
  /** Checks without recent results; their stored status is ignored. */
  readonly silentIds: readonly string[];
  /** Location of a check without configured locations. */
  readonly defaultLocation: string;
}
