import { Button } from "@mantine/core";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useMay } from "../api/session.ts";
import { useLocationName } from "../locations/index.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { PlusIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { GoLink } from "../parts/links.tsx";
import listStyles from "../parts/list.module.css";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./groups.module.css";
import type { Group } from "./queries.ts";
import { groupsQuery, memberCountsQuery } from "./queries.ts";
import { words } from "./words.ts";

function AddGroup() {
  return (
    <Button component={GoLink} href="/groups/new" leftSection={<PlusIcon size={16} />}>
      {words.add}
    </Button>
  );
}

function GroupRow({ group, count }: { readonly group: Group; readonly count: number | undefined }) {
  const { id, name, activated, muted, tags, locations, privateLocations } = group;
  const nameLocation = useLocationName();
  return (
    <li>
      <Link
        to="/groups/$groupId"
        params={{ groupId: `${id}` }}
        className={`${listStyles.row} ${styles.row}`}
      >
        <span className={`${textStyles.strong} ${textStyles.wrap}`}>
          <bdi>{name}</bdi>
        </span>
        <Row as="span" nowrap gap={3} className={styles.marks}>
          {!activated && <StateMark state="inactive" size={14} hasWord />}
          {muted && <StateMark state="muted" size={14} hasWord />}
        </Row>
        <span className={styles.faint}>{tags.join(", ")}</span>
        <span className={styles.faint}>
          {[...locations, ...(privateLocations ?? [])].map(nameLocation).join(", ")}
        </span>
        <span className={`${textStyles.nowrap} ${textStyles.end}`}>
          {count === undefined ? "" : words.memberCount(count)}
        </span>
      </Link>
    </li>
  );
}

function GroupsScreen() {
  const mayWrite = useMay("write");
  const { data: groups } = useSuspenseQuery(groupsQuery);
  const { data: counts } = useQuery(memberCountsQuery);
  return (
    <div className={styles.screen}>
      <PageHeader title={words.title} actions={mayWrite && groups.length > 0 && <AddGroup />} />
      <Stack gap={4} className={styles.content}>
        {groups.length === 0 && (
          <EmptyState title={words.empty}>
            <p>{words.emptyHint}</p>
            {mayWrite && <AddGroup />}
          </EmptyState>
        )}
        {groups.length > 0 && (
          <ul className={listStyles.list}>
            {groups.map((group) => (
              <GroupRow
                key={group.id}
                group={group}
                count={counts && (counts.get(group.id) ?? 0)}
              />
            ))}
          </ul>
        )}
      </Stack>
    </div>
  );
}

export const route = createLazyRoute("/signed-in/groups")({ component: GroupsScreen });
