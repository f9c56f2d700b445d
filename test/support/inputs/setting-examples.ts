import type { settings } from "../../../src/config.ts";

export type Name = keyof typeof settings;
export type Examples = {
  readonly good: readonly string[];
  readonly bad: readonly string[];
  /** Rule that the error message must contain. */
  readonly rule: string;
};

const allInterfaces = ["0.0.0.0", "::", "127.0.0.1", "localhost", "a-b.example.com"];
const notNumbers = ["-1", "1.5", "1e3", "0x10", "ten", " 5", "5 ", "5\n", "12345678901"];
const longText = "x".repeat(201);

/** Valid values, invalid values and the expected error message of every setting. */
export const settingExamples: { readonly [Key in Name]: Examples } = {
  HOST: {
    good: allInterfaces,
    bad: ["http://a", "a b", "a/b", "[::]", "x".repeat(256)],
    rule: "must be an address or a host name",
  },
  PORT: {
    good: ["0", "1", "3000", "65535"],
    bad: ["65536", ...notNumbers],
    rule: "must be a whole number from 0 to 65535",
  },
  PUBLIC_URL: {
    good: ["http://localhost:3000", "https://status.example.com", "https://example.com/watch"],
    bad: ["example.com", "ftp://example.com", "http:example.com", " http://a", "http://", "//a"],
    rule: "must be a URL that begins with http:// or https://",
  },
  DATA_DIR: {
    good: ["./data", "/var/lib/vedette", "with space", "ü"],
    bad: ["a\0b", "x".repeat(1_025)],
    rule: "must be the path of a folder",
  },
  DATABASE_URL: {
    good: ["postgres://u:p@db.example.com:5432/v", "postgresql:///v?host=/run/postgresql"],
    bad: ["mysql://a/b", "db.example.com", "postgres:db", "postgres://a b/c"],
    rule: "must be a URL that begins with postgres:// or postgresql://",
  },
  DATABASE_TIMEOUT_MS: {
    good: ["100", "20000", "600000"],
    bad: ["99", "600001", ...notNumbers],
    rule: "must be a whole number from 100 to 600000",
  },
  NATS_URL: {
    good: ["nats://localhost", "tls://u:p@a:4222,tls://b", "nats://[::1]:4223"],
    bad: ["localhost:4222", "http://a", "nats://", "nats://a/b", "nats://a,", "nats://a b"],
    rule:
      "must be up to 16 addresses such as nats://user:password@host:4222 or tls://host, " +
      "separated by commas",
  },
  NATS_REPLICAS: {
    good: ["1", "3", "5"],
    bad: ["0", "6", ...notNumbers],
    rule: "must be a whole number from 1 to 5",
  },
  LOG_LEVEL: {
    good: ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
    bad: ["INFO", "verbose", "info "],
    rule: "must be one of fatal, error, warn, info, debug, trace, silent",
  },
  LOG_FORMAT: {
    good: ["auto", "json", "text"],
    bad: ["JSON", "pretty", "json "],
    rule: "must be one of auto, json, text",
  },
  RATE_LIMIT_PER_MINUTE: {
    good: ["0", "600", "1000000"],
    bad: ["1000001", ...notNumbers],
    rule: "must be a whole number from 0 to 1000000",
  },
  CONNECTIONS_PER_ADDRESS: {
    good: ["0", "512", "4096"],
    bad: ["4097", "-1", "many"],
    rule: "must be a whole number from 0 to 4096",
  },
  METRICS: {
    good: ["public", "off"],
    bad: ["on", "true"],
    rule: "must be one of public, off",
  },
  METRICS_PORT: {
    good: ["0", "9090", "65535"],
    bad: ["65536", "x"],
    rule: "must be a whole number from 0 to 65535",
  },
  TRUSTED_PROXIES: {
    good: ["10.0.0.1", "10.0.0.0/8, ::1", "2001:db8::/32", "::ffff:10.0.0.1"],
    bad: ["proxy", "10.0.0.1,", "10.0.0.0/33", "1", "0x7f.1", "10.0.0.256", "fe80::1%eth0", "a;b"],
    rule: "must be IP addresses or prefixes, separated by commas",
  },
  BUILT_IN_PROBE: {
    good: ["true", "false"],
    bad: ["yes", "TRUE", "1"],
    rule: "must be one of true, false",
  },
  PROBE_LOCATION: {
    good: ["eu-central-1", "home", "9", "x".repeat(30)],
    bad: ["Home", "-a", "a_b", "x".repeat(31)],
    rule: "must be a location such as eu-central-1, or a slug of your own",
  },
  PROBE_IPV4: {
    good: ["192.0.2.1", "192.0.2.0/24,198.51.100.7"],
    bad: ["2001:db8::1", "192.0.2", "192.0.2.1/", "none"],
    rule: "must be IPv4 addresses or prefixes, separated by commas",
  },
  PROBE_IPV6: {
    good: ["2001:db8::1", "2001:db8::/64, 2001:db8:1::2"],
    bad: ["192.0.2.1", "2001:db8::g", "2001:db8::/129"],
    rule: "must be IPv6 addresses or prefixes, separated by commas",
  },
  PROBE_DENY: {
    good: ["10.0.0.0/8", "192.0.2.7, fd00::/8"],
    bad: ["internal", "10.0.0.0/33", "10.0.0"],
    rule: "must be IP addresses or prefixes, separated by commas",
  },
  PROBE_ALLOW: {
    good: ["169.254.169.254", "10.1.0.0/16,fe80::/10"],
    bad: ["all", "fe80::/129"],
    rule: "must be IP addresses or prefixes, separated by commas",
  },
  PROBE_ANCHORS: {
    good: ["192.0.2.1", "a.example, 2001:db8::1"],
    bad: ["a b", "-,", Array.from({ length: 11 }, () => "a").join(",")],
    rule: "must be up to ten host names or addresses, separated by commas",
  },
  PROBE_SERVER: {
    good: ["https://vedette.example.org", "http://127.0.0.1:3000/base"],
    bad: ["vedette.example.org", "ftp://a"],
    rule: "must be a URL that begins with http:// or https://",
  },
  PROBE_TOKEN: {
    good: [`pl_${"0a".repeat(16)}`, `vp_${"0a".repeat(16)}`],
    bad: ["secret", `pl_${"0A".repeat(16)}`],
    rule: "must be the key of a probe, such as pl_…",
  },
  PROBE_NAME: {
    good: ["edge-1", "a.example_2"],
    bad: ["-a", "a b", "a".repeat(64)],
    rule: "must be a name such as edge-1",
  },
  PROBE_FILES_SERVER: {
    good: ["https://vedette.example.org"],
    bad: ["vedette.example.org", "nats://vedette.example.org"],
    rule: "must be a URL that begins with http:// or https://",
  },
  PROBE_SPOOL_MB: {
    good: ["1", "100000"],
    bad: ["0", "1.5"],
    rule: "must be a whole number from 1 to 100000",
  },
  SCRIPT_MEMORY_MB: {
    good: ["128", "16384"],
    bad: ["127", "16385", ...notNumbers],
    rule: "must be a whole number from 128 to 16384",
  },
  SCRIPT_ISOLATION: {
    good: ["landlock", "namespaces"],
    bad: ["none", "A1", "true"],
    rule: "must be one of landlock, namespaces",
  },
  SCRIPT_CONCURRENCY: {
    good: ["1", "64"],
    bad: ["0", "65", ...notNumbers],
    rule: "must be a whole number from 1 to 64",
  },
  SCRIPT_CHROMIUM: {
    good: ["/usr/bin/chromium"],
    bad: ["chromium", "./chromium"],
    rule: "must be an absolute path",
  },
  DRAIN_SECONDS: {
    good: ["0", "60"],
    bad: ["61", ...notNumbers],
    rule: "must be a whole number from 0 to 60",
  },
  RETENTION_DAYS: {
    good: ["1", "3650"],
    bad: ["0", "3651", ...notNumbers],
    rule: "must be a whole number from 1 to 3650",
  },
  PATHS_PER_MINUTE: {
    good: ["0", "60", "6000"],
    bad: ["-1", "6001", ...notNumbers],
    rule: "must be a whole number from 0 to 6000",
  },
  ASSET_QUOTA_MB: {
    good: ["20", "1000", "10000000"],
    bad: ["19", "10000001", ...notNumbers],
    rule: "must be a whole number from 20 to 10000000",
  },
  ASSET_RETENTION_DAYS: {
    good: ["1", "7", "3650"],
    bad: ["0", "3651", ...notNumbers],
    rule: "must be a whole number from 1 to 3650",
  },
  S3_ENDPOINT: {
    good: ["https://s3.example.com", "http://127.0.0.1:9000"],
    bad: ["s3.example.com", "ftp://s3.example.com"],
    rule: "must be a URL that begins with http:// or https://",
  },
  S3_BUCKET: {
    good: ["vedette-files", "a.b"],
    bad: ["ab", "Upper", "a/b", "x".repeat(64)],
    rule: "must be the name of a bucket",
  },
  S3_REGION: {
    good: ["us-east-1", "auto"],
    bad: ["a b", "A"],
    rule: "must be the name of a region",
  },
  S3_ACCESS_KEY_ID: {
    good: ["AKIAEXAMPLE"],
    bad: ["a b", longText],
    rule: "must have 1 to 200 visible ASCII characters",
  },
  S3_SECRET_ACCESS_KEY: {
    good: ["secret/+="],
    bad: ["a b", longText],
    rule: "must have 1 to 200 visible ASCII characters",
  },
  VIEWER_PORT: {
    good: ["0", "3001"],
    bad: ["65536", ...notNumbers],
    rule: "must be a whole number from 0 to 65535",
  },
  VIEWER_URL: {
    good: ["https://traces.example.com"],
    bad: ["traces.example.com"],
    rule: "must be a URL that begins with http:// or https://",
  },
  ENCRYPTION_KEY: {
    good: [Buffer.alloc(32, 7).toString("base64")],
    bad: ["short", Buffer.alloc(31).toString("base64"), Buffer.alloc(33).toString("base64")],
    rule: "must be 32 bytes in base64",
  },
  BACKUP_DIR: {
    good: ["/backups", "./backups"],
    bad: ["a\0b", "x".repeat(1_025)],
    rule: "must be the path of a folder",
  },
  BACKUP_EVERY_HOURS: {
    good: ["0", "24", "8760"],
    bad: ["8761", ...notNumbers],
    rule: "must be a whole number from 0 to 8760",
  },
  BACKUP_KEEP: {
    good: ["1", "1000"],
    bad: ["0", "1001", ...notNumbers],
    rule: "must be a whole number from 1 to 1000",
  },
  BACKUP_VERIFY_EVERY_HOURS: {
    good: ["0", "168"],
    bad: ["8761", ...notNumbers],
    rule: "must be a whole number from 0 to 8760",
  },
  BACKUP_PASSPHRASE: {
    good: ["correct horse battery staple", "x".repeat(200)],
    bad: ["too short", "x".repeat(201), "a line\nand another"],
    rule: "must have 12 to 200 characters",
  },
  SMTP_URL: {
    good: ["smtp://127.0.0.1:25", "smtps://user:password@mail.example.com"],
    bad: ["mail.example.com", "http://mail.example.com"],
    rule: "must be a URL that begins with smtp:// or smtps://",
  },
  MAIL_FROM: { good: ["a@b.example"], bad: ["a", "a b@c"], rule: "must be an email address" },
  SMS_GATEWAY_URL: {
    good: ["https://sms.example.com/send"],
    bad: ["sms.example.com"],
    rule: "must be a URL that begins with http:// or https://",
  },
  SMS_GATEWAY_TOKEN: {
    good: ["token"],
    bad: ["a b", "x".repeat(501)],
    rule: "must have 1 to 500 visible ASCII characters",
  },
  OUTBOUND_ALLOW_PRIVATE: {
    good: ["true", "false", "127.0.0.1, 192.168.0.0/16, fd00::/8"],
    bad: ["yes", "1", "true, 127.0.0.1", "10.0.0.0/33"],
    rule: "must be true, false, or IP addresses or prefixes, separated by commas",
  },
  AI_BASE_URL: {
    good: ["http://127.0.0.1:11434/v1", "https://models.example.com/v1"],
    bad: ["models.example.com", "file:///etc/passwd"],
    rule: "must be a URL that begins with http:// or https://",
  },
  AI_API_KEY: {
    good: ["sk-key"],
    bad: ["a b", "x".repeat(501)],
    rule: "must have 1 to 500 visible ASCII characters",
  },
  AI_MODEL: {
    good: ["llama3.1:8b", "gpt-4o-mini"],
    bad: ["a b", "x".repeat(201)],
    rule: "must have 1 to 200 visible ASCII characters",
  },
  AI_MAX_TOKENS: {
    good: ["50", "100000"],
    bad: ["49", "100001", ...notNumbers],
    rule: "must be a whole number from 50 to 100000",
  },
  AI_STREAMS_PER_ACCOUNT: {
    good: ["1", "200"],
    bad: ["0", "201", ...notNumbers],
    rule: "must be a whole number from 1 to 200",
  },
  OIDC_ISSUER: {
    good: ["https://id.example.com", "https://id.example.com/realms/one/", "http://10.0.0.1:8080"],
    bad: ["id.example.com", "ldap://id.example.com", " https://a"],
    rule: "must be a URL that begins with http:// or https://",
  },
  OIDC_CLIENT_ID: {
    good: ["vedette", "0oa1b2c3"],
    bad: ["with space", "x".repeat(501)],
    rule: "must have 1 to 500 visible ASCII characters",
  },
  OIDC_CLIENT_SECRET: {
    good: ["s", "x".repeat(500)],
    bad: ["with space", "x".repeat(501)],
    rule: "must have 1 to 500 visible ASCII characters",
  },
  OIDC_NAME: {
    good: ["Okta", "Stadtwerke Köln", "x".repeat(60)],
    bad: [" Okta", "a\nb", "x".repeat(61)],
    rule: "must have 1 to 60 characters",
  },
  OIDC_ALLOWED_DOMAINS: {
    good: ["example.com", "example.com, Example.ORG"],
    bad: ["@example.com", "example", "example.com,,", "a b.com"],
    rule: "must be domains such as example.com, separated by commas",
  },
  OIDC_ROLE_CLAIM: {
    good: ["groups", "realm_access.roles", "https://example.com/roles"],
    bad: ["with space", longText],
    rule: "must have 1 to 200 visible ASCII characters",
  },
  OIDC_ROLES: {
    good: ["admins=ADMIN", "a=OWNER, b c=READ_ONLY", "cn=ops=READ_RUN"],
    bad: ["admins", "admins=BOSS", "=ADMIN", "a=ADMIN,"],
    rule: "must be pairs such as admins=ADMIN, with one of READ_ONLY, READ_RUN, READ_WRITE, ADMIN, OWNER",
  },
  OIDC_DEFAULT_ROLE: {
    good: ["READ_ONLY", "OWNER"],
    bad: ["read_only", "NONE"],
    rule: "must be one of READ_ONLY, READ_RUN, READ_WRITE, ADMIN, OWNER",
  },
  AUDIT_RETENTION_DAYS: {
    good: ["1", "3650"],
    bad: ["0", "3651", ...notNumbers],
    rule: "must be a whole number from 1 to 3650",
  },
  SNAPSHOT_DIR: {
    good: ["./snapshots", "/var/www/status"],
    bad: ["a\0b", "x".repeat(1_025)],
    rule: "must be the path of a folder",
  },
  DOMAIN_PROOF: {
    good: ["required", "off"],
    bad: ["on", "REQUIRED"],
    rule: "must be one of required, off",
  },
  DOMAIN_DNS_SERVERS: {
    good: ["192.0.2.53", "192.0.2.53:5353, 2001:db8::1", "[2001:db8::1]:5353"],
    bad: [
      "ns.example.com",
      "192.0.2.53:0",
      "192.0.2.53:70000",
      "[192.0.2.1]:53",
      "fe80::1%eth0",
      "1.1.1.1,,",
    ],
    rule: "must be up to five IP addresses with optional ports",
  },
  BOOTSTRAP_ACCOUNT_ID: {
    good: ["0190f3a2-7b1c-7def-8000-0123456789ab", "0190F3A2-7B1C-7DEF-8000-0123456789AB"],
    bad: ["0190f3a27b1c7def80000123456789ab", "1", "g190f3a2-7b1c-7def-8000-0123456789ab"],
    rule: "must be a GUID",
  },
  BOOTSTRAP_EMAIL: {
    good: ["a@b", "owner+x@example.com"],
    bad: ["owner", "a@b@c", "a b@c", "<a@b>", `${"x".repeat(65)}@a`],
    rule: "must be an email address",
  },
  EXAMPLE: { good: ["true", "false"], bad: ["yes", "1"], rule: "must be one of true, false" },
  BOOTSTRAP_PASSWORD: {
    good: ["ten chars!", "x".repeat(200), "pässwörter"],
    bad: ["nine char", longText, "ten\0chars!"],
    rule: "must have 10 to 200 characters",
  },
  BOOTSTRAP_API_KEY: {
    good: ["x".repeat(20), "x".repeat(200)],
    bad: ["x".repeat(19), longText, "x".repeat(20).concat(" "), "ü".repeat(20)],
    rule: "must have 20 to 200 visible ASCII characters",
  },
};
