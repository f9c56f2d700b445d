/** Length of the window in which messages to a channel are counted. */
export const windowMs = 60_000;
/** Number of messages per window that are sent individually; further ones form a digest. */
export const singleMessages = 3;

export interface ChannelWindow {
  readonly endsAtMs: number;
  /** Includes the messages of the current batch. */
  readonly messageCount: number;
}

export interface Collection {
  readonly dueAtMs: number;
  /** True if the message is sent together with the others due at the same time. */
  readonly isCollected: boolean;
}

/**
 * Decides when the messages of one batch to a channel are sent. The first three messages of a
 * minute are sent immediately. Later ones wait for the end of the minute and are sent as one
 * digest. A batch with more than three messages is sent immediately as one digest.
 */
export function decideCollection(
  { endsAtMs, messageCount }: ChannelWindow,
  batchCount: number,
  nowMs: number,
): Collection {
  const isFirst = messageCount === batchCount;
  if (isFirst) return { dueAtMs: nowMs, isCollected: batchCount > singleMessages };
  const isStorm = messageCount > singleMessages;
  return isStorm
    ? { dueAtMs: endsAtMs, isCollected: true }
    : { dueAtMs: nowMs, isCollected: false };
}
