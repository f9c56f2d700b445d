export interface Account {
  readonly id: string;
  readonly name: string;
  /** Members without one may only set one up. */
  readonly requiresSecondFactor: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}
