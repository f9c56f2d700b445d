/** A write tool before somebody confirms it: nothing has been done. */
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
