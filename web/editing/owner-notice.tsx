import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, type Schemas, send } from "../api/client.ts";
import { Row } from "../parts/layout.tsx";
import styles from "./editing.module.css";
import { words } from "./words.ts";

/** An object that a project may own. */
export interface OwnedObject {
  readonly type: Schemas["OwnedResource"]["type"];
  readonly id: string | number;
}

const ownerQuery = ({ type, id }: OwnedObject) =>
  queryOptions({
    queryKey: ["projects", "owners", type, String(id)],
    meta: { events: ["project"] },
    queryFn: async () => {
      const query = { type, physicalId: String(id) };
      const [owned] = await send(api.GET("/v1/projects/resources", { params: { query } }));
      return owned ?? null;
    },
  });

/** Warns that the object is described by the code of a project. */
export function OwnerNotice({ owned }: { readonly owned: OwnedObject }) {
  const { data: owner } = useQuery(ownerQuery(owned));
  if (!owner) return null;
  return (
    <Row gap={4} className={styles.banner} role="status">
      <span>{words.ownedBy(owner.project.name)}</span>
    </Row>
  );
}
