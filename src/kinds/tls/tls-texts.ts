import type { ChangeText } from "../texts.ts";
import type { CertificateFacts, TlsFacts } from "./tls-facts.ts";

function mapCertificate(facts: CertificateFacts, change: ChangeText): CertificateFacts {
  return {
    ...facts,
    issuerName: change(facts.issuerName),
    subject: change(facts.subject),
    issuer: change(facts.issuer),
    names: facts.names.map(change),
  };
}

/** Applies `change` to each text that names a host or an authority. */
export function mapTlsTexts(tls: TlsFacts, change: ChangeText): TlsFacts {
  const { certificate, chain } = tls;
  return {
    ...tls,
    certificate: { ...certificate, issuerName: change(certificate.issuerName) },
    chain: chain.map((each) => mapCertificate(each, change)),
  };
}
