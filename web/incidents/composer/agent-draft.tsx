import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas, send } from "../../api/client.ts";
import { Callout } from "../../parts/blocks.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { AddressLink } from "../../parts/links.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
import { Lasting } from "../../parts/time.tsx";
import { incidentWords, words as moduleWords, composerWords as words } from "../words.ts";
import styles from "./composer.module.css";

type Draft = Schemas["IncidentDraft"];

interface AgentDraftProps {
  readonly serviceIds: readonly string[];
  /** Id of the incident; `null` for a new incident. */
  readonly incidentId: string | null;
  readonly onDraft: (draft: Draft) => void;
}

const maxChecks = 5;

/** Shows the facts that the draft is based on. The facts are not published. */
function Evidence({ draft }: { readonly draft: Draft }) {
  return (
    <ul className={styles.evidence}>
      {draft.services.map(({ id, name, status, since, checkIds }) => (
        <li key={id}>
          {status !== null && <StateMark state={status} size={14} hasWord />} <bdi>{name}</bdi>{" "}
          {since !== null && (
            <>
              {moduleWords.for} <Lasting since={since} />
            </>
          )}{" "}
          {status === null && <span>{incidentWords.noChecks}</span>}
          {checkIds.slice(0, maxChecks).map((checkId, place) => (
            <AddressLink key={checkId} href={`/checks/${checkId}`}>
              {incidentWords.itsCheck(checkIds.length > 1 ? place + 1 : null)}
            </AddressLink>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** Drafts the text of an update from the check results. */
export function AgentDraft({ serviceIds, incidentId, onDraft }: AgentDraftProps) {
  const [draft, setDraft] = useState<Draft | null>(null);
  const write = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/status-pages/incidents/draft", {
          body:
            incidentId === null ? { services: serviceIds.map((id) => ({ id })) } : { incidentId },
        }),
      ),
    onSuccess: (made) => {
      setDraft(made);
      onDraft(made);
    },
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <Stack gap={2}>
      <Row gap={4} className={styles.agentRow}>
        <Button
          variant="default"
          loading={write.isPending}
          disabled={incidentId === null && serviceIds.length === 0}
          onClick={() => write.mutate()}
        >
          {words.agentDraft}
        </Button>
        <span className={textStyles.hint}>{words.agentDraftHint}</span>
      </Row>
      {draft !== null && (
        <Callout tone="accent" role="status">
          <p>{words.drafted}</p>
          <Evidence draft={draft} />
        </Callout>
      )}
    </Stack>
  );
}
