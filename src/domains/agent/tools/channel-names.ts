import { describeChannel as describeRecipient } from "../../alert-channels/index.ts";
import { clipForModel } from "./result-data.ts";

/** Telephone numbers are left out: an external model may read this. */
export function hideNumbers(recipient: string): string {
  return clipForModel(recipient.replaceAll(/\+?\d[\d ()-]{6,}\d/g, "number hidden"));
}

/** Whom a channel reaches, as a model may read it. */
export function describeChannel(channel: Parameters<typeof describeRecipient>[0]): string {
  return hideNumbers(describeRecipient(channel));
}
