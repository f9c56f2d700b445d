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
    port: Type.Integer({ description: "the port that is connected to" }),
    serverName: text("the name that is asked for; null: the host name"),
    ipFamily: Type.String({ description: "IPv4 or IPv6" }),
    alertDaysBeforeExpiry: Type.Integer({
      description: "days before expiry from which on a run is degraded",
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
    daysLeft: figure("days until the certificate expires; negative: it has"),
    handshakeMs: figure("time of the handshake"),
    tlsVersion: text("the version of TLS"),
  },
  describeResult: (measurement) => ({
    daysLeft: measurement?.daysLeft ?? null,
    handshakeMs: roundFigure(measurement?.handshakeMs ?? null),
    tlsVersion: measurement === null ? null : nameProtocol(measurement.tls.protocol),
  }),
  runFields: {
    hostname: Type.String({ description: "what was connected to" }),
    port: Type.Integer(),
    serverName: Type.String({ description: "what the certificate must be for" }),
    resolvedIp: text("the address that the name stood for"),
    issuer: text("who signed the certificate"),
    validTo: text("when the certificate expires"),
    names: Type.Array(Type.String(), { description: "what the certificate is for" }),
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
    run: "of a certificate its issuer, names, expiry and chain",
    figures: "days until the certificate expires",
    samples: "response times of handshakes",
    creation: "",
  },
};
