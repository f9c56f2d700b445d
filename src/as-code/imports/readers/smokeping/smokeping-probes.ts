import {
  dnsPayload,
  dnsRecordTypes,
  expect,
  type KindPayload,
  maxPingsPerRun,
  type PayloadAssertion,
  pingPayload,
  tcpPayload,
  webPayload,
} from "../../../../kinds/kit/check-payloads.ts";
import type { Origin, ReadingBuilder } from "../../reading-builder.ts";
import type { Row } from "../row.ts";
import type { Section } from "./smokeping-config.ts";

/** A target with its own values, inherited values and the values of its probe. */
interface ProbeTarget {
  readonly origin: Origin;
  readonly host: string;
  readonly values: Row;
  /** Packet loss at which a run fails, in percent. */
  readonly failingLoss: number | null;
  readonly slowMs: number | null;
}

type Translate = (builder: ReadingBuilder, target: ProbeTarget) => KindPayload | null;

/**
 * A probe in the configuration of SmokePing. A subsection of a probe defines another probe, which
 * inherits the values of the outer probe.
 */
export interface Probe {
  /** Name of the SmokePing module, such as `FPing`. */
  readonly type: string;
  readonly values: ReadonlyMap<string, string>;
}

export function listProbes(section: Section | undefined): Map<string, Probe> {
  const probes = new Map<string, Probe>();
  const add = (one: Section, type: string, inherited: ReadonlyMap<string, string>): void => {
    const values = new Map([...inherited, ...one.values]);
    probes.set(one.name, { type, values });
    for (const inner of one.sections) add(inner, type, values);
  };
  for (const one of section?.sections ?? []) add(one, one.name, new Map());
  return probes;
}

const isYes = (values: Row, name: string) => values.text(name)?.toLowerCase() === "yes";
const isOne = (values: Row, name: string) => (values.integer(name) ?? 0) > 0;

const timeAssertions = ({ slowMs }: ProbeTarget): PayloadAssertion[] =>
  slowMs === null ? [] : [expect.responseTimeBelow(slowMs)];

const readTimeoutMs = (values: Row, seconds: number): number =>
  (values.number("timeout") ?? seconds) * 1_000;

function reportOptions(
  builder: ReadingBuilder,
  { origin, values }: ProbeTarget,
  names: readonly string[],
): void {
  for (const name of names) {
    const value = values.text(name);
    if (value === null || /^(?:no|0)$/i.test(value)) continue;
    builder.change(origin, name, { from: value, to: "none", why: "Checks have no such option." });
  }
}

const toPings =
  (family: "IPv6" | null): Translate =>
  (builder, target) => {
    const { origin, host, values } = target;
    const pings = values.integer("pings") ?? 20;
    if (pings > maxPingsPerRun) {
      const why = "The largest number of pings of a run.";
      builder.change(origin, "pings", { from: pings, to: maxPingsPerRun, why });
    }
    reportOptions(builder, target, ["packetsize", "tos", "sourceaddress", "interface", "fwmark"]);
    const isSix = family !== null || values.text("protocol") === "6";
    return pingPayload({
      ...{ host, pings, ipFamily: isSix ? "IPv6" : null },
      ...(target.failingLoss !== null && { failingLoss: target.failingLoss }),
      assertions: target.slowMs === null ? [] : [expect.latencyBelow(target.slowMs)],
    });
  };

/**
 * Translates a probe that pings from another machine or uses another protocol than ICMP. The
 * resulting check sends ICMP pings, and the change is reported.
 */
const toOtherPings =
  (type: string): Translate =>
  (builder, target) => {
    const why = "The probes of the chosen locations send ICMP pings.";
    builder.change(target.origin, "probe", { from: type, to: "ICMP pings", why });
    return toPings(null)(builder, target);
  };

function readDnsAssertions(values: Row): PayloadAssertion[] {
  const text = values.text("expect_text");
  return [
    ...(isOne(values, "require_nxdomain") ? [expect.responseCode("NXDOMAIN")] : []),
    ...(text === null ? [] : [expect.answer("CONTAINS", text)]),
  ];
}

/** Translates a DNS probe. The host is the name server, unless `server` sets another one. */
const toDns: Translate = (builder, target) => {
  const { origin, host, values } = target;
  const record = (values.text("recordtype") ?? "A").toUpperCase();
  if (!dnsRecordTypes.includes(record)) {
    builder.leaveOut(origin, `Checks do not query ${record} records.`);
    return null;
  }
  reportOptions(builder, target, ["authoritative", "require_answers"]);
  if (!isOne(values, "require_noerror") && !isOne(values, "require_nxdomain")) {
    builder.note("A DNS check fails unless the response code is NOERROR.");
  }
  return dnsPayload({
    ...{ name: values.text("lookup") ?? host, record, server: values.text("server") ?? host },
    port: values.integer("port"),
    isTcp: values.text("protocol")?.toLowerCase() === "tcp",
    timeoutMs: readTimeoutMs(values, 5),
    assertions: [...readDnsAssertions(values), ...timeAssertions(target)],
  });
};

const noteWeb = (builder: ReadingBuilder) =>
  builder.note(
    "SmokePing accepts every status of a response over HTTP. The check fails at 400 and above.",
  );

const toCurl: Translate = (builder, target) => {
  const { host, values } = target;
  noteWeb(builder);
  reportOptions(builder, target, ["extraargs", "extrare", "hostname", "interface"]);
  const format = values.text("urlformat") ?? "http://%host%/";
  const text = values.text("expect");
  const agent = values.text("agent")?.replace(/^User-Agent:\s*/i, "") ?? null;
  return webPayload({
    url: format.replaceAll("%host%", () => host),
    ...(agent !== null && { headers: [{ key: "User-Agent", value: agent, locked: false }] }),
    followRedirects: isYes(values, "follow_redirects"),
    skipCertificate: isYes(values, "insecure_ssl"),
    timeoutMs: readTimeoutMs(values, 10),
    assertions: [...(text === null ? [] : [expect.bodyContains(text)]), ...timeAssertions(target)],
  });
};

const toEchoPing =
  (scheme: "http" | "https"): Translate =>
  (builder, target) => {
    const { host, values } = target;
    noteWeb(builder);
    const port = values.integer("port");
    const path = values.text("url") ?? "/";
    const origin = `${scheme}://${host.includes(":") ? `[${host}]` : host}${port === null ? "" : `:${port}`}`;
    return webPayload({
      url: `${origin}${path.startsWith("/") ? "" : "/"}${path}`,
      followRedirects: false,
      timeoutMs: readTimeoutMs(values, 10),
      assertions: timeAssertions(target),
    });
  };

/** Translates a probe into a TCP connection. All types except TCPPing are reported as changed. */
const toPort =
  (defaultPort: number, type: string | null): Translate =>
  (builder, target) => {
    const { origin, host, values } = target;
    const port = values.integer("port") ?? defaultPort;
    if (type !== null) {
      const why = "There is no check of this type. The check only connects.";
      builder.change(origin, "probe", { from: type, to: `TCP connection to port ${port}`, why });
    }
    const timeoutMs = readTimeoutMs(values, 10);
    return tcpPayload({ host, port, timeoutMs, assertions: timeAssertions(target) });
  };

const ports: Readonly<Record<string, number>> = {
  SSH: 22,
  AnotherSSH: 22,
  FTPtransfer: 21,
  LDAP: 389,
  EchoPing: 7,
  EchoPingChargen: 19,
  EchoPingDiscard: 9,
  EchoPingLDAP: 389,
  EchoPingSmtp: 25,
  EchoPingWhois: 43,
  NFSping: 2049,
  SendEmail: 25,
  TacacsPlus: 49,
  WebProxyFilter: 80,
};

/**
 * Adds a note to a translation: the check measures once per run, whereas SmokePing repeats every
 * measurement.
 */
const once =
  (translate: Translate): Translate =>
  (builder, target) => {
    builder.note("Checks over HTTP, TCP and DNS measure once per run, not as often as `pings`.");
    return translate(builder, target);
  };

const translators: ReadonlyMap<string, Translate> = new Map([
  ["FPing", toPings(null)],
  ["FPing6", toPings("IPv6")],
  ["FPingContinuous", toPings(null)],
  ["RemoteFPing", toOtherPings("RemoteFPing")],
  ["IRTT", toOtherPings("IRTT")],
  ["DNS", once(toDns)],
  ["AnotherDNS", once(toDns)],
  ["Curl", once(toCurl)],
  ["EchoPingHttp", once(toEchoPing("http"))],
  ["EchoPingHttps", once(toEchoPing("https"))],
  ["TCPPing", once(toPort(80, null))],
  ...Object.entries(ports).map(([type, port]) => [type, once(toPort(port, type))] as const),
]);

/** Returns the translation for a probe type, or `null` if no check kind can replace the type. */
export const findTranslator = (type: string): Translate | null => translators.get(type) ?? null;
