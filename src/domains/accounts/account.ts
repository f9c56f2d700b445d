export interface Account {
  readonly id: string;
  readonly name: string;
  /** When true, a member without a second factor can do nothing except set one up. */
  readonly requiresSecondFactor: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}
