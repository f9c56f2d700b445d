import {
  expect,
  type PayloadAssertion,
  type PayloadPair,
  type WebTarget,
  webMethods,
  webPayload,
} from "../../../../kinds/kit/check-payloads.ts";
import { toHeaders, toStatusAssertions } from "../http-settings.ts";
import { Row } from "../row.ts";
import {
  type Module,
  type ModuleScene,
  type ProbeTarget,
  readFamily,
  reportOption,
  reportUnused,
  timeAssertions,
  toWholeMatch,
} from "./module-scene.ts";

const unused = [
  ...["oauth2", "proxy_url", "proxy_from_environment", "proxy_connect_header", "compression"],
  ...["valid_http_versions", "enable_http3", "source_ip_address", "body_size_limit"],
];
const unreadable = "The file that it names is not part of the upload.";
const asScript = "It cannot be expressed as an assertion; add it by hand.";

const byFile = (options: Row, names: readonly string[]) =>
  names.filter((name) => options.text(name) !== null);

/** Converts `http_headers` to request headers. Only the first value of a header is kept. */
function readHeaderLists(scene: ModuleScene): PayloadPair[] {
  const lists = scene.options.row("http_headers");
  return lists.keys().flatMap((key) => {
    const list = lists.row(key);
    const [secret] = list.list("secrets");
    const [value] = [...list.list("values"), ...list.list("secrets")];
    if (list.list("files").length > 0) reportOption(scene, `http_headers.${key}`, unreadable);
    if (typeof value !== "string") return [];
    return [{ ...toHeaders({ [key]: value })[0], key, value, locked: value === secret }];
  });
}

function readAuth(scene: ModuleScene): {
  readonly basicAuth?: WebTarget["basicAuth"];
  readonly header: PayloadPair[];
} {
  const { options } = scene;
  const basic = options.row("basic_auth");
  const bearer = options.row("authorization");
  const files = [
    ...byFile(basic, ["username_file", "password_file"]).map((name) => `basic_auth.${name}`),
    ...byFile(bearer, ["credentials_file"]).map((name) => `authorization.${name}`),
    ...byFile(options, ["bearer_token_file"]),
  ];
  for (const name of files) reportOption(scene, name, unreadable);
  const token = bearer.text("credentials") ?? options.text("bearer_token");
  const value = `${bearer.text("type") ?? "Bearer"} ${token}`;
  const header = token === null ? [] : [{ key: "Authorization", value, locked: true }];
  const username = basic.text("username");
  if (username === null) return { header };
  return { header, basicAuth: { username, password: basic.text("password") ?? "" } };
}

/** Converts header rules to assertions. A missing header fails unless `allow_missing` is set. */
function readHeaderRules(scene: ModuleScene): PayloadAssertion[] {
  const read = (key: string) => scene.options.list(key).map((rule) => new Row(rule));
  const forbidden = read("fail_if_header_matches").flatMap((rule) => {
    const name = rule.text("header") ?? "";
    const absent = expect.header(name, "IS_EMPTY", "", toWholeMatch(rule.text("regexp") ?? ".+"));
    const isOptional = rule.flag("allow_missing");
    return isOptional ? [absent] : [expect.header(name, "NOT_EMPTY", ""), absent];
  });
  const required = read("fail_if_header_not_matches").flatMap((rule) => {
    const name = rule.text("header") ?? "";
    if (rule.flag("allow_missing")) {
      reportOption(scene, `fail_if_header_not_matches (${name})`, asScript);
      return [];
    }
    return [expect.header(name, "NOT_EMPTY", "", toWholeMatch(rule.text("regexp") ?? ".+"))];
  });
  return [...forbidden, ...required];
}

function readBodyRules({ options }: ModuleScene): PayloadAssertion[] {
  const list = (key: string) => options.list(key).map((regex) => toWholeMatch(String(regex)));
  return [
    ...list("fail_if_body_matches_regexp").map(expect.bodyMatchesNot),
    ...list("fail_if_body_not_matches_regexp").map(expect.bodyMatches),
  ];
}

function reportAll(scene: ModuleScene): void {
  reportUnused(scene, unused);
  reportUnused(scene, ["body_file"], unreadable);
  const cel = ["fail_if_body_json_matches_cel", "fail_if_body_json_not_matches_cel"];
  reportUnused(scene, [...cel, "fail_if_ssl"], asScript);
  const tls = scene.options.row("tls_config");
  const files = byFile(tls, ["ca_file", "cert_file", "key_file"]);
  for (const name of files) reportOption(scene, `tls_config.${name}`, unreadable);
  for (const name of byFile(tls, ["server_name", "min_version", "max_version"])) {
    reportOption(scene, `tls_config.${name}`, "Checks have no such option.");
  }
}

/**
 * Adds the limits of alert rules as assertions. An assertion that the module already has is not
 * added.
 */
function withLimits(
  assertions: readonly PayloadAssertion[],
  target: ProbeTarget,
): readonly PayloadAssertion[] {
  const isNew = ({ source, comparison, target: value }: PayloadAssertion) =>
    !assertions.some(
      (known) =>
        known.source === source && known.comparison === comparison && known.target === value,
    );
  return [...assertions, ...target.limits.statuses.filter(isNew), ...timeAssertions(target)];
}

export function createHttpModule(scene: ModuleScene): Module {
  const { builder, origin, options } = scene;
  reportAll(scene);
  const method = (options.text("method") ?? "GET").toUpperCase();
  const { basicAuth, header } = readAuth(scene);
  const headers = [...toHeaders(options.get("headers")), ...readHeaderLists(scene), ...header];
  const body = options.text("body");
  const codes = options.list("valid_status_codes");
  const assertions = [
    ...toStatusAssertions(builder, origin, codes),
    ...readBodyRules(scene),
    ...readHeaderRules(scene),
  ];
  const settings = {
    ...{ method, headers, ipFamily: readFamily(scene) },
    ...(body !== null && { body: { text: body, type: "raw" } as const }),
    ...(basicAuth !== undefined && { basicAuth }),
    followRedirects: options.flag("follow_redirects", true) && !options.flag("no_follow_redirects"),
    skipCertificate: options.row("tls_config").flag("insecure_skip_verify"),
  };
  return (target) => {
    if (!webMethods.includes(method)) {
      builder.leaveOut(target.origin, `Checks do not send ${method} requests.`);
      return [];
    }
    const url = target.address.includes("://") ? target.address : `http://${target.address}`;
    if (options.flag("fail_if_not_ssl") && !/^https:/i.test(url)) {
      const why = "A check does not verify that a redirect leads to HTTPS.";
      builder.change(target.origin, "fail_if_not_ssl", { from: "on", to: "none", why });
    }
    const timeoutMs = target.timeoutSeconds * 1_000;
    const isAddress = URL.parse(url)?.hostname.startsWith("[") ?? false;
    const ipFamily = isAddress ? null : settings.ipFamily;
    const required = withLimits(assertions, target);
    const payload = webPayload({ ...settings, url, timeoutMs, ipFamily, assertions: required });
    const { certificateDays } = target.limits;
    return [{ payload, ...(/^https:/i.test(url) && { certificateDays }) }];
  };
}
