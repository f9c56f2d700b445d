import {
  createSecureContext,
  DEFAULT_CIPHERS,
  getCACertificates,
  type SecureContext,
} from "node:tls";
import type { ClientCertificate } from "../../../contract/order.ts";
import { trustSystemStore } from "../../tls/trust.ts";

/** Allows weak protocols and ciphers, because the check must connect before it can report them. */
const tolerant = { minVersion: "TLSv1", ciphers: `${DEFAULT_CIPHERS}:@SECLEVEL=0` } as const;

/** Cached, because creating one takes longer than a handshake. */
const kept = new Map<string, SecureContext>();
const maxKept = 100;

/** Throws if the certificate or its key cannot be read. */
export function getSecureContext(shown: ClientCertificate | null): SecureContext {
  trustSystemStore();
  const name = shown === null ? "" : [shown.certificate, shown.key, shown.ca].join("\n\n");
  const known = kept.get(name);
  if (known !== undefined) return known;
  const context = createSecureContext({ ...tolerant, ...toOptions(shown) });
  const [oldest] = kept.keys();
  if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
  kept.set(name, context);
  return context;
}

function toOptions(shown: ClientCertificate | null) {
  if (shown === null) return {};
  const { certificate: cert, key, ca } = shown;
  return { cert, key, ...(ca !== null && { ca: [...getCACertificates("default"), ca] }) };
}
