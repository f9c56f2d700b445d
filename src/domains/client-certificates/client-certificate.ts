import { doesHostMatch } from "../../kinds/network/host-rules.ts";

/**
 * A certificate as stored in the database. The private key is encrypted; its passphrase is not
 * stored.
 */
export interface ClientCertificateRecord {
  readonly id: string;
  /** A host, or `*.` and a domain. */
  readonly host: string;
  /** PEM: the certificate, optionally followed by its intermediate certificates. */
  readonly certificate: string;
  /** PEM: authorities that may sign the server's certificate. */
  readonly ca: string | null;
  readonly sealedKey: string;
  readonly createdAt: Date;
}

/** An exact host takes precedence over a wildcard, and a newer certificate over an older one. */
export function chooseCertificate(
  certificates: readonly ClientCertificateRecord[],
  host: string,
): ClientCertificateRecord | null {
  const fitting = certificates.filter((one) => doesHostMatch(one.host, host));
  const isWide = (one: ClientCertificateRecord) => Number(one.host.startsWith("*."));
  const [best] = fitting.sort(
    (one, other) =>
      isWide(one) - isWide(other) || other.createdAt.getTime() - one.createdAt.getTime(),
  );
  return best ?? null;
}
