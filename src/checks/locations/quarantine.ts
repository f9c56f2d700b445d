import { Type } from "typebox";
import {
  type AuditActor,
  type Caller,
  hasSeveralAccounts,
  requireAccess,
  writeAuditEntry,
} from "../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { answers, Described, Filled } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { LocationsContext } from "./actions.ts";
import { findPrivateLocation } from "./private-locations/private-location-store.ts";
import { aliveForMs, isPrivate, type Probe } from "./probe.ts";
import { ProbeSchema, toWireProbe } from "./schema.ts";
import {
  countTrustedBeside,
  findProbe,
  lockProbe,
  type QuarantineRow,
  saveQuarantine,
} from "./store.ts";

/**
 * A probe has a clear result for a check if it ran the check at least `leastRuns` times, and at
 * least `sureShare` of the runs have the same result.
 */
const leastRuns = 2;
const sureShare = 0.75;
/**
 * Minimum number of other probes to compare with. At least one of them must be at the same
 * location.
 */
const leastWitnesses = 2;
export const leastDisagreements = 3;

/** Decides from the runs of the probes whether the probes agree with each other. */

/**
 * Results of one check on one probe within the compared period. Only the final attempt of each run
 * counts.
 */
export interface ProbeVote {
  readonly checkId: string;
  readonly probeId: string;
  readonly route: string;
  /** Number of runs that were passing or degraded. */
  readonly up: number;
  readonly down: number;
}

export interface ComparedProbe {
  readonly id: string;
  readonly route: string;
  /** Whether the probe is alive and not quarantined. */
  readonly isTrusted: boolean;
}

interface Agreement {
  readonly probeId: string;
  /** Number of checks on which this probe and enough other probes have a clear result. */
  readonly compared: number;
  readonly disagreeing: number;
  readonly isToBeQuarantined: boolean;
}

type Side = "up" | "down";

function sideOf({ up, down }: ProbeVote): Side | null {
  const runs = up + down;
  if (runs < leastRuns) return null;
  if (up >= runs * sureShare) return "up";
  return down >= runs * sureShare ? "down" : null;
}

interface Sure {
  readonly probeId: string;
  readonly route: string;
  readonly side: Side;
}

type Comparison = "agrees" | "disagrees" | "cannot-be-compared";

/**
 * Compares the result of a probe for one check (up or down) with the results of other probes. At
 * least two other probes must have a clear result. One of them must be at the same location,
 * because a target may look different from other locations. The probe disagrees if at least two
 * thirds of the others and more than half of those at its location have the opposite result.
 */
function compare(own: Sure, all: readonly Sure[]): Comparison {
  const others = all.filter(({ probeId }) => probeId !== own.probeId);
  const beside = others.filter(({ route }) => route === own.route);
  if (others.length < leastWitnesses || beside.length === 0) return "cannot-be-compared";
  const against = (some: readonly Sure[]) => some.filter(({ side }) => side !== own.side).length;
  const isAlone = against(others) * 3 >= others.length * 2;
  return isAlone && against(beside) * 2 > beside.length ? "disagrees" : "agrees";
}

/**
 * Decides which trusted probes must be quarantined: those that disagree on at least three checks
 * and on at least half of the compared checks. If these are more than half of the trusted probes of
 * a location, none of them is quarantined.
 */
export function judgeProbes(
  votes: readonly ProbeVote[],
  probes: readonly ComparedProbe[],
): Agreement[] {
  const trusted = probes.filter(({ isTrusted }) => isTrusted);
  const known = new Set(trusted.map(({ id }) => id));
  const tallies = new Map(trusted.map(({ id }) => [id, { compared: 0, disagreeing: 0 }]));
  const counted = votes.filter(({ probeId }) => known.has(probeId));
  for (const some of Map.groupBy(counted, ({ checkId }) => checkId).values()) {
    const sure = some.flatMap((vote): Sure[] => {
      const side = sideOf(vote);
      return side === null ? [] : [{ probeId: vote.probeId, route: vote.route, side }];
    });
    for (const own of sure) {
      const tally = tallies.get(own.probeId);
      const outcome = compare(own, sure);
      if (tally === undefined || outcome === "cannot-be-compared") continue;
      tally.compared += 1;
      if (outcome === "disagrees") tally.disagreeing += 1;
    }
  }
  const isWrong = (id: string) => {
    const { compared, disagreeing } = tallies.get(id) ?? { compared: 0, disagreeing: 0 };
    return disagreeing >= leastDisagreements && disagreeing * 2 >= compared;
  };
  return trusted.map(({ id, route }) => {
    const beside = trusted.filter((other) => other.route === route);
    const wrong = beside.filter((other) => isWrong(other.id)).length;
    const { compared, disagreeing } = tallies.get(id) ?? { compared: 0, disagreeing: 0 };
    const othersTakeOver = wrong < beside.length && wrong * 2 <= beside.length;
    return {
      probeId: id,
      compared,
      disagreeing,
      isToBeQuarantined: isWrong(id) && othersTakeOver,
    };
  });
}

function describeDisagreement({ compared, disagreeing }: Agreement): string {
  return `It disagreed with the other probes on ${disagreeing} of ${compared} checks.`;
}

const tags = ["Locations"];

/**
 * Returns a probe that the caller may change. A probe of a private location belongs to its account.
 * A probe of a public region serves all accounts, so the caller must be an administrator and the
 * server must have only one account.
 */
async function getOwnProbe(db: Database, caller: Caller, id: string): Promise<QuarantineRow> {
  const probe = await lockProbe(db, id);
  if (probe === null) throw notFound();
  if (isPrivate(probe)) {
    if ((await findPrivateLocation(db, caller.accountId, probe.route)) === null) throw notFound();
    return probe;
  }
  requireAccess(caller, "admin");
  if (await hasSeveralAccounts(db)) {
    throw conflict("other accounts use this probe; stop it on its machine instead");
  }
  return probe;
}

async function readProbe(db: Database, id: string): Promise<Probe> {
  const probe = await findProbe(db, id);
  if (probe === null) throw notFound();
  return probe;
}

interface QuarantineRequest {
  readonly id: string;
  readonly reason: string;
  readonly leavesNone: boolean;
}

/** Quarantines a probe: its results count as unknown, and other probes execute its runs. */
async function quarantineProbe(
  context: LocationsContext,
  caller: Caller,
  { id, reason, leavesNone }: QuarantineRequest,
): Promise<Probe> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const probe = await getOwnProbe(db, caller, id);
    if (probe.isBuiltIn) {
      throw conflict("the probe is part of the server; disable it with BUILT_IN_PROBE=false");
    }
    if (probe.quarantinedAt !== null) throw conflict("the probe is already in quarantine");
    const others = await countTrustedBeside(db, probe, new Date(at.getTime() - aliveForMs));
    if (others === 0 && isPrivate(probe) && !leavesNone) {
      throw conflict(
        `this is the only probe of ${probe.location}; checks there would have no results. ` +
          "Send leavesNone: true to confirm.",
      );
    }
    await saveQuarantine(db, id, { at, reason });
    const changes = { location: probe.location, reason, probesLeft: others };
    await writeAuditEntry(db, caller, {
      action: "probe.quarantined",
      targetId: id,
      changes,
      at,
    });
    return readProbe(db, id);
  });
}

/**
 * Releases a probe from quarantine. This is never automatic, because a probe without runs cannot
 * prove that it works again.
 */
async function releaseProbe(
  context: LocationsContext,
  caller: Caller,
  { id, reason }: Pick<QuarantineRequest, "id" | "reason">,
): Promise<Probe> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const probe = await getOwnProbe(db, caller, id);
    if (probe.quarantinedAt === null) throw conflict("the probe is not in quarantine");
    await saveQuarantine(db, id, null);
    const { location, quarantineReason } = probe;
    const changes = { location, reason, was: quarantineReason };
    await writeAuditEntry(db, caller, { action: "probe.released", targetId: id, changes, at });
    return readProbe(db, id);
  });
}

/**
 * Quarantines a probe that disagrees with others. Returns false if the probe is built-in or already
 * quarantined, or if the location has no other trusted probe. Each account whose checks the probe
 * ran gets an audit log entry.
 */
export async function quarantineByRule(
  context: LocationsContext,
  agreement: Agreement,
  accountIds: readonly string[],
): Promise<boolean> {
  const at = context.clock.now();
  const reason = describeDisagreement(agreement);
  return inTransaction(context.db, async (db) => {
    const probe = await lockProbe(db, agreement.probeId);
    if (probe === null || probe.isBuiltIn || probe.quarantinedAt !== null) return false;
    const probesLeft = await countTrustedBeside(db, probe, new Date(at.getTime() - aliveForMs));
    if (probesLeft === 0) return false;
    await saveQuarantine(db, probe.id, { at, reason });
    const changes = { location: probe.location, reason, probesLeft };
    const note = { action: "probe.quarantined", targetId: probe.id, changes, at };
    for (const accountId of accountIds) await writeAuditEntry(db, describeSystem(accountId), note);
    return true;
  });
}

function describeSystem(accountId: string): AuditActor {
  return {
    type: "SYSTEM",
    credentialId: null,
    label: "agreement between probes",
    accountId,
    address: null,
    requestId: null,
  };
}
const ProbeParams = Type.Object({
  id: Type.String({
    description: "Identifies the probe.",
    examples: ["rack-7"],
    minLength: 1,
    maxLength: 255,
  }),
});
const Reason = Filled({ maxLength: 500 });
const QuarantineBody = Type.Object(
  {
    reason: Described(
      Reason,
      "The reason, which is shown with the probe.",
      "Its uplink is faulty.",
    ),
    leavesNone: Type.Boolean({
      description: "Whether to proceed even if no other probe is left at its private location.",
      default: false,
    }),
  },
  { title: "QuarantineInput" },
);
const ReleaseBody = Type.Object(
  { reason: Described(Reason, "Why it is released.", "The uplink was replaced.") },
  { title: "ReleaseInput" },
);

export function addQuarantineRoutes(server: HttpServer, context: LocationsContext): void {
  server.post(
    "/v1/probes/:id/quarantine",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "quarantineProbe",
        summary: "Put a probe in quarantine",
        description:
          "Its results are ignored from now on, and the other probes of its location take " +
          "over. For the only probe of a private location, `leavesNone` is required. A probe of a public " +
          "region requires an administrator and a server with a single account.",
        params: ProbeParams,
        body: QuarantineBody,
        response: answers({ 200: ProbeSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }) =>
      toWireProbe(
        await quarantineProbe(context, caller, { ...body, id: params.id }),
        context.clock.now(),
      ),
  );
  server.post(
    "/v1/probes/:id/release",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "releaseProbe",
        summary: "Release a probe from quarantine",
        description: "Its results count again from its next run.",
        params: ProbeParams,
        body: ReleaseBody,
        response: answers({ 200: ProbeSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }) =>
      toWireProbe(
        await releaseProbe(context, caller, { id: params.id, reason: body.reason }),
        context.clock.now(),
      ),
  );
}
