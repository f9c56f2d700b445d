/** The text of an assertion result, such as "Status code is 401, expected 200". */
import { clipText } from "../../platform/text/clip.ts";
import type { AssertionComparison } from "./comparisons.ts";

/** The fields of an assertion that its message contains. */
interface DescribedAssertion {
  readonly source: string;
  readonly property: string;
  readonly comparison: AssertionComparison;
  readonly target: string;
  readonly regex?: string | null;
}

interface SourceText {
  /** In lower case, for use inside a sentence. */
  readonly label: string;
  /** Replaces the label if the assertion has a property. */
  readonly labelOfOne?: string;
  /** Labels of named properties. Other properties follow the label as they are. */
  readonly properties?: Readonly<Record<string, string>>;
  readonly unit?: string;
}

/** Label of every assertion source of every kind. */
export const sourceTexts: Readonly<Record<string, SourceText>> = {
  STATUS_CODE: { label: "status code" },
  RESPONSE_TIME: { label: "response time", unit: "ms" },
  HEADERS: { label: "header list", labelOfOne: "header" },
  TEXT_BODY: { label: "body" },
  JSON_BODY: { label: "JSON body" },
  RESPONSE_DATA: { label: "response data" },
  RESPONSE_CODE: { label: "response code" },
  TEXT_ANSWER: { label: "answer" },
  JSON_ANSWER: { label: "JSON answer" },
  TEXT_RESPONSE: { label: "response" },
  JSON_RESPONSE: { label: "JSON response" },
  LATENCY: {
    label: "latency",
    unit: "ms",
    properties: {
      avg: "average latency",
      min: "minimum latency",
      max: "maximum latency",
      stdDev: "standard deviation of the latency",
    },
  },
  CERTIFICATE: {
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
  },
  CONNECTION: {
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
  },
};

/** 100 characters and an ellipsis. */
const maxShownLength = 101;

const clip = (text: string) => clipText(text, maxShownLength);

/** `isPattern` is true if the property of the source is a regular expression, as `regex` is. */
export function describeSubject(assertion: DescribedAssertion, isPattern: boolean): string {
  const { source, property, regex } = assertion;
  const pattern = regex || (isPattern ? property : "");
  const place = describePlace(source, isPattern ? "" : property);
  const subject = pattern === "" ? place : `match of /${clip(pattern)}/ in ${place}`;
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`;
}

function describePlace(source: string, property: string): string {
  const text = findText(source) ?? { label: source };
  if (property === "") return text.label;
  const { properties = {}, label, labelOfOne = label } = text;
  const known = Object.hasOwn(properties, property) ? properties[property] : undefined;
  return known ?? `${labelOfOne} ${clip(property)}`;
}

function findText(source: string): SourceText | undefined {
  return Object.hasOwn(sourceTexts, source) ? sourceTexts[source] : undefined;
}

function addUnit(source: string, text: string): string {
  const unit = findText(source)?.unit;
  return unit === undefined ? text : `${text} ${unit}`;
}

export function describeActual({ source }: DescribedAssertion, actual: unknown): string {
  const text = clip(JSON.stringify(actual) ?? "nothing");
  return `is ${typeof actual === "number" ? addUnit(source, text) : text}`;
}

/** Follows "expected". The target is quoted if the actual value is, so that both look alike. */
export function describeExpectation(assertion: DescribedAssertion, actual: unknown): string {
  const { source, comparison } = assertion;
  const target = clip(assertion.target);
  const isQuoted = typeof actual === "string" || target === "";
  return expectations[comparison](isQuoted ? JSON.stringify(target) : addUnit(source, target));
}

const expectations: Readonly<Record<AssertionComparison, (target: string) => string>> = {
  EQUALS: (target) => target,
  NOT_EQUALS: (target) => `any value except ${target}`,
  HAS_KEY: (target) => `to have the key ${target}`,
  NOT_HAS_KEY: (target) => `not to have the key ${target}`,
  HAS_VALUE: (target) => `to have the value ${target}`,
  NOT_HAS_VALUE: (target) => `not to have the value ${target}`,
  IS_EMPTY: () => "to be empty",
  NOT_EMPTY: () => "not to be empty",
  GREATER_THAN: (target) => `greater than ${target}`,
  LESS_THAN: (target) => `less than ${target}`,
  CONTAINS: (target) => `to contain ${target}`,
  NOT_CONTAINS: (target) => `not to contain ${target}`,
  IS_NULL: () => "null",
  NOT_NULL: () => "not null",
};
