import { type TObject, Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { getCheck, getGroup, listChecks } from "../../../checks/checks/index.ts";
import { inTransaction } from "../../../platform/database.ts";
import { toDay } from "../../../platform/dates.ts";
import { KnownError, notFound } from "../../../platform/errors.ts";
import {
  answers,
  DateOnly,
  Described,
  Guid,
  Matching,
  Nothing,
  OrNull,
  publicAnswers,
  RowId,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import { createSecret } from "../../../platform/secrets.ts";
import type { ScheduleContext, ScheduleRoutesContext } from "../context.ts";
import {
  deleteTrigger,
  findTrigger,
  findTriggerByToken,
  insertTrigger,
  noteTriggerCall,
  type RunTrigger,
  type TriggerSubject,
} from "../schedule-store.ts";
import { type SessionReport, triggerChecks } from "../sessions/actions.ts";
import { TriggerAnswer, toWireSession } from "../sessions/routes.ts";

/** Trigger URLs, which run a check or the checks of a group. The caller needs no API key. */

const callsPerMinute = 10;
/**
 * Maximum number of checks to list for a call. This is more than a call may run, so that a call for
 * a larger group is rejected instead of running only some of its checks.
 */
const maxListedChecks = 10_000;

function createTriggerLimit({ clock, servers }: ScheduleContext): RateLimit {
  return new RateLimit({ limit: callsPerMinute, windowMs: 60_000, clock, servers });
}

/** Returns the id of the check or group. Throws a not-found error unless the account owns it. */
async function assertOwn(
  context: ScheduleContext,
  caller: Caller,
  { checkId, groupId }: TriggerSubject,
): Promise<string> {
  if (checkId !== null) return (await getCheck(context, caller, checkId)).id;
  return String((await getGroup(context, caller, groupId)).id);
}

async function readTrigger(
  context: ScheduleContext,
  caller: Caller,
  subject: TriggerSubject,
): Promise<RunTrigger> {
  const trigger = await findTrigger(context.db, caller.accountId, subject);
  if (trigger === null) throw notFound();
  return trigger;
}

/** Creates a trigger. Returns the existing trigger if the check or group already has one. */
async function createTrigger(
  context: ScheduleContext,
  caller: Caller,
  subject: TriggerSubject,
): Promise<RunTrigger> {
  const targetId = await assertOwn(context, caller, subject);
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const existing = await findTrigger(db, caller.accountId, subject);
    if (existing === null) {
      await insertTrigger(db, caller.accountId, { ...subject, token: createSecret(24), at });
      await writeAuditEntry(db, caller, { action: "run-trigger.created", targetId, at });
    }
    return readTrigger({ ...context, db }, caller, subject);
  });
}

async function removeTrigger(
  context: ScheduleContext,
  caller: Caller,
  subject: TriggerSubject,
): Promise<void> {
  const targetId = await assertOwn(context, caller, subject);
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    if (!(await deleteTrigger(db, caller.accountId, subject))) throw notFound();
    await writeAuditEntry(db, caller, { action: "run-trigger.deleted", targetId, at });
  });
}

interface TriggerCall {
  readonly token: string;
  readonly address: string;
  readonly requestId: string;
}

/** Runs the checks of a trigger. The caller needs only the token in the URL. */
async function callTrigger(
  context: ScheduleContext,
  limit: RateLimit,
  subject: TriggerSubject,
  { token, address, requestId }: TriggerCall,
): Promise<SessionReport[]> {
  const trigger = await findTriggerByToken(context.db, subject, token);
  if (trigger === null) throw notFound();
  const { allowed, resetSeconds } = limit.take(String(trigger.id));
  if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
  const { accountId } = trigger;
  const checkId = await listSubjects(context, accountId, subject);
  if (checkId.length === 0) throw notFound();
  const origin = { address, requestId };
  const actor = { type: "SYSTEM", credentialId: null, label: "Trigger URL", ...origin } as const;
  const reports = await triggerChecks(context, { ...actor, accountId }, { checkId });
  await noteTriggerCall(context.db, accountId, { id: trigger.id, at: context.clock.now() });
  return reports;
}

async function listSubjects(
  { db }: ScheduleContext,
  accountId: string,
  { checkId, groupId }: TriggerSubject,
): Promise<string[]> {
  if (checkId !== null) return [checkId];
  const { checks } = await listChecks(db, accountId, { limit: maxListedChecks, page: 1, groupId });
  return checks.map(({ id }) => id);
}

const tags = ["Check sessions"];

interface Subject {
  /** Path segments of the trigger's route for this type of subject. */
  readonly path: string;
  readonly name: string;
  readonly what: string;
  readonly params: TObject;
  readonly read: (params: unknown) => TriggerSubject;
}

const subjects: readonly Subject[] = [
  {
    path: "checks/:checkId",
    name: "Check",
    what: "a check",
    params: Type.Object({ checkId: Described(Guid, "The check's id.") }),
    read: (params) => ({ checkId: (params as { checkId: string }).checkId, groupId: null }),
  },
  {
    path: "check-groups/:groupId",
    name: "CheckGroup",
    what: "the checks of a group",
    params: Type.Object({ groupId: Described(RowId, "The group's id.") }),
    read: (params) => ({ checkId: null, groupId: (params as { groupId: number }).groupId }),
  },
];

const TriggerSchema = Type.Object(
  {
    id: Type.Integer({ description: "Its id.", examples: [3] }),
    token: Type.String({
      description: "The secret part of the URL.",
      examples: ["qQh2r5pY0o1m3s4t5u6v7w8x9y0zAbCd"],
    }),
    url: Type.String({
      description: "Runs the checks when it is requested with GET or POST.",
      examples: ["https://status.example.com/check-groups/3/trigger/qQh2r5pY0o1m"],
    }),
    checkId: Described(OrNull(Guid), "The check; `null` for a group."),
    groupId: Described(OrNull(RowId), "The group; `null` for a check.", 3),
    created_at: Described(DateOnly, "The day it was created, in UTC."),
    called_at: Described(OrNull(DateOnly), "The day it was last called; `null` if never."),
    updated_at: Type.Null({ description: "Always `null`: a trigger is not changed." }),
  },
  { title: "RunTrigger" },
);

function toWireTrigger({ publicUrl }: ScheduleRoutesContext, trigger: RunTrigger) {
  const { id, token, checkId, groupId, createdAt, calledAt } = trigger;
  const subject = checkId === null ? `check-groups/${groupId}` : `checks/${checkId}`;
  return {
    ...{ id, token, checkId, groupId },
    url: `${publicUrl()}/${subject}/trigger/${token}`,
    created_at: toDay(createdAt),
    called_at: calledAt && toDay(calledAt),
    updated_at: null,
  };
}

function addManageRoutes(
  server: HttpServer,
  context: ScheduleRoutesContext,
  subject: Subject,
): void {
  const { path, name, what, params, read } = subject;
  const url = `/v1/triggers/${path}`;
  server.get(
    url,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: `get${name}Trigger`,
        summary: `Get the URL that runs ${what}`,
        description: "Needs write access, because the URL alone is enough to run checks.",
        params,
        response: answers({ 200: TriggerSchema }, "notFound"),
      },
    },
    async (request) =>
      toWireTrigger(context, await readTrigger(context, request.caller, read(request.params))),
  );
  server.post(
    url,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: `create${name}Trigger`,
        summary: `Create a URL that runs ${what}`,
        description: "Returns the existing one if there is one.",
        params,
        response: answers({ 201: TriggerSchema }, "notFound"),
      },
    },
    async (request, reply) => {
      const trigger = await createTrigger(context, request.caller, read(request.params));
      return reply.code(201).send(toWireTrigger(context, trigger));
    },
  );
  server.delete(
    url,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: `delete${name}Trigger`,
        summary: `Delete the URL that runs ${what}`,
        description: "The URL stops working at once.",
        params,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async (request, reply) => {
      await removeTrigger(context, request.caller, read(request.params));
      return reply.code(204).send(null);
    },
  );
}

const Token = Matching("^[\\w-]{1,200}$", "must be the token of a trigger", {
  description: "The token.",
});

export function addTriggerRoutes(server: HttpServer, context: ScheduleRoutesContext): void {
  const limit = createTriggerLimit(context);
  for (const subject of subjects) {
    addManageRoutes(server, context, subject);
    for (const method of ["GET", "POST"] as const) {
      server.route({
        method,
        url: `/${subject.path}/trigger/:token`,
        config: { access: "public" },
        schema: {
          tags,
          operationId: `${method === "GET" ? "call" : "post"}${subject.name}Trigger`,
          summary: `Run ${subject.what} by URL, with ${method}`,
          description:
            "At most 10 calls per minute. The token replaces the key. A call that would run more " +
            "than 100 checks is rejected.",
          params: Type.Object({ ...subject.params.properties, token: Token }),
          response: publicAnswers({ 200: TriggerAnswer }, "invalidRequest", "notFound"),
        },
        handler: async ({ params, ip: address, id: requestId }) => {
          const { token } = params as { token: string };
          const call = { token, address, requestId };
          const reports = await callTrigger(context, limit, subject.read(params), call);
          return { sessions: reports.map((one) => toWireSession(one, context.publicUrl())) };
        },
      });
    }
  }
}
