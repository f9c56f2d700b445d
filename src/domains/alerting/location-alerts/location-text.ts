import { toShortLine } from "../../../platform/text/clip.ts";
import type { WatchedLocation } from "../../locations/index.ts";
import type { UnaddressedMessage } from "../alert-message.ts";

export type LocationChange = "outage" | "return";

export interface LocationReport {
  readonly location: WatchedLocation;
  readonly change: LocationChange;
  readonly checkCount: number;
  readonly startedAt: Date;
  readonly publicUrl: string;
}

export function explainLocation({ location, change, checkCount }: LocationReport): string {
  const name = toShortLine(location.name, 100);
  const checks = checkCount === 1 ? "1 check runs" : `${checkCount} checks run`;
  return change === "outage"
    ? `No probe of the private location ${name} is online. ${checks} there; they have no results until a probe is online again.`
    : `A probe of the private location ${name} is online again.`;
}

/** Writes the message sent to the channels. The location's id takes the place of the check id. */
export function writeLocationMessage(report: LocationReport): UnaddressedMessage {
  const { location, change, startedAt, publicUrl } = report;
  const name = toShortLine(location.name, 100);
  return {
    kind: change === "outage" ? "ALERT_NO_DATA" : "ALERT_RECOVERY",
    title:
      change === "outage"
        ? `${name}: no probe of this private location is online`
        : `${name}: this private location is online again`,
    reason: explainLocation(report),
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
