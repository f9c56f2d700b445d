/** Moves cards and services in the editor of a status page. */

import { type PointerEvent, type RefObject, useRef, useState } from "react";
import type { CardValues } from "./page-values.ts";

export type Cards = readonly CardValues[];

export interface ServicePlace {
  readonly cardKey: string;
  readonly serviceId: string;
}

export interface DropPlace {
  readonly cardKey: string;
  /**
   * Index of the visible row before which the object is inserted. The number of rows stands for the
   * end.
   */
  readonly index: number;
}

const findCard = (cards: Cards, key: string) => cards.find((card) => card.key === key);

function changeCard(cards: Cards, key: string, change: Partial<CardValues>): Cards {
  return cards.map((card) => (card.key === key ? { ...card, ...change } : card));
}

function insertAt<Item>(list: readonly Item[], index: number, item: Item): readonly Item[] {
  return [...list.slice(0, index), item, ...list.slice(index)];
}

/**
 * Moves a service within a card or to another card. A card that already shows the service does not
 * accept it.
 */
export function moveService(cards: Cards, from: ServicePlace, to: DropPlace): Cards {
  const source = findCard(cards, from.cardKey);
  const target = findCard(cards, to.cardKey);
  const at = source?.serviceIds.indexOf(from.serviceId) ?? -1;
  if (source === undefined || target === undefined || at < 0) return cards;
  const rest = source.serviceIds.filter((id) => id !== from.serviceId);
  if (source === target) {
    const index = to.index > at ? to.index - 1 : to.index;
    if (index === at) return cards;
    return changeCard(cards, source.key, { serviceIds: insertAt(rest, index, from.serviceId) });
  }
  if (target.serviceIds.includes(from.serviceId)) return cards;
  const moved = insertAt(target.serviceIds, to.index, from.serviceId);
  const without = changeCard(cards, source.key, { serviceIds: rest });
  return changeCard(without, target.key, { serviceIds: moved });
}

/**
 * Returns the drop position for a service that moves one row up or down. The first row of a card
 * moves up to an earlier card, and the last row moves down to a later card. Cards that already show
 * the service are skipped. `null` if there is no card to move to.
 */
export function stepService(cards: Cards, from: ServicePlace, step: -1 | 1): DropPlace | null {
  const cardAt = cards.findIndex(({ key }) => key === from.cardKey);
  const card = cards[cardAt];
  const at = card?.serviceIds.indexOf(from.serviceId) ?? -1;
  if (card === undefined || at < 0) return null;
  const next = at + step;
  if (next >= 0 && next < card.serviceIds.length) {
    return { cardKey: card.key, index: step > 0 ? next + 1 : next };
  }
  const others = step > 0 ? cards.slice(cardAt + 1) : cards.slice(0, cardAt).toReversed();
  const target = others.find(({ serviceIds }) => !serviceIds.includes(from.serviceId));
  if (target === undefined) return null;
  return { cardKey: target.key, index: step > 0 ? 0 : target.serviceIds.length };
}

/** Moves a card before the visible card `to`, or to the end if `to` is the number of cards. */
export function moveCard(cards: Cards, key: string, to: number): Cards {
  const at = cards.findIndex((card) => card.key === key);
  const card = cards[at];
  if (card === undefined) return cards;
  const index = to > at ? to - 1 : to;
  if (index === at) return cards;
  return insertAt(
    cards.filter((one) => one !== card),
    index,
    card,
  );
}

export function stepCard(cards: Cards, key: string, step: -1 | 1): number | null {
  const at = cards.findIndex((card) => card.key === key);
  const next = at + step;
  if (at < 0 || next < 0 || next >= cards.length) return null;
  return step > 0 ? next + 1 : next;
}

export function addCard(
  cards: Cards,
  card: { readonly key: string; readonly name: string },
): Cards {
  return [...cards, { ...card, id: null, serviceIds: [] }];
}

export function renameCard(cards: Cards, key: string, name: string): Cards {
  return changeCard(cards, key, { name });
}

export function removeCard(cards: Cards, key: string): Cards {
  return cards.filter((card) => card.key !== key);
}

export function addService(cards: Cards, { cardKey, serviceId }: ServicePlace): Cards {
  const card = findCard(cards, cardKey);
  if (card === undefined || card.serviceIds.includes(serviceId)) return cards;
  return changeCard(cards, cardKey, { serviceIds: [...card.serviceIds, serviceId] });
}

export function removeService(cards: Cards, { cardKey, serviceId }: ServicePlace): Cards {
  const card = findCard(cards, cardKey);
  if (card === undefined) return cards;
  const serviceIds = card.serviceIds.filter((id) => id !== serviceId);
  return changeCard(cards, cardKey, { serviceIds });
}

/** Removes a deleted service from all cards. */
export function forgetService(cards: Cards, serviceId: string): Cards {
  return cards.map((card) => ({
    ...card,
    serviceIds: card.serviceIds.filter((id) => id !== serviceId),
  }));
}

/** Returns the position of a service on its card, for screen readers. */
export function findPosition(
  cards: Cards,
  { cardKey, serviceId }: ServicePlace,
): { readonly position: number; readonly count: number; readonly card: string } | null {
  const card = findCard(cards, cardKey);
  const at = card?.serviceIds.indexOf(serviceId) ?? -1;
  if (card === undefined || at < 0) return null;
  return { position: at + 1, count: card.serviceIds.length, card: card.name };
}

/** Card or service that is being dragged. */
export type Dragged =
  | { readonly kind: "card"; readonly cardKey: string }
  | ({ readonly kind: "service" } & ServicePlace);

export interface Drag {
  readonly dragged: Dragged;
  /** Position at which the dragged card or service would be dropped. */
  readonly place: DropPlace;
}

/** Distance from the window's edge within which dragging scrolls the window. */
const edgePx = 64;
const scrollPx = 12;

const middleOf = (element: Element) => {
  const { top, height } = element.getBoundingClientRect();
  return top + height / 2;
};

const countAbove = (elements: readonly Element[], y: number) =>
  elements.filter((element) => middleOf(element) < y).length;

function findNearest(cards: readonly HTMLElement[], y: number): HTMLElement | undefined {
  const distanceOf = (card: HTMLElement) => {
    const { top, bottom } = card.getBoundingClientRect();
    return Math.max(top - y, y - bottom, 0);
  };
  return cards.toSorted((one, other) => distanceOf(one) - distanceOf(other))[0];
}

/**
 * Returns the drop position at a y coordinate. Cards and services are found by their `data-card`
 * and `data-service` attributes.
 */
function findPlace(root: HTMLElement, kind: Dragged["kind"], y: number): DropPlace | null {
  const cards = [...root.querySelectorAll<HTMLElement>("[data-card]")];
  if (kind === "card") return { cardKey: "", index: countAbove(cards, y) };
  const card = findNearest(cards, y);
  if (card === undefined) return null;
  const rows = [...card.querySelectorAll("[data-service]")];
  return { cardKey: card.dataset.card ?? "", index: countAbove(rows, y) };
}

function scrollAtEdge(y: number): void {
  if (y < edgePx) scrollBy(0, -scrollPx);
  else if (y > innerHeight - edgePx) scrollBy(0, scrollPx);
}

/** Handles drag and drop. The cards change only on the drop, and Escape cancels the drag. */
export function useDrag(
  root: RefObject<HTMLElement | null>,
  onDrop: (dragged: Dragged, place: DropPlace) => void,
) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const current = useRef<Drag | null>(null);
  const show = (next: Drag | null) => {
    current.current = next;
    setDrag(next);
  };
  const begin = (dragged: Dragged, event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || !event.isPrimary) return;
    const handle: HTMLElement = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const end = new AbortController();
    const { signal } = end;
    const move = (y: number) => {
      const place = root.current && findPlace(root.current, dragged.kind, y);
      if (place) show({ dragged, place });
      scrollAtEdge(y);
    };
    const letGo = () => {
      end.abort();
      show(null);
    };
    handle.addEventListener("pointermove", ({ clientY }) => move(clientY), { signal });
    handle.addEventListener(
      "pointerup",
      () => {
        const last = current.current;
        letGo();
        if (last !== null) onDrop(last.dragged, last.place);
      },
      { signal },
    );
    handle.addEventListener("pointercancel", letGo, { signal });
    addEventListener("keydown", ({ key }) => key === "Escape" && letGo(), { signal });
  };
  return { drag, begin };
}
