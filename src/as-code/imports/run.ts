import { randomUUIDv7 } from "node:crypto";
import { type Caller, markAuditEntries, writeAuditEntry } from "../../access/accounts/index.ts";
import { type CheckType, kinds } from "../../kinds/index.ts";
import { inTransaction, lockName } from "../../platform/database.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { saveTroubles, type TroubleChange } from "../../response/incidents/index.ts";
import { type AddressForm, addPushAddresses } from "../../runs/heartbeats/index.ts";
import { type ImportedRuns, importRollups } from "../../runs/statistics/index.ts";
import { serviceDefinitions } from "../../sites/status-pages/index.ts";
import {
  applyResources,
  findChangedMeanwhile,
  loadCurrent,
  planResources,
} from "../projects/index.ts";
import { getImport, openReading } from "./actions.ts";
import type { ImportsContext } from "./context.ts";
import { chooseResources } from "./desired-resources.ts";
import type { Import, ImportScope, RunOptions, RunOutcome } from "./import.ts";
import type { Reading } from "./reading.ts";
import { finishImport, listObjects, lockReading, saveObjects } from "./store.ts";

/** Objects that an import run created, updated or found. */
interface Written {
  /**
   * Ids of the objects that this run wrote or that earlier imports created. The map key is the
   * origin of the object.
   */
  readonly ids: ReadonlyMap<string, string>;
  /** Origins of the checks that this run created. */
  readonly newChecks: ReadonlySet<string>;
  readonly counts: Pick<RunOutcome, "created" | "updated" | "unchanged">;
  readonly notes: readonly string[];
}

/**
 * Writes resources with the plan engine. An import records the values that it wrote, but it does
 * not own the objects. It deletes nothing, and keeps values that users have changed here.
 */
async function writeResources(
  context: ImportsContext,
  caller: Caller,
  { scope, reading, options }: { scope: ImportScope; reading: Reading; options: RunOptions },
): Promise<Written> {
  const tools = { context, caller };
  const mark = await markAuditEntries(context.db);
  const known = await listObjects(context, caller.accountId, scope);
  const before = { owned: known, current: await loadCurrent(tools, known) };
  const { resources, stored, newChecks, notes } = chooseResources(
    reading.resources,
    options,
    before,
  );
  const rules = { missing: "keep", prunesRelations: false, keepsRemoteChanges: true } as const;
  const request = { resources, ...rules };
  const prepared = planResources(request, stored);
  const { entries, saved } = await applyResources(tools, {
    request,
    prepared,
    ownerId: scope.source,
  });
  const changed = await findChangedMeanwhile(tools, { mark, entries: prepared.entries });
  if (changed !== null) {
    throw conflict(`${changed.logicalId} was changed while the import ran; run it again`);
  }
  // Later imports do not change subscriptions, so subscriptions are not recorded.
  const objects = saved.filter(({ type }) => type !== "alert-channel-subscription");
  const at = context.clock.now();
  await saveObjects(context, caller.accountId, { scope, objects, at });
  const ids = new Map(entries.map(({ logicalId, physicalId }) => [logicalId, physicalId ?? ""]));
  const counted = entries.filter(({ type }) => type !== "alert-channel-subscription");
  const created = counted.filter(({ action }) => action === "CREATE").length;
  const updated = counted.filter((one) => one.action === "UPDATE" && one.changes.length > 0).length;
  const kept = counted.filter(({ action }) => action === "KEEP").length;
  const unchanged = counted.length - created - updated - kept;
  return { ids, newChecks, counts: { created, updated, unchanged }, notes };
}

const problems = {
  weak: "its token is too short to be safe",
  taken: "it is in use by another check",
} as const;

async function keepAddresses(
  context: ImportsContext,
  caller: Caller,
  { ids }: Written,
  aliases: Reading["aliases"],
): Promise<{ readonly count: number; readonly notes: readonly string[] }> {
  const kept = aliases.filter(({ check }) => ids.has(check));
  const requests = kept.map(({ check, form, key, token }) => ({
    checkId: ids.get(check) ?? "",
    secret: { form: form as AddressForm, key, token },
  }));
  const outcomes = await addPushAddresses(context, caller, requests);
  const notes = kept.flatMap(({ check }, index) => {
    const outcome = outcomes[index];
    if (outcome !== "weak" && outcome !== "taken") return [];
    return [`The old address of ${check} is not kept: ${problems[outcome]}.`];
  });
  return { count: kept.length - notes.length, notes };
}

const troublesAtOnce = 5_000;

/**
 * Writes the history of the new checks from before the import: statistics and outages. A service
 * that follows one of these checks starts when the history of the check starts.
 */
async function writeHistory(
  context: ImportsContext,
  caller: Caller,
  { ids, newChecks }: Written,
  reading: Reading,
): Promise<number> {
  const nowMs = context.clock.now().getTime();
  const types = new Map(
    reading.resources.map(({ logicalId, payload }) => [logicalId, payload.checkType as CheckType]),
  );
  const starts = new Map<string, number>();
  const runs: ImportedRuns[] = [];
  const begun: TroubleChange[] = [];
  for (const { check, hours, days, outages } of reading.history) {
    const checkId = ids.get(check);
    const type = types.get(check);
    if (checkId === undefined || type === undefined || !newChecks.has(check)) continue;
    runs.push({ checkId, kind: kinds[type], hours, days });
    const firstMs = Math.min(
      ...[days[0], hours[0]].flatMap((slot) => slot?.startMs ?? []),
      ...outages.slice(0, 1).map(({ fromMs }) => fromMs),
    );
    if (Number.isFinite(firstMs)) starts.set(check, firstMs);
    const troubles = outages
      .filter(({ fromMs }) => fromMs < nowMs)
      .map(({ fromMs, toMs }) => ({
        id: randomUUIDv7(),
        accountId: caller.accountId,
        checkId,
        status: "failing" as const,
        startedAtMs: fromMs,
        // An ongoing outage ends now, because from now on the imported check measures.
        endedAtMs: Math.min(toMs ?? nowMs, nowMs),
      }));
    begun.push(...troubles);
  }
  for (let at = 0; at < begun.length; at += troublesAtOnce) {
    await saveTroubles(context.db, [], begun.slice(at, at + troublesAtOnce));
  }
  await importRollups(context.db, runs, nowMs);
  await serviceDefinitions.backdate(
    context.db,
    caller.accountId,
    listServiceStarts(ids, reading, starts),
  );
  return runs.length;
}

function listServiceStarts(
  ids: Written["ids"],
  { resources }: Reading,
  starts: ReadonlyMap<string, number>,
) {
  return resources.flatMap(({ type, logicalId, payload }) => {
    const id = ids.get(logicalId);
    if (type !== "status-page-service" || id === undefined) return [];
    const follows = payload.follows as { readonly checkIds?: readonly { readonly ref: string }[] };
    const known = (follows?.checkIds ?? []).flatMap(({ ref }) => starts.get(ref) ?? []);
    return known.length === 0 ? [] : [{ id, from: new Date(Math.min(...known)) }];
  });
}

/** Writes the content of a preview in one transaction. A repeated run writes only differences. */
export async function runImport(
  context: ImportsContext,
  caller: Caller,
  { id, options }: { readonly id: string; readonly options: RunOptions },
): Promise<Import> {
  const { accountId } = caller;
  const { source, name } = await getImport(context, caller, id);
  const scope = { source, name };
  await inTransaction(context.db, async (db) => {
    await lockName(db, `import ${accountId}`);
    const stored = await lockReading(db, accountId, id);
    if (stored === null) throw notFound();
    if (stored.sealed === null) throw conflict("the file is no longer stored; upload it again");
    const reading = await openReading(context.encryption, stored.sealed);
    const writing = { ...context, db };
    const written = await writeResources(writing, caller, { scope, reading, options });
    const kept = await keepAddresses(
      writing,
      caller,
      written,
      options.keepAddresses ? reading.aliases : [],
    );
    const histories = options.withHistory
      ? await writeHistory(writing, caller, written, reading)
      : 0;
    const { counts } = written;
    const notes = [...written.notes, ...kept.notes];
    const outcome: RunOutcome = { ...counts, addresses: kept.count, histories, notes };
    const at = context.clock.now();
    await finishImport(db, accountId, { id, outcome, at });
    const changes = { source, ...counts };
    await writeAuditEntry(db, caller, { action: "import.run", targetId: id, changes, at });
  });
  return getImport(context, caller, id);
}
