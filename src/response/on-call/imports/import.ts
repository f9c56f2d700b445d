import { Type } from "typebox";
import type { Caller } from "../../../access/accounts/index.ts";
import {
  createPolicy,
  type EscalationTarget,
  listPolicyNames,
  type PoliciesContext,
} from "../../../channels/escalation-policies/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { answers, Described, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { createSchedule } from "../actions.ts";
import { listEverySchedule, mapMemberIds } from "../store.ts";
import { type Draft, type DraftTarget, joinNames, type LeftOut } from "./draft.ts";
import { convertGrafanaOncall } from "./grafana-oncall.ts";
import { convertOpsgenie } from "./opsgenie.ts";
import { convertPagerDuty } from "./pagerduty.ts";

const converters = {
  OPSGENIE: convertOpsgenie,
  PAGERDUTY: convertPagerDuty,
  GRAFANA_ONCALL: convertGrafanaOncall,
} as const;
type Source = keyof typeof converters;

/** Maximum number of entries in each list of an import report. */
const maxReported = 1_000;
const maxImportBytes = 4 * 1024 * 1024;

interface Created {
  readonly id: string;
  readonly name: string;
}

/** Stores a draft and collects the entries of the report. All writes are in one transaction. */
class Writer {
  readonly #context: PoliciesContext;
  readonly #caller: Caller;
  readonly #members: ReadonlyMap<string, string>;
  /** Schedule ids by the id in the other product. `#byName` contains them by name. */
  readonly #byKey = new Map<string, string>();
  readonly #byName: Map<string, string>;
  readonly #policyNames: Set<string>;
  readonly #strangers = new Map<string, Set<string>>();
  readonly schedules: Created[] = [];
  readonly policies: Created[] = [];
  readonly skipped: { readonly type: "SCHEDULE" | "POLICY"; readonly name: string }[] = [];
  readonly leftOut: LeftOut[];

  constructor(
    context: PoliciesContext,
    caller: Caller,
    known: {
      readonly members: ReadonlyMap<string, string>;
      readonly schedules: ReadonlyMap<string, string>;
      readonly policyNames: ReadonlySet<string>;
      readonly leftOut: readonly LeftOut[];
    },
  ) {
    this.#context = context;
    this.#caller = caller;
    this.#members = known.members;
    this.#byName = new Map(known.schedules);
    this.#policyNames = new Set(known.policyNames);
    this.leftOut = [...known.leftOut];
  }

  get strangers() {
    return [...this.#strangers].map(([person, usedIn]) => ({ person, usedIn: [...usedIn] }));
  }

  #findPerson(person: string, place: string): string | null {
    const userId = this.#members.get(person.toLowerCase());
    if (userId !== undefined) return userId;
    const places = this.#strangers.get(person) ?? new Set();
    this.#strangers.set(person, places.add(place));
    return null;
  }

  async addSchedule({ key, name, timeZone, layers }: Draft["schedules"][number]): Promise<void> {
    const known = this.#byName.get(name);
    if (known !== undefined) {
      this.#byKey.set(key, known);
      this.skipped.push({ type: "SCHEDULE", name });
      return;
    }
    const staffed = layers.flatMap((layer) => {
      const participants = layer.participants.flatMap(
        (person) => this.#findPerson(person, name) ?? [],
      );
      if (participants.length > 0) return [{ ...layer, participants }];
      const why = "None of its participants is a member.";
      this.leftOut.push({ name: joinNames(name, layer.name), why });
      return [];
    });
    if (staffed.length === 0) {
      this.leftOut.push({ name, why: "None of its participants is a member." });
      return;
    }
    const input = { name, timeZone, layers: staffed, warnsAboutGaps: true };
    const create = { input, idempotencyKey: undefined };
    const { schedule } = await createSchedule(this.#context, this.#caller, create);
    this.#byKey.set(key, schedule.id);
    this.#byName.set(name, schedule.id);
    this.schedules.push({ id: schedule.id, name });
  }

  #findTarget(target: DraftTarget, policy: string): EscalationTarget | null {
    if ("person" in target) {
      const userId = this.#findPerson(target.person, policy);
      return userId === null ? null : { userId };
    }
    const { scheduleKey, scheduleName } = target;
    const scheduleId = this.#byKey.get(scheduleKey) ?? this.#byName.get(scheduleName);
    if (scheduleId !== undefined) return { scheduleId };
    const why = "The schedule is neither imported nor here.";
    this.leftOut.push({ name: joinNames(policy, scheduleName), why });
    return null;
  }

  async addPolicy({ name, steps, ...rounds }: Draft["policies"][number]): Promise<void> {
    if (this.#policyNames.has(name)) {
      this.skipped.push({ type: "POLICY", name });
      return;
    }
    const reached = steps.flatMap(({ afterMinutes, targets }) => {
      const found = targets.flatMap((target) => this.#findTarget(target, name) ?? []);
      // Two different targets of the other product may become the same target here.
      const unique = new Map(found.map((target) => [JSON.stringify(target), target]));
      return unique.size === 0 ? [] : [{ afterMinutes, targets: [...unique.values()] }];
    });
    if (reached.length === 0) {
      this.leftOut.push({ name, why: "None of its steps pages anybody here." });
      return;
    }
    const input = { ...rounds, name, steps: reached, usesFallback: true, supportHours: null };
    const create = { input, idempotencyKey: undefined };
    const { id } = await createPolicy(this.#context, this.#caller, create);
    this.#policyNames.add(name);
    this.policies.push({ id, name });
  }
}

/**
 * Thrown to roll back a dry run. A dry run performs a complete import, so that its report is
 * accurate.
 */
class DryRunEnd extends Error {}

async function write(context: PoliciesContext, caller: Caller, draft: Draft): Promise<Writer> {
  const { db } = context;
  const { accountId } = caller;
  const schedules = await listEverySchedule(db, accountId);
  const policies = await listPolicyNames(db, accountId);
  const writer = new Writer(context, caller, {
    members: await mapMemberIds(db, accountId),
    schedules: new Map(schedules.map(({ name, id }) => [name, id])),
    policyNames: new Set(policies.map(({ name }) => name)),
    leftOut: draft.leftOut,
  });
  for (const schedule of draft.schedules) await writer.addSchedule(schedule);
  for (const policy of draft.policies) await writer.addPolicy(policy);
  return writer;
}

async function importOnCall(
  context: PoliciesContext,
  caller: Caller,
  request: {
    readonly source: Source;
    readonly documents: readonly unknown[];
    readonly dryRun: boolean;
  },
) {
  const { source, documents, dryRun } = request;
  const draft = converters[source](documents, context.clock.nowMs());
  let writer: Writer | undefined;
  const work = async (db: Database) => {
    writer = await write({ ...context, db }, caller, draft);
    if (dryRun) throw new DryRunEnd();
  };
  await inTransaction(context.db, work).catch((error: unknown) => {
    if (!(error instanceof DryRunEnd)) throw error;
  });
  if (writer === undefined) throw new Error("An import has no report.");
  const { schedules, policies, skipped, strangers, leftOut } = writer;
  const show = ({ id, name }: Created) => ({ id: dryRun ? null : id, name });
  return {
    dryRun,
    schedules: schedules.map(show),
    policies: policies.map(show),
    skipped,
    peopleNotFound: strangers.slice(0, maxReported),
    leftOut: leftOut.slice(0, maxReported),
  };
}

const CreatedObject = Type.Object({
  id: Described(OrNull(Guid), "Its id; `null` in a dry run."),
  name: Type.String({ description: "Its name.", examples: ["Primary"] }),
});

const ReportSchema = Type.Object(
  {
    dryRun: Type.Boolean({ description: "Whether nothing was created." }),
    schedules: Type.Array(CreatedObject, { description: "Schedules that are created." }),
    policies: Type.Array(CreatedObject, { description: "Escalation policies that are created." }),
    skipped: Type.Array(
      Type.Object({
        type: Described(OneOf(["SCHEDULE", "POLICY"]), "What it is."),
        name: Type.String({ description: "Its name.", examples: ["Primary"] }),
      }),
      { description: "Not changed, because one with this name exists." },
    ),
    peopleNotFound: Type.Array(
      Type.Object({
        person: Type.String({
          description: "Email address; the name if the documents have no address.",
          examples: ["ben@example.com"],
        }),
        usedIn: Type.Array(Type.String(), {
          description: "Schedules and policies that name them.",
        }),
      }),
      { description: "People who are not members and are left out; at most 1,000." },
    ),
    leftOut: Type.Array(
      Type.Object({
        name: Type.String({ description: "What it is.", examples: ["Primary / Weekend"] }),
        why: Type.String({ description: "The reason.", examples: ["It has ended."] }),
      }),
      { description: "What has no equivalent or becomes different; at most 1,000." },
    ),
  },
  { title: "OnCallImport", description: "What the import does." },
);

export function addOnCallImportRoute(server: HttpServer, context: PoliciesContext): void {
  server.post(
    "/v1/on-call/imports",
    {
      config: { access: "write" },
      bodyLimit: maxImportBytes,
      schema: {
        tags: ["On call"],
        operationId: "importOnCall",
        summary: "Import schedules and escalation policies",
        description:
          "Reads answers of the API of Opsgenie, PagerDuty or Grafana OnCall, up to 4 MiB. People " +
          "are members with the same email address. Everything is created in one transaction; " +
          "objects whose name exists are not changed.",
        body: Type.Object(
          {
            source: Described(
              OneOf(["OPSGENIE", "PAGERDUTY", "GRAFANA_ONCALL"]),
              "The product that the documents come from.",
            ),
            documents: Type.Array(Type.Object({}, { additionalProperties: true }), {
              description: "Answers of its API, in any order.",
              examples: [[{ data: [] }]],
              minItems: 1,
              maxItems: 1_000,
            }),
            dryRun: Type.Boolean({
              description: "Whether only the report is returned and nothing is created.",
              default: true,
            }),
          },
          { title: "OnCallImportInput" },
        ),
        response: answers({ 200: ReportSchema }, "conflict", "bodyTooLarge"),
      },
    },
    async ({ caller, body }) => importOnCall(context, caller, body),
  );
}
