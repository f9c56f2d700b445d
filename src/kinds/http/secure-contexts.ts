import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { ClientCertificate } from "../../contract/order.ts";
import { trustSystemStore } from "../tls/trust.ts";

/** Cached, because creating one takes longer than a handshake. */
let plain: SecureContext | null = null;
const withCertificate = new Map<string, SecureContext>();
const maxKept = 100;

/** Throws if the certificate or its key cannot be read. */
export function getSecureContext(shown: ClientCertificate | null): SecureContext {
  trustSystemStore();
  if (shown === null) {
    plain ??= createSecureContext();
    return plain;
  }
  const { certificate, key, ca } = shown;
  const name = [certificate, key, ca ?? ""].join("\n\n");
  const known = withCertificate.get(name);
  if (known !== undefined) return known;
  const trusted = ca === null ? {} : { ca: [...getCACertificates("default"), ca] };
  const context = createSecureContext({ cert: certificate, key, ...trusted });
  const [oldest] = withCertificate.keys();
  if (withCertificate.size >= maxKept && oldest !== undefined) withCertificate.delete(oldest);
  withCertificate.set(name, context);
  return context;
}
