import { randomUUIDv7 } from "node:crypto";
import { type CheckType, kinds } from "../../kinds/index.ts";
import { inTransaction, lockName } from "../../platform/database.ts";
import { conflict, KnownError, notFound } from "../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../accounts/index.ts";
import { type AddressForm, addPushAddress } from "../heartbeats/index.ts";
import { saveTroubles } from "../incidents/index.ts";
import { type ImportedRuns, importRollups } from "../statistics/index.ts";
import { backdateServices } from "../status-pages/index.ts";
import { getImport, openReading } from "./actions.ts";
import type { ImportsContext } from "./context.ts";
import type { Import, RunOptions, RunOutcome } from "./import.ts";
import { type DesiredResource, type Reading, resourceTypes } from "./reading.ts";
import {
  createChecks,
  hashBody,
  listExistingChecks,
  nameResource,
  resolveReferences,
  subscribeChecks,
  updateCheck,
  type WriterContext,
  writers,
} from "./resource-writer.ts";
import type { ImportSource } from "./sources.ts";
import {
  finishImport,
  type ImportedObject,
  listObjects,
  lockReading,
  saveObjects,
} from "./store.ts";

export interface RunContext extends ImportsContext {
  readonly writing: WriterContext;
}

/** Types whose ids are numbers in the API. */
const numbered = new Set(["alert-channel", "check-group", "maintenance-window"]);

/** One run in its transaction: which objects exist, and what was written. */
class Run {
  readonly objects = new Map<string, ImportedObject>();
  /** Origins of checks that did not exist before. */
  readonly newChecks = new Set<string>();
  readonly notes: string[] = [];
  created = 0;
  updated = 0;
  unchanged = 0;

  find(origin: string): string | number | null {
    const object = this.objects.get(origin);
    if (object === undefined) return null;
    return numbered.has(object.type) ? Number(object.objectId) : object.objectId;
  }

  record(resource: DesiredResource, objectId: string, digest: string): void {
    const { logicalId: origin, type } = resource;
    this.objects.set(origin, { origin, type, objectId, digest });
  }
}

type Body = Readonly<Record<string, unknown>>;

const resolveBody = (run: Run, { payload }: DesiredResource): Body =>
  resolveReferences(payload, (origin) => run.find(origin)) as Body;

/** Loads what earlier imports created and still exists. */
async function loadExisting(
  context: WriterContext,
  caller: Caller,
  source: ImportSource,
): Promise<Map<string, ImportedObject>> {
  const objects = await listObjects(context.db, caller.accountId, source);
  const existing = new Map<string, ImportedObject>();
  for (const [type, some] of Map.groupBy(objects, (object) => object.type)) {
    if (type === "alert-channel-subscription") continue;
    const ids = some.map(({ objectId }) => objectId);
    const list = type === "check" ? listExistingChecks : writers[type].listExisting;
    const found = new Set(await list(context, caller, ids));
    for (const object of some) if (found.has(object.objectId)) existing.set(object.origin, object);
  }
  return existing;
}

async function writeChecks(
  context: WriterContext,
  caller: Caller,
  { run, resources, muted }: { run: Run; resources: readonly DesiredResource[]; muted: boolean },
): Promise<void> {
  const created: { resource: DesiredResource; body: Body; digest: string }[] = [];
  for (const resource of resources) {
    const body = resolveBody(run, resource);
    const digest = hashBody(body);
    const known = run.objects.get(resource.logicalId);
    if (known === undefined) created.push({ resource, body, digest });
    else if (known.digest === digest) run.unchanged += 1;
    else {
      try {
        await updateCheck(context, caller, { id: known.objectId, body });
      } catch (error) {
        if (!(error instanceof KnownError) || error.errorName !== "notFound") {
          throw nameResource(resource, error);
        }
        // The kind of a check cannot change, so that a monitor of another type is a new check.
        run.notes.push(`${resource.logicalId} has another type now: a new check was created.`);
        created.push({ resource, body, digest });
        continue;
      }
      run.record(resource, known.objectId, digest);
      run.updated += 1;
    }
  }
  const bodies = created.map(({ resource, body }) => ({
    resource,
    body: muted ? { ...body, muted } : body,
  }));
  const ids = await createChecks(context, caller, bodies);
  for (const { resource, digest } of created) {
    run.record(resource, ids.get(resource.logicalId) ?? "", digest);
    run.newChecks.add(resource.logicalId);
    run.created += 1;
  }
}

async function writeOne(
  context: WriterContext,
  caller: Caller,
  { run, resource }: { readonly run: Run; readonly resource: DesiredResource },
): Promise<void> {
  const writer = writers[resource.type as keyof typeof writers];
  const body = resolveBody(run, resource);
  const digest = hashBody(body);
  const known = run.objects.get(resource.logicalId);
  if (known !== undefined && known.digest === digest) {
    run.unchanged += 1;
    return;
  }
  try {
    if (known !== undefined) {
      await writer.change(context, caller, { id: known.objectId, body });
      run.record(resource, known.objectId, digest);
      run.updated += 1;
    } else {
      run.record(resource, await writer.create(context, caller, body), digest);
      run.created += 1;
    }
  } catch (error) {
    throw nameResource(resource, error);
  }
}

/** Only new checks are subscribed: who removed a channel later does not get it back. */
async function writeSubscriptions(
  context: WriterContext,
  caller: Caller,
  { run, resources }: { readonly run: Run; readonly resources: readonly DesiredResource[] },
): Promise<void> {
  const pairs = resources.flatMap((resource) => {
    const { alertChannelId, checkId } = resolveBody(run, resource);
    const refers = resource.payload.checkId as { readonly ref: string };
    if (alertChannelId === null || checkId === null || !run.newChecks.has(refers.ref)) return [];
    return [{ channelId: Number(alertChannelId), checkId: String(checkId) }];
  });
  await subscribeChecks(context, caller, pairs);
}

async function writeResources(
  context: WriterContext,
  caller: Caller,
  {
    run,
    resources,
    muted,
  }: { readonly run: Run; readonly resources: readonly DesiredResource[]; readonly muted: boolean },
): Promise<void> {
  const byType = Map.groupBy(resources, ({ type }) => type);
  for (const type of resourceTypes) {
    const some = byType.get(type) ?? [];
    if (type === "check") await writeChecks(context, caller, { run, resources: some, muted });
    else if (type === "alert-channel-subscription") {
      await writeSubscriptions(context, caller, { run, resources: some });
    } else for (const resource of some) await writeOne(context, caller, { run, resource });
  }
}

const problems = {
  weak: "its token is too short to be safe",
  taken: "it is in use by another check",
} as const;

async function keepAddresses(
  context: WriterContext,
  caller: Caller,
  run: Run,
  aliases: Reading["aliases"],
): Promise<number> {
  let count = 0;
  for (const { check, form, key, token } of aliases) {
    const object = run.objects.get(check);
    if (object === undefined) continue;
    const secret = { form: form as AddressForm, key, token };
    const added = await addPushAddress(context, caller, { checkId: object.objectId, secret });
    if (added === "weak" || added === "taken") {
      run.notes.push(`The old address of ${check} is not kept: ${problems[added]}.`);
    } else count += 1;
  }
  return count;
}

/** Writes the time before a check existed here: statistics, failures and the start of services. */
async function writeHistory(
  context: WriterContext,
  caller: Caller,
  run: Run,
  reading: Reading,
): Promise<number> {
  const nowMs = context.clock.now().getTime();
  const types = new Map(
    reading.resources.map(({ logicalId, payload }) => [logicalId, payload.checkType as CheckType]),
  );
  const starts = new Map<string, number>();
  const runs: ImportedRuns[] = [];
  for (const { check, hours, days, outages } of reading.history) {
    const checkId = run.objects.get(check)?.objectId;
    const type = types.get(check);
    if (checkId === undefined || type === undefined || !run.newChecks.has(check)) continue;
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
        // From now on the check is measured here.
        endedAtMs: Math.min(toMs ?? nowMs, nowMs),
      }));
    await saveTroubles(context.db, [], troubles);
  }
  await importRollups(context.db, runs, nowMs);
  await backdateServices(context.db, caller.accountId, listServiceStarts(run, reading, starts));
  return runs.length;
}

function listServiceStarts(run: Run, { resources }: Reading, starts: ReadonlyMap<string, number>) {
  return resources.flatMap(({ type, logicalId, payload }) => {
    const object = run.objects.get(logicalId);
    if (type !== "status-page-service" || object === undefined) return [];
    const follows = payload.follows as { readonly checkIds?: readonly { readonly ref: string }[] };
    const known = (follows?.checkIds ?? []).flatMap(({ ref }) => starts.get(ref) ?? []);
    return known.length === 0 ? [] : [{ id: object.objectId, from: new Date(Math.min(...known)) }];
  });
}

/**
 * Writes what a preview reported, in one transaction. Running it again changes only what differs
 * from the file.
 */
export async function runImport(
  context: RunContext,
  caller: Caller,
  { id, options }: { readonly id: string; readonly options: RunOptions },
): Promise<Import> {
  const { accountId } = caller;
  const { source } = await getImport(context, caller, id);
  await inTransaction(context.db, async (db) => {
    await lockName(db, `import ${accountId}`);
    const stored = await lockReading(db, accountId, id);
    if (stored === null) throw notFound();
    if (stored.sealed === null) throw conflict("the file is no longer stored; upload it again");
    const reading = await openReading(context.encryption, stored.sealed);
    const writing = { ...context.writing, db };
    const run = new Run();
    for (const [key, object] of await loadExisting(writing, caller, source)) {
      run.objects.set(key, object);
    }
    const excluded = new Set(options.exclude);
    const resources = reading.resources.filter(({ logicalId }) => !excluded.has(logicalId));
    await writeResources(writing, caller, { run, resources, muted: options.muted });
    const { aliases } = reading;
    const addresses = options.keepAddresses
      ? await keepAddresses(writing, caller, run, aliases)
      : 0;
    const histories = options.withHistory ? await writeHistory(writing, caller, run, reading) : 0;
    const at = context.clock.now();
    await saveObjects(db, accountId, { source, objects: [...run.objects.values()], at });
    const { created, updated, unchanged, notes } = run;
    const outcome: RunOutcome = { created, updated, unchanged, addresses, histories, notes };
    await finishImport(db, accountId, { id, outcome, at });
    const changes = { source, created, updated, unchanged };
    await writeAuditEntry(db, caller, { action: "import.run", targetId: id, changes, at });
  });
  return getImport(context, caller, id);
}
