import {
  type CheckSettings,
  listWatchedChecks,
  type WatchedCheck,
} from "../../checks/checks/index.ts";
import type { StoredVariable } from "../../checks/variables/index.ts";
import { kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import { fillVariables, receivesAll } from "../../kinds/kit/variables/variables.ts";
import type { Database } from "../../platform/database.ts";
import { planSchedule, type SchedulePlan } from "./schedule.ts";

/**
 * Returns the locations where a check runs: the configured locations, or else the default location.
 */
function placesOf(settings: CheckSettings, defaultLocation: string): readonly string[] {
  const named = [...(settings.locations ?? []), ...settings.privateLocations];
  return named.length === 0 ? [defaultLocation] : [...new Set(named)];
}

/** Lists the `{{NAME}}` variables in the texts of a request. */
export function listNames({ texts }: Kind, request: unknown): string[] {
  const names = new Set<string>();
  texts.mapRequest(request, (text) => noteNames(text, names));
  return [...names];
}

/** Adds the names of the variables in the text to `names`, and returns the text unchanged. */
export function noteNames(text: string, names: Set<string>): string {
  return fillVariables(text, (name) => {
    names.add(name);
    return undefined;
  });
}

/** Whether orders with this request need variables, secrets or a client certificate. */
function needsValues(kind: Kind, request: unknown): boolean {
  if (receivesAll(kind, request) || listNames(kind, request).length > 0) return true;
  let hasSecrets = false;
  kind.secrets?.mapRequest(request, (secret) => {
    hasSecrets ||= secret !== "";
    return secret;
  });
  return hasSecrets || (kind.clientCertificateFor?.(request) ?? null) !== null;
}

/** A check prepared for its runs: group settings applied, locations resolved, due times planned. */
export interface Watched {
  readonly checkId: string;
  readonly accountId: string;
  readonly kind: Kind;
  readonly settings: CheckSettings;
  readonly groupName: string | null;
  readonly places: readonly string[];
  readonly plan: SchedulePlan;
  /** Whether orders of the check need variables, secrets or a client certificate. */
  readonly needsValues: boolean;
  /** Variables of the check, followed by those of its group. Empty if `needsValues` is false. */
  readonly variables: readonly StoredVariable[];
  /** Time of the last change. Earlier due times belong to the old settings and do not count. */
  readonly sinceMs: number;
}

interface UnsavedCheck {
  readonly checkId: string;
  readonly kind: Kind;
  readonly settings: CheckSettings;
  readonly group: ReturnType<WatchedCheck["read"]>["group"];
  readonly variables: readonly StoredVariable[];
}

const maxCached = 250_000;

function toWatched({ accountId, read }: WatchedCheck, defaultLocation: string): Watched {
  const { check, group, settings } = read();
  const kind = kinds[check.kind];
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

/** Returns the due times of a check. For heartbeats, only the expected interval is meaningful. */
function planOf(checkId: string, { pings }: Kind, settings: CheckSettings): SchedulePlan {
  if (pings !== undefined) return { periodMs: pings.usualPeriodMs(settings), splayMs: 0 };
  const { frequency, frequencyOffset } = settings;
  return planSchedule({ checkId, frequencyMinutes: frequency, frequencyOffset });
}

function lastChangeMs(one: { readonly createdAt: Date; readonly updatedAt: Date | null }): number {
  return (one.updatedAt ?? one.createdAt).getTime();
}

/**
 * Caches checks, so that due runs and results need no query. Each change notification removes the
 * changed check. While notifications may be missed, the cache is not used.
 */
export class WatchList {
  /** Location where a check without configured locations runs. */
  readonly defaultLocation: string;
  readonly #db: Database;
  readonly #isListening: () => boolean;
  readonly #onFault: (checkId: string, error: unknown) => void;
  readonly #cached = new Map<string, Watched>();
  /**
   * One entry per query in progress, with the checks that changed since the start of the query;
   * `null` if all checks may have changed.
   */
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

  /** Prepares unsaved settings for a run, as if the check were stored. */
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

  /** Returns the existing checks with these ids. Queries use `db`, which may be a transaction. */
  async find(ids: readonly string[], db = this.#db): Promise<Map<string, Watched>> {
    const found = new Map<string, Watched>();
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      const cached = this.#isListening() ? this.#cached.get(id) : undefined;
      if (cached === undefined) missing.push(id);
      else found.set(id, cached);
    }
    if (missing.length === 0) return found;
    for (const watched of await this.#load({ ids: missing }, db))
      found.set(watched.checkId, watched);
    return found;
  }

  forget(id: string): void {
    for (const query of this.#underWay) query.changed?.add(id);
    this.#cached.delete(id);
  }

  forgetAll(): void {
    for (const query of this.#underWay) query.changed = null;
    this.#cached.clear();
  }

  /**
   * Parses a stored check. If parsing fails, this check does not run, and others are not affected.
   */
  #parse(check: WatchedCheck): Watched[] {
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
      const list = loaded.flatMap((check) => this.#parse(check));
      if (this.#isListening()) this.#cache(list, query.changed);
      return list;
    } finally {
      this.#underWay.delete(query);
    }
  }

  /** Caches loaded checks, except those that changed during the query and may be outdated. */
  #cache(list: readonly Watched[], changed: ReadonlySet<string> | null): void {
    if (changed === null || this.#cached.size + list.length > maxCached) return;
    for (const watched of list) {
      if (!changed.has(watched.checkId)) this.#cached.set(watched.checkId, watched);
    }
  }
}
