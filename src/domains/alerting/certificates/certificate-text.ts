import { writeExpiry } from "../../../kinds/tls/tls-document.ts";
import { computeDaysLeft } from "../../../kinds/tls/tls-facts.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import type { AlertMessage } from "../../alert-channels/index.ts";
import type { DueCertificate } from "../../runs/index.ts";
import type { Watched } from "../../schedule/index.ts";

export function explainCertificate(host: string, expiresAt: Date, now: Date): string {
  const text = writeExpiry(expiresAt.getTime(), now.getTime());
  return `The certificate of ${toShortLine(host, 255)} ${text}.`;
}

/**
 * Writes the message sent to the channels. Certificate fields are untrusted, so they are clipped to
 * one short line.
 */
export function writeCertificateMessage(
  { checkId, kind, settings, groupName }: Watched,
  certificate: DueCertificate,
  about: { readonly now: Date; readonly alertUrl: string; readonly resultUrl: string },
): Omit<AlertMessage, "idempotencyKey"> {
  const { expiresAt, resultId, location } = certificate;
  const nowMs = about.now.getTime();
  const host = toShortLine(certificate.host, 255);
  const issuer = toShortLine(certificate.issuer, 100) || "unknown";
  const text = `certificate of ${host} ${writeExpiry(expiresAt.getTime(), nowMs)}`;
  return {
    kind: "ALERT_SSL",
    title: `${settings.name}: the ${text}`,
    reason: `The ${text}. It was issued by ${issuer}.`,
    checkId,
    checkName: settings.name,
    checkType: kind.type,
    target: kind.target(settings),
    groupName,
    tags: settings.tags,
    resultId,
    alertUrl: about.alertUrl,
    resultUrl: about.resultUrl,
    location,
    responseTimeMs: null,
    facts: [],
    startedAt: about.now.toISOString(),
    isReminder: false,
    reminderSequence: 0,
    certificate: {
      host,
      issuer,
      expiresAt: expiresAt.toISOString(),
      daysLeft: computeDaysLeft(expiresAt.getTime(), nowMs),
    },
    acknowledgeUrl: null,
  };
}
