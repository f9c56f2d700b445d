import type { Card, CardService, ComponentLook, StatusPage } from "../status-page.ts";

/** Pure functions that describe the cards and services of a page as components. */

export const componentTypes = ["SERVICE", "GROUP"] as const;
type ComponentType = (typeof componentTypes)[number];

/** Maximum number of components per page, which are its cards and the services on the cards. */
export const maxComponents = 250;

/**
 * A component of a page. A group is a card and has the id of the card. A service on a card is a
 * component with its own id. The card for services without a group is not a component.
 */
export interface Component {
  readonly id: string;
  readonly statusPageId: string;
  readonly type: ComponentType;
  readonly name: string;
  /** Id of the component's group; `null` for a group and for a service without a group. */
  readonly parentId: string | null;
  /** Service that the component shows; `null` if the component is a group. */
  readonly serviceId: string | null;
  readonly look: ComponentLook;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

function toService(statusPageId: string, card: Card, service: CardService): Component {
  const { componentId, id, name, look, createdAt, updatedAt } = service;
  return {
    ...{ id: componentId, statusPageId, type: "SERVICE", name, serviceId: id, look },
    parentId: card.isUngrouped ? null : card.id,
    ...{ createdAt, updatedAt },
  };
}

/** Lists the components in the order in which visitors see them, groups before their services. */
export function listComponents({ id: statusPageId, cards }: StatusPage): Component[] {
  return cards.flatMap((card) => {
    const services = card.services.map((service) => toService(statusPageId, card, service));
    if (card.isUngrouped) return services;
    const { id, name, look, createdAt, updatedAt } = card;
    const group = { id, statusPageId, type: "GROUP", name, look, createdAt, updatedAt } as const;
    return [{ ...group, parentId: null, serviceId: null }, ...services];
  });
}

export interface ComponentInput {
  readonly type: ComponentType;
  readonly name: string;
  readonly parentId: string | null;
  readonly look: ComponentLook;
}

type ComponentFault = { readonly key: string; readonly rule: string };

/** Returns why the input is not valid for the page; `null` if it is valid. */
export function findComponentFault(
  page: StatusPage,
  { type, parentId }: ComponentInput,
  before: Component | null,
): ComponentFault | null {
  if (before !== null && before.type !== type) {
    return { key: "type", rule: "cannot be changed; create another component" };
  }
  if (parentId === null) return null;
  const parent = page.cards.find(({ id, isUngrouped }) => id === parentId && !isUngrouped);
  if (parent === undefined) return { key: "parentId", rule: "is not a group of this page" };
  if (type === "GROUP") return { key: "parentId", rule: "must be null: a group has no parent" };
  return null;
}
