import { Type } from "typebox";
import { type Database, inTransaction } from "../../platform/database.ts";
import { conflict, forbidden, notFound } from "../../platform/errors.ts";
import { answers, Described, Filled } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  type AuditActor,
  type Caller,
  hasSeveralAccounts,
  isAllowed,
  writeAuditEntry,
} from "../accounts/index.ts";
import type { LocationsContext } from "./actions.ts";
import { type Agreement, describeDisagreement } from "./agreement.ts";
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

const tags = ["Locations"];

/**
 * A probe of a private location belongs to its account. A probe of a public region serves all
 * accounts, so it requires an administrator and a server with a single account.
 */
async function getOwnProbe(db: Database, caller: Caller, id: string): Promise<QuarantineRow> {
  const probe = await lockProbe(db, id);
  if (probe === null) throw notFound();
  if (isPrivate(probe)) {
    if ((await findPrivateLocation(db, caller.accountId, probe.route)) === null) throw notFound();
    return probe;
  }
  if (!isAllowed("admin", caller.role, false)) throw forbidden();
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

/** From now on its results count as unknown, and other probes take over if there are any. */
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
 * Only a person can release a probe, because a probe without runs cannot show that it works again.
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
 * Quarantines a probe by the agreement rule. Returns false if it is already quarantined, or if no
 * other probe is left by now. Every account whose checks it ran gets an audit log entry.
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
