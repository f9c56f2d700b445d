import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { State } from "../../pages/states.ts";
import { type Incident, type Severity, severities } from "../../response/incidents/index.ts";
import type { PublicMaintenance } from "../../response/maintenance/index.ts";
import { completeSettings, type Service, type StatusPage } from "../../sites/status-pages/index.ts";
import { hashView, toSummary } from "./page-document.ts";
import { buildPageView, decideIndicator, describeUptime, type PageFacts } from "./page-view.ts";

const now = new Date("2026-11-15T12:00:00.000Z");
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

function createService(id: string): Service {
  const createdAt = minutesAgo(100_000);
  return {
    id,
    accountId: "account",
    name: `service ${id}`,
    version: 1,
    createdAt,
    updatedAt: null,
  };
}

const shop = createService("shop");
const search = createService("search");
const hidden = createService("hidden");
const look = { position: 0, description: null, isHidden: false, showsHistory: true };

function createCard(id: string, name: string, services: readonly Service[]) {
  const placed = services.map((one) => ({ ...one, componentId: `${id} ${one.id}`, look }));
  return { id, name, services: placed, isUngrouped: false, look, createdAt: now, updatedAt: null };
}

const page: StatusPage = {
  id: "page",
  accountId: "account",
  name: "Acme",
  url: "acme",
  isPrivate: false,
  servedDomain: null,
  settings: completeSettings({}),
  ...{ cssWarnings: [], version: 1, usesComponents: false },
  cards: [createCard("one", "One", [shop]), createCard("two", "Two", [search, shop])],
  createdAt: minutesAgo(100_000),
  updatedAt: null,
};

function createIncident(changes: Partial<Incident> = {}): Incident {
  const startedAt = changes.startedAt ?? minutesAgo(30);
  return {
    id: "incident",
    accountId: "account",
    name: "Trouble",
    severity: "MAJOR",
    status: "INVESTIGATING",
    services: [shop],
    updates: [],
    startedAt,
    resolvedAt: null,
    acknowledgedAt: null,
    openSpans: [],
    isAutomatic: false,
    checkId: null,
    alertNumber: null,
    takenOverAt: null,
    version: 1,
    createdAt: startedAt,
    updatedAt: null,
    ...changes,
  };
}

function createWindow(changes: Partial<PublicMaintenance> = {}): PublicMaintenance {
  const window = {
    windowId: 1,
    uid: "window-0",
    sequence: 0,
    name: "Upgrade",
    description: null,
    startsAt: minutesAgo(10),
    endsAt: minutesAgo(-10),
    severity: null,
    affectsAllServices: false,
    serviceIds: ["shop"],
    statusPageIds: [],
    showAffectedServices: true,
    changedAt: minutesAgo(20),
    ...changes,
  };
  const { startsAt, endsAt } = window;
  const byClock = now < startsAt ? "SCHEDULED" : now < endsAt ? "IN_PROGRESS" : "COMPLETED";
  return { status: byClock, ...window };
}

/** Worst severity of each service, as the database returns it. */
function mapTroubles(incidents: readonly Incident[]): Map<string, Severity> {
  const ongoing = incidents.filter(({ resolvedAt }) => resolvedAt === null);
  const rank = ({ severity }: Incident) => severities.indexOf(severity);
  const bestFirst = ongoing.toSorted((one, other) => rank(other) - rank(one));
  return new Map(
    bestFirst.flatMap(({ services, severity }) => services.map(({ id }) => [id, severity])),
  );
}

function build(changes: Partial<PageFacts> = {}) {
  const { incidents = [] } = changes;
  const troubles = mapTroubles(incidents);
  const rest = { maintenance: [], followed: new Map(), days: new Map(), now };
  return buildPageView({ page, incidents, troubles, ...rest, ...changes });
}

const stateOf = (view: ReturnType<typeof build>, id: string) =>
  view.cards.flatMap(({ services }) => services).find((service) => service.id === id)?.state;

describe("the state of a page", () => {
  const cases: readonly (readonly [string, Partial<PageFacts>, string, string])[] = [
    ["nothing wrong", {}, "none", "All systems operational"],
    ["no service", { page: { ...page, cards: [] } }, "empty", "No services yet"],
    ["a window", { maintenance: [createWindow()] }, "maintenance", "Under maintenance"],
    [
      "a minor one",
      { incidents: [createIncident({ severity: "MINOR" })] },
      "minor",
      "Degraded performance",
    ],
    [
      "a medium one",
      { incidents: [createIncident({ severity: "MEDIUM" })] },
      "minor",
      "Degraded performance",
    ],
    ["a major one", { incidents: [createIncident()] }, "major", "Partial outage"],
    [
      "a critical one",
      { incidents: [createIncident({ severity: "CRITICAL" })] },
      "critical",
      "Major outage",
    ],
    [
      "everything down",
      { incidents: [createIncident({ services: [shop, search] })] },
      "critical",
      "Major outage",
    ],
    [
      "one that is over",
      { incidents: [createIncident({ resolvedAt: now })] },
      "none",
      "All systems operational",
    ],
    [
      "a window and a minor one",
      { incidents: [createIncident({ severity: "MINOR" })], maintenance: [createWindow()] },
      "minor",
      "Degraded performance",
    ],
  ];
  for (const [name, facts, indicator, sentence] of cases) {
    test(`with ${name} is ${indicator}`, () => {
      const view = build(facts);
      assert.equal(view.indicator, indicator);
      assert.equal(view.sentence, sentence);
    });
  }

  test("never improves with another incident", () => {
    const order = ["none", "maintenance", "minor", "major", "critical"];
    const severity = fc.constantFrom<Severity>(...severities);
    fc.assert(
      fc.property(fc.array(severity), severity, fc.boolean(), (list, one, isUnder) => {
        const decide = (some: readonly Severity[]) =>
          order.indexOf(decideIndicator([{ state: "passing" }], some, isUnder));
        assert.ok(decide([...list, one]) >= decide(list));
        assert.ok(decide([one]) > decide([]));
      }),
    );
  });
});

/** State of the shop's checks. */
test("today is not green while a service has no data, and keeps its outage", () => {
  for (const failingMs of [0, 1]) {
    const day = { date: "2026-11-15", degradedMs: 0, incidentIds: [], failingMs, knownMs: 9 };
    const view = build({ ...follow("unknown"), days: new Map([["shop", [day]]]) });
    assert.equal(view.cards[0]?.services[0]?.days[0]?.kind, failingMs === 0 ? "none" : "outage");
  }
});

function follow(status: State, since: Date | null = minutesAgo(5)): Partial<PageFacts> {
  const state = { status, since: status === "passing" ? null : since, checkIds: ["check"] };
  return { followed: new Map([["shop", { state, troubles: [] }]]) };
}

describe("the state of a service that follows checks", () => {
  const cases: readonly (readonly [State, string, string])[] = [
    ["passing", "none", "All systems operational"],
    ["unknown", "unknown", "No data from some services"],
    ["degraded", "minor", "Degraded performance"],
    ["failing", "major", "Partial outage"],
  ];
  for (const [status, indicator, sentence] of cases) {
    test(`with ${status} checks shows ${sentence}`, () => {
      const view = build(follow(status));
      assert.deepEqual(
        [stateOf(view, "shop"), view.indicator, view.sentence],
        [status, indicator, sentence],
      );
    });
  }

  test("is the worse of incident and check, with the text of the incident", () => {
    const minor = createIncident({ severity: "MINOR" });
    const both = build({ ...follow("failing"), incidents: [minor] });
    assert.equal(stateOf(both, "shop"), "failing");
    assert.equal(both.cards[0]?.services[0]?.seen, null);
    assert.equal(both.ongoing[0]?.name, minor.name);
    const major = build({ ...follow("passing"), incidents: [createIncident()] });
    assert.equal(stateOf(major, "shop"), "failing");
    const alone = build(follow("failing")).cards[0]?.services[0]?.seen;
    assert.deepEqual(alone, { status: "failing", since: minutesAgo(5), isAfterIncident: false });
  });

  test("is not hidden by maintenance", () => {
    const view = build({ ...follow("failing"), maintenance: [createWindow()] });
    assert.deepEqual([stateOf(view, "shop"), view.indicator], ["failing", "major"]);
    assert.equal(view.cards[0]?.services[0]?.isUnderMaintenance, true);
  });
});

describe("the state of a service", () => {
  test("is the worst ongoing severity, with maintenance shown separately", () => {
    const minor = createIncident({ severity: "MINOR" });
    const major = createIncident({ severity: "MAJOR", services: [shop] });
    const window = createWindow();
    assert.equal(stateOf(build({ incidents: [minor, major] }), "shop"), "failing");
    assert.equal(stateOf(build({ incidents: [minor], maintenance: [window] }), "shop"), "degraded");
    assert.equal(stateOf(build({ maintenance: [window] }), "shop"), "passing");
    for (const incidents of [[], [major]]) {
      const [service] = build({ incidents, maintenance: [window] }).cards[0]?.services ?? [];
      assert.equal(service?.isUnderMaintenance, true);
    }
    assert.equal(stateOf(build({ maintenance: [window] }), "search"), "passing");
    assert.equal(stateOf(build({ incidents: [major] }), "search"), "passing");
  });

  test("does not depend on the number of incidents shown", () => {
    const view = build({ incidents: [], troubles: new Map([["shop", "CRITICAL"]]) });
    assert.equal(stateOf(view, "shop"), "failing");
    assert.equal(view.indicator, "critical");
  });

  test("is the same on every card that shows it", () => {
    const view = build({ incidents: [createIncident()] });
    const states = view.cards.flatMap(({ services }) =>
      services.filter(({ id }) => id === "shop").map(({ state }) => state),
    );
    assert.deepEqual(states, ["failing", "failing"]);
  });

  test("has the worst state of a day as the day's kind, and no uptime without data", () => {
    const day = (failingMs: number, degradedMs: number, knownMs: number) => ({
      ...{ date: "2026-11-15", failingMs, degradedMs, knownMs, incidentIds: [] },
    });
    const dayMs = 86_400_000;
    const days = [day(0, 0, 0), day(0, 0, 1_000), day(0, 10, 1_000), day(10, 10, 1_000)];
    const view = build({ days: new Map([["shop", days]]) });
    const service = view.cards[0]?.services[0];
    assert.deepEqual(
      service?.days.map(({ kind }) => kind),
      ["none", "ok", "degraded", "outage"],
    );
    assert.deepEqual([service?.uptimePercent, service?.uptime], [null, "not enough data yet"]);
    const whole = build({ days: new Map([["shop", [day(dayMs / 4, 0, dayMs)]]]) });
    assert.equal(whole.cards[0]?.services[0]?.uptimePercent, 75);
    const unknown = view.cards[1]?.services[0];
    assert.deepEqual([unknown?.uptimePercent, unknown?.uptime], [null, "no data"]);
  });
});

describe("the uptime of a service", () => {
  const hourMs = 3_600_000;
  for (const [hours, failingHours, words] of [
    [0, 0, "no data"],
    [1, 1, "not enough data yet"],
    [23.9, 0, "not enough data yet"],
    [24, 6, "75 % uptime in 1 day"],
    [49, 0, "100 % uptime in 2 days"],
    [88 * 24 + 23, 0, "100 % uptime in 88 days"],
    [89 * 24, 0, "100 % uptime"],
    [89 * 24 + 12, 0, "100 % uptime"],
  ] as const) {
    test(`with ${hours} hours of data is shown as "${words}"`, () => {
      const time = { knownMs: hours * hourMs, failingMs: failingHours * hourMs, degradedMs: 0 };
      assert.equal(describeUptime(time, 90), words);
    });
  }
});

describe("incidents on a page", () => {
  test("name only the services that the page shows", () => {
    const view = build({ incidents: [createIncident({ services: [hidden, shop] })] });
    const named = { id: "shop", name: "service shop", card: "One" };
    assert.deepEqual(view.ongoing[0]?.services, [named]);
    assert.equal(JSON.stringify(view).includes("hidden"), false);
  });

  test("are ordered by severity while ongoing", () => {
    const incidents = (["MINOR", "CRITICAL", "MEDIUM", "MAJOR"] as const).map((severity) =>
      createIncident({ severity }),
    );
    assert.deepEqual(
      build({ incidents }).ongoing.map(({ severity }) => severity),
      ["CRITICAL", "MAJOR", "MEDIUM", "MINOR"],
    );
  });

  test("are listed under the day they ended, for fifteen days", () => {
    const ended = (id: string, resolvedAt: Date) => createIncident({ id, resolvedAt });
    const view = build({
      incidents: [
        ended("today", minutesAgo(60)),
        ended("earlier today", minutesAgo(11 * 60)),
        ended("first day", new Date("2026-11-01T00:00:00.000Z")),
        ended("too old", new Date("2026-10-31T23:59:59.999Z")),
        createIncident({ id: "goes on" }),
      ],
    });
    assert.deepEqual(
      view.pastDays.map(({ date, incidents }) => [date, incidents.map(({ id }) => id)]),
      [
        ["2026-11-15", ["today", "earlier today"]],
        ["2026-11-01", ["first day"]],
      ],
    );
  });
});

describe("maintenance on a page", () => {
  const shown = (changes: Partial<PublicMaintenance>) =>
    build({ maintenance: [createWindow(changes)] }).maintenance;

  test("is shown on the pages it names", () => {
    assert.equal(shown({ serviceIds: ["hidden"] }).length, 0);
    assert.equal(shown({ serviceIds: [] }).length, 1);
    assert.equal(shown({ affectsAllServices: true, serviceIds: [] }).length, 1);
    assert.equal(shown({ statusPageIds: ["other"] }).length, 0);
    assert.equal(shown({ statusPageIds: ["page"], serviceIds: ["hidden"] }).length, 1);
  });

  test("does not affect a page that does not show it", () => {
    const view = build({ maintenance: [createWindow({ statusPageIds: ["other"] })] });
    assert.equal(stateOf(view, "shop"), "passing");
    assert.equal(view.indicator, "none");
  });

  test("includes its start and excludes its end", () => {
    assert.equal(shown({ startsAt: now, endsAt: minutesAgo(-1) })[0]?.isNow, true);
    assert.equal(shown({ startsAt: minutesAgo(-1), endsAt: minutesAgo(-2) })[0]?.isNow, false);
    assert.equal(shown({ startsAt: minutesAgo(1), endsAt: now }).length, 0);
    const over = build({ maintenance: [createWindow({ endsAt: now })] });
    assert.equal(stateOf(over, "shop"), "passing");
  });

  test("names only visible services of the page", () => {
    const all = shown({ affectsAllServices: true })[0]?.services.map(({ id }) => id);
    assert.deepEqual(all, ["shop", "search"]);
    assert.deepEqual(shown({ showAffectedServices: false })[0]?.services, []);
    assert.deepEqual(
      shown({ serviceIds: ["hidden", "shop"] })[0]?.services.map(({ id }) => id),
      ["shop"],
    );
  });
});

test("the summary matches the page, with each service once", () => {
  const view = build({ incidents: [createIncident()], maintenance: [createWindow()] });
  const summary = toSummary(view, { url: "https://x/", version: "v", asOf: null });
  assert.deepEqual(summary.status, { indicator: "major", description: "Partial outage" });
  assert.deepEqual(
    summary.services.map(({ id, status }) => [id, status]),
    [
      ["shop", "outage"],
      ["search", "operational"],
    ],
  );
  assert.equal(summary.incidents[0]?.startedAt, "2026-11-15T11:30:00.000Z");
  assert.equal(summary.maintenance[0]?.status, "IN_PROGRESS");
  assert.equal("asOf" in summary, false);
  assert.equal(toSummary(view, { url: "", version: "", asOf: now }).asOf, now.toISOString());
});

test("a page's version changes only with its content and its settings", () => {
  const version = hashView(build(), 1);
  assert.equal(hashView(build(), 1), version);
  assert.notEqual(hashView(build({ incidents: [createIncident()] }), 1), version);
  assert.notEqual(hashView(build(), 2), version);
});
