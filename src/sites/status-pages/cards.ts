import type { Card, CardInput, CardService, ComponentLook } from "./status-page.ts";

export const maxServicesPerPage = 200;

interface PlannedService {
  readonly serviceId: string;
  readonly componentId: string;
  readonly look: ComponentLook;
}

export interface PlannedCard
  extends Pick<Card, "id" | "name" | "isUngrouped" | "look" | "createdAt" | "updatedAt"> {
  readonly services: readonly PlannedService[];
}

/** Position of a card or service that has not been placed yet. */
const unplaced = -1;

const plainLook: ComponentLook = {
  position: unplaced,
  description: null,
  isHidden: false,
  showsHistory: true,
};

type CardPlan =
  | { readonly kind: "planned"; readonly cards: readonly PlannedCard[] }
  | { readonly kind: "invalid"; readonly key: string; readonly rule: string };

interface CardSnapshot {
  readonly before: readonly Card[];
  readonly knownServiceIds: ReadonlySet<string>;
  readonly newId: () => string;
  readonly at: Date;
}

/** Returns card input that leaves the cards of a page unchanged. */
export function keepCards(page: { readonly cards: readonly Card[] } | null): CardInput[] {
  return page?.cards.map(({ id, name }) => ({ id, name })) ?? [];
}

/** Returns the distinct ids of the services on the given cards, in lower case as stored. */
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

interface Placed {
  readonly id: string;
  readonly look: ComponentLook;
}

/**
 * Assigns positions to cards, or to services of a card, in the given order. A stored position that
 * fits the order is kept, because clients may have set it through the components API.
 */
export function placeInOrder<Item extends Placed>(items: readonly Item[]): Item[] {
  const placed: Item[] = [];
  for (const item of items) {
    const last = placed.at(-1);
    const floor = last?.look.position ?? unplaced;
    const { position } = item.look;
    const isTied = last !== undefined && position === floor && item.id > last.id;
    const isInOrder = position > floor || isTied;
    placed.push(isInOrder ? item : { ...item, look: { ...item.look, position: floor + 1 } });
  }
  return placed;
}

/** Finds the existing component ids of services, first on the same card and then on other cards. */
class Places {
  readonly #free: (CardService & { readonly cardId: string })[];
  readonly #newId: () => string;

  constructor({ before, newId }: CardSnapshot) {
    this.#free = before.flatMap((card) =>
      card.services.map((service) => ({ ...service, cardId: card.id })),
    );
    this.#newId = newId;
  }

  take(cardId: string | undefined, serviceId: string): PlannedService {
    const own = this.#free.findIndex((one) => one.id === serviceId && one.cardId === cardId);
    const [found] = own < 0 ? [] : this.#free.splice(own, 1);
    if (found === undefined) return { serviceId, componentId: "", look: plainLook };
    return { serviceId, componentId: found.componentId, look: found.look };
  }

  /**
   * Assigns a component id to a service that has none yet. If a card no longer contains the
   * service, the service takes over the component id and look that it had on this card. Otherwise,
   * a new id is created.
   */
  move(planned: PlannedService): PlannedService {
    if (planned.componentId !== "") return planned;
    const index = this.#free.findIndex(({ id }) => id === planned.serviceId);
    const [found] = index < 0 ? [] : this.#free.splice(index, 1);
    if (found === undefined) return { ...planned, componentId: this.#newId() };
    return { ...planned, componentId: found.componentId, look: found.look };
  }
}

function planCard(
  input: CardInput,
  card: Card | undefined,
  places: Places,
  snapshot: CardSnapshot,
): PlannedCard {
  const before = card?.services.map(({ id }) => id) ?? [];
  const serviceIds = input.services?.map(({ id }) => id.toLowerCase()) ?? before;
  const services = serviceIds.map((id) => places.take(card?.id, id));
  const { name } = input;
  if (card === undefined) {
    const fresh = { isUngrouped: false, look: plainLook, createdAt: snapshot.at, updatedAt: null };
    return { id: snapshot.newId(), name, services, ...fresh };
  }
  const isUntouched = card.name === name && isSame(before, serviceIds);
  const { id, createdAt, isUngrouped, look } = card;
  const updatedAt = isUntouched ? card.updatedAt : snapshot.at;
  return { id, name, services, isUngrouped, look, createdAt, updatedAt };
}

/** Assigns a component id to every service, and positions to cards and services. */
function arrange(cards: readonly PlannedCard[], places: Places): PlannedCard[] {
  const moved = cards.map((card) => {
    const services = card.services.map((one) => {
      const planned = places.move(one);
      return { ...planned, id: planned.componentId };
    });
    return { ...card, services: placeInOrder(services).map(({ id: _id, ...one }) => one) };
  });
  return placeInOrder(moved);
}

/** Plans the cards of a page. Input with an id changes a card; other input creates one. */
export function planCards(inputs: readonly CardInput[], snapshot: CardSnapshot): CardPlan {
  const existing = new Map(snapshot.before.map((card) => [card.id, card]));
  const places = new Places(snapshot);
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
    const card = id === undefined ? undefined : existing.get(id);
    cards.push(planCard(input, card, places, snapshot));
  }
  const serviceCount = cards.reduce((count, card) => count + card.services.length, 0);
  if (serviceCount > maxServicesPerPage) {
    const rule = `must not have more than ${maxServicesPerPage} services together`;
    return { kind: "invalid", key: "cards", rule };
  }
  return { kind: "planned", cards: arrange(cards, places) };
}
