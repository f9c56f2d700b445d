import type { Card, CardInput } from "./status-page.ts";

export const maxServicesPerPage = 200;

export interface PlannedCard {
  readonly id: string;
  readonly name: string;
  readonly serviceIds: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export type CardPlan =
  | { readonly kind: "planned"; readonly cards: readonly PlannedCard[] }
  | { readonly kind: "invalid"; readonly key: string; readonly rule: string };

export interface CardSnapshot {
  readonly before: readonly Card[];
  readonly knownServiceIds: ReadonlySet<string>;
  readonly newId: () => string;
  readonly at: Date;
}

/** Returns distinct ids, in lower case as they are stored. */
export function listServiceIdsOf(inputs: readonly CardInput[]): string[] {
  const named = inputs.flatMap((card) => card.services ?? []);
  return [...new Set(named.map(({ id }) => id.toLowerCase()))];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}

function findServicesFault(
  ids: readonly string[],
  key: string,
  existing: ReadonlySet<string>,
): CardPlan | null {
  for (const [index, id] of ids.entries()) {
    const place = `${key}.${index}.id`;
    if (!existing.has(id)) {
      return { kind: "invalid", key: place, rule: "is not a service of this account" };
    }
    if (ids.indexOf(id) < index) {
      return { kind: "invalid", key: place, rule: "is already on this card" };
    }
  }
  return null;
}

function planCard(input: CardInput, card: Card | undefined, snapshot: CardSnapshot): PlannedCard {
  const before = card?.services.map(({ id }) => id) ?? [];
  const serviceIds = input.services?.map(({ id }) => id.toLowerCase()) ?? before;
  if (card === undefined) {
    const id = snapshot.newId();
    return { id, name: input.name, serviceIds, createdAt: snapshot.at, updatedAt: null };
  }
  const isUntouched = card.name === input.name && isSame(before, serviceIds);
  const { id, createdAt } = card;
  const updatedAt = isUntouched ? card.updatedAt : snapshot.at;
  return { id, name: input.name, serviceIds, createdAt, updatedAt };
}

/** Cards with an id are changed; the others are new. */
export function planCards(inputs: readonly CardInput[], snapshot: CardSnapshot): CardPlan {
  const existing = new Map(snapshot.before.map((card) => [card.id, card]));
  const taken = new Set<string>();
  const cards: PlannedCard[] = [];
  for (const [index, input] of inputs.entries()) {
    const id = input.id?.toLowerCase();
    const key = `cards.${index}`;
    if (id !== undefined && !existing.has(id)) {
      return { kind: "invalid", key: `${key}.id`, rule: "is not a card of this page" };
    }
    if (id !== undefined && taken.has(id)) {
      return { kind: "invalid", key: `${key}.id`, rule: "is in the list twice" };
    }
    if (id !== undefined) taken.add(id);
    const named = input.services?.map((service) => service.id.toLowerCase()) ?? [];
    const fault = findServicesFault(named, `${key}.services`, snapshot.knownServiceIds);
    if (fault !== null) return fault;
    cards.push(planCard(input, id === undefined ? undefined : existing.get(id), snapshot));
  }
  const serviceCount = cards.reduce((count, card) => count + card.serviceIds.length, 0);
  if (serviceCount > maxServicesPerPage) {
    const rule = `must not have more than ${maxServicesPerPage} services together`;
    return { kind: "invalid", key: "cards", rule };
  }
  return { kind: "planned", cards };
}
