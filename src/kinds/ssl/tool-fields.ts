import { Type } from "typebox";
import { OrNull } from "../../platform/http/schema.ts";
import type { KindTools } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { nameProtocol } from "../tls/tls-document.ts";
import { buildResponse } from "./document.ts";
import type { SslMeasurement } from "./measurement.ts";
import type { SslRequest, SslSettings } from "./request.ts";

const figure = (description: string) => OrNull(Type.Number({ description }));
const text = (description: string) => OrNull(Type.String({ description }));
const maxNamesShown = 10;

export const tools: KindTools<SslSettings, SslRequest, SslMeasurement> = {
  checkFields: {
    port: Type.Integer({ description: "the port to connect to" }),
    serverName: text("the server name (SNI); `null` for the host name"),
    ipFamily: Type.String({ description: "IPv4 or IPv6" }),
    alertDaysBeforeExpiry: Type.Integer({
      description: "number of days before expiry at which a run becomes degraded",
    }),
    degradedResponseTime: figure("milliseconds above which a run is degraded"),
    maxResponseTime: figure("milliseconds above which a run is failing"),
  },
  describeCheck: ({ request: { sslConfig }, degradedResponseTime, maxResponseTime }) => ({
    port: sslConfig.port,
    serverName: sslConfig.serverName,
    ipFamily: sslConfig.ipFamily,
    alertDaysBeforeExpiry: sslConfig.alertDaysBeforeExpiry,
    degradedResponseTime,
    maxResponseTime,
  }),
  resultFields: {
    daysLeft: figure("days until the certificate expires; negative if it has expired"),
    handshakeMs: figure("TLS handshake time"),
    tlsVersion: text("the TLS version"),
  },
  describeResult: (measurement) => ({
    daysLeft: measurement?.daysLeft ?? null,
    handshakeMs: roundFigure(measurement?.handshakeMs ?? null),
    tlsVersion: measurement === null ? null : nameProtocol(measurement.tls.protocol),
  }),
  runFields: {
    hostname: Type.String({ description: "the host and port" }),
    port: Type.Integer(),
    serverName: Type.String({ description: "the name that the certificate must match" }),
    resolvedIp: text("the IP address that the name resolved to"),
    issuer: text("the issuer of the certificate"),
    validTo: text("when the certificate expires"),
    names: Type.Array(Type.String(), { description: "the names in the certificate" }),
    chainTrusted: OrNull(Type.Boolean()),
    hostnameVerified: OrNull(Type.Boolean()),
    cipherSuite: text("the cipher suite"),
    key: text("type and size of the key"),
  },
  describeRun: (run) => {
    const { certificate, ...response } = buildResponse(run);
    return {
      hostname: run.request.hostname,
      port: run.request.port,
      serverName: run.request.serverName ?? run.request.hostname,
      resolvedIp: response.resolvedIp,
      issuer: certificate?.issuer ?? null,
      validTo: certificate?.validTo ?? null,
      names: certificate?.sans.slice(0, maxNamesShown) ?? [],
      chainTrusted: response.chainTrusted,
      hostnameVerified: response.hostnameVerified,
      cipherSuite: response.cipherSuite,
      key: certificate && `${certificate.keyAlgorithm} ${certificate.keySizeBits ?? ""}`.trim(),
    };
  },
  reasonFields: { daysLeft: Type.Optional(Type.Number()) },
  figureFields: {
    daysLeft: figure("average days until the certificate expires"),
  },
  describeFigures: ({ days = null }) => ({ daysLeft: roundFigure(days) }),
  hints: {
    run: "with the issuer, names, expiry and chain of a certificate",
    figures: "days until the certificate expires",
    samples: "response times of handshakes",
    creation: "",
  },
};
