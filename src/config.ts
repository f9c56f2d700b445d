/** All settings of the product. A test compares this list with the table in docs/configure.md. */

import { assetSettings } from "./platform/asset-settings.ts";
import { backupSettings } from "./platform/backup/settings.ts";
import { logFormats, logLevels } from "./platform/log.ts";
import { parseNatsUrl } from "./platform/nats/nats-address.ts";
import {
  addressList,
  ConfigError,
  domainList,
  type Environment,
  integerBetween,
  issuerUrl,
  matching,
  oneOf,
  pairsWith,
  parsePrivateAddresses,
  readSettingText,
  resolverList,
  type Setting,
  urlWith,
} from "./platform/setting-parsers.ts";
import { uuidPattern } from "./platform/text/patterns.ts";
import { probeSettings } from "./probe/settings.ts";

/** Roles of users and keys, identical to those in src/access/accounts/caller.ts (tested). */
export const roleNames = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"] as const;

const email = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,189}$/;

export const settings = {
  HOST: {
    parse: matching(/^[A-Za-z0-9.:_-]{1,255}$/, "must be an address or a host name"),
    fallback: "127.0.0.1",
    allowed: "an address or host name of this machine",
    purpose: "Address the server listens on. `0.0.0.0` or `::` for all interfaces.",
  },
  PORT: {
    parse: integerBetween(0, 65_535),
    fallback: "3000",
    allowed: "0 to 65535",
    purpose: "Port the server listens on; 0 picks a free one.",
  },
  PUBLIC_URL: {
    parse: urlWith(["http:", "https:"]),
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose: "Public URL of the server; by default the address it listens on.",
  },
  DATA_DIR: {
    parse: matching(/^[^\0]{1,1024}$/, "must be the path of a folder"),
    fallback: "./data",
    allowed: "a folder",
    purpose: "Folder for all stored data, including the embedded PostgreSQL.",
  },
  DATABASE_URL: {
    parse: urlWith(["postgres:", "postgresql:"]),
    fallback: undefined,
    allowed: "`postgres://…`",
    purpose: "Your own PostgreSQL (15 or newer) instead of the embedded one.",
    isSecret: true,
  },
  DATABASE_TIMEOUT_MS: {
    parse: integerBetween(100, 600_000),
    fallback: "20000",
    allowed: "100 to 600000",
    purpose:
      "Timeout of one SQL statement. A connection without a response for one second longer is closed.",
  },
  NATS_URL: {
    parse: parseNatsUrl,
    fallback: undefined,
    allowed: "`nats://…` or `tls://…`, several separated by commas",
    purpose: "NATS with JetStream, shared by several servers and their remote probes.",
    isSecret: true,
  },
  NATS_REPLICAS: {
    parse: integerBetween(1, 5),
    fallback: "1",
    allowed: "1 to 5",
    purpose: "Number of NATS servers that store each message; 3 survives the loss of one.",
  },
  LOG_LEVEL: {
    parse: oneOf(logLevels),
    fallback: "info",
    allowed: logLevels.join(", "),
    purpose: "Log level. Successful reads are logged at `debug`.",
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
      "Requests per minute and API key, and per address for requests without a valid key; ten times that for dashboards and metrics; 0 for no limit.",
  },
  CONNECTIONS_PER_ADDRESS: {
    parse: integerBetween(0, 4_096),
    fallback: "512",
    allowed: "0 to 4096",
    purpose:
      "Maximum number of connections per client address (per /64 for IPv6). Trusted proxies and local clients are exempt; 0 for no limit.",
  },
  METRICS: {
    parse: oneOf(["public", "off"]),
    fallback: "public",
    allowed: "public, off",
    purpose: "Whether `/metrics` is served.",
  },
  METRICS_PORT: {
    parse: integerBetween(0, 65_535),
    fallback: undefined,
    allowed: "0 to 65535",
    purpose: "Separate port for `/metrics`, which is then served only there; 0 picks a free one.",
  },
  TRUSTED_PROXIES: {
    parse: addressList("any"),
    fallback: undefined,
    allowed: "addresses or prefixes, separated by commas",
    purpose: "Proxies whose `X-Forwarded-For` and `X-Forwarded-Host` are trusted; none by default.",
  },
  ...probeSettings,
  RETENTION_DAYS: {
    parse: integerBetween(1, 3_650),
    fallback: "30",
    allowed: "1 to 3650",
    purpose:
      "How long individual results and status changes are retained; statistics are retained longer.",
  },
  PATHS_PER_MINUTE: {
    parse: integerBetween(0, 6_000),
    fallback: "60",
    allowed: "0 to 6000",
    purpose:
      "How many failures per minute have the path to their target traced, see [Paths](paths.md); 0 turns tracing off.",
  },
  ...assetSettings,
  ENCRYPTION_KEY: {
    parse: matching(/^[A-Za-z0-9+/]{43}=$/, "must be 32 bytes in base64"),
    fallback: undefined,
    allowed: "32 bytes in base64",
    purpose: "Encrypts secret values in the database; by default a key is generated in `DATA_DIR`.",
    isSecret: true,
  },
  ...backupSettings,
  SMTP_URL: {
    parse: urlWith(["smtp:", "smtps:"]),
    fallback: undefined,
    allowed: "`smtp://…` or `smtps://…`",
    purpose: "Mail server for alerts, subscriber mails, invitations and password resets.",
    isSecret: true,
  },
  MAIL_FROM: {
    parse: matching(email, "must be an email address"),
    fallback: "vedette@localhost.localdomain",
    allowed: "an email address",
    purpose: "Sender address of all mail.",
  },
  SMS_GATEWAY_URL: {
    parse: urlWith(["http:", "https:"]),
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose: "SMS gateway that accepts messages as JSON by POST.",
  },
  SMS_GATEWAY_TOKEN: {
    parse: matching(/^[\x21-\x7e]{1,500}$/, "must have 1 to 500 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 500 visible ASCII characters",
    purpose: "Bearer token for the SMS gateway.",
    isSecret: true,
  },
  OUTBOUND_ALLOW_PRIVATE: {
    parse: parsePrivateAddresses,
    fallback: "false",
    allowed: "true, false, or addresses or prefixes, separated by commas",
    purpose:
      "Private addresses to which every member may send alerts; `true` allows all. Owners and admins may always enter addresses of private networks, see [Private networks](alerts.md#private-networks).",
  },
  AI_BASE_URL: {
    parse: urlWith(["http:", "https:"]),
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose:
      "Base URL of a language model for the agent; `/chat/completions` is appended. Private addresses are allowed.",
  },
  AI_API_KEY: {
    parse: matching(/^[\x21-\x7e]{1,500}$/, "must have 1 to 500 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 500 visible ASCII characters",
    purpose: "Bearer token for the language model.",
    isSecret: true,
  },
  AI_MODEL: {
    parse: matching(/^[\x21-\x7e]{1,200}$/, "must have 1 to 200 visible ASCII characters"),
    fallback: "default",
    allowed: "1 to 200 visible ASCII characters",
    purpose: "Name of the language model.",
  },
  AI_MAX_TOKENS: {
    parse: integerBetween(50, 100_000),
    fallback: "2000",
    allowed: "50 to 100000",
    purpose:
      "Maximum number of tokens the model may write per step; an answer has at most eight steps.",
  },
  AI_STREAMS_PER_ACCOUNT: {
    parse: integerBetween(1, 200),
    fallback: "8",
    allowed: "1 to 200",
    purpose: "Maximum number of concurrent answers of the agent per account.",
  },
  OIDC_ISSUER: {
    parse: issuerUrl,
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose: "Issuer URL of an OpenID Connect provider for sign-in. Private addresses are allowed.",
  },
  OIDC_CLIENT_ID: {
    parse: matching(/^[\x21-\x7e]{1,500}$/, "must have 1 to 500 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 500 visible ASCII characters",
    purpose: "Client id of this server at the provider. Required with `OIDC_ISSUER`.",
  },
  OIDC_CLIENT_SECRET: {
    parse: matching(/^[\x21-\x7e]{1,500}$/, "must have 1 to 500 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 500 visible ASCII characters",
    purpose: "Client secret of this server at the provider; a public client has none.",
    isSecret: true,
  },
  OIDC_NAME: {
    parse: matching(/^\S[^\p{Cc}]{0,59}$/u, "must have 1 to 60 characters"),
    fallback: "OpenID Connect",
    allowed: "1 to 60 characters",
    purpose: "Display name of the provider, for the button `Sign in with …`.",
  },
  OIDC_ALLOWED_DOMAINS: {
    parse: domainList,
    fallback: undefined,
    allowed: "domains, separated by commas",
    purpose: "Email domains that may sign in through the provider; any domain by default.",
  },
  OIDC_ROLE_CLAIM: {
    parse: matching(/^[\x21-\x7e]{1,200}$/, "must have 1 to 200 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 200 visible ASCII characters",
    purpose: "Claim that determines the role, such as `groups` or `realm_access.roles`.",
  },
  OIDC_ROLES: {
    parse: pairsWith(roleNames, "admins=ADMIN"),
    fallback: undefined,
    allowed: "`value=ROLE`, separated by commas",
    purpose: "Role for each value of the claim; the most powerful role applies.",
  },
  OIDC_DEFAULT_ROLE: {
    parse: oneOf(roleNames),
    fallback: undefined,
    allowed: roleNames.join(", "),
    purpose:
      "Role of users whose claim maps to none; if not set, only existing and invited users may sign in.",
  },
  AUDIT_RETENTION_DAYS: {
    parse: integerBetween(1, 3_650),
    fallback: "365",
    allowed: "1 to 3650",
    purpose: "How long audit log entries are retained.",
  },
  SNAPSHOT_DIR: {
    parse: matching(/^[^\0]{1,1024}$/, "must be the path of a folder"),
    fallback: undefined,
    allowed: "a folder",
    purpose: "Folder for static copies of all public status pages, to be served by any web server.",
  },
  DOMAIN_PROOF: {
    parse: oneOf(["required", "off"]),
    fallback: "required",
    allowed: "required, off",
    purpose:
      "Whether a custom domain is served only after a DNS record has verified it. Use `off` if no DNS server has such records.",
  },
  DOMAIN_DNS_SERVERS: {
    parse: resolverList,
    fallback: undefined,
    allowed: "IP addresses with optional `:port`, separated by commas",
    purpose: "DNS servers to query for these records; by default those of the system.",
  },
  BOOTSTRAP_ACCOUNT_ID: {
    parse: matching(uuidPattern, "must be a GUID"),
    fallback: undefined,
    allowed: "a GUID",
    purpose: "Id of the account that the first start creates.",
  },
  BOOTSTRAP_EMAIL: {
    parse: matching(email, "must be an email address"),
    fallback: "owner@vedette.localhost",
    allowed: "an email address",
    purpose: "Email address of the owner that the first start creates.",
  },
  EXAMPLE: {
    parse: oneOf(["true", "false"]),
    fallback: "true",
    allowed: "true, false",
    purpose: "Whether the first start creates a small example: checks, a status page, a dashboard.",
  },
  BOOTSTRAP_PASSWORD: {
    parse: matching(/^[^\0]{10,200}$/, "must have 10 to 200 characters"),
    fallback: undefined,
    allowed: "10 to 200 characters",
    purpose:
      "Password of the owner. By default a one-time link is printed, and the owner chooses a password.",
    isSecret: true,
  },
  BOOTSTRAP_API_KEY: {
    parse: matching(/^[\x21-\x7e]{20,200}$/, "must have 20 to 200 visible ASCII characters"),
    fallback: undefined,
    allowed: "20 to 200 visible ASCII characters",
    purpose: "The first API key; by default one is generated and printed once.",
    isSecret: true,
  },
} satisfies Readonly<Record<string, Setting<unknown>>>;

type Settings = typeof settings;
type Name = keyof Settings;
type ValueOf<Key extends Name> =
  Extract<ReturnType<Settings[Key]["parse"]>, { value: unknown }> extends { value: infer Value }
    ? Value
    : never;

/** Values of all settings by name. A setting with a fallback always has a value. */
export type Config = {
  readonly [Key in Name]: Settings[Key]["fallback"] extends string
    ? ValueOf<Key>
    : ValueOf<Key> | undefined;
};

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

/**
 * Returns the environment of this process, for variables that are not settings: variables of
 * commands, of Node.js and npm, and those that the files of `vedette apply` refer to.
 */
export function readEnvironment(): Environment {
  return process.env;
}

/** Sets the folder for temporary files of this process and its children, unless TMPDIR is set. */
export function setTemporaryFolder(folder: string): void {
  process.env.TMPDIR ||= folder;
}

/** Reads the settings from the environment. `overrides` contains values from the command line. */
export function readConfig(overrides: Environment = {}): Config {
  return parseConfig({ ...process.env, ...overrides });
}
