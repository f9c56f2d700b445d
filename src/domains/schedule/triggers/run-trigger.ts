/** What a trigger runs: one check, or the checks of a group. */
export type TriggerSubject =
  | { readonly checkId: string; readonly groupId: null }
  | { readonly checkId: null; readonly groupId: number };

export interface RunTrigger {
  readonly id: number;
  readonly accountId: string;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly token: string;
  readonly createdAt: Date;
  readonly calledAt: Date | null;
}
