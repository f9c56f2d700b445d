import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  actionsOf,
  createProjectCalls,
  createResources,
  type Entry,
  findEntry,
  one,
  type Resource,
  ref,
  toBody,
} from "../../../test/support/modules/projects.ts";
import { maxResources } from "./resource.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const { post, preview, complete, deploy, countRows } = createProjectCalls(() => app);

test("every type of resource is created, recognised as unchanged, and deleted", async () => {
  const before = await countRows();
  const resources = createResources("all");
  const planned = await preview("all", resources);
  assert.equal(planned.project, null);
  assert.deepEqual(actionsOf(planned.diff), ["CREATE"]);
  assert.deepEqual(await countRows(), before);

  const { status, error, result } = await deploy("all", resources);
  assert.equal(status, "SUCCEEDED", JSON.stringify(error));
  assert.equal(result.diff.length, resources.length);
  const ping = findEntry(result.diff, "ping").physicalId;
  const { body: check } = await app.call("GET", `/v1/checks/${ping}`);
  assert.equal(check.privateLocations[0], "lab-all");
  assert.equal(check.alertChannels.email[0].address, "ops@example.test");
  assert.equal(check.triggerIncident.serviceId, findEntry(result.diff, "svc").physicalId);

  const again = await preview("all", resources);
  assert.deepEqual(
    again.diff.filter(({ action }: Entry) => action !== "UNCHANGED"),
    [],
  );
  const second = await deploy("all", resources);
  assert.deepEqual(actionsOf(second.result.diff), ["UNCHANGED"]);

  const gone = await app.call("DELETE", "/v1/projects/all");
  assert.equal(gone.status, 202, gone.text);
  const ended = await complete("all", gone.body.id);
  assert.equal(ended.status, "SUCCEEDED", JSON.stringify(ended.error));
  assert.deepEqual(await countRows(), before);
  const absent = await app.call("DELETE", "/v1/projects/all");
  assert.deepEqual([absent.status, absent.body.diff], [200, []]);
});

test("a plan shows what changed in the code and what somebody else changed", async () => {
  const [group, ping] = [
    one("check-group", "g", {
      name: "Group",
      environmentVariables: [{ key: "K", value: "first secret", secret: true }],
    }),
    one("check", "p", { checkType: "ICMP", name: "P", request: { hostname: "192.0.2.1" } }),
  ];
  const { result } = await deploy("drift", [group, ping] as Resource[]);
  const id = findEntry(result.diff, "p").physicalId;
  await app.call("PUT", `/v1/checks/${id}`, { body: { muted: true, name: "Renamed" } });
  const changed = [
    one("check-group", "g", {
      name: "Group",
      environmentVariables: [{ key: "K", value: "second secret", secret: true }],
    }),
    one("check", "p", {
      checkType: "ICMP",
      name: "Q",
      frequency: 5,
      request: { hostname: "192.0.2.1" },
    }),
  ];
  const plan = await preview("drift", changed, "?detail=full");
  const origins = findEntry(plan.diff, "p").changes.map(({ path, origin }) => [path, origin]);
  assert.deepEqual(origins, [
    ["/frequency", "code"],
    ["/muted", "remote"],
    ["/name", "both"],
  ]);
  assert.equal(/first secret|second secret/.test(JSON.stringify(plan)), false);
  assert.equal(findEntry(plan.diff, "g").action, "UPDATE");
  const applied = await deploy("drift", changed, `&planToken=${plan.planToken}`);
  assert.equal(applied.status, "SUCCEEDED", JSON.stringify(applied.error));
  const { body: check } = await app.call("GET", `/v1/checks/${id}`);
  assert.deepEqual([check.name, check.muted, check.frequency], ["Q", false, 5]);
  assert.deepEqual(actionsOf((await preview("drift", changed)).diff), ["UNCHANGED"]);
  const stored = await app.query("select string_agg(sealed, ' ') as text from project_resources");
  assert.equal(/secret/.test(String(stored.rows[0]?.text)), false);
});

test("a plan token of an older state fails the deployment and changes nothing", async () => {
  const ping = (name: string) => [
    one("check", "p", { checkType: "ICMP", name, request: { hostname: "192.0.2.1" } }),
  ];
  const { result } = await deploy("stale", ping("A"));
  const { planToken } = await preview("stale", ping("B"));
  const id = findEntry(result.diff, "p").physicalId;
  await app.call("PUT", `/v1/checks/${id}`, { body: { muted: true } });
  const ended = await deploy("stale", ping("B"), `&planToken=${planToken}`);
  assert.equal(ended.status, "FAILED");
  assert.equal(ended.error.code, "PLAN_STALE");
  assert.equal(ended.result.diff[0].action, "UPDATE");
  assert.equal((await app.call("GET", `/v1/checks/${id}`)).body.name, "A");
});

test("a deployment that fails leaves nothing and names resource and field", async () => {
  const before = await countRows();
  // The account has room for fewer, which is found when most of the others exist.
  const times = { startsAt: "2026-12-01T00:00:00.000Z", endsAt: "2026-12-01T01:00:00.000Z" };
  const often = { repeatInterval: 1, repeatUnit: "DAY", repeatEndsAt: null };
  const windows = Array.from({ length: 101 }, (_, index) =>
    one("maintenance-window", `window-${index}`, { name: "W", tags: [], ...times, ...often }),
  );
  const ended = await deploy("fails", [...createResources("fails"), ...windows]);
  assert.equal(ended.status, "FAILED");
  const rule = "an account has at most 100 maintenance windows; delete one first";
  const message = [
    "2 resources are rejected:",
    `maintenance-window "window-99": ${rule}`,
    `maintenance-window "window-100": ${rule}`,
  ].join("\n");
  assert.equal(ended.error.message, message);
  assert.deepEqual(await countRows(), before);
});

test("a plan finds URLs and domains that other pages have, with resource and field", async () => {
  const page = (url: string, more = {}) => ({ name: "P", url, cards: [], ...more });
  const customDomain = "status.taken.test";
  await app.call("POST", "/v1/status-pages", { body: page("of-others", { customDomain }) });
  const status = (id: string, url: string, more = {}) => one("status-page", id, page(url, more));
  const board = (url: string) => one("dashboard", "board", { header: "B", customUrl: url });
  const cases = [
    [[status("p", "of-others")], 'status-page "p": url of-others is taken'],
    [[status("p", "Of-Others")], 'status-page "p": url Of-Others is taken'],
    [[status("p", "p", { customDomain })], /^status-page "p": customDomain .* is taken$/],
    [[board("of-others")], 'dashboard "board": customUrl of-others is taken'],
    [[status("p", "twice"), board("twice")], 'dashboard "board": customUrl twice is taken'],
    [[status("p", "admin")], 'status-page "p": url is reserved'],
  ] as const;
  for (const [resources, expected] of cases) {
    for (const path of ["preview", "deploy?dryRun=true", "deploy"]) {
      const answer = await post(`/v1/projects/${path}`, toBody("names", resources));
      // Clients take a 409 for another deployment.
      assert.equal(answer.status, 400, answer.text);
      if (typeof expected === "string") assert.equal(answer.body.message, expected);
      else assert.match(answer.body.message, expected);
    }
  }
});

test("a plan may give the URL of a page to another one of the project", async () => {
  const page = (id: string, url: string) => one("status-page", id, { name: id, url, cards: [] });
  assert.equal((await deploy("moves", [page("a", "moves-a")])).status, "SUCCEEDED");
  const renamed = [page("a", "moves-b"), page("b", "moves-a")];
  assert.equal((await deploy("moves", renamed)).status, "SUCCEEDED");
  assert.equal((await deploy("moves", [page("c", "moves-a")])).status, "SUCCEEDED");
});

test("an invalid body is rejected at once, with resource and field", async () => {
  const bad = [
    [
      one("check", "x", { checkType: "ICMP", name: "X", request: {} }),
      /check "x": request\.hostname/,
    ],
    [one("check", "x", { checkType: "AGENTIC", name: "X" }), /check "x": checkType/],
    [
      one("check", "x", {
        checkType: "ICMP",
        name: "X",
        groupId: ref("none"),
        request: { hostname: "a.test" },
      }),
      /check "x": groupId refers to "none"/,
    ],
    [one("status-page", "x", { name: "X", url: "-", version: 3 }), /status-page "x": url/],
    [
      one("status-page-component", "x", { name: "X", displayOrder: 0 }),
      /status-page-component "x": statusPageId/,
    ],
    [
      { type: "alert-channel", logicalId: "x", physicalId: 4711, member: false, payload: null },
      /alert-channel "x": physicalId does not exist/,
    ],
  ] as const;
  for (const [resource, message] of bad) {
    const { status, body } = await post("/v1/projects/deploy", toBody("bad", [resource]));
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(body.message, message);
  }
  const twice = one("check-group", "x", { name: "X" });
  const { body } = await post("/v1/projects/deploy", toBody("bad", [twice, twice]));
  assert.match(body.message, /check-group "x": logicalId is used twice/);
  const many = Array.from({ length: maxResources + 1 }, (_, index) => ({
    ...twice,
    logicalId: `${index}`,
  }));
  assert.equal((await post("/v1/projects/deploy", toBody("bad", many))).status, 400);
});

test("resources that the project does not own are used and never changed", async () => {
  const config = { address: "other@example.test" };
  const channel = await app.call("POST", "/v1/alert-channels", { body: { type: "EMAIL", config } });
  const foreign = await app.call("POST", "/v1/checks/icmp", {
    body: { name: "Foreign", request: { hostname: "192.0.2.9" } },
  });
  const resources: Resource[] = [
    {
      type: "alert-channel",
      logicalId: "outer",
      physicalId: channel.body.id,
      member: false,
      payload: null,
    },
    one("check", "p", { checkType: "ICMP", name: "P", request: { hostname: "192.0.2.1" } }),
    one("alert-channel-subscription", "s", {
      alertChannelId: ref("outer"),
      checkId: ref("p"),
      activated: true,
    }),
  ];
  const { status, result, error } = await deploy("uses", resources);
  assert.equal(status, "SUCCEEDED", JSON.stringify(error));
  assert.equal(result.diff.length, 2);
  const gone = await app.call("DELETE", "/v1/projects/uses");
  assert.equal((await complete("uses", gone.body.id)).status, "SUCCEEDED");
  assert.equal((await app.call("GET", `/v1/alert-channels/${channel.body.id}`)).status, 200);
  assert.equal((await app.call("GET", `/v1/checks/${foreign.body.id}`)).status, 200);
});

test("preserved resources stay without a project, and a removed one is deleted", async () => {
  const ping = one("check", "p", {
    checkType: "ICMP",
    name: "P",
    request: { hostname: "192.0.2.1" },
  });
  const group = one("check-group", "g", { name: "G" });
  const { result } = await deploy("keeps", [ping, group]);
  const id = findEntry(result.diff, "p").physicalId;
  const fewer = await deploy("keeps", [ping]);
  assert.equal(findEntry(fewer.result.diff, "g").action, "DELETE");
  const kept = await deploy("keeps", [], "&preserveResources=true");
  assert.equal(findEntry(kept.result.diff, "p").action, "DETACH");
  assert.equal((await app.call("GET", `/v1/checks/${id}`)).status, 200);
  const owners = await app.call("GET", `/v1/projects/resources?type=check&physicalId=${id}`);
  assert.deepEqual(owners.body, []);
});

test("kept resources stay owned, without the parts that their code no longer has", async () => {
  const group = one("check-group", "g", { name: "G" });
  const ping = one("check", "p", {
    checkType: "ICMP",
    name: "P",
    request: { hostname: "192.0.2.1" },
  });
  const mail = one("alert-channel", "m", { type: "EMAIL", config: { address: "a@example.test" } });
  const subscribe = (name: string, subscriber: object) =>
    one("alert-channel-subscription", name, { alertChannelId: ref("m"), ...subscriber });
  const parts = [
    subscribe("of-check", { checkId: ref("p") }),
    subscribe("of-group", { groupId: ref("g") }),
  ];
  await deploy("stays", [group, ping, mail, ...parts]);
  const fewer = await deploy("stays", [ping, mail], "&keepResources=true");
  assert.equal(fewer.status, "SUCCEEDED", JSON.stringify(fewer.error));
  const actions = fewer.result.diff.map(({ logicalId, action }: Entry) => [logicalId, action]);
  assert.deepEqual(Object.fromEntries(actions), {
    p: "UNCHANGED",
    m: "UNCHANGED",
    g: "KEEP",
    "of-group": "KEEP",
    "of-check": "DELETE",
  });
  const pruned = await preview("stays", [ping, mail]);
  assert.deepEqual(
    pruned.diff.flatMap(({ action, logicalId }: Entry) => (action === "DELETE" ? logicalId : [])),
    ["of-group", "g"],
  );
});

test("a service follows checks that are created after it", async () => {
  const resources = [
    one("status-page-service", "svc", { name: "Shop", follows: { checkIds: [ref("ping")] } }),
    one("check", "ping", { checkType: "ICMP", name: "P", request: { hostname: "192.0.2.1" } }),
  ];
  const { result, error } = await deploy("follows", resources);
  const id = findEntry(result?.diff ?? [], "svc").physicalId;
  const { body: service } = await app.call("GET", `/v1/status-pages/services/${id}`);
  assert.deepEqual(
    service.follows,
    { checkIds: [findEntry(result.diff, "ping").physicalId], tags: [] },
    JSON.stringify(error),
  );
  assert.deepEqual(actionsOf((await preview("follows", resources)).diff), ["UNCHANGED"]);
  // A client that knows only the name does not change what the service follows.
  const named = [one("status-page-service", "svc", { name: "Store" }), resources[1] as Resource];
  const renamed = await deploy("follows", named);
  assert.equal(renamed.status, "SUCCEEDED", JSON.stringify(renamed.error));
  const { body: after } = await app.call("GET", `/v1/status-pages/services/${id}`);
  assert.deepEqual([after.name, after.follows], ["Store", service.follows]);
});

test("a check that changes its kind is replaced", async () => {
  const first = one("check", "p", {
    checkType: "ICMP",
    name: "P",
    request: { hostname: "192.0.2.1" },
  });
  const second = one("check", "p", {
    checkType: "TCP",
    name: "P",
    request: { hostname: "192.0.2.1", port: 1 },
  });
  const { result } = await deploy("kind", [first]);
  const replaced = await deploy("kind", [second]);
  assert.equal(replaced.status, "SUCCEEDED", JSON.stringify(replaced.error));
  const [old, now] = [result, replaced.result].map(({ diff }) => findEntry(diff, "p").physicalId);
  assert.equal((await app.call("GET", `/v1/checks/${old}`)).status, 404);
  assert.equal((await app.call("GET", `/v1/checks/${now}`)).body.checkType, "TCP");
  assert.deepEqual(actionsOf((await preview("kind", [second])).diff), ["UNCHANGED"]);
});

test("private locations that somebody else added stay unless they are pruned", async () => {
  const other = await app.call("POST", "/v1/private-locations", {
    body: { name: "Other", slugName: "other-place" },
  });
  assert.equal(other.status, 201, other.text);
  const resources = [
    one("private-location", "lab", { name: "Lab", slugName: "lab-keep" }),
    one("check", "p", { checkType: "ICMP", name: "P", request: { hostname: "192.0.2.1" } }),
    one("private-location-check-assignment", "a", {
      privateLocationId: ref("lab"),
      checkId: ref("p"),
    }),
  ];
  const { result } = await deploy("places", resources);
  const id = findEntry(result.diff, "p").physicalId;
  const added = { privateLocations: ["lab-keep", "other-place"] };
  await app.call("PUT", `/v1/checks/${id}`, { body: added });
  const read = async () => (await app.call("GET", `/v1/checks/${id}`)).body.privateLocations;
  await deploy("places", resources);
  assert.deepEqual(await read(), ["lab-keep", "other-place"]);
  await deploy("places", resources, "&pruneRelations=true");
  assert.deepEqual(await read(), ["lab-keep"]);
  await deploy("places", resources.slice(0, 2));
  assert.equal(await read(), undefined);
});
