import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { CreatedAt, Described, Name, RowId, UpdatedAt } from "../../../platform/http/schema.ts";
import type { SavedView } from "./store.ts";

const Query = Type.String({
  description: "The query string of the list, without the question mark.",
  maxLength: 2_000,
  examples: ["state=failing&tag=production"],
});
const Shared = Type.Boolean({
  description: "If true, visible to everyone in the account and editable with write access.",
});

export const ViewParams = Type.Object({ id: Described(RowId, "The view's id.") });
export const ViewBody = Type.Object(
  {
    name: Described(Name, "Name of the view.", "Failing in production"),
    query: Query,
    shared: Type.Boolean({ ...Shared, default: false }),
  },
  { title: "SavedViewInput" },
);
export const ViewChange = Type.Object(
  {
    name: Described(Type.Optional(Name), "Its name."),
    query: Type.Optional(Query),
    shared: Type.Optional(Shared),
  },
  { title: "SavedViewChange" },
);
export const ViewSchema = Type.Object(
  {
    id: Type.Integer({ description: "Its id.", examples: [1] }),
    name: Type.String({ description: "Name of the view.", examples: ["Failing in production"] }),
    query: Query,
    shared: Shared,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: "SavedView" },
);
export const ViewList = Type.Array(ViewSchema);

export function toWireView(view: SavedView) {
  return {
    id: view.id,
    name: view.name,
    query: view.query,
    shared: view.isShared,
    created_at: formatDateTime(view.createdAt),
    updated_at: view.updatedAt && formatDateTime(view.updatedAt),
  };
}
