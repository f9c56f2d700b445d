import { Button, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { CheckPicker, useChosenChecks } from "../../parts/check-picker.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { showNotice } from "../../parts/notices.tsx";
import styles from "./depends-on.module.css";
import { parentsQuery } from "./queries.ts";
import { words } from "./words.ts";

const { dependsOn: labels } = words;

interface DialogProps {
  readonly checkId: string;
  readonly parentIds: readonly string[];
  readonly onClose: () => void;
}

function DependsOnDialog({ checkId, parentIds, onClose }: DialogProps) {
  const client = useQueryClient();
  const [ids, setIds] = useState(parentIds);
  const chosen = useChosenChecks(ids);
  const saving = useMutation({
    mutationFn: () =>
      send(
        api.PUT("/v1/checks/{id}/parents", {
          params: { path: { id: checkId } },
          body: { parentIds: [...ids] },
        }),
      ),
    onSuccess: async () => {
      onClose();
      showNotice({ text: labels.saved });
      await renewQueries(client, ["checks", checkId, "parents"]);
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={labels.title}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <p>{labels.text}</p>
        <CheckPicker
          label={labels.chosen}
          chosen={chosen}
          exceptId={checkId}
          formatRemoveLabel={labels.removeOne}
          onChange={(checks) => setIds(checks.map(({ id }) => id))}
        />
        {saving.error && <ErrorPanel error={saving.error} />}
        <div>
          <Button loading={saving.isPending} onClick={() => saving.mutate()}>
            {labels.save}
          </Button>
        </div>
      </Stack>
    </Modal>
  );
}

/** Lists the checks that hold the alerts of this one while they fail. */
export function DependsOn({ checkId }: { readonly checkId: string }) {
  const mayWrite = useMay("write");
  const { data } = useQuery(parentsQuery(checkId));
  const [isOpen, setOpen] = useState(false);
  const parentIds = data?.parentIds ?? [];
  const parents = useChosenChecks(parentIds);
  if (data === undefined || (parentIds.length === 0 && !mayWrite)) return null;
  return (
    <Row as="p" gap={3} className={styles.line}>
      <span>{parentIds.length === 0 ? labels.none : labels.some}</span>
      {parents.map(({ id, name }) => (
        <Link key={id} to="/checks/$checkId" params={{ checkId: id }}>
          {name ?? id}
        </Link>
      ))}
      {mayWrite && (
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          {labels.change}
        </Button>
      )}
      {isOpen && (
        <DependsOnDialog checkId={checkId} parentIds={parentIds} onClose={() => setOpen(false)} />
      )}
    </Row>
  );
}
