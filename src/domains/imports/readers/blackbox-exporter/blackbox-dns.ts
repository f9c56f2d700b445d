import {
  dnsPayload,
  dnsRecordTypes,
  expect,
  type PayloadAssertion,
} from "../../../../kinds/check-payloads.ts";
import { trimHost } from "../names.ts";
import {
  type Module,
  type ModuleScene,
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

/** Expressions on single records; the check searches the whole answer. */
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

/** The target is the name server, the module has the name. */
export function createDnsModule(scene: ModuleScene): Module {
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
