import type { AssertionSources } from "../assertions/assertion.ts";
import {
  createFigureSource,
  createJsonSource,
  createRecordSource,
  createTextSource,
} from "../assertions/sources.ts";

const certificateProperties = [
  "daysUntilExpiry",
  "keySizeBits",
  "subjectCN",
  "issuerCN",
  "serialNumber",
  "fingerprintSha256",
  "issuerFingerprintSha256",
  "keyAlgorithm",
  "signatureAlgorithm",
  "sans",
  "selfSigned",
  "isCA",
];
const connectionProperties = [
  "tlsVersion",
  "cipherSuite",
  "hostnameVerified",
  "chainTrusted",
  "ocspStapled",
  "ocspStatus",
  "resolvedIp",
];

/** The sources read the result of `buildAsserted`. */
export const assertionSources: AssertionSources = {
  CERTIFICATE: createRecordSource(
    "CERTIFICATE",
    certificateProperties,
    ({ certificate }) => certificate,
  ),
  CONNECTION: createRecordSource(
    "CONNECTION",
    connectionProperties,
    ({ connection }) => connection,
  ),
  RESPONSE_TIME: createFigureSource("RESPONSE_TIME", ({ responseTimeMs }) => responseTimeMs),
  JSON_RESPONSE: createJsonSource("$.certificate.issuerCN", ({ response }) => response),
  TEXT_RESPONSE: createTextSource(({ response }) => JSON.stringify(response)),
};
