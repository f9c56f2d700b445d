import { Type } from "typebox";
import { toDay } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateOnly,
  Described,
  Guid,
  Name,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import { type Component, type ComponentInput, componentTypes } from "./component.ts";

const maxPosition = 1_000_000;
const maxDescriptionLength = 500;

const Position = Type.Integer({
  minimum: 0,
  maximum: maxPosition,
  description: "Position among its siblings; lower comes first.",
  examples: [1],
});
const Configuration = Type.Object(
  {
    showHistoricalData: Type.Optional(
      Type.Boolean({ description: "Whether visitors see past days and uptime. Default: true." }),
    ),
  },
  { description: "How visitors see it." },
);

export const ComponentBody = Type.Object(
  {
    name: Described(Name, "Its name.", "Checkout"),
    displayOrder: Position,
    type: Described(
      Type.Optional(OneOf(componentTypes)),
      "SERVICE (the default) has a state; GROUP contains services. It cannot be changed.",
    ),
    description: Described(
      Type.Optional(OrNull(Type.String({ maxLength: maxDescriptionLength }))),
      "Text next to the name; `null` if none.",
    ),
    hidden: Type.Optional(
      OrNull(
        Type.Boolean({
          description: "Whether visitors do not see it. Incidents and rules can still affect it.",
        }),
      ),
    ),
    parentId: Described(
      Type.Optional(OrNull(Guid)),
      "The group that contains it; `null` for a group and for a service without one.",
    ),
    configuration: Type.Optional(OrNull(Configuration)),
  },
  { title: "StatusPageComponentInput" },
);
export type ComponentBody = Type.Static<typeof ComponentBody>;

export const ComponentParams = Type.Object({
  statusPageId: Described(Guid, "The status page's id."),
  componentId: Described(Guid, "The component's id."),
});
export const ComponentQuery = Type.Object(CursorQuery);

export const ComponentSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    statusPageId: Described(Guid, "The page that shows it."),
    type: Described(OneOf(componentTypes), "SERVICE has a state; GROUP contains services."),
    name: Type.String({ description: "Its name.", examples: ["Checkout"] }),
    description: Described(OrNull(Type.String()), "Text next to the name; `null` if none.", null),
    displayOrder: Type.Integer({
      description: "Position among its siblings; lower comes first.",
      examples: [1],
    }),
    hidden: Type.Boolean({ description: "Whether visitors do not see it." }),
    parentId: Described(
      OrNull(Guid),
      "The group that contains it; `null` for a group and for a service without one.",
    ),
    configuration: Type.Object(
      {
        showHistoricalData: Type.Boolean({
          description: "Whether visitors see past days and uptime.",
        }),
      },
      { description: "How visitors see it." },
    ),
    serviceId: Described(
      OrNull(Guid),
      "The service that it shows, which incidents affect; `null` for a group.",
    ),
    created_at: Described(DateOnly, "Date of creation, in UTC."),
    updated_at: Described(
      OrNull(DateOnly),
      "Date of the last change, in UTC; `null` if never changed.",
    ),
  },
  { title: "StatusPageComponent" },
);
export const ComponentList = CursorPage(ComponentSchema);

const fresh = { isHidden: false, showsHistory: true, description: null };

/** Converts a request body. Omitted fields stay; `null` resets a field to the default. */
export function fromWireComponent(body: ComponentBody, before: Component | null): ComponentInput {
  const stored = before?.look ?? fresh;
  const { description, hidden, configuration, parentId } = body;
  const shows =
    configuration === undefined
      ? stored.showsHistory
      : (configuration?.showHistoricalData ?? fresh.showsHistory);
  return {
    type: body.type ?? before?.type ?? "SERVICE",
    name: body.name,
    parentId:
      parentId === undefined ? (before?.parentId ?? null) : (parentId?.toLowerCase() ?? null),
    look: {
      position: body.displayOrder,
      description: description === undefined ? stored.description : description || null,
      isHidden: hidden === undefined ? stored.isHidden : (hidden ?? fresh.isHidden),
      showsHistory: shows,
    },
  };
}

export function toWireComponent(component: Component) {
  const { id, statusPageId, type, name, parentId, serviceId, look } = component;
  return {
    ...{ id, statusPageId, type, name, parentId, serviceId },
    description: look.description,
    displayOrder: look.position,
    hidden: look.isHidden,
    configuration: { showHistoricalData: look.showsHistory },
    created_at: toDay(component.createdAt),
    updated_at: component.updatedAt && toDay(component.updatedAt),
  };
}
