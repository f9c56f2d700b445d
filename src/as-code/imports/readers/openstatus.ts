import {
  type Comparison,
  expect,
  type KindPayload,
  type PayloadAssertion,
  tcpPayload,
  webMethods,
  webPayload,
} from "../../../kinds/kit/check-payloads.ts";
import { type ImportFile, type Reading, UnreadableFile } from "../reading.ts";
import { type Origin, ReadingBuilder, type ReadOptions } from "../reading-builder.ts";
import { parseYaml, readTextFile, requireOneFile } from "./file-text.ts";
import { parseSeconds, toAlertSettings, toFrequency } from "./frequency.ts";
import { toHeaders } from "./http-settings.ts";
import { Row, toLogicalPart } from "./row.ts";

const textComparisons: Readonly<Record<string, Comparison>> = {
  eq: "EQUALS",
  not_eq: "NOT_EQUALS",
  contains: "CONTAINS",
  not_contains: "NOT_CONTAINS",
  empty: "IS_EMPTY",
  not_empty: "NOT_EMPTY",
};

function translateStatus(compare: string, code: number): PayloadAssertion | null {
  switch (compare) {
    case "eq":
      return expect.status(code);
    case "not_eq":
      return expect.statusNot(code);
    case "gt":
      return expect.statusAbove(code);
    case "gte":
      return expect.statusAbove(code - 1);
    case "lt":
      return expect.statusBelow(code);
    case "lte":
      return expect.statusBelow(code + 1);
    default:
      return null;
  }
}

function translateAssertion(assertion: Row): PayloadAssertion | null {
  const compare = assertion.text("compare") ?? "";
  const target = assertion.text("target") ?? "";
  const comparison = textComparisons[compare];
  switch (assertion.text("kind")) {
    case "statusCode":
      return translateStatus(compare, assertion.integer("target") ?? 200);
    case "header":
      return comparison === undefined
        ? null
        : expect.header(assertion.text("key") ?? "", comparison, target);
    case "textBody":
      return comparison === undefined ? null : expect.body(comparison, target);
    default:
      return null;
  }
}

function readAssertions(builder: ReadingBuilder, origin: Origin, row: Row): PayloadAssertion[] {
  const list = row.list("assertions").map((one) => new Row(one));
  if (list.length === 0) return expect.statusBetween(200, 299);
  return list.flatMap((assertion) => {
    const translated = translateAssertion(assertion);
    if (translated !== null) return [translated];
    const from = `${assertion.text("kind")} ${assertion.text("compare")}`;
    const why = "It cannot be expressed as an assertion; add it by hand.";
    builder.change(origin, "assertion", { from, to: "none", why });
    return [];
  });
}

function toPayload(builder: ReadingBuilder, origin: Origin, row: Row): KindPayload | null {
  const request = row.row("request");
  const timeoutMs = row.number("timeout") ?? 45_000;
  if (row.text("kind") === "tcp") {
    const host = request.text("host") ?? "";
    return tcpPayload({ host, port: request.integer("port") ?? 0, timeoutMs });
  }
  const method = (request.text("method") ?? "GET").toUpperCase();
  if (row.text("kind") !== "http" || !webMethods.includes(method)) {
    builder.leaveOut(origin, `There is no check for ${row.text("kind")} ${method}.`);
    return null;
  }
  const body = request.text("body");
  return webPayload({
    url: request.text("url") ?? "",
    method,
    headers: toHeaders(request.get("headers")),
    ...(body !== null && { body: { text: body, type: "raw" } as const }),
    followRedirects: request.flag("followRedirects", true),
    timeoutMs,
    degradedMs: row.number("degradedAfter") ?? 30_000,
    assertions: readAssertions(builder, origin, row),
  });
}

function addMonitor(builder: ReadingBuilder, key: string, row: Row): void {
  const name = row.text("name") ?? key;
  const origin = { origin: `openstatus/${toLogicalPart(key)}`, name };
  const payload = toPayload(builder, origin, row);
  if (payload === null) return;
  const regions = row.list("regions").map(String);
  if (regions.length > 0) {
    const why = "Locations differ. Choose them in the check or its group.";
    builder.change(origin, "regions", { from: regions.join(", "), to: "default location", why });
  }
  const maxRetries = Math.min(Math.max(row.integer("retry") ?? 3, 1), 10);
  builder.addCheck(origin, payload, {
    activated: row.flag("active"),
    ...toFrequency(builder, origin, parseSeconds(row.get("frequency")) ?? 600),
    retryStrategy: {
      type: "FIXED",
      maxRetries,
      baseBackoffSeconds: 10,
      maxDurationSeconds: 600,
      sameRegion: true,
    },
    ...toAlertSettings({}),
  });
}

/** Reads the file `openstatus.yaml`, which maps keys to monitors. */
export function readOpenstatus(files: readonly ImportFile[], options: ReadOptions): Reading {
  const file = requireOneFile(files);
  const monitors = new Row(parseYaml(readTextFile(file), file.name));
  const keys = monitors.keys().filter((key) => monitors.row(key).text("kind") !== null);
  if (keys.length === 0) {
    throw new UnreadableFile("This is not a file of openstatus: it has no monitors.");
  }
  const builder = new ReadingBuilder(options);
  for (const key of keys) addMonitor(builder, key, monitors.row(key));
  return builder.finish();
}
