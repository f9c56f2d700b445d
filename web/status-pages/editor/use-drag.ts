import { type PointerEvent, type RefObject, useRef, useState } from "react";
import type { DropPlace, ServicePlace } from "./card-order.ts";

/** The dragged card or service. */
export type Dragged =
  | { readonly kind: "card"; readonly cardKey: string }
  | ({ readonly kind: "service" } & ServicePlace);

export interface Drag {
  readonly dragged: Dragged;
  /** The current drop position. */
  readonly place: DropPlace;
}

/** Distance from the window's edge at which it scrolls. */
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

/** Finds the drop position by the `data-card` and `data-service` attributes. */
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

/** Drag and drop by pointer. Nothing moves before the drop; Escape cancels. */
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
