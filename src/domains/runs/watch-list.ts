import { kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Database } from "../../platform/database.ts";
import {
  applyGroupSettings,
  type CheckGroup,
  type CheckSettings,
  listWatchedChecks,
  placesOf,
  type WatchedCheck,
  withoutSchedule,
} from "../checks/index.ts";
import type { StoredVariable } from "../variables/index.ts";
import { needsValues } from "./request-needs.ts";
import { planSchedule, type SchedulePlan } from "./schedule.ts";

/** A check as schedulers and recorders see it: its group's rules applied, its places known. */
export interface Watched {
  readonly checkId: string;
  readonly accountId: string;
  readonly kind: Kind;
  readonly settings: CheckSettings;
  readonly groupName: string | null;
  readonly places: readonly string[];
  readonly plan: SchedulePlan;
  /** Its request names variables, or it may need a client certificate. */
  readonly needsValues: boolean;
  /** Of a check that needs values: its own variables, then those of its group. */
  readonly variables: readonly StoredVariable[];
  /** No run was due before this. */
  readonly sinceMs: number;
}

export interface UnsavedCheck {
  readonly checkId: string;
  readonly kind: Kind;
  readonly settings: CheckSettings;
  readonly group: CheckGroup | null;
  readonly variables: readonly StoredVariable[];
}

const maxRemembered = 250_000;

function toWatched({ accountId, read }: WatchedCheck, defaultLocation: string): Watched {
  const { check, group } = read();
  const kind = kinds[check.kind];
  const ruled = applyGroupSettings(kinds[check.kind], check.settings, group);
  const settings = kind.isOrdered ? ruled : withoutSchedule(ruled);
  const isInNeed = kind.isOrdered && needsValues(kind, kind.toRequest(settings));
  return {
    checkId: check.id,
    accountId,
    kind,
    settings,
    groupName: group?.name ?? null,
    places: placesOf(settings, defaultLocation),
    plan: planOf(check.id, kind, settings),
    needsValues: isInNeed,
    variables: isInNeed ? [...check.variables, ...(group?.variables ?? [])] : [],
    sinceMs: Math.max(lastChangeMs(check), group === null ? 0 : lastChangeMs(group)),
  };
}

/** Where runs come in by themselves, the plan only says how often they usually do. */
function planOf(checkId: string, { pings }: Kind, settings: CheckSettings): SchedulePlan {
  if (pings !== undefined) return { periodMs: pings.usualPeriodMs(settings), splayMs: 0 };
  const { frequency, frequencyOffset } = settings;
  return planSchedule({ checkId, frequencyMinutes: frequency, frequencyOffset });
}

function lastChangeMs(one: { readonly createdAt: Date; readonly updatedAt: Date | null }): number {
  return (one.updatedAt ?? one.createdAt).getTime();
}

/**
 * Remembers checks, so that neither a due run nor a result costs a query. A notification for each
 * change keeps it true; while notifications may be missed nothing is remembered.
 */
export class WatchList {
  /** Where a check runs that names no location. */
  readonly defaultLocation: string;
  readonly #db: Database;
  readonly #isListening: () => boolean;
  readonly #onFault: (checkId: string, error: unknown) => void;
  readonly #remembered = new Map<string, Watched>();
  /** Of each query under way: which checks changed meanwhile; null when any may have. */
  readonly #underWay = new Set<{ changed: Set<string> | null }>();

  constructor(
    db: Database,
    defaultLocation: string,
    isListening: () => boolean,
    onFault: (checkId: string, error: unknown) => void = () => {},
  ) {
    this.#onFault = onFault;
    this.#db = db;
    this.defaultLocation = defaultLocation;
    this.#isListening = isListening;
  }

  /** Settings that are not stored, as a check that is. */
  watchUnsaved(unsaved: UnsavedCheck, accountId: string): Watched {
    const { checkId, kind, settings, group, variables } = unsaved;
    return {
      checkId,
      accountId,
      kind,
      settings,
      groupName: group?.name ?? null,
      places: placesOf(settings, this.defaultLocation),
      plan: planOf(checkId, kind, settings),
      needsValues: needsValues(kind, kind.toRequest(settings)),
      variables: [...variables, ...(group?.variables ?? [])],
      sinceMs: 0,
    };
  }

  async listShards(shards: readonly number[]): Promise<Watched[]> {
    return this.#load({ shards }, this.#db);
  }

  /** Those that exist; in a transaction, by its connection. */
  async find(ids: readonly string[], db = this.#db): Promise<Map<string, Watched>> {
    const found = new Map<string, Watched>();
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      const known = this.#isListening() ? this.#remembered.get(id) : undefined;
      if (known === undefined) missing.push(id);
      else found.set(id, known);
    }
    if (missing.length === 0) return found;
    for (const watched of await this.#load({ ids: missing }, db))
      found.set(watched.checkId, watched);
    return found;
  }

  forget(id: string): void {
    for (const query of this.#underWay) query.changed?.add(id);
    this.#remembered.delete(id);
  }

  forgetAll(): void {
    for (const query of this.#underWay) query.changed = null;
    this.#remembered.clear();
  }

  /** A check that cannot be understood does not run, and shows as without data; others go on. */
  #understand(check: WatchedCheck): Watched[] {
    try {
      return [toWatched(check, this.defaultLocation)];
    } catch (error) {
      this.#onFault(check.checkId, error);
      return [];
    }
  }

  async #load(which: Parameters<typeof listWatchedChecks>[1], db: Database): Promise<Watched[]> {
    const query = { changed: new Set<string>() as Set<string> | null };
    this.#underWay.add(query);
    try {
      const loaded = await listWatchedChecks(db, which);
      const list = loaded.flatMap((check) => this.#understand(check));
      if (this.#isListening()) this.#remember(list, query.changed);
      return list;
    } finally {
      this.#underWay.delete(query);
    }
  }

  /** What changed during the query may be old already: it serves this once only. */
  #remember(list: readonly Watched[], changed: ReadonlySet<string> | null): void {
    if (changed === null || this.#remembered.size + list.length > maxRemembered) return;
    for (const watched of list) {
      if (!changed.has(watched.checkId)) this.#remembered.set(watched.checkId, watched);
    }
  }
}
