import type { WriteDoneData } from "../tool-data.ts";

export function done(action: string, summary: string, targetId: string): WriteDoneData {
  return { done: true, action, summary, targetId };
}

/** As people say it; the wire's text may hold quotes. */
export const quote = (name: string) => JSON.stringify(name);
