import { speech as icmp } from "./icmp/speech/index.ts";
import type { KindSpeech } from "./speech.ts";

const speeches: Readonly<Record<string, KindSpeech>> = { ICMP: icmp };

export const allSpeeches: readonly KindSpeech[] = Object.values(speeches);

export function findSpeech(checkType: string): KindSpeech | null {
  return speeches[checkType] ?? null;
}
