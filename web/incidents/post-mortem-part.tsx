import { Button, Textarea } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { useDraft } from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import styles from "./incidents.module.css";
import { type Incident, postMortemQuery } from "./queries.ts";
import { incidentWords as words } from "./words.ts";

type PostMortem = Schemas["PostMortem"];

interface FormProps {
  readonly incidentId: string;
  readonly stored: PostMortem | null;
  readonly onEnd: () => void;
}

function PostMortemForm({ incidentId, stored, onEnd }: FormProps) {
  const client = useQueryClient();
  const start = { body: stored?.body ?? "" };
  const [draft, setDraft, forget] = useDraft(`incident.post-mortem.${incidentId}`, start);
  const save = useMutation({
    mutationFn: (isPublished: boolean) =>
      send(
        api.PUT("/v1/status-pages/incidents/{incidentId}/post-mortem", {
          params: { path: { incidentId } },
          body: { body: draft.body.trim(), isPublished },
        }),
      ),
    onSuccess: (saved) => {
      forget();
      client.setQueryData(postMortemQuery(incidentId).queryKey, saved);
      void renewQueries(client, ["incidents"]);
      showNotice({ text: words.postMortemSaved });
      onEnd();
    },
  });
  const isPublished = stored !== null && stored.publishedAt !== null;
  const isEmpty = draft.body.trim() === "";
  return (
    <Stack
      as="form"
      gap={2}
      align="start"
      className={styles.noteForm}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty && !save.isPending) save.mutate(true);
      }}
    >
      <Textarea
        label={words.postMortemText}
        description={words.postMortemHint}
        autosize
        minRows={6}
        maxLength={20_000}
        value={draft.body}
        onChange={({ currentTarget }) => setDraft({ body: currentTarget.value })}
      />
      {save.error && <ErrorPanel error={save.error} />}
      <Row gap={3}>
        <Button type="submit" loading={save.isPending} disabled={isEmpty}>
          {isPublished ? words.savePublished : words.publish}
        </Button>
        <Button variant="default" disabled={isEmpty} onClick={() => save.mutate(false)}>
          {isPublished ? words.withdraw : words.saveDraft}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            forget();
            onEnd();
          }}
        >
          {words.cancel}
        </Button>
      </Row>
    </Stack>
  );
}

/** Shows the post-mortem of an incident, with an editor. Publishing is a separate step. */
export function PostMortemPart({ incident }: { readonly incident: Incident }) {
  const mayWrite = useMay("write");
  const [isEditing, setEditing] = useState(false);
  const { data } = useQuery(postMortemQuery(incident.id));
  if (data === undefined || (data === null && !mayWrite)) return null;
  return (
    <Stack as="section" aria-label={words.postMortem}>
      <h2>{words.postMortem}</h2>
      {data !== null && !isEditing && (
        <>
          <p className={textStyles.muted}>
            {data.publishedAt === null ? (
              words.isDraft
            ) : (
              <>
                {words.publishedAt} <DateTime at={data.publishedAt} />
              </>
            )}
          </p>
          <div className={styles.updateText}>
            <Markdown source={data.body} />
          </div>
        </>
      )}
      {isEditing && (
        <PostMortemForm incidentId={incident.id} stored={data} onEnd={() => setEditing(false)} />
      )}
      {mayWrite && !isEditing && (
        <Button
          className={styles.updateActions ?? ""}
          variant="default"
          onClick={() => setEditing(true)}
        >
          {data === null ? words.writePostMortem : words.editPostMortem}
        </Button>
      )}
    </Stack>
  );
}
