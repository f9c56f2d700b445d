/** The minute in which messages to a channel are counted. */
export const windowMs = 60_000;
/** So many messages of one minute are sent one by one; a storm is more than that. */
export const singleMessages = 3;

export interface ChannelWindow {
  readonly endsAtMs: number;
  /** With those of this batch. */
  readonly messageCount: number;
}

export interface Collection {
  readonly dueAtMs: number;
  /** True: sent together with the others that are due at the same time. */
  readonly isCollected: boolean;
}

/**
 * When the messages of one batch to a channel are sent. The first messages of a minute are sent at
 * once, so that nobody waits for a single alert; from the fourth on they wait for the end of the
 * minute and are sent together. A batch that is a storm by itself is one message at once.
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
