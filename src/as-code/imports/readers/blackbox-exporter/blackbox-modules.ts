import {
  certificatePayload,
  dnsPayload,
  dnsRecordTypes,
  expect,
  grpcHealthPayload,
  type PayloadAssertion,
  pingPayload,
  tcpPayload,
} from "../../../../kinds/kit/check-payloads.ts";
import type { ReadingBuilder } from "../../reading-builder.ts";
import { parseSeconds } from "../frequency.ts";
import { Row, toLogicalPart, trimHost } from "../row.ts";
import { createHttpModule } from "./blackbox-http.ts";
import {
  type Module,
  type ModuleScene,
  readFamily,
  reportOption,
  reportUnused,
  splitAddress,
  timeAssertions,
  toWholeMatch,
} from "./module-scene.ts";

const maxTimeoutSeconds = 5;

function readCodes({ builder, origin, options }: ModuleScene): PayloadAssertion[] {
  const codes = options.list("valid_rcodes").map(String);
  const [first = "NOERROR"] = codes;
  if (codes.length > 1) {
    const why = "A check accepts one response code.";
    builder.change(origin, "valid_rcodes", { from: codes.join(", "), to: first, why });
  }
  return [expect.responseCode(first)];
}

/**
 * Converts conditions on DNS records to assertions. The exporter applies a condition to each
 * record, but an assertion searches the whole answer. Conditions that change or are left out for
 * this reason are reported.
 */
function readAnswers(scene: ModuleScene): PayloadAssertion[] {
  const answers = scene.options.row("validate_answer_rrs");
  const list = (key: string) => answers.list(key).map((regex) => toWholeMatch(String(regex)));
  if (list("fail_if_not_matches_regexp").length > 0) {
    const why = "One matching record is enough for a check.";
    const [from, to] = ["every record", "any record"];
    const field = "validate_answer_rrs.fail_if_not_matches_regexp";
    scene.builder.change(scene.origin, field, { from, to, why });
  }
  if (list("fail_if_all_match_regexp").length > 0) {
    const why = "It cannot be expressed as an assertion; add it by hand.";
    reportOption(scene, "validate_answer_rrs.fail_if_all_match_regexp", why);
  }
  return [
    ...list("fail_if_matches_regexp").map(expect.answerMatchesNot),
    ...list("fail_if_not_matches_regexp").map(expect.answerMatches),
    ...list("fail_if_none_matches_regexp").map(expect.answerMatches),
  ];
}

function readRecord({ builder, origin, options }: ModuleScene): string | null {
  const record = (options.text("query_type") ?? "ANY").toUpperCase();
  if (record !== "ANY") return dnsRecordTypes.includes(record) ? record : null;
  const why = "Checks query one type of records; name servers may reject ANY.";
  builder.change(origin, "query_type", { from: "ANY", to: "A", why });
  return "A";
}

/**
 * Creates a DNS module. The module contains the name to query, and each target is a name server.
 */
function createDnsModule(scene: ModuleScene): Module {
  const { builder, origin, options } = scene;
  const record = readRecord(scene);
  reportUnused(scene, [
    ...["dns_over_tls", "source_ip_address", "validate_authority_rrs", "validate_additional_rrs"],
    ...["preferred_ip_protocol"],
  ]);
  const queryClass = options.text("query_class") ?? "IN";
  if (queryClass !== "IN") reportOption(scene, "query_class", "Checks query the class IN.");
  if (!options.flag("recursion_desired", true)) {
    reportOption(scene, "recursion_desired", "The query of a check requests recursion.");
  }
  const assertions = [...readCodes(scene), ...readAnswers(scene)];
  let isTimeReported = false;
  return (target) => {
    if (record === null) {
      const type = options.text("query_type");
      builder.leaveOut(target.origin, `Checks do not query ${type} records.`);
      return [];
    }
    if (target.timeoutSeconds > maxTimeoutSeconds && !isTimeReported) {
      isTimeReported = true;
      const [from, to] = [`${target.timeoutSeconds} s`, `${maxTimeoutSeconds} s`];
      const why = "The longest time limit of a DNS check.";
      builder.change(origin, "timeout", { from, to, why });
    }
    const server = splitAddress(target.address) ?? { host: trimHost(target.address), port: null };
    const payload = dnsPayload({
      ...{ name: options.text("query_name") ?? "", record },
      ...{ server: server.host, port: server.port },
      isTcp: (options.text("transport_protocol") ?? "udp").startsWith("tcp"),
      timeoutMs: target.timeoutSeconds * 1_000,
      assertions: [...assertions, ...timeAssertions(target)],
    });
    return [{ payload }];
  };
}

function readConversation(scene: ModuleScene, isTls: boolean) {
  const steps = scene.options.list("query_response").map((step) => new Row(step));
  if (steps.length === 0) return { data: null, assertions: [] };
  if (isTls || steps.some((step) => step.flag("starttls"))) {
    reportOption(scene, "query_response", "A TCP check does not speak TLS; it only connects.");
    return { data: null, assertions: [] };
  }
  const data = steps.find((step) => step.text("send") !== null)?.text("send") ?? null;
  const expected = steps.findLast((step) => step.text("expect") !== null)?.text("expect") ?? null;
  const sent = steps.filter((step) => step.get("send") !== undefined).length;
  const awaited = steps.filter((step) => step.get("expect") !== undefined).length;
  if (sent > 1 || awaited > 1 || steps.some((step) => step.get("expect_bytes") !== undefined)) {
    const why = "A TCP check sends once. It sends the first text and expects the last.";
    const [from, to] = [`${steps.length} steps`, "1 step"];
    scene.builder.change(scene.origin, "query_response", { from, to, why });
  }
  return {
    // The exporter sends a line feed after the text of each `send` step.
    data: data === null ? null : `${data}\n`,
    assertions: expected === null ? [] : [expect.receivedMatches(toWholeMatch(expected))],
  };
}

function createTcpModule(scene: ModuleScene): Module {
  const { builder, options } = scene;
  const isTls = options.flag("tls");
  reportUnused(scene, ["source_ip_address"]);
  const family = readFamily(scene);
  const { data, assertions } = readConversation(scene, isTls);
  const tls = options.row("tls_config");
  return (target) => {
    const address = splitAddress(target.address);
    if (address === null) {
      builder.leaveOut(target.origin, "The target has no port.");
      return [];
    }
    const { host, port } = address;
    const ipFamily = host.includes(":") ? null : family;
    const payload = tcpPayload({
      ...{ host, port, ipFamily, data },
      timeoutMs: target.timeoutSeconds * 1_000,
      assertions: [...assertions, ...timeAssertions(target)],
    });
    if (!isTls) return [{ payload }];
    const { certificateDays } = target.limits;
    const certificate = certificatePayload({
      ...{ host, port, ipFamily, days: certificateDays },
      serverName: tls.text("server_name"),
      skipCertificate: tls.flag("insecure_skip_verify"),
    });
    return [{ payload }, { payload: certificate, suffix: "tls", certificateDays }];
  };
}

function createIcmpModule(scene: ModuleScene): Module {
  reportUnused(scene, ["payload_size", "ttl", "dont_fragment", "source_ip_address"]);
  const family = readFamily(scene);
  return ({ address, limits }) => {
    const host = trimHost(address);
    const assertions = limits.slowMs === null ? [] : [expect.latencyBelow(limits.slowMs)];
    const ipFamily = host.includes(":") ? null : family;
    return [{ payload: pingPayload({ host, pings: 1, ipFamily, assertions }) }];
  };
}

function createGrpcModule(scene: ModuleScene): Module {
  const { builder, options } = scene;
  const tls = options.row("tls_config");
  const isSecure = options.flag("tls");
  const written = options.row("metadata");
  const metadata = written
    .keys()
    .flatMap((key) => [written.get(key)].flat().map((value) => ({ key, value: String(value) })));
  return (target) => {
    const address = splitAddress(target.address.replace(/^\w+:\/\//, ""));
    if (address === null) {
      builder.leaveOut(target.origin, "The target has no port.");
      return [];
    }
    const payload = grpcHealthPayload({
      ...{ ...address, isSecure, metadata, service: options.text("service") },
      skipCertificate: tls.flag("insecure_skip_verify"),
      timeoutMs: target.timeoutSeconds * 1_000,
      assertions: timeAssertions(target),
    });
    return [{ payload }];
  };
}

/**
 * Creates a module for a prober that no check kind can replace. Its checks only connect to the
 * port.
 */
function createConnectModule({ builder, prober }: ModuleScene): Module {
  return (target) => {
    const url = URL.parse(
      target.address.includes("://") ? target.address : `tcp://${target.address}`,
    );
    const isSecure = url !== null && /^(?:wss|https):$/.test(url.protocol);
    const port = url === null || url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
    if (url === null || url.hostname === "") {
      builder.leaveOut(target.origin, "The target is not a host with a port.");
      return [];
    }
    builder.change(target.origin, "type", {
      from: prober,
      to: `TCP connection to port ${port}`,
      why: "There is no check of this type. The check only connects.",
    });
    const timeoutMs = target.timeoutSeconds * 1_000;
    const assertions = timeAssertions(target);
    return [{ payload: tcpPayload({ host: trimHost(url.hostname), port, timeoutMs, assertions }) }];
  };
}

const probers: Readonly<Record<string, (scene: ModuleScene) => Module>> = {
  http: createHttpModule,
  tcp: createTcpModule,
  icmp: createIcmpModule,
  dns: createDnsModule,
  grpc: createGrpcModule,
  websocket: createConnectModule,
};

/** The exporter ends a probe half a second before the scrape timeout of Prometheus. */
const marginSeconds = 0.5;

function withModuleTimeout(module: Module, limit: number | null): Module {
  return (target) => {
    const scrape = Math.max(target.timeoutSeconds - marginSeconds, marginSeconds);
    return module({ ...target, timeoutSeconds: limit ? Math.min(limit, scrape) : scrape });
  };
}

/** Finds modules by name. A module is translated and reported when it is first used by a target. */
export class Modules {
  readonly #builder: ReadingBuilder;
  readonly #rows: ReadonlyMap<string, Row>;
  readonly #translated = new Map<string, Module | null>();

  constructor(builder: ReadingBuilder, rows: ReadonlyMap<string, Row>) {
    this.#builder = builder;
    this.#rows = rows;
  }

  /** Returns `null` if the module does not exist, or if no check kind can replace its prober. */
  find(name: string): Module | null {
    const known = this.#translated.get(name);
    if (known !== undefined) return known;
    const module = this.#translate(name);
    this.#translated.set(name, module);
    return module;
  }

  /** Returns the reason why targets of this module are left out. */
  explainMissing(name: string): string {
    const prober = this.#rows.get(name)?.text("prober");
    return prober === undefined
      ? `The uploaded files contain no module ${name}.`
      : `There is no check for the prober ${prober} of module ${name}.`;
  }

  #translate(name: string): Module | null {
    const row = this.#rows.get(name);
    const prober = row?.text("prober") ?? "";
    const create = Object.hasOwn(probers, prober) ? probers[prober] : undefined;
    if (row === undefined || create === undefined) return null;
    const origin = { origin: `prometheus/module-${toLogicalPart(name)}`, name: `module ${name}` };
    const scene = { builder: this.#builder, origin, prober, options: row.row(prober) };
    return withModuleTimeout(create(scene), parseSeconds(row.get("timeout")));
  }
}
