import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { describeChannel, MuteDialog, MuteNotes } from "../alerts/index.ts";
import { ApiError } from "../api/api-error.ts";
import { api, send, sendFull } from "../api/client.ts";
import { useDeletion } from "../api/deletion.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { useLoaded } from "../api/use-loaded.ts";
import {
  EditorNotices,
  getFieldError,
  ifMatch,
  useEditor,
  type Version,
} from "../editing/index.ts";
import { locationsQuery, privateNamesQuery } from "../locations/index.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel, GonePanel } from "../parts/error-panel.tsx";
import { EditorForm, EditorLayout, FormActions } from "../parts/form.tsx";
import { MuteIcon, TrashIcon } from "../parts/icons.tsx";
import { Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { GroupForm } from "./group-form.tsx";
import { GroupMembers, GroupSummary } from "./group-members.tsx";
import {
  formatValue,
  type GroupValues,
  labels,
  newGroup,
  type ShownNames,
  toChange,
  toValues,
} from "./group-values.ts";
import styles from "./groups.module.css";
import { channelsQuery, fetchGroup, type Group, groupQuery, membersQuery } from "./queries.ts";
import { words } from "./words.ts";

/** Returns the API's validation errors by the name of the top-level field. */
function readFaults(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  const keys = Object.keys(error.fieldErrors).map((key) => key.split(".")[0] ?? "");
  return Object.fromEntries(keys.map((key) => [key, getFieldError(error, key) ?? error.message]));
}

function useShownNames(): ShownNames {
  const { data: channels = [] } = useQuery(channelsQuery);
  const { data: locations = [] } = useQuery(locationsQuery);
  const { data: own = [] } = useQuery(privateNamesQuery);
  return {
    channels: new Map(channels.map((channel) => [channel.id, describeChannel(channel)])),
    locations: new Map([
      ...locations.map(({ region, name }) => [region, name] as const),
      ...own.map(({ slugName, name }) => [slugName, name] as const),
    ]),
  };
}

function sendGroup(values: GroupValues, version: Version<Group> | null): Promise<Version<Group>> {
  const body = toChange(values, version?.data ?? null);
  if (version === null) return sendFull(api.POST("/v1/check-groups", { body }));
  const params = { path: { id: version.data.id }, header: ifMatch(version.etag) };
  return sendFull(api.PUT("/v1/check-groups/{id}", { params, body }));
}

function useGroupEditor(stored: Version<Group> | null) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useEditor({
    draftKey: `group.${stored?.data.id ?? "new"}`,
    stored,
    initial: newGroup,
    toValues,
    send: sendGroup,
    refetch: ({ id }) => fetchGroup(id),
    onSaved: (saved, isNew) => {
      const { id, name } = saved.data;
      client.setQueryData(groupQuery(id).queryKey, saved);
      showNotice({ text: words.saved(name) });
      void renewQueries(client, ["groups", "list"]);
      void renewQueries(client, ["check-groups"]);
      void renewQueries(client, ["checks"]);
      if (!isNew) return;
      void navigate({ to: "/groups/$groupId", params: { groupId: `${id}` }, ignoreBlocker: true });
    },
  });
}

/** Form that edits a group, or creates a group if `stored` is `null`. */
function GroupEditor({ stored }: { readonly stored: Version<Group> | null }) {
  const mayWrite = useMay("write");
  const names = useShownNames();
  const editor = useGroupEditor(stored);
  const { values, error, conflict } = editor;
  const faults = readFaults(error);
  const isNamed = values.name.trim() !== "";
  return (
    <EditorForm
      onSubmit={(event) => {
        event.preventDefault();
        if (isNamed) editor.save();
      }}
    >
      <EditorNotices
        editor={editor}
        owned={stored && { type: "check-group", id: stored.data.id }}
        subject={words.subject}
        labels={labels}
        format={(path, value) => formatValue(path, value, names)}
      />
      <GroupForm values={values} isReadOnly={!mayWrite} faults={faults} onChange={editor.change} />
      {error && Object.keys(faults).length === 0 && <ErrorPanel error={error} />}
      {mayWrite ? (
        <FormActions atEnd={stored !== null && <DeleteGroup group={stored.data} />}>
          <Button type="submit" loading={editor.isSaving} disabled={!isNamed || conflict !== null}>
            {stored === null ? words.create : words.save}
          </Button>
        </FormActions>
      ) : (
        <p className={styles.faint}>{words.mayNot}</p>
      )}
    </EditorForm>
  );
}

/** Deletes a group after removing its checks, because the API deletes only empty groups. */
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
    of: [["groups", group.id], membersQuery(group.id).queryKey],
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
      // The checks are re-fetched after a failure too, because some of them may have left the
      // group.
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

function MuteGroup({ id }: { readonly id: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<MuteIcon size={16} />} onClick={() => setOpen(true)}>
        {words.muteUntil}
      </Button>
      <MuteDialog
        isOpen={isOpen}
        title={words.muteUntil}
        listTargets={() => Promise.resolve([{ type: "GROUP", groupId: id }])}
        onClose={() => setOpen(false)}
      />
    </>
  );
}

function KnownGroup({ id }: { readonly id: number }) {
  const mayWrite = useMay("write");
  const { data: stored, error } = useLoaded(groupQuery(id));
  const { data: group } = stored;
  return (
    <>
      <PageHeader title={<bdi>{group.name}</bdi>} actions={mayWrite && <MuteGroup id={group.id} />}>
        <Link to="/groups">{words.title}</Link>
        <GroupSummary id={group.id} />
        <MuteNotes scope={{ groupId: group.id }} />
      </PageHeader>
      <GonePanel error={error} />
      <EditorLayout>
        <GroupEditor key={group.id} stored={stored} />
        <Stack as="section" gap={4} data-first aria-label={words.members}>
          <h2>{words.members}</h2>
          <GroupMembers id={group.id} />
        </Stack>
      </EditorLayout>
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
        <EditorLayout>
          <GroupEditor stored={null} />
        </EditorLayout>
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
