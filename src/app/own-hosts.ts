import type { Config } from "../config.ts";
import { readDatabaseHost } from "../kinds/network/own-hosts.ts";
import type { OwnHost } from "../kinds/network/reach.ts";

type OwnSettings = Pick<
  Config,
  | "DATABASE_URL"
  | "NATS_URL"
  | "SMTP_URL"
  | "SMS_GATEWAY_URL"
  | "AI_BASE_URL"
  | "METRICS"
  | "METRICS_PORT"
  | "HOST"
>;

const usualPorts: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "smtp:": 587,
  "smtps:": 465,
};

function readUrl(url: string): { readonly host: string; readonly port: number } {
  const { protocol, hostname, port } = new URL(url);
  return { host: withoutBrackets(hostname), port: Number(port) || (usualPorts[protocol] ?? 0) };
}

const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, "$1");

/**
 * Lists the hosts that the service itself uses. Its own HTTP port is not included: it is public,
 * requires a key, and is monitored by the example. Neither is the OIDC issuer, which every browser
 * can reach.
 */
export function listOwnHosts(config: OwnSettings): OwnHost[] {
  const hosts: OwnHost[] = [];
  // The embedded database listens on a Unix socket only, which no check can reach.
  const database = config.DATABASE_URL === undefined ? null : readDatabaseHost(config.DATABASE_URL);
  if (database !== null) {
    hosts.push({ ...database, name: "the database of this service", isPublicExempt: false });
  }
  for (const server of config.NATS_URL?.servers ?? []) {
    const { hostname, port } = new URL(`nats://${server}`);
    const host = withoutBrackets(hostname);
    hosts.push({ host, port: Number(port), name: "NATS of this service", isPublicExempt: false });
  }
  if (config.METRICS !== "off" && config.METRICS_PORT !== undefined && config.METRICS_PORT > 0) {
    const place = { host: config.HOST, port: config.METRICS_PORT };
    hosts.push({ ...place, name: "the metrics port of this service", isPublicExempt: false });
  }
  const others = {
    "the mail server of this service": config.SMTP_URL,
    "the SMS gateway of this service": config.SMS_GATEWAY_URL,
    "the model server of this service": config.AI_BASE_URL,
  };
  for (const [name, url] of Object.entries(others)) {
    if (url !== undefined) hosts.push({ ...readUrl(url), name, isPublicExempt: true });
  }
  return hosts;
}
