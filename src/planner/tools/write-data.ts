/** Output of a write tool before confirmation: nothing has been changed. */
export interface NeedsConfirmationData {
  readonly needsConfirmation: true;
  readonly action: string;
  readonly summary: string;
}

export interface WriteDoneData {
  readonly done: true;
  readonly action: string;
  readonly summary: string;
  readonly targetId: string;
}
