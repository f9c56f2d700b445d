/** The fields of each check type, with the defaults and limits of the API and without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ComponentType, useState } from "react";
import { type Part, renderPart } from "../../test/support/components/part.tsx";
import { readCheckKinds } from "../../test/support/modules/check-kinds.ts";
import { propertyRuns } from "../../test/support/properties.ts";
import { getAt, isSame, mergeFields, setAt } from "../parts/fields.ts";
import { EditorContext, type FieldEditor, findLimits } from "./editor/editor-context.ts";
import { words as editorWords } from "./editor/words.ts";
import type { AnyValues, CheckKind, CheckType } from "./form-values.ts";
import { findKind, kindTargets, loadEditor } from "./index.ts";

const kinds: readonly CheckKind[] = readCheckKinds();

function getKind(type: CheckType): CheckKind {
  const found = kinds.find((kind) => kind.type === type);
  assert.ok(found, type);
  return found;
}

interface Form {
  readonly part: Part;
  readonly read: (path: string) => unknown;
  readonly labels: ReadonlyMap<string, string>;
}

/** Renders all fields of a check type, with values and errors by path. */
async function renderFields(
  type: CheckType,
  values: object = {},
  errors: Readonly<Record<string, string>> = {},
): Promise<Form> {
  const kind = getKind(type);
  const editor = await loadEditor(type);
  const parts = [editor.WhatFields, editor.WhenFields, editor.FailingFields, editor.MoreFields];
  const labels = new Map<string, string>();
  const proposed = findKind(type)?.proposed ?? {};
  let current = [proposed, values].reduce(mergeFields, kind.defaults) as AnyValues;
  function Fields() {
    const [shown, setShown] = useState(current);
    current = shown;
    const context: FieldEditor = {
      values: shown,
      kind,
      isNew: true,
      set: (path, value) => setShown((before) => setAt(before, path, value) as AnyValues),
      merge: (fields) => setShown((before) => mergeFields(before, fields) as AnyValues),
      findFieldError: (path) => errors[path] ?? null,
      noteLabel: (path, label) => labels.set(path, label),
    };
    return (
      <EditorContext.Provider value={context}>
        {parts
          .filter((Each): Each is ComponentType => Each !== undefined)
          .map((Each, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <Each key={place} />
          ))}
      </EditorContext.Provider>
    );
  }
  const part = renderPart(<Fields />);
  return { part, read: (path) => getAt(current, path), labels };
}

const listPaths = (part: Part) =>
  part
    .locator("[data-path]")
    .elements()
    .flatMap((one) => (one.getAttribute("data-path") ?? "").split(" "));

for (const { type } of kindTargets) {
  test(`${type}: every field is one of the API, has a label and shows its own error`, async () => {
    const { part, labels } = await renderFields(type);
    const paths = listPaths(part);
    assert.ok(paths.length > 0);
    const { limits } = getKind(type);
    for (const path of paths) {
      const known = Object.keys(limits).some((one) => one === path || one.startsWith(`${path}.`));
      assert.ok(known, `${path} is unknown to the API`);
      assert.ok((labels.get(path) ?? "").length > 0, `${path} has no label`);
    }
    assert.equal(new Set(paths).size, paths.length, "no field is shown twice");
  });

  test(`${type}: the error of a field is shown at that field only`, async () => {
    const { part: plain } = await renderFields(type);
    const path = plain
      .locator("input[type=text][data-path], select[data-path]")
      .elements()[0]
      ?.getAttribute("data-path");
    assert.ok(path);
    const { part } = await renderFields(type, {}, { [path]: "is not valid" });
    const invalid = part.locator("[aria-invalid=true]").elements();
    assert.deepEqual(
      invalid.map((one) => one.getAttribute("data-path")),
      [path],
    );
    assert.equal(part.getByText("is not valid").count(), 1);
  });

  test(`${type}: a choice offers exactly what the API allows`, async () => {
    const { part } = await renderFields(type);
    for (const select of part.locator("select[data-path]").elements()) {
      const path = select.getAttribute("data-path") ?? "";
      // An empty value is for checks of another mode.
      const allowed = findLimits(getKind(type), path).enum?.filter((one) => one !== "");
      // Runtimes come from the server, because not all of them can run such a check.
      if (allowed === undefined || path === "runtimeId") continue;
      const offered = [...select.querySelectorAll("option")].map(({ value }) => value);
      // It means null.
      if (offered[0] === "") offered.shift();
      assert.deepEqual(offered.toSorted(), allowed.map(String).toSorted(), path);
    }
  });
}

test("a number is stored as a number, an empty field as null, and other text as typed", async () => {
  const { part, read } = await renderFields("ICMP");
  const field = part.getByLabel("Packets per run");
  await field.fill(" 25 ");
  assert.equal(read("request.pingCount"), 25);
  await field.fill("many");
  assert.equal(read("request.pingCount"), "many", "so that the API rejects it");
  await field.fill("");
  assert.equal(read("request.pingCount"), null);
  const { minimum, maximum } = findLimits(getKind("ICMP"), "request.pingCount");
  await part.getByText(`${minimum} to ${maximum}, half a second apart`).waitFor();
});

test("a degraded limit that is never reached is a warning", async () => {
  const { part } = await renderFields("ICMP");
  const warning = part.getByText(editorWords.neverDegraded);
  assert.equal(warning.count(), 0);
  await part.getByLabel("Degraded at packet loss").fill("50");
  await part.getByLabel("Failing at packet loss").fill("50");
  assert.equal(warning.count(), 1);
  await part.getByLabel("Failing at packet loss").fill("51");
  assert.equal(warning.count(), 0);
  await part.getByLabel("Failing at packet loss").fill("");
  assert.equal(warning.count(), 0, "without a limit, nothing fails first");
});

test("an assertion is added with the first source, changed and removed", async () => {
  const { part, read } = await renderFields("API");
  const add = part.getByRole("button", { name: editorWords.addAssertion });
  await add.click();
  await add.click();
  const first = read("request.assertions.0");
  assert.deepEqual(first, read("request.assertions.1"));
  assert.equal(getAt(first as object, "comparison"), "EQUALS");
  const source = part.getByLabel(new RegExp(`^${editorWords.source}, .* 2$`));
  await source.selectOption("HEADERS");
  assert.equal(read("request.assertions.1.source"), "HEADERS");
  await part.getByLabel(new RegExp(`^${editorWords.property}, .* 2$`)).fill("etag");
  await part.getByLabel(new RegExp(`^${editorWords.target}, .* 2$`)).fill("W/1");
  assert.deepEqual(read("request.assertions.1"), {
    source: "HEADERS",
    property: "etag",
    comparison: "EQUALS",
    target: "W/1",
  });
  await part.getByRole("button", { name: /assertion 1$/ }).click();
  assert.equal(read("request.assertions.0.source"), "HEADERS");
  assert.equal(read("request.assertions.1"), undefined);
});

test("a comparison that another source does not have is replaced, and some need no target", async () => {
  const { part, read } = await renderFields("API", {
    request: {
      assertions: [{ source: "JSON_BODY", property: "$.a", comparison: "IS_EMPTY", target: "" }],
    },
  });
  const target = part.getByLabel(new RegExp(`^${editorWords.target}, `));
  assert.equal(target.count(), 0, "an empty value has no target");
  await part.getByLabel(new RegExp(`^${editorWords.source}, `)).selectOption("RESPONSE_TIME");
  assert.equal(read("request.assertions.0.comparison"), "EQUALS");
  assert.equal(read("request.assertions.0.property"), "");
  assert.equal(target.count(), 1);
});

test("the error of an assertion is shown at its part", async () => {
  const assertion = { source: "STATUS_CODE", property: "", comparison: "EQUALS", target: "x" };
  const { part } = await renderFields(
    "API",
    { request: { assertions: [assertion, assertion] } },
    { "request.assertions.1.target": "must be a number" },
  );
  const [invalid, ...others] = part.locator("[aria-invalid=true]").elements();
  assert.equal(invalid?.getAttribute("data-path"), "request.assertions.1.target");
  assert.deepEqual(others, []);
});

test("headers are added, a secret one is hidden, and its mask is never sent as a value", async () => {
  const masked = { key: "authorization", value: "********", locked: true };
  const { part, read } = await renderFields("API", { request: { headers: [masked] } });
  const value = part.getByLabel(/^Value, header 1$/i);
  assert.equal(await value.getAttribute("type"), "password");
  await part.getByRole("checkbox", { name: /header 1$/i }).uncheck();
  assert.deepEqual(read("request.headers.0"), { ...masked, value: "", locked: false });
  await part.getByRole("button", { name: /add header$/i }).click();
  await part.getByLabel(/^Name, header 2$/i).fill("x-team");
  await part.getByLabel(/^Value, header 2$/i).fill("ops");
  assert.deepEqual(read("request.headers.1"), { key: "x-team", value: "ops", locked: false });
  await part.getByRole("button", { name: /remove.*header 1$/i }).click();
  assert.equal(read("request.headers.0.key"), "x-team");
});

test("gRPC: a health check has a service, and a call a method with its message", async () => {
  const { part, read } = await renderFields("GRPC");
  await part.getByLabel("Service", { exact: true }).fill("shop.Cart");
  assert.equal(read("request.grpcConfig.service"), "shop.Cart");
  assert.equal(part.getByLabel("Method", { exact: true }).count(), 0);
  await part.getByLabel("Call", { exact: true }).selectOption("A method");
  assert.equal(part.getByLabel("Service", { exact: true }).count(), 0);
  assert.equal(read("request.grpcConfig.service"), null, "the API rejects it for a call");
  assert.equal(read("request.grpcConfig.serviceDefinition"), "REFLECTION");
  await part.getByLabel("Method", { exact: true }).fill("shop.v1.Cart/Get");
  await part.getByLabel("Message", { exact: true }).fill("[1]");
  assert.equal(read("request.grpcConfig.method"), "shop.v1.Cart/Get");
  assert.equal(part.getByLabel(".proto file", { exact: true }).count(), 0);
  await part.getByLabel("Types of the method").selectOption("From a .proto file");
  await part.getByLabel(".proto file", { exact: true }).fill("syntax = 'proto3';");
  assert.equal(read("request.grpcConfig.protoContent"), "syntax = 'proto3';");
  await part.getByLabel("Types of the method").selectOption("From the server (reflection)");
  assert.equal(read("request.grpcConfig.protoContent"), null);
  await part.getByLabel("Call", { exact: true }).selectOption("Health service");
  assert.deepEqual(
    ["mode", "service", "method", "message"].map((name) => read(`request.grpcConfig.${name}`)),
    ["HEALTH", "", null, null],
  );
});

test("gRPC: metadata has names and values, and no secrets", async () => {
  const { part, read } = await renderFields("GRPC");
  await part.getByRole("button", { name: /metadata$/i }).click();
  await part.getByLabel(/^Name, metadata 1$/i).fill("x-id");
  await part.getByLabel(/^Value, metadata 1$/i).fill("{{ID}}");
  assert.deepEqual(read("request.grpcConfig.metadata"), [{ key: "x-id", value: "{{ID}}" }]);
  assert.equal(part.getByRole("checkbox", { name: /metadata/ }).count(), 0);
});

test("traceroute: a protocol sets the port and the fields that it has", async () => {
  const { part, read } = await renderFields("TRACEROUTE");
  const choose = (label: RegExp | string) =>
    part.getByLabel("Protocol", { exact: true }).selectOption(label as string);
  assert.equal(part.getByLabel("Packet size").count(), 0, "not for TCP");
  await choose("UDP (without privileges)");
  assert.deepEqual([read("request.protocol"), read("request.port")], ["UDP", 33_434]);
  await part.getByLabel("Packet size").fill("1400");
  assert.equal(read("request.packetSize"), 1_400);
  await choose("ICMP (as ping)");
  assert.equal(read("request.port"), null);
  assert.equal(part.getByLabel("Port", { exact: true }).count(), 0);
  await choose("TCP (as browsers)");
  assert.deepEqual([read("request.port"), read("request.packetSize")], [443, null]);
});

test("heartbeat: a ping is expected at an interval or on a cron schedule", async () => {
  const { part, read } = await renderFields("HEARTBEAT");
  await part.getByLabel("Every", { exact: true }).fill("12");
  assert.equal(read("heartbeat.period"), 12);
  await part.getByLabel("On a cron schedule").click();
  assert.equal(read("heartbeat.cron"), "0 3 * * *");
  assert.equal(part.getByLabel("Every", { exact: true }).count(), 0);
  await part.getByLabel("Time zone").fill("Europe/Berlin");
  await part.getByLabel("At a fixed interval").click();
  assert.equal(read("heartbeat.cron"), null);
});

test("heartbeat: a cron expression can be deleted before another is typed", async () => {
  const { part, read } = await renderFields("HEARTBEAT", { heartbeat: { cron: "0 3 * * *" } });
  const field = part.getByLabel("Cron expression");
  await field.fill("");
  assert.equal(field.count(), 1, "the field stays");
  await field.fill("30 4 * * 1");
  assert.equal(read("heartbeat.cron"), "30 4 * * 1");
});

test("heartbeat: the ping URL of an existing check is shown to copy", async () => {
  const pingUrl = "https://vedette.test/ping/abc";
  const { part } = await renderFields("HEARTBEAT", { heartbeat: { pingUrl } });
  await part.getByText(pingUrl).waitFor();
  await part.getByRole("button", { name: "Copy" }).waitFor();
  const { part: created } = await renderFields("HEARTBEAT");
  assert.equal(created.getByRole("button", { name: "Copy" }).count(), 1, "of the first only");
});

test("DNS: an empty name server is the default of the probe", async () => {
  const { part, read } = await renderFields("DNS", { request: { nameServer: "192.0.2.53" } });
  await part.getByLabel("Name server", { exact: true }).fill("");
  assert.equal(read("request.nameServer"), null);
  await part.getByLabel("Record type").selectOption("MX");
  assert.equal(read("request.recordType"), "MX");
  const family = part.getByLabel(editorWords.ipFamily);
  await family.selectOption("BOTH");
  assert.equal(read("request.ipFamily"), "BOTH");
  await family.selectOption("");
  assert.equal(read("request.ipFamily"), null, "either");
});

test("API: basic authentication is added with its fields, and removed", async () => {
  const { part, read } = await renderFields("API");
  const basic = part.locator('[data-path="request.basicAuth"]');
  await basic.check();
  const [username, password] = ["username", "password"].map((name) =>
    part.locator(`[data-path="request.basicAuth.${name}"]`),
  );
  await username?.fill("ada");
  await password?.fill("s3cret");
  assert.deepEqual(read("request.basicAuth"), { username: "ada", password: "s3cret" });
  assert.equal(await password?.getAttribute("type"), "password");
  await basic.uncheck();
  assert.equal(isSame(read("request.basicAuth"), null), true);
});

test("SSL: the rules of the baseline are shown while it is on", async () => {
  const { part } = await renderFields("SSL");
  const countRules = () => part.locator('select[data-path$=".severity"]').count();
  const baseline = part.locator('[data-path$=".enabled"]');
  await baseline.check();
  assert.ok(countRules() > 3);
  await baseline.uncheck();
  assert.equal(countRules(), 0);
});

test("the settings of every check type are described in complete sentences, even while incomplete", async () => {
  const junk = fc.anything({ maxDepth: 3 });
  for (const { type } of kindTargets) {
    const { describe } = await loadEditor(type);
    const { defaults } = getKind(type);
    fc.assert(
      fc.property(fc.record({ request: junk, heartbeat: junk, maxResponseTime: junk }), (typed) => {
        for (const fields of [defaults, mergeFields(defaults, typed), typed as AnyValues]) {
          const sentences = describe(fields, defaults);
          assert.ok(sentences.length > 0);
          for (const sentence of sentences) {
            assert.match(sentence, /^[A-Z].*\.$/s);
            assert.doesNotMatch(sentence, /undefined|\[object|NaN/);
          }
        }
      }),
      { numRuns: propertyRuns / 2 },
    );
  }
});

test("the numbers of the settings appear in the sentences", async () => {
  const describe = async (type: CheckType, path: string, value: unknown) => {
    const { defaults } = getKind(type);
    const { describe: listSentences } = await loadEditor(type);
    return listSentences(setAt(defaults, path, value) as AnyValues, defaults).join(" ");
  };
  assert.match(await describe("ICMP", "maxPacketLossThreshold", 37), /fails at 37 %/);
  assert.match(await describe("ICMP", "request.pingCount", null), /with 10 packets/);
  assert.match(await describe("URL", "maxResponseTime", 12_500), /longer than 12.5 s/);
  const assertion = { source: "STATUS_CODE", property: "", comparison: "EQUALS", target: "204" };
  const judged = await describe("API", "request.assertions", [assertion]);
  assert.match(judged, /fails unless the status code equals 204/);
  assert.doesNotMatch(judged, /400/);
});
