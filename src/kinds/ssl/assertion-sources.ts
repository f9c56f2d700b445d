import type { AssertionSources } from "../assertions/assertion.ts";
import {
  createFigureSource,
  createJsonSource,
  createRecordSource,
  createTextSource,
  responseTimeText,
} from "../assertions/sources.ts";

const certificateText = {
  label: "certificate",
  properties: {
    daysUntilExpiry: "number of days until the certificate expires",
    keySizeBits: "certificate key size in bits",
    subjectCN: "certificate subject",
    issuerCN: "certificate issuer",
    serialNumber: "certificate serial number",
    fingerprintSha256: "certificate fingerprint (SHA-256)",
    issuerFingerprintSha256: "issuer fingerprint (SHA-256)",
    keyAlgorithm: "certificate key algorithm",
    signatureAlgorithm: "certificate signature algorithm",
    sans: "list of certificate names (SAN)",
    selfSigned: "certificate property selfSigned",
    isCA: "certificate property isCA",
  },
};
const connectionText = {
  label: "connection",
  properties: {
    tlsVersion: "TLS version",
    cipherSuite: "cipher suite",
    hostnameVerified: "connection property hostnameVerified",
    chainTrusted: "connection property chainTrusted",
    ocspStapled: "connection property ocspStapled",
    ocspStatus: "OCSP status",
    resolvedIp: "resolved IP address",
  },
};

/** The sources read the result of `buildAsserted`. */
export const assertionSources: AssertionSources = {
  CERTIFICATE: createRecordSource("CERTIFICATE", certificateText, ({ certificate }) => certificate),
  CONNECTION: createRecordSource("CONNECTION", connectionText, ({ connection }) => connection),
  RESPONSE_TIME: createFigureSource(
    "RESPONSE_TIME",
    responseTimeText,
    ({ responseTimeMs }) => responseTimeMs,
  ),
  JSON_RESPONSE: createJsonSource(
    "JSON response",
    "$.certificate.issuerCN",
    ({ response }) => response,
  ),
  TEXT_RESPONSE: createTextSource("response", ({ response }) => JSON.stringify(response)),
};
