import {
  addressList,
  hostList,
  integerBetween,
  matching,
  oneOf,
  urlWith,
} from "../platform/setting-parsers.ts";

const slug = /^[a-z0-9][a-z0-9-]{0,29}$/;

/** Part of the settings of the product, in src/config.ts: of the built-in probe and of others. */
export const probeSettings = {
  BUILT_IN_PROBE: {
    parse: oneOf(["true", "false"]),
    fallback: "true",
    allowed: "true, false",
    purpose: "Whether this server is itself a probe.",
  },
  PROBE_LOCATION: {
    parse: matching(slug, "must be a location such as eu-central-1, or a slug of your own"),
    fallback: "eu-central-1",
    allowed: "a location or a slug of up to 30 letters, digits and hyphens",
    purpose: "Where the built-in probe is, and where checks run that name no location.",
  },
  PROBE_IPV4: {
    parse: addressList("ipv4"),
    fallback: undefined,
    allowed: "IPv4 addresses or prefixes, separated by commas",
    purpose: "The source addresses to publish, when this machine does not see them itself.",
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
      "What checks of this probe may not reach, beside link-local and cloud metadata addresses and " +
      "what the service itself uses ([below](#what-checks-cannot-reach)).",
  },
  PROBE_ALLOW: {
    parse: addressList("any"),
    fallback: undefined,
    allowed: "addresses or prefixes, separated by commas",
    purpose: "What they may reach all the same.",
  },
  PROBE_ANCHORS: {
    parse: hostList,
    fallback: undefined,
    allowed: "host names or addresses, separated by commas",
    purpose: "Hosts that answer unless this probe's own network is down; then nobody is paged.",
  },
  PROBE_SERVER: {
    parse: urlWith(["http:", "https:"]),
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose: "For `vedette probe`: the server it works for, unless `--server` says.",
  },
  PROBE_TOKEN: {
    parse: matching(/^(?:pl|vp)_[0-9a-f]{32}$/, "must be the key of a probe, such as pl_…"),
    fallback: undefined,
    allowed: "the key of a private location or of a public region",
    purpose: "For `vedette probe`: lets it in; `--token` shows it to everybody on the machine.",
    isSecret: true,
  },
  PROBE_NAME: {
    parse: matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "must be a name such as edge-1"),
    fallback: undefined,
    allowed: "up to 63 letters, digits, dots, hyphens and underscores",
    purpose: "For `vedette probe`: one of its place; by default the name of the machine.",
  },
  PROBE_SPOOL_MB: {
    parse: integerBetween(1, 100_000),
    fallback: "64",
    allowed: "1 to 100000",
    purpose: "For `vedette probe`: how much of what it cannot send it keeps on disk, for 12 hours.",
  },
  DRAIN_SECONDS: {
    parse: integerBetween(0, 60),
    fallback: "8",
    allowed: "0 to 60",
    purpose: "How long a stop waits for the runs under way, so that they end with a result.",
  },
} as const;
