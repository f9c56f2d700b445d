import {
  expect,
  type KindPayload,
  type PayloadAssertion,
  type PayloadPair,
  type WebTarget,
  webMethods,
  webPayload,
} from "../../../../kinds/kit/check-payloads.ts";
import type { Origin, ReadingBuilder } from "../../reading-builder.ts";
import { toHeaders, toJsonPath, toStatusAssertions } from "../http-settings.ts";
import type { Row } from "../row.ts";

/** Result of translating a monitor; `null` if the monitor cannot be translated. */
export type Translated = {
  readonly payload: KindPayload;
  /** Whether the check is created deactivated, because its authentication is not supported. */
  readonly isInactive?: boolean;
} | null;

function readAuth(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
): Pick<WebTarget, "basicAuth"> & { readonly header?: PayloadPair; readonly isMissing: boolean } {
  const method = row.text("auth_method");
  if (method === null || method === "null") return { isMissing: false };
  if (method === "basic") {
    const username = row.text("basic_auth_user") ?? "";
    const basicAuth = { username, password: row.text("basic_auth_pass") ?? "" };
    return { basicAuth, isMissing: false };
  }
  const token = row.text("bearer_token");
  if (method === "bearer" && token !== null) {
    const header = { key: "Authorization", value: `Bearer ${token}`, locked: true };
    return { header, isMissing: false };
  }
  builder.change(origin, "authentication", {
    from: method,
    to: "none",
    why: "This kind of authentication is not supported. The check is imported inactive.",
  });
  return { isMissing: true };
}

const comparisons = {
  "==": "EQUALS",
  "!=": "NOT_EQUALS",
  ">": "GREATER_THAN",
  "<": "LESS_THAN",
  contains: "CONTAINS",
} as const;

function readJsonQuery(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
): readonly PayloadAssertion[] {
  const expression = row.text("json_path") ?? "$";
  const operator = row.text("json_path_operator") ?? "==";
  const path = toJsonPath(expression);
  const isKnown = Object.hasOwn(comparisons, operator);
  if (path === null || !isKnown) {
    builder.change(origin, "JSON query", {
      from: isKnown ? expression : `${expression} ${operator}`,
      to: "none",
      why: isKnown
        ? "The expression is JSONata. Only a plain path can become an assertion; add one by hand."
        : "There is no such comparison here; add an assertion by hand.",
    });
    return [];
  }
  const comparison = comparisons[operator as keyof typeof comparisons];
  return [expect.json(path, comparison, row.text("expected_value") ?? "")];
}

function readContentAssertions(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
): readonly PayloadAssertion[] {
  const type = row.text("type");
  const keyword = row.text("keyword");
  if (type === "json-query") return readJsonQuery(builder, origin, row);
  if (type !== "keyword" || keyword === null) return [];
  return [row.flag("invert_keyword") ? expect.bodyLacks(keyword) : expect.bodyContains(keyword)];
}

const bodyTypes = { json: "json", form: "form", xml: "raw" } as const;

function readBody(row: Row): Pick<WebTarget, "body"> {
  const text = row.text("body");
  if (text === null || row.text("method") === "GET") return {};
  const encoding = row.text("http_body_encoding") ?? "json";
  const type = bodyTypes[encoding as keyof typeof bodyTypes] ?? "raw";
  return { body: { text, type } };
}

/** Translates the types `http`, `keyword`, `json-query` and `real-browser`. */
export function translateHttp(
  builder: ReadingBuilder,
  origin: Origin,
  row: Row,
  timeoutMs: number,
): Translated {
  const method = (row.text("method") ?? "GET").toUpperCase();
  if (!webMethods.includes(method)) {
    builder.leaveOut(origin, `Checks do not send ${method} requests.`);
    return null;
  }
  const { header, basicAuth, isMissing } = readAuth(builder, origin, row);
  const accepted = row.json("accepted_statuscodes_json");
  const codes = Array.isArray(accepted) ? accepted : ["200-299"];
  const family = { ipv4: "IPv4", ipv6: "IPv6" } as const;
  const ipFamily = family[row.text("ip_family") as keyof typeof family] ?? null;
  const payload = webPayload({
    url: row.text("url") ?? "",
    method,
    ...(basicAuth && { basicAuth }),
    ...readBody(row),
    headers: [...toHeaders(row.json("headers")), ...(header === undefined ? [] : [header])],
    followRedirects: row.integer("maxredirects") !== 0,
    skipCertificate: row.flag("ignore_tls"),
    ipFamily,
    timeoutMs,
    assertions: [
      ...toStatusAssertions(builder, origin, codes),
      ...readContentAssertions(builder, origin, row),
    ],
  });
  return { payload, isInactive: isMissing };
}
