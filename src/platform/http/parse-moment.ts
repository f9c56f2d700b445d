import { invalid } from "../errors.ts";

/** A leap second has the right form and yet is no moment that a clock of ours knows. */
export function parseMoment(key: string, text: string | undefined): number | null {
  const moment = text === undefined ? null : Date.parse(text);
  if (Number.isNaN(moment)) throw invalid(key, "must be a moment that exists", "querystring");
  return moment;
}
