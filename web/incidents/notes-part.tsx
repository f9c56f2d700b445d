import { Button, Textarea } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { useDraft } from "../editing/index.ts";
import { CloseIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import styles from "./incidents.module.css";
import { type Incident, notesQuery } from "./queries.ts";
import { incidentWords as words } from "./words.ts";

function useNotes(incidentId: string) {
  const client = useQueryClient();
  const [draft, setDraft, forget] = useDraft(`incident.note.${incidentId}`, { body: "" });
  const onSuccess = () => renewQueries(client, notesQuery(incidentId).queryKey);
  const onError = (error: Error) => showNotice({ text: error.message, tone: "bad" });
  const add = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/status-pages/incidents/{incidentId}/notes", {
          params: { path: { incidentId } },
          body: { body: draft.body.trim() },
        }),
      ),
    onSuccess: () => {
      forget();
      setDraft({ body: "" });
      return onSuccess();
    },
    onError,
  });
  const remove = useMutation({
    mutationFn: (noteId: string) =>
      send(
        api.DELETE("/v1/status-pages/incidents/{incidentId}/notes/{noteId}", {
          params: { path: { incidentId, noteId } },
        }),
      ),
    onSuccess,
    onError,
  });
  return { draft, setDraft, add, remove };
}

/** Shows internal notes, which are visible only to the team. */
export function NotesPart({ incident }: { readonly incident: Incident }) {
  const mayWrite = useMay("write");
  const { data } = useQuery(notesQuery(incident.id));
  const { draft, setDraft, add, remove } = useNotes(incident.id);
  if (!mayWrite && (data ?? []).length === 0) return null;
  return (
    <Stack as="section" aria-label={words.notes}>
      <h2>{words.notes}</h2>
      <Stack as="ul">
        {(data ?? []).map(({ id, author, body, createdAt }) => (
          <li key={id}>
            <Row gap={3} tight className={styles.updateHead}>
              <span className={textStyles.muted}>
                <DateTime at={createdAt} /> {words.by} <bdi>{author}</bdi>
              </span>
              {mayWrite && (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  aria-label={words.deleteNote(author)}
                  onClick={() => remove.mutate(id)}
                >
                  <CloseIcon size={14} />
                </Button>
              )}
            </Row>
            <div className={styles.updateText}>
              <Markdown source={body} />
            </div>
          </li>
        ))}
      </Stack>
      {mayWrite && (
        <Stack
          as="form"
          gap={2}
          align="start"
          className={styles.noteForm}
          onSubmit={(event) => {
            event.preventDefault();
            if (draft.body.trim() !== "" && !add.isPending) add.mutate();
          }}
        >
          <Textarea
            label={words.note}
            description={words.notesHint}
            autosize
            minRows={2}
            maxLength={20_000}
            value={draft.body}
            onChange={({ currentTarget }) => setDraft({ body: currentTarget.value })}
          />
          <Button type="submit" variant="default" loading={add.isPending}>
            {words.addNote}
          </Button>
        </Stack>
      )}
    </Stack>
  );
}
