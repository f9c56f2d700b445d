import { useQuery } from "@tanstack/react-query";
import { Row } from "../parts/layout.tsx";
import styles from "./editing.module.css";
import { type OwnedObject, ownerQuery } from "./queries.ts";
import { words } from "./words.ts";

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
