import { describeChannel as describeRecipient } from "../../alert-channels/index.ts";
import { clipForModel } from "./result-data.ts";

/** Hides telephone numbers, because an external model may read the text. */
export function hideNumbers(recipient: string): string {
  return clipForModel(recipient.replaceAll(/\+?\d[\d ()-]{6,}\d/g, "number hidden"));
}

/** Describes the recipient of a channel for a model. */
export function describeChannel(channel: Parameters<typeof describeRecipient>[0]): string {
  return hideNumbers(describeRecipient(channel));
}
