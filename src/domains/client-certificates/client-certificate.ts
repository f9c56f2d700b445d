import { doesHostMatch } from "../../kinds/network/host-pattern.ts";

/** As the database has it. The private key is sealed; its passphrase is not kept. */
export interface ClientCertificateRecord {
  readonly id: string;
  /** A host, or `*.` and a domain. */
  readonly host: string;
  /** PEM: the certificate, then perhaps those of the authorities that signed it. */
  readonly certificate: string;
  /** PEM: authorities that a server's certificate may be signed by. */
  readonly ca: string | null;
  readonly sealedKey: string;
  readonly createdAt: Date;
}

/** A host by its name goes before a domain, and a new certificate before an old one. */
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
