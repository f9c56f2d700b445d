import { Gauge, type Registry } from "prom-client";
import { Type } from "typebox";
import { listOwnerIds } from "../../../access/accounts/index.ts";
import { loadReaches } from "../../../channels/alert-channels/index.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database.ts";
import { answers, Described, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import {
  formatZoned,
  keepRead,
  listAccountGaps,
  listEverySchedule,
  listWatchedAccounts,
  renderEverySchedule,
} from "../../on-call/index.ts";
import { getSettings } from "../settings/settings-store.ts";

export type WarningsContext = Parameters<typeof loadReaches>[0] & {
  readonly db: Database;
  readonly clock: Clock;
};

const horizonMs = 14 * 86_400_000;

/** A problem in the on-call setup that would make a page fail. */
export interface DutyWarning {
  readonly kind: "GAP" | "NO_METHOD" | "NO_FALLBACK";
  /** Id of the affected schedule; `null` if the whole account is affected. */
  readonly scheduleId: string | null;
  readonly scheduleName: string | null;
  /** Id of the member who cannot be reached; `null` for other problems. */
  readonly userId: string | null;
  readonly sentence: string;
  readonly fix: string;
}

/** Lists members on call within 14 days who have no working contact method, first shift first. */
async function listUnreachable(
  context: WarningsContext,
  accountId: string,
): Promise<DutyWarning[]> {
  const nowMs = context.clock.nowMs();
  const range = { fromMs: nowMs, toMs: nowMs + horizonMs };
  const rendered = await renderEverySchedule(context.db, accountId, range);
  const shifts = rendered.flatMap(({ schedule, shifts: own }) =>
    own.flatMap(({ userId, fromMs }) => (userId === null ? [] : [{ userId, fromMs, schedule }])),
  );
  const firstByUser = Map.groupBy(
    shifts.sort((one, other) => one.fromMs - other.fromMs),
    ({ userId }) => userId,
  );
  const reaches = await loadReaches(context, accountId, [...firstByUser.keys()]);
  return [...firstByUser].flatMap(([userId, [first]]): DutyWarning[] => {
    const reach = reaches.get(userId);
    if (reach === undefined || first === undefined) return [];
    if (reach.methods.some(({ isVerified, problem }) => isVerified && problem === null)) return [];
    const { schedule, fromMs } = first;
    const { id: scheduleId, name: scheduleName, timeZone } = schedule;
    const from = fromMs <= nowMs ? "now" : `from ${formatZoned(timeZone, fromMs)} (${timeZone})`;
    return [
      {
        ...{ kind: "NO_METHOD", scheduleId, scheduleName, userId },
        sentence: `${reach.name} is on call ${from} and has no working contact method.`,
        fix: `${reach.name} adds one under Settings, Contact methods.`,
      },
    ];
  });
}

/**
 * Returns a warning if the account has neither a fallback channel nor an owner who can receive
 * email. A page that reaches nobody would then be lost.
 */
async function listFallbackFaults(
  context: WarningsContext,
  accountId: string,
): Promise<DutyWarning[]> {
  const { fallbackAlertChannelId } = await getSettings(context.db, accountId);
  if (fallbackAlertChannelId !== null) return [];
  const owners = await loadReaches(context, accountId, await listOwnerIds(context.db, accountId));
  const canReceive = [...owners.values()].some(({ methods }) =>
    methods.some(({ id, problem }) => id === "email" && problem === null),
  );
  if (canReceive) return [];
  return [
    {
      ...{ kind: "NO_FALLBACK", scheduleId: null, scheduleName: null, userId: null },
      sentence:
        "A page that reaches nobody is lost: there is no fallback channel, and no owner can receive email.",
      fix: "Choose a fallback channel under Settings, Alert settings.",
    },
  ];
}

/** Lists the problems that would make a page fail; none if the account has no schedules. */
export async function listDutyWarnings(
  context: WarningsContext,
  accountId: string,
): Promise<DutyWarning[]> {
  if ((await listEverySchedule(context.db, accountId)).length === 0) return [];
  const gaps = await listAccountGaps(context, accountId);
  return [
    ...gaps.map(
      ({ scheduleId, scheduleName, sentence }): DutyWarning => ({
        ...{ kind: "GAP", scheduleId, scheduleName, userId: null, sentence },
        fix: "Add an override, or a layer below the others.",
      }),
    ),
    ...(await listUnreachable(context, accountId)),
    ...(await listFallbackFaults(context, accountId)),
  ];
}

/** Lists the problems of all accounts that have schedules, except gaps in schedules. */
export async function listReachFaults(context: WarningsContext): Promise<DutyWarning[]> {
  const faults: DutyWarning[] = [];
  for (const accountId of await listWatchedAccounts(context.db)) {
    faults.push(...(await listUnreachable(context, accountId)));
    faults.push(...(await listFallbackFaults(context, accountId)));
  }
  return faults;
}

/**
 * Adds metrics about on-call problems that would make pages fail. The metrics contain no names,
 * because `/metrics` needs no key. The values are cached for at least one minute.
 */
export function addReachMetrics(registry: Registry, context: WarningsContext): void {
  const read = keepRead(context, () => listReachFaults(context));
  const add = (name: string, help: string, counted: DutyWarning["kind"]) =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        this.set((await read()).filter(({ kind }) => kind === counted).length);
      },
    });
  add(
    "vedette_on_call_members_unreachable",
    "Number of members who are on call within 14 days and have no working contact method.",
    "NO_METHOD",
  );
  add(
    "vedette_on_call_accounts_without_fallback",
    "Number of accounts with schedules where a page that reaches nobody is lost.",
    "NO_FALLBACK",
  );
}

const WarningSchema = Type.Object(
  {
    kind: Described(
      OneOf(["GAP", "NO_METHOD", "NO_FALLBACK"]),
      "`GAP`: nobody is on call; `NO_METHOD`: a member on call has no working contact method; " +
        "`NO_FALLBACK`: a page that reaches nobody is lost.",
    ),
    scheduleId: Described(OrNull(Guid), "The schedule; `null` for the whole account."),
    scheduleName: Described(OrNull(Type.String()), "Name of the schedule.", "Primary"),
    userId: Described(OrNull(Guid), "The member who cannot be reached; `null` otherwise.", null),
    sentence: Type.String({
      description: "What is wrong, and when.",
      examples: ["Nobody is on call from Sat 21 Nov 18:00 to Mon 23 Nov 09:00 (Europe/Berlin)."],
    }),
    fix: Type.String({
      description: "What to do.",
      examples: ["Add an override, or a layer below the others."],
    }),
  },
  { title: "OnCallWarning" },
);

export function addWarningRoutes(server: HttpServer, context: WarningsContext): void {
  server.get(
    "/v1/on-call/warnings",
    {
      config: { access: "read" },
      schema: {
        tags: ["On call"],
        operationId: "listOnCallWarnings",
        summary: "List what would make a page fail within 14 days",
        description:
          "Times when nobody is on call, members on call without a working contact method, and a " +
          "missing fallback. Empty without schedules.",
        response: answers({ 200: Type.Array(WarningSchema) }),
      },
    },
    ({ caller }) => listDutyWarnings(context, caller.accountId),
  );
}
