/** Targets of the check types: their labels, and how a text field is parsed and formatted. */
import { getNumber, getText } from "../parts/fields.ts";
import { completeUrl, familyOf, hasScheme, readHost, writeEndpoint } from "./host-text.ts";
import type { KindTarget } from "./kind.ts";

export const urlTarget: KindTarget<"URL"> = {
  type: "URL",
  label: "URL",
  hint: "Requests a URL and tests the status code",
  isOrdered: true,
  ipFamilyPath: "request.ipFamily",
  target: {
    label: "URL",
    example: "https://shop.example.com/health",
    paths: ["request.url"],
    read: (text) => ({ request: { url: completeUrl(text), ...familyOf(readHost(text)) } }),
    write: (values) => getText(values, "request.url"),
  },
};

export const icmpTarget: KindTarget<"ICMP"> = {
  type: "ICMP",
  label: "Ping",
  hint: "Pings a host and measures packet loss and round-trip time",
  isOrdered: true,
  ipFamilyPath: "request.ipFamily",
  target: {
    label: "Host or IP address",
    example: "router.example.com",
    paths: ["request.hostname"],
    read: (text) => {
      const found = readHost(text);
      return { request: { hostname: found.host, ...familyOf(found) } };
    },
    write: (values) => getText(values, "request.hostname"),
  },
};

export const tcpTarget: KindTarget<"TCP"> = {
  type: "TCP",
  label: "TCP port",
  hint: "Connects to a TCP port, and can send data and test the response",
  isOrdered: true,
  ipFamilyPath: "request.ipFamily",
  target: {
    label: "Host and port",
    example: "db.example.com:5432",
    paths: ["request.hostname", "request.port"],
    read: (text) => {
      const found = readHost(text);
      return { request: { hostname: found.host, port: found.port, ...familyOf(found) } };
    },
    write: (values) =>
      writeEndpoint(getText(values, "request.hostname"), getNumber(values, "request.port")),
  },
};

export const apiTarget: KindTarget<"API"> = {
  type: "API",
  label: "API",
  hint: "Sends an HTTP request with method, headers and body, and tests the response",
  isOrdered: true,
  ipFamilyPath: "request.ipFamily",
  target: {
    label: "URL",
    example: "https://api.example.com/v1/orders",
    paths: ["request.url"],
    read: (text) => ({ request: { url: completeUrl(text), ...familyOf(readHost(text)) } }),
    write: (values) => getText(values, "request.url"),
  },
};

export const dnsTarget: KindTarget<"DNS"> = {
  type: "DNS",
  label: "DNS",
  hint: "Queries DNS records and tests the response",
  isOrdered: true,
  target: {
    label: "Domain name",
    example: "www.example.com",
    paths: ["request.query"],
    read: (text) => ({ request: { query: hasScheme(text) ? readHost(text).host : text.trim() } }),
    write: (values) => getText(values, "request.query"),
  },
};

const usualTlsPort = 443;

export const sslTarget: KindTarget<"SSL"> = {
  type: "SSL",
  label: "Certificate",
  hint: "Tests a server's TLS certificate: trust, expiry, protocol",
  isOrdered: true,
  ipFamilyPath: "request.sslConfig.ipFamily",
  target: {
    label: "Host",
    example: "shop.example.com",
    paths: ["request.sslConfig.hostname", "request.sslConfig.port"],
    read: (text) => {
      const found = readHost(text);
      const { host: hostname, port } = found;
      return {
        request: { sslConfig: { hostname, port: port ?? usualTlsPort, ...familyOf(found) } },
      };
    },
    write: (values) => {
      const port = getNumber(values, "request.sslConfig.port");
      const host = getText(values, "request.sslConfig.hostname");
      return writeEndpoint(host, port === usualTlsPort ? null : port);
    },
  },
};

export const grpcTarget: KindTarget<"GRPC"> = {
  type: "GRPC",
  label: "gRPC",
  hint: "Asks the health service, or calls a method and tests the response",
  isOrdered: true,
  ipFamilyPath: "request.ipFamily",
  proposed: { request: { grpcConfig: { mode: "HEALTH", service: "" } } },
  target: {
    label: "Host and port",
    example: "grpc.example.com:443",
    paths: ["request.url", "request.port"],
    read: (text) => {
      const found = readHost(text);
      const [, isSecure] = /^grpc(s?):\/\//i.exec(text.trim()) ?? [];
      const tls = isSecure === undefined ? {} : { grpcConfig: { tls: isSecure !== "" } };
      return { request: { url: found.host, port: found.port, ...familyOf(found), ...tls } };
    },
    write: (values) =>
      writeEndpoint(getText(values, "request.url"), getNumber(values, "request.port")),
  },
};

export const tracerouteTarget: KindTarget<"TRACEROUTE"> = {
  type: "TRACEROUTE",
  label: "Traceroute",
  hint: "Traces the path to a host, with loss and round-trip time of every hop",
  isOrdered: true,
  ipFamilyPath: "request.ipFamily",
  target: {
    label: "Host or IP address",
    example: "www.example.com",
    paths: ["request.url"],
    read: (text) => {
      const found = readHost(text);
      return { request: { url: found.host, ...familyOf(found) } };
    },
    write: (values) => getText(values, "request.url"),
  },
};

export const multiStepTarget: KindTarget<"MULTI_STEP"> = {
  type: "MULTI_STEP",
  label: "Multi-step",
  hint: "Runs a script that sends several requests and tests the responses",
  isOrdered: true,
  fieldLabels: { script: "script", scriptPath: "path of the script", dependencies: "files" },
  // The interval is longer than for other check types, because script runs are more expensive.
  proposed: { frequency: 10 },
  target: null,
};

export const browserTarget: KindTarget<"BROWSER"> = {
  type: "BROWSER",
  label: "Browser",
  hint: "Uses pages in a browser, with a script that clicks, types and tests what they show",
  isOrdered: true,
  fieldLabels: { script: "script", scriptPath: "path of the script", dependencies: "files" },
  // The interval is longer than for other check types, because browser runs are more expensive.
  proposed: { frequency: 10 },
  target: null,
};

export const playwrightTarget: KindTarget<"PLAYWRIGHT"> = {
  type: "PLAYWRIGHT",
  label: "Playwright suite",
  hint: "Runs the Playwright tests of a project, with its own packages and configuration",
  isOrdered: true,
  fieldLabels: {
    codeBundlePath: "code",
    testCommand: "command",
    installCommand: "installation",
    workingDir: "folder",
    engine: "engine",
    engineVersion: "Node.js version",
    cacheHash: "cache of packages",
    browsers: "browsers",
    playwrightVersion: "Playwright version",
  },
  // The interval is longer than for other check types, because browser runs are more expensive.
  proposed: { frequency: 10 },
  target: null,
};

export const alertGroupTarget: KindTarget<"ALERT_GROUP"> = {
  type: "ALERT_GROUP",
  label: "Alert group",
  hint: "Follows alerts of Alertmanager",
  isOrdered: false,
  isHidden: true,
  noTrial: "It cannot be tried.",
  target: null,
};

export const heartbeatTarget: KindTarget<"HEARTBEAT"> = {
  type: "HEARTBEAT",
  label: "Heartbeat",
  hint: "Expects pings from a scheduled job and alerts when they stop",
  isOrdered: false,
  noTrial: "A heartbeat cannot be tried: your job sends the pings.",
  fieldLabels: { heartbeat: "heartbeat schedule" },
  proposed: { heartbeat: { period: 1 } },
  target: null,
};
