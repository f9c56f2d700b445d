import { Type } from "typebox";
import { Described, exampleId, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { ruleKey } from "../../../platform/http/schema-rules.ts";
import type { IpFamily } from "../../../platform/net/host.ts";
import { isUuid } from "../../../platform/text/patterns.ts";
import {
  type Assertion,
  type AssertionSources,
  createAssertionSchema,
  findAssertionFaults,
} from "../../kit/assertions/assertion.ts";
import {
  createFigureSource,
  createJsonSource,
  createRecordSource,
  createTextSource,
  responseTimeText,
} from "../../kit/assertions/sources.ts";
import type { ClientCertificateNeed, Fault, KindFields } from "../../kit/definition.ts";
import type { KindTexts } from "../../kit/secrets.ts";
import type { VerdictSettings } from "../../kit/verdict.ts";
import { findHostFaults } from "../../wire/network/host-rules.ts";
import { mapTlsTexts } from "../../wire/tls/tls-facts.ts";
import {
  BaselineChange,
  BaselineShown,
  defaultBaseline,
  mergeBaseline,
  type SecurityBaseline,
} from "./baseline.ts";
import type { SslMeasurement } from "./measurement.ts";

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

/** Parts of a result that assertions can compare. The result comes from `buildAsserted`. */
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

/** Returns the name that the certificate must match. */
export function nameOf(request: { readonly hostname: string; readonly serverName: string | null }) {
  return request.serverName ?? request.hostname;
}

const clientCertificateModes = ["auto", "explicit"] as const;
type ClientCertificateMode = (typeof clientCertificateModes)[number];

interface SslConfig {
  readonly hostname: string;
  readonly port: number;
  /** Server name for SNI and for the name check; `null` to use the host name. */
  readonly serverName: string | null;
  readonly ipFamily: IpFamily;
  readonly skipChainValidation: boolean;
  readonly handshakeTimeoutMs: number;
  readonly alertDaysBeforeExpiry: number;
  readonly securityBaseline: SecurityBaseline;
  readonly clientCertificateMode: ClientCertificateMode;
}

interface OwnSettings {
  readonly request: {
    readonly sslConfig: SslConfig;
    readonly sslClientCertificateId: string | null;
    readonly assertions: readonly Assertion[];
  };
}

export interface SslSettings extends VerdictSettings, OwnSettings {}

/** The request that a probe receives, and the rules by which the server judges the result. */
export interface SslRequest
  extends Pick<
    SslConfig,
    | "hostname"
    | "port"
    | "serverName"
    | "ipFamily"
    | "skipChainValidation"
    | "alertDaysBeforeExpiry"
  > {
  readonly baseline: SecurityBaseline;
  /** Timeout of the whole run: name resolution, connection and handshake. */
  readonly timeoutMs: number;
  /** Id of the client certificate, "auto" for the one that matches the host, or `null` for none. */
  readonly clientCertificate: string | "auto" | null;
}

const AssertionSchema = createAssertionSchema(
  ["CERTIFICATE", "CONNECTION", "RESPONSE_TIME", "JSON_RESPONSE", "TEXT_RESPONSE"],
  {
    title: "SslAssertion",
    source:
      "What to compare: a property of the certificate or of the connection, the response time in " +
      "milliseconds, or the whole response as JSON or as text.",
    property:
      "The property name, a JSONPath for JSON_RESPONSE, a regular expression for TEXT_RESPONSE; " +
      "empty for RESPONSE_TIME.",
    propertyExample: "daysUntilExpiry",
  },
);

const Family = Type.Enum(["IPv4", "IPv6"], { type: "string" });
const host = {
  maxLength: 2_048,
  pattern: "^[^\\x00-\\x1f\\x7f]*$",
  [ruleKey]: "must not contain control characters",
} as const;

const words = {
  hostname: "A host name or an IP address.",
  port: "The port to connect to.",
  serverName:
    "The server name (SNI) that the certificate must match; the host name if null or empty.",
  ipFamily: "The IP family used to connect to the host.",
  skipChainValidation: "Whether to accept a certificate of any issuer.",
  handshakeTimeoutMs: "Timeout for name resolution, connection and handshake together.",
  alertDaysBeforeExpiry: "A run is degraded if the certificate expires in fewer days.",
  securityBaseline: "Rules for keys, signatures and protocols.",
  clientCertificateMode:
    "The client certificate to present if the server requests one: that of `sslClientCertificateId` " +
    "only, or also the one that matches the host.",
  sslClientCertificateId: "The client certificate to present; `null` for none.",
  assertions: "Assertions that must pass in addition to the certificate rules.",
};

const config = {
  hostname: Type.String({
    ...host,
    minLength: 1,
    description: words.hostname,
    examples: ["shop.example.com"],
  }),
  port: Type.Integer({ minimum: 1, maximum: 65_535, description: words.port, examples: [443] }),
  serverName: Described(OrNull(Type.String(host)), words.serverName, null),
  ipFamily: Described(Family, words.ipFamily, "IPv4"),
  skipChainValidation: Type.Boolean({ description: words.skipChainValidation, examples: [false] }),
  handshakeTimeoutMs: Type.Integer({
    minimum: 1_000,
    maximum: 30_000,
    description: words.handshakeTimeoutMs,
    examples: [10_000],
  }),
  alertDaysBeforeExpiry: Type.Integer({
    minimum: 1,
    maximum: 365,
    description: words.alertDaysBeforeExpiry,
    examples: [20],
  }),
  securityBaseline: Described(BaselineChange, words.securityBaseline),
  clientCertificateMode: Described(
    OneOf(clientCertificateModes),
    words.clientCertificateMode,
    "auto",
  ),
};

const ConfigChange = Type.Partial(Type.Object(config));
const ConfigCreate = Type.Object({ ...ConfigChange.properties, hostname: config.hostname });
const ConfigShown = Type.Object(
  { ...config, securityBaseline: Described(BaselineShown, words.securityBaseline) },
  { title: "SslConfig" },
);

const ClientCertificateId = Described(OrNull(Guid), words.sslClientCertificateId, exampleId);
const optional = {
  sslClientCertificateId: Type.Optional(ClientCertificateId),
  assertions: Type.Optional(
    Type.Array(AssertionSchema, { description: words.assertions, maxItems: 50 }),
  ),
};
const configWords = "The host to connect to and the certificate rules.";
const what = "The host whose certificate is monitored.";

const RequestBody = Type.Object({ sslConfig: Described(ConfigCreate, configWords), ...optional });
const RequestChange = Type.Object({
  sslConfig: Type.Optional(Described(ConfigChange, configWords)),
  ...optional,
});
const RequestShown = Type.Object(
  {
    sslConfig: Described(ConfigShown, configWords),
    sslClientCertificateId: ClientCertificateId,
    assertions: Type.Array(AssertionSchema, { description: words.assertions, examples: [[]] }),
  },
  { title: "SslRequest" },
);

export const fields = {
  target: {
    create: { request: Described(RequestBody, what) },
    change: { request: Described(Type.Optional(RequestChange), what) },
    shown: { request: Described(RequestShown, what) },
  },
  settings: {},
  unused: { create: {}, change: {} },
} as const satisfies KindFields;

const defaults: SslConfig = {
  hostname: "",
  port: 443,
  serverName: null,
  ipFamily: "IPv4",
  skipChainValidation: false,
  handshakeTimeoutMs: 10_000,
  alertDaysBeforeExpiry: 20,
  securityBaseline: defaultBaseline,
  clientCertificateMode: "auto",
};

export function mergeSettings(
  before: OwnSettings | null,
  change: { readonly request?: Type.Static<typeof RequestChange> },
): OwnSettings {
  const request = change.request ?? {};
  const former = before?.request.sslConfig ?? defaults;
  const { securityBaseline, ...config } = request.sslConfig ?? {};
  const { sslClientCertificateId = before?.request.sslClientCertificateId ?? null } = request;
  const merged = { ...former, ...config };
  return {
    request: {
      sslConfig: {
        ...merged,
        serverName: merged.serverName === "" ? null : merged.serverName,
        securityBaseline: mergeBaseline(former.securityBaseline, securityBaseline),
      },
      sslClientCertificateId,
      assertions: request.assertions ?? before?.request.assertions ?? [],
    },
  };
}

export function findFaults({ request }: OwnSettings): Fault[] {
  const { sslConfig, assertions, sslClientCertificateId } = request;
  const within = (key: string, rule: string) => ({ key: `request.sslConfig.${key}`, rule });
  const { serverName, clientCertificateMode } = sslConfig;
  const ofHost = findHostFaults(sslConfig).map(({ key, rule }) =>
    within(key.replace("request.", ""), rule),
  );
  const ofName =
    serverName === null
      ? []
      : findHostFaults({ hostname: serverName, ipFamily: "IPv4" })
          .filter(({ key }) => key === "request.hostname")
          .map(({ rule }) => within("serverName", rule));
  const lacksCertificate = clientCertificateMode === "explicit" && sslClientCertificateId === null;
  const rule = "is required when clientCertificateMode is explicit";
  return [
    ...ofHost,
    ...ofName,
    ...(lacksCertificate ? [{ key: "request.sslClientCertificateId", rule }] : []),
    ...findAssertionFaults(assertionSources, assertions),
  ];
}

/** Formats the target of a check. The default port 443 is omitted. */
export function writeTarget({ hostname, port }: Pick<SslConfig, "hostname" | "port">): string {
  if (port === 443) return hostname;
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

export function toRequest({ request }: SslSettings): SslRequest {
  const { sslConfig, sslClientCertificateId: id } = request;
  const { securityBaseline, handshakeTimeoutMs, clientCertificateMode, ...rest } = sslConfig;
  const byHost = clientCertificateMode === "auto" ? ("auto" as const) : null;
  return {
    ...rest,
    baseline: securityBaseline,
    timeoutMs: handshakeTimeoutMs,
    clientCertificate: id ?? byHost,
  };
}

export function clientCertificateFor(request: SslRequest): ClientCertificateNeed | null {
  const { clientCertificate } = request;
  if (clientCertificate === null) return null;
  return clientCertificate === "auto" ? { host: nameOf(request) } : { id: clientCertificate };
}

/**
 * Time allowed for sending the run order to the probe and for sending the result back. This time
 * also covers a name resolution that takes longer than the timeout of the handshake.
 */
const slackMs = 12_000;

export function deadlineMs({ request }: SslSettings): number {
  return request.sslConfig.handshakeTimeoutMs + slackMs;
}

export function isSslRequest(value: unknown): value is SslRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Partial<Record<keyof SslRequest, unknown>>;
  const { hostname, port, serverName, ipFamily, timeoutMs, clientCertificate } = request;
  return (
    typeof hostname === "string" &&
    Number.isInteger(port) &&
    Number(port) >= 1 &&
    Number(port) <= 65_535 &&
    (serverName === null || typeof serverName === "string") &&
    (ipFamily === "IPv4" || ipFamily === "IPv6") &&
    typeof timeoutMs === "number" &&
    timeoutMs >= 1_000 &&
    timeoutMs <= 30_000 &&
    (clientCertificate === null ||
      clientCertificate === "auto" ||
      (typeof clientCertificate === "string" && isUuid(clientCertificate)))
  );
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
    tls: mapTlsTexts(measurement.tls, change),
  }),
};
