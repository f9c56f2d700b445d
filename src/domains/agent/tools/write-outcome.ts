import type { WriteDoneData } from "../tool-data.ts";

export function done(action: string, summary: string, targetId: string): WriteDoneData {
  return { done: true, action, summary, targetId };
}

/** Quotes a name as JSON, because it may contain quotes. */
export const quote = (name: string) => JSON.stringify(name);
