/**
 * Every setting of the product, and the only reader of process.env. A test holds the table in
 * docs/configure.md against this list.
 */

import { backupSettings } from "./platform/backup/settings.ts";
import { type LogLevel, logFormats, logLevels } from "./platform/log.ts";
import { parseNatsUrl } from "./platform/nats/nats-address.ts";
import {
  addressList,
  domainList,
  integerBetween,
  issuerUrl,
  matching,
  oneOf,
  pairsWith,
  resolverList,
  urlWith,
} from "./platform/setting-parsers.ts";
import {
  ConfigError,
  type Environment,
  readSettingText,
  type Setting,
} from "./platform/setting-text.ts";
import { uuidPattern } from "./platform/text/uuid.ts";
import { probeSettings } from "./probe/settings.ts";

/** The same names as in src/domains/accounts/role.ts; a test holds the two together. */
export const roleNames = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"] as const;

const email = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,189}$/;

export const settings = {
  HOST: {
    parse: matching(/^[A-Za-z0-9.:_-]{1,255}$/, "must be an address or a host name"),
    fallback: "127.0.0.1",
    allowed: "an address or host name of this machine",
    purpose: "Where the server listens. `0.0.0.0` or `::` for all interfaces.",
  },
  PORT: {
    parse: integerBetween(0, 65_535),
    fallback: "3000",
    allowed: "0 to 65535",
    purpose: "The port it listens on; 0 takes any free one.",
  },
  PUBLIC_URL: {
    parse: urlWith(["http:", "https:"]),
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose: "The address people use; by default the one the server listens on.",
  },
  DATA_DIR: {
    parse: matching(/^[^\0]{1,1024}$/, "must be the path of a folder"),
    fallback: "./data",
    allowed: "a folder",
    purpose: "Everything that is kept, the embedded PostgreSQL included.",
  },
  DATABASE_URL: {
    parse: urlWith(["postgres:", "postgresql:"]),
    fallback: undefined,
    allowed: "`postgres://…`",
    purpose: "An own PostgreSQL (15 or newer) instead of the embedded one.",
    isSecret: true,
  },
  DATABASE_TIMEOUT_MS: {
    parse: integerBetween(100, 600_000),
    fallback: "20000",
    allowed: "100 to 600000",
    purpose: "How long one statement may take. A connection silent for a second longer is cut off.",
  },
  NATS_URL: {
    parse: parseNatsUrl,
    fallback: undefined,
    allowed: "`nats://…` or `tls://…`, several separated by commas",
    purpose: "NATS with JetStream, which several servers and their probes elsewhere share.",
    isSecret: true,
  },
  NATS_REPLICAS: {
    parse: integerBetween(1, 5),
    fallback: "1",
    allowed: "1 to 5",
    purpose:
      "On how many servers of a NATS cluster each message is kept; 3 survives the loss of one.",
  },
  LOG_LEVEL: {
    parse: oneOf(logLevels),
    fallback: "info",
    allowed: logLevels.join(", "),
    purpose: "How much is logged. Reads that succeed are logged at `debug`.",
  },
  LOG_FORMAT: {
    parse: oneOf(logFormats),
    fallback: "auto",
    allowed: logFormats.join(", "),
    purpose:
      "`json`: one JSON object per line. `text`: readable lines. `auto`: readable at a terminal, JSON otherwise.",
  },
  RATE_LIMIT_PER_MINUTE: {
    parse: integerBetween(0, 1_000_000),
    fallback: "600",
    allowed: "0 to 1000000",
    purpose:
      "Requests per minute and API key, and per address before a key is known; ten times as many for dashboards and metrics; 0 for no limit.",
  },
  CONNECTIONS_PER_ADDRESS: {
    parse: integerBetween(0, 4_096),
    fallback: "512",
    allowed: "0 to 4096",
    purpose:
      "Connections that one address (of IPv6: one /64) may hold; proxies that are trusted, and this machine, have no limit. 0 for none.",
  },
  METRICS: {
    parse: oneOf(["public", "off"]),
    fallback: "public",
    allowed: "public, off",
    purpose: "Whether `/metrics` is answered.",
  },
  METRICS_PORT: {
    parse: integerBetween(0, 65_535),
    fallback: undefined,
    allowed: "0 to 65535",
    purpose: "A port of its own for `/metrics`, which is then nowhere else; 0 takes any free one.",
  },
  TRUSTED_PROXIES: {
    parse: addressList("any"),
    fallback: undefined,
    allowed: "addresses or prefixes, separated by commas",
    purpose:
      "Proxies whose `X-Forwarded-For` and `X-Forwarded-Host` are believed; nobody's by default.",
  },
  ...probeSettings,
  RETENTION_DAYS: {
    parse: integerBetween(1, 3_650),
    fallback: "30",
    allowed: "1 to 3650",
    purpose: "How long each result and change of status is kept; statistics are kept longer.",
  },
  ENCRYPTION_KEY: {
    parse: matching(/^[A-Za-z0-9+/]{43}=$/, "must be 32 bytes in base64"),
    fallback: undefined,
    allowed: "32 bytes in base64",
    purpose: "Seals secret values in the database; by default a key is made in `DATA_DIR`.",
    isSecret: true,
  },
  ...backupSettings,
  SMTP_URL: {
    parse: urlWith(["smtp:", "smtps:"]),
    fallback: undefined,
    allowed: "`smtp://…` or `smtps://…`",
    purpose: "The mail server for alerts, subscribers, invites and forgotten passwords.",
    isSecret: true,
  },
  MAIL_FROM: {
    parse: matching(email, "must be an email address"),
    fallback: "vedette@localhost.localdomain",
    allowed: "an email address",
    purpose: "Whom mail comes from.",
  },
  SMS_GATEWAY_URL: {
    parse: urlWith(["http:", "https:"]),
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose: "A gateway that takes text messages as JSON by POST.",
  },
  SMS_GATEWAY_TOKEN: {
    parse: matching(/^[\x21-\x7e]{1,500}$/, "must have 1 to 500 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 500 visible ASCII characters",
    purpose: "Sent to that gateway as a bearer token.",
    isSecret: true,
  },
  OUTBOUND_ALLOW_PRIVATE: {
    parse: oneOf(["true", "false"]),
    fallback: "false",
    allowed: "true, false",
    purpose:
      "Whether alerts, never subscribers, may go to private addresses, such as a chat server.",
  },
  AI_BASE_URL: {
    parse: urlWith(["http:", "https:"]),
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose:
      "A model of your choice for the agent, where `/chat/completions` follows; private addresses too.",
  },
  AI_API_KEY: {
    parse: matching(/^[\x21-\x7e]{1,500}$/, "must have 1 to 500 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 500 visible ASCII characters",
    purpose: "Sent to that model as a bearer token.",
    isSecret: true,
  },
  AI_MODEL: {
    parse: matching(/^[\x21-\x7e]{1,200}$/, "must have 1 to 200 visible ASCII characters"),
    fallback: "default",
    allowed: "1 to 200 visible ASCII characters",
    purpose: "The name of that model.",
  },
  AI_MAX_TOKENS: {
    parse: integerBetween(50, 100_000),
    fallback: "2000",
    allowed: "50 to 100000",
    purpose: "How much that model may write in one step; an answer has at most eight.",
  },
  AI_STREAMS_PER_ACCOUNT: {
    parse: integerBetween(1, 200),
    fallback: "8",
    allowed: "1 to 200",
    purpose: "Answers of the agent that an account may have under way at once.",
  },
  OIDC_ISSUER: {
    parse: issuerUrl,
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose: "An OpenID provider that people may sign in with; private addresses too.",
  },
  OIDC_CLIENT_ID: {
    parse: matching(/^[\x21-\x7e]{1,500}$/, "must have 1 to 500 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 500 visible ASCII characters",
    purpose: "How that provider knows this server. Needed with `OIDC_ISSUER`.",
  },
  OIDC_CLIENT_SECRET: {
    parse: matching(/^[\x21-\x7e]{1,500}$/, "must have 1 to 500 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 500 visible ASCII characters",
    purpose: "What this server proves itself with there; a public client has none.",
    isSecret: true,
  },
  OIDC_NAME: {
    parse: matching(/^\S[^\p{Cc}]{0,59}$/u, "must have 1 to 60 characters"),
    fallback: "OpenID Connect",
    allowed: "1 to 60 characters",
    purpose: "How people know that provider: the button says `Sign in with …`.",
  },
  OIDC_ALLOWED_DOMAINS: {
    parse: domainList,
    fallback: undefined,
    allowed: "domains, separated by commas",
    purpose: "Whose email addresses may sign in there; by default those of any domain.",
  },
  OIDC_ROLE_CLAIM: {
    parse: matching(/^[\x21-\x7e]{1,200}$/, "must have 1 to 200 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 200 visible ASCII characters",
    purpose: "The claim that decides the role, such as `groups` or `realm_access.roles`.",
  },
  OIDC_ROLES: {
    parse: pairsWith(roleNames, "admins=ADMIN"),
    fallback: undefined,
    allowed: "`value=ROLE`, separated by commas",
    purpose: "Which values of that claim stand for which role; the most powerful counts.",
  },
  OIDC_DEFAULT_ROLE: {
    parse: oneOf(roleNames),
    fallback: undefined,
    allowed: roleNames.join(", "),
    purpose: "The role of people whom no value gives one; by default only known and invited ones.",
  },
  AUDIT_RETENTION_DAYS: {
    parse: integerBetween(1, 3_650),
    fallback: "365",
    allowed: "1 to 3650",
    purpose: "How long entries of the audit log are kept.",
  },
  SNAPSHOT_DIR: {
    parse: matching(/^[^\0]{1,1024}$/, "must be the path of a folder"),
    fallback: undefined,
    allowed: "a folder",
    purpose: "Where copies of all public status pages are kept, for any web server to show.",
  },
  DOMAIN_PROOF: {
    parse: oneOf(["required", "off"]),
    fallback: "required",
    allowed: "required, off",
    purpose:
      "Whether a domain of a page is served only once a DNS record has proved it; `off` where no DNS shows such records.",
  },
  DOMAIN_DNS_SERVERS: {
    parse: resolverList,
    fallback: undefined,
    allowed: "IP addresses, each perhaps with `:port`, separated by commas",
    purpose: "The name servers that are asked for such records; by default the system's.",
  },
  BOOTSTRAP_ACCOUNT_ID: {
    parse: matching(uuidPattern, "must be a GUID"),
    fallback: undefined,
    allowed: "a GUID",
    purpose: "The id of the account that the first start creates.",
  },
  BOOTSTRAP_EMAIL: {
    parse: matching(email, "must be an email address"),
    fallback: "owner@vedette.localhost",
    allowed: "an email address",
    purpose: "The sign-in that the first start creates.",
  },
  EXAMPLE: {
    parse: oneOf(["true", "false"]),
    fallback: "true",
    allowed: "true, false",
    purpose:
      "Whether the first start creates a small living example: checks, a status page, a dashboard.",
  },
  BOOTSTRAP_PASSWORD: {
    parse: matching(/^[^\0]{10,200}$/, "must have 10 to 200 characters"),
    fallback: undefined,
    allowed: "10 to 200 characters",
    purpose: "Its password. By default a one-time link is printed, and the owner chooses one.",
    isSecret: true,
  },
  BOOTSTRAP_API_KEY: {
    parse: matching(/^[\x21-\x7e]{20,200}$/, "must have 20 to 200 visible ASCII characters"),
    fallback: undefined,
    allowed: "20 to 200 visible ASCII characters",
    purpose: "The first API key; invented and printed once by default.",
    isSecret: true,
  },
} satisfies Readonly<Record<string, Setting<unknown>>>;

type Settings = typeof settings;
type Name = keyof Settings;
type ValueOf<Key extends Name> =
  Extract<ReturnType<Settings[Key]["parse"]>, { value: unknown }> extends { value: infer Value }
    ? Value
    : never;

/** A setting with a fallback always has a value. */
export type Config = {
  readonly [Key in Name]: Settings[Key]["fallback"] extends string
    ? ValueOf<Key>
    : ValueOf<Key> | undefined;
};

export type { LogLevel };

export function parseConfig(environment: Environment): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const text = readSettingText(name, setting, environment);
    const parsed = "fault" in text || text.value === undefined ? text : setting.parse(text.value);
    if ("fault" in parsed) faults.push(`${name} ${parsed.fault}`);
    else values[name] = parsed.value;
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return values as Config;
}

/** What the command line says wins over the environment. */
export function readConfig(said: Environment = {}): Config {
  return parseConfig({ ...process.env, ...said });
}
