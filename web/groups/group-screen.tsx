import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { useDeletion } from "../api/deletion.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel, GonePanel } from "../parts/error-panel.tsx";
import { TrashIcon } from "../parts/icons.tsx";
import { Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { GroupEditor } from "./group-editor.tsx";
import { GroupMembers, GroupSummary } from "./group-members.tsx";
import styles from "./groups.module.css";
import type { Group } from "./queries.ts";
import { groupQuery, membersQuery } from "./queries.ts";
import { words } from "./words.ts";

/** Removes its checks first, because the API does not delete a group with checks. */
async function deleteGroup(id: number, members: number): Promise<void> {
  if (members > 0) {
    const filter = { groupId: [id] };
    const body = { filter, expectedCount: members, action: "move", groupId: null } as const;
    const { checks } = await send(api.POST("/v1/checks/bulk", { body }));
    const staying = checks.filter(({ outcome }) => outcome === "refused").length;
    if (staying > 0) throw new Error(words.notAllLeft(staying));
  }
  await send(api.DELETE("/v1/check-groups/{id}", { params: { path: { id } } }));
}

function DeleteGroup({ group }: { readonly group: Group }) {
  const [isConfirming, setConfirming] = useState(false);
  const { data: members } = useQuery(membersQuery(group.id));
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useDeletion({
    of: [groupQuery(group.id).queryKey, membersQuery(group.id).queryKey],
    send: () => deleteGroup(group.id, members?.total ?? 0),
    leave: () => {
      setConfirming(false);
      showNotice({ text: words.deleted(group.name) });
      return navigate({ to: "/groups", ignoreBlocker: true });
    },
    renew: [["groups"], ["check-groups"], ["checks"]],
    onError: (error) => {
      setConfirming(false);
      showNotice({ text: error.message, tone: "bad" });
      // Some checks may have been removed before the failure.
      void renewQueries(client, ["checks"]);
    },
  });
  const total = members?.total ?? 0;
  return (
    <>
      <Button
        variant="outline"
        color="red"
        leftSection={<TrashIcon size={16} />}
        disabled={members === undefined}
        onClick={() => setConfirming(true)}
      >
        {words.delete}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={words.deleteTitle(group.name)}
        action={words.deleteAction}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{total === 0 ? words.deleteEmpty : words.deleteWithMembers(total)}</p>
      </ConfirmDialog>
    </>
  );
}

function KnownGroup({ id }: { readonly id: number }) {
  const mayWrite = useMay("write");
  const { data: stored, error, refetch } = useQuery(groupQuery(id));
  if (error && stored === undefined) {
    return <ErrorPanel error={error} title={words.groupNotLoaded} onRetry={() => void refetch()} />;
  }
  if (stored === undefined) return <Skeleton rows={8} />;
  const { data: group } = stored;
  return (
    <>
      <PageHeader
        title={<bdi>{group.name}</bdi>}
        actions={mayWrite && <DeleteGroup group={group} />}
      >
        <Link to="/groups">{words.title}</Link>
        <GroupSummary id={group.id} />
      </PageHeader>
      <GonePanel error={error} />
      <div className={styles.columns}>
        <Stack as="section" gap={4} className={styles.content} aria-label={words.members}>
          <h2>{words.members}</h2>
          <GroupMembers id={group.id} />
        </Stack>
        <section aria-label={words.settings}>
          <h2 className={styles.heading}>{words.settings}</h2>
          <GroupEditor key={group.id} stored={stored} />
        </section>
      </div>
    </>
  );
}

function GroupScreen() {
  const { groupId } = route.useParams();
  if (groupId === "new") {
    return (
      <div className={styles.screen}>
        <PageHeader title={words.newGroup}>
          <Link to="/groups">{words.title}</Link>
        </PageHeader>
        <GroupEditor stored={null} />
      </div>
    );
  }
  return (
    <div className={styles.screen}>
      <KnownGroup id={Number(groupId)} />
    </div>
  );
}

export const route = createLazyRoute("/signed-in/groups/$groupId")({ component: GroupScreen });
