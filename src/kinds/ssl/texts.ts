import type { ChangeText, KindTexts } from "../texts.ts";
import type { CertificateFacts, TlsFacts } from "../tls/tls-facts.ts";
import type { SslMeasurement } from "./measurement.ts";
import type { SslRequest } from "./request.ts";

function mapCertificate(facts: CertificateFacts, change: ChangeText): CertificateFacts {
  return {
    ...facts,
    issuerName: change(facts.issuerName),
    subject: change(facts.subject),
    issuer: change(facts.issuer),
    names: facts.names.map(change),
  };
}

function mapTls(tls: TlsFacts, change: ChangeText): TlsFacts {
  const { certificate, chain } = tls;
  return {
    ...tls,
    certificate: { ...certificate, issuerName: change(certificate.issuerName) },
    chain: chain.map((each) => mapCertificate(each, change)),
  };
}

export const texts: KindTexts<SslRequest, SslMeasurement> = {
  mapRequest: (request, change) => ({
    ...request,
    hostname: change(request.hostname),
    serverName: request.serverName === null ? null : change(request.serverName),
  }),
  mapMeasurement: (measurement, change) => ({
    ...measurement,
    resolvedIp: change(measurement.resolvedIp),
    tls: mapTls(measurement.tls, change),
  }),
};
