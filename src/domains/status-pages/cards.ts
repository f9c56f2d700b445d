import type { Card } from "./status-page.ts";

export const maxServicesPerPage = 200;

/** A card as somebody asks for it. */
export interface CardWish {
  readonly id?: string | undefined;
  readonly name: string;
  /** Absent: those it has. */
  readonly services?: readonly { readonly id: string }[] | undefined;
}

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

export interface CardWorld {
  readonly before: readonly Card[];
  readonly knownServiceIds: ReadonlySet<string>;
  readonly newId: () => string;
  readonly at: Date;
}

/** The services that wishes name, in the spelling in which ids are stored. */
export function listWishedServiceIds(wishes: readonly CardWish[]): string[] {
  const named = wishes.flatMap((card) => card.services ?? []);
  return [...new Set(named.map(({ id }) => id.toLowerCase()))];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}

function findServicesFault(
  ids: readonly string[],
  key: string,
  known: ReadonlySet<string>,
): CardPlan | null {
  for (const [index, id] of ids.entries()) {
    const place = `${key}.${index}.id`;
    if (!known.has(id)) {
      return { kind: "invalid", key: place, rule: "is not a service of this account" };
    }
    if (ids.indexOf(id) < index) {
      return { kind: "invalid", key: place, rule: "is on this card already" };
    }
  }
  return null;
}

function planCard(wish: CardWish, card: Card | undefined, world: CardWorld): PlannedCard {
  const before = card?.services.map(({ id }) => id) ?? [];
  const serviceIds = wish.services?.map(({ id }) => id.toLowerCase()) ?? before;
  if (card === undefined) {
    const id = world.newId();
    return { id, name: wish.name, serviceIds, createdAt: world.at, updatedAt: null };
  }
  const isUntouched = card.name === wish.name && isSame(before, serviceIds);
  const { id, createdAt } = card;
  const updatedAt = isUntouched ? card.updatedAt : world.at;
  return { id, name: wish.name, serviceIds, createdAt, updatedAt };
}

/** Which cards a page will have. One that comes with its id stays itself; the rest are new. */
export function planCards(wishes: readonly CardWish[], world: CardWorld): CardPlan {
  const existing = new Map(world.before.map((card) => [card.id, card]));
  const taken = new Set<string>();
  const cards: PlannedCard[] = [];
  for (const [index, wish] of wishes.entries()) {
    const id = wish.id?.toLowerCase();
    const key = `cards.${index}`;
    if (id !== undefined && !existing.has(id)) {
      return { kind: "invalid", key: `${key}.id`, rule: "is not a card of this page" };
    }
    if (id !== undefined && taken.has(id)) {
      return { kind: "invalid", key: `${key}.id`, rule: "is there twice" };
    }
    if (id !== undefined) taken.add(id);
    const named = wish.services?.map((service) => service.id.toLowerCase()) ?? [];
    const fault = findServicesFault(named, `${key}.services`, world.knownServiceIds);
    if (fault !== null) return fault;
    cards.push(planCard(wish, id === undefined ? undefined : existing.get(id), world));
  }
  const serviceCount = cards.reduce((count, card) => count + card.serviceIds.length, 0);
  if (serviceCount > maxServicesPerPage) {
    const rule = `must not have more than ${maxServicesPerPage} services together`;
    return { kind: "invalid", key: "cards", rule };
  }
  return { kind: "planned", cards };
}
