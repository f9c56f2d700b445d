import { toShortLine } from "../../platform/text/clip.ts";
import { writeCount } from "../../platform/text/figures.ts";
import type { AlertKind, AlertMessage } from "./alert-text.ts";
import { type AlertTone, decideTone } from "./alert-text.ts";

/**
 * Tones of alerts, such as "failing" or "recovered", worst first. A digest combines several alerts.
 * The worst tone of these alerts decides the kind of the digest.
 */
const tones: readonly AlertTone[] = ["failing", "degraded", "neutral", "recovered"];

const kinds: Readonly<Record<AlertTone, AlertKind>> = {
  failing: "ALERT_FAILURE",
  degraded: "ALERT_DEGRADED",
  recovered: "ALERT_RECOVERY",
  neutral: "ALERT_TEST",
};

const verbs: Readonly<Record<AlertTone, string>> = {
  failing: "failing",
  degraded: "degraded",
  recovered: "recovered",
  neutral: "other",
};

/** Returns the value that all list items have in common; `null` if the items differ. */
function findCommon<Value>(values: readonly Value[]): Value | null {
  const [first = null, ...others] = new Set(values);
  return others.length === 0 ? first : null;
}

function countChecks(messages: readonly AlertMessage[]): number {
  return new Set(messages.map(({ checkId }) => checkId)).size;
}

/**
 * Returns a title such as "54 checks are failing: Shop 01 and 53 more, all in group Shop" or
 * "60 alerts: 54 failing, 6 recovered".
 */
function writeDigestTitle(
  messages: readonly AlertMessage[],
  byTone: ReadonlyMap<AlertTone, readonly AlertMessage[]>,
): string {
  const parts = tones.flatMap((tone) => {
    const count = byTone.get(tone)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${verbs[tone]}`];
  });
  const checks = countChecks(messages);
  if (byTone.size > 1 || checks < 2) {
    return `${writeCount(messages.length, "alert")}: ${parts.join(", ")}`;
  }
  const state = byTone.has("failing") ? "are failing" : "are degraded";
  const first = toShortLine(messages[0]?.checkName ?? "", 60);
  const group = findCommon(messages.map(({ groupName }) => groupName));
  const where = group === null ? "" : `, all in group ${toShortLine(group, 60)}`;
  const what = byTone.has("recovered") ? "have recovered" : state;
  return `${checks} checks ${what}: ${first} and ${checks - 1} more${where}`;
}

/** Returns the URL of the alert list in the application; `null` if no message has an alert URL. */
function findListUrl(messages: readonly AlertMessage[]): string | null {
  const firstUrl = messages.map(({ alertUrl }) => alertUrl).find((url) => typeof url === "string");
  const origin = URL.parse(firstUrl ?? "")?.origin;
  return origin === undefined ? null : `${origin}/alerts`;
}

/**
 * Combines messages into a digest. The result is deterministic, so every delivery attempt sends the
 * same text. Without an own link of the caller, a digest has no acknowledge link, because the links
 * of its messages acknowledge only one alert each.
 */
export function composeDigest(
  messages: readonly AlertMessage[],
  idempotencyKey: string,
  when: "within a minute" | "during quiet hours" = "within a minute",
): AlertMessage {
  const byTone = Map.groupBy(messages, ({ kind }) => decideTone(kind));
  const worst = tones.find((tone) => byTone.has(tone)) ?? "neutral";
  const times = messages.map(({ startedAt }) => startedAt).toSorted();
  const cause = findCommon((byTone.get(worst) ?? []).map(({ reason }) => reason));
  return {
    idempotencyKey,
    kind: kinds[worst],
    title: writeDigestTitle(messages, byTone),
    reason: cause ?? `${writeCount(messages.length, "alert")} ${when}.`,
    checkId: messages[0]?.checkId ?? "",
    checkName: writeCount(countChecks(messages), "check"),
    checkType: findCommon(messages.map(({ checkType }) => checkType)) ?? "",
    target: "",
    groupName: findCommon(messages.map(({ groupName }) => groupName)),
    tags: [],
    resultId: null,
    resultUrl: null,
    alertUrl: findListUrl(messages),
    location: findCommon(messages.map(({ location }) => location)),
    locationName: findCommon(messages.map(({ location, locationName = location }) => locationName)),
    responseTimeMs: null,
    facts: [],
    startedAt: times[0] ?? "",
    isReminder: false,
    reminderSequence: 0,
    acknowledgeUrl: null,
    digest: messages,
  };
}
