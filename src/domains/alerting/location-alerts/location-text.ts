import { toShortLine } from "../../../platform/text/clip.ts";
import type { WatchedLocation } from "../../locations/index.ts";
import type { UnaddressedMessage } from "../alert-message.ts";

export type LocationNews = "silence" | "return";

export interface ToldLocation {
  readonly location: WatchedLocation;
  readonly news: LocationNews;
  readonly checkCount: number;
  readonly startedAt: Date;
  readonly publicUrl: string;
}

export function explainLocation({ location, news, checkCount }: ToldLocation): string {
  const name = toShortLine(location.name, 100);
  const checks = checkCount === 1 ? "1 check runs" : `${checkCount} checks run`;
  return news === "silence"
    ? `No probe of the private location ${name} reports any more. ${checks} there; they have no results until one does.`
    : `A probe of the private location ${name} reports again.`;
}

/** What the channels are sent. It stands under the location's id, where a check has its own. */
export function writeLocationMessage(told: ToldLocation): UnaddressedMessage {
  const { location, news, startedAt, publicUrl } = told;
  const name = toShortLine(location.name, 100);
  return {
    kind: news === "silence" ? "ALERT_NO_DATA" : "ALERT_RECOVERY",
    title:
      news === "silence"
        ? `${name}: no probe of this private location reports`
        : `${name}: this private location is back`,
    reason: explainLocation(told),
    checkId: location.id,
    checkName: name,
    checkType: "PRIVATE_LOCATION",
    target: location.slugName,
    groupName: null,
    tags: [],
    resultId: null,
    resultUrl: `${publicUrl}/locations/${encodeURIComponent(location.slugName)}`,
    location: location.slugName,
    responseTimeMs: null,
    facts: [],
    startedAt: startedAt.toISOString(),
    isReminder: false,
    reminderSequence: 0,
    acknowledgeUrl: null,
  };
}
