import { getNumber, getText } from "../../parts/fields.ts";
import { familyOf, readHost, writeEndpoint } from "../host-text.ts";
import type { KindTarget } from "../kind.ts";

const usualPort = 443;

export const sslTarget: KindTarget = {
  type: "SSL",
  label: "Certificate",
  hint: "Tests a server's TLS certificate: trust, expiry, protocol",
  isOrdered: true,
  holdsVariables: false,
  ipFamilyPath: "request.sslConfig.ipFamily",
  defaults: {
    request: {
      sslConfig: {
        hostname: "",
        port: usualPort,
        serverName: null,
        ipFamily: "IPv4",
        skipChainValidation: false,
        handshakeTimeoutMs: 10_000,
        alertDaysBeforeExpiry: 20,
        securityBaseline: {
          enabled: true,
          minTLSVersion: { value: "TLS1.2", severity: "fail" },
          minKeySizeBits: { value: 2_048, severity: "fail" },
          weakSignatureAlgorithm: { severity: "fail" },
          weakCipherSuite: { severity: "fail" },
          knownBadCA: { severity: "fail" },
          recommendedTLSVersion: { value: "TLS1.3", severity: "ignore" },
          recommendedKeySizeBits: { value: 3_072, severity: "ignore" },
          ocspMustStapleRespected: { severity: "ignore" },
          sctPresent: { severity: "ignore" },
        },
        clientCertificateMode: "auto",
      },
      sslClientCertificateId: null,
      assertions: [],
    },
    degradedResponseTime: 3_000,
    maxResponseTime: 10_000,
  },
  target: {
    label: "Host",
    example: "shop.example.com",
    paths: ["request.sslConfig.hostname", "request.sslConfig.port"],
    read: (text) => {
      const found = readHost(text);
      const { host: hostname, port } = found;
      return { request: { sslConfig: { hostname, port: port ?? usualPort, ...familyOf(found) } } };
    },
    write: (fields) => {
      const port = getNumber(fields, "request.sslConfig.port");
      const host = getText(fields, "request.sslConfig.hostname");
      return writeEndpoint(host, port === usualPort ? null : port);
    },
  },
};
