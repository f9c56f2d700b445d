import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { describeChannel } from "../alerts/index.ts";
import { ApiError } from "../api/api-error.ts";
import { api, sendFull } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import {
  EditorNotices,
  getFieldError,
  ifMatch,
  useEditor,
  type Version,
} from "../editing/index.ts";
import { locationsQuery, privateNamesQuery } from "../locations/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { GroupForm } from "./group-form.tsx";
import { formatValue, labels, type ShownNames } from "./group-naming.ts";
import { type GroupValues, newGroup, toChange, toValues } from "./group-values.ts";
import styles from "./groups.module.css";
import type { Group } from "./queries.ts";
import { channelsQuery, fetchGroup, groupQuery } from "./queries.ts";
import { words } from "./words.ts";

/** Returns the API's validation errors by field. */
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

/** Edits a group, or creates one if `stored` is `null`. */
export function GroupEditor({ stored }: { readonly stored: Version<Group> | null }) {
  const mayWrite = useMay("write");
  const names = useShownNames();
  const editor = useGroupEditor(stored);
  const { values, error, conflict } = editor;
  const faults = readFaults(error);
  const isNamed = values.name.trim() !== "";
  return (
    <Stack
      as="form"
      gap={4}
      className={styles.content}
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
        <Row nowrap>
          <Button type="submit" loading={editor.isSaving} disabled={!isNamed || conflict !== null}>
            {stored === null ? words.create : words.save}
          </Button>
        </Row>
      ) : (
        <p className={styles.faint}>{words.mayNot}</p>
      )}
    </Stack>
  );
}
