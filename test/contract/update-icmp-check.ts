import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Answer } from "../support/apps/app.ts";
import {
  assertError,
  assertInvalid,
  type Body,
  type ContractSetting,
  date,
  dateTime,
  describeRefusals,
  nobody,
  uuid,
} from "./setting.ts";

type Change = (more?: Body) => Promise<Answer>;

const frequencies = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440];
const locations = `us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 sa-east-1 eu-west-1
  eu-central-1 eu-west-2 eu-west-3 eu-north-1 eu-south-1 me-south-1 ap-southeast-1 ap-northeast-1
  ap-east-1 ap-southeast-2 ap-southeast-3 ap-northeast-2 ap-northeast-3 ap-south-1
  af-south-1`.split(/\s+/);
const runtimes = ["2025.04", "2024.09", "2024.02", "2023.09", "2023.02", "2022.10"];

export function describeUpdateIcmpCheck(setting: () => ContractSetting): void {
  let checkId: string;
  const required = { heartbeat: {}, script: "" };
  const path = (id = checkId) => `/v1/checks/icmp/${id}`;
  const change: Change = (more = {}) => setting().put(path(), { ...required, ...more });
  before(async () => {
    const check = { name: "Router", request: { hostname: "192.0.2.1" } };
    checkId = (await setting().post("/v1/checks/icmp", check)).body.id;
  });

  describeCheckShape(change);
  describeHiddenFields(setting, change);
  describeCheckLists(change);
  describeCheckNumbers(change);
  describeCheckReferences(setting, change);
  test("400: heartbeat and script are required", async () => {
    assertInvalid(await setting().put(path(), { script: "" }), "heartbeat");
    assertInvalid(await setting().put(path(), { heartbeat: {} }), "script");
    assertInvalid(await change({ heartbeat: "x" }), "heartbeat");
    assertInvalid(await change({ script: 1 }), "script");
  });
  test("200 and 400: autoAssignAlerts is a boolean", async () => {
    for (const value of ["true", "false"]) {
      const answer = await setting().put(`${path()}?autoAssignAlerts=${value}`, required);
      assert.equal(answer.status, 200);
    }
    const odd = await setting().put(`${path()}?autoAssignAlerts=perhaps`, required);
    assertInvalid(odd, "autoAssignAlerts", "querystring");
  });
  test("404: an unknown id, and one of another account; 400: no id", async () => {
    assertError(await setting().put(path(nobody), required), 404, "Not Found");
    const options = { key: setting().stranger.key, body: required };
    assertError(await setting().app.call("PUT", path(), options), 404, "Not Found");
    assertInvalid(await setting().put(path("no-uuid"), required), "id", "params");
  });
  describeRefusals(
    setting,
    () => ({ method: "PUT", path: path(), body: required, isWrite: true }),
    [404],
  );
}

function describeCheckShape(change: Change): void {
  test("200: every field, with the defaults of the contract", async () => {
    const { status, body } = await change();
    assert.equal(status, 200);
    const { id, created_at, updated_at, alertSettings, request, alertChannels, ...rest } = body;
    assert.match(id, uuid);
    assert.match(created_at, date);
    assert.match(updated_at, dateTime);
    assert.deepEqual(rest, {
      name: "Router",
      checkType: "ICMP",
      activated: true,
      muted: false,
      doubleCheck: true,
      shouldFail: false,
      locations: null,
      tags: [],
      useGlobalAlertSettings: true,
      groupId: null,
      groupOrder: null,
      runtimeId: null,
      alertChannelSubscriptions: [],
      retryStrategy: null,
      triggerIncident: null,
      runParallel: false,
      frequency: 10,
      degradedPacketLossThreshold: 10,
      maxPacketLossThreshold: 20,
    });
    assert.equal(request.hostname, "192.0.2.1");
    assert.equal(alertSettings.escalationType, "RUN_BASED");
    assert.deepEqual(alertChannels, { email: [], webhook: [], slack: [], sms: [] });
  });
  test("200: what is sent is what is shown, and what is left out stays", async () => {
    const input = { name: "Renamed", muted: true, tags: ["edge"], runParallel: true };
    const { body } = await change(input);
    for (const [field, value] of Object.entries(input)) assert.deepEqual(body[field], value);
    const { body: later } = await change({ muted: false });
    assert.deepEqual([later.name, later.tags, later.muted], ["Renamed", ["edge"], false]);
  });
}

function describeHiddenFields(setting: () => ContractSetting, change: Change): void {
  test("200: fields of the update only are accepted and never shown", async () => {
    const hidden = {
      heartbeat: { period: 1 },
      script: "await 1",
      scriptPath: null,
      sslCheckDomain: "example.com",
      environmentVariables: [{ key: "A", value: "b", locked: true, secret: true }],
      setupSnippetId: null,
      tearDownSnippetId: 3,
      localSetupScript: "x",
      localTearDownScript: null,
      degradedResponseTime: 300_000,
      maxResponseTime: 0,
    };
    const { status, body } = await change(hidden);
    assert.equal(status, 200);
    for (const field of Object.keys(hidden)) assert.ok(!(field in body), field);
    await change({ degradedResponseTime: null, maxResponseTime: null });
  });
  test("200: a private location may be sent as a text, and is shown in a list", async () => {
    await setting().post("/v1/private-locations", { name: "Attic", slugName: "attic" });
    const { status, body } = await change({ privateLocations: "attic" });
    assert.deepEqual([status, body.privateLocations], [200, ["attic"]]);
    assert.equal("privateLocations" in (await change({ privateLocations: null })).body, false);
  });
  test("200: the channels of the check are shown by kind", async () => {
    const config = { address: "owner@example.com" };
    const channel = await setting().post("/v1/alert-channels", { type: "EMAIL", config });
    const alertChannelSubscriptions = [{ alertChannelId: channel.body.id, activated: true }];
    const { body } = await change({ alertChannelSubscriptions });
    assert.deepEqual(body.alertChannelSubscriptions, alertChannelSubscriptions);
    assert.deepEqual(body.alertChannels.email, [config]);
    await change({ alertChannelSubscriptions: [] });
  });
}

function describeCheckLists(change: Change): void {
  test("200: every location, and none but those", async () => {
    assert.deepEqual((await change({ locations })).body.locations, locations);
    assertInvalid(await change({ locations: ["mars-1"] }), "locations.0");
    assert.equal((await change({ locations: null })).body.locations, null);
  });
  test("200: every runtime, and none but those", async () => {
    for (const runtimeId of [...runtimes, null]) {
      assert.equal((await change({ runtimeId })).body.runtimeId, runtimeId);
    }
    assertInvalid(await change({ runtimeId: "1999.01" }), "runtimeId");
  });
  test("200: 50 environment variables; 400: 51", async () => {
    const variables = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ key: `K${index}`, value: "v" }));
    assert.equal((await change({ environmentVariables: variables(50) })).status, 200);
    assertInvalid(await change({ environmentVariables: variables(51) }), "environmentVariables");
  });
  test("200: a strategy for retries, with its defaults; null takes it away", async () => {
    const { body } = await change({ retryStrategy: { maxRetries: 3, onlyOn: ["NETWORK_ERROR"] } });
    const { type, maxRetries, onlyOn } = body.retryStrategy;
    assert.deepEqual([type, maxRetries, onlyOn], ["FIXED", 3, ["NETWORK_ERROR"]]);
    assertInvalid(await change({ retryStrategy: { type: "NEVER" } }), "retryStrategy.type");
    assert.equal((await change({ retryStrategy: null })).body.retryStrategy, null);
  });
}

function describeCheckNumbers(change: Change): void {
  test("200: every frequency; 400: any other", async () => {
    for (const frequency of frequencies) {
      assert.equal((await change({ frequency })).body.frequency, frequency);
    }
    for (const frequency of [3, -1, 61, 1441, 1.5, "10", null]) {
      assertInvalid(await change({ frequency }), "frequency");
    }
  });
  test("frequencyOffset: 10, 20 or 30 seconds when the frequency is 0", async () => {
    for (const frequencyOffset of [10, 20, 30]) {
      const { body } = await change({ frequency: 0, frequencyOffset });
      assert.deepEqual([body.frequency, body.frequencyOffset], [0, frequencyOffset]);
    }
    for (const frequencyOffset of [1, 9, 11, 31]) {
      assertInvalid(await change({ frequency: 0, frequencyOffset }), "frequencyOffset");
    }
  });
  for (const frequency of frequencies) {
    const most = frequency <= 60 ? Math.floor(frequency * 10) : Math.ceil(frequency / 60);
    test(`frequencyOffset: from 1 to ${most} when the frequency is ${frequency}`, async () => {
      for (const frequencyOffset of [1, most]) {
        assert.equal((await change({ frequency, frequencyOffset })).status, 200);
      }
      for (const frequencyOffset of [0, most + 1, 1.5]) {
        assertInvalid(await change({ frequency, frequencyOffset }), "frequencyOffset");
      }
    });
  }
  const bounds: readonly (readonly [string, number, number])[] = [
    ["degradedPacketLossThreshold", 0, 100],
    ["maxPacketLossThreshold", 0, 100],
    ["degradedResponseTime", 0, 300_000],
    ["maxResponseTime", 0, 300_000],
    ["groupOrder", 0, 1_000_000],
  ];
  for (const [field, least, most] of bounds) {
    test(`${field}: from ${least}${field === "groupOrder" ? "" : ` to ${most}`}`, async () => {
      for (const value of [least, most])
        assert.equal((await change({ [field]: value })).status, 200);
      const wrong = field === "groupOrder" ? [least - 1] : [least - 1, most + 1];
      for (const value of wrong) assertInvalid(await change({ [field]: value }), field);
    });
  }
}

function describeCheckReferences(setting: () => ContractSetting, change: Change): void {
  test("400: a group, channel or service that the account does not have", async () => {
    assertInvalid(await change({ groupId: 999_999 }), "groupId");
    const unknown = [{ alertChannelId: 999_999, activated: true }];
    const faulty = await change({ alertChannelSubscriptions: unknown });
    assertInvalid(faulty, "alertChannelSubscriptions.0.alertChannelId");
    const incident = { name: "Down", description: "It is.", notifySubscribers: false };
    const triggerIncident = { ...incident, serviceId: nobody };
    assertInvalid(await change({ triggerIncident }), "triggerIncident.serviceId");
  });
  test("200: an incident to open, in the words of the contract", async () => {
    const service = await setting().post("/v1/status-pages/services", { name: "Edge" });
    const triggerIncident = {
      serviceId: service.body.id,
      name: "Edge is down",
      description: "We are looking.",
      notifySubscribers: true,
    };
    const { status, body } = await change({ triggerIncident });
    assert.equal(status, 200);
    assert.deepEqual(body.triggerIncident, { ...triggerIncident, severity: "MAJOR" });
    assert.equal((await change({ triggerIncident: null })).body.triggerIncident, null);
  });
}
