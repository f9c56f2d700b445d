import {
  addressList,
  hostList,
  integerBetween,
  matching,
  oneOf,
  urlWith,
} from "../platform/setting-parsers.ts";

const slug = /^[a-z0-9][a-z0-9-]{0,29}$/;

/** Settings of the built-in probe and of remote probes. src/config.ts includes these settings. */
export const probeSettings = {
  BUILT_IN_PROBE: {
    parse: oneOf(["true", "false"]),
    fallback: "true",
    allowed: "true, false",
    purpose: "Whether this server also runs checks as a probe.",
  },
  PROBE_LOCATION: {
    parse: matching(slug, "must be a location such as eu-central-1, or a slug of your own"),
    fallback: "eu-central-1",
    allowed: "a location or a slug of up to 30 letters, digits and hyphens",
    purpose: "Location of the built-in probe, and default location of checks.",
  },
  PROBE_IPV4: {
    parse: addressList("ipv4"),
    fallback: undefined,
    allowed: "IPv4 addresses or prefixes, separated by commas",
    purpose:
      "Source addresses to publish, if this machine cannot detect them, for example behind NAT.",
  },
  PROBE_IPV6: {
    parse: addressList("ipv6"),
    fallback: undefined,
    allowed: "IPv6 addresses or prefixes, separated by commas",
    purpose: "The same for IPv6.",
  },
  PROBE_DENY: {
    parse: addressList("any"),
    fallback: undefined,
    allowed: "addresses or prefixes, separated by commas",
    purpose:
      "Targets that checks of this probe may not reach, in addition to link-local and cloud metadata  " +
      "addresses and those of the service itself ([below](#what-checks-cannot-reach)).",
  },
  PROBE_ALLOW: {
    parse: addressList("any"),
    fallback: undefined,
    allowed: "addresses or prefixes, separated by commas",
    purpose: "Exceptions: addresses that checks may reach even though they are denied.",
  },
  PROBE_ANCHORS: {
    parse: hostList,
    fallback: undefined,
    allowed: "host names or addresses, separated by commas",
    purpose:
      "Hosts that always respond unless this probe's own network is down. While none responds, failures raise no alerts.",
  },
  PROBE_SERVER: {
    parse: urlWith(["http:", "https:"]),
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose: "For `vedette probe`: URL of its server; `--server` overrides it.",
  },
  PROBE_TOKEN: {
    parse: matching(/^(?:pl|vp)_[0-9a-f]{32}$/, "must be the key of a probe, such as pl_…"),
    fallback: undefined,
    allowed: "the key of a private location or of a public region",
    purpose:
      "For `vedette probe`: its key. Prefer this to `--token`, which every user of the machine can see.",
    isSecret: true,
  },
  PROBE_NAME: {
    parse: matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "must be a name such as edge-1"),
    fallback: undefined,
    allowed: "up to 63 letters, digits, dots, hyphens and underscores",
    purpose: "For `vedette probe`: a name unique within its location; by default the host name.",
  },
  PROBE_FILES_SERVER: {
    parse: urlWith(["http:", "https:"]),
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose:
      "For `vedette probe` on NATS: URL of a server that receives the files of runs, such as screenshots; by default none are sent. Without NATS, `PROBE_SERVER` receives them.",
  },
  PROBE_SPOOL_MB: {
    parse: integerBetween(1, 100_000),
    fallback: "64",
    allowed: "1 to 100000",
    purpose:
      "For `vedette probe`: maximum size of the unsent results on disk, which are retained for 12 hours.",
  },
  SCRIPT_MEMORY_MB: {
    parse: integerBetween(128, 16_384),
    fallback: "512",
    allowed: "128 to 16384",
    purpose:
      "Memory that one script of a check may use, half of what one with a browser may use, and a quarter of what a Playwright suite may use; a script that uses more is ended.",
  },
  SCRIPT_ISOLATION: {
    parse: oneOf(["landlock", "namespaces"]),
    fallback: "landlock",
    allowed: "landlock, namespaces",
    purpose:
      "The weakest isolation that scripts of checks may run with; `namespaces` excludes tiers B1 and B2.",
  },
  SCRIPT_CONCURRENCY: {
    parse: integerBetween(1, 64),
    fallback: undefined,
    allowed: "1 to 64",
    purpose:
      "Scripts that run at the same time; by default one for each core, as far as half of the memory suffices for them.",
  },
  SCRIPT_CHROMIUM: {
    parse: matching(/^\//, "must be an absolute path"),
    fallback: undefined,
    allowed: "an absolute path",
    purpose:
      "The Chromium that browser checks use; by default the one that Debian's packages `chromium-headless-shell` or `chromium` install.",
  },
  DRAIN_SECONDS: {
    parse: integerBetween(0, 60),
    fallback: "8",
    allowed: "0 to 60",
    purpose: "How long a stopping probe waits for its open runs to finish.",
  },
} as const;
