import { Type } from "typebox";
import type { SeenCertificate } from "../../../contract/seen-certificate.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, OrNull } from "../../../platform/http/schema.ts";
import type {
  ScriptMeasurement,
  ScriptRequest,
  WatchedCertificate,
} from "../../../sandbox/script-run.ts";
import type { Run } from "../../kit/definition.ts";
import { buildPageDocument, createPageDocumentSchema } from "../../kit/scripts/page-document.ts";
import { maxDateMs } from "../../wire/tls/tls-facts.ts";

const CertificateSchema = Type.Object(
  {
    host: Type.String({ description: "`sslCheckDomain`.", examples: ["shop.example.com"] }),
    issuer: Described(OrNull(Type.String()), "Its issuer; `null` if it was not read.", "R11"),
    expiresAt: Described(
      OrNull(DateTime),
      "When it expires; `null` if it was not read.",
      "2027-01-15T00:00:00.000Z",
    ),
    error: Described(OrNull(Type.String()), "Why it was not read; `null` if it was.", null),
  },
  { title: "BrowserCertificate" },
);

export const DocumentSchema = createPageDocumentSchema("a browser check", {
  certificate: Described(
    OrNull(CertificateSchema),
    "The certificate of `sslCheckDomain`; `null` if there is no domain.",
  ),
});

type BrowserRun = Run<ScriptRequest, ScriptMeasurement>;

function findWatched({ outcome }: BrowserRun): WatchedCertificate | null {
  return (outcome.kind === "measured" && outcome.measurement.certificate) || null;
}

/**
 * Returns the certificate that the run read, as input for expiry alerts; `null` if it read none.
 */
export function findCertificate(run: BrowserRun): SeenCertificate | null {
  const watched = findWatched(run);
  return watched === null || "error" in watched ? null : watched;
}

function showCertificate(watched: WatchedCertificate) {
  const { host } = watched;
  if ("error" in watched) return { host, issuer: null, expiresAt: null, error: watched.error };
  const expiresAt = formatDateTime(new Date(Math.min(watched.expiresAtMs, maxDateMs)));
  return { host, issuer: watched.issuer, expiresAt, error: null };
}

export function buildBrowserDocument(run: BrowserRun) {
  const watched = findWatched(run);
  const certificate = watched === null ? null : showCertificate(watched);
  return { ...buildPageDocument(run), certificate };
}
